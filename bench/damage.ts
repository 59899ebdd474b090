/** Faults put into good music on purpose, to test the engine's corrections. All work in place. */
import { type Biquad, bandPass, highPass, highShelf, peaking } from '../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../src-engine/dsp/biquad-cascade.ts'
import { type Audio, samplePeak } from '../src-engine/dsp/block.ts'
import { createRealFft } from '../src-engine/dsp/fft.ts'
import { hannWindow } from '../src-engine/dsp/window.ts'
import { createMatchFilter } from '../src-engine/stages/match/curve-filter.ts'
import { seededRandom } from '../tests/support/sounds.ts'

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

/** Receives the bins of one frame of both channels, to be changed in place. */
type EditBins = (left: Bins, right: Bins, binHz: number, frame: number) => void
interface Bins {
  readonly re: Float64Array
  readonly im: Float64Array
}

/** Edits the spectrum of both channels in frames of 0.19 s, half overlapping. */
function editSpectrum({ channels, frames, sampleRateHz }: Audio, edit: EditBins): void {
  const size = 8192
  const fft = createRealFft(size)
  const window = hannWindow(size).map(Math.sqrt)
  const bins = channels.map((): Bins => ({ re: new Float64Array(size / 2 + 1), im: new Float64Array(size / 2 + 1) }))
  const results = channels.map(() => new Float32Array(frames))
  const part = new Float64Array(size)
  for (let start = -size / 2, frame = 0; start < frames; start += size / 2, frame++) {
    for (const [c, samples] of channels.entries()) {
      for (let i = 0; i < size; i++) part[i] = (samples[start + i] ?? 0) * window[i]!
      fft.forward(part, bins[c]!.re, bins[c]!.im)
    }
    edit(bins[0]!, bins[1]!, sampleRateHz / size, frame)
    for (const [c, result] of results.entries()) {
      fft.inverse(bins[c]!.re, bins[c]!.im, part)
      for (let i = Math.max(0, -start); i < Math.min(size, frames - start); i++)
        result[start + i]! += part[i]! * window[i]!
    }
  }
  for (const [c, samples] of channels.entries()) samples.set(results[c]!)
}

/** Gives the range from `lowHz` to `highHz` the levels of the mid in both channels, correlated by `correlation` at random phases. */
function decorrelate(audio: Audio, lowHz: number, highHz: number, correlation: number, seed: number): void {
  const random = seededRandom(seed + 1)
  const apart = Math.acos(correlation)
  editSpectrum(audio, (left, right, binHz) => {
    for (let k = Math.ceil(lowHz / binHz); k < Math.min(left.re.length, highHz / binHz); k++) {
      const re = (left.re[k]! + right.re[k]!) / 2
      const im = (left.im[k]! + right.im[k]!) / 2
      // Opposite turns whose difference has the mean cosine that is asked for.
      const turn = (random() > 0 ? 0.5 : -0.5) * apart
      for (const [bins, angle] of [
        [left, turn],
        [right, -turn],
      ] as const) {
        bins.re[k] = re * Math.cos(angle) - im * Math.sin(angle)
        bins.im[k] = re * Math.sin(angle) + im * Math.cos(angle)
      }
    }
  })
}

/** Multiplies what lies above 1 kHz in each channel by a movement of its level at multiples of a decoder's frame rate. */
function addFlutter(
  { channels, frames, sampleRateHz }: Audio,
  swingsDb: readonly [number, number],
  growth: number,
): void {
  for (const [c, samples] of channels.entries()) {
    const high = { channels: [Float32Array.from(samples)], frames }
    createBiquadCascade([highPass(1000, sampleRateHz, Math.SQRT1_2)]).process(high)
    for (let i = 0; i < frames; i++) {
      const seconds = i / sampleRateHz
      const swingDb = swingsDb[c]! * (1 + (growth - 1) * (i / frames))
      const turn = 2 * Math.PI * (44_100 / 4096) * seconds
      const movedDb = swingDb * (0.6 * Math.cos(3 * turn + 1) + 0.4 * Math.cos(4 * turn + 2))
      samples[i]! += high.channels[0]![i]! * (10 ** (movedDb / 20) - 1)
    }
  }
}

/** Pure tone above 10 kHz through the middle half of an excerpt, as loud as the third octaves around it and 6 dB more, at least −60 dBFS. */
function addWhistle(audio: Audio, number: number): void {
  const { channels, frames, sampleRateHz } = audio
  const random = seededRandom(number + 7)
  const hz = 13_000 + 2500 * random()
  const near = { channels: [Float32Array.from(channels[0]!)], frames }
  createBiquadCascade([bandPass(hz, sampleRateHz, 2.2)]).process(near)
  const power = near.channels[0]!.reduce((sum, sample) => sum + sample * sample, 0) / frames
  const amplitude = Math.max(0.001, Math.sqrt(2 * power) * 2)
  const ramp = 0.05 * sampleRateHz
  for (let i = Math.round(frames / 4); i < (frames * 3) / 4; i++) {
    const fade = Math.min(1, (i - frames / 4) / ramp, ((frames * 3) / 4 - i) / ramp)
    const tone = amplitude * fade * Math.sin((2 * Math.PI * hz * i) / sampleRateHz)
    for (const samples of channels) samples[i]! += tone
  }
}

/**
 * A voice of syllables with an s between them about twice a second: pulses around 1500 Hz, 15 dB above the music there, and bursts of noise
 * between 4 and 10 kHz, 100 to 150 ms long and soft at their edges, whose density is `db` above that of the voice.
 */
function addSibilants(audio: Audio, db: number, seed: number): void {
  const { channels, frames, sampleRateHz } = audio
  const random = seededRandom(seed + 3)
  const filteredBy = (samples: Float32Array, section: Biquad) => {
    const one = { channels: [samples], frames }
    createBiquadCascade([section]).process(one)
    return one.channels[0]!
  }
  const powerOf = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample * sample, 0) / frames
  const voiceBand = bandPass(1500, sampleRateHz, 0.7)
  const period = Math.round(sampleRateHz / (110 + 20 * (seed % 6)))
  const pulses = filteredBy(
    Float32Array.from({ length: frames }, (_, i) => (i % period === 0 ? 1 : 0)),
    voiceBand,
  )
  const hiss = filteredBy(Float32Array.from({ length: frames }, random), bandPass(6300, sampleRateHz, 1.2))
  const noise = filteredBy(filteredBy(hiss, highPass(5500, sampleRateHz, 0.54)), highPass(5500, sampleRateHz, 1.31))
  const voicePower = powerOf(filteredBy(Float32Array.from(channels[0]!), voiceBand)) * 10 ** 1.5
  const pulseGain = Math.sqrt(voicePower / powerOf(pulses))
  // Densities: the range of sibilants is 1.3 times as wide as that of voices.
  const noiseGain = Math.sqrt((voicePower * 1.3) / powerOf(noise)) * 10 ** (db / 20)
  const add = (from: number, to: number, sound: (i: number, part: number) => number) => {
    for (let i = from; i < Math.min(to, frames); i++)
      for (const samples of channels) samples[i]! += sound(i, (i - from) / (to - from))
  }
  const edge = (part: number) => 10 ** (-1.2 * Math.max(0, 1.8 * Math.abs(2 * part - 1) - 0.8))
  let start = Math.round(0.3 * sampleRateHz)
  while (start < frames) {
    const end = start + Math.round((0.125 + 0.025 * random()) * sampleRateHz)
    const next = start + Math.round((0.5 + 0.15 * random()) * sampleRateHz)
    add(start, end, (i, part) => noiseGain * edge(part) * noise[i]!)
    add(end, next, (i, part) => pulseGain * Math.min(1, 10 * part, 10 * (1 - part)) * pulses[i]!)
    start = next
  }
}

/** Faults that the detectors look for, put into the excerpt with that number. */
export const plantedFaults: Record<string, (audio: Audio, number: number) => void> = {
  'over-wide': (audio) => sideGain(audio, 6),
  'over-wide-9': (audio) => sideGain(audio, 9),
  whistle: addWhistle,
  'torn-bass': (audio, number) => decorrelate(audio, 20, 120, 0.1 + (number % 5) / 10, number),
  flutter: (audio) => addFlutter(audio, [0.5, 0.5], 1),
  'flutter-left': (audio) => addFlutter(audio, [0.62, 0], 1),
  'flutter-growing': (audio) => addFlutter(audio, [0.35, 0.35], 3.4),
  'torn-highs': (audio, number) => decorrelate(audio, 5500, 14_500, 0.15, number),
  resonance: (audio) => addResonance(audio, 6000),
  sibilance: (audio, number) => addSibilants(audio, 12, number),
}
