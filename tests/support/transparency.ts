/**
 * Measures of how much a limiter changed a song. Definitions (our own; the figures of other papers are not comparable): SDR with the gain
 * that fits best; ERB-LSD = mean |level difference| over 40 bands of equal ERB width from 50 Hz to 20 kHz and 2048-sample Hann frames at
 * half overlap, mono, against the original at the limiter's input gain, with a floor 120 dB under each frame; colour-LSD = the same without
 * each frame's own level difference.
 */
import type { AudioBlock } from '../../src-engine/dsp/block.ts'
import { createRealFft } from '../../src-engine/dsp/fft.ts'

export interface Transparency {
  readonly sdrDb: number
  readonly erbLsdDb: number
  readonly colourLsdDb: number
}

const size = 2048
const bandCount = 40

function bandEdges(sampleRateHz: number): number[] {
  const erb = (hz: number): number => 21.4 * Math.log10(1 + 0.00437 * hz)
  const [low, high] = [erb(50), erb(20_000)]
  return Array.from({ length: bandCount + 1 }, (_, b) => {
    const hz = (10 ** ((low + ((high - low) * b) / bandCount) / 21.4) - 1) / 0.00437
    return Math.max(1, Math.round((hz * size) / sampleRateHz))
  })
}

/** Compares `processed` with `original`, whose loudness the processing raised by `inputGain` (linear) before it limited. */
export function measureTransparency(
  original: AudioBlock,
  processed: AudioBlock,
  inputGain: number,
  sampleRateHz: number,
): Transparency {
  return {
    sdrDb: signalToDistortionDb(original, processed),
    ...spectralDistance(original, processed, inputGain, sampleRateHz),
  }
}

function signalToDistortionDb(original: AudioBlock, processed: AudioBlock): number {
  let product = 0
  let power = 0
  let total = 0
  for (const [c, x] of original.channels.entries()) {
    const y = processed.channels[c]!
    for (let i = 0; i < original.frames; i++) {
      product += x[i]! * y[i]!
      power += x[i]! * x[i]!
      total += y[i]! * y[i]!
    }
  }
  const signal = (product * product) / power
  return 10 * Math.log10(signal / (total - signal))
}

function spectralDistance(
  original: AudioBlock,
  processed: AudioBlock,
  inputGain: number,
  sampleRateHz: number,
): Omit<Transparency, 'sdrDb'> {
  const fft = createRealFft(size)
  const edges = bandEdges(sampleRateHz)
  const samples = new Float64Array(size)
  const re = new Float64Array(size / 2 + 1)
  const im = new Float64Array(size / 2 + 1)
  const bandsAt = (block: AudioBlock, start: number, gain: number): number[] => {
    const [left, right] = [block.channels[0]!, block.channels[1]!]
    for (let i = 0; i < size; i++) {
      const window = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size)
      samples[i] = (window * gain * (left[start + i]! + right[start + i]!)) / 2
    }
    fft.forward(samples, re, im)
    return Array.from({ length: bandCount }, (_, b) => {
      let power = 1e-12
      for (let k = edges[b]!; k < Math.max(edges[b]! + 1, edges[b + 1]!); k++) power += re[k]! ** 2 + im[k]! ** 2
      return power
    })
  }
  let erbLsdDb = 0
  let colourLsdDb = 0
  let frames = 0
  for (let start = 0; start + size <= original.frames; start += size / 2) {
    const before = bandsAt(original, start, inputGain)
    const after = bandsAt(processed, start, 1)
    const sum = before.reduce((total, power) => total + power, 0)
    if (sum < 1e-6 * size) continue
    const level = 10 * Math.log10(after.reduce((total, power) => total + power, 0) / sum)
    const floor = sum * 1e-12
    for (let b = 0; b < bandCount; b++) {
      const difference = 10 * Math.log10((after[b]! + floor) / (before[b]! + floor))
      erbLsdDb += Math.abs(difference) / bandCount
      colourLsdDb += Math.abs(difference - level) / bandCount
    }
    frames++
  }
  return { erbLsdDb: erbLsdDb / frames, colourLsdDb: colourLsdDb / frames }
}
