/** Presets for programs: saved, listed, applied and deleted, with recipes and saved targets in them. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fillPath } from '../../../src-contract/endpoint.ts'
import { presetEndpoints } from '../../../src-contract/presets.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'

const engine = createHeldEngine({ isAutomatic: true })
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
})
afterAll(() => service.stop())

const put = (name: string, settings: object) =>
  service.call('PUT', fillPath(presetEndpoints.savePreset.path, { name }), {
    body: JSON.stringify({ settings }),
    headers: { 'content-type': 'application/json' },
  })
const list = async () => (await service.get('/api/v1/presets')).body.presets
const orderOf = () => engine.processes.at(-1)!.order!.settings

const recipe = {
  version: 2,
  stages: [{ kind: 'equalise', sections: [{ shape: 'peak', frequency_hz: 200, gain_db: -2, q: 1 }] }],
}

test('a preset is saved, listed with the page, exported, imported and deleted', async () => {
  const { status, body } = await put(' Night EP ', { style: 'warm', genre: 'ballad', air_db: -1 })
  expect([status, body.name, body.settings.warmth, body.settings.air_db]).toEqual([200, 'Night EP', 45, -1])
  expect((await service.get('/app/desk')).body.presets).toMatchObject([{ name: 'Night EP' }])
  expect(await list()).toEqual([body])
  // Settings that one service returns are accepted by another.
  const copy = await put('Copy', body.settings)
  expect(copy.body.settings).toEqual(body.settings)
  expect((await put('Night EP', { genre: 'pop' })).body.settings).toMatchObject({ genre: 'pop', warmth: 0 })
  expect((await list()).map(({ name }: { name: string }) => name)).toEqual(['Night EP', 'Copy'])
  expect((await service.call('DELETE', '/api/v1/presets/Copy')).status).toBe(204)
  const { error } = (await service.call('DELETE', '/api/v1/presets/Copy')).body
  const sentence = 'No preset has this name. GET /api/v1/presets lists all presets.'
  expect([error.code, error.message]).toEqual(['NOT_FOUND', sentence])
})

test.each(['.', '..', '.../..', '100%2e', '\\'])('a preset named %s can be saved and deleted', async (name) => {
  expect((await put(name, {})).body.name).toBe(name)
  expect((await service.call('DELETE', fillPath(presetEndpoints.deletePreset.path, { name }))).status).toBe(204)
})

test('a job starts from a preset, and what it names counts instead', async () => {
  await put('Air', { air_db: 3, punch: 20, genre: 'edm' })
  const { job_id } = await service.newJob({ platforms: 'melon', preset: 'Air', punch: '0', title: 'One' })
  expect(await service.ended(job_id)).toMatchObject({ air_db: 3, punch: 0, genre: 'edm', platforms: ['melon'] })
  await put('Cut', { recipe })
  const followed = await service.newJob({ preset: 'Cut', title: 'Two' })
  expect(await service.ended(followed.job_id)).toMatchObject({ has_recipe: true, air_db: 0 })
  expect(orderOf().recipe).toEqual(recipe)
})

test.each([
  ['preset', { preset: 'None' }],
  ['air_db', { preset: 'Cut', air_db: '1' }],
])('what a preset cannot do is refused by name: %s', async (param, fields) => {
  await put('Cut', { recipe })
  const { status, body } = await service.master(fields)
  expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', param])
})

test.each([
  ['settings.tilt_db', { tilt_db: 9 }],
  ['settings.style', { style: 'warm', recipe }],
  ['settings.recipe.stages[0].kind', { recipe: { version: 2, stages: [{ kind: 'reverb' }] } }],
])('a preset that no job could have is refused with its place: %s', async (param, settings) => {
  const { status, body } = await put('Bad', settings)
  expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', param])
  expect((await list()).some(({ name }: { name: string }) => name === 'Bad')).toBe(false)
})
