import { dbToGain, power, powerOfTen, powerToDb } from './units.ts'

/** One second-order section, a0 = 1: y = b0·x + b1·x₁ + b2·x₂ − a1·y₁ − a2·y₂. */
export interface Biquad {
  readonly b0: number
  readonly b1: number
  readonly b2: number
  readonly a1: number
  readonly a2: number
}

const butterworthQ = Math.SQRT1_2

function normalised(b0: number, b1: number, b2: number, a0: number, a1: number, a2: number): Biquad {
  return { b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: a1 / a0, a2: a2 / a0 }
}

function angle(frequencyHz: number, sampleRateHz: number): { cos: number; sin: number } {
  if (!(frequencyHz > 0 && frequencyHz < sampleRateHz / 2)) {
    throw new RangeError(`A filter at ${frequencyHz} Hz does not exist at ${sampleRateHz} Hz`)
  }
  const omega = (2 * Math.PI * frequencyHz) / sampleRateHz
  return { cos: Math.cos(omega), sin: Math.sin(omega) }
}

/**
 * Second-order low-pass, −3 dB at `frequencyHz` with the default Butterworth q. All designs here are bilinear after
 * R. Bristow-Johnson's Audio EQ Cookbook and throw a RangeError unless 0 < frequencyHz < sampleRateHz / 2.
 */
export function lowPass(frequencyHz: number, sampleRateHz: number, q = butterworthQ): Biquad {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  const alpha = sin / (2 * q)
  return normalised((1 - cos) / 2, 1 - cos, (1 - cos) / 2, 1 + alpha, -2 * cos, 1 - alpha)
}

/** Second-order high-pass, −3 dB at `frequencyHz` with the default Butterworth q. */
export function highPass(frequencyHz: number, sampleRateHz: number, q = butterworthQ): Biquad {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  const alpha = sin / (2 * q)
  return normalised((1 + cos) / 2, -(1 + cos), (1 + cos) / 2, 1 + alpha, -2 * cos, 1 - alpha)
}

/** Band-pass with 0 dB at `frequencyHz` and bandwidth frequencyHz / q. */
export function bandPass(frequencyHz: number, sampleRateHz: number, q: number): Biquad {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  const alpha = sin / (2 * q)
  return normalised(alpha, 0, -alpha, 1 + alpha, -2 * cos, 1 - alpha)
}

/** Peaking equaliser of `gainDb` at `frequencyHz`; 0 dB is the exact identity. */
export function peaking(frequencyHz: number, sampleRateHz: number, q: number, gainDb: number): Biquad {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  const a = powerOfTen(gainDb / 40)
  const alpha = sin / (2 * q)
  return normalised(1 + alpha * a, -2 * cos, 1 - alpha * a, 1 + alpha / a, -2 * cos, 1 - alpha / a)
}

/** High shelf: `gainDb` far above `frequencyHz`, half of it (in dB) there, 0 dB far below. */
export function highShelf(frequencyHz: number, sampleRateHz: number, gainDb: number, q = butterworthQ): Biquad {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  const a = powerOfTen(gainDb / 40)
  const s = (2 * Math.sqrt(a) * sin) / (2 * q)
  return normalised(
    a * (a + 1 + (a - 1) * cos + s),
    -2 * a * (a - 1 + (a + 1) * cos),
    a * (a + 1 + (a - 1) * cos - s),
    a + 1 - (a - 1) * cos + s,
    2 * (a - 1 - (a + 1) * cos),
    a + 1 - (a - 1) * cos - s,
  )
}

/** Low shelf: `gainDb` far below `frequencyHz`, half of it (in dB) there, 0 dB far above. */
export function lowShelf(frequencyHz: number, sampleRateHz: number, gainDb: number, q = butterworthQ): Biquad {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  const a = powerOfTen(gainDb / 40)
  const s = (2 * Math.sqrt(a) * sin) / (2 * q)
  return normalised(
    a * (a + 1 - (a - 1) * cos + s),
    2 * a * (a - 1 - (a + 1) * cos),
    a * (a + 1 - (a - 1) * cos - s),
    a + 1 + (a - 1) * cos + s,
    -2 * (a - 1 + (a + 1) * cos),
    a + 1 + (a - 1) * cos - s,
  )
}

/** Notch: nothing at `frequencyHz`, −3 dB over the bandwidth frequencyHz / q. */
export function notch(frequencyHz: number, sampleRateHz: number, q: number): Biquad {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  const alpha = sin / (2 * q)
  return normalised(1, -2 * cos, 1, 1 + alpha, -2 * cos, 1 - alpha)
}

/** Bandwidths (1 / Q) of the two sections of a Butterworth filter of order 4. */
const butterworth4 = [2 * Math.sin(Math.PI / 8), 2 * Math.sin((3 * Math.PI) / 8)]

/**
 * Steep high shelf of order 4: linear `gain` above `frequencyHz`, its square root there, 1 below. Within 2 % of the two outside 0.6 and 1.7
 * times the frequency, for gains from 1/2 to 2, and between them everywhere else. M. Holters, U. Zölzer, "Parametric Higher-Order Shelving
 * Filters", EUSIPCO 2006. A gain of 1 gives no sections. Minimum phase. Throws as {@link lowPass}, and for gain ≤ 0.
 */
export function steepHighShelf(frequencyHz: number, sampleRateHz: number, gain: number): readonly Biquad[] {
  const { cos, sin } = angle(frequencyHz, sampleRateHz)
  if (!(gain > 0)) throw new RangeError(`A shelf of gain ${gain}`)
  if (gain === 1) return []
  const t = (1 + cos) / sin / power(gain, 1 / 8)
  const g = power(gain, 1 / 4)
  const squared = (u: number, width: number) => [1 + width * u + u * u, 2 - 2 * u * u, 1 - width * u + u * u] as const
  return butterworth4.map((width) => {
    const [b0, b1, b2] = squared(g * t, width)
    const [a0, a1, a2] = squared(t, width)
    return normalised(b0, b1, b2, a0, a1, a2)
  })
}

/**
 * The two sections of the K-weighting of ITU-R BS.1770-5, Annex 1, for any rate: the analogue prototypes fitted by B. De Man
 * ("Evaluation of implementations of the EBU R128 loudness measurement", AES 145, 2018), equal to the tables of the standard at
 * 48 kHz. Shelf first, then the high-pass.
 */
export function kWeighting(sampleRateHz: number): readonly [Biquad, Biquad] {
  const shelfK = Math.tan((Math.PI * 1681.974450955533) / sampleRateHz)
  const shelfQ = 0.7071752369554196
  const vh = dbToGain(3.999843853973347)
  const vb = power(vh, 0.4996667741545416)
  const k2 = shelfK * shelfK
  const shelf = normalised(
    vh + (vb * shelfK) / shelfQ + k2,
    2 * (k2 - vh),
    vh - (vb * shelfK) / shelfQ + k2,
    1 + shelfK / shelfQ + k2,
    2 * (k2 - 1),
    1 - shelfK / shelfQ + k2,
  )
  const { a0, a1, a2 } = passDenominator(sampleRateHz)
  // The table's numerator 1, −2, 1 lies 0.04 dB above unity gain at 48 kHz; other rates must do the same.
  const b = passDenominator(48_000).a0 / a0
  const pass = { b0: b, b1: -2 * b, b2: b, a1: a1 / a0, a2: a2 / a0 }
  return [shelf, pass]
}

function passDenominator(sampleRateHz: number): { a0: number; a1: number; a2: number } {
  const k = Math.tan((Math.PI * 38.13547087602444) / sampleRateHz)
  const q = 0.5003270373238773
  return { a0: 1 + k / q + k * k, a1: 2 * (k * k - 1), a2: 1 - k / q + k * k }
}

/** Complementary section: its output is x − y. */
export function complement({ b0, b1, b2, a1, a2 }: Biquad): Biquad {
  return { b0: 1 - b0, b1: a1 - b1, b2: a2 - b2, a1, a2 }
}

/** Magnitude in dB of a cascade at a frequency. */
export function magnitudeDb(sections: readonly Biquad[], frequencyHz: number, sampleRateHz: number): number {
  const omega = (2 * Math.PI * frequencyHz) / sampleRateHz
  const c1 = Math.cos(omega)
  const s1 = Math.sin(omega)
  const c2 = Math.cos(2 * omega)
  const s2 = Math.sin(2 * omega)
  let power = 1
  for (const { b0, b1, b2, a1, a2 } of sections) {
    const numerator = (b0 + b1 * c1 + b2 * c2) ** 2 + (b1 * s1 + b2 * s2) ** 2
    const denominator = (1 + a1 * c1 + a2 * c2) ** 2 + (a1 * s1 + a2 * s2) ** 2
    power *= numerator / denominator
  }
  return powerToDb(power)
}
