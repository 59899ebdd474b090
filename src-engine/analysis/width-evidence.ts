import { activeFrames, type BandFrames, levelDb, quantile } from '../dsp/meters/spectrum.ts'

/** Width of a piece's moments, side against mid in dB; −60 for mono and silence. */
export interface WidthEvidence {
  /** One moment in twenty is wider. */
  readonly widestDb: number
}

/** Range of the bands used, Hz: below, most mixes are mono; above, lossy coding joins the channels. */
const lowestHz = 200
const highestHz = 8000

/**
 * Returns the median, over the third octaves between 200 Hz and 8 kHz, of each band's widest moments. These reflect the panning law rather
 * than the arrangement: unrelated channels (rooms, choruses, double tracking) and sources panned hard stand at 0 dB, so nearly every mix
 * comes close now and then, and only a widener goes far beyond.
 */
export function describeWidth(frames: BandFrames): WidthEvidence {
  const { bands, frameCount, mid, side } = frames
  const count = bands.centresHz.length
  const isActive = activeFrames(frames)
  const widest: number[] = []
  for (let b = 0; b < count; b++) {
    if (bands.centresHz[b]! < lowestHz || bands.centresHz[b]! > highestHz) continue
    const ratios: number[] = []
    for (let f = 0; f < frameCount; f++) {
      const i = f * count + b
      if (!isActive[f] || mid[i]! + side[i]! < 1e-13) continue
      ratios.push(Math.max(-60, Math.min(60, levelDb(side[i]!) - levelDb(mid[i]!))))
    }
    if (ratios.length === 0) continue
    const ascending = Float64Array.from(ratios).sort()
    widest.push(quantile(ascending, 0.95))
  }
  return { widestDb: widest.length > 0 ? quantile(Float64Array.from(widest).sort(), 0.5) : -60 }
}
