/** Synthetic sounds for the engine's tests; everything random is seeded. */
import { type Audio, allocateAudio } from '../../src-engine/dsp/block.ts'

/** Returns numbers in [−1, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2147483648 - 1
  }
}

/** Stereo audio of both channels from one function of the frame. */
export function stereo(frames: number, sampleRateHz: number, sample: (frame: number) => number): Audio {
  const audio = allocateAudio(2, frames, sampleRateHz)
  for (let i = 0; i < frames; i++) audio.channels[0]![i] = sample(i)
  audio.channels[1]!.set(audio.channels[0]!)
  return audio
}

/** Stereo audio with a function per channel. */
export function twoChannels(
  frames: number,
  sampleRateHz: number,
  left: (frame: number) => number,
  right: (frame: number) => number,
): Audio {
  const audio = allocateAudio(2, frames, sampleRateHz)
  for (let i = 0; i < frames; i++) {
    audio.channels[0]![i] = left(i)
    audio.channels[1]![i] = right(i)
  }
  return audio
}

/** A sine in both channels, peak level in dBFS. */
export function sine(frequencyHz: number, peakDbfs: number, seconds: number, sampleRateHz: number): Audio {
  const amplitude = 10 ** (peakDbfs / 20)
  const step = (2 * Math.PI * frequencyHz) / sampleRateHz
  return stereo(Math.round(seconds * sampleRateHz), sampleRateHz, (i) => amplitude * Math.sin(step * i))
}

/** White noise, uniform in ±amplitude, different in the two channels. */
export function noise(amplitude: number, seconds: number, sampleRateHz: number, seed: number): Audio {
  const random = seededRandom(seed)
  const frames = Math.round(seconds * sampleRateHz)
  return twoChannels(
    frames,
    sampleRateHz,
    () => amplitude * random(),
    () => amplitude * random(),
  )
}

/**
 * Something like a song: a bass line, chords, drum hits with short peaks, noise bursts; quiet and loud sections. Peak about 0.9,
 * peak-to-loudness ratio about 16 LU.
 */
export function songLike(seconds: number, sampleRateHz: number, seed = 1): Audio {
  const random = seededRandom(seed)
  const frames = Math.round(seconds * sampleRateHz)
  const audio = allocateAudio(2, frames, sampleRateHz)
  const [left, right] = [audio.channels[0]!, audio.channels[1]!]
  const beatFrames = Math.round(sampleRateHz * 0.5)
  const notes = [55, 65.4, 49, 73.4]
  // Two averages take the very top of the band out of the hiss, as in nearly all real music.
  const history = [0, 0]
  const hissSample = (): number => {
    const next = random()
    const smooth = (next + 2 * history[0]! + history[1]!) / 2.5
    history[1] = history[0]!
    history[0] = next
    return smooth
  }
  for (let i = 0; i < frames; i++) {
    const t = i / sampleRateHz
    const section = Math.floor(t / 8) % 3 === 0 ? 0.4 : 1
    const note = notes[Math.floor(t / 2) % notes.length]!
    const bass = 0.12 * Math.sin(2 * Math.PI * note * t)
    const chord = 0.04 * (Math.sin(2 * Math.PI * note * 8 * t) + Math.sin(2 * Math.PI * note * 10 * t + 1))
    const beat = i % beatFrames
    const hit = Math.exp(-beat / (0.02 * sampleRateHz)) * Math.sin((2 * Math.PI * 120 * beat) / sampleRateHz)
    const hiss = Math.exp(-((i + beatFrames / 2) % beatFrames) / (0.008 * sampleRateHz))
    left[i] = section * (bass + chord + 0.6 * hit + 0.3 * hiss * hissSample())
    right[i] = section * (bass + 0.8 * chord + 0.55 * hit - 0.2 * hiss * history[0]!)
  }
  return audio
}

/** A piece of audio scaled by a linear gain, as new audio. */
export function scaled(audio: Audio, gain: number): Audio {
  const result = allocateAudio(audio.channels.length, audio.frames, audio.sampleRateHz)
  for (const [c, samples] of audio.channels.entries()) {
    for (let i = 0; i < audio.frames; i++) result.channels[c]![i] = samples[i]! * gain
  }
  return result
}

/** The largest magnitude of `value(i)` for `from` <= i < `to`, NaN if any is NaN: an expectation for each sample would take seconds. */
export function largest(from: number, to: number, value: (i: number) => number): number {
  let most = 0
  for (let i = from; i < to; i++) {
    const magnitude = Math.abs(value(i))
    if (!(magnitude <= most)) most = magnitude
    if (Number.isNaN(most)) return most
  }
  return most
}
