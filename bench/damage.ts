/** Faults put into good music on purpose, to test the engine's corrections. All work in place. */
import { type Biquad, highShelf, peaking } from '../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../src-engine/dsp/biquad-cascade.ts'
import { type Audio, samplePeak } from '../src-engine/dsp/block.ts'
import { createMatchFilter } from '../src-engine/stages/match/curve-filter.ts'

function filter(audio: Audio, section: Biquad): void {
  createBiquadCascade([section]).process(audio)
}

function sideGain(audio: Audio, gainDb: number): void {
  const curve = (db: number) => ({ frequencyHz: [1000], gainDb: [db] })
  createMatchFilter(curve(0), curve(gainDb), audio.sampleRateHz).process(audio)
}

/** A fault of tone, as the filter that puts it in, or of width, as the gain of the side, dB. */
export type Fault = { readonly section: (sampleRateHz: number) => Biquad } | { readonly sideDb: number }

/** Faults of tone and width in their usual size; the width changes by 6 dB, a factor of two. */
export const usualFaults: Readonly<Record<string, Fault>> = {
  'mud +4 dB at 250 Hz': { section: (rate) => peaking(250, rate, 1, 4) },
  'dull −4 dB above 5 kHz': { section: (rate) => highShelf(5000, rate, -4) },
  'harsh +5 dB at 6 kHz': { section: (rate) => peaking(6000, rate, 1, 5) },
  'narrowed by 6 dB': { sideDb: -6 },
  'over-wide by 6 dB': { sideDb: 6 },
}

/** The usual faults, put into audio. */
export const toneDamages: Record<string, (audio: Audio) => void> = Object.fromEntries(
  Object.entries(usualFaults).map(([name, fault]) => [
    name,
    (audio: Audio) =>
      'section' in fault ? filter(audio, fault.section(audio.sampleRateHz)) : sideGain(audio, fault.sideDb),
  ]),
)

/** The same faults in sizes rare in finished songs. */
export const severeDamages: Record<string, (audio: Audio) => void> = {
  'mud +8 dB': (audio) => filter(audio, peaking(250, audio.sampleRateHz, 1, 8)),
  'mud +12 dB': (audio) => filter(audio, peaking(250, audio.sampleRateHz, 1, 12)),
  'harsh +10 dB': (audio) => filter(audio, peaking(6000, audio.sampleRateHz, 1, 10)),
  'harsh +15 dB': (audio) => filter(audio, peaking(6000, audio.sampleRateHz, 1, 15)),
  'wide +9 dB': (audio) => sideGain(audio, 9),
}

/** Clips hard at `db` below the sample peak. */
export function clipHard(audio: Audio, db: number): void {
  const limit = samplePeak(audio) * 10 ** (db / 20)
  for (const samples of audio.channels) {
    for (let i = 0; i < samples.length; i++) samples[i] = Math.max(-limit, Math.min(limit, samples[i]!))
  }
}

/** Adds a constant. */
export function addOffset(audio: Audio, offset: number): void {
  for (const samples of audio.channels) for (let i = 0; i < samples.length; i++) samples[i]! += offset
}

/** Adds a sine to both channels. */
export function addTone(audio: Audio, frequencyHz: number, peakDbfs: number): void {
  const amplitude = 10 ** (peakDbfs / 20)
  const step = (2 * Math.PI * frequencyHz) / audio.sampleRateHz
  for (const samples of audio.channels)
    for (let i = 0; i < samples.length; i++) samples[i]! += amplitude * Math.sin(step * i)
}

/** Adds single-sample clicks of `amplitude` to the left channel, one every `seconds`; returns their frames. */
export function addClicks(audio: Audio, seconds: number, amplitude: number): number[] {
  const frames: number[] = []
  const step = Math.round(seconds * audio.sampleRateHz)
  for (let i = step; i < audio.frames - step; i += step) {
    audio.channels[0]![i]! += frames.length % 2 === 0 ? amplitude : -amplitude
    frames.push(i)
  }
  return frames
}

/** A ringing peak: +12 dB at the frequency, as wide as a sixth of an octave. */
export function addResonance(audio: Audio, frequencyHz: number): void {
  filter(audio, peaking(frequencyHz, audio.sampleRateHz, 9, 12))
}
