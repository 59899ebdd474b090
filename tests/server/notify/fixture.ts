/** Notify on a real database file, and receivers on real sockets. */
import { createHmac } from 'node:crypto'
import http, { type IncomingHttpHeaders } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Plan } from '../../../src-contract/plans.ts'
import { readMigrations } from '../../../src-server/db/migrate.ts'
import { openDatabase } from '../../../src-server/db/open.ts'
import { Notify, type NotifyDeps } from '../../../src-server/notify/notify.ts'
import { createLog } from '../../../src-system/log.ts'
import { type Clock, systemClock, systemRandom } from '../../../src-system/system.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

export const OWN_PORT = 47310

/** A database file in a folder of its own, deleted after the test. */
export function newDatabaseFile(): string {
  const folder = temporaryFolder(onTestFinished)
  return path.join(folder, 'loudsmith.db')
}

export function openTestDatabase(file: string) {
  const db = openDatabase(file, readMigrations(path.resolve('src-server/db/migrations')))
  onTestFinished(() => void db.close())
  return db
}

export interface World {
  plan: Plan
  isOffline: boolean
}

/** Notify with everything real but the clock, when one is given. `world` can be changed while it runs. */
export function createTestNotify(
  options: { file?: string; clock?: Clock; resolveName?: NotifyDeps['resolveName']; baseUrl?: string } = {},
) {
  const clock = options.clock ?? systemClock
  const db = openTestDatabase(options.file ?? newDatabaseFile())
  const world: World = { plan: 'studio', isOffline: false }
  const lines: string[] = []
  const notify = new Notify({
    db,
    clock,
    random: systemRandom,
    log: createLog('debug', clock, (line) => lines.push(line)),
    plan: () => world.plan,
    ownPort: OWN_PORT,
    baseUrl: options.baseUrl ?? `http://127.0.0.1:${OWN_PORT}`,
    isOffline: () => world.isOffline,
    ...(options.resolveName ? { resolveName: options.resolveName } : {}),
  })
  onTestFinished(() => notify.close())
  return { notify, db, world, lines }
}

export interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Checks a request as a receiver does: id, time and bytes under the secret. */
export function isSigned(received: Received | undefined, secret: string): boolean {
  const { headers = {}, body } = received ?? {}
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

export type Answering = (response: http.ServerResponse, received: Received) => void

/** A key and a certificate for 127.0.0.1 that nobody trusts. */
export const TLS = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgO6CHXjtW+N4rw0Lm
Ytdrm/8EHE7YflQWHCownN81CwOhRANCAAQ82LlK5/+jvM48MCuzVWBVt8w0wAeP
CzEcwxJwuaWFMSl31L0zcqb2ubsKRVA6E76/SAuOJ+f3W8rzmkbvTAPt
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBSTCB8aADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCTEyNy4wLjAu
MTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
MTI3LjAuMC4xMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEPNi5Suf/o7zOPDAr
s1VgVbfMNMAHjwsxHMMScLmlhTEpd9S9M3Km9rm7CkVQOhO+v0gLjifn91vK85pG
70wD7aMyMDAwDwYDVR0RBAgwBocEfwAAATAdBgNVHQ4EFgQUc7aUqI+Ga0n/yInQ
c8LqwOFWFY4wCgYIKoZIzj0EAwIDRwAwRAIgJD6H5WzJG5ZD7myDat9V/T9X+LaE
o9sb83MLSLbmGu4CIGeOaX7I1qjaOrImBsOoJVbBlQzo90eLMPNnuUYHu23T
-----END CERTIFICATE-----`,
}

/** A receiver on a free loopback port, over TLS when it has a certificate; it answers 204 unless told otherwise. */
export async function startReceiver(
  answering: Answering = (response) => response.writeHead(204).end(),
  tls?: typeof TLS,
) {
  const received: Received[] = []
  let onReceived = () => {}
  const listener: http.RequestListener = (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') }
      received.push(one)
      answering(response, one)
      onReceived()
    })
  }
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}/hook`,
    port,
    received,
    /** Resolves when `count` requests have come. */
    async until(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => (onReceived = resolve))
    },
  }
}

export const JOB_ID = '0191f3a0-1111-4222-8333-444455556666'

export const completed = (jobId = JOB_ID) => ({
  event: 'job.completed' as const,
  jobId,
  body: {
    event: 'job.completed' as const,
    job_id: jobId,
    status: 'done' as const,
    download_url: `http://127.0.0.1:${OWN_PORT}/api/v1/jobs/${jobId}/download`,
  },
})

/** Waits for a state that comes by sockets or the disk, however busy the machine is: the test's own limit ends what hangs. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
