/** Shape of a kind of processing stage: everything that the engine knows of it. */

import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import type { Decision, DecisionCode, Repair } from '../../src-contract/report.ts'
import type { Genre, SoundSettings } from '../../src-contract/settings.ts'
import type { RecipeStage, StageKind } from '../../src-contract/stages/index.ts'
import type { PlannedSong, SourceAnalysis } from '../analysis/analysis.ts'
import type { Audio } from '../dsp/block.ts'
import type { Processor } from '../dsp/processor.ts'

/** A stage of a recipe, of one kind. */
export type StageOf<Kind extends StageKind> = Extract<RecipeStage, { readonly kind: Kind }>

/** Gains of mid and side, dB. */
export interface MidSideDb {
  readonly mid: number
  readonly side: number
}

/** Song to be planned, with the wishes of its owner and with the stages of other kinds as far as one kind depends on another. */
export interface Planning {
  readonly analysis: PlannedSong
  readonly genre: Genre
  /** 0 (repairs only) to 100; 50 is the default. */
  readonly intensity: number
  /** Song whose tone is followed instead of a correction of faults and width; null where none is. */
  readonly reference: SourceAnalysis | null
  /** 0 to 100 per cent of the way to the reference. */
  readonly referenceAmount: number
  /** Wishes of the owner for the sound. */
  readonly sound: SoundSettings
  /** Returns the stages of a kind, planned at the first call. Two kinds must not ask for each other. */
  stagesOf<Kind extends StageKind>(kind: Kind): readonly StageOf<Kind>[]
  /** Returns the stages of all kinds that run before one. */
  stagesBefore(kind: StageKind): readonly RecipeStage[]
  /** Returns the gain of a stage of any kind at a frequency; see {@link CommonStage.responseDb}. */
  responseDb(stage: RecipeStage, hz: number): MidSideDb
}

/** Stages of one kind that a song needs, in their order, with the reasons. */
export interface StagePlan<S extends RecipeStage = RecipeStage> {
  readonly stages: readonly S[]
  readonly decisions: readonly Decision[]
}

/** Plan that leaves the song as it is. */
export const nothingPlanned: StagePlan<never> = { stages: [], decisions: [] }

interface CommonStage<S extends RecipeStage> {
  readonly kind: S['kind']
  /** Plans from what was measured. Pure. */
  plan(song: Planning): StagePlan<S>
  /**
   * Gain of a filter on mid and side at a frequency, dB. Absent, and 0 everywhere, for a kind that edits samples, moves with the
   * music or works below the bands.
   */
  responseDb?(stage: S, hz: number, sampleRateHz: number): MidSideDb
  /** True for a sound that the song's owner asks for, whatever the song is like. */
  readonly isAskedFor?: true
  /** Repairs that decisions of this kind announce: the decision stands only where the repair was made. */
  readonly announces?: Readonly<Partial<Record<DecisionCode, RepairKind>>>
}

/** Kind that edits single samples of the whole song, in place, at the rate of its file. Such kinds run before all others. */
export interface EditStage<S extends RecipeStage = RecipeStage> extends CommonStage<S> {
  /** Makes the edit and returns the repairs with what they measured. `onProgress` is told the part that is done, 0 to 1. */
  edit(audio: Audio, stage: S, onProgress: (fraction: number) => void): Repair[]
  /** Part of the work on a song that the edit takes, 0 to 1. */
  readonly workShare: number
  /** True for settings that name frames of the whole song: an excerpt does not share them. */
  readonly namesFrames: boolean
}

/** Kind that runs block by block. */
export interface StreamingStage<S extends RecipeStage = RecipeStage, P extends Processor = Processor>
  extends CommonStage<S> {
  /** Returns a processor with the settings; throws for settings outside its range. */
  create(stage: S, sampleRateHz: number): P
  /** Called before the song runs through the processor; the function that it returns gives the repairs afterwards. */
  watch?(stage: S, processor: P, audio: Audio): () => Repair[]
  /** For a compressor: the decision that announces it, and the most that it turned down so far, dB. */
  readonly compression?: { readonly code: DecisionCode; mostReductionDb(processor: P): number }
}

export type Stage<S extends RecipeStage = RecipeStage> = EditStage<S> | StreamingStage<S>

/** Smallest change that a report in tenths of a decibel tells, dB. */
export const noticedDb = 0.05

/** Returns the part of what is planned that an amount of 0 to 100 per cent applies, 0 to 1. */
export const appliedPart = (amountPercent: number): number => amountPercent / 100

/** Returns a plan of one kind of repair, or where its owner wants that fault left alone, the decision that says so. */
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

/** The decision that a fault was found and left alone because its owner asked for that. */
export const repairSkipped = (repair: RepairKind): Decision => repairDecision('REPAIR_SKIPPED', { repair })
