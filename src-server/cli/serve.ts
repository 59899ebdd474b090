import type { RunningServer } from '../server.ts'

const PARENT_CHECK_INTERVAL_MS = 1000

/**
 * Hosts the service until SIGINT, SIGTERM or the death of the process that started it, and then stops in order. The first
 * line on standard output names the address; the second is a link that carries this start's credential to the browser in its
 * fragment. A service that cannot start is one sentence on standard error and exit code 1.
 */
export async function serve(options: { readonly port: number; readonly dataDir: string }): Promise<void> {
  // Read before the start, so that a death during it is noticed too.
  const parent = process.ppid
  let server: RunningServer
  try {
    const { startServer } = await import('../server.ts')
    server = await startServer({ dataDir: options.dataDir, port: options.port, host: 'browser' })
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exitCode = 1
    return
  }
  process.stdout.write(`Loudsmith API listening on ${server.baseUrl}\n`)
  process.stdout.write(`Open ${server.baseUrl}/#session=${server.sessionCredential}\n`)

  const stop = () => {
    clearInterval(parentCheck)
    server.close().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
        process.exit(1)
      },
    )
  }
  // An orphan gets a new parent; npm does not pass on a SIGKILL.
  const parentCheck = setInterval(() => {
    if (process.ppid !== parent) stop()
  }, PARENT_CHECK_INTERVAL_MS)
  process.once('SIGINT', stop).once('SIGTERM', stop).once('SIGHUP', stop)
}
