import type { SourceAnalysis } from '../analysis/analysis.ts'
import { thresholdShiftDb } from '../analysis/analysis.ts'
import { mostPeakRiseDb, rumbleFilterFor } from '../analysis/subsonic.ts'
import { dbToGain } from '../dsp/units.ts'

/** A mean above this (−60 dBFS) is an offset. */
const dcThreshold = 1e-3
/**
 * An offset that moves by more than this part of itself comes with the music: it is filtered, not subtracted, and only above
 * −40 dBFS.
 */
const steadyDrift = 0.6
export const movingDcThreshold = 1e-2

/** Largest offset of a channel, full scale 1. */
export const largestOf = (offsets: readonly number[]): number => Math.max(...offsets.map(Math.abs))

/**
 * Change of the highest sample by filtering below the band, dB. An offset that moves with the notes of a synthesiser belongs to the
 * shape of its waves: taking it out can raise the peaks, which is worse than leaving an inaudible offset.
 */
function peakRiseDb({ musicPeakDbfs, samplePeakDbfs }: SourceAnalysis): number {
  return (musicPeakDbfs ?? 0) - (samplePeakDbfs ?? 0)
}

/** Returns true where the filter below the band lowers the peaks of a song, or raises them by less than it may. */
export function isWorthFiltering(analysis: SourceAnalysis): boolean {
  const filter = rumbleFilterFor(analysis.subsonic, thresholdShiftDb(analysis.samplePeakDbfs))
  return peakRiseDb(analysis) < (filter.order === 1 ? 0 : mostPeakRiseDb)
}

/**
 * Offsets to subtract, or that they are to be filtered; null where there is none to be taken out. One that moves is filtered,
 * with the first-order filter only where that lowers the peaks; where it does not, what every second of it has in common is still
 * subtracted.
 */
export function offsetRemoval(analysis: SourceAnalysis): readonly number[] | 'filtered' | null {
  const { dcOffsets, dcDrift, dcStanding, samplePeakDbfs } = analysis
  const unit = dbToGain(thresholdShiftDb(samplePeakDbfs))
  const offset = largestOf(dcOffsets)
  if (dcDrift < steadyDrift * offset) return offset > dcThreshold * unit ? dcOffsets : null
  if (isWorthFiltering(analysis)) return offset > movingDcThreshold * unit ? 'filtered' : null
  return largestOf(dcStanding) > movingDcThreshold * unit ? dcStanding : null
}
