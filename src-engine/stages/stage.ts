/** Interface of a kind of processing stage. */

import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import type { Decision, DecisionCode, Repair } from '../../src-contract/report.ts'
import type { Genre, SoundSettings } from '../../src-contract/settings.ts'
import type { RecipeStage, StageKind } from '../../src-contract/stages/index.ts'
import type { PlannedSong } from '../analysis/analysis.ts'
import type { Audio } from '../dsp/block.ts'
import type { Processor } from '../dsp/processor.ts'
import type { WeightedTarget } from './match/saved-target.ts'

/** A stage of a recipe, of one kind. */
export type StageOf<Kind extends StageKind> = Extract<RecipeStage, { readonly kind: Kind }>

/** Gains of mid and side, dB. */
export interface MidSideDb {
  readonly mid: number
  readonly side: number
}

/** Song to be planned, with its owner's settings and access to the stages of other kinds. */
export interface Planning {
  readonly analysis: PlannedSong
  readonly genre: Genre
  /** 0 (repairs only) to 100; 50 is the default. */
  readonly intensity: number
  /** Songs whose tone is followed instead of correcting faults and width; empty without any. */
  readonly references: readonly WeightedTarget[]
  /** 0 to 100 per cent of the way to the references. */
  readonly referenceAmount: number
  /** Largest movement of a band of the mid toward the reference, dB; the usual one when undefined. */
  readonly referenceClampDb?: number | undefined
  /** Sound settings of the owner. */
  readonly sound: SoundSettings
  /** Returns the stages of a kind, planned at the first call. Two kinds must not depend on each other. */
  stagesOf<Kind extends StageKind>(kind: Kind): readonly StageOf<Kind>[]
  /** Returns the stages of all kinds that run before `kind`. */
  stagesBefore(kind: StageKind): readonly RecipeStage[]
  /** Returns the gain of a stage of any kind at a frequency; see {@link CommonStage.responseDb}. */
  responseDb(stage: RecipeStage, hz: number): MidSideDb
}

/** Stages of one kind that a song needs, in their order, with the reasons. */
export interface StagePlan<S extends RecipeStage = RecipeStage> {
  readonly stages: readonly S[]
  readonly decisions: readonly Decision[]
}

/** Plan that leaves the song unchanged. */
export const nothingPlanned: StagePlan<never> = { stages: [], decisions: [] }

interface CommonStage<S extends RecipeStage> {
  readonly kind: S['kind']
  /** Plans from the measurements. Pure. */
  plan(song: Planning): StagePlan<S>
  /**
   * Gain of a filter on mid and side at a frequency, dB. Absent, and 0 everywhere, for a kind that edits samples, moves with the
   * music or works below the bands.
   */
  responseDb?(stage: S, hz: number, sampleRateHz: number): MidSideDb
  /** True for sound that the owner requests, whatever the song. */
  readonly isAskedFor?: true
  /** Repairs that decisions of this kind announce; the decision stands only if the repair was made. */
  readonly announces?: Readonly<Partial<Record<DecisionCode, RepairKind>>>
}

/** Kind that edits single samples of the whole song, in place, at the rate of its file. Such kinds run before all others. */
export interface EditStage<S extends RecipeStage = RecipeStage> extends CommonStage<S> {
  /** Makes the edit and returns the repairs with their measurements. `onProgress` gets the share of the work done, 0 to 1. */
  edit(audio: Audio, stage: S, onProgress: (fraction: number) => void): Repair[]
  /** Share of the work on a song spent on the edit, 0 to 1. */
  readonly workShare: number
  /** True for settings that refer to frames of the whole song, which an excerpt does not have. */
  readonly namesFrames: boolean
}

/** Kind that runs block by block. */
export interface StreamingStage<S extends RecipeStage = RecipeStage, P extends Processor = Processor>
  extends CommonStage<S> {
  /** Returns a processor with the settings; throws for settings outside its range. */
  create(stage: S, sampleRateHz: number): P
  /** Called before the song runs through the processor; the returned function gives the repairs afterwards. */
  watch?(stage: S, processor: P, audio: Audio): () => Repair[]
  /** For a compressor: the decision that announces it, and its largest gain reduction so far, dB. */
  readonly compression?: { readonly code: DecisionCode; mostReductionDb(processor: P): number }
}

export type Stage<S extends RecipeStage = RecipeStage> = EditStage<S> | StreamingStage<S>

/** Smallest change that shows in a report in tenths of a decibel, dB. */
export const noticedDb = 0.05

/** Returns the applied part of a plan, 0 to 1, for an amount of 0 to 100 per cent. */
export const appliedPart = (amountPercent: number): number => amountPercent / 100

/** Returns the plan of one kind of repair, or only the decision to skip it if the owner wants that fault left alone. */
export function unlessSkipped<S extends RecipeStage>(
  { sound }: Planning,
  repair: RepairKind,
  plan: StagePlan<S>,
): StagePlan<S> {
  if (plan.stages.length === 0 || !sound.skip_repairs.includes(repair)) return plan
  return { stages: [], decisions: [repairSkipped(repair)] }
}

/** A decision about a repair. */
export const repairDecision = (code: DecisionCode, values: Decision['values']): Decision => ({
  stage: 'repair',
  code,
  values,
})

/** The decision to leave a detected fault alone at the owner's request. */
export const repairSkipped = (repair: RepairKind): Decision => repairDecision('REPAIR_SKIPPED', { repair })
