/** Auditions on a real socket, played by a real engine process. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Source } from '../../../src-contract/app.ts'
import { DEFAULT_SETTINGS } from '../../../src-contract/settings.ts'
import type { StemMix } from '../../../src-contract/stem-settings.ts'
import type { ForkEngine } from '../../../src-server/jobs/worker-pool.ts'
import { probeAudio } from '../../../src-server/uploads/probe.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import { analysisKey, packAnalysis, readKeptAnalysis } from '../../../src-worker/mastering/kept-analysis.ts'
import { listEncoders } from '../../../src-worker/media/ffmpeg.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import {
  type AuditionService,
  drawnOf,
  pcmOf,
  startAuditionService,
  writeSong,
} from '../../support/audition-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { warmEngine } from '../../support/warm-engine.ts'
import { ffmpeg } from '../../worker/media/make-audio.ts'

const folder = temporaryFolder()
const IDLE_MS = 60_000
const FRAME_BYTES = 6
const HEAD_BYTES = 44

/** Timers of the process's idleness; they run when a test says so. */
const idle: (() => void)[] = []
const clock = {
  ...systemClock,
  after(ms: number, run: () => void) {
    if (ms !== IDLE_MS) return systemClock.after(ms, run)
    idle.push(run)
    return () => idle.splice(idle.indexOf(run), 1)
  },
}

/** True where the process is killed as soon as it is asked anything. */
let diesAtNextCall = false
/** Processes of auditions that run. */
let processes = 0
const fork = warmEngine(createLog('silent', systemClock, () => {}))
const forkEngine: ForkEngine = (listeners, options) => {
  if (!options?.isListenedTo) return fork(listeners, options)
  processes += 1
  const onExit: typeof listeners.onExit = (...end) => {
    processes -= 1
    listeners.onExit(...end)
  }
  const engine = fork({ ...listeners, onExit }, options)
  return {
    send(command) {
      engine.send(command)
      if (command.type !== 'audition' || !diesAtNextCall) return
      diesAtNextCall = false
      engine.kill()
    },
    kill: () => engine.kill(),
  }
}

let service: AuditionService
let song: Source
beforeAll(async () => {
  service = await startAuditionService({ clock, forkEngine })
  song = await service.addSong(writeSong(folder))
})
afterAll(() => service.stop())

const exactOf = async (id: string) => (await service.bytes(`/app/auditions/${id}/exact.wav`)).bytes
const isExact = ({ state }: { state: string }) => state !== 'estimated'

describe('an audition', () => {
  it.each([
    ['at the level of the platform', {}, {}],
    [
      'at the level of the genre',
      { genre: 'edm', loudness: 'competitive', intensity: 90 } as const,
      { genre: 'edm', loudness: 'competitive', intensity: '90' },
    ],
  ])('%s is an estimate first, then the samples of the file that a job writes', async (_, settings, fields) => {
    const { status, body } = await service.hear(song.source_id, settings)
    expect([status, body.error]).toEqual([200, undefined])
    const exact = await service.until(body.audition_id, isExact)
    expect(exact).toMatchObject({ state: 'exact', proof: 'none' })
    const job = await service.masterStored(song.source_id, fields)
    expect(pcmOf(await exactOf(body.audition_id)).equals(job.pcm)).toBe(true)
    const drawn = drawnOf(job.report)
    expect(await service.picture(body.audition_id)).toEqual({ audition_id: body.audition_id, state: 'exact', ...drawn })
    expect(drawn.master.curves.gain_reduction_db).toHaveLength(40)
    expect(Math.abs(body.loudness_lufs - exact.loudness_lufs)).toBeLessThan(0.5)
  })

  it('of a song at another rate is at the rate of the job’s file', async () => {
    const other = await service.addSong(writeSong(folder, 3, 48_000))
    const { body } = await service.hear(other.source_id)
    expect(body.sample_rate_hz).toBe(48_000)
    const exact = await service.until(body.audition_id, isExact)
    expect(exact).toMatchObject({ sample_rate_hz: 48_000, bit_depth: 24 })
    expect(pcmOf(await exactOf(body.audition_id)).equals(await service.mastered(other.source_id))).toBe(true)
  })

  it('follows a reference as the job does', async () => {
    const reference = await service.addSong(writeSong(folder, 6), 'reference')
    const settings = { reference_source_id: reference.source_id }
    const { body } = await service.hear(song.source_id, settings)
    const { source, reference: compared, ...early } = await service.picture(body.audition_id)
    expect('master' in early).toBe(early.state === 'exact')
    const exact = await service.until(body.audition_id, isExact)
    expect(exact.state).toBe('exact')
    const plain = (await service.hear(song.source_id)).body
    expect(body.audition_id).not.toBe(plain.audition_id)
    const job = await service.masterStored(song.source_id, settings)
    expect(pcmOf(await exactOf(body.audition_id)).equals(job.pcm)).toBe(true)
    expect(drawnOf(job.report)).toMatchObject({ source, reference: compared })
  })

  it('aims at the loudness of its reference, within its limit, as the job does', async () => {
    const reference = await service.addSong(writeSong(folder, 6), 'reference')
    const settings = { reference_source_id: reference.source_id, reference_loudness: true, reference_clamp_db: 2 }
    const { body } = await service.hear(song.source_id, settings)
    const exact = await service.until(body.audition_id, isExact)
    const job = await service.masterStored(song.source_id, {
      ...{ reference_source_id: reference.source_id, reference_loudness: 'true', reference_clamp_db: '2' },
    })
    expect(pcmOf(await exactOf(body.audition_id)).equals(job.pcm)).toBe(true)
    const { target_lufs } = job.report.masters[0]!.result
    expect(target_lufs).toBeCloseTo(job.report.reference!.measurement.integrated_lufs!, 1)
    expect(exact.target_lufs).toBe(target_lufs)
    const { price = [] } = await service.until(body.audition_id, ({ price }) => price !== undefined)
    expect(price.map((one) => one.target_lufs)).toContain(target_lufs)
  })

  it('of stems is that of their mix, as the job masters it', async () => {
    const form = new FormData()
    for (const [name, value] of Object.entries({ kind: 'stems', add_to_batch: 'true' })) form.append(name, value)
    for (const [name, seconds] of [
      ['Song (Vocals).wav', 4],
      ['Song (Bass).wav', 3],
    ] as const)
      form.append('stems', new Blob([new Uint8Array(readFileSync(writeSong(folder, seconds)))]), name)
    const set = (await service.call('POST', '/api/v1/sources', { body: form })).body
    const stem_mix: StemMix = {
      voice_forward_db: 2,
      stems: [
        { stem: 1, gain_db: -3 },
        { stem: 2, pan_percent: -40, tilt_db: 1, repairs: ['mud'] },
      ],
    }
    const plain = (await service.hear(set.source_id)).body
    const { body } = await service.hear(set.source_id, { stem_mix })
    expect(body.audition_id).not.toBe(plain.audition_id)
    await service.until(body.audition_id, isExact)
    const job = await service.masterStored(set.source_id, { stems: JSON.stringify(stem_mix) })
    expect(pcmOf(await exactOf(body.audition_id)).equals(job.pcm)).toBe(true)
    expect(pcmOf(await exactOf(body.audition_id)).equals(await service.mastered(set.source_id))).toBe(false)

    // The batch hands the song over with its mix.
    const settings = { ...DEFAULT_SETTINGS, platforms: ['spotify' as const], stem_mix }
    const changed = await service.patch(`/app/desk/${set.source_id}`, { settings })
    expect(changed.body).toMatchObject({ stem_count: 2, settings: { stem_mix } })
    await service.post('/app/desk/start', { source_ids: [set.source_id] })
    const [jobId] = (await service.get('/app/desk')).body.songs.find(
      ({ source }: { source: Source }) => source.source_id === set.source_id,
    ).job_ids
    expect(await service.ended(jobId)).toMatchObject({ status: 'done', stem_mix, skip_repairs: ['mud'] })
    const { bytes } = await service.bytes(`/api/v1/jobs/${jobId}/files/spotify`)
    expect(pcmOf(bytes).equals(job.pcm)).toBe(true)
  })

  it('reads the analysis that is kept beside the song, as its job does; a damaged or outdated one is made again', async () => {
    const file = writeSong(folder, 3)
    const { source_id, sha256 } = await service.addSong(file)
    const plain = await service.mastered(source_id)
    const sources = path.join(service.dataDir, 'sources')
    const kept = path.join(sources, `${sha256}.analysis`)
    expect(existsSync(kept)).toBe(false)
    const form = new FormData()
    form.append('source_id', source_id)
    await service.call('POST', '/api/v1/analyze', { body: form })
    const bytes = readFileSync(kept)
    expect(readdirSync(sources).filter((name) => name.endsWith('.part'))).toEqual([])
    expect((await service.mastered(source_id)).equals(plain)).toBe(true)

    // That of the service.
    const program = await locateFfmpeg({ explicit: process.env.MASTER_FFMPEG_PATH })
    const probe = await probeAudio(file, { ffmpeg: program })
    if (!probe.ok) return expect.fail(probe.reason)
    const song = { sha256, facts: probe.facts }
    const key = await analysisKey(program, song)
    const found = await readKeptAnalysis(kept, key)
    for (const other of [
      analysisKey({ ...program, version: 'another' }, song),
      analysisKey(program, { ...song, trims: { trim_start_seconds: 0.5, trim_end_seconds: 0 } }),
      analysisKey(program, { ...song, sha256: '0'.repeat(64) }),
    ]) {
      expect(await readKeptAnalysis(kept, await other)).toBeUndefined()
    }
    writeFileSync(kept, packAnalysis(key, { ...found!, isSilent: true }))
    service.expectFault('a job failed')
    await expect(service.mastered(source_id)).rejects.toThrow(/silen/)
    expect((await service.hear(source_id)).body.error).toMatchObject({ values: { reason: 'silent' } })
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(kept, bytes)
    expect((await service.mastered(source_id)).equals(plain)).toBe(true)
  })

  it('asked for twice is the same, and costs neither a job nor a credit', async () => {
    const before = (await service.get('/api/v1/account')).body.credits
    const [one, two] = await Promise.all([service.hear(song.source_id), service.hear(song.source_id)])
    expect(one.body.audition_id).toBe(two.body.audition_id)
    expect((await service.get('/api/v1/account')).body.credits).toBe(before)
  })

  it('tells what four targets cost, rising, that which was chosen among them', async () => {
    const { body } = await service.hear(song.source_id, { genre: 'pop' })
    const { price = [] } = await service.until(body.audition_id, ({ price }) => price !== undefined)
    expect(price.map(({ target_lufs }) => target_lufs)).toEqual([-14, -10.5, -9.5, -9])
    const costs = price.map(({ mean_gain_reduction_db }) => mean_gain_reduction_db)
    expect(costs).toEqual(costs.toSorted((a, b) => a - b))
    for (const { plr_db, peak_loss_db, integrated_lufs } of price) {
      expect(peak_loss_db).toBeGreaterThanOrEqual(0)
      expect(plr_db + integrated_lufs).toBeLessThanOrEqual(-1)
    }
  })

  it('that a newer one interrupts is rendered afterwards, once it is read', async () => {
    const first = (await service.hear(song.source_id, { intensity: 31 })).body
    const second = (await service.hear(song.source_id, { intensity: 32 })).body
    expect((await service.until(second.audition_id, isExact)).state).toBe('exact')
    expect((await service.until(first.audition_id, isExact)).state).toBe('exact')
  })

  it('of an unknown song is refused, and an unknown one is not found', async () => {
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect((await service.hear(unknown)).body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'source_id' })
    const settings = { reference_source_id: unknown }
    const { error } = (await service.hear(song.source_id, settings)).body
    expect(error.param).toBe('settings.reference_source_id')
    for (const at of ['0123', '0123/picture'])
      expect((await service.get(`/app/auditions/${at}`)).body.error.code).toBe('NOT_FOUND')
  })
})

describe('an estimate', () => {
  it('is a WAV with ranges, a tag and a head of its own, and no sample changes that was heard', async () => {
    const { body } = await service.hear(song.source_id, { genre: 'kpop', intensity: 80 })
    const at = `/app/auditions/${body.audition_id}/estimate.wav`
    const frames = 4 * 44_100
    const head = await service.bytes(at, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(HEAD_BYTES + frames * FRAME_BYTES)])
    const start = HEAD_BYTES + 60_001 * FRAME_BYTES + 1
    const part = await service.bytes(at, { range: `bytes=${start}-${start + 9999}` })
    expect([part.status, part.bytes.length]).toEqual([206, 10_000])
    const whole = await service.bytes(at)
    expect([whole.status, whole.bytes.length]).toEqual([200, HEAD_BYTES + frames * FRAME_BYTES])
    expect(whole.bytes.subarray(start, start + 10_000).equals(part.bytes)).toBe(true)
    const tag = whole.headers.get('etag') ?? ''
    expect((await service.bytes(at, { 'if-none-match': tag })).status).toBe(304)
    expect((await service.bytes(at, { 'if-match': '"another"' })).status).toBe(412)
    expect((await service.bytes(at, { range: 'bytes=99999999-' })).status).toBe(416)
    const exact = await service.until(body.audition_id, isExact)
    expect(exact.state).toBe('exact')
    const master = await service.bytes(`/app/auditions/${body.audition_id}/exact.wav`)
    expect(master.bytes.subarray(0, HEAD_BYTES).equals(whole.bytes.subarray(0, HEAD_BYTES))).toBe(true)
    const later = await service.bytes(at, { range: `bytes=${start}-${start + 9999}` })
    expect(later.bytes.equals(part.bytes)).toBe(true)
  })
})

describe.runIf((await listEncoders(ffmpeg)).has('aac'))('a premium audition (only with an AAC encoder)', () => {
  it('is exact before its proof, and afterwards the file of a premium job', async () => {
    const { body } = await service.hear(song.source_id, { tier: 'premium', genre: 'pop' })
    expect(body).toMatchObject({ proof: 'open', bit_depth: 24 })
    await service.until(body.audition_id, isExact)
    const asked = await service.call('POST', `/app/auditions/${body.audition_id}/proof`)
    expect([asked.status, asked.body.proof]).toEqual([202, 'running'])
    await service.until(body.audition_id, ({ proof }) => proof === 'done')
    const job = await service.masterStored(song.source_id, { tier: 'premium', genre: 'pop' })
    expect(pcmOf(await exactOf(body.audition_id)).equals(job.pcm)).toBe(true)
    expect(await service.picture(body.audition_id)).toMatchObject(drawnOf(job.report))
  })
})

describe('the process', () => {
  it('ends when it is idle, what it rendered is still there, and it starts again', async () => {
    const { body } = await service.hear(song.source_id)
    await service.until(body.audition_id, ({ price }) => price !== undefined)
    expect(processes).toBe(1)
    await expect.poll(() => idle.length).toBe(1)
    for (const run of idle.splice(0)) run()
    await expect.poll(() => processes).toBe(0)
    expect(await service.picture(body.audition_id)).toMatchObject({ source: {}, master: {} })
    expect(processes).toBe(0)
    expect(pcmOf(await exactOf(body.audition_id))).toHaveLength(4 * 44_100 * FRAME_BYTES)
    const estimate = await service.bytes(`/app/auditions/${body.audition_id}/estimate.wav`, { range: 'bytes=44-8235' })
    expect([estimate.status, estimate.bytes.length]).toEqual([206, 8192])
  })

  it('killed while it works is a sentence, and a fresh one with the next request', async () => {
    const other = await service.addSong(writeSong(folder, 5))
    diesAtNextCall = true
    const { status, body } = await service.hear(other.source_id)
    expect([status, body.error?.code]).toEqual([503, 'AUDITION_ENDED'])
    expect(body.error.message).toContain('no job, credit or file is affected')
    const again = (await service.hear(other.source_id)).body
    expect((await service.until(again.audition_id, isExact)).state).toBe('exact')
  })

  it('lets go of a song that is deleted under it', async () => {
    const gone = await service.addSong(writeSong(folder, 2))
    const { body } = await service.hear(gone.source_id)
    await service.until(body.audition_id, ({ price }) => price !== undefined)
    rmSync(path.join(service.dataDir, 'sources', gone.sha256))
    const { status, body: answer } = await service.get(`/app/auditions/${body.audition_id}`)
    expect([status, answer.error.param]).toEqual([400, 'source_id'])
    await expect.poll(() => processes).toBe(0)
    expect((await service.get(`/app/auditions/${body.audition_id}`)).status).toBe(404)
  })
})

it('a service that stops leaves neither a process nor a temporary file, and a later one does not know the audition', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'loudsmith-audition-'))
  const first = await startAuditionService({ dataDir, keepsData: true, forkEngine })
  const stored = await first.addSong(writeSong(folder))
  const { body } = await first.hear(stored.source_id)
  await first.until(body.audition_id, isExact)
  const before = processes
  await first.stop()
  await expect.poll(() => processes).toBe(before - 1)
  expect(readdirSync(path.join(dataDir, 'tmp'))).toEqual([])
  const second = await startAuditionService({ dataDir })
  expect((await second.get(`/app/auditions/${body.audition_id}`)).status).toBe(404)
  await second.stop()
})
