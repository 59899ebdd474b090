import { activeFrames, type BandFrames, levelDb, quantile } from '../dsp/meters/spectrum.ts'

/** Width of a piece's moments, side against mid in dB; −60 for mono and silence. */
export interface WidthEvidence {
  /** One moment in twenty is wider. */
  readonly widestDb: number
  /** The twentieth of the energy of each band of the third octaves of {@link isWidthBand} that is widest lies above this. */
  readonly widestEnergyDb: readonly number[]
}

/** Range of the bands used, Hz: below, most mixes are mono; above, lossy coding joins the channels. */
const lowestHz = 200
const highestHz = 8000
/** Part of the moments, or of the energy, that counts as the widest. */
const widestPart = 0.05

/** True for a band whose width is measured. */
export const isWidthBand = (hz: number): boolean => hz >= lowestHz && hz <= highestHz

/** A moment of a band: side against mid, dB, and the power of both together. */
interface Moment {
  readonly ratioDb: number
  readonly power: number
}

/**
 * Returns the widest moments of the third octaves between 200 Hz and 8 kHz: of each band by energy, and the median of all bands by time.
 * These reflect the panning law rather than the arrangement: unrelated channels (rooms, choruses, double tracking) and sources panned hard
 * stand at 0 dB, so nearly every mix comes close now and then, and only a widener goes far beyond. By time, the rests of a centred voice
 * count as wide; by energy they do not.
 */
export function describeWidth(frames: BandFrames): WidthEvidence {
  const { bands, frameCount, mid, side } = frames
  const count = bands.centresHz.length
  const isActive = activeFrames(frames)
  const widest: number[] = []
  const widestEnergyDb: number[] = []
  for (let b = 0; b < count; b++) {
    if (!isWidthBand(bands.centresHz[b]!)) continue
    const moments: Moment[] = []
    for (let f = 0; f < frameCount; f++) {
      const i = f * count + b
      const power = mid[i]! + side[i]!
      if (!isActive[f] || power < 1e-13) continue
      moments.push({ ratioDb: Math.max(-60, Math.min(60, levelDb(side[i]!) - levelDb(mid[i]!))), power })
    }
    moments.sort((one, other) => one.ratioDb - other.ratioDb)
    widestEnergyDb.push(widestByEnergy(moments))
    if (moments.length === 0) continue
    widest.push(
      quantile(
        Float64Array.from(moments, ({ ratioDb }) => ratioDb),
        1 - widestPart,
      ),
    )
  }
  return { widestDb: widest.length > 0 ? quantile(Float64Array.from(widest).sort(), 0.5) : -60, widestEnergyDb }
}

/** Returns the ratio that the widest part of the energy of ascending moments exceeds, dB; −60 without any. */
function widestByEnergy(ascending: readonly Moment[]): number {
  let left = widestPart * ascending.reduce((sum, { power }) => sum + power, 0)
  for (const { ratioDb, power } of ascending.toReversed()) {
    left -= power
    if (left <= 0) return ratioDb
  }
  return -60
}
