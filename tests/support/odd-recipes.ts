/** Recipes from the schema: within its bounds as often as at them, and mutated. The same seed makes the same ones. */
import { WrittenRecipe, type WrittenStage } from '../../src-contract/recipe-schemas.ts'
import { seededRandom } from './sounds.ts'

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

type Members = Readonly<Record<string, unknown>>

const KINDS = (WrittenRecipe.properties.stages as unknown as { items: Shape }).items.anyOf!
const MASTERS = WrittenRecipe.properties.masters as unknown as Shape

/** Kinds of stages that the schema has. */
export const STAGE_KINDS = KINDS.map(({ properties }) => String(properties!.kind!.const))

const ODD = [null, '', '1', true, [], {}, -1, 0, 1e-320, 1e308, Number.MAX_SAFE_INTEGER, 0.1 + 0.2]

/** Returns the makers of odd recipes. */
export function oddRecipes(seed: number) {
  const next = seededRandom(seed)
  const random = () => Math.min(0.999_999, Math.abs(next()))
  const oneOf = <One>(all: readonly One[]): One => all[Math.floor(random() * all.length)]!

  /** Returns a value that a schema admits, at the bounds of its numbers as often as between them. */
  function within({ anyOf, properties, items, minimum = 0, maximum = 0, minItems = 0, ...shape }: Shape): unknown {
    if (anyOf) return within(oneOf(anyOf))
    if (shape.const !== undefined) return shape.const
    if (shape.enum) return oneOf(shape.enum)
    if (properties)
      return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, within(member)]))
    if (items) return Array.from({ length: Math.max(minItems, Math.floor(random() * 4)) }, () => within(items))
    if (shape.type === 'boolean') return random() < 0.5
    if (shape.type === 'null') return null
    return minimum + oneOf([0, 1, random()]) * (maximum - minimum)
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

  /** Returns a value with one of its leaves, or one of its members, replaced by something odd, repeated or left out. */
  function mutated(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || random() < 0.1)
      return typeof value === 'number' && random() < 0.5 ? value * (4 * random() - 2) : oneOf(ODD)
    const entries = Object.entries(value)
    if (entries.length === 0) return value
    const at = Math.floor(random() * entries.length)
    const kept = random() < 0.1 ? [] : [[entries[at]![0], mutated(entries[at]![1])] as [string, unknown]]
    const changed = [...entries.slice(0, at), ...kept, ...entries.slice(at + 1)]
    return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed)
  }

  const stage = (kind = oneOf(STAGE_KINDS)) => fitted(within(KINDS[STAGE_KINDS.indexOf(kind)]!) as Members)
  return {
    random,
    /** Returns a stage whose numbers are within their bounds. */
    stage,
    /** Returns one to four stages, with targets of the masters if asked for; four times of five with one mutation. */
    recipe(hasMasters = false): WrittenRecipe {
      const stages = Array.from({ length: 1 + Math.floor(random() * 4) }, () => stage())
      const recipe = { version: 2, stages, ...(hasMasters ? { masters: within(MASTERS) } : {}) }
      return JSON.parse(JSON.stringify(random() < 0.2 ? recipe : mutated(recipe))) as WrittenRecipe
    },
  }
}
