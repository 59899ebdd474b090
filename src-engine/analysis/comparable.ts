/** Comparison of the long-term spectra of pieces of music. */
import { type BandLevels, emptyDb, quantile } from '../dsp/meters/spectrum.ts'
import { isOppositePhase } from '../dsp/meters/stereo.ts'
import type { SourceAnalysis } from './analysis.ts'

/** The core, which carries the weight of music, Hz. */
const coreFromHz = 100
const coreToHz = 8000
/** Upper end of music without a cutoff, Hz. */
const fullBandwidthHz = 20_000

/** Returns true for a band of the core, where two spectra are aligned in level. */
export const isInCore = (hz: number): boolean => hz >= coreFromHz && hz <= coreToHz

/** Levels of a song; in opposite phase, with the side, which holds the sound, as the mid. */
export function heardLevels({ sideToMidDb }: SourceAnalysis, levels: BandLevels): BandLevels {
  return isOppositePhase(sideToMidDb) ? { ...levels, midDb: levels.sideDb, sideDb: levels.midDb } : levels
}

/** Narrowest of `bandwidthsHz`, Hz; null among them stands for a spectrum without a cutoff. */
export function commonBandwidthHz(...bandwidthsHz: readonly (number | null)[]): number {
  return Math.min(...bandwidthsHz.map((hz) => hz ?? fullBandwidthHz), fullBandwidthHz)
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

/** Median of the non-null values over the bands of the core. */
export function medianInCore(bandHz: readonly number[], values: readonly (number | null)[]): number {
  const core = values.filter((value, b): value is number => value !== null && isInCore(bandHz[b]!))
  return core.length > 0 ? quantile(Float64Array.from(core).sort(), 0.5) : 0
}

/** Least level of a band with music, dB: {@link emptyDb} below the loudest band of mid and side. */
export function musicFromDb({ midDb, sideDb }: BandLevels): number {
  return Math.max(...midDb, ...sideDb) - emptyDb
}

/** Share of the bands between 100 Hz and 8 kHz that must hold music for a piece to be comparable. */
const comparableShare = 0.5

/** Returns true for a piece whose spectrum is comparable with others: not silent, not in opposite phase, more than single tones. */
export function isComparable({
  integratedLufs,
  sideToMidDb,
  fineSpectrum,
}: Pick<SourceAnalysis, 'integratedLufs' | 'sideToMidDb' | 'fineSpectrum'>): boolean {
  if (integratedLufs === null || isOppositePhase(sideToMidDb)) return false
  const fromDb = musicFromDb(fineSpectrum)
  const holdsMusic = fineSpectrum.midDb.map((level) => (level >= fromDb ? 1 : 0))
  return meanInCore(fineSpectrum.bandHz, holdsMusic) >= comparableShare
}
