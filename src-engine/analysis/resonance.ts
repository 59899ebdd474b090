import { activeFrames, type BandFrames, inaudibleDbfs, quantile, sortedLevels } from '../dsp/meters/spectrum.ts'
import { dbToPower, mix, power } from '../dsp/units.ts'
import { fineBandsPerOctave } from './bandwidth.ts'

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
/** Surroundings: between an eighth and three eighths of an octave away, in bands of a 24th. */
const nearest = 3
const farthest = 9
/** Reach of the surroundings, octaves. */
export const surroundingsOctaves = farthest / fineBandsPerOctave
/** Typical excess of a resonance over its surroundings, dB, at least ... */
const fewestDb = 4
/**
 * ... and a quarter of that for this share of the time: partials of notes come and go, a resonance stays. Alternatively its own level
 * stays, for the same share of the time, within this many dB of its median, as a whistle hidden by loud music does. One chord may last
 * through a short piece, so the shortest must show the peak all the time and others less in proportion, down to this share at the last
 * figure.
 */
const persistentPart = 0.25
const leastPersistence = 0.9
const steadyDb = 3
const longSeconds = 90
const mostResonances = 4

/**
 * Returns at most four persistent narrow peaks between 4 and 12 kHz, the highest first. `frames` must hold bands of a 24th of an octave.
 * Judged by medians over the active frames, so that cymbals and notes do not count. Returns nothing for silence or for inaudible peaks.
 */
export function findResonances(frames: BandFrames, durationSeconds: number): Resonance[] {
  const { bands, frameCount, mid, side } = frames
  const count = bands.centresHz.length
  const isActive = activeFrames(frames)
  const powers = mid.map((power, i) => power + side[i]!)
  const levels = bands.centresHz.map((_, b) => sortedLevels(frames, powers, b, isActive))
  const typical = levels.map((ascending) => quantile(ascending, 0.5))
  const least = mix(1, leastPersistence, Math.min(1, durationSeconds / longSeconds))
  const found: Resonance[] = []
  for (let b = farthest; b < count - farthest; b++) {
    const frequencyHz = bands.centresHz[b]!
    if (frequencyHz < lowestHz || frequencyHz > highestHz) continue
    const excessDb = typical[b]! - surroundings(typical, b)
    const isPeak = typical[b]! >= typical[b - 1]! && typical[b]! > typical[b + 1]!
    if (!isPeak || !(excessDb >= fewestDb) || typical[b]! < inaudibleDbfs) continue
    const stays =
      typical[b]! - quantile(levels[b]!, 1 - least) < steadyDb ||
      persistenceOf(powers, count, frameCount, isActive, b, excessDb * persistentPart) >= least
    if (!stays) continue
    found.push({ frequencyHz, excessDb, q: widthQ(typical, b, excessDb) })
  }
  return found.sort((one, other) => other.excessDb - one.excessDb).slice(0, mostResonances)
}

/** Median level of the bands around band b. */
function surroundings(levels: ArrayLike<number>, b: number): number {
  const around: number[] = []
  for (let d = nearest; d <= farthest; d++) around.push(levels[b - d]!, levels[b + d]!)
  return quantile(Float64Array.from(around).sort(), 0.5)
}

/** Share of the playing time, 0 … 1, with a band at least `thresholdDb` above its surroundings. */
function persistenceOf(
  powers: Float32Array,
  count: number,
  frameCount: number,
  isActive: Uint8Array,
  b: number,
  thresholdDb: number,
): number {
  const factor = dbToPower(thresholdDb)
  let playing = 0
  let standing = 0
  for (let f = 0; f < frameCount; f++) {
    if (!isActive[f]) continue
    playing++
    const row = powers.subarray(f * count, (f + 1) * count)
    if (row[b]! > surroundings(row, b) * factor) standing++
  }
  return playing > 0 ? standing / playing : 0
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
