import {
  activeFrames,
  type BandFrames,
  inaudibleDbfs,
  levelDb,
  quantile,
  sortedLevels,
} from '../dsp/meters/spectrum.ts'
import { mix, power } from '../dsp/units.ts'
import { fineBandsPerOctave } from './bandwidth.ts'
import { correlation } from './correlation.ts'

/** A narrow peak that persists while the music changes: a resonance, or a whistle. */
export interface Resonance {
  readonly frequencyHz: number
  /** Its typical height above its surroundings, dB. */
  readonly excessDb: number
  readonly q: number
}

/** Search range, Hz, of the metallic peaks that decoders of generated music leave. */
const lowestHz = 4000
const highestHz = 12_000
/** Surroundings on either side: between an eighth and three eighths of an octave away, in bands of a 24th. */
const nearest = 3
const farthest = 9
/** Reach of the surroundings, octaves. */
export const surroundingsOctaves = farthest / fineBandsPerOctave
/** Typical excess of a resonance over the surroundings on either side, dB, at least: a step stands above one side only. */
const fewestDb = 4
/**
 * Excess over both sides, dB, that a resonance keeps for this share of the time: partials of notes come and go, a resonance stays. One
 * chord may last through a short piece, so the shortest must show the peak all the time and others less in proportion, down to this share
 * at the last figure.
 */
const lastingDb = 2.5
const leastPersistence = 0.9
const longSeconds = 90
/**
 * Least correlation of its level with that of its surroundings: a resonance rises and falls with what excites it, a note by itself.
 * Alternatively its level stays within this many dB of its median for the same share of the time, as a whistle does that loud music hides.
 */
const leastCorrelation = 0.75
const steadyDb = 3
const mostResonances = 4

/**
 * Returns at most four persistent narrow peaks between 4 and 12 kHz, the highest first. `frames` must hold bands of a 24th of an octave.
 * Judged by medians over the active frames, so that cymbals and notes do not count. Returns nothing for silence or for inaudible peaks.
 */
export function findResonances(frames: BandFrames, durationSeconds: number): Resonance[] {
  const { bands, mid, side } = frames
  const isActive = activeFrames(frames)
  const powers = mid.map((power, i) => power + side[i]!)
  const typical = bands.centresHz.map((_, b) => quantile(sortedLevels(frames, powers, b, isActive), 0.5))
  const least = mix(1, leastPersistence, Math.min(1, durationSeconds / longSeconds))
  const found: Resonance[] = []
  for (let b = farthest; b < typical.length - farthest; b++) {
    const frequencyHz = bands.centresHz[b]!
    if (frequencyHz < lowestHz || frequencyHz > highestHz) continue
    const excessDb = typical[b]! - higherSide(typical, b)
    const isPeak = typical[b]! >= typical[b - 1]! && typical[b]! > typical[b + 1]!
    if (!isPeak || !(excessDb >= fewestDb) || typical[b]! < inaudibleDbfs) continue
    const { levels, around, excess } = courseOf(frames, powers, b, isActive)
    const lasts = quantile(excess.sort(), 1 - least) >= lastingDb && correlation(levels, around) >= leastCorrelation
    const isSteady = typical[b]! - quantile(Float64Array.from(levels).sort(), 1 - least) < steadyDb
    if (!lasts && !isSteady) continue
    found.push({ frequencyHz, excessDb, q: widthQ(typical, b, excessDb) })
  }
  return found.sort((one, other) => other.excessDb - one.excessDb).slice(0, mostResonances)
}

/** Median level of the bands below and above band b. */
function sidesOf(levels: ArrayLike<number>, b: number): readonly [number, number] {
  const side = (sign: number) =>
    Float64Array.from({ length: farthest - nearest + 1 }, (_, i) => levels[b + sign * (nearest + i)]!).sort()
  return [quantile(side(-1), 0.5), quantile(side(1), 0.5)]
}

/** Level of the higher side of band b. */
const higherSide = (levels: ArrayLike<number>, b: number): number => Math.max(...sidesOf(levels, b))

/** Levels of a band over the active frames, those of its surroundings, and its excess over the higher side, dB. */
function courseOf({ bands, frameCount }: BandFrames, powers: Float32Array, b: number, isActive: Uint8Array) {
  const count = bands.centresHz.length
  const levels: number[] = []
  const around: number[] = []
  const excess: number[] = []
  for (let f = 0; f < frameCount; f++) {
    if (!isActive[f]) continue
    const row = powers.subarray(f * count + b - farthest, f * count + b + farthest + 1)
    const [below, above] = sidesOf(row, farthest).map(levelDb) as [number, number]
    const level = levelDb(row[farthest]!)
    levels.push(level)
    around.push((below + above) / 2)
    excess.push(level - Math.max(below, above))
  }
  return { levels, around, excess: Float64Array.from(excess) }
}

/** Q of the peak, from the bands within half its height (in dB). */
function widthQ(typical: readonly number[], b: number, excessDb: number): number {
  let low = b
  let high = b
  while (low > b - nearest && typical[low - 1]! > typical[b]! - excessDb / 2) low--
  while (high < b + nearest && typical[high + 1]! > typical[b]! - excessDb / 2) high++
  const octaves = (high - low + 1) / 24
  return Math.min(20, Math.max(4, 1 / (power(2, octaves / 2) - power(2, -octaves / 2))))
}
