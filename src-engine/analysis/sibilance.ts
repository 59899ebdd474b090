import { activeFrames, type BandFrames, quantile } from '../dsp/meters/spectrum.ts'
import { powerToDb } from '../dsp/units.ts'

/** Range of s and sh, and reference range of the voice, Hz. */
export const sibilantHz = [4500, 9000] as const
export const voiceHz = [1100, 4500] as const

/** Sharpness of the range of s and sh. */
export interface Sibilance {
  /** Typical (median) density of 4.5–9 kHz against 1.1–4.5 kHz, dB. */
  readonly typicalDb: number
  /** The same in the sharpest fiftieth of the playing time. */
  readonly sharpestDb: number
  /** True if the bursts in this range are those of a voice; otherwise its sharpness comes from drums and cymbals. */
  readonly isOfVoice: boolean
  /** Power of these moments in every third octave, relative to the density of their voice range, linear. */
  readonly sharpestPowers: readonly number[]
}

/** Share of the playing time that counts as sharpest. */
const sharpestPart = 0.02

/** Least distance of the sharpest sibilants from the typical moment, dB: constant hiss is not sibilance. */
export const leastSharpnessDb = 10

/**
 * Returns the balance of the sibilant range over time from third octaves; −60 dB for both for silence. `hasVoice` is asked only about a
 * range that is sharp now and then. Never throws.
 */
export function measureSibilance(frames: BandFrames, hasVoice: () => boolean): Sibilance {
  const { bands, frameCount, mid } = frames
  const count = bands.centresHz.length
  const isActive = activeFrames(frames, 30)
  const density = (frame: number, [lowHz, highHz]: readonly [number, number]): number => {
    let sum = 0
    for (let b = 0; b < count; b++) {
      const hz = bands.centresHz[b]!
      if (hz > lowHz && hz < highHz) sum += mid[frame * count + b]!
    }
    return sum / (highHz - lowHz)
  }
  const moments: { frame: number; voice: number; balanceDb: number }[] = []
  for (let frame = 0; frame < frameCount; frame++) {
    if (!isActive[frame]) continue
    const voice = density(frame, voiceHz)
    if (voice > 1e-16) {
      moments.push({ frame, voice, balanceDb: powerToDb(density(frame, sibilantHz) / voice + 1e-6) })
    }
  }
  const sharpestPowers = bands.centresHz.map(() => 0)
  if (moments.length === 0) return { typicalDb: -60, sharpestDb: -60, isOfVoice: false, sharpestPowers }
  const ascending = Float64Array.from(moments, ({ balanceDb }) => balanceDb).sort()
  const sharpestDb = quantile(ascending, 1 - sharpestPart)
  for (const { frame, voice, balanceDb } of moments) {
    if (balanceDb < sharpestDb) continue
    for (let b = 0; b < count; b++) sharpestPowers[b]! += mid[frame * count + b]! / voice
  }
  const typicalDb = quantile(ascending, 0.5)
  const isOfVoice = sharpestDb - typicalDb >= leastSharpnessDb && hasVoice()
  return { typicalDb, sharpestDb, isOfVoice, sharpestPowers }
}
