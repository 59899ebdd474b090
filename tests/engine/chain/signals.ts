/** Signals for the tests of the mastering chain, seeded: the same on every run. */

import { commercialSpectrumDb } from '../../../src-engine/analysis/tonal-targets.ts'
import { highPass } from '../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../../src-engine/dsp/biquad-cascade.ts'
import { type Audio, type AudioBlock, allocateAudio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import type { Processor } from '../../../src-engine/dsp/processor.ts'
import { createMatchFilter } from '../../../src-engine/stages/match/curve-filter.ts'
import { seededRandom } from '../../support/sounds.ts'

/** White noise in both channels, unrelated, peak `amplitude`. */
export function noise(seconds: number, amplitude: number, sampleRateHz = 48_000, seed = 1): Audio {
  const audio = allocateAudio(2, Math.round(seconds * sampleRateHz), sampleRateHz)
  const next = seededRandom(seed)
  for (const samples of audio.channels) for (let i = 0; i < samples.length; i++) samples[i] = amplitude * next()
  return audio
}

/**
 * Noise with the spectrum of the average commercial recording, side 6 dB below mid (at one moment in four as loud as it), swelling
 * and fading: what the detectors take for ordinary music without faults.
 */
export function ordinaryMusic(seconds: number, sampleRateHz = 48_000, seed = 7): Audio {
  const audio = noise(seconds, 1, sampleRateHz, seed)
  const [left, right] = audio.channels as [Float32Array, Float32Array]
  for (let i = 0; i < audio.frames; i++) {
    const moment = Math.floor((4 * i) / sampleRateHz)
    const width = moment % 4 === 0 ? 1.1 : 0.45
    const swell = 0.7 + 0.3 * Math.sin((2 * Math.PI * i) / sampleRateHz / 1.7)
    const mid = left[i]! * swell
    const side = right[i]! * swell * width
    left[i] = mid + side
    right[i] = mid - side
  }
  const hz = Array.from({ length: 60 }, (_, b) => 25 * 2 ** (b / 6))
  // Levels of bands of equal relative width: white noise already rises by 3 dB per octave.
  const gainDb = hz.map((f) => commercialSpectrumDb(f) - 10 * Math.log10(f) - commercialSpectrumDb(1000) + 30)
  filterWhole(audio, createMatchFilter({ frequencyHz: hz, gainDb }, { frequencyHz: hz, gainDb }, sampleRateHz))
  filterWhole(audio, createBiquadCascade([0.518, Math.SQRT1_2, 1.932].map((q) => highPass(30, sampleRateHz, q))))
  let peak = 0
  for (const samples of audio.channels) for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  for (const samples of audio.channels) for (let i = 0; i < samples.length; i++) samples[i]! *= 0.5 / peak
  fadeOut(audio, 0.5)
  return audio
}

/** Lets the last seconds of a piece die away, as music ends. */
export function fadeOut({ channels, frames, sampleRateHz }: Audio, seconds: number): void {
  const length = Math.min(frames, Math.round(seconds * sampleRateHz))
  for (const samples of channels) for (let i = 0; i < length; i++) samples[frames - 1 - i]! *= (i / length) ** 2
}

/** A sine in both channels. */
export function sine(seconds: number, frequencyHz: number, amplitude: number, sampleRateHz = 48_000): Audio {
  const audio = allocateAudio(2, Math.round(seconds * sampleRateHz), sampleRateHz)
  for (const samples of audio.channels) {
    for (let i = 0; i < samples.length; i++)
      samples[i] = amplitude * Math.sin((2 * Math.PI * frequencyHz * i) / sampleRateHz)
  }
  return audio
}

export function copyOf(audio: Audio): Audio {
  const copy = allocateAudio(2, audio.frames, audio.sampleRateHz)
  for (const [c, samples] of copy.channels.entries()) samples.set(audio.channels[c]!)
  return copy
}

/** Runs a processor over a piece in blocks of the given sizes in turn. */
export function filterWhole(audio: AudioBlock, processor: Processor, sizes: readonly number[] = [4096]): void {
  for (let start = 0, k = 0; start < audio.frames; k++) {
    const end = Math.min(audio.frames, start + sizes[k % sizes.length]!)
    processor.process(sliceBlock(audio, start, end))
    start = end
  }
}

/** Largest difference of two pieces, linear. */
export function largestDifference(one: AudioBlock, other: AudioBlock): number {
  let largest = 0
  for (const [c, samples] of one.channels.entries()) {
    for (let i = 0; i < samples.length; i++) largest = Math.max(largest, Math.abs(samples[i]! - other.channels[c]![i]!))
  }
  return largest
}

/** Energy of the difference against the first piece, dB; −Infinity for none. */
export function differenceDb(one: AudioBlock, other: AudioBlock): number {
  let error = 0
  let energy = 0
  for (const [c, samples] of one.channels.entries()) {
    for (let i = 0; i < samples.length; i++) {
      error += (samples[i]! - other.channels[c]![i]!) ** 2
      energy += samples[i]! ** 2
    }
  }
  return 10 * Math.log10(error / energy)
}

/** Root mean square of frames [start, end) of the left channel, dBFS. */
export function rmsDbfs(audio: AudioBlock, start = 0, end = audio.frames): number {
  let sum = 0
  for (let i = start; i < end; i++) sum += audio.channels[0]![i]! ** 2
  return 10 * Math.log10(sum / (end - start))
}

/** Mean square of all channels, dBFS. */
export function powerDbfs({ channels, frames }: AudioBlock): number {
  const sum = channels.reduce((total, samples) => samples.reduce((more, sample) => more + sample * sample, total), 0)
  return 10 * Math.log10(sum / (channels.length * frames))
}
