import type { AiService, Genre } from '../src-contract/platforms.ts'
import type { GainCurve, Recipe, RecipeStage } from '../src-contract/recipe.ts'
import type { Decision, Spectrum, WarningCode } from '../src-contract/report.ts'
import type { SourceAnalysis } from './analysis/analysis.ts'
import { isOppositePhase } from './dsp/meters/stereo.ts'
import { rounded } from './dsp/units.ts'
import { planDensity, planMultiband } from './plan/dynamics.ts'
import { imageLeftAlone, planImage } from './plan/image.ts'
import { nothingPlanned, type PlannedSong, type PlanPart } from './plan/part.ts'
import { clippedPlaces, clippedThroughout, planRepair } from './plan/repair.ts'
import {
  genreTarget,
  isComparable,
  planGenreTone,
  planReferenceTone,
  planToneFaults,
  referenceDistance,
} from './plan/tone.ts'
import { curveGainDb } from './stages/match.ts'

/** What the planner decides from; nothing else enters. */
export interface PlanInput {
  readonly analysis: SourceAnalysis
  readonly reference?: SourceAnalysis
  readonly genre: Genre
  readonly aiService: AiService
  /** 0 (repairs only) to 100; 50 is the default. */
  readonly intensity: number
  /** 0 to 100 per cent of the way to the reference; without meaning when there is none. */
  readonly referenceAmount: number
}

/** A warning of the planner; the pipeline adds those of the file and of the masters. */
export interface PlanWarning {
  readonly code: WarningCode
  readonly values?: Record<string, number | string>
}

/** What is to be done to a song, and what the report says of it. */
export interface MasteringPlan {
  readonly recipe: Recipe
  readonly decisions: readonly Decision[]
  readonly warnings: readonly PlanWarning[]
  /** Third octaves that the tone stage aims at, aligned with the source's own level; null when there is no target. */
  readonly targetSpectrum: Spectrum | null
}

/** Peak-to-loudness ratio below which a piece counts as limited already, dB. */
const limitedPlrDb = 8
/** Silence at an edge from which it is named, s. */
const longSilenceSeconds = 2
/** What falls by less than this at its end breaks off, dB. */
const leastEndDropDb = 20
/** Nothing shorter is a piece that could break off, s. */
const shortestPieceSeconds = 5
/** Two pieces whose spectra differ by less than this in every band are one piece, dB. */
const sameSpectrumDb = 0.05

/**
 * Returns the recipe and its reasons. Pure: the same input gives the same plan. Silence gives an empty recipe. Never throws.
 */
export function planRecipe(input: PlanInput): MasteringPlan {
  const { genre, intensity } = input
  const analysis: PlannedSong = { ...input.analysis, aiService: input.aiService }
  const isFollowed = input.reference && isComparable(input.reference) && !isSamePiece(analysis, input.reference)
  const reference = isFollowed ? input.reference : undefined
  const isMatched = reference !== undefined && input.referenceAmount > 0
  const image = isMatched ? imageLeftAlone : planImage(analysis, intensity)
  const faults = isMatched ? nothingPlanned : planToneFaults(analysis, intensity)
  const tone = isMatched
    ? planReferenceTone(analysis, reference, input.referenceAmount)
    : planGenreTone(analysis, genre, intensity, faults.stages)
  const repair = planRepair(analysis, image.sideGainDb, [...faults.stages, ...tone.stages])
  const density = planDensity(analysis, intensity)
  const planned = analysis.isSilent ? [] : inOrder([repair, faults, tone, density, image])
  const before = analysis.deadChannel === null ? planned : planned.map(alikeInSide)
  const multiband = planMultiband(analysis, before, genre, intensity)
  return {
    recipe: { version: 1, stages: [...before, ...multiband.stages] },
    decisions: [
      ...orElse([repair, faults], 'repair', 'NOTHING_TO_REPAIR', {}),
      ...repair.decisions,
      ...faults.decisions,
      // Mud is told of as a repair, and its cut leaves no tone alone.
      ...(faults.decisions.length > 0
        ? []
        : orElse([tone], 'tone', 'TONE_LEFT_ALONE', { intensity, ...analysis.tone })),
      ...tone.decisions,
      ...orElse([density, multiband], 'dynamics', 'DYNAMICS_LEFT_ALONE', { intensity, plrDb: analysis.plrDb ?? 0 }),
      ...density.decisions,
      ...multiband.decisions,
      ...orElse([image], 'image', 'IMAGE_LEFT_ALONE', { widestDb: analysis.width.widestDb }),
      ...image.decisions,
    ].sort((one, other) => stageOrder.indexOf(one.stage) - stageOrder.indexOf(other.stage)),
    warnings: warningsOf(input, reference),
    targetSpectrum: targetOf(analysis, isMatched ? reference : undefined, genre, faults.stages),
  }
}

const stageOrder: readonly Decision['stage'][] = ['repair', 'tone', 'dynamics', 'image']

/** The word that nothing was done in a stage, when none of its parts did anything. */
function orElse(
  parts: readonly PlanPart[],
  stage: Decision['stage'],
  code: Decision['code'],
  values: Record<string, number>,
): Decision[] {
  if (parts.some((part) => part.decisions.some((decision) => decision.stage === stage))) return []
  const told = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, rounded(value)]))
  return [{ stage, code, values: told }]
}

/**
 * Order of the chain up to the glue, which hears what all others leave: what edits samples first, then filters, the width among
 * them, then what listens to levels. Flat tops before the offset, whose removal would take them away from the level at which they
 * were found.
 */
const kindOrder: readonly RecipeStage['kind'][] = [
  'declip',
  'remove_dc',
  'declick',
  'rumble_filter',
  'mono_bass',
  'dynamic_cut',
  'equalise',
  'match',
  'density',
]

function inOrder(parts: readonly PlanPart[]): RecipeStage[] {
  const stages = parts.flatMap((part) => part.stages)
  const curves = stages.filter((stage) => stage.kind === 'match')
  const others: RecipeStage[] = stages.filter((stage) => stage.kind !== 'match')
  const [first, ...further] = curves
  if (first) others.push(further.reduce(combined, first))
  return others.sort((one, other) => kindOrder.indexOf(one.kind) - kindOrder.indexOf(other.kind))
}

/** A channel that is silent is as loud in the side as in the mid and stays silent where both are filtered alike. */
function alikeInSide(stage: RecipeStage): RecipeStage {
  if (stage.kind !== 'dynamic_cut') return stage
  return { ...stage, cuts: stage.cuts.map((cut) => ({ ...cut, maxSideCutDb: cut.maxMidCutDb })) }
}

type Match = Extract<RecipeStage, { kind: 'match' }>

/** One filter in place of two. */
function combined(one: Match, other: Match): Match {
  const sum = (curve: GainCurve, added: GainCurve): GainCurve => ({
    frequencyHz: curve.frequencyHz,
    gainDb: curve.frequencyHz.map((hz, i) => curve.gainDb[i]! + curveGainDb(added, hz)),
  })
  return { kind: 'match', mid: sum(one.mid, other.mid), side: sum(one.side, other.side) }
}

function isSamePiece(one: SourceAnalysis, other: SourceAnalysis): boolean {
  if (one.frames !== other.frames || one.sampleRateHz !== other.sampleRateHz || one.isMono !== other.isMono)
    return false
  const { midDb, sideDb } = referenceDistance(one, other)
  return [...midDb, ...sideDb].every((distance) => Math.abs(distance) < sameSpectrumDb)
}

function warningsOf(input: PlanInput, reference: SourceAnalysis | undefined): PlanWarning[] {
  const { analysis } = input
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
  if (input.reference && !reference) {
    warnings.push({ code: isComparable(input.reference) ? 'REFERENCE_IS_TARGET' : 'REFERENCE_NOT_COMPARABLE' })
  }
  if (reference?.isLossy) warnings.push({ code: 'REFERENCE_LOSSY' })
  return warnings
}

function breaksOff({ isSilent, endDropDb, durationSeconds }: SourceAnalysis): boolean {
  return !isSilent && endDropDb !== null && endDropDb < leastEndDropDb && durationSeconds >= shortestPieceSeconds
}

function targetOf(
  analysis: SourceAnalysis,
  reference: SourceAnalysis | undefined,
  genre: Genre,
  before: readonly RecipeStage[],
): Spectrum | null {
  const { bandHz, midDb, sideDb } = analysis.spectrum
  if (analysis.isSilent) return null
  if (reference) {
    const distance = referenceDistance(analysis, reference, ({ spectrum }) => spectrum)
    return {
      band_hz: [...bandHz],
      mid_db: midDb.map((level, b) => level + distance.midDb[b]!),
      side_db: sideDb.map((level, b) => level + distance.sideDb[b]!),
    }
  }
  const target = genreTarget(analysis, genre, analysis.spectrum, before)?.targetDb
  if (!target) return null
  const none = bandHz.map(() => null)
  return isOppositePhase(analysis.sideToMidDb)
    ? { band_hz: [...bandHz], mid_db: none, side_db: [...target] }
    : { band_hz: [...bandHz], mid_db: [...target], side_db: none }
}
