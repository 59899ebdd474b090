import type { Recipe } from '../src-contract/recipe.ts'
import type { Decision, Spectrum, WarningCode } from '../src-contract/report.ts'
import type { SavedTarget } from '../src-contract/saved-targets.ts'
import type { AiService, Genre, SoundSettings } from '../src-contract/settings.ts'
import type { StageKind } from '../src-contract/stages/index.ts'
import type { PlannedSong, SourceAnalysis } from './analysis/analysis.ts'
import { isComparable } from './analysis/comparable.ts'
import { tornHighsLossDb } from './analysis/torn-highs.ts'
import { isMuffled } from './analysis/treble-fall.ts'
import { rounded } from './dsp/units.ts'
import { clippedPlaces, clippedThroughout } from './stages/declip.ts'
import { chain, kindsBefore, responseDb, stageOfKind, toldFirst } from './stages/index.ts'
import { referenceDistance } from './stages/match/reference-tone.ts'
import { referenceOf, type ToneTarget, type WeightedTarget } from './stages/match/saved-target.ts'
import { targetSpectrum } from './stages/match/target-spectrum.ts'
import type { Planning, StageOf, StagePlan } from './stages/stage.ts'

/** Input of the planner; nothing else enters. */
export interface PlanInput {
  readonly analysis: SourceAnalysis
  readonly reference?: ToneTarget
  /** Further references, known by their measurements. */
  readonly targets?: readonly SavedTarget[] | null
  readonly genre: Genre
  readonly ai_service: AiService
  /** 0 (repairs only) to 100; 50 is the default. */
  readonly intensity: number
  /** 0 to 100 per cent of the way to the reference; ignored without one. */
  readonly reference_amount: number
  /** Largest movement of a band of the mid toward the reference, dB; 6 when absent. */
  readonly reference_clamp_db?: number
  /** Sound settings of the owner; `NEUTRAL_SOUND` by default. */
  readonly sound: SoundSettings
}

/** A warning of the planner; the pipeline adds those of the file and of the masters. */
export interface PlanWarning {
  readonly code: WarningCode
  readonly values?: Record<string, number | string>
}

/** Recipe for a song, with its reasons for the report. */
export interface MasteringPlan {
  readonly recipe: Recipe
  readonly decisions: readonly Decision[]
  readonly warnings: readonly PlanWarning[]
  /** Target third octaves of the tone stage, aligned with the source's own level; null without a target. */
  readonly targetSpectrum: Spectrum | null
}

/** Peak-to-loudness ratio of an already limited piece, at most, dB. */
const limitedPlrDb = 8
/** Shortest silence at an edge that is reported, s. */
const longSilenceSeconds = 2
/** Least fall of the level at the end, dB; with less a piece ends abruptly. */
const leastEndDropDb = 20
/** Shortest piece that is checked for an abrupt end, s. */
const shortestPieceSeconds = 5
/** Spectral difference below which, in every band, two pieces count as one, dB. */
const sameSpectrumDb = 0.05

/**
 * Returns the recipe and its reasons. Pure: the same input gives the same plan. Silence gives an empty recipe. Never throws.
 */
export function planRecipe(input: PlanInput): MasteringPlan {
  const analysis: PlannedSong = { ...input.analysis, aiService: input.ai_service }
  const references = referencesOf(input)
  const followed = references.filter(({ target }) => isComparable(target) && !isSamePiece(analysis, target))
  const { song, planOf } = planning(input, analysis, followed)
  return {
    recipe: { version: 1, stages: analysis.isSilent ? [] : chain.flatMap(({ kind }) => planOf(kind).stages) },
    decisions: inOrderOfReport(song, (kind) => planOf(kind).decisions),
    warnings: warningsOf(input, references, followed),
    targetSpectrum: targetSpectrum(song),
  }
}

/** Returns the references of a song: a track with the weight 1, and saved targets. */
function referencesOf({ reference, targets }: PlanInput): WeightedTarget[] {
  return [...(reference ? [{ target: reference, weight: 1 }] : []), ...(targets ?? []).map(referenceOf)]
}

/** Returns a song to be planned, and the plan of each kind of stage for it, made at the first call. */
function planning(input: PlanInput, analysis: PlannedSong, references: readonly WeightedTarget[]) {
  const { genre, intensity, reference_amount: referenceAmount, reference_clamp_db: referenceClampDb, sound } = input
  const plans = new Map<StageKind, StagePlan>()
  const planOf = <Kind extends StageKind>(kind: Kind): StagePlan<StageOf<Kind>> => {
    const plan = plans.get(kind) ?? stageOfKind(kind).plan(song)
    plans.set(kind, plan)
    return plan as StagePlan<StageOf<Kind>>
  }
  const song: Planning = {
    analysis,
    genre,
    intensity,
    references: referenceAmount > 0 ? references : [],
    referenceAmount,
    referenceClampDb,
    sound,
    stagesOf: (kind) => planOf(kind).stages,
    stagesBefore: (kind) => kindsBefore(kind).flatMap((before) => planOf(before).stages),
    responseDb: (stage, hz) => responseDb(stage, hz, analysis.sampleRateHz),
  }
  return { song, planOf }
}

const stageOrder: readonly Decision['stage'][] = ['repair', 'tone', 'dynamics', 'image']

/** Decisions in the order of the report; a stage without any reports that it was left alone. */
function inOrderOfReport(
  { analysis, intensity, sound }: Planning,
  decisionsOf: (kind: StageKind) => readonly Decision[],
): Decision[] {
  const others = chain.map(({ kind }) => kind).filter((kind) => !toldFirst.includes(kind))
  const made = [...toldFirst, ...others].flatMap(decisionsOf)
  const { tone, plrDb, width } = analysis
  const leftAlone: Decision[] = [
    { stage: 'repair', code: 'NOTHING_TO_REPAIR', values: {} },
    {
      stage: 'tone',
      code: 'TONE_LEFT_ALONE',
      values: { ...readable({ intensity, ...tone }), ...leftOut(sound.tone_amount) },
    },
    {
      stage: 'dynamics',
      code: 'DYNAMICS_LEFT_ALONE',
      values: { ...readable({ intensity, plrDb: plrDb ?? 0 }), ...leftOut(sound.dynamics_amount) },
    },
    {
      stage: 'image',
      code: 'IMAGE_LEFT_ALONE',
      values: { ...readable({ widestDb: width.widestDb }), ...leftOut(sound.image_amount) },
    },
  ]
  const touched = new Set(made.map(({ stage }) => stage))
  // A cut of mud is reported as a repair but touches the tone.
  if (made.some(({ code }) => code === 'MUD_CUT')) touched.add('tone')
  return [...leftAlone.filter(({ stage }) => !touched.has(stage)), ...made].sort(
    (one, other) => stageOrder.indexOf(one.stage) - stageOrder.indexOf(other.stage),
  )
}

/** Value of a decision that nothing was done because the amount is 0 per cent. */
export const leftOut = (amount: number): { amount?: number } => (amount === 0 ? { amount } : {})

/** Values to a tenth. */
function readable(values: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, rounded(value)]))
}

function isSamePiece(one: SourceAnalysis, other: ToneTarget): boolean {
  if (one.frames !== other.frames || one.sampleRateHz !== other.sampleRateHz || one.isMono !== other.isMono)
    return false
  const { midDb, sideDb } = referenceDistance(one, other)
  return [...midDb, ...sideDb].every((distance) => Math.abs(distance) < sameSpectrumDb)
}

function warningsOf(
  { analysis }: PlanInput,
  references: readonly WeightedTarget[],
  followed: readonly WeightedTarget[],
): PlanWarning[] {
  const warnings: PlanWarning[] = []
  const count = clippedPlaces(analysis)
  if (count > 0) {
    const perSecond = clippedThroughout(analysis)
    warnings.push({ code: 'INPUT_CLIPPED', values: perSecond === null ? { count } : { count, perSecond } })
  }
  if (analysis.plrDb !== null && analysis.plrDb < limitedPlrDb) {
    warnings.push({ code: 'INPUT_LIMITED', values: { plrDb: rounded(analysis.plrDb) } })
  }
  if (analysis.isLossy) warnings.push({ code: 'INPUT_LOSSY' })
  if (analysis.isMono && !analysis.isSilent) warnings.push({ code: 'INPUT_MONO' })
  if (analysis.deadChannel) warnings.push({ code: 'INPUT_DEAD_CHANNEL', values: { channel: analysis.deadChannel } })
  const { leadingSilenceSeconds, trailingSilenceSeconds } = analysis
  if (Math.max(leadingSilenceSeconds, trailingSilenceSeconds) >= longSilenceSeconds) {
    warnings.push({
      code: 'INPUT_NEAR_SILENT_EDGES',
      values: {
        startSeconds: rounded(leadingSilenceSeconds),
        endSeconds: rounded(trailingSilenceSeconds),
      },
    })
  }
  if (breaksOff(analysis)) warnings.push({ code: 'INPUT_BREAKS_OFF' })
  if (analysis.bandwidthHz !== null) {
    warnings.push({ code: 'INPUT_BAND_LIMITED', values: { cutoffHz: Math.round(analysis.bandwidthHz) } })
  }
  if (isMuffled(analysis)) warnings.push({ code: 'INPUT_MUFFLED' })
  const lossDb = tornHighsLossDb(analysis)
  if (lossDb !== null) warnings.push({ code: 'INPUT_HIGHS_LOST_IN_MONO', values: { lossDb: rounded(lossDb) } })
  const left = references.filter((one) => !followed.includes(one))
  if (left.some(({ target }) => isComparable(target))) warnings.push({ code: 'REFERENCE_IS_TARGET' })
  if (left.some(({ target }) => !isComparable(target))) warnings.push({ code: 'REFERENCE_NOT_COMPARABLE' })
  if (followed.some(({ target }) => target.isLossy)) warnings.push({ code: 'REFERENCE_LOSSY' })
  return warnings
}

/** Returns true for a song that ends without a fall of its level. */
export function breaksOff({ isSilent, endDropDb, durationSeconds }: SourceAnalysis): boolean {
  return !isSilent && endDropDb !== null && endDropDb < leastEndDropDb && durationSeconds >= shortestPieceSeconds
}
