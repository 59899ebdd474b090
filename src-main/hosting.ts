/** Starts the server inside this process, with engine work in utility processes and a choice if the port is taken. */
import { dialog } from 'electron'
import { startServer } from '../src-server/server.ts'
import type { Log } from '../src-system/log.ts'
import { portFrom } from './arguments.ts'
import { forkWithElectron } from './engine-process.ts'
import type { ShellPaths } from './paths.ts'
import type { Words } from './text.ts'

export type HostedServer = Awaited<ReturnType<typeof startServer>>

export interface HostingDeps {
  readonly paths: ShellPaths
  /** The port from the command line, unparsed. */
  readonly port: string | undefined
  readonly words: Words
  readonly log: Log
}

/**
 * Returns the running server; undefined if the user chose to quit because the port is taken. Throws every other failure; `startFailureText`
 * words it.
 */
export async function hostServer({ paths, port: asked, words, log }: HostingDeps): Promise<HostedServer | undefined> {
  let port = portFrom(asked)
  for (;;) {
    try {
      return await startServer({
        dataDir: paths.dataDir,
        adoptsDir: paths.adoptsDir,
        port,
        host: 'desktop',
        outputFolder: paths.mastersDir,
        log,
        forkEngine: forkWithElectron(paths.engineFile, log),
        ...(paths.resourcesDir ? { resourcesDir: paths.resourcesDir } : {}),
      })
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'PortTakenError') throw error
      const isKept = (error as { code?: unknown }).code === 'EACCES'
      const { response } = await dialog.showMessageBox({
        type: 'warning',
        message: isKept ? words.portKept(port) : words.portTitle(port),
        detail: words.portDetail,
        buttons: [words.tryAgain, words.otherPort, words.quit],
        defaultId: 0,
        cancelId: 2,
        noLink: true,
      })
      if (response === 2) return undefined
      if (response === 1) port = 0
    }
  }
}
