import { liveOwner } from '../db/owner.ts'
import { startServer } from '../server.ts'
import { createServiceClient, type ServiceClient } from './service-client.ts'

/**
 * Runs `work` against the service that owns `dataDir` and returns its outcome. Where no process owns it, the service is
 * started on a free port for this one command and stopped in order afterwards. Throws what `work` throws, and the reason when
 * the service cannot be started.
 */
export async function withService<Outcome>(
  dataDir: string,
  work: (client: ServiceClient) => Promise<Outcome>,
): Promise<Outcome> {
  const owner = liveOwner(dataDir)
  if (owner) return work(createServiceClient(`http://127.0.0.1:${owner.port}`, owner.controlToken))
  const server = await startServer({ dataDir, port: 0, host: 'browser' })
  try {
    return await work(createServiceClient(server.baseUrl, server.sessionCredential))
  } finally {
    await server.close()
  }
}
