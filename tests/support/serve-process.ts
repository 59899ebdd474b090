/** A server in a process of its own, so that it can be killed like one. Started by {@link spawnServer} in server-process.ts. */
import { startServer } from '../../src-server/server.ts'

const [dataDir = ''] = process.argv.slice(2)
const server = await startServer({ dataDir, port: 0, host: 'browser' })
process.send?.({ baseUrl: server.baseUrl, credential: server.sessionCredential })
process.on('disconnect', () => server.close().then(() => process.exit(0)))
process.on('SIGTERM', () => server.close().then(() => process.exit(0)))
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.(heapUsed + external)
})
