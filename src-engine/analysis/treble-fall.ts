import { type BandLevels, emptyDb } from '../dsp/meters/spectrum.ts'
import { rise } from '../dsp/units.ts'
import { commercialSpectrumDb } from './tonal-targets.ts'

/** Search range for a fall of the treble, Hz; below it, an arrangement without high instruments is ordinary. */
const lowestHz = 2400
const highestHz = 13_000
/** Width of the window for reading a level, and distance to the next reading above it, as frequency ratios. */
const windowRatio = 1.3
const spanRatio = 1.6
/** Presence range, Hz: an excess above it that ends in the search range is a peak, not a falling treble. */
const presenceHz = [1500, 4000] as const

/** Body of a song, Hz, the reference for its whole treble from {@link trebleFromHz} on. */
const bodyHz = [250, 1000] as const
const trebleFromHz = 5000

/** Treble of a song compared with finished music, dB; both 0 for silence. */
export interface Treble {
  /**
   * Permanent fall: the level of the mid in a window between 2.4 and 8 kHz, at most that of the presence range, over the highest level of
   * any window that begins two thirds of an octave above it or later, up to 13 kHz. Mostly below 5 for finished music, 8.7 and more behind
   * a low-pass of 24 dB per octave at 5.5 kHz.
   */
  readonly fallDb: number
  /**
   * Overall lack: the level between 250 Hz and 1 kHz over the highest window from 5 kHz on. Catches falls below the search range and songs
   * without any treble.
   */
  readonly lackDb: number
}

/**
 * Returns the fall and the overall lack of treble in a long-term spectrum in sixth octaves, relative to the published average of commercial
 * music. Bands more than {@link emptyDb} below the loudest count as that far below it.
 */
export function measureTreble({ bandHz, midDb }: BandLevels): Treble {
  const loudest = Math.max(...midDb)
  if (!(loudest > -120)) return { fallDb: 0, lackDb: 0 }
  const deviationDb = midDb.map((level, b) => Math.max(level, loudest - emptyDb) - commercialSpectrumDb(bandHz[b]!))
  const meanDb = (fromHz: number, toHz: number): number => {
    const within = deviationDb.filter((_, b) => bandHz[b]! >= fromHz && bandHz[b]! <= toHz)
    return within.reduce((sum, level) => sum + level, 0) / within.length
  }
  const presenceDb = meanDb(...presenceHz)
  const windows = bandHz
    .filter((hz) => hz >= lowestHz && hz * windowRatio <= highestHz)
    .map((fromHz) => ({ fromHz, levelDb: meanDb(fromHz, fromHz * windowRatio) }))
  const highestFrom = (hz: number): number =>
    Math.max(...windows.filter(({ fromHz }) => fromHz >= hz).map(({ levelDb }) => levelDb))
  const falls = windows.map(({ fromHz, levelDb }) => Math.min(levelDb, presenceDb) - highestFrom(fromHz * spanRatio))
  return {
    // The highest windows have no window above them.
    fallDb: Math.max(...falls.filter(Number.isFinite)),
    lackDb: meanDb(...bodyHz) - highestFrom(trebleFromHz),
  }
}

/**
 * Largest fall of the treble that allows a full cut of the highs, and least fall of a muffled song, dB. Measured on fifteen songs of
 * generators and eight of Debian's games: 21 fall by 4.7 dB or less, with +5 dB at 6 kHz by 7.0 dB or less; all copies low-passed with 24
 * dB per octave at 5.5 kHz, except one without highs to lose, by 8.7 dB or more.
 */
const ordinaryFallDb = 7.2
const muffledFallDb = 8.5

/** The same for the overall lack of treble, dB. */
const ordinaryLackDb = 22
const muffledLackDb = 24

/** Least bandwidth of a song with highs to cut, Hz. */
const leastBandwidthHz = 10_000

/** Top of a song. */
interface TopOfSong {
  readonly treble: Treble
  /** Frequency above which there is no music; null without a cutoff. */
  readonly bandwidthHz: number | null
}

/**
 * Returns the tolerable part of a cut in the highs, 0 to 1: 0 for a muffled song, whose 6 kHz region stands out only because the treble
 * above is missing, and for a band that ends below 10 kHz.
 */
export function highCutAllowance({ treble, bandwidthHz }: TopOfSong): number {
  if (bandwidthHz !== null && bandwidthHz < leastBandwidthHz) return 0
  const { fallDb, lackDb } = treble
  return Math.min(1 - rise(fallDb, ordinaryFallDb, muffledFallDb), 1 - rise(lackDb, ordinaryLackDb, muffledLackDb))
}

/** Fall of the treble over which an excess at 6 kHz is increasingly explained by missing treble above it, dB. */
const wholeTrebleDb = -3
const slopingTrebleDb = 0

/**
 * Returns the tolerable part of a cut in the highs, 0 to 1, by the spectrum alone: a gentle low-pass makes the spectrum show a false
 * excess.
 */
export function excessAllowance(song: TopOfSong): number {
  return highCutAllowance(song) * (1 - rise(song.treble.fallDb, wholeTrebleDb, slopingTrebleDb))
}

/**
 * Returns true for a song whose treble is missing or falls away more gently than at a cutoff; a cutoff below 10 kHz is reported as such.
 * Silence is not muffled.
 */
export function isMuffled({ treble, bandwidthHz }: TopOfSong): boolean {
  if (bandwidthHz !== null && bandwidthHz < leastBandwidthHz) return false
  return treble.fallDb >= muffledFallDb || treble.lackDb >= muffledLackDb
}
