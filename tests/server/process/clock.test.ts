/** The whole service under a clock that is set to and fro between 40 days back and 400 days ahead, over restarts. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { CreatedKey } from '../../../src-contract/account.ts'
import { type Clock, systemClock } from '../../../src-system/system.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { seededRandom } from '../../support/sounds.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const SEED = Number(process.env.CLOCK_SEED ?? 20_261_128)
const STEPS = Number(process.env.CLOCK_STEPS ?? 10)

/** The wall clock alone is set; the monotonic one goes on, as that of a machine does. */
let shiftMs = 0
let passedMs = 0
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + passedMs + shiftMs,
  monotonicMs: () => systemClock.monotonicMs() + passedMs,
}
const engine = createHeldEngine({ isAutomatic: true })
let root: string
let service: Service
const start = async () => {
  service = await startService({ dataDir: path.join(root, 'data'), keepsData: true, forkEngine: engine.fork, clock })
}
const newKey = async (expires_in?: number) =>
  (await service.post('/app/keys', { name: 'test', ...(expires_in === undefined ? {} : { expires_in }) }))
    .body as CreatedKey
const statusOf = async (key: string) => (await service.get('/api/v1/account', { credential: key })).status

beforeEach(async () => {
  root = temporaryFolder(onTestFinished)
  shiftMs = 0
  passedMs = 0
  await start()
  await service.patch('/app/account', { plan: 'studio' })
})
afterEach(() => service.stop())

test('a key that has ended does not work again when the clock goes back, over a restart too', async () => {
  const [tried, untried, lasting] = [await newKey(HOUR_MS / 1000), await newKey(DAY_MS / 1000), await newKey()]
  // The clock jumps ahead unconfirmed: only keys refused meanwhile have ended.
  shiftMs = 30 * DAY_MS
  expect(await statusOf(tried.key)).toBe(401)
  shiftMs = 0
  expect([await statusOf(tried.key), await statusOf(untried.key)]).toEqual([401, 200])
  // The time goes by, which bears it out.
  for (let hour = 0; hour < 25; hour++) {
    passedMs += HOUR_MS
    await statusOf(lasting.key)
  }
  shiftMs = -20 * DAY_MS
  expect([await statusOf(tried.key), await statusOf(untried.key), await statusOf(lasting.key)]).toEqual([401, 401, 200])
  await service.stop()
  await start()
  expect([await statusOf(tried.key), await statusOf(untried.key), await statusOf(lasting.key)]).toEqual([401, 401, 200])
  const { keys } = (await service.get('/app/keys')).body
  const states = Object.fromEntries(keys.map(({ key_id, state }: CreatedKey) => [key_id, state]))
  expect([tried, untried, lasting].map(({ key_id }) => states[key_id])).toEqual(['expired', 'expired', 'active'])
  // A key that is made while the clock is behind works.
  expect(await statusOf((await newKey(HOUR_MS / 1000)).key)).toBe(200)
})

test(`over ${STEPS} seeded settings of the clock (seed ${SEED}) nothing is removed, charged or renewed that must not be`, async () => {
  const random = seededRandom(SEED)
  /** A whole number below `count`. */
  const draw = (count: number) => Math.floor(Math.abs(random()) * count) % count
  mkdirSync(path.join(root, 'songs'))
  await service.patch('/app/settings', { allowed_folders: [root] }, { credential: service.controlCredential })
  await service.patch('/app/settings', { retention_days: 7 })
  const lasting = await newKey()
  const ended = new Set<string>()
  const ending = [await newKey(3600), await newKey(10 * 86_400)]
  const credential = lasting.key
  const form = () => ({ file: new Blob([new Uint8Array(wavSong())]) })
  const first = await service.newJob(form(), { credential, headers: { 'idempotency-key': 'once' } })
  expect((await service.ended(first.job_id)).status).toBe('done')
  let charged = 1
  const batches: string[] = []
  for (let step = 0; step < STEPS; step++) {
    const what = draw(7)
    if (what <= 3) shiftMs = Math.round((-40 + draw(441)) * DAY_MS)
    // Not so long in all that a day bears a setting out, nor that a result is due.
    else if (what === 4) passedMs += Math.round(HOUR_MS / 4)
    else if (what === 5) {
      await service.stop()
      await start()
    } else {
      const name = path.join(root, 'songs', `${step}.wav`)
      writeFileSync(name, wavSong({ hertz: 200 + step }))
      const body = [{ platforms: ['spotify'] }, { path: name }].map((line) => JSON.stringify(line)).join('\n')
      const headers = { 'content-type': 'application/x-ndjson' }
      const answer = await service.call('POST', '/api/v1/batches', { body, headers, credential })
      expect(answer.status).toBe(201)
      batches.push(answer.body.batch_id)
      charged++
    }
    const at = `step ${step}, ${new Date(clock.now()).toISOString()}`
    expect([at, await statusOf(lasting.key)]).toEqual([at, 200])
    for (const { key } of ending) {
      const status = await statusOf(key)
      if (ended.has(key)) expect([at, status]).toEqual([at, 401])
      if (status === 401) ended.add(key)
    }
    // The same answer for the same key, and what it made is still there.
    const again = await service.master(form(), { credential, headers: { 'idempotency-key': 'once' } })
    expect([at, again.status, again.body.job_id]).toEqual([at, 201, first.job_id])
    expect([at, (await service.get(`/api/v1/jobs/${first.job_id}/report`)).status]).toEqual([at, 200])
  }
  for (const batchId of batches) {
    await expect.poll(async () => (await service.get(`/api/v1/batches/${batchId}`)).body.status).toBe('ended')
    const { songs } = (await service.get(`/api/v1/batches/${batchId}/songs`)).body
    expect(songs).toMatchObject([{ status: 'done' }])
  }
  expect(ended.size).toBeGreaterThan(0)
  const db = new Database(path.join(root, 'data', 'loudsmith.db'), { readonly: true })
  const entries = db.prepare('SELECT kind, amount, once FROM ledger').all() as { kind: string; once: string }[]
  db.close()
  const [renewals, charges] = ['renew', 'charge'].map((kind) => entries.filter((entry) => entry.kind === kind))
  expect(charges).toHaveLength(charged)
  // The month of the walk, and at most the next one, each once.
  expect(new Set(renewals!.map(({ once }) => once)).size).toBe(renewals!.length)
  expect(renewals!.length).toBeLessThanOrEqual(2)
})
