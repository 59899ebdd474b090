import type { RunningServer } from '../src-server/server.ts'
import { endProcess } from '../src-system/system.ts'
import { failureText, printFailure } from './client-command.ts'
import { FAILED } from './exit-codes.ts'
import type { Messages } from './messages.ts'

/** Interval for checking that the parent process is still running, ms. */
const PARENT_CHECK_INTERVAL_MS = 1000

export interface ServeOptions {
  readonly port: number
  readonly dataDir: string
  readonly adoptDir?: boolean
  /** True to outlive the terminal and the process that started it. */
  readonly stay?: boolean
  /** Queue to further machines, and the storage of their files. */
  readonly queue?: string
  readonly blobs?: string
  readonly allowMixed?: boolean
  readonly audit?: number
  readonly json?: boolean
}

/**
 * Hosts the service until SIGINT or SIGTERM and then stops gracefully; without `stay` also when the terminal (SIGHUP) or the parent process
 * ends. The first line on standard output names the address; the second is a one-time link to the page or, if standard output is not a
 * terminal and others may read it, the command that opens the page. With `--json` the address is the only line. A failed start prints one
 * sentence on standard error, or an error envelope, with exit code 1.
 */
export async function serve(options: ServeOptions, messages: Messages): Promise<void> {
  // Read before the start, to notice the parent's death during it.
  const parent = process.ppid
  // Node resets the ignored SIGHUP of nohup.
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
  // A terminal and a parent that forwards its signals both send one: the second must not interrupt the graceful stop.
  process.on('SIGINT', stop).on('SIGTERM', stop)
  if (options.stay) return
  process.on('SIGHUP', stop)
  // An orphan gets a new parent; npm does not pass on a SIGKILL.
  setInterval(() => process.ppid !== parent && stop(), PARENT_CHECK_INTERVAL_MS)
}
