/** The field `recipe`: a report's recipe sent back to the service. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { WrittenRecipe } from '../../../src-contract/recipe-schemas.ts'
import type { Report } from '../../../src-contract/report.ts'
import { recipeId } from '../../../src-contract/settings.ts'
import { type Service, startService } from '../../support/service.ts'

let service: Service
let report: Report
let firstId: string
const sumsOf = (one: Report) => one.masters.map(({ result }) => result.sha256)
const reportOf = async (id: string) => (await service.get(`/api/v1/jobs/${id}/report`)).body as Report

beforeAll(async () => {
  service = await startService()
  const { job_id } = await service.newJob({ platforms: 'melon,spotify', genre: 'edm', warmth: '40', tilt_db: '1' })
  firstId = job_id
  await service.ended(job_id)
  report = await reportOf(job_id)
})
afterAll(() => service.stop())

const asFile = (text: string) => new File([text], 'report.json', { type: 'application/json' })
const fields = (recipe: string | File) =>
  ({ platforms: 'melon,spotify', genre: 'edm', recipe }) as Record<string, string>

test('goes back in as a field, as a file and in a retry, and gives the same masters', async () => {
  expect(report.recipe).toMatchObject({ version: 2, source: { sha256: report.source_sha256 } })
  // Longer than any other text field may be.
  const text = ' '.repeat(70_000) + JSON.stringify(report.recipe)
  // A whole report is taken for its recipe.
  for (const sent of [text, asFile(JSON.stringify(report))]) {
    const { job_id } = await service.newJob(fields(sent as string))
    const ended = await service.ended(job_id)
    const recipe_id = recipeId(report.recipe as WrittenRecipe)
    expect(ended).toMatchObject({ has_recipe: true, recipe_id, warmth: 0, tilt_db: 0 })
    expect(JSON.stringify(ended.warnings)).not.toContain('RECIPE')
    expect(sumsOf(await reportOf(job_id))).toEqual(sumsOf(report))
  }
  const retried = await service.post(`/api/v1/jobs/${firstId}/retry`, { recipe: report.recipe })
  await service.ended(retried.body.job_id)
  expect(sumsOf(await reportOf(retried.body.job_id))).toEqual(sumsOf(report))
  // A changed sound replaces the recipe.
  const again = await service.post(`/api/v1/jobs/${retried.body.job_id}/retry`, { warmth: 10 })
  const sounding = await service.ended(again.body.job_id)
  for (const name of ['has_recipe', 'recipe_id']) expect(sounding).not.toHaveProperty(name)
})

test.each([
  ['recipe', 'no JSON', {}],
  ['recipe.version', { version: 3, stages: [] }, {}],
  ['recipe.stages[0].kind', { version: 2, stages: [{ kind: 'reverb' }] }, {}],
  [
    'recipe.stages[0].sections[0].gain_db',
    { version: 2, stages: [{ kind: 'equalise', sections: [{ shape: 'peak', frequency_hz: 100, gain_db: 40, q: 1 }] }] },
    {},
  ],
  [
    'recipe.stages[0].sections[0].gain_db',
    { version: 2, stages: [{ kind: 'equalise', sections: [{ shape: 'notch', frequency_hz: 100, gain_db: 4, q: 1 }] }] },
    {},
  ],
  [
    'recipe.stages[0].crossovers_hz',
    { version: 2, stages: [{ kind: 'steer_width', crossovers_hz: [900, 200], side_gains: [1, 1, 1] }] },
    {},
  ],
  [
    'recipe.stages[0].side_gains',
    { version: 2, stages: [{ kind: 'steer_width', crossovers_hz: [200], side_gains: [1] }] },
    {},
  ],
  ['recipe.masters.tidal', { version: 2, stages: [], masters: { tidal: { target_lufs: -14, ceiling_dbtp: -1 } } }, {}],
  [
    'recipe.masters.spotify.ceiling_dbtp',
    { version: 2, stages: [], masters: { spotify: { target_lufs: -14, ceiling_dbtp: 1 } } },
    {},
  ],
  ['warmth', { version: 2, stages: [] }, { warmth: '0' }],
  ['style', { version: 2, stages: [] }, { style: 'warm' }],
  ['target_lufs', { version: 2, stages: [] }, { target_lufs: '-12' }],
  ['intensity', { version: 2, intensity: 50, stages: [] }, { intensity: '60' }],
])('is refused with the place at fault: %s', async (param, recipe, beside) => {
  const before = (await service.get('/api/v1/account')).body.credits
  const text = typeof recipe === 'string' ? recipe : JSON.stringify(recipe)
  const { status, body } = await service.master({ ...fields(text), ...beside })
  expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', param])
  expect((await service.get('/api/v1/account')).body.credits).toBe(before)
})
