/** The kinds of processing stage. */
import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import type { DecisionCode } from '../../src-contract/report.ts'
import type { RecipeStage, StageKind } from '../../src-contract/stages/index.ts'
import { declick } from './declick.ts'
import { declip } from './declip.ts'
import { deflutter } from './deflutter.ts'
import { density } from './density.ts'
import { dynamicCut } from './dynamic-cut.ts'
import { equalise } from './equalise.ts'
import { match } from './match.ts'
import { monoBass } from './mono-bass.ts'
import { multiband } from './multiband.ts'
import { punch } from './punch.ts'
import { removeDc } from './remove-dc.ts'
import { rumbleFilter } from './rumble-filter.ts'
import type { MidSideDb, Stage, StageOf } from './stage.ts'
import { steerTone } from './steer-tone.ts'
import { steerWidth } from './steer-width.ts'
import { warmth } from './warmth.ts'
import { whistleNotch } from './whistle-notch.ts'

/** Kinds that appear in a list more than once. */
type Repeated<List extends readonly { readonly kind: StageKind }[]> = List extends readonly [
  infer First extends { readonly kind: StageKind },
  ...infer Rest extends readonly { readonly kind: StageKind }[],
]
  ? (First['kind'] & Rest[number]['kind']) | Repeated<Rest>
  : never

/** `unknown` for a list that holds every kind of stage exactly once; otherwise a type that names the kinds at fault. */
export type EveryKindOnce<List extends readonly { readonly kind: StageKind }[]> = [
  Exclude<StageKind, List[number]['kind']> | Repeated<List>,
] extends [never]
  ? unknown
  : { readonly missing: Exclude<StageKind, List[number]['kind']>; readonly repeated: Repeated<List> }

/**
 * The chain: stages run in the order of this array. Kinds that edit samples come first, then filters, including the width, then
 * level-dependent stages: compressors, attacks and the saturation, which works on the result of all others. Flat tops come before the
 * offset, whose removal would shift them from their detected level; cuts of resonances and sibilance come before the equaliser, whose gains
 * would shift the levels that they compare. Requested sound comes after stages planned from the song: tone before level-dependent stages.
 */
const order = [
  declip,
  removeDc,
  declick,
  whistleNotch,
  deflutter,
  rumbleFilter,
  monoBass,
  dynamicCut,
  equalise,
  match,
  steerTone,
  steerWidth,
  density,
  multiband,
  punch,
  warmth,
] as const

/** All kinds of stage, in the order of the chain. */
export const chain: readonly Stage[] = order satisfies EveryKindOnce<typeof order>

/** Returns the kinds that run before `kind`. */
export function kindsBefore(kind: StageKind): readonly StageKind[] {
  const kinds = chain.map((stage) => stage.kind)
  return kinds.slice(0, kinds.indexOf(kind))
}

/** Kinds whose decisions open the report, in this order: sound below the music, before its peaks. */
export const toldFirst: readonly StageKind[] = [removeDc.kind, rumbleFilter.kind]

const byKind = new Map<StageKind, Stage>(chain.map((stage) => [stage.kind, stage]))

/** Returns the module of a kind of stage. */
export function stageOfKind<Kind extends StageKind>(kind: Kind): Stage<StageOf<Kind>> {
  return byKind.get(kind)! as Stage<StageOf<Kind>>
}

/**
 * Returns the gain of a stage at a frequency, dB; 0 for a kind other than a filter. Bass moved from the side to the mid counts as the
 * side's.
 */
export function responseDb(stage: RecipeStage, hz: number, sampleRateHz: number): MidSideDb {
  return stageOfKind(stage.kind).responseDb?.(stage, hz, sampleRateHz) ?? { mid: 0, side: 0 }
}

/** Returns the repair that a decision announces; undefined for a decision about anything else. */
export function announcedRepair(code: DecisionCode): RepairKind | undefined {
  return chain.flatMap(({ announces }) => announces?.[code] ?? [])[0]
}

/** Returns the kind of compressor that a decision announces; undefined for a decision about anything else. */
export function announcedCompressor(code: DecisionCode): StageKind | undefined {
  return chain.find((stage) => 'create' in stage && stage.compression?.code === code)?.kind
}
