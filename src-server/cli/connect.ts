import { liveOwner } from '../db/owner.ts'
import type { ServiceClient } from './service-client.ts'
import type { Words } from './words.ts'

/**
 * Runs `work` against the service that owns `dataDir` and returns its outcome. Where no process owns it, the service is
 * started on a free port for this one command and stopped in order afterwards. Throws what `work` throws, and the reason when
 * the service cannot be started.
 */
export async function withService<Outcome>(
  dataDir: string,
  words: Words,
  work: (client: ServiceClient) => Promise<Outcome>,
): Promise<Outcome> {
  const { createServiceClient } = await import('./service-client.ts')
  const owner = liveOwner(dataDir)
  if (owner) return work(createServiceClient(`http://127.0.0.1:${owner.port}`, owner.controlToken, words))
  const [{ startServer }, { createLog }, { systemClock }] = await Promise.all([
    import('../server.ts'),
    import('../log.ts'),
    import('../system.ts'),
  ])
  // The command's own outcome is what the user came for; the log of its service stays silent below errors.
  const log = createLog('error', systemClock, (line) => process.stderr.write(line))
  const server = await startServer({ dataDir, port: 0, host: 'browser', log })
  try {
    return await work(createServiceClient(server.baseUrl, server.sessionCredential, words))
  } finally {
    await server.close()
  }
}
