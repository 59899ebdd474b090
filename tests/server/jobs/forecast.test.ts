/** The forecast of playback in the answers of the service. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SERVICES } from '../../../src-contract/playback-forecast.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'

const engine = createHeldEngine({ isAutomatic: true })
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
})
afterAll(() => service.stop())

test('a job tells what every service does to the master that goes there; a list of jobs does not', async () => {
  const { job_id: id } = await service.newJob({ platforms: 'melon,spotify' })
  await service.ended(id)
  const { forecast } = (await service.get(`/api/v1/jobs/${id}`)).body
  expect([...new Set(forecast.map((one: { service: string }) => one.service))]).toEqual([...SERVICES])
  // Its masters have −14 LUFS.
  expect(forecast[0]).toMatchObject({ service: 'spotify', file: 'spotify', action: 'leave', gain_db: 0 })
  expect(forecast.at(-1)).toMatchObject({ service: 'flo_bugs', action: 'unknown' })
  const { jobs } = (await service.get('/api/v1/jobs')).body
  expect(jobs[0]).not.toHaveProperty('forecast')
})

test('the analysis of a song tells what they would do to it as it is', async () => {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(wavSong())]))
  const { body } = await service.call('POST', '/api/v1/analyze', { body: form })
  const { integrated_lufs: loudness } = body.measurement
  expect(loudness).toBe(-20)
  const tidal = body.forecast.find((one: { service: string }) => one.service === 'tidal')
  expect(tidal).toMatchObject({ action: 'leave', gain_db: 0, reference_lufs: -14 })
  expect(body.forecast[1]).toMatchObject({ service: 'spotify', mode: 'loud', gain_db: 9, action: 'turn_up' })
  expect(tidal).not.toHaveProperty('file')
})
