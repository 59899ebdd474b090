/** Rules for a sent recipe: settings allowed with it, and constraints that its schema cannot express. Pure. */
import type { Static } from 'typebox'
import type { GainCurve, WrittenRecipe, WrittenStage } from './recipe-schemas.ts'
import {
  type JobSettings,
  NEUTRAL_SOUND,
  REFERENCE_NAMES,
  SETTINGS,
  type SettingName,
  STEERING_NAMES,
} from './settings.ts'
import type { Detail } from './text/details.ts'

/** Settings that a recipe already determines. */
export const SOUND_OF_RECIPE: readonly (SettingName | 'targets')[] = [
  ...['reference_amount' as const, ...REFERENCE_NAMES],
  ...['targets' as const, ...STEERING_NAMES],
]

type Named = Partial<JobSettings>

/** Returns the recipe of a report.json, or the value itself. */
export function recipeIn(value: unknown): unknown {
  const isReport = typeof value === 'object' && value !== null && 'report_version' in value && 'recipe' in value
  return isReport ? value.recipe : value
}

/** Returns the first setting that contradicts a recipe named beside it; undefined without a contradiction or a recipe. */
export function besideRecipe(named: Named): SettingName | 'targets' | undefined {
  const { recipe } = named
  if (!recipe) return undefined
  const { intensity = named.intensity } = recipe
  if (named.intensity !== undefined && named.intensity !== intensity) return 'intensity'
  return SOUND_OF_RECIPE.find((name) => named[name] !== undefined)
}

/** Returns `named` settings completed by those of its recipe, if it has one: all other sound settings are neutral. */
export function withRecipe<Of extends Named>(named: Of): Of & Named {
  const { recipe } = named
  if (!recipe) return named
  const neutral = {
    ...NEUTRAL_SOUND,
    style: SETTINGS.style.standard,
    target_lufs: null,
    targets: null,
    reference_loudness: false,
  }
  return { ...neutral, ...(recipe.intensity === undefined ? {} : { intensity: recipe.intensity }), ...named }
}

type Numbers = readonly number[]
type Whistle = Extract<WrittenStage, { kind: 'whistle_notch' }>['whistles'][number]

/** Fault of a recipe that its schema cannot express: the place and the rule. */
export interface RecipeFault {
  readonly place: string
  readonly detail: Detail
}

/** Returns the first conflict between members of a stage; undefined for a recipe that can be followed. */
export function recipeFault({ stages }: WrittenRecipe): RecipeFault | undefined {
  for (const [index, stage] of stages.entries()) {
    const [fault] = faultsOf(stage)
    if (fault) return { ...fault, place: `recipe.stages[${index}].${fault.place}` }
  }
  return undefined
}

function faultsOf(stage: WrittenStage): RecipeFault[] {
  return [
    ...('crossovers_hz' in stage ? rising('crossovers_hz', stage.crossovers_hz) : []),
    ...('crossovers_hz' in stage && 'bands' in stage
      ? asMany('bands', stage.bands, stage.crossovers_hz.length + 1)
      : []),
    ...('side_gains' in stage ? sideFaults(stage.side_gains, stage.crossovers_hz.length + 1) : []),
    ...('mid' in stage ? [...curveFaults('mid', stage.mid), ...curveFaults('side', stage.side)] : []),
    ...('whistles' in stage ? stage.whistles.flatMap(whistleFaults) : []),
    ...('clicks_frames' in stage ? clickFaults(stage.clicks_frames) : []),
    ...('borders_hz' in stage ? rising('borders_hz', stage.borders_hz) : []),
    ...('bend' in stage ? bendFaults(stage.bend, stage.asymmetry) : []),
  ]
}

/** Least side gain of a band: 0 is mono, which no band can be alone. */
const LEAST_SIDE_GAIN = 0.001

function sideFaults(gains: Numbers, count: number): RecipeFault[] {
  const silent = gains.length > 1 ? gains.findIndex((gain) => gain < LEAST_SIDE_GAIN) : -1
  return [
    ...asMany('side_gains', gains, count),
    ...(silent < 0
      ? []
      : [
          {
            place: `side_gains[${silent}]`,
            detail: { rule: 'number_between' as const, least: LEAST_SIDE_GAIN, most: 2 },
          },
        ]),
  ]
}

function curveFaults(name: string, { frequency_hz, gain_db }: Static<typeof GainCurve>): RecipeFault[] {
  return [...rising(`${name}.frequency_hz`, frequency_hz), ...asMany(`${name}.gain_db`, gain_db, frequency_hz.length)]
}

function clickFaults(clicks: readonly (readonly Numbers[])[]): RecipeFault[] {
  return clicks.flatMap((ranges, c) => ranges.flatMap((range, index) => rising(`clicks_frames[${c}][${index}]`, range)))
}

function whistleFaults({ start_seconds, end_seconds }: Whistle, index: number): RecipeFault[] {
  const limit = start_seconds
  return end_seconds >= limit ? [] : [{ place: `whistles[${index}].end_seconds`, detail: { rule: 'at_least', limit } }]
}

/** The root of the curve has to stay positive. */
function bendFaults(bend: number, asymmetry: number): RecipeFault[] {
  const least = asymmetry ** 2 / 4
  return bend > least || (bend === 0 && asymmetry === 0)
    ? []
    : [{ place: 'bend', detail: { rule: 'at_least', limit: least } }]
}

function rising(place: string, values: Numbers): RecipeFault[] {
  return values.every((value, i) => i === 0 || value > values[i - 1]!) ? [] : [{ place, detail: { rule: 'rising' } }]
}

function asMany(place: string, values: readonly unknown[], limit: number): RecipeFault[] {
  if (values.length === limit) return []
  return [{ place, detail: { rule: values.length < limit ? 'items_at_least' : 'items_at_most', limit } }]
}
