import type { FlutterLine } from '../../src-contract/stages/deflutter.ts'
import { bandPass } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { type Audio, type AudioBlock, allocateBlock, sliceBlock } from '../dsp/block.ts'
import { clamp, powerToDb } from '../dsp/units.ts'

/** Flutter of the level at a decoder's frame rate. */
export interface Flutter {
  /** Frequency of the strongest movement of the level, Hz. */
  readonly frequencyHz: number
  readonly lines: readonly FlutterLine[]
}

/** Frames per second of the latents that ACE-Step decodes: 4096 samples at 44.1 kHz (arXiv 2506.00045); DiffRhythm has twice as many (2503.01183). */
const frameHz = 44_100 / 4096
/** Multiples of it found in their songs' levels. */
const multiples = [2, 3, 4, 6, 8]

/** Length from the middle of a longer song that is searched for flutter; if any is found, the whole song is measured, s. */
const heardSeconds = 60
/** Time between two swings of a line, s: each is the mean of twice as long. */
export const swingStepSeconds = 20
/** Shortest song with enough flutter to detect, s. */
const leastSeconds = 20
/** Time between two levels, s: 128 samples at 44.1 kHz. */
const stepSeconds = 128 / 44_100
/** Half the window of the mean that levels are compared with, s. */
const meanReachSeconds = 0.05
/** Largest distance from the mean, dB; beats and gaps lie beyond. */
const mostDistanceDb = 6
/** Silence threshold relative to the loudest moment, as power. */
const silentPart = 1e-6
/** Length of the compared stretches, s: everything within 3 Hz of a movement counts as the noise that hides it. */
const stretchSeconds = 1 / 6

/**
 * Bounds of the evidence: power of a movement in constant phase through the whole song over the power of all movements near it; 1 on
 * average without flutter. Of one channel. Ours, from five songs of two generators and 60 s of pieces by people (docs/engine/repair.md).
 */
const leastInAll = 30
const leastSecond = 5
/** Margin over beats of a similar rate, which have others near them. */
const overBeats = 4
const beatsApart = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 16, 20, 24, 25, 30]
const slowestBeatHz = 8
const fastestBeatHz = 165
/** Least evidence of a movement in one band, below which it may be chance, and least swing worth correcting, dB. */
const leastInBand = 6
const leastSwingDb = 0.03
const mostSwingDb = 1.5

/** Band edges for measuring and steadying flutter, Hz. Below, levels follow single periods of the bass. */
export const flutterBordersHz: readonly number[] = [1000, 2000, 4000, 8000]
/** Q of the two cascaded sections that isolate a band. */
const bandQ = 1.2

/** Levels of one channel in one region of the spectrum, as distances from their means, dB. */
interface Series {
  readonly distances: Float64Array
  /** Levels per second. */
  readonly rateHz: number
}

/** A movement of a series at one frequency. */
interface Movement {
  /** Power in constant phase over the power nearby; 1 on average by chance. */
  readonly evidence: number
  readonly swingDb: number
  /** Of the first level. */
  readonly phase: number
  /** Swing in that phase of every stretch, dB; noisy, and of either sign. */
  readonly stretchSwingsDb: Float64Array
}

const stepOf = (sampleRateHz: number): number => Math.max(1, Math.round(stepSeconds * sampleRateHz))

/**
 * Returns the flutter that a decoder left in the level of a channel, or null. Movements count if they repeat at two or more of the known
 * multiples of a decoder's frame rate, hold their phase throughout and are not explained by the beat, which has neighbours. Null for pieces
 * under 20 s; of long ones the middle minute is searched. Never throws.
 */
export function findFlutter(audio: Audio): Flutter | null {
  const { sampleRateHz } = audio
  if (audio.frames < leastSeconds * sampleRateHz) return null
  // Each channel by itself: a decoder that makes the channels one by one may flutter in one of them alone.
  const isFound = middleOf(audio, heardSeconds).channels.some((samples) => isHeard(slopesOf(samples, sampleRateHz)))
  return isFound ? describeFlutter(audio) : null
}

/** Returns up to `seconds` from the middle of a song. */
function middleOf(audio: Audio, seconds: number): AudioBlock {
  const length = Math.min(audio.frames, Math.round(seconds * audio.sampleRateHz))
  const start = Math.floor((audio.frames - length) / 2)
  return sliceBlock(audio, start, start + length)
}

/** Returns the levels of a channel's slope and bend, which stand for its middle and its upper frequencies. */
function slopesOf(samples: Float32Array, sampleRateHz: number): Series[] {
  const step = stepOf(sampleRateHz)
  const count = Math.floor(samples.length / step)
  const slopes = new Float64Array(count)
  const bends = new Float64Array(count)
  let last = samples[0]!
  let lastSlope = 0
  for (let k = 0, i = 0; k < count; k++) {
    let slopePower = 0
    let bendPower = 0
    for (const end = i + step; i < end; i++) {
      const sample = samples[i]!
      const slope = sample - last
      const bend = slope - lastSlope
      slopePower += slope * slope
      bendPower += bend * bend
      last = sample
      lastSlope = slope
    }
    slopes[k] = slopePower
    bends[k] = bendPower
  }
  return [slopes, bends].map((powers) => seriesOf(powers, sampleRateHz / step))
}

/** Half the window of the mean, in levels. */
const reachOf = (rateHz: number): number => Math.round(meanReachSeconds * rateHz)

/** Returns the distance of each level from the mean of its surroundings. */
function seriesOf(powers: Float64Array, rateHz: number): Series {
  const count = powers.length
  const loudest = powers.reduce((most, power) => Math.max(most, power), 0)
  const distances = new Float64Array(count)
  if (!(loudest > 0)) return { distances, rateHz }
  const levels = powers.map((power) => powerToDb(power / loudest + silentPart / 1000))
  const sums = new Float64Array(count + 1)
  for (let k = 0; k < count; k++) sums[k + 1] = sums[k]! + levels[k]!
  const reach = reachOf(rateHz)
  for (let k = 0; k < count; k++) {
    if (powers[k]! < loudest * silentPart) continue
    const from = Math.max(0, k - reach)
    const to = Math.min(count, k + reach + 1)
    distances[k] = clamp(levels[k]! - (sums[to]! - sums[from]!) / (to - from), -mostDistanceDb, mostDistanceDb)
  }
  return { distances, rateHz }
}

/** Part of a movement that remains after subtracting the mean of its surroundings. */
function keptPart(frequencyHz: number, rateHz: number): number {
  const half = (Math.PI * frequencyHz) / rateHz
  const width = 2 * reachOf(rateHz) + 1
  return 1 - Math.sin(width * half) / (width * Math.sin(half))
}

/** Returns the movement of a series at a frequency: the sum of all stretches against the power of each. */
function movementAt({ distances, rateHz }: Series, frequencyHz: number): Movement {
  const stretch = Math.round(stretchSeconds * rateHz)
  const turn = (2 * Math.PI * frequencyHz) / rateHz
  const cosines = Float64Array.from({ length: stretch }, (_, j) => Math.cos(turn * j))
  const sines = Float64Array.from({ length: stretch }, (_, j) => Math.sin(turn * j))
  const stretches = Math.floor(distances.length / stretch)
  let sumRe = 0
  let sumIm = 0
  let power = 0
  const parts = { re: new Float64Array(stretches), im: new Float64Array(stretches) }
  for (let k = 0; k < stretches; k++) {
    let re = 0
    let im = 0
    for (let j = 0, i = k * stretch; j < stretch; j++, i++) {
      re += distances[i]! * cosines[j]!
      im -= distances[i]! * sines[j]!
    }
    const cos = Math.cos(turn * k * stretch)
    const sin = Math.sin(turn * k * stretch)
    parts.re[k] = re * cos + im * sin
    parts.im[k] = im * cos - re * sin
    sumRe += parts.re[k]!
    sumIm += parts.im[k]!
    power += re * re + im * im
  }
  const square = sumRe * sumRe + sumIm * sumIm
  const scale = 2 / stretch / keptPart(frequencyHz, rateHz)
  const phase = Math.atan2(sumIm, sumRe)
  return {
    evidence: power > 0 ? square / power : 0,
    swingDb: (scale * Math.sqrt(square)) / Math.max(1, stretches),
    phase,
    stretchSwingsDb: parts.re.map((re, k) => scale * (re * Math.cos(phase) + parts.im[k]! * Math.sin(phase))),
  }
}

const meanEvidence = (series: readonly Series[], frequencyHz: number): number =>
  series.reduce((sum, one) => sum + movementAt(one, frequencyHz).evidence, 0) / series.length

/** Returns true if the movements of a decoder stand out from chance and from the beats of the music. */
function isHeard(series: readonly Series[]): boolean {
  const found = multiples
    .map((multiple) => ({ hz: multiple * frameHz, evidence: meanEvidence(series, multiple * frameHz) }))
    .sort((one, other) => other.evidence - one.evidence)
  const inAll = found.reduce((sum, { evidence }) => sum + evidence, 0)
  if (inAll < leastInAll || found[1]!.evidence < leastSecond) return false
  const { hz, evidence } = found[0]!
  const beats = beatsApart
    .flatMap((part) => [hz * (1 - 1 / part), hz * (1 + 1 / part)])
    .filter((beat) => beat > slowestBeatHz && beat < fastestBeatHz)
    .filter((beat) => Math.abs(beat / frameHz - Math.round(beat / frameHz)) > 0.02)
  return beats.every((beat) => meanEvidence(series, beat) * overBeats < evidence)
}

/** Returns the swings of a movement every {@link swingStepSeconds}, each a weighted mean of the stretches up to that far away. */
function swingsOf({ stretchSwingsDb }: Movement, durationSeconds: number): number[] {
  return Array.from({ length: Math.ceil(durationSeconds / swingStepSeconds) + 1 }, (_, knot) => {
    let sum = 0
    let weights = 0
    for (const [k, swingDb] of stretchSwingsDb.entries()) {
      const apart = Math.abs((k + 0.5) * stretchSeconds - knot * swingStepSeconds) / swingStepSeconds
      const weight = Math.max(0, 1 - apart)
      sum += weight * swingDb
      weights += weight
    }
    return weights > 0 ? clamp(sum / weights, 0, mostSwingDb) : 0
  })
}

/** Returns the certain movements in every band of a song. */
function describeFlutter(song: Audio): Flutter | null {
  const { sampleRateHz } = song
  const durationSeconds = song.frames / sampleRateHz
  const middleOfStep = stepOf(sampleRateHz) / 2 / sampleRateHz
  const lines = flutterBordersHz.flatMap((border, band) => {
    const centreHz = border * Math.SQRT2
    const firstSeconds = middleOfStep - delayOf(centreHz)
    return bandLevels(song, centreHz, sampleRateHz).flatMap((series, c) =>
      multiples.flatMap((multiple): FlutterLine[] => {
        const frequencyHz = multiple * frameHz
        const movement = movementAt(series, frequencyHz)
        if (movement.evidence < leastInBand || movement.swingDb < leastSwingDb) return []
        const channel = c === 0 ? 'left' : 'right'
        const phase = (movement.phase - 2 * Math.PI * frequencyHz * firstSeconds) % (2 * Math.PI)
        return [{ channel, band, frequencyHz, swingsDb: swingsOf(movement, durationSeconds), phase }]
      }),
    )
  })
  if (lines.length === 0) return null
  const { frequencyHz } = lines.reduce((most, line) => (largestSwingDb(line) > largestSwingDb(most) ? line : most))
  return { frequencyHz, lines }
}

/** Returns the largest swing of a line, dB. */
export const largestSwingDb = ({ swingsDb }: FlutterLine): number => Math.max(...swingsDb)

const blockFrames = 4096

/** Delay of the levels behind the sound by both sections, s. */
const delayOf = (centreHz: number): number => (2 * 2 * bandQ) / (2 * Math.PI * centreHz)

/** Returns the levels of each channel in an octave around a frequency. */
function bandLevels(passage: AudioBlock, centreHz: number, sampleRateHz: number): Series[] {
  const section = bandPass(centreHz, sampleRateHz, bandQ)
  const filter = createBiquadCascade([section, section])
  const step = stepOf(sampleRateHz)
  const powers = passage.channels.map(() => new Float64Array(Math.ceil(passage.frames / step)))
  const scratch = allocateBlock(2, blockFrames)
  for (let start = 0; start < passage.frames; start += blockFrames) {
    const part = sliceBlock(scratch, 0, passage.frames - start)
    for (const [c, samples] of part.channels.entries()) {
      samples.set(passage.channels[c]!.subarray(start, start + part.frames))
    }
    filter.process(part)
    for (const [c, samples] of part.channels.entries()) {
      for (let i = 0; i < part.frames; i++) powers[c]![Math.floor((start + i) / step)]! += samples[i]! ** 2
    }
  }
  return powers.map((own) => seriesOf(own.subarray(0, Math.floor(passage.frames / step)), sampleRateHz / step))
}
