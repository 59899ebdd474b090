/** Comparison of the long-term spectra of pieces of music. */
import { type BandLevels, emptyDb, quantile } from '../dsp/meters/spectrum.ts'
import { isOppositePhase } from '../dsp/meters/stereo.ts'
import type { SourceAnalysis } from './analysis.ts'

/** Whether a band lies where music has its weight: there two spectra are brought to one level. */
export const isInCore = (hz: number): boolean => hz >= 100 && hz <= 8000

/** The levels of a song, of one in opposite phase with the side, where its sound is, as the mid. */
export function heardLevels({ sideToMidDb }: SourceAnalysis, levels: BandLevels): BandLevels {
  return isOppositePhase(sideToMidDb) ? { ...levels, midDb: levels.sideDb, sideDb: levels.midDb } : levels
}

/** Frequency up to which a spectrum is followed, Hz: that of the narrowest of `bandwidthsHz`, null for one that nothing cuts off. */
export function commonBandwidthHz(...bandwidthsHz: readonly (number | null)[]): number {
  return Math.min(...bandwidthsHz.map((hz) => hz ?? 20_000), 20_000)
}

/** Mean of `values` over the bands of the core that lie below `limitHz`. */
export function meanInCore(
  bandHz: readonly number[],
  values: readonly number[],
  limitHz = Number.POSITIVE_INFINITY,
): number {
  const core = values.filter((_, b) => isInCore(bandHz[b]!) && bandHz[b]! < limitHz)
  return core.reduce((sum, value) => sum + value, 0) / core.length
}

/** Median over the same bands of the values that there are. */
export function medianInCore(bandHz: readonly number[], values: readonly (number | null)[]): number {
  const core = values.filter((value, b): value is number => value !== null && isInCore(bandHz[b]!))
  return core.length > 0 ? quantile(Float64Array.from(core).sort(), 0.5) : 0
}

/** Where a spectrum holds music: in bands at most {@link emptyDb} below its loudest, in mid or side. */
export function musicFromDb({ midDb, sideDb }: BandLevels): number {
  return Math.max(...midDb, ...sideDb) - emptyDb
}

/** Part of the bands between 100 Hz and 8 kHz in which a piece must hold music to be compared with others. */
const comparableShare = 0.5

/** Whether the spectrum of a piece can be compared with that of others: not silence, not in opposite phase, more than single tones. */
export function isComparable(piece: SourceAnalysis): boolean {
  const { integratedLufs, sideToMidDb, fineSpectrum } = piece
  if (integratedLufs === null || isOppositePhase(sideToMidDb)) return false
  const fromDb = musicFromDb(fineSpectrum)
  const holdsMusic = fineSpectrum.midDb.map((level) => (level >= fromDb ? 1 : 0))
  return meanInCore(fineSpectrum.bandHz, holdsMusic) >= comparableShare
}
