import { type Biquad, highPass, lowPass } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { type Audio, type AudioBlock, allocateBlock, sliceBlock } from '../dsp/block.ts'
import { powerToDb } from '../dsp/units.ts'
import { sibilantHz } from './sibilance.ts'

/** Range of a voice that an s leaves free, Hz. */
const sungHz = [800, 3500] as const

/** Length of a step, s, and of the mean that smooths the levels, steps. */
const stepSeconds = 0.005
const smoothingSteps = 3
/** Frames filtered at a time. */
const chunkFrames = 8192

/** Least density of a burst against the voice range, dB. */
const leastRatioDb = 3
/** Steps to either side of a burst's peak without a higher one, and most steps to its edges, 8 dB below the peak. */
const loneSteps = 20
const mostSteps = 60
const edgeDb = 8
/** Power of a step below the loudest one that counts as music, linear. */
const quietPart = 1e-3

/** Length of s and sh from edge to edge, s. */
const shortestSeconds = 0.05
const longestSeconds = 0.22
/** Least length of the rise and of the fall, s, and least rise as a part of the fall: a cymbal falls for longer than it rises. */
const leastSlopeSeconds = 0.02
const leastRisePart = 0.25
/** Steepest rise within a step, dB: a drum rises by 12 to 25. */
const steepestDb = 8
/** Least fall of the voice range from its level in the steps before: the voice stops for an s, an instrument plays on. */
const voiceFallDb = 6
const voiceSteps = 40

/** Fewest bursts per minute, and least part of all bursts, for a voice. */
const fewestPerMinute = 4
const leastPart = 0.3

/** Number of passages examined, spread over the song, and length of each, s; a shorter song is examined whole. */
const passageCount = 3
const passageSeconds = 20

/**
 * Returns true for a song whose bursts of 4.5–9 kHz are those of a voice: 50 to 220 ms long, with soft edges, over a voice range that stops
 * for them. Examines three passages of a song longer than a minute. False for silence and for songs whose bursts are those of drums and
 * cymbals. Never throws.
 */
export function hasVoiceBursts(audio: Audio): boolean {
  const passages = passagesOf(audio).map((passage) => stepPowers(passage, audio.sampleRateHz))
  const powers = passages.flatMap(([sibilant, voice]) => Array.from(sibilant, (power, k) => power + voice[k]!))
  const quiet = quietPart * powers.reduce((most, power) => Math.max(most, power), 0)
  const [bursts, spoken] = passages
    .map((passage) => countBursts(passage, quiet))
    .reduce(([all, own], one) => [all + one.bursts, own + one.spoken], [0, 0])
  const minutes = (powers.length * stepSeconds) / 60
  return spoken >= fewestPerMinute * minutes && spoken > 0 && spoken >= leastPart * bursts
}

function passagesOf(audio: Audio): readonly AudioBlock[] {
  const frames = Math.round(passageSeconds * audio.sampleRateHz)
  if (audio.frames <= passageCount * frames) return [audio]
  return Array.from({ length: passageCount }, (_, i) => {
    const start = Math.round(((i + 0.5) / passageCount) * audio.frames - frames / 2)
    return sliceBlock(audio, start, start + frames)
  })
}

/** Counts the bursts of a passage, and those of a voice among them, where its power is above `quiet`. */
function countBursts([sibilant, voice]: Powers, quiet: number): { readonly bursts: number; readonly spoken: number } {
  const high = smoothedDb(sibilant)
  const middle = smoothedDb(voice)
  const widthsDb = powerToDb((sibilantHz[1] - sibilantHz[0]) / (sungHz[1] - sungHz[0]))
  let bursts = 0
  let spoken = 0
  for (let peak = mostSteps; peak < high.length - mostSteps; peak++) {
    if (sibilant[peak]! + voice[peak]! < quiet) continue
    const burst = burstAt(high, peak)
    if (!burst) continue
    let ratioDb = Number.NEGATIVE_INFINITY
    for (let k = burst.from; k < burst.to; k++) ratioDb = Math.max(ratioDb, high[k]! - middle[k]! - widthsDb)
    if (ratioDb < leastRatioDb) continue
    bursts++
    if (isSpoken(burst, high, middle)) spoken++
  }
  return { bursts, spoken }
}

/** Steps of a burst: its peak, the first and the one past the last that are within 8 dB of it. */
interface Burst {
  readonly peak: number
  readonly from: number
  readonly to: number
}

function burstAt(levels: Float64Array, peak: number): Burst | null {
  const top = levels[peak]!
  for (let k = peak - loneSteps; k <= peak + loneSteps; k++) {
    // Of a flat top only the first step counts.
    if (levels[k]! > top || (levels[k] === top && k < peak)) return null
  }
  let from = peak
  let to = peak
  while (peak - from < mostSteps && levels[from - 1]! > top - edgeDb) from--
  while (to - peak < mostSteps && levels[to]! > top - edgeDb) to++
  return peak - from === mostSteps || to - peak === mostSteps ? null : { peak, from, to }
}

function isSpoken({ peak, from, to }: Burst, high: Float64Array, middle: Float64Array): boolean {
  const [rise, fall] = [(peak - from + 1) * stepSeconds, (to - peak) * stepSeconds]
  if (rise + fall < shortestSeconds || rise + fall > longestSeconds) return false
  if (rise < leastSlopeSeconds || fall < leastSlopeSeconds || rise < leastRisePart * fall) return false
  for (let k = Math.max(1, from - 4); k <= peak; k++) if (high[k]! - high[k - 1]! > steepestDb) return false
  const before = middle.subarray(Math.max(0, from - voiceSteps), from)
  const during = middle.subarray(from, to)
  const mean = during.reduce((sum, level) => sum + level, 0) / during.length
  return before.reduce((most, level) => Math.max(most, level), -200) - mean >= voiceFallDb
}

type Range = readonly [number, number]

/** Returns sections that pass a range, with Butterworth slopes of fourth order. */
function passed([lowHz, highHz]: Range, sampleRateHz: number): Biquad[] {
  const top = Math.min(highHz, 0.45 * sampleRateHz)
  return [0.5412, 1.3066].flatMap((q) => [highPass(lowHz, sampleRateHz, q), lowPass(top, sampleRateHz, q)])
}

/** Power of the mid in the ranges of s and of the voice, step by step. */
type Powers = readonly [Float64Array, Float64Array]

/** Returns the powers of a passage; a remainder at its end is dropped. */
function stepPowers({ channels, frames }: AudioBlock, sampleRateHz: number): Powers {
  const [left, right] = channels as [Float32Array, Float32Array]
  const step = Math.round(stepSeconds * sampleRateHz)
  const count = Math.floor(frames / step)
  const powers: Powers = [new Float64Array(count), new Float64Array(count)]
  // One channel for each range: a pass filters two.
  const filter = createBiquadCascade(passed(sibilantHz, sampleRateHz), passed(sungHz, sampleRateHz))
  const scratch = allocateBlock(2, chunkFrames)
  for (let start = 0; start < frames; start += chunkFrames) {
    const block = sliceBlock(scratch, 0, Math.min(chunkFrames, frames - start))
    const [mid, copy] = block.channels as [Float32Array, Float32Array]
    for (let i = 0; i < mid.length; i++) mid[i] = (left[start + i]! + right[start + i]!) / 2
    copy.set(mid)
    filter.process(block)
    for (const [range, samples] of block.channels.entries()) addPowers(powers[range]!, samples, start, step)
  }
  return powers
}

/** Adds the squares of samples, which begin at frame `start`, to the powers of their steps. */
function addPowers(powers: Float64Array, samples: Float32Array, start: number, step: number): void {
  for (let i = 0; i < samples.length; ) {
    const k = Math.floor((start + i) / step)
    if (k >= powers.length) return
    const end = Math.min(samples.length, (k + 1) * step - start)
    let power = powers[k]!
    for (; i < end; i++) power += samples[i]! * samples[i]!
    powers[k] = power
  }
}

/** Returns levels of the moving mean of powers, dB. */
function smoothedDb(powers: Float64Array): Float64Array {
  const reach = (smoothingSteps - 1) / 2
  return powers.map((_, k) => {
    let sum = 0
    for (let i = Math.max(0, k - reach); i <= Math.min(powers.length - 1, k + reach); i++) sum += powers[i]!
    return powerToDb(sum / smoothingSteps + 1e-16)
  })
}
