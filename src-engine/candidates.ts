import type { Recipe } from '../src-contract/recipe.ts'
import type { Decision } from '../src-contract/report.ts'
import type { Tier } from '../src-contract/settings.ts'
import type { RecipeStage } from '../src-contract/stages/index.ts'
import type { SourceAnalysis } from './analysis/analysis.ts'
import { applyRecipe, splitRecipe } from './chain.ts'
import { type Audio, type AudioBlock, allocateAudio, samplePeak, sliceBlock } from './dsp/block.ts'
import { measureLoudness } from './dsp/meters/loudness.ts'
import { longTermSpectrum, measureBandFrames, thirdOctaves } from './dsp/meters/spectrum.ts'
import { isOppositePhase } from './dsp/meters/stereo.ts'
import { dbToGain, gainToDb, powerToDb, rounded } from './dsp/units.ts'
import { type MasteringPlan, type PlanInput, planRecipe } from './plan.ts'
import { responseDb, stageOfKind } from './stages/index.ts'

/** Input of the candidates. */
export interface CandidateInput extends PlanInput {
  readonly tier: Tier
}

/** One of several plans for the same piece. */
export interface RecipeCandidate {
  readonly name: 'as_asked' | 'gentler' | 'firmer'
  /** Intensity of the plan, 0 … 100. */
  readonly intensity: number
  readonly plan: MasteringPlan
}

/** Measurements of a candidate on the excerpts; lower is better everywhere. */
export interface CandidateScore {
  readonly name: RecipeCandidate['name']
  /** Mean distance to the target in third octaves (without a target, to the candidate as asked), dB. */
  readonly tonalDistanceDb: number
  /** Change by the dynamics stages beyond a constant gain, against the signal, dB; −120 for nothing. */
  readonly distortionDb: number
  /** Excess of the loudest excerpt's peak-to-loudness ratio over a master's room, dB. */
  readonly burdenDb: number
  readonly cost: number
}

/**
 * Distance of tier premium's alternatives from the requested intensity: a fifth of it, at most 10 points. This keeps the ranges of 25, 50,
 * 75 and 100 apart: a higher request never gets less.
 */
const variationOf = (intensity: number) => Math.min(0.2 * intensity, 10)

/**
 * Returns the plans that tier premium tries: as asked, somewhat gentler and somewhat firmer. All follow a reference to the requested
 * degree. Standard has only the first. Plans with equal recipes are left out. Pure.
 */
export function recipeCandidates(input: CandidateInput): readonly RecipeCandidate[] {
  const withIntensity = (name: RecipeCandidate['name'], intensity: number): RecipeCandidate => ({
    name,
    intensity,
    plan: planRecipe({ ...input, intensity }),
  })
  const asked = withIntensity('as_asked', input.intensity)
  if (input.tier === 'standard') return [asked]
  const variation = variationOf(input.intensity)
  const gentler = withIntensity('gentler', input.intensity - variation)
  const firmer = withIntensity('firmer', Math.min(100, input.intensity + variation))
  const seen = new Set<string>()
  return [asked, gentler, firmer].filter(({ plan }) => {
    const key = JSON.stringify(plan.recipe)
    return !seen.has(key) && seen.add(key)
  })
}

const excerptSeconds = 10
/** Highest peak-to-loudness ratio that a limiter turns into a normal master inaudibly, dB. */
const easyPlrDb = 15.5
/**
 * Weights of the cost: a decibel of burden counts half a decibel of tone; distortion counts 1 at −20 dB and grows with its amplitude. So
 * the glue of a genre, −18 to −35 dB at intensity 50, weighs about as much as the tone that comes with it. A heavier weight would override
 * the request; with a lighter one firmer would always win.
 */
const burdenWeight = 0.5
const heavyDistortionDb = -20

/**
 * Returns the candidate with the lowest cost on the excerpts, all scores and the decision for the report. The excerpts are the loudest and
 * the quietest ten seconds of playing music; each candidate is rendered on copies of them, which leaves `audio` unchanged and needs little
 * memory. A single candidate is chosen without measurement, scores or decision. Deterministic. Throws a RangeError for no candidates.
 */
export function chooseCandidate(
  audio: Audio,
  analysis: SourceAnalysis,
  candidates: readonly RecipeCandidate[],
): {
  readonly chosen: RecipeCandidate
  readonly scores: readonly CandidateScore[]
  readonly decision: Decision | null
} {
  const [first] = candidates
  if (first === undefined) throw new RangeError('No candidates')
  if (candidates.length === 1) return { chosen: first, scores: [], decision: null }
  const starts = excerptStarts(analysis)
  const heard = isOppositePhase(analysis.sideToMidDb) ? 'side' : 'mid'
  const readings = starts.map((start) => measureExcerpt(cutOut(audio, start), candidates, heard))
  const scores = candidates.map(({ name }, c) =>
    score(
      name,
      readings.map((reading) => reading[c]!),
    ),
  )
  const best = scores.reduce((least, each) => (each.cost < least.cost ? each : least))
  const chosen = candidates.find(({ name }) => name === best.name)!
  return {
    chosen,
    scores,
    decision: {
      stage: 'tone',
      code: 'CANDIDATE_CHOSEN',
      values: {
        candidate: best.name,
        of: candidates.length,
        intensity: rounded(chosen.intensity),
        tonalDistanceDb: rounded(best.tonalDistanceDb, 2),
        distortionDb: rounded(best.distortionDb),
      },
    },
  }
}

/** First seconds of the loudest and of the quietest excerpt; one for short pieces. */
function excerptStarts({ curves, durationSeconds, integratedLufs }: SourceAnalysis): number[] {
  const last = Math.max(0, durationSeconds - excerptSeconds)
  let loudest = 0
  let quietest = 0
  let most = Number.NEGATIVE_INFINITY
  let least = Number.POSITIVE_INFINITY
  for (const [i, level] of curves.shortTermLufs.entries()) {
    // A short-term value covers the 3 s before it: centre the excerpt on them.
    const start = Math.min(last, Math.max(0, i * curves.stepSeconds - 1.5 - excerptSeconds / 2))
    if (level === null) continue
    if (level > most) {
      most = level
      loudest = start
    }
    if (level < least && level > (integratedLufs ?? 0) - 20) {
      least = level
      quietest = start
    }
  }
  return Math.abs(loudest - quietest) < excerptSeconds ? [loudest] : [loudest, quietest]
}

/** A copy of one excerpt. */
function cutOut(audio: Audio, startSeconds: number): Audio {
  const start = Math.round(startSeconds * audio.sampleRateHz)
  return copyOf(sliceBlock(audio, start, start + Math.round(excerptSeconds * audio.sampleRateHz)), audio.sampleRateHz)
}

function copyOf(block: AudioBlock, sampleRateHz: number): Audio {
  const copy = allocateAudio(2, block.frames, sampleRateHz)
  for (const [c, samples] of copy.channels.entries()) samples.set(block.channels[c]!)
  return copy
}

/** Returns true for a stage that refers to frames of the whole piece, which an excerpt does not have. */
function isLeftOut({ kind }: RecipeStage): boolean {
  const stage = stageOfKind(kind)
  return 'edit' in stage && stage.namesFrames
}

function isDynamic({ kind }: RecipeStage): boolean {
  const stage = stageOfKind(kind)
  return 'create' in stage && stage.compression !== undefined
}

/** The part, mid or side, that holds a piece's sound: in opposite phase hardly any is in the mid. */
type Part = 'mid' | 'side'

function spectrumOf(audio: Audio, part: Part): readonly number[] {
  return longTermSpectrum(measureBandFrames(audio, [thirdOctaves])[0]!)[`${part}Db`]
}

/** Measurements of one candidate on one excerpt. */
interface ExcerptReading {
  readonly tonalDistanceDb: number
  /** Share of the power changed by dynamics beyond a constant gain. */
  readonly distortion: number
  readonly burdenDb: number
}

/** Renders an excerpt with every candidate. The repairs of single samples are expensive and mostly shared, so they run once. */
function measureExcerpt(excerpt: Audio, candidates: readonly RecipeCandidate[], heard: Part): ExcerptReading[] {
  const edited = new Map<string, Audio>()
  const render = (recipe: Recipe, stages: readonly RecipeStage[]): Audio => {
    const { edits, rest } = splitRecipe({ ...recipe, stages })
    const key = JSON.stringify(edits.stages)
    const start = edited.get(key) ?? applyRecipe(copyOf(excerpt, excerpt.sampleRateHz), edits).audio
    edited.set(key, start)
    return applyRecipe(copyOf(start, excerpt.sampleRateHz), rest).audio
  }
  // One target for all; without a published one, the candidate as asked.
  let target = wishedTarget(candidates[0]!.plan, excerpt.sampleRateHz, heard)
  return candidates.map(({ plan: { recipe } }) => {
    const stages = recipe.stages.filter((stage) => !isLeftOut(stage))
    const linear = stages.filter((stage) => !isDynamic(stage))
    const full = render(recipe, stages)
    const spectrum = spectrumOf(full, heard)
    target ??= spectrum
    const plrDb = gainToDb(samplePeak(full)) - measureLoudness(full).integratedLufs
    return {
      tonalDistanceDb: distanceDb(spectrum, target),
      distortion: linear.length < stages.length ? residualPower(render(recipe, linear), full) : 0,
      burdenDb: Number.isFinite(plrDb) ? Math.max(0, plrDb - easyPlrDb) : 0,
    }
  })
}

/** Target of a plan plus the tone that the owner asks for; undefined without a target. */
function wishedTarget(
  { targetSpectrum, recipe }: MasteringPlan,
  sampleRateHz: number,
  heard: Part,
): readonly (number | null)[] | undefined {
  const wishes = recipe.stages.filter(({ kind }) => stageOfKind(kind).isAskedFor)
  return targetSpectrum?.[`${heard}_db`].map((level, b) => {
    const hz = targetSpectrum.band_hz[b]!
    return level === null
      ? null
      : wishes.reduce((sum, stage) => sum + responseDb(stage, hz, sampleRateHz)[heard], level)
  })
}

function score(name: RecipeCandidate['name'], readings: readonly ExcerptReading[]): CandidateScore {
  const tonalDistanceDb = readings.reduce((sum, reading) => sum + reading.tonalDistanceDb, 0) / readings.length
  const distortionDb = Math.max(-120, powerToDb(Math.max(...readings.map(({ distortion }) => distortion))))
  // The quiet excerpt does not reach the limiter, whatever its peaks.
  const burdenDb = readings[0]!.burdenDb
  const distortionCost = dbToGain(distortionDb - heavyDistortionDb)
  return {
    name,
    tonalDistanceDb,
    distortionDb,
    burdenDb,
    cost: tonalDistanceDb + burdenWeight * burdenDb + distortionCost,
  }
}

/** Mean |difference| of two spectra between 40 Hz and 16 kHz whatever their levels, dB. */
function distanceDb(one: readonly number[], other: readonly (number | null)[]): number {
  const differences = thirdOctaves.centresHz.flatMap((hz, b) => {
    const level = other[b]
    return hz < 40 || hz > 16_000 || level == null ? [] : [Math.max(one[b]!, -110) - Math.max(level, -110)]
  })
  const mean = differences.reduce((sum, value) => sum + value, 0) / Math.max(1, differences.length)
  return differences.reduce((sum, value) => sum + Math.abs(value - mean), 0) / Math.max(1, differences.length)
}

/** Residual power of `other` after subtracting the best multiple of `one`, as a part of `other`. */
function residualPower(one: Audio, other: Audio): number {
  let product = 0
  let square = 0
  let total = 0
  for (const [c, samples] of one.channels.entries()) {
    const changed = other.channels[c]!
    for (let i = 0; i < samples.length; i++) {
      product += samples[i]! * changed[i]!
      square += samples[i]! ** 2
      total += changed[i]! ** 2
    }
  }
  return total > 0 && square > 0 ? Math.max(0, 1 - product ** 2 / (square * total)) : 0
}
