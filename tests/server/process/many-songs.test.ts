/** Many real songs by one manifest, through the API and by the command line: ended once each, whatever is killed in the middle. */
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Manifest } from '../../../src-contract/batches.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import { CLI } from '../../support/built.ts'
import { childrenOf } from '../../support/processes.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A small part of a campaign; `npm run campaign` sets the whole number. */
const SONGS = Number(process.env.BATCH_SONGS ?? 3)
const SECONDS = SONGS > 100 ? 3 : 1
/** Room for caches that fill. A leak of 20 kB a song shows in a campaign. */
const MAX_LIVE_GROWTH_BYTES = 8 * 1024 * 1024

// Only ends what hangs for good: a busy machine takes ten times as long as an idle one.
const folder = temporaryFolder()
let server: ServerProcess
const dataDir = () => path.join(folder, 'data')
beforeAll(async () => {
  for (const name of ['in', 'out']) mkdirSync(path.join(folder, name))
  for (let at = 0; at < SONGS; at++)
    writeFileSync(path.join(folder, 'in', `${at}.wav`), wavSong({ seconds: SECONDS + (at % 7) / 10, hertz: 200 + at }))
  server = await spawnServer(dataDir())
  await server.allow(folder)
  await server.post('/app/account/credits', { amount: 2 * SONGS })
})
afterAll(() => server.end('SIGKILL'))

const credits = async () => (await server.get<{ credits: number }>('/api/v1/account')).credits
async function untilDone(batchId: string, count: number): Promise<Manifest> {
  for (;;) {
    const batch = await server.get<Manifest>(`/api/v1/batches/${batchId}`)
    if (batch.songs.done >= count || batch.status === 'ended') return batch
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
const openHandles = () => readdirSync(`/proc/${server.pid}/fd`).length
/** Returns whether each job was charged and ended once. */
function endedOnce(): boolean {
  const db = new Database(path.join(dataDir(), 'loudsmith.db'), { readonly: true })
  const twice = db
    .prepare(
      `SELECT count(*) FROM jobs WHERE is_bulk = 1 AND (state <> 'done'
         OR (SELECT count(*) FROM ledger WHERE ledger.job_id = jobs.job_id AND kind = 'charge') <> 1
         OR (SELECT count(*) FROM events WHERE events.job_id = jobs.job_id AND name = 'job.completed') <> 1)`,
    )
    .pluck()
    .get()
  db.close()
  return twice === 0
}

describe.runIf(process.platform === 'linux')('many songs (only where /proc tells handles and children)', () => {
  test(`${SONGS} songs by one manifest: a kill −9 in the middle loses and doubles nothing, a single song starts next, memory and handles stay flat`, async () => {
    const before = await credits()
    const head = { platforms: ['spotify'], delivery: 'folder', folder: path.join(folder, 'out') }
    const names = Array.from({ length: SONGS }, (_, at) => `${at}.wav`)
    const lines = [head, ...names.map((name) => ({ path: path.join(folder, 'in', name) }))]
    const manifest = lines.map((line) => JSON.stringify(line)).join('\n')
    const form = new FormData()
    form.append('manifest', new Blob([manifest]))
    const { batch_id } = (await (await server.send('POST', '/api/v1/batches', form)).json()) as Manifest
    await untilDone(batch_id, Math.max(1, SONGS / 4))
    await server.end('SIGKILL')
    server = await spawnServer(dataDir())
    await untilDone(batch_id, SONGS / 3)
    const start = { live: await server.liveBytes(), handles: openHandles() }
    const single = await server.newJob({ file: new Blob([new Uint8Array(wavSong({ seconds: 1 }))]) })
    const { created_at, started_at = '' } = await server.until(single.job_id)
    const { songs, ended_at = '', created_at: begun } = await untilDone(batch_id, SONGS + 1)
    expect(songs).toMatchObject({ done: SONGS, total: SONGS })
    const { jobs } = await server.get<{ jobs: Job[] }>('/api/v1/jobs?limit=100&sort=newest')
    const between = jobs.filter(
      (job) => job.batch_id && (job.started_at ?? '') > created_at && (job.started_at ?? '') < started_at,
    )
    // Each engine process may just have taken one.
    expect(between.length).toBeLessThanOrEqual(2)
    expect(await credits()).toBe(before - SONGS - 1)
    expect(endedOnce()).toBe(true)
    await expect.poll(() => childrenOf(server.pid)).toEqual([])
    const end = { live: await server.liveBytes(), handles: openHandles() }
    const minutes = (Date.parse(ended_at) - Date.parse(begun)) / 60_000
    console.log(
      `${SONGS} songs in ${minutes.toFixed(1)} min, memory in use ${start.live} → ${end.live} bytes, handles ${start.handles} → ${end.handles}, ${between.length} songs between a single one and its start`,
    )
    expect(end.live - start.live).toBeLessThan(MAX_LIVE_GROWTH_BYTES)
    expect(end.handles).toBeLessThanOrEqual(start.handles + 2)
    const delivered = readdirSync(path.join(folder, 'out'))
    expect(delivered).toHaveLength(SONGS)
    for (const name of delivered)
      expect(readdirSync(path.join(folder, 'out', name))).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/_spotify\.wav$/),
          expect.stringMatching(/report\.json$/),
          expect.stringMatching(/report\.html$/),
        ]),
      )
    await expect.poll(() => readdirSync(path.join(dataDir(), 'jobs'))).toEqual([single.job_id])
  })

  test.runIf(process.env.BATCH_SONGS)(
    'the same by the command line (in npm run campaign), which goes on in a service of its own, and is the same batch when it is called again',
    async () => {
      const before = await credits()
      const startedAt = new Date().toISOString()
      const call = () =>
        promisify(execFile)(process.execPath, [
          ...[CLI, 'batch', path.join(folder, 'in'), '--platforms', 'melon', '--out', path.join(folder, 'cli')],
          ...['--json', '--data-dir', dataDir()],
        ])
      const first = call()
      const listed = async () => (await server.get<{ batches: Manifest[] }>('/api/v1/batches')).batches
      const mine = (batches: readonly Manifest[]) => batches.find(({ created_at }) => created_at > startedAt)
      while (!mine(await listed())) await new Promise((resolve) => setTimeout(resolve, 50))
      const made = mine(await listed())
      await untilDone(made?.batch_id ?? '', 1)
      await server.end('SIGKILL')
      // The command starts a service of its own.
      expect(JSON.parse((await first).stdout).batch).toMatchObject({ status: 'ended', songs: { done: SONGS } })
      server = await spawnServer(dataDir())
      const { batch, table } = JSON.parse((await call()).stdout)
      expect(batch).toMatchObject({ batch_id: made?.batch_id, status: 'ended', songs: { done: SONGS, total: SONGS } })
      expect(readFileSync(table, 'utf8').trim().split('\r\n')).toHaveLength(SONGS + 1)
      expect(await credits()).toBe(before - SONGS)
      expect(endedOnce()).toBe(true)
    },
  )
})
