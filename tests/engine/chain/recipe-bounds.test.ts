/** Every stage that the schema of a recipe admits can be carried out, at every rate that the engine works at. */
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { WrittenRecipe } from '../../../src-contract/recipe-schemas.ts'
import { recipeFault } from '../../../src-contract/sent-recipe.ts'
import { createProcessor } from '../../../src-engine/chain.ts'
import { stageOfKind } from '../../../src-engine/stages/index.ts'
import { stagesOf } from '../../../src-worker/mastering/report-recipe.ts'
import { oddRecipes, STAGE_KINDS } from '../../support/odd-recipes.ts'
import { noise } from '../../support/sounds.ts'

const make = oddRecipes(Number(process.env.RECIPE_SEED ?? 20_270))

/** A small part of a campaign; `npm run campaign` sets the whole number. */
const ROUNDS = Number(process.env.RECIPE_ROUNDS ?? 300)

const RATES_HZ = [44_100, 48_000, 88_200, 96_000]

test.each(STAGE_KINDS)('a stage within the bounds runs and stays finite: %s', (kind) => {
  let ran = 0
  for (let round = 0; round < 24; round++) {
    const written = make.stage(kind)
    if (recipeFault({ version: 2, stages: [written] })) continue
    const [stage] = stagesOf([written])
    if ('edit' in stageOfKind(stage!.kind)) continue
    const rateHz = RATES_HZ[round % RATES_HZ.length]!
    const block = noise(0.5, 0.05, rateHz, round)
    createProcessor(stage!, rateHz).process(block)
    for (const samples of block.channels)
      if (!samples.every(Number.isFinite)) expect.fail(JSON.stringify([rateHz, written]))
    ran++
  }
  if (!['remove_dc', 'declip', 'declick', 'whistle_notch', 'deflutter'].includes(kind)) expect(ran).toBeGreaterThan(3)
})

test(`${ROUNDS} mutated recipes are refused at a place, or all of their stages run and stay finite`, () => {
  const schema = Compile(WrittenRecipe)
  let ran = 0
  let refused = 0
  for (let round = 0; round < ROUNDS; round++) {
    const written = make.recipe(round % 2 === 0)
    if (!schema.Check(written) || recipeFault(written)) {
      const place = schema.Check(written) ? recipeFault(written)?.place : schema.Errors(written)[0]?.schemaPath
      if (!place) expect.fail(`no place: ${JSON.stringify(written)}`)
      refused++
      continue
    }
    const rateHz = RATES_HZ[round % RATES_HZ.length]!
    const block = noise(0.5, 0.01, rateHz, round)
    for (const stage of stagesOf(written.stages))
      if (!('edit' in stageOfKind(stage.kind))) createProcessor(stage, rateHz).process(block)
    if (!block.channels.every((samples) => samples.every(Number.isFinite)))
      expect.fail(JSON.stringify([rateHz, written]))
    ran++
  }
  if (process.env.RECIPE_ROUNDS) console.info(`${ran} of ${ROUNDS} recipes ran, ${refused} were refused`)
  expect(
    [ran, refused].every((count) => count > ROUNDS / 20),
    `${ran} ran, ${refused} refused`,
  ).toBe(true)
})
