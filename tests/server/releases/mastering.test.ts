/** Releases that are mastered: their jobs, charges, rounds and ends, over a real socket and a real database. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Job } from '../../../src-contract/jobs.ts'
import type { ExportedFile } from '../../../src-contract/release-exports.ts'
import type { ReleasePlan } from '../../../src-contract/release-mastering.ts'
import type { Release, Track } from '../../../src-contract/releases.ts'
import { type Clock, systemClock } from '../../../src-system/system.ts'
import type { WorkOrder } from '../../../src-worker/mastering/work-order.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { in24Bits, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let engine: HeldEngine
let service: Service

async function start(): Promise<void> {
  engine = createHeldEngine({ isAutomatic: true, answersLooks: true })
  engine.hears = ({ song }) => LEVELS[Math.round(song.facts.durationSeconds)] ?? -20
  service = await startService({ cores: 2, forkEngine: engine.fork })
  stored.clear()
}

/** One service for all tests of a suite, which leave nothing running; each begins with an engine that has done nothing. */
function inOneService(): void {
  beforeAll(start)
  afterAll(() => service.stop())
  beforeEach(() => {
    engine.processes.length = 0
    for (const name of ['landsOff', 'verdictOf', 'masterBytes'] as const) delete engine[name]
  })
}

function inServicesOfTheirOwn(): void {
  beforeEach(start)
  afterEach(() => service.stop())
}

const AT = '/api/v1/releases'
const at = ({ release_id }: Release, rest = '') => `${AT}/${release_id}${rest}`
/** Loudness of the songs by their length, s. */
const LEVELS: Record<number, number> = { 3: -12, 4: -18, 5: -15, 6: -7, 7: -16, 8: -14 }

/** Songs that the service has, by their length and loudness. */
const stored = new Map<string, string>()

async function newSource(seconds: number): Promise<string> {
  const level = LEVELS[seconds] ?? 0
  const key = `${seconds} ${level}`
  const known = stored.get(key)
  if (known) return known
  const form = new FormData()
  // Songs of another loudness are other songs.
  const song = wavSong({ seconds, hertz: 220 - 10 * level })
  form.append('file', new Blob([new Uint8Array(song)]), `song ${seconds}.wav`)
  const { source_id } = (await service.call('POST', '/app/sources', { body: form })).body
  stored.set(key, source_id)
  return source_id
}

async function newRelease(lengths: readonly number[], more: object = {}): Promise<Release> {
  const tracks: object[] = []
  for (const seconds of lengths) tracks.push({ source_id: await newSource(seconds) })
  const settings = { platforms: ['spotify'] }
  const { body, status } = await service.post(AT, {
    ...{ title: 'Record', artist: 'Band', kind: 'album', settings, tracks },
    ...more,
  })
  expect(status).toBe(201)
  return body
}

const master = (release: Release, headers: Record<string, string> = {}) =>
  service.call('POST', at(release, '/master'), { headers })
const planOf = async (release: Release): Promise<ReleasePlan> => (await service.get(at(release, '/plan'))).body
const read = async (release: Release): Promise<Release> => (await service.get(at(release))).body
const credits = async (): Promise<number> => (await service.get('/api/v1/account')).body.credits
const works = () => engine.processes.flatMap(({ order }) => order ?? [])
const jobsOf = async (release: Release): Promise<Job[]> =>
  (await service.get(`/api/v1/jobs?batch_id=${release.release_id}&sort=oldest`)).body.jobs
const change = (release: Release, index: number, track: object) =>
  service.patch(at(release, `/tracks/${release.tracks[index]!.track_id}`), track)

/** Waits for an event of the service, which each look is. */
async function until<Value>(look: () => Promise<Value | false> | Value | false): Promise<Value> {
  for (;;) {
    const value = await look()
    if (value !== false) return value
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
}

const ended = (release: Release) =>
  until(async () => {
    const now = await read(release)
    return now.mastering.state !== 'mastering' && now
  })

/** Masters a release to its end. */
async function mastered(release: Release): Promise<Release> {
  const { status, body } = await master(release)
  expect([status, body.mastering.state]).toEqual([202, 'mastering'])
  return ended(release)
}

const offsets = ({ tracks }: Release) => tracks.map(({ master: made }) => made?.offset_lu)
const relations = (offs: readonly (number | undefined)[]) => offs.map((off) => Number((off! - offs[0]!).toFixed(2)))

describe('mastering a release', () => {
  inServicesOfTheirOwn()

  test('makes a job of each track with the settings of the release under those of the track', async () => {
    const release = await newRelease([3, 4], {
      kind: 'single',
      settings: { platforms: ['melon'], genre: 'pop', air_db: 1, bass_db: 1 },
    })
    await change(release, 1, { settings: { air_db: 2 }, title: 'Two', version: 'Live', artists: ['A', 'B'] })
    const before = await credits()
    const { mastering, tracks } = await mastered(release)
    expect([mastering.state, mastering.progress, before - (await credits())]).toEqual(['done', 100, 2])
    const jobs = await jobsOf(release)
    expect(jobs.map(({ job_id }) => job_id)).toEqual(tracks.map((track) => track.master?.job_id))
    const sound = { platforms: ['melon'], genre: 'pop', bass_db: 1, release_master: true }
    expect(jobs).toMatchObject([
      { ...sound, air_db: 1, title: 'song 3', artist: 'Band' },
      { ...sound, air_db: 2, title: 'Two (Live)', artist: 'A, B' },
    ])
    expect(works().map(({ masterTargets }) => masterTargets)).toEqual([undefined, undefined])
  })

  test('gives jobs the edges of their tracks, and the gap behind them where it is part of the file', async () => {
    const release = await newRelease([6, 7, 8], { loudness_mode: 'track' })
    const edges = { trim_start_seconds: 0.5, trim_end_seconds: 0.25, fade_out_seconds: 1, fade_out_shape: 'linear' }
    await change(release, 0, edges)
    await change(release, 1, { gap_before_seconds: 1.5, gap_in_file: true })
    await change(release, 2, { gap_before_seconds: 2 })
    await mastered(release)
    expect(works().map(({ settings }) => settings)).toMatchObject([
      { ...edges, pad_end_seconds: 1.5, pad_start_seconds: 0 },
      { trim_start_seconds: 0, fade_out_seconds: 0, pad_end_seconds: 0 },
      { pad_end_seconds: 0 },
    ])
    await change(release, 1, { gap_in_file: false })
    await mastered(release)
    expect(works().at(-1)!.settings).toMatchObject({ pad_end_seconds: 0, trim_start_seconds: 0.5 })
    expect((await jobsOf(release)).map(({ credits_used }) => credits_used)).toEqual([1, 1, 1, 0])
  })

  test('costs one credit for each song of a track, however often, and a replaced song one more', async () => {
    const release = await newRelease([3, 4])
    const start = await credits()
    await mastered(release)
    expect(start - (await credits())).toBe(2)
    expect((await mastered(release)).mastering.state).toBe('done')
    expect(works()).toHaveLength(2)
    await service.patch(at(release), { settings: { platforms: ['youtube'] } })
    await mastered(release)
    expect([works().length, start - (await credits())]).toEqual([4, 2])
    expect((await jobsOf(release)).map(({ credits_used }) => credits_used)).toEqual([1, 1, 0, 0])
    await change(release, 0, { isrc: 'KRA382400001' })
    const { body } = await change(release, 0, { source_id: await newSource(5) })
    expect(body.tracks[0]).toMatchObject({ isrc: 'KRA382400001', title: 'song 3' })
    expect(body.tracks[0]).not.toHaveProperty('master')
    const { credits_needed } = (await service.get(at(release, '/plan'))).body
    await mastered(release)
    expect([credits_needed, start - (await credits())]).toEqual([1, 3])
  })

  test('begins nothing where the credits are too few, and says how many it needs', async () => {
    await service.patch('/app/account', { plan: 'free' })
    const release = await newRelease([3, 4, 5])
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', ?, 0)").run(2 - (await credits()))
    db.close()
    const { status, body } = await master(release)
    expect([status, body.error.code, body.error.values]).toEqual([402, 'INSUFFICIENT_CREDITS', { cost: 3, balance: 2 }])
    expect(body.error.message).toMatch(/release costs 3 credits/)
    expect([await credits(), (await read(release)).mastering.state, await jobsOf(release)]).toEqual([2, 'idle', []])
  })

  test('waits for the slots of the plan', async () => {
    await service.patch('/app/account', { plan: 'free' })
    await service.post('/app/account/credits', { amount: 10 })
    engine.isAutomatic = false
    const release = await newRelease([3, 4])
    await master(release)
    const first = await until(() => engine.processes.find(({ order }) => order) ?? false)
    expect((await read(release)).tracks.map(({ master: made }) => made?.state)).toEqual(['queued', 'waiting'])
    first.finish()
    await until(() => works().length === 2)
    engine.processes.at(-1)!.finish()
    expect((await ended(release)).mastering.state).toBe('done')
  })

  test('is asked for once with an Idempotency-Key, and is busy for anybody else', async () => {
    engine.isAutomatic = false
    const release = await newRelease([3])
    const first = await master(release, { 'idempotency-key': 'one' })
    const again = await master(release, { 'idempotency-key': 'one' })
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([202, first.body, 'true'])
    expect((await master(release, { 'idempotency-key': 'two' })).body.error.code).toBe('RELEASE_BUSY')
    expect((await master(release)).body.error.code).toBe('RELEASE_BUSY')
  })

  test('needs a track, and a song in each', async () => {
    const empty = await newRelease([])
    expect((await master(empty)).body.error).toMatchObject({ code: 'RELEASE_NOT_READY' })
    const { body } = await service.post(at(empty, '/tracks'), { tracks: [{ title: 'To come' }] })
    const refused = await master(body)
    expect(refused.body.error.message).toMatch(/Track 1 \(“To come”\) has no song/)
    expect((await service.get(at(empty, '/plan'))).body.error.code).toBe('RELEASE_NOT_READY')
  })

  test('takes the song of a job, also for a key', async () => {
    const credential = await service.newKey()
    const job = await service.newJob()
    await service.ended(job.job_id)
    const tracks = [{ job_id: job.job_id }]
    const { body } = await service.post(AT, { title: 'R', artist: 'B', kind: 'single', tracks }, { credential })
    expect((await service.call('POST', at(body, '/master'), { credential })).status).toBe(202)
    expect((await ended(body)).tracks[0]!.master).toMatchObject({ state: 'done' })
    expect((await jobsOf(body))[0]!.source_sha256).toBe((await service.job(job.job_id)).source_sha256)
  })

  test('puts nothing into the output folder', async () => {
    const folder = path.join(service.dataDir, '..', `masters-${path.basename(service.dataDir)}`)
    mkdirSync(folder)
    await service.patch('/app/settings', { output_folder: folder })
    await mastered(await newRelease([3]))
    // Deliveries are made in the order of the jobs.
    const { job_id } = await service.newJob({ title: 'After' })
    await until(async () => (await service.job(job_id)).output_folder ?? false)
    expect(readdirSync(folder)).toHaveLength(1)
    rmSync(folder, { recursive: true })
  })
})

describe('a release that is being mastered', () => {
  inServicesOfTheirOwn()

  /** Begins a release whose jobs wait for the test. */
  async function begun(lengths: readonly number[]): Promise<Release> {
    engine.isAutomatic = false
    const release = await newRelease(lengths)
    await master(release)
    await until(() => works().length > 0)
    return release
  }

  test('is cancelled: what runs stops and is refunded, and costs again when it is begun again', async () => {
    const start = await credits()
    const release = await begun([3, 4, 5])
    const { body } = await service.call('POST', at(release, '/master/cancel'))
    expect(body.mastering).toMatchObject({ state: 'failed', failure: { code: 'CANCELLED' } })
    expect(await credits()).toBe(start)
    expect((await jobsOf(release)).every(({ failure_code }) => failure_code === 'CANCELLED')).toBe(true)
    await until(() => engine.processes.every(({ isGone }) => isGone))
    engine.isAutomatic = true
    expect((await mastered(release)).mastering.state).toBe('done')
    expect(start - (await credits())).toBe(3)
  })

  test('ends as failed with the reason of its track, after the others', async () => {
    const start = await credits()
    const release = await begun([3, 4])
    service.expectFault('a job failed')
    engine.processes.find(({ order }) => order)!.fail('DIGITAL_SILENCE')
    await until(() => works().length === 2)
    engine.processes.at(-1)!.finish()
    const { mastering, tracks } = await ended(release)
    expect(mastering.failure).toMatchObject({ code: 'DIGITAL_SILENCE', track_id: tracks[0]!.track_id })
    expect(tracks.map(({ master: made }) => made?.state)).toEqual(['failed', 'done'])
    expect(start - (await credits())).toBe(1)
  })

  test('goes on without a job that is deleted under it, and makes it anew for free', async () => {
    const release = await begun([3, 4])
    const [job] = await jobsOf(release)
    engine.isAutomatic = true
    engine.processes.find(({ order }) => order)!.finish()
    const { tracks } = await ended(release)
    await service.call('DELETE', `/api/v1/jobs/${job!.job_id}`)
    expect((await read(release)).tracks[0]!.master).toMatchObject({ job_id: tracks[0]!.master!.job_id, state: 'gone' })
    const before = await credits()
    expect((await mastered(release)).tracks[0]!.master).toMatchObject({ state: 'done' })
    expect([await credits(), works().length]).toEqual([before, 3])
  })

  test('goes on after a restart', async () => {
    const release = await begun([3, 4])
    const { dataDir } = service
    await service.close()
    engine.isAutomatic = true
    service = await startService({ cores: 2, dataDir, forkEngine: engine.fork })
    expect((await ended(release)).mastering.state).toBe('done')
    expect((await jobsOf(release)).map(({ credits_used }) => credits_used)).toEqual([1, 1])
  })

  test('goes on after a restart while its songs are measured', async () => {
    engine.answersLooks = false
    engine.isAutomatic = false
    const release = await newRelease([3, 4])
    await master(release)
    await until(() => engine.processes.some(({ isAnalysis }) => isAnalysis))
    const { dataDir } = service
    await service.close()
    engine.isAutomatic = true
    service = await startService({ cores: 2, dataDir, forkEngine: engine.fork })
    expect((await ended(release)).mastering.state).toBe('done')
  })

  test('is stopped when it is deleted', async () => {
    const start = await credits()
    const release = await begun([3])
    expect((await service.call('DELETE', at(release))).status).toBe(204)
    expect([await credits(), (await jobsOf(release))[0]!.failure_code]).toEqual([start, 'CANCELLED'])
  })

  test('tells its followers', async () => {
    const release = await newRelease([3])
    const response = await fetch(`${service.baseUrl}/api/v1/events`, {
      headers: { authorization: `Bearer ${service.sessionCredential}` },
    })
    const reader = response.body!.getReader()
    await master(release)
    let told = ''
    while (!told.includes('"event":"release.changed"')) told += new TextDecoder().decode((await reader.read()).value)
    expect(told).toContain(`"release_id":"${release.release_id}"`)
    await reader.cancel()
  })
})

describe('a record', () => {
  inOneService()

  test('has the relations of its songs, and its loudness over all of them', async () => {
    const release = await newRelease([3, 4, 5])
    const { mastering, tracks } = await mastered(release)
    expect(relations(offsets({ ...release, tracks }))).toEqual([0, -6, -3])
    expect(mastering).toMatchObject({ state: 'done', round: 1, target_lufs: -14 })
    expect(mastering.record_lufs).toBeCloseTo(-14, 1)
    expect(mastering.largest_relation_error_lu).toBeLessThan(0.03)
    const targets = works().map(({ masterTargets }) => masterTargets)
    expect(targets.map((one) => one?.release)).toEqual(tracks.map(({ master: made }) => made?.target_lufs))
    expect(targets.map((one) => one!.spotify! - one!.release!)).toEqual([0, 0, 0])
  })

  test('holds them at the target of every platform', async () => {
    const release = await newRelease([3, 4], { settings: { platforms: ['apple_music'], target_lufs: null } })
    await mastered(release)
    const [loud, soft] = works().map(({ masterTargets }) => masterTargets!)
    expect(loud!.apple_music! - loud!.release!).toBeCloseTo(-2, 2)
    expect(soft!.apple_music! - loud!.apple_music!).toBeCloseTo(-6, 2)
  })

  test('meets the target that its owner sets', async () => {
    const release = await newRelease([3, 4], { settings: { platforms: ['spotify'], target_lufs: -11.25 } })
    expect((await mastered(release)).mastering).toMatchObject({ target_lufs: -11.25 })
    expect((await read(release)).mastering.record_lufs).toBeCloseTo(-11.25, 1)
  })

  test('has one level, whatever its settings say of single songs', async () => {
    const settings = { platforms: ['spotify'], release_level: 'song' }
    const release = await newRelease([3, 4], { settings })
    expect((await mastered(release)).mastering).toMatchObject({ target_lufs: -14 })
    expect(works().map((order) => order.settings.release_level)).toEqual(['fixed', 'fixed'])
    const single = await newRelease([3], { kind: 'single', settings })
    await mastered(single)
    expect(works().at(-1)?.settings.release_level).toBe('song')
  })

  test('has the tracks made again that landed beside their targets, and those alone', async () => {
    engine.landsOff = ({ title }) => (title === 'song 4' ? 0.12 : 0)
    const release = await newRelease([3, 4, 5])
    const { mastering } = await mastered(release)
    expect(mastering).toMatchObject({ state: 'done', round: 2 })
    expect(works().map(({ title }) => title)).toEqual(['song 3', 'song 4', 'song 5', 'song 4'])
    const [, first, , second] = works().map(({ masterTargets }) => masterTargets!.release!)
    expect(second! - first!).toBeCloseTo(-0.12, 1)
    expect(mastering.largest_relation_error_lu).toBeLessThanOrEqual(0.03)
    expect((await jobsOf(release)).map(({ credits_used }) => credits_used)).toEqual([1, 1, 1, 0])
  })

  test('is made at most three times', async () => {
    // Each landing misses by another figure than the one before.
    const errors = [0.1, -0.1, 0.2, -0.2]
    const jobs: string[] = []
    engine.landsOff = ({ title = '', jobId }) => {
      if (title !== 'song 4') return 0
      if (!jobs.includes(jobId)) jobs.push(jobId)
      return errors[jobs.indexOf(jobId)]!
    }
    const { mastering } = await mastered(await newRelease([3, 4]))
    expect([mastering.state, mastering.round, works().length <= 6]).toEqual(['done', 3, true])
  })

  test('comes down as a whole for a track that cannot be louder', async () => {
    engine.verdictOf = ({ title }: WorkOrder) => (title === 'song 4' ? 'below_target' : 'on_target')
    engine.landsOff = ({ title }) => (title === 'song 4' ? -1 : 0)
    const release = await newRelease([3, 4])
    const { mastering, tracks } = await mastered(release)
    expect(mastering.held_back).toEqual({ track_id: tracks[1]!.track_id, down_lu: expect.closeTo(1, 1) })
    expect(mastering.record_lufs).toBeCloseTo(-15, 1)
    expect(works().map(({ title }) => title)).toEqual(['song 3', 'song 4', 'song 3'])
  })

  test('of a single has every track on its own, and so has one whose owner says so', async () => {
    for (const more of [{ kind: 'single' }, { loudness_mode: 'track' }]) {
      const release = await newRelease([3, 4], more)
      expect(release.loudness_mode).toBe('track')
      const { mastering } = await mastered(release)
      expect(mastering).not.toHaveProperty('target_lufs')
    }
    expect(works().every(({ masterTargets }) => masterTargets === undefined)).toBe(true)
  })

  test('the export of a release takes the masters of its record', async () => {
    engine.masterBytes = Buffer.from(wavSong())
    const release = await newRelease([3, 4])
    const { tracks } = await mastered(release)
    const folder = path.join(service.dataDir, '..', `export-${path.basename(service.dataDir)}`)
    const { body } = await service.post(`/api/v1/releases/${release.release_id}/export`, { folder })
    const report = JSON.parse(readFileSync(path.join(body.folder, 'release-report.json'), 'utf8'))
    rmSync(folder, { recursive: true })
    expect(report.tracks.map(({ job_id }: { job_id: string }) => job_id)).toEqual(
      tracks.map((track) => track.master?.job_id),
    )
  })
})

describe('a record with songs of generators', () => {
  inOneService()
  // Loud parts at −10, −14 and −18 LUFS.
  const LENGTHS = [3, 4, 5]
  beforeEach(() => {
    Object.assign(LEVELS, { 3: -10, 4: -14, 5: -18 })
  })
  const suno = { settings: { platforms: ['spotify'], ai_service: 'suno' } } as const

  test('has their loud parts within 1.5 LU of the median, says so, and is undone by one switch', async () => {
    const release = await newRelease(LENGTHS, suno)
    const levelled = async () => (await planOf(release)).tracks.map(({ levelled_lu }) => levelled_lu)
    expect(release.level_generated).toBe(true)
    expect(await levelled()).toEqual([-2.5, undefined, 2.5])
    const { mastering, tracks } = await mastered(release)
    expect(relations(offsets({ ...release, tracks }))).toEqual([0, -1.5, -3])
    expect(mastering.record_lufs).toBeCloseTo(-14, 1)
    await service.patch(at(release), { level_generated: false })
    expect(await levelled()).toEqual([undefined, undefined, undefined])
    expect(relations(offsets(await mastered(release)))).toEqual([0, -4, -8])
  })

  test('leaves the level of a song that nothing calls generated', async () => {
    const release = await newRelease(LENGTHS, suno)
    const last = release.tracks[2]!
    await service.patch(`${at(release)}/tracks/${last.track_id}`, { settings: { ai_service: 'other' } })
    expect((await planOf(release)).tracks.map(({ levelled_lu }) => levelled_lu)).toEqual([-2.5, undefined, undefined])
    const human = await newRelease(LENGTHS)
    expect(relations(offsets(await mastered(human)))).toEqual([0, -4, -8])
  })
})

describe('coherence', () => {
  inOneService()
  // Five songs about as loud as each other, and one far louder.
  const LENGTHS = [3, 8, 5, 6, 7]
  beforeEach(() => {
    Object.assign(LEVELS, { 3: -14, 8: -14.3, 5: -14.6, 6: -7, 7: -13.8 })
  })

  test('moves the outlier toward the record, and the record meets its target', async () => {
    const release = await newRelease(LENGTHS, { coherence: true })
    const { mastering, tracks } = await mastered(release)
    expect(tracks.map(({ master: made }) => made?.corrections)).toEqual([
      ...[undefined, undefined, undefined],
      { offset_lu: -1.5 },
      undefined,
    ])
    expect(relations(offsets({ ...release, tracks }))).toEqual([0, -0.3, -0.6, 5.5, 0.2])
    expect(mastering.record_lufs).toBeCloseTo(-14, 1)
  })

  test('leaves the anchor, and every track that is no outlier, to the jobs of the record without it', async () => {
    const release = await newRelease(LENGTHS)
    const anchored = { anchor_track_id: release.tracks[0]!.track_id }
    expect((await service.patch(at(release), anchored)).body).toMatchObject(anchored)
    const plain = await mastered(release)
    await service.patch(at(release), { coherence: true })
    const coherent = await mastered(release)
    const jobs = ({ tracks }: Release) => tracks.map(({ master: made }) => made?.job_id)
    expect(jobs(coherent).map((jobId, i) => jobId === jobs(plain)[i])).toEqual([true, true, true, false, true])
    expect(relations(offsets(coherent))).toEqual([0, -0.3, -0.6, 5.5, 0.2])
    expect(coherent.mastering.record_lufs).toBeLessThan(-14.5)
  })

  test('corrects no anchor', async () => {
    const release = await newRelease(LENGTHS, { coherence: true })
    await service.patch(at(release), { anchor_track_id: release.tracks[3]!.track_id })
    const { tracks } = await mastered(release)
    expect(tracks.every(({ master: made }) => made?.corrections === undefined)).toBe(true)
  })
})

describe('tracks that go over into the next', () => {
  inOneService()
  const goesOver = { continuous_with_next: true }
  beforeEach(() => {
    Object.assign(LEVELS, { 3: -12, 4: -18, 5: -15 })
  })

  test('have a job each that knows the others, one target and one credit each', async () => {
    const release = await newRelease([3, 4, 5])
    await change(release, 0, { ...goesOver, fade_in_seconds: 0.5, trim_end_seconds: 0.25 })
    await change(release, 1, { fade_out_seconds: 0.75, trim_start_seconds: 0.125 })
    const before = await credits()
    const { mastering, tracks } = await mastered(release)
    expect([mastering.state, before - (await credits())]).toEqual(['done', 3])
    expect(mastering.record_lufs).toBeCloseTo(-14, 1)
    const [first, second, third] = works()
    expect(third!.joined).toBeUndefined()
    const told = (order: WorkOrder) =>
      ['before', 'after'].map((side) =>
        order.joined![side as 'before' | 'after'].map(({ path: file, sha256, filename, trims }) => {
          expect(createHash('sha256').update(readFileSync(file)).digest('hex')).toBe(sha256)
          return [filename, trims]
        }),
      )
    expect(told(first!)).toEqual([[], [['song 4.wav', { trim_start_seconds: 0.125, trim_end_seconds: 0 }]]])
    expect(told(second!)).toEqual([[['song 3.wav', { trim_start_seconds: 0, trim_end_seconds: 0.25 }]], []])
    expect(first!.joined!.edges).toMatchObject({ fade_in_seconds: 0.5, fade_out_seconds: 0.75, pad_end_seconds: 0 })
    expect(second!.joined!.edges).toEqual(first!.joined!.edges)
    expect(second!.masterTargets).toEqual(first!.masterTargets)
    expect(third!.masterTargets).not.toEqual(first!.masterTargets)
    // As one they are as loud as both songs laid end to end, −14.1 LUFS.
    expect(relations(offsets({ ...release, tracks }))).toEqual([0, 0, expect.closeTo(-15 + 14.1, 1)])

    const begun = works().length
    const { status } = await service.call('POST', `/api/v1/jobs/${tracks[1]!.master!.job_id}/retry`)
    expect(status).toBe(201)
    await until(() => works().length > begun)
    expect(told(works()[begun]!)).toEqual(told(second!))
    const cut = { trim_end_seconds: 1 }
    await service.post(`/api/v1/jobs/${tracks[1]!.master!.job_id}/retry`, cut)
    await until(() => works().length > begun + 1)
    expect([works().at(-1)!.settings, works().at(-1)!.joined]).toMatchObject([cut, undefined])
  })

  test('are made again together where one has landed beside its target', async () => {
    Object.assign(LEVELS, { 3: -14, 4: -14 })
    engine.landsOff = ({ source }) => (source.filename === 'song 4.wav' ? 0.4 : 0)
    const release = await newRelease([5, 3, 4])
    await change(release, 1, goesOver)
    const { mastering } = await mastered(release)
    expect([mastering.state, mastering.round]).toEqual(['done', 2])
    const made = works().map(({ source }) => source.filename)
    expect(made.slice(3).sort()).toEqual(['song 3.wav', 'song 4.wav'])
  })

  test('are one outlier, or one anchor', async () => {
    Object.assign(LEVELS, { 3: -14, 8: -14.3, 5: -14.6, 6: -7, 7: -7 })
    const release = await newRelease([3, 8, 5, 6, 7], { coherence: true })
    await change(release, 3, goesOver)
    const plan: ReleasePlan = (await service.get(at(release, '/plan'))).body
    expect(
      plan.tracks.map(({ corrections, continuous_with_next }) => [corrections?.offset_lu, continuous_with_next]),
    ).toEqual([
      [undefined, false],
      [undefined, false],
      [undefined, false],
      [-1.5, true],
      [-1.5, false],
    ])
    const { tracks } = await mastered(release)
    expect(tracks.map(({ master: made }) => made?.corrections?.offset_lu)).toEqual([
      ...[undefined, undefined, undefined],
      ...[-1.5, -1.5],
    ])
    await service.patch(at(release), { anchor_track_id: release.tracks[4]!.track_id })
    const anchored = await mastered(release)
    expect(anchored.tracks.every(({ master: made }) => made?.corrections === undefined)).toBe(true)
  })

  test.runIf(IS_CAMPAIGN)('are exported as one: what is converted is converted with the others', async () => {
    engine.masterBytes = in24Bits(wavSong({ seconds: 2, sampleRateHz: 44_100 }))
    const release = await newRelease([3, 4])
    const folder = temporaryFolder(onTestFinished)
    const soundsOf = async (): Promise<string[]> => {
      const request = { folder, formats: ['wav24', 'wav16_44'] }
      const { body } = await service.post(`/api/v1/releases/${release.release_id}/export`, request)
      return body.certificate.files.flatMap(({ sound }: ExportedFile) => sound?.samples_sha256 ?? [])
    }
    await mastered(release)
    const alone = await soundsOf()
    await change(release, 0, goesOver)
    await mastered(release)
    const joined = await soundsOf()
    // The masters are the same bytes; dithered as one they are not any more.
    expect([new Set(alone).size, new Set(joined).size]).toEqual([2, 3])
    expect(joined.slice(0, 3)).toEqual(alone.slice(0, 3))
  })

  test('are refused with the remedy where they cannot be one, and nothing is begun', async () => {
    const release = await newRelease([3, 4])
    await change(release, 0, goesOver)
    await change(release, 1, { gap_before_seconds: 2, title: 'Two' })
    const before = await credits()
    for (const answer of [await service.get(at(release, '/plan')), await master(release)]) {
      expect([answer.status, answer.body.error.code]).toEqual([409, 'TRACKS_NOT_CONTINUOUS'])
      expect(answer.body.error.message).toContain('Set the gap before the next track to 0 s')
    }
    expect([await credits(), works(), (await read(release)).mastering.state]).toEqual([before, [], 'idle'])
  })
})

describe('the plan of a release', () => {
  inOneService()
  test('says beforehand and for free what mastering does', async () => {
    const release = await newRelease([3, 4])
    const before = await credits()
    const plan = await planOf(release)
    expect(plan).toMatchObject({ loudness_mode: 'album', target_lufs: -14, planned_lufs: -14, credits_needed: 2 })
    expect([await credits(), await jobsOf(release), plan.credits_available]).toEqual([before, [], before])
    const { tracks } = await mastered(release)
    expect(plan.tracks.map(({ target_lufs }) => target_lufs)).toEqual(
      tracks.map((track: Track) => track.master?.target_lufs),
    )
    expect(plan.tracks.map(({ source_lufs }) => source_lufs)).toEqual([LEVELS[3], LEVELS[4]])
    expect((await planOf(release)).credits_needed).toBe(0)
  })

  test('measures every song once', async () => {
    Object.assign(LEVELS, { 3: -13, 4: -19 })
    const release = await newRelease([3, 4])
    await planOf(release)
    await planOf(release)
    await mastered(release)
    expect(engine.processes.filter(({ isAnalysis }) => isAnalysis)).toHaveLength(2)
  })

  test('names outliers and what would be corrected', async () => {
    Object.assign(LEVELS, { 3: -14, 8: -14.3, 5: -14.6, 6: -7, 7: -13.8 })
    const release = await newRelease([3, 8, 5, 6, 7], { coherence: true })
    const { tracks } = await planOf(release)
    expect(tracks[3]).toMatchObject({
      outliers: [{ kind: 'loudness', distance_db: expect.closeTo(7, 0), limit_db: expect.any(Number) }],
      corrections: { offset_lu: -1.5 },
    })
    expect(tracks.filter(({ outliers }) => outliers.length > 0)).toHaveLength(1)
    await service.patch(at(release), { coherence: false })
    expect((await planOf(release)).tracks.flatMap(({ outliers }) => outliers)).toEqual([])
  })

  test('says what it knows while songs are being measured, and the rest when it is asked again', async () => {
    await service.stop()
    stored.clear()
    // As if the time for which a plan is waited for were over at once.
    const sleep: Clock['sleep'] = (ms, signal) => (ms === 10_000 ? Promise.resolve() : systemClock.sleep(ms, signal))
    service = await startService({ cores: 2, forkEngine: engine.fork, clock: { ...systemClock, sleep } })
    Object.assign(engine, { isAutomatic: false, answersLooks: false })
    const release = await newRelease([3, 4])
    const { is_complete, planned_lufs, tracks } = await planOf(release)
    expect([is_complete, planned_lufs, tracks.map(({ is_measured }) => is_measured)]).toEqual([
      ...[false, undefined],
      [false, false],
    ])
    for (const count of [1, 2]) {
      await until(() => engine.processes.filter(({ isAnalysis }) => isAnalysis).length === count)
      engine.processes.at(-1)!.finish()
    }
    const plan = await until(async () => {
      const now = await planOf(release)
      return now.is_complete && now
    })
    expect(plan.planned_lufs).toBe(-14)
  })
})
