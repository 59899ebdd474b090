/** Every stage that the schema of a recipe admits can be carried out, at every rate that the engine works at. */
import { Compile } from 'typebox/compile'
import { expect, test } from 'vitest'
import { WrittenRecipe, type WrittenStage } from '../../../src-contract/recipe-schemas.ts'
import { recipeFault } from '../../../src-contract/sent-recipe.ts'
import { createProcessor } from '../../../src-engine/chain.ts'
import { stageOfKind } from '../../../src-engine/stages/index.ts'
import { stagesOf } from '../../../src-worker/mastering/report-recipe.ts'
import { noise, seededRandom } from '../../support/sounds.ts'

interface Shape {
  readonly anyOf?: readonly Shape[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
}

const next = seededRandom(20_270)
const random = () => Math.min(0.999_999, Math.abs(next()))

/** Returns a value that a schema admits, at the bounds of its numbers as often as between them. */
function within(shape: Shape): unknown {
  const { anyOf, properties, items, minimum = 0, maximum = 0, minItems = 0 } = shape
  if (anyOf) return within(anyOf[Math.floor(random() * anyOf.length)]!)
  if (shape.const !== undefined) return shape.const
  if (shape.enum) return shape.enum[Math.floor(random() * shape.enum.length)]
  if (properties) return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, within(member)]))
  if (items) return Array.from({ length: Math.max(minItems, Math.floor(random() * 4)) }, () => within(items))
  if (shape.type === 'boolean') return random() < 0.5
  if (shape.type === 'null') return null
  const share = [0, 1, random()][Math.floor(random() * 3)]!
  return minimum + share * (maximum - minimum)
}

/** Makes lists fit each other, as the rules beside the schema ask. */
function fitted({ ...stage }: Record<string, unknown>): WrittenStage {
  const ascending = (values: unknown) => [...new Set(values as number[])].sort((a, b) => a - b)
  if (Array.isArray(stage.crossovers_hz) && stage.kind !== 'punch') {
    stage.crossovers_hz = ascending(stage.crossovers_hz)
    const name = stage.bands ? 'bands' : 'side_gains'
    const [first] = stage[name] as unknown[]
    stage[name] = Array.from({ length: (stage.crossovers_hz as number[]).length + 1 }, () => first)
  }
  if (stage.kind === 'punch') stage.crossovers_hz = [20, 20 + 19_000 * random(), 20_000]
  if (stage.kind === 'match')
    for (const name of ['mid', 'side']) {
      const curve = stage[name] as { frequency_hz: number[]; gain_db: number[] }
      const frequency_hz = ascending(curve.frequency_hz)
      stage[name] = { frequency_hz, gain_db: frequency_hz.map((_, i) => curve.gain_db[i] ?? 0) }
    }
  return stage as unknown as WrittenStage
}

/** A small part of a campaign; `npm run campaign` sets the whole number. */
const ROUNDS = Number(process.env.RECIPE_ROUNDS ?? 300)

const alternatives = (WrittenRecipe.properties.stages as unknown as { items: Shape }).items.anyOf!
const RATES_HZ = [44_100, 48_000, 88_200, 96_000]

test.each(alternatives.map((shape) => [String(shape.properties!.kind!.const), shape] as const))(
  'a stage within the bounds runs and stays finite: %s',
  (kind, shape) => {
    let ran = 0
    for (let round = 0; round < 24; round++) {
      const written = fitted(within(shape) as Record<string, unknown>)
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
  },
)

const ODD = [null, '', '1', true, [], {}, -1, 0, 1e-320, 1e308, Number.MAX_SAFE_INTEGER, 0.1 + 0.2]

/** Returns a value with one of its leaves, or one of its members, replaced by something odd, repeated or left out. */
function mutated(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.1) {
    return typeof value === 'number' && random() < 0.5
      ? value * (4 * random() - 2)
      : ODD[Math.floor(random() * ODD.length)]
  }
  const entries = Object.entries(value)
  if (entries.length === 0) return value
  const at = Math.floor(random() * entries.length)
  const kept = random() < 0.1 ? [] : [[entries[at]![0], mutated(entries[at]![1])] as [string, unknown]]
  const changed = [...entries.slice(0, at), ...kept, ...entries.slice(at + 1)]
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed)
}

test(`${ROUNDS} mutated recipes are refused at a place, or all of their stages run and stay finite`, () => {
  const schema = Compile(WrittenRecipe)
  let ran = 0
  let refused = 0
  for (let round = 0; round < ROUNDS; round++) {
    const stages = Array.from({ length: 1 + Math.floor(random() * 4) }, () =>
      fitted(within(alternatives[Math.floor(random() * alternatives.length)]!) as Record<string, unknown>),
    )
    const sent = random() < 0.2 ? { version: 2, stages } : mutated({ version: 2, stages })
    const written = JSON.parse(JSON.stringify(sent)) as WrittenRecipe
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
  expect(
    [ran, refused].every((count) => count > ROUNDS / 20),
    `${ran} ran, ${refused} refused`,
  ).toBe(true)
})
