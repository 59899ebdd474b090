/** A server in a process of its own, so that it can be killed like one. Started by {@link spawnServer} in server-process.ts. */
import { forkWithNode } from '../../src-server/jobs/worker-pool.ts'
import { startServer } from '../../src-server/server.ts'
import { createLog } from '../../src-system/log.ts'
import { systemClock } from '../../src-system/system.ts'

const [dataDir = '', engine = ''] = process.argv.slice(2)
const log = createLog('info', systemClock, (line) => process.stderr.write(line))
const forkEngine = forkWithNode(engine, log)
const server = await startServer({ dataDir, port: 0, host: 'browser', log, forkEngine })
const { baseUrl, sessionCredential, controlCredential } = server
process.send?.({ baseUrl, sessionCredential, controlCredential })
process.on('disconnect', () => server.close().then(() => process.exit(0)))
process.on('SIGTERM', () => server.close().then(() => process.exit(0)))
process.on('message', () => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.(heapUsed + external)
})
