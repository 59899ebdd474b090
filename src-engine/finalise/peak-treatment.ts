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
 * The limiter for when nothing else is known, and for steady sounds: the look-ahead spans half a period of 30 Hz and the slow part holds
 * the gain through repeated peaks, so that bass and its company stay undistorted.
 */
export const steadyLimiter: LimiterSettings = { lookAheadMs: 8.5, fastReleaseMs: 60, slowRiseMs: 80, slowFallMs: 600 }

/** A limiter that only looks ahead: the gain is back as soon as the peak is over. */
function promptLimiter(lookAheadMs: number): LimiterSettings {
  return { lookAheadMs, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 }
}

/** A combination of limiter and clipper. */
interface Candidate {
  readonly limiter: LimiterSettings
  /**
   * Level of the clipper above the ceiling in dB, at the gain that would reach the loudness if nothing were limited; null: no clipper.
   */
  readonly clipAboveDb: number | null
}

/** Limiter and clipper for a song. */
export interface Treatment {
  readonly limiter: LimiterSettings
  /** Linear level of the untouched song at which the soft clipper works; null: no clipper. */
  readonly clipLimit: number | null
  /** Input gain that is expected to reach the target. */
  readonly gainDb: number
}

/**
 * Found by trying 15 combinations on 37 songs at −9 and −7 LUFS: of those that PEAQ preferred somewhere the fewest that leave hardly
 * anything to gain. The steady one is for tones.
 */
const candidates: readonly Candidate[] = [
  { limiter: steadyLimiter, clipAboveDb: null },
  { limiter: promptLimiter(1), clipAboveDb: null },
  { limiter: promptLimiter(0.5), clipAboveDb: null },
  { limiter: promptLimiter(1), clipAboveDb: 1 },
  { limiter: promptLimiter(2.5), clipAboveDb: 0.5 },
  { limiter: promptLimiter(1), clipAboveDb: 0 },
  { limiter: promptLimiter(1), clipAboveDb: -0.5 },
]

/** Six stretches of 1.5 s stand for the song. */
const stretchCount = 6
const stretchSeconds = 1.5
/** Peaks that stick out by less are limited without trials: no treatment of them is heard. */
const harmlessDb = 1
const harmlessLimiter = promptLimiter(5)

/** A treatment and what it did to the excerpt of the song: see {@link createDistortionMeter}. */
interface Weighed extends Treatment {
  readonly distortionDb: number
}

/**
 * Tries ways to bring a song to the loudness of a goal: each is brought to it on an excerpt, rendered, and compared
 * with the untouched music. Candidates that cannot reach the loudness, or only at a gain that exceeds what is to come out by more
 * than the budget of reduction, are left out.
 */
export function weighCandidates(
  song: FinaliseSource,
  { ceiling, aimedLufs, meanReductionDb }: LoudnessGoal,
): Weighed[] {
  const gainDb = aimedLufs - song.loudness.integratedLufs
  const excerpt = excerptOf(song, ceiling / dbToGain(gainDb))
  // The excerpt is a fair sample of the loud parts: limited, it must be as much louder as the whole song.
  const powerDb = createLimiterTrial(excerpt, Infinity, harmlessLimiter).powerDbAt(gainDb)
  const { channels, frames } = excerpt.audio
  // One each for all: the memory of seven would not be given back in time.
  const space = { clipped: allocateBlock(channels.length, frames), rendered: allocateBlock(channels.length, frames) }
  const aim = { ceiling, startDb: gainDb, powerDb, mostDb: meanReductionDb }
  const distortionOf = createDistortionMeter(excerpt.audio, dbToGain(gainDb))
  const weighed: Weighed[] = []
  for (const candidate of candidates) {
    const treatment = tryCandidate(excerpt, candidate, aim, space)
    if (treatment === null) continue
    weighed.push({ ...treatment, distortionDb: distortionOf(space.rendered) })
  }
  return weighed
}

/** The excerpt only resembles the song: a treatment that takes no more than this share of the budget there is safe to stay inside it. */
const comfortableShare = 0.8
/** Each treatment that is tried on the whole song costs a closed loop. */
const mostTried = 3
/** Step by which the loudness of the trials is lowered when nothing reaches it at a bearable loss, LU. */
const retreatLu = 1.5
const mostRetreats = 5

/**
 * Returns treatments in the order in which they are to be tried on the whole song, at least one: first that with the least
 * distortion among those that give up clearly less level than the goal allows; where none does but one stays inside it,
 * that which gives up least. Where none can, the goal is out of reach and the song will stop below it: the trials are repeated at
 * lower loudness, so that what is delivered sounds best where it ends, instead of getting there loudest. The later ones give up
 * less and less, for a song that loses more than its excerpt let expect. See {@link weighCandidates}.
 */
export function chooseTreatments(song: FinaliseSource, goal: LoudnessGoal): readonly Treatment[] {
  const { ceiling, meanReductionDb } = goal
  for (let retreat = 0; ; retreat++) {
    const aimedLufs = goal.aimedLufs - retreat * retreatLu
    const gainDb = aimedLufs - song.loudness.integratedLufs
    const steady = { limiter: steadyLimiter, clipLimit: null, gainDb }
    const isHarmless = song.truePeak * dbToGain(gainDb) < ceiling * dbToGain(harmlessDb)
    if (isHarmless) return [retreat === 0 ? { ...steady, limiter: harmlessLimiter } : steady]
    const possible = weighCandidates(song, { ...goal, aimedLufs }).sort((a, b) => a.distortionDb - b.distortionDb)
    if (possible.length > 0) {
      const comfortable = possible.find((next) => next.gainDb - gainDb <= comfortableShare * meanReductionDb)
      const ladder = [comfortable ?? possible.reduce((least, next) => (next.gainDb < least.gainDb ? next : least))]
      for (const next of possible) if (next.gainDb < ladder.at(-1)!.gainDb) ladder.push(next)
      return ladder.slice(0, mostTried)
    }
    if (retreat === mostRetreats) return [steady]
  }
}

/**
 * Returns stretches of the song, joined: of all loud stretches, sorted by how much of them lies above `threshold`, six evenly
 * spaced ones. A song shorter than the excerpt is taken whole.
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

/** Sum of what the values [first, end) have above `level`, which is not negative. */
function sumAbove(values: Float32Array, first: number, end: number, level: number): number {
  let sum = 0
  for (let i = first; i < end; i++) if (values[i]! > level) sum += values[i]! - level
  return sum
}

/** Goal of the trials on an excerpt. */
interface Aim {
  /** Linear. */
  readonly ceiling: number
  /** Gain at which the search begins. */
  readonly startDb: number
  /** Mean K-weighted power to reach. */
  readonly powerDb: number
  /** Most that may be added to the gain. */
  readonly mostDb: number
}

/** Tolerance of the predicted power of an excerpt, dB. */
const powerToleranceDb = 0.02
/** A treatment that comes out quieter by more than this looks better for it: it is turned up and rendered again, dB. */
const fairDb = 0.1
const mostLooks = 3

/** Memory of a trial. */
interface TrialSpace {
  readonly clipped: AudioBlock
  readonly rendered: AudioBlock
}

/** Renders an excerpt with a candidate at the power aimed at, into `rendered`; null where that takes more gain than it may. */
function tryCandidate(
  excerpt: Song,
  candidate: Candidate,
  aim: Aim,
  { clipped, rendered }: TrialSpace,
): Treatment | null {
  const { ceiling, startDb, powerDb, mostDb } = aim
  const { audio, peaks } = excerpt
  const { limiter, clipAboveDb } = candidate
  const capDb = startDb + mostDb
  const clipLimit = clipAboveDb === null ? null : ceiling * dbToGain(clipAboveDb - startDb)
  // Clipping does not depend on the gain: once serves the material and every look.
  const tops = clippedFrames(audio, peaks, clipLimit, 0, clipped)
  const material = clipLimit === null ? excerpt : clipMaterial(excerpt, clipLimit, tops)
  const trial = createLimiterTrial(material, ceiling, limiter)
  let predictedDb = powerDb
  for (let look = 1; ; look++) {
    const { gainDb, value } = solveGain((db) => trial.powerDbAt(db), predictedDb, startDb, capDb, powerToleranceDb)
    if (gainDb >= capDb && value < predictedDb - powerToleranceDb) return null
    applyControls(tops, trial.controls, 0, dbToGain(gainDb), rendered)
    const missingDb = powerDb - weightedPowerDb(rendered, audio.sampleRateHz)
    if (Math.abs(missingDb) <= fairDb || look === mostLooks) return { limiter, clipLimit, gainDb }
    predictedDb += missingDb
  }
}
