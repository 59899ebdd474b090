/** Several references, and targets without their audio, in requests. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Report } from '../../../src-contract/report.ts'
import { type Service, startService } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { songLike, writeFloatWav } from '../../worker/media/make-audio.ts'

const folder = temporaryFolder()
const asFile = (name: string, channels: Float32Array[]) =>
  new File([readFileSync(writeFloatWav(path.join(folder, name), channels, 44_100))], name)
const shaped = (highs: number) =>
  songLike(5, 44_100, 0.2).map((samples) =>
    samples.map((sample, i) => sample + highs * (sample - (samples[i - 1] ?? 0))),
  )

const song = asFile('song.wav', songLike(3, 44_100, 0.3))
const bright = asFile('bright.wav', shaped(1.5))
const dark = asFile('dark.wav', shaped(-0.45))

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const sumsOf = async (id: string) =>
  ((await service.get(`/api/v1/jobs/${id}/report`)).body as Report).masters.map(({ result }) => result.sha256)
async function mastered(fields: Record<string, string | File>) {
  const { job_id } = await service.newJob({ file: song, platforms: 'spotify', ...fields })
  const job = await service.ended(job_id)
  expect(job.status).toBe('done')
  return { job, sums: await sumsOf(job_id) }
}
async function targetOf(file: File) {
  const form = new FormData()
  form.append('file', file)
  form.append('target', 'true')
  const { status, body } = await service.call('POST', '/api/v1/analyze', { body: form })
  expect([status, body.target.name]).toEqual([200, file.name])
  return body.target
}

test('reference files and their saved targets have one effect, and a retry keeps it', async () => {
  const files = await mastered({ reference_file: bright, reference_file_2: dark, reference_weights: '2,1' })
  expect(files.job.reference_filename).toBe('bright.wav')
  expect(files.job.saved_targets).toEqual([{ name: 'dark.wav', weight: 0.5 }])
  const [one, other] = [await targetOf(bright), await targetOf(dark)]
  const saved = await mastered({ targets: JSON.stringify([{ ...one, weight: 2 }, other]) })
  expect(saved.sums).toEqual(files.sums)
  const single = await mastered({ reference_file: bright })
  const uneven = await mastered({ reference_file: bright, reference_file_2: dark, reference_weights: '100,0.01' })
  expect(uneven.job.saved_targets).toEqual([{ name: 'dark.wav', weight: 0.0001 }])
  expect(single.sums).not.toEqual(files.sums)
  const again = await service.post(`/api/v1/jobs/${saved.job.job_id}/retry`, {})
  await service.ended(again.body.job_id)
  expect(await sumsOf(again.body.job_id)).toEqual(files.sums)
  const without = await service.post(`/api/v1/jobs/${files.job.job_id}/retry`, { targets: null })
  await service.ended(without.body.job_id)
  expect(await sumsOf(without.body.job_id)).toEqual(single.sums)

  const loud = { reference_loudness: true }
  const bare = await service.post(`/api/v1/jobs/${saved.job.job_id}/retry`, { targets: null, ...loud })
  expect([bare.body.error.code, bare.body.error.param]).toEqual(['INVALID_REQUEST', 'reference_loudness'])
  const crowded = await service.post(`/api/v1/jobs/${single.job.job_id}/retry`, { targets: Array(4).fill(FLAT) })
  expect([crowded.body.error.code, crowded.body.error.param]).toEqual(['INVALID_REQUEST', 'targets'])
  const line = JSON.stringify({ job_id: saved.job.job_id, platforms: ['spotify'], ...loud })
  const headers = { 'content-type': 'application/x-ndjson' }
  const batch = await service.call('POST', '/api/v1/batches', { body: line, headers })
  expect([batch.status, batch.body.error.param]).toEqual([400, 'line 1: reference_loudness'])
  // A recipe holds its targets: it replaces the wish for the loudness of a reference.
  const recipe = { version: 2, stages: [] }
  const lines = [
    { platforms: ['spotify'], ...loud },
    { job_id: saved.job.job_id, recipe },
  ]
  const body = lines.map((one) => JSON.stringify(one)).join('\n')
  expect((await service.call('POST', '/api/v1/batches', { body, headers })).body.error).toBeUndefined()
})

const levels = (count: number) => ({ mid_db: Array(count).fill(-30), side_db: Array(count).fill(-40) })
const FLAT = {
  ...{ sample_rate_hz: 44_100, frames: 441_000, integrated_lufs: -14, side_to_mid_db: -10, is_mono: false },
  ...{ dead_channel: null, is_lossy: false, bandwidth_hz: null, side_bandwidth_hz: null },
  ...{ spectrum: levels(30), fine_spectrum: levels(59) },
}
beforeAll(async () => {
  const body = JSON.stringify({ settings: { targets: Array(4).fill(FLAT) } })
  const headers = { 'content-type': 'application/json' }
  expect((await service.call('PUT', '/api/v1/presets/four%20targets', { body, headers })).status).toBe(200)
})

const SHORT = asFile('short.wav', songLike(3, 44_100, 0.2))
test.each([
  ['targets', { targets: 'no JSON' }],
  ['targets[0].frames', { targets: '[{"sample_rate_hz":44100}]' }],
  ['reference_weights', { reference_file: bright, reference_weights: '1,2' }],
  ['reference_weights', { reference_file: bright, reference_weights: '0' }],
  ['reference_weights', { reference_weights: '1' }],
  ['reference_weights', { reference_file: bright, reference_weights: '0x10' }],
  ['reference_file_2', { reference_file: bright, reference_file_2: 'dark.wav' }],
  ['cover_file', { cover_file: 'cover.jpg' }],
  ['preset', { reference_file: bright, preset: 'four targets' }],
  ['reference_file_3', { reference_file: bright, reference_file_3: SHORT }],
  ['reference_loudness', { reference_loudness: 'true' }],
  ['reference_loudness', { reference_loudness: 'true', targets: '[]' }],
  ['targets', { targets: '[]', recipe: '{"version":2,"stages":[]}' }],
  ['reference_file_2', { reference_file_2: dark, recipe: '{"version":2,"stages":[]}' }],
])('what cannot be followed is refused with its name: %s', async (param, fields) => {
  const { status, body } = await service.master({ file: song, platforms: 'spotify', ...fields })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', param])
})
