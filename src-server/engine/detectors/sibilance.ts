import { activeFrames, type BandFrames, quantile } from '../meters/spectrum.ts'
import { powerToDb } from '../units.ts'

/** How sharply the range of s and sh comes and goes. */
export interface Sibilance {
  /** Typical (median) density of 4.5–9 kHz against 1.1–4.5 kHz, dB. */
  readonly typicalDb: number
  /** The same in the sharpest fiftieth of the playing time. */
  readonly sharpestDb: number
}

/** Returns the balance of the sibilant range over time from third octaves; −60 dB for both for silence. Never throws. */
export function measureSibilance(frames: BandFrames): Sibilance {
  const { bands, frameCount, mid } = frames
  const count = bands.centresHz.length
  const isActive = activeFrames(frames, 30)
  const density = (frame: number, lowHz: number, highHz: number): number => {
    let sum = 0
    for (let b = 0; b < count; b++) {
      const hz = bands.centresHz[b]!
      if (hz > lowHz && hz < highHz) sum += mid[frame * count + b]!
    }
    return sum / (highHz - lowHz)
  }
  const balances: number[] = []
  for (let f = 0; f < frameCount; f++) {
    if (!isActive[f]) continue
    const voice = density(f, 1100, 4500)
    if (voice > 1e-16) balances.push(powerToDb(density(f, 4500, 9000) / voice + 1e-6))
  }
  if (balances.length === 0) return { typicalDb: -60, sharpestDb: -60 }
  const ascending = Float64Array.from(balances).sort()
  return { typicalDb: quantile(ascending, 0.5), sharpestDb: quantile(ascending, 0.98) }
}
