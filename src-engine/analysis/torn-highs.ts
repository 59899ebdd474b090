import { foldDownLossDb } from '../dsp/meters/stereo.ts'
import { dbToPower, powerToDb } from '../dsp/units.ts'
import type { SourceAnalysis } from './analysis.ts'

/** Third octaves of the judged highs, Hz: 6.3 to 12.5 kHz. */
const lowestHz = 6000
const highestHz = 14_000
/** Least level of the side against the mid in highs that are as wide as unrelated channels, and largest spread of the bands, dB. */
const unrelatedDb = -4
const mostSpreadDb = 3
/** Largest distance between side and mid of every band in highs that do not hold together, dB: correlations of −0.23 to 0.23. */
const mostApartDb = 2
/** Least share of the song's power in the highs for a loss to be noticed (−40 dB). */
const leastPart = 1e-4

interface Highs {
  /** Side against mid of every third octave, dB. */
  readonly bandsDb: readonly number[]
  readonly midPower: number
  readonly sidePower: number
}

function highsOf({ spectrum: { bandHz, midDb, sideDb } }: SourceAnalysis): Highs {
  const bands = bandHz.flatMap((hz, b) => (hz > lowestHz && hz < highestHz ? [b] : []))
  const power = (levels: readonly number[]) => bands.reduce((sum, b) => sum + dbToPower(levels[b]!), 0)
  return { bandsDb: bands.map((b) => sideDb[b]! - midDb[b]!), midPower: power(midDb), sidePower: power(sideDb) }
}

/** Returns true for highs that are evenly as wide as unrelated channels: a mark of generators that make the channels one by one. */
export function areHighsUnrelated(analysis: SourceAnalysis): boolean {
  const { bandsDb } = highsOf(analysis)
  return Math.min(...bandsDb) > unrelatedDb && Math.max(...bandsDb) - Math.min(...bandsDb) < mostSpreadDb
}

/**
 * Returns how much mono playback loses from 6 to 14 kHz where both channels are unrelated in every band there, dB; null for all other songs,
 * for mono, a dead channel, silence, and highs more than 40 dB below the song.
 */
export function tornHighsLossDb(analysis: SourceAnalysis): number | null {
  const { isMono, isSilent, deadChannel, spectrum } = analysis
  if (isMono || isSilent || deadChannel !== null) return null
  const { bandsDb, midPower, sidePower } = highsOf(analysis)
  const total = [...spectrum.midDb, ...spectrum.sideDb].reduce((sum, level) => sum + dbToPower(level), 0)
  if (midPower + sidePower < total * leastPart) return null
  if (bandsDb.some((bandDb) => Math.abs(bandDb) > mostApartDb)) return null
  return foldDownLossDb(powerToDb(sidePower / midPower))
}
