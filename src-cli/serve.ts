import type { RunningServer } from '../src-server/server.ts'
import { endProcess } from '../src-system/system.ts'
import { failureText, printFailure } from './client-command.ts'
import { FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'

/** Interval of the check whether the parent process still runs, ms. */
const PARENT_CHECK_INTERVAL_MS = 1000

export interface ServeOptions {
  readonly port: number
  readonly dataDir: string
  readonly adoptDir?: boolean
  /** True to outlive the terminal and the process that started it. */
  readonly stay?: boolean
  /** Queue to further machines, and where their files lie. */
  readonly queue?: string
  readonly blobs?: string
  readonly allowMixed?: boolean
  readonly audit?: number
  readonly json?: boolean
}

/**
 * Hosts the service until SIGINT or SIGTERM and then stops in order, unless `stay` also at the end of the terminal (SIGHUP) and of the
 * process that started it. The first line on standard output names the address; the second is a link that opens the page once, or,
 * where standard output is no terminal and others may read it, the command that opens the page. With `--json` the address is the one
 * line. A service that cannot start is one sentence on standard error, or an error envelope, and exit code 1.
 */
export async function serve(options: ServeOptions, messages: Messages): Promise<void> {
  // Read before the start, so that a death during it is noticed too.
  const parent = process.ppid
  // Node forgets that nohup had it ignored.
  if (options.stay) process.on('SIGHUP', () => {})
  let server: RunningServer
  try {
    const { startServer } = await import('../src-server/server.ts')
    server = await startServer({
      dataDir: options.dataDir,
      adoptsDir: options.adoptDir === true,
      port: options.port,
      host: 'browser',
      farm: {
        ...(options.queue === undefined ? {} : { queue: options.queue }),
        ...(options.blobs === undefined ? {} : { blobs: options.blobs }),
        allowsMixed: options.allowMixed === true,
        ...(options.audit === undefined ? {} : { auditEvery: options.audit }),
      },
    })
  } catch (error) {
    printFailure(error, messages, options.json === true)
    process.exitCode = FAILED
    return
  }
  const howToOpen = process.stdout.isTTY ? () => messages.serve.open(server.newLink()) : () => messages.serve.howToOpen
  const lines = options.json
    ? [JSON.stringify({ base_url: server.baseUrl })]
    : [messages.serve.listening(server.baseUrl), howToOpen()]
  process.stdout.write(`${lines.join('\n')}\n`)

  const stop = () => {
    server.close().then(
      () => endProcess(() => process.exit(0)),
      (error: unknown) => {
        process.stderr.write(`${failureText(error, messages)}\n`)
        return endProcess(() => process.exit(1))
      },
    )
  }
  // A terminal and a parent that forwards its signals both send one: the second must not cut the orderly stop short.
  process.on('SIGINT', stop).on('SIGTERM', stop)
  if (options.stay) return
  process.on('SIGHUP', stop)
  // An orphan gets a new parent; npm does not pass on a SIGKILL.
  setInterval(() => process.ppid !== parent && stop(), PARENT_CHECK_INTERVAL_MS)
}
