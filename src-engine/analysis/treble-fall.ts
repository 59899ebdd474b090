import { type BandLevels, emptyDb } from '../dsp/meters/spectrum.ts'
import { rise } from '../dsp/units.ts'
import { commercialSpectrumDb } from './tonal-targets.ts'

/** Range in which the treble is searched for a fall, Hz: below it, an arrangement without high instruments is ordinary. */
const lowestHz = 2400
const highestHz = 13_000
/** Width of the window in which a level is read, and distance to the next reading above it, as ratios of frequencies. */
const windowRatio = 1.3
const spanRatio = 1.6
/** The presence range, Hz: what stands out above it and ends there is a peak, not a song whose treble falls away. */
const presenceHz = [1500, 4000] as const

/** The body of a song, Hz, against which its treble from {@link trebleFromHz} on is held as a whole. */
const bodyHz = [250, 1000] as const
const trebleFromHz = 5000

/** Treble of a song against finished music, dB; both are 0 for silence. */
export interface Treble {
  /**
   * Fall for good: the level of the mid in a window between 2.4 and 8 kHz, at most that of the presence range, against the highest
   * level in any window that begins two thirds of an octave above it or later, up to 13 kHz. Mostly below 5 for finished music, 8.7 and
   * more behind a low-pass of 24 dB per octave at 5.5 kHz.
   */
  readonly fallDb: number
  /**
   * Lack as a whole: the level between 250 Hz and 1 kHz against the highest window from 5 kHz on. It tells of what falls below the
   * search for a fall, and of a song without any treble to fall.
   */
  readonly lackDb: number
}

/**
 * Returns how much the treble of a long-term spectrum in sixth octaves falls away, and how much of it there is, against the published
 * average of commercial music. Bands more than {@link emptyDb} below the loudest count as that far below it.
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
    // The highest windows have nothing above them to fall to.
    fallDb: Math.max(...falls.filter(Number.isFinite)),
    lackDb: meanDb(...bodyHz) - highestFrom(trebleFromHz),
  }
}

/**
 * Fall of the treble up to which a song's highs may be cut in full, and from which the song counts as muffled, dB. Measured on
 * fifteen songs of generators and eight of Debian's games: 21 fall by 4.7 dB or less, with +5 dB at 6 kHz by 7.0 dB or less; all
 * copies behind a low-pass of 24 dB per octave at 5.5 kHz, but for one that has no highs to lose, by 8.7 dB or more.
 */
const ordinaryFallDb = 7.2
const muffledFallDb = 8.5

/** The same for the lack of treble as a whole, dB. */
const ordinaryLackDb = 22
const muffledLackDb = 24

/** A song whose band ends below this has no highs to cut, Hz. */
const leastBandwidthHz = 10_000

/** Top of a song. */
interface TopOfSong {
  readonly treble: Treble
  /** Frequency above which there is no music; null where there is no cutoff. */
  readonly bandwidthHz: number | null
}

/**
 * Returns the part of a cut in the highs that a song can bear, 0 to 1: 0 for a muffled one, whose 6 kHz region stands out only because
 * what lies above it is missing, and for one whose band ends below 10 kHz.
 */
export function highCutAllowance({ treble, bandwidthHz }: TopOfSong): number {
  if (bandwidthHz !== null && bandwidthHz < leastBandwidthHz) return 0
  const { fallDb, lackDb } = treble
  return Math.min(1 - rise(fallDb, ordinaryFallDb, muffledFallDb), 1 - rise(lackDb, ordinaryLackDb, muffledLackDb))
}

/** Fall of the treble between which an excess at 6 kHz may be but the lack of what lies above it, dB. */
const wholeTrebleDb = -3
const slopingTrebleDb = 0

/**
 * Returns the part of a cut in the highs, 0 to 1, that a song can bear by its spectrum alone: behind a gentle low-pass the spectrum
 * shows an excess where there is none.
 */
export function excessAllowance(song: TopOfSong): number {
  return highCutAllowance(song) * (1 - rise(song.treble.fallDb, wholeTrebleDb, slopingTrebleDb))
}

/**
 * Returns true for a song whose treble falls away or is missing, more slowly than at a cutoff below 10 kHz, which is named as such.
 * Silence is not muffled.
 */
export function isMuffled({ treble, bandwidthHz }: TopOfSong): boolean {
  if (bandwidthHz !== null && bandwidthHz < leastBandwidthHz) return false
  return treble.fallDb >= muffledFallDb || treble.lackDb >= muffledLackDb
}
