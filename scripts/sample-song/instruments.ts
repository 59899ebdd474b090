/** Instruments of the sample song: each plays one note or stroke into a bus. */
import { power } from '../../src-engine/dsp/units.ts'

export const RATE_HZ = 44_100

/** Two channels that receive the instruments. */
export interface Bus {
  readonly left: Float32Array
  readonly right: Float32Array
}

export interface Note {
  readonly startSeconds: number
  readonly seconds: number
  readonly hz: number
}

export interface Stroke {
  readonly startSeconds: number
  /** Full scale 1. */
  readonly level: number
}

/** Noise between −1 and 1. */
export type Noise = () => number

/** Returns reproducible noise: the generator of Numerical Recipes, 32 bit. */
export function seededNoise(seed: number): Noise {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return state / 2 ** 31
  }
}

const TURN = 2 * Math.PI
const cents = (amount: number) => power(2, amount / 1200)

/** Adds `sampleAt` for each moment of the next `seconds`, in s from the start, equally to both channels or by `pan`. */
function play(bus: Bus, startSeconds: number, seconds: number, sampleAt: (t: number) => number, pan = 0): void {
  const first = Math.round(startSeconds * RATE_HZ)
  const end = Math.min(bus.left.length, first + Math.round(seconds * RATE_HZ))
  const toLeft = Math.min(1, 1 - pan)
  const toRight = Math.min(1, 1 + pan)
  for (let i = first; i < end; i++) {
    const sample = sampleAt((i - first) / RATE_HZ)
    bus.left[i]! += toLeft * sample
    bus.right[i]! += toRight * sample
  }
}

/** Linear attack, hold, and linear release after the note's end, 0 to 1. */
const held = (t: number, seconds: number, attack: number, release: number) =>
  Math.max(0, Math.min(1, t / attack, (seconds + release - t) / release))

/**
 * Sawtooth at a phase of 0 to 1 that moves by `step` with each frame, with reduced aliasing: two polynomial pieces around the jump (V.
 * Välimäki, A. Huovilainen, IEEE SPM 24(2), 2007).
 */
function sawtoothAt(phase: number, step: number): number {
  const value = 2 * phase - 1
  if (phase < step) {
    const left = 1 - phase / step
    return value + left * left
  }
  if (phase > 1 - step) {
    const past = 1 - (1 - phase) / step
    return value - past * past
  }
  return value
}

/** Returns a sawtooth oscillator, called frame by frame with the factor of its pitch bend. */
function sawtooth(hz: number, phase: number): (bend?: number) => number {
  let at = phase
  return (bend = 1) => {
    const step = (hz * bend) / RATE_HZ
    at += step
    if (at >= 1) at -= 1
    return sawtoothAt(at, step)
  }
}

/** Frames between two updates of a moving filter. */
const MOVES_EVERY = 16

/** Second-order low-pass with moving frequency (A. Simper's state variable filter, 2013). */
export function movingLowPass(q: number): (input: number, hz: number) => number {
  let band = 0
  let low = 0
  let g = 0
  let a1 = 1
  let left = 0
  return (input, hz) => {
    if (left-- === 0) {
      g = Math.tan((Math.PI * hz) / RATE_HZ)
      a1 = 1 / (1 + g * (g + 1 / q))
      left = MOVES_EVERY - 1
    }
    const v3 = input - low
    const v1 = a1 * (band + g * v3)
    const v2 = low + g * v1
    band = 2 * v1 - band
    low = 2 * v2 - low
    return v2
  }
}

/** First-order high-pass. */
export function highPass(hz: number): (input: number) => number {
  const keep = Math.exp((-TURN * hz) / RATE_HZ)
  let low = 0
  return (input) => {
    low = input + keep * (low - input)
    return input - low
  }
}

export function kick(bus: Bus, { startSeconds, level }: Stroke): void {
  let phase = 0
  play(bus, startSeconds, 0.4, (t) => {
    phase += (TURN * (47 + 130 * Math.exp(-t / 0.028))) / RATE_HZ
    return level * Math.sin(phase) * Math.min(1, t / 0.002) * Math.exp(-t / 0.11) * held(t, 0.35, 0.001, 0.05)
  })
}

export function snare(bus: Bus, { startSeconds, level }: Stroke, noise: Noise): void {
  const wires = highPass(1400)
  play(bus, startSeconds, 0.35, (t) => {
    const skin = Math.sin(TURN * 188 * t) * Math.exp(-t / 0.07) + 0.5 * Math.sin(TURN * 331 * t) * Math.exp(-t / 0.045)
    return level * held(t, 0.3, 0.001, 0.05) * (0.6 * skin + 0.75 * wires(noise()) * Math.exp(-t / 0.075))
  })
}

export function clap(bus: Bus, { startSeconds, level }: Stroke, noise: Noise): void {
  for (const [hand, pan] of [-0.5, 0.5, 0].entries()) {
    const colour = highPass(900)
    const dull = movingLowPass(0.8)
    const decay = hand === 2 ? 0.09 : 0.008
    play(
      bus,
      startSeconds + hand * 0.011,
      decay * 5,
      (t) => level * Math.min(1, t / 0.0006) * dull(colour(noise()), 4200) * Math.exp(-t / decay),
      pan,
    )
  }
}

/** Hats and cymbal: noise without lows; `decay` in seconds. */
export function cymbal(bus: Bus, { startSeconds, level }: Stroke, decay: number, pan: number, noise: Noise): void {
  const thin = [highPass(6500), highPass(6500)]
  const soft = movingLowPass(0.7)
  play(
    bus,
    startSeconds,
    decay * 5,
    (t) => level * Math.min(1, t / 0.001) * soft(thin[1]!(thin[0]!(noise())), 11_000) * Math.exp(-t / decay),
    pan,
  )
}

/** The growl of the bass, above its fundamental. */
export function bassGrowl(bus: Bus, { startSeconds, seconds, hz }: Note): void {
  const wave = sawtooth(hz, 0.25)
  const filter = movingLowPass(1.4)
  const thin = [highPass(170), highPass(170)]
  play(bus, startSeconds, seconds + 0.03, (t) => {
    const shape = held(t, seconds - 0.03, 0.004, 0.06)
    return 0.3 * shape * thin[1]!(thin[0]!(filter(wave(), 220 + 900 * Math.exp(-t / 0.09))))
  })
}

/** The fundamental of the bass, multiplied by `rightSign` in the right channel. */
export function bassFundamental(bus: Bus, { startSeconds, seconds, hz }: Note, rightSign: 1 | -1): void {
  const first = Math.round(startSeconds * RATE_HZ)
  const end = Math.min(bus.left.length, first + Math.round((seconds + 0.03) * RATE_HZ))
  for (let i = first; i < end; i++) {
    const t = (i - first) / RATE_HZ
    const sample = 0.36 * held(t, seconds - 0.03, 0.006, 0.06) * Math.sin(TURN * hz * t)
    bus.left[i]! += sample
    bus.right[i]! += rightSign * sample
  }
}

/** Strings of a pitch of the chords: detuning in cents, and the part for each channel. */
const STRINGS = [
  { detune: -8, toLeft: 1, toRight: 0 },
  { detune: 0, toLeft: 1, toRight: 1 },
  { detune: 7, toLeft: 0, toRight: 1 },
] as const

/** One pitch of a chord: three sawtooths across the width. It takes half of the song's rendering time, so it has its own loop. */
export function padVoice({ left, right }: Bus, { startSeconds, seconds, hz }: Note, level: number, noise: Noise): void {
  const first = Math.round(startSeconds * RATE_HZ)
  const frames = Math.min(left.length - first, Math.round((seconds + 0.35) * RATE_HZ))
  for (const { detune, toLeft, toRight } of STRINGS) {
    const step = (hz * cents(detune)) / RATE_HZ
    let phase = Math.abs(noise())
    for (let i = 0; i < frames; i++) {
      phase += step
      if (phase >= 1) phase -= 1
      const sample = level * held(i / RATE_HZ, seconds, 0.09, 0.35) * sawtoothAt(phase, step)
      left[first + i]! += toLeft * sample
      right[first + i]! += toRight * sample
    }
  }
}

/** Decay factor per frame for a decay to 1/e in `seconds`. */
const fallPerFrame = (seconds: number) => Math.exp(-1 / (seconds * RATE_HZ))

/** A bell by frequency modulation (J. Chowning, J. AES 21(7), 1973); its overtones decay first. */
export function bell(bus: Bus, { startSeconds, hz }: Note, pan: number): void {
  const ringFall = fallPerFrame(0.28)
  const brightFall = fallPerFrame(0.12)
  let ring = 0.16
  let bright = 1.8
  const ringOf = (t: number) => {
    const sample = ring * held(t, 1, 0.002, 0.2) * Math.sin(TURN * hz * t + bright * Math.sin(TURN * 3.5 * hz * t))
    ring *= ringFall
    bright *= brightFall
    return sample
  }
  play(bus, startSeconds, 1.2, ringOf, pan)
}

/** The melody: two sawtooths behind a filter that opens with each note, and a delayed vibrato. */
export function lead(bus: Bus, { startSeconds, seconds, hz }: Note): void {
  const waves = [sawtooth(hz * cents(-5), 0.1), sawtooth(hz * cents(6), 0.6)]
  const filter = movingLowPass(1.1)
  play(bus, startSeconds, seconds + 0.08, (t) => {
    const bend = 1 + 0.006 * Math.min(1, Math.max(0, t - 0.18) / 0.3) * Math.sin(TURN * 5.4 * t)
    const sound = waves[0]!(bend) + waves[1]!(bend)
    return 0.17 * held(t, seconds - 0.02, 0.008, 0.09) * filter(sound, 1700 + 3300 * Math.exp(-t / 0.22))
  })
}
