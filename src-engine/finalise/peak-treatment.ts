import type { PeakTreatment } from '../../src-contract/recipe.ts'
import { type AudioBlock, allocateBlock } from '../dsp/block.ts'
import { peakGroupFrames } from '../dsp/meters/true-peak.ts'
import { dbToGain } from '../dsp/units.ts'
import { createDistortionMeter } from './distortion.ts'
import { applyControls, type LimiterSettings } from './limiter.ts'
import {
  clipMaterial,
  clippedFrames,
  createLimiterTrial,
  type FinaliseSource,
  type LoudnessGoal,
  type Song,
  solveGain,
  weightedPowerDb,
} from './material.ts'

/**
 * Default limiter, for steady sounds: the look-ahead spans half a period of 30 Hz and the slow part holds the gain through repeated peaks,
 * so bass, and the music over it, stay undistorted.
 */
export const steadyLimiter: LimiterSettings = { lookAheadMs: 8.5, fastReleaseMs: 60, slowRiseMs: 80, slowFallMs: 600 }

/** A limiter that only looks ahead; the gain returns as soon as the peak is over. */
function promptLimiter(lookAheadMs: number): LimiterSettings {
  return { lookAheadMs, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 }
}

/** Limiter and clipper for a song. */
export interface Treatment {
  readonly limiter: LimiterSettings
  /** Level of the soft clipper, linear, relative to the untouched song; null: no clipper. */
  readonly clipLimit: number | null
  /** The same above the ceiling, dB, at the gain that would reach the loudness without limiting. */
  readonly clipAboveDb: number | null
  /** Input gain that is expected to reach the target. */
  readonly gainDb: number
}

/**
 * Smallest sufficient set from trials of 25 combinations on 26 songs at −9 and −7 LUFS, judged by PEAQ. The steady one is for tones, the
 * hardest clipper for dense peaks, between which a limiter's gain hardly returns.
 */
const candidates: readonly PeakTreatment[] = [
  { limiter: steadyLimiter, clipAboveDb: null },
  { limiter: promptLimiter(1), clipAboveDb: null },
  { limiter: promptLimiter(0.5), clipAboveDb: null },
  { limiter: promptLimiter(1), clipAboveDb: 1 },
  { limiter: promptLimiter(0.5), clipAboveDb: 0 },
  { limiter: promptLimiter(0.5), clipAboveDb: -0.5 },
  { limiter: promptLimiter(0.5), clipAboveDb: -0.9 },
]

/** Six stretches of 1.5 s stand for the song. */
const stretchCount = 6
const stretchSeconds = 1.5
/** Largest excess of peaks limited without trials, dB: any treatment is inaudible. */
const harmlessDb = 1
const harmlessLimiter = promptLimiter(5)

/** A treatment and its distortion on the song's excerpt: see {@link createDistortionMeter}. */
interface Weighed extends Treatment {
  readonly distortionDb: number
}

/**
 * Tries candidates for bringing a song to a loudness goal: each is rendered at that loudness on an excerpt and compared with the untouched
 * music. Omits candidates that cannot reach the loudness, or only at a gain that exceeds the output's by more than the reduction budget.
 */
export function weighCandidates(
  song: FinaliseSource,
  { ceiling, aimedLufs, meanReductionDb }: LoudnessGoal,
  tried: readonly PeakTreatment[] = candidates,
): Weighed[] {
  const gainDb = aimedLufs - song.loudness.integratedLufs
  const excerpt = excerptOf(song, ceiling / dbToGain(gainDb))
  // The excerpt is a fair sample of the loud parts: limiting must raise it as much as the whole song.
  const powerDb = createLimiterTrial(excerpt, Infinity, harmlessLimiter).powerDbAt(gainDb)
  const { channels, frames } = excerpt.audio
  // Shared by all trials: the memory of seven would not be collected in time.
  const space = { clipped: allocateBlock(channels.length, frames), rendered: allocateBlock(channels.length, frames) }
  const aim = { ceiling, startDb: gainDb, powerDb, mostDb: meanReductionDb }
  const distortionOf = createDistortionMeter(excerpt.audio, dbToGain(gainDb))
  const weighed: Weighed[] = []
  for (const candidate of tried) {
    const treatment = tryCandidate(excerpt, candidate, aim, space)
    if (treatment === null) continue
    weighed.push({ ...treatment, distortionDb: distortionOf(space.rendered) })
  }
  return weighed
}

/** Share of the budget that is safe on an excerpt, which only resembles the song. */
const comfortableShare = 0.8
/** Most treatments tried on the whole song; each costs a closed loop. */
const mostTried = 3
/** Step that lowers the loudness of the trials if none reaches it at a bearable loss, LU. */
const retreatLu = 1.5
const mostRetreats = 5

const isSame = (one: PeakTreatment, other: PeakTreatment): boolean =>
  one.clipAboveDb === other.clipAboveDb &&
  (Object.keys(one.limiter) as (keyof LimiterSettings)[]).every((name) => one.limiter[name] === other.limiter[name])

/** A treatment that no trial brought to the loudness. */
function untried({ limiter, clipAboveDb }: PeakTreatment, { ceiling, gainDb }: { ceiling: number; gainDb: number }) {
  const clipLimit = clipAboveDb === null ? null : ceiling * dbToGain(clipAboveDb - gainDb)
  return { limiter, clipLimit, clipAboveDb, gainDb }
}

/**
 * Returns at least one treatment, in the order to be tried on the whole song. First comes the least distortion among the treatments that
 * give up clearly less level than the goal allows, or else the treatment within the goal that gives up least. If none is within it, the
 * song will stop below its goal: the trials are repeated at lower loudness, to choose the best sound at the loudness reached. Later
 * treatments give up less and less, for a song that loses more than its excerpt suggested. `only` is the requested one, which replaces all
 * others. See {@link weighCandidates}.
 */
export function chooseTreatments(song: FinaliseSource, goal: LoudnessGoal, only?: PeakTreatment): readonly Treatment[] {
  const { ceiling, meanReductionDb } = goal
  for (let retreat = 0; ; retreat++) {
    const aimedLufs = goal.aimedLufs - retreat * retreatLu
    const gainDb = aimedLufs - song.loudness.integratedLufs
    const steady = { limiter: steadyLimiter, clipLimit: null, clipAboveDb: null, gainDb }
    const isHarmless = song.truePeak * dbToGain(gainDb) < ceiling * dbToGain(harmlessDb)
    const harmless = retreat === 0 ? { ...steady, limiter: harmlessLimiter } : steady
    if (isHarmless && (!only || isSame(only, harmless))) return [harmless]
    const possible = weighCandidates(song, { ...goal, aimedLufs }, only && [only]).sort(
      (a, b) => a.distortionDb - b.distortionDb,
    )
    if (possible.length > 0) {
      const comfortable = possible.find((next) => next.gainDb - gainDb <= comfortableShare * meanReductionDb)
      const ladder = [comfortable ?? possible.reduce((least, next) => (next.gainDb < least.gainDb ? next : least))]
      for (const next of possible) if (next.gainDb < ladder.at(-1)!.gainDb) ladder.push(next)
      return ladder.slice(0, mostTried)
    }
    if (retreat === mostRetreats) return [only ? untried(only, { ceiling, gainDb }) : steady]
  }
}

/**
 * Returns an excerpt of joined stretches: six evenly spaced ranks among the loud stretches, sorted by their excess above `threshold`. A
 * song shorter than the excerpt is taken whole.
 */
function excerptOf(song: Song, threshold: number): Song {
  const { audio, peaks, energies, sampleRateHz } = song
  const length = Math.round((stretchSeconds * sampleRateHz) / peakGroupFrames)
  const count = Math.floor(peaks.length / length)
  if (count <= stretchCount) return song
  const stretches = Array.from({ length: count }, (_, i) => i)
  const energy = stretches.map((i) => sumAbove(energies, i * length, (i + 1) * length, 0))
  const excess = stretches.map((i) => sumAbove(peaks, i * length, (i + 1) * length, threshold))
  const gate = energy.reduce((sum, one) => sum + one, 0) / count / 10
  const loud = stretches.filter((i) => energy[i]! > gate).sort((a, b) => excess[b]! - excess[a]! || a - b)
  const taken = Math.min(stretchCount, loud.length)
  const chosen = Array.from({ length: taken }, (_, k) => loud[Math.floor(((k + 0.5) / taken) * loud.length)]! * length)
  chosen.sort((a, b) => a - b)
  const joined = {
    audio: { ...allocateBlock(audio.channels.length, chosen.length * length * peakGroupFrames), sampleRateHz },
    peaks: new Float32Array(chosen.length * length),
    energies: new Float32Array(chosen.length * length),
    sampleRateHz,
  }
  for (const [k, first] of chosen.entries()) {
    joined.peaks.set(peaks.subarray(first, first + length), k * length)
    joined.energies.set(energies.subarray(first, first + length), k * length)
    for (const [c, samples] of audio.channels.entries()) {
      const from = samples.subarray(first * peakGroupFrames, (first + length) * peakGroupFrames)
      joined.audio.channels[c]!.set(from, k * length * peakGroupFrames)
    }
  }
  return joined
}

/** Sum of the excess of the values [first, end) over a non-negative `level`. */
function sumAbove(values: Float32Array, first: number, end: number, level: number): number {
  let sum = 0
  for (let i = first; i < end; i++) if (values[i]! > level) sum += values[i]! - level
  return sum
}

/** Goal of the trials on an excerpt. */
interface Aim {
  /** Linear. */
  readonly ceiling: number
  /** Start of the search, dB of gain. */
  readonly startDb: number
  /** Mean K-weighted power to reach. */
  readonly powerDb: number
  /** Largest permitted addition to the gain, dB. */
  readonly mostDb: number
}

/** Tolerance of the predicted power of an excerpt, dB. */
const powerToleranceDb = 0.02
/** Loudness shortfall that would flatter a treatment, dB: beyond it the gain is raised and the excerpt rendered again. */
const fairDb = 0.1
const mostLooks = 3

/** Memory of a trial. */
interface TrialSpace {
  readonly clipped: AudioBlock
  readonly rendered: AudioBlock
}

/** Renders an excerpt with a candidate at the target power into `rendered`; null if that takes too much gain. */
function tryCandidate(
  excerpt: Song,
  candidate: PeakTreatment,
  aim: Aim,
  { clipped, rendered }: TrialSpace,
): Treatment | null {
  const { ceiling, startDb, powerDb, mostDb } = aim
  const { audio, peaks } = excerpt
  const { limiter, clipAboveDb } = candidate
  const capDb = startDb + mostDb
  const clipLimit = clipAboveDb === null ? null : ceiling * dbToGain(clipAboveDb - startDb)
  // Clipping does not depend on the gain, so one pass serves the material and every rendering.
  const tops = clippedFrames(audio, peaks, clipLimit, 0, clipped)
  const material = clipLimit === null ? excerpt : clipMaterial(excerpt, clipLimit, tops)
  const trial = createLimiterTrial(material, ceiling, limiter)
  let predictedDb = powerDb
  for (let look = 1; ; look++) {
    const { gainDb, value } = solveGain((db) => trial.powerDbAt(db), predictedDb, startDb, capDb, powerToleranceDb)
    if (gainDb >= capDb && value < predictedDb - powerToleranceDb) return null
    applyControls(tops, trial.controls, 0, dbToGain(gainDb), rendered)
    const missingDb = powerDb - weightedPowerDb(rendered, audio.sampleRateHz)
    if (Math.abs(missingDb) <= fairDb || look === mostLooks) return { limiter, clipLimit, clipAboveDb, gainDb }
    predictedDb += missingDb
  }
}
