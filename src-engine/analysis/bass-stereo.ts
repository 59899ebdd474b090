import { lowPass } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { type Audio, type AudioBlock, allocateBlock, sliceBlock } from '../dsp/block.ts'
import { createComplexFft } from '../dsp/fft.ts'
import { powerToDb } from '../dsp/units.ts'
import { hannWindow } from '../dsp/window.ts'
import { correlation } from './correlation.ts'

/** Relation of the two channels below 110 Hz. Silence and pieces without bass read as mono. */
export interface BassStereo {
  /** Mean product of the channels over their mean power, −1 … 1: mono playback loses 1 − correlation. */
  readonly correlation: number
  /** The same after the best phase shift common to the whole song, 0 … 1. */
  readonly coherence: number
  /** The same with a phase shift of its own for every note of about a second, 0 … 1. */
  readonly noteCoherence: number
  /** Correlation of the channels' levels over time, in dB, −1 … 1; 1 if they play the same notes. */
  readonly sharedLevels: number
  /** Geometric over arithmetic mean of the channels' levels, moment by moment, 0 … 1. */
  readonly evenness: number
  /** Loss of bass when summed to mono, dB. */
  readonly monoLossDb: number
}

const mono: BassStereo = {
  correlation: 1,
  coherence: 1,
  noteCoherence: 1,
  sharedLevels: 1,
  evenness: 1,
  monoLossDb: 0,
}

/** The bass, Hz. */
const lowestHz = 30
const highestHz = 110
/** Corner of the filter before decimation, Hz: 1 dB at the top of the bass, 45 dB at the frequencies that would alias onto it. */
const foldingHz = 150
/** Lowest rate after decimation, Hz. */
const loweredHz = 500
/** Frame size at that rate, 0.17 to 0.25 s, and its hop; notes last about a second. */
const size = 128
const hop = size / 4
const framesPerNote = 24
/** Range below the loudest moment that is measured, dB. */
const rangeDb = 30
/** Number of passages measured in a long song, and their length, s. */
const passages = 5
const passageSeconds = 8
const blockFrames = 4096

/** Sums of one frame over the bins of the bass. */
interface Products {
  readonly left: Float64Array
  readonly right: Float64Array
  readonly re: Float64Array
  readonly im: Float64Array
}

const noProducts = (bins: number): Products => ({
  left: new Float64Array(bins),
  right: new Float64Array(bins),
  re: new Float64Array(bins),
  im: new Float64Array(bins),
})

const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0)

/**
 * Returns how the channels of a piece relate from 30 to 110 Hz. Works on any length from one sample, at rates above 1 kHz; of pieces longer
 * than 40 s, five passages of 8 s are measured. A piece of less than two seconds, and silence, count as mono. Never throws.
 */
export function measureBassStereo(audio: Audio): BassStereo {
  const factor = 2 ** Math.floor(Math.log2(audio.sampleRateHz / loweredHz))
  const rateHz = audio.sampleRateHz / factor
  const first = Math.ceil((lowestHz * size) / rateHz)
  const bins = Math.floor((highestHz * size) / rateHz) - first + 1
  const whole = noProducts(bins)
  const note = noProducts(bins)
  const levels: [number, number][] = []
  let noteProducts = 0
  let noteNorm = 0
  for (const passage of passagesOf(audio)) {
    const [left, right] = lowered(passage, audio.sampleRateHz, factor)
    const read = createProductReader(left, right, first, bins)
    const notes = Math.floor((left.length - size + hop) / (hop * framesPerNote))
    for (let frame = 0; frame < notes * framesPerNote; frame++) {
      levels.push(read(frame * hop, note))
      if ((frame + 1) % framesPerNote > 0) continue
      for (let b = 0; b < bins; b++) {
        noteProducts += Math.hypot(note.re[b]!, note.im[b]!)
        noteNorm += Math.sqrt(note.left[b]! * note.right[b]!)
      }
      moveInto(whole, note)
    }
  }
  if (levels.length < 2 * framesPerNote) return mono
  const power = sumOf(whole.left) + sumOf(whole.right)
  if (!(power > 0) || !(noteNorm > 0)) return mono
  const shared = (2 * sumOf(whole.re)) / power
  return {
    correlation: shared,
    coherence: (2 * Math.hypot(sumOf(whole.re), sumOf(whole.im))) / power,
    noteCoherence: noteProducts / noteNorm,
    ...compareLevels(levels),
    monoLossDb: powerToDb(2 / (1 + shared)),
  }
}

/** Adds `from` to `to` and clears `from`. */
function moveInto(to: Products, from: Products): void {
  for (const key of ['left', 'right', 're', 'im'] as const) {
    for (let b = 0; b < to[key].length; b++) to[key][b]! += from[key][b]!
    from[key].fill(0)
  }
}

/** Returns the passages to measure: all of a short piece, evenly spaced parts of a long one. */
function passagesOf(audio: Audio): AudioBlock[] {
  const length = Math.round(passageSeconds * audio.sampleRateHz)
  if (audio.frames <= passages * length) return [audio]
  return Array.from({ length: passages }, (_, k) => {
    const start = Math.floor(((audio.frames - length) * k) / (passages - 1))
    return sliceBlock(audio, start, start + length)
  })
}

/** Returns the channels at a lower rate. */
function lowered(audio: AudioBlock, sampleRateHz: number, factor: number): [Float32Array, Float32Array] {
  const filter = createBiquadCascade([0.541, 1.307].map((q) => lowPass(foldingHz, sampleRateHz, q)))
  const block = allocateBlock(2, blockFrames)
  const kept = [0, 1].map(() => new Float32Array(Math.ceil(audio.frames / factor))) as [Float32Array, Float32Array]
  for (let start = 0; start < audio.frames; start += blockFrames) {
    const part = sliceBlock(block, 0, audio.frames - start)
    for (const [c, samples] of part.channels.entries()) {
      samples.set(audio.channels[c]!.subarray(start, start + part.frames))
    }
    filter.process(part)
    for (const [c, samples] of part.channels.entries()) {
      for (let i = 0; i < part.frames; i += factor) kept[c]![(start + i) / factor] = samples[i]!
    }
  }
  return kept
}

/** Returns a function that adds the products of one frame to sums and returns the powers of its channels. */
function createProductReader(left: Float32Array, right: Float32Array, first: number, bins: number) {
  const fft = createComplexFft(size)
  const window = hannWindow(size)
  const re = new Float64Array(size)
  const im = new Float64Array(size)
  return (start: number, into: Products): [number, number] => {
    for (let i = 0; i < size; i++) {
      re[i] = window[i]! * left[start + i]!
      im[i] = window[i]! * right[start + i]!
    }
    fft.forward(re, im)
    let leftPower = 0
    let rightPower = 0
    for (let b = 0; b < bins; b++) {
      // Of z = L + iR, 2L(k) = Z(k) + Z*(−k) and 2iR(k) = Z(k) − Z*(−k).
      const k = first + b
      const lr = re[k]! + re[size - k]!
      const li = im[k]! - im[size - k]!
      const rr = im[k]! + im[size - k]!
      const ri = re[size - k]! - re[k]!
      leftPower += lr * lr + li * li
      rightPower += rr * rr + ri * ri
      into.left[b]! += lr * lr + li * li
      into.right[b]! += rr * rr + ri * ri
      into.re[b]! += lr * rr + li * ri
      into.im[b]! += li * rr - lr * ri
    }
    return [leftPower, rightPower]
  }
}

/** Compares the channels' levels over the moments that are not quiet; see {@link BassStereo}. */
function compareLevels(levels: readonly (readonly [number, number])[]): Pick<BassStereo, 'sharedLevels' | 'evenness'> {
  const loudest = levels.reduce((most, [left, right]) => Math.max(most, left, right), 0)
  const floor = loudest * 1e-9
  const heard = levels.filter(([left, right]) => powerToDb(Math.max(left, right) / loudest) > -rangeDb)
  const inDb = (c: 0 | 1) => heard.map((pair) => powerToDb(pair[c] + floor))
  const power = heard.reduce((sum, [left, right]) => sum + left + right, 0)
  return {
    sharedLevels: correlation(inDb(0), inDb(1)),
    evenness: (2 * heard.reduce((sum, [left, right]) => sum + Math.sqrt(left * right), 0)) / power,
  }
}

/** Least loss in mono that is worth a repair, dB. */
const leastLossDb = 1
/** Largest shift common to the whole song, as part of the correlation: a delay or a phase shifter. */
const mostTurned = 0.06
/** Largest steadiness of the phases of a note, without and with other marks of such a generator. */
const mostSteadiness = { alone: 0.22, marked: 0.35 }
/**
 * Largest difference of the channels' levels: how far they do not move together, and 2.5 times how far they are apart from moment to
 * moment.
 */
const mostDifference = 0.2
const unevennessWeight = 2.5

/**
 * Returns true for a bass that loses 1 dB or more in mono and whose channels have the same levels at unrelated phases, as from generators
 * that make the channels one by one. Separately panned instruments and rooms differ in level from moment to moment, and a delay or phase
 * shifter has a shift common to its notes or to the song. `isMarked` is true for a song with flutter or unrelated highs, which the decoders
 * of such generators leave too. Bounds are ours (docs/engine/repair.md).
 */
export function isTornApart(bass: BassStereo, isMarked: boolean): boolean {
  const { correlation, coherence, noteCoherence, sharedLevels, evenness, monoLossDb } = bass
  if (monoLossDb < leastLossDb || coherence - correlation > mostTurned) return false
  const steadiness = (noteCoherence ** 2 - coherence ** 2) / (1 - coherence ** 2)
  const difference = 1 - sharedLevels + unevennessWeight * (1 - evenness)
  return steadiness < mostSteadiness[isMarked ? 'marked' : 'alone'] && difference < mostDifference
}
