/** Renders the score of the sample song: instruments, room, and mix faults for mastering to find. */
import { type Biquad, peaking } from '../../src-engine/dsp/biquad.ts'
import { waveHead } from '../../src-engine/dsp/riff.ts'
import { dbToGain, power } from '../../src-engine/dsp/units.ts'
import {
  type Bus,
  bassFundamental,
  bassGrowl,
  bell,
  clap,
  cymbal,
  highPass,
  kick,
  lead,
  movingLowPass,
  type Note,
  padVoice,
  RATE_HZ,
  seededNoise,
  snare,
} from './instruments.ts'
import { BARS, STEPS, TEMPO_BPM } from './score.ts'

/** Faults of the mix. */
export interface MixFaults {
  /** Too much of the low mids, at {@link BOOM_HZ}, dB. */
  readonly boomDb: number
  /** The fundamental of the bass has the opposite sign in the right channel. */
  readonly isBassSplit: boolean
}

export const FAULTS: MixFaults = { boomDb: 4, isBassSplit: true }
export const NO_FAULTS: MixFaults = { boomDb: 0, isBassSplit: false }

const BOOM_HZ = 250
const BOOM_Q = 1

const STEP_SECONDS = 60 / TEMPO_BPM / 4
const BAR_SECONDS = STEPS * STEP_SECONDS
const SONG_SECONDS = BARS.length * BAR_SECONDS
const FRAMES = Math.round(SONG_SECONDS * RATE_HZ)
/** Fade of the last chord, s. */
const FADE_SECONDS = 1.6
/** Drive of the mix; a peak of 1 is rounded off to 0.8. */
const DRIVE = 1.1
/** High-pass of the mixing desk, Hz. */
const DESK_LOWEST_HZ = 8
/** Highest sample of the mix, dBFS. */
const PEAK_DBFS = -2

const newBus = (): Bus => ({ left: new Float32Array(FRAMES), right: new Float32Array(FRAMES) })

const SEMITONES: Readonly<Record<string, number>> = { C: 0, D: 2, E: 4, F: 5, G: 7, A: 9, B: 11 }

/** Frequency of a pitch such as F#4 in equal temperament on A4 = 440 Hz. */
function pitchHz(name: string): number {
  const [, letter = '', sharp = '', octave = ''] = /^([A-G])(#?)(\d)$/.exec(name) ?? []
  const semitone = SEMITONES[letter]
  if (semitone === undefined) throw new RangeError(`${name} is no pitch`)
  return 440 * power(2, (semitone + sharp.length - 9) / 12 + Number(octave) - 4)
}

/** Notes of a written line that begins at `startSeconds`. */
function notesOf(line: string | undefined, startSeconds: number): Note[] {
  const notes: Note[] = []
  let at = startSeconds
  for (const token of line?.split(' ') ?? []) {
    const [pitch = '', steps = ''] = token.split('/')
    const seconds = Number(steps) * STEP_SECONDS
    if (pitch !== '-') notes.push({ startSeconds: at, seconds, hz: pitchHz(pitch) })
    at += seconds
  }
  return notes
}

/** Times and loudness of the strokes of a written rhythm. */
function strokesOf(rhythm: string | undefined, startSeconds: number) {
  return [...(rhythm ?? '')].flatMap((sign, step) =>
    sign === '.' ? [] : [{ startSeconds: startSeconds + step * STEP_SECONDS, isSoft: sign === 'o' }],
  )
}

interface Buses {
  readonly drums: Bus
  readonly bass: Bus
  readonly pads: Bus
  readonly bells: Bus
  readonly lead: Bus
}

function playScore(isBassSplit: boolean): Buses {
  const buses: Buses = { drums: newBus(), bass: newBus(), pads: newBus(), bells: newBus(), lead: newBus() }
  const noise = seededNoise(1)
  for (const [b, bar] of BARS.entries()) {
    const start = b * BAR_SECONDS
    playDrums(buses.drums, b, noise)
    for (const note of notesOf(bar.bass, start)) {
      bassFundamental(buses.bass, note, isBassSplit ? -1 : 1)
      bassGrowl(buses.bass, note)
    }
    const seconds = BAR_SECONDS / bar.chords.length
    for (const [c, chord] of bar.chords.entries()) {
      const pitches = chord.split(' ').map(pitchHz)
      for (const hz of pitches)
        padVoice(buses.pads, { startSeconds: start + c * seconds, seconds, hz }, bar.chordLevel, noise)
    }
    for (const [k, index] of (bar.bells?.split(' ') ?? []).entries()) {
      const chord = bar.chords[Math.floor((k * bar.chords.length) / 8)]!.split(' ')
      const hz = 4 * pitchHz(chord[Number(index)]!)
      bell(buses.bells, { startSeconds: start + 2 * k * STEP_SECONDS, seconds: 0, hz }, k % 2 === 0 ? -0.6 : 0.6)
    }
    for (const note of notesOf(bar.lead, start)) lead(buses.lead, note)
  }
  return buses
}

function playDrums(bus: Bus, b: number, noise: () => number): void {
  const { kick: kicks, snare: snares, clap: claps, hats, hasCrash } = BARS[b]!
  const start = b * BAR_SECONDS
  for (const { startSeconds, isSoft } of strokesOf(kicks, start))
    kick(bus, { startSeconds, level: isSoft ? 0.35 : 0.7 })
  for (const { startSeconds, isSoft } of strokesOf(snares, start))
    snare(bus, { startSeconds, level: isSoft ? 0.1 : 0.42 }, noise)
  for (const { startSeconds } of strokesOf(claps, start)) clap(bus, { startSeconds, level: 0.4 }, noise)
  for (const [k, { startSeconds, isSoft }] of strokesOf(hats, start).entries())
    cymbal(bus, { startSeconds, level: k % 2 === 0 ? 0.32 : 0.24 }, isSoft ? 0.09 : 0.03, 0.25, noise)
  if (hasCrash) cymbal(bus, { startSeconds: start, level: 0.2 }, 0.6, -0.2, noise)
}

/** Ducking gains for each kick, 1 to 0.5. */
function duckingGains(): Float32Array {
  const gains = new Float32Array(FRAMES).fill(1)
  for (const [b, bar] of BARS.entries()) {
    for (const { startSeconds } of strokesOf(bar.kick, b * BAR_SECONDS)) {
      const first = Math.round(startSeconds * RATE_HZ)
      for (let i = first; i < Math.min(FRAMES, first + RATE_HZ / 2); i++) {
        const t = (i - first) / RATE_HZ
        gains[i] = Math.min(gains[i]!, 1 - 0.55 * Math.min(1, t / 0.004) * Math.exp(-t / 0.08))
      }
    }
  }
  return gains
}

/** Opens and closes the chords with the brightness of each bar, over half a bar. */
function filterPads(pads: Bus): void {
  for (const samples of [pads.left, pads.right]) {
    const filter = movingLowPass(0.9)
    let hz: number = BARS[0]!.brightnessHz
    for (let i = 0; i < FRAMES; i++) {
      const bar = BARS[Math.min(BARS.length - 1, Math.floor(i / RATE_HZ / BAR_SECONDS))]!
      hz += (bar.brightnessHz - hz) * (1 / (RATE_HZ * 0.35))
      samples[i] = filter(samples[i]!, hz)
    }
  }
}

/** Echoes of the melody and the bells: a dotted eighth apart, from side to side, each at 0.38 of the previous one. */
function addEchoes(into: Bus, from: Bus, level: number): void {
  const delay = Math.round(3 * STEP_SECONDS * RATE_HZ)
  const echo = newBus()
  for (let i = delay; i < FRAMES; i++) {
    const dry = 0.5 * (from.left[i - delay]! + from.right[i - delay]!)
    echo.left[i] = dry + 0.38 * echo.right[i - delay]!
    echo.right[i] = 0.38 * echo.left[i - delay]!
  }
  addTo(into, echo, level)
}

function addTo(into: Bus, from: Bus, level: number, gains?: Float32Array): void {
  for (let i = 0; i < FRAMES; i++) {
    const gain = gains ? level * gains[i]! : level
    into.left[i]! += gain * from.left[i]!
    into.right[i]! += gain * from.right[i]!
  }
}

/** Delays of the room, frames, and the additional delay on the right: after M. Schroeder, J. AES 10(3), 1962. */
const COMBS = [1116, 1277, 1422, 1617]
const ALLPASSES = [556, 225]
const SPREAD = 23
const COMB_GAIN = 0.76
const DAMPING = 0.35

/** Adds a short room around `from`. */
function addRoom(into: Bus, from: Bus): void {
  for (const [c, samples] of [into.left, into.right].entries()) {
    let wet = new Float32Array(FRAMES)
    const dry = c === 0 ? from.left : from.right
    for (const length of COMBS) {
      const line = new Float32Array(length + c * SPREAD)
      let at = 0
      let dull = 0
      for (let i = 0; i < FRAMES; i++) {
        const heard = line[at]!
        dull = heard + DAMPING * (dull - heard)
        line[at] = dry[i]! + COMB_GAIN * dull
        at = at + 1 === line.length ? 0 : at + 1
        wet[i]! += heard / COMBS.length
      }
    }
    for (const length of ALLPASSES) wet = diffused(wet, length + c * SPREAD)
    for (let i = 0; i < FRAMES; i++) samples[i]! += wet[i]!
  }
}

function diffused(input: Float32Array, length: number): Float32Array<ArrayBuffer> {
  const output = new Float32Array(FRAMES)
  for (let i = 0; i < FRAMES; i++) {
    const late = i >= length ? input[i - length]! + 0.5 * output[i - length]! : 0
    output[i] = late - 0.5 * input[i]!
  }
  return output
}

function filterBy({ b0, b1, b2, a1, a2 }: Biquad, { left, right }: Bus): void {
  for (const samples of [left, right]) {
    let [x1, x2, y1, y2] = [0, 0, 0, 0]
    for (let i = 0; i < FRAMES; i++) {
      const x = samples[i]!
      const y = b0 * x + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
      x2 = x1
      x1 = x
      y2 = y1
      y1 = y
      samples[i] = y
    }
  }
}

/** Rounds off the peaks of the mix, like a driven mixing desk, and removes the resulting offset. */
function saturate({ left, right }: Bus): void {
  for (const samples of [left, right]) {
    const coupled = highPass(DESK_LOWEST_HZ)
    for (let i = 0; i < FRAMES; i++) samples[i] = coupled(Math.tanh(DRIVE * samples[i]!))
  }
}

function highestOf(samples: Float32Array): number {
  let peak = 0
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  return peak
}

/** Fades the end and brings the highest sample to {@link PEAK_DBFS}. */
function finish({ left, right }: Bus): void {
  const fade = FADE_SECONDS * RATE_HZ
  for (const samples of [left, right]) {
    for (let i = Math.floor(FRAMES - fade); i < FRAMES; i++) samples[i]! *= ((FRAMES - i) / fade) ** 2
  }
  const gain = dbToGain(PEAK_DBFS) / Math.max(highestOf(left), highestOf(right))
  for (const samples of [left, right]) for (let i = 0; i < FRAMES; i++) samples[i]! *= gain
}

/** Returns the sample song at {@link RATE_HZ}, the same samples every time; with other faults for comparison. */
export function renderSampleSong(faults: MixFaults = FAULTS): Bus {
  const buses = playScore(faults.isBassSplit)
  filterPads(buses.pads)
  const mix = newBus()
  const ducked = duckingGains()
  addTo(mix, buses.drums, 1)
  addTo(mix, buses.bass, 1, ducked)
  addTo(mix, buses.pads, 1, ducked)
  addTo(mix, buses.bells, 1)
  addTo(mix, buses.lead, 1)
  addEchoes(mix, buses.lead, 0.3)
  addEchoes(mix, buses.bells, 0.35)
  const send = newBus()
  addTo(send, buses.drums, 0.08)
  addTo(send, buses.pads, 0.2)
  addTo(send, buses.bells, 0.3)
  addTo(send, buses.lead, 0.22)
  addRoom(mix, send)
  saturate(mix)
  filterBy(peaking(BOOM_HZ, RATE_HZ, BOOM_Q, faults.boomDb), mix)
  finish(mix)
  return mix
}

/** Returns the sample song as a stereo WAV file of 16 bit. */
export function sampleSongWav(): Uint8Array<ArrayBuffer> {
  const { left, right } = renderSampleSong()
  const head = waveHead({ channels: 2, sampleRateHz: RATE_HZ, bitsPerSample: 16 }, FRAMES * 4)
  const file = new Uint8Array(head.length + FRAMES * 4)
  file.set(head)
  const samples = new DataView(file.buffer, head.length)
  for (let i = 0; i < FRAMES; i++) {
    samples.setInt16(4 * i, Math.round(left[i]! * 32_767), true)
    samples.setInt16(4 * i + 2, Math.round(right[i]! * 32_767), true)
  }
  return file
}
