import type { SourceAnalysis } from '../analysis/analysis.ts'
import { thresholdShiftDb } from '../analysis/analysis.ts'
import { mostPeakRiseDb, rumbleFilterFor } from '../analysis/subsonic.ts'
import { dbToGain } from '../dsp/units.ts'

/** Least mean that counts as an offset (−60 dBFS). */
const dcThreshold = 1e-3
/** Movement, as a part of the offset, above which it belongs to the music: it is then filtered, not subtracted, and only above −40 dBFS. */
const steadyDrift = 0.6
export const movingDcThreshold = 1e-2

/** Largest offset of a channel, full scale 1. */
export const largestOf = (offsets: readonly number[]): number => Math.max(...offsets.map(Math.abs))

/**
 * Change of the highest sample by filtering below the band, dB. An offset that moves with the notes of a synthesiser belongs to the shape
 * of its waves: removing it can raise the peaks, which is worse than an inaudible offset.
 */
function peakRiseDb({ musicPeakDbfs, samplePeakDbfs }: SourceAnalysis): number {
  return (musicPeakDbfs ?? 0) - (samplePeakDbfs ?? 0)
}

/** Returns true if the filter below the band lowers the peaks of a song, or raises them by less than allowed. */
export function isWorthFiltering(analysis: SourceAnalysis): boolean {
  const filter = rumbleFilterFor(analysis.subsonic, thresholdShiftDb(analysis.samplePeakDbfs))
  return peakRiseDb(analysis) < (filter.order === 1 ? 0 : mostPeakRiseDb)
}

/**
 * Offsets to subtract, or `filtered`; null without an offset to remove. A moving offset is filtered, with the first-order filter only if
 * that lowers the peaks; otherwise the part common to every second is still subtracted.
 */
export function offsetRemoval(analysis: SourceAnalysis): readonly number[] | 'filtered' | null {
  const { dcOffsets, dcDrift, dcStanding, samplePeakDbfs } = analysis
  const unit = dbToGain(thresholdShiftDb(samplePeakDbfs))
  const offset = largestOf(dcOffsets)
  if (dcDrift < steadyDrift * offset) return offset > dcThreshold * unit ? dcOffsets : null
  if (isWorthFiltering(analysis)) return offset > movingDcThreshold * unit ? 'filtered' : null
  return largestOf(dcStanding) > movingDcThreshold * unit ? dcStanding : null
}
