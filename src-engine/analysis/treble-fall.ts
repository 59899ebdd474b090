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

/**
 * Returns how far the treble of a long-term spectrum in sixth octaves falls away for good, dB: the level of the mid in a window between
 * 2.4 and 8 kHz, at most that of the presence range, against the highest level in any window that begins two thirds of an octave above
 * it or later, up to 13 kHz; all against the published average of commercial music. Mostly below 5 for finished music, 8.7 and more
 * behind a low-pass of 24 dB per octave at 5.5 kHz; 0 for silence. Bands more than {@link emptyDb} below the loudest count as
 * that far below it.
 */
export function trebleFallDb({ bandHz, midDb }: BandLevels): number {
  const loudest = Math.max(...midDb)
  if (!(loudest > -120)) return 0
  const deviationDb = midDb.map((level, b) => Math.max(level, loudest - emptyDb) - commercialSpectrumDb(bandHz[b]!))
  const meanDb = (fromHz: number, toHz: number): number => {
    const within = deviationDb.filter((_, b) => bandHz[b]! >= fromHz && bandHz[b]! <= toHz)
    return within.reduce((sum, level) => sum + level, 0) / within.length
  }
  const presenceDb = meanDb(...presenceHz)
  const windows = bandHz
    .filter((hz) => hz >= lowestHz && hz * windowRatio <= highestHz)
    .map((fromHz) => ({ fromHz, levelDb: meanDb(fromHz, fromHz * windowRatio) }))
  const falls = windows.map(({ fromHz, levelDb }) => {
    const above = windows.filter((window) => window.fromHz >= fromHz * spanRatio).map((window) => window.levelDb)
    return Math.min(levelDb, presenceDb) - Math.max(...above)
  })
  // The highest windows have nothing above them to fall to.
  return Math.max(...falls.filter(Number.isFinite))
}

/**
 * Fall of the treble up to which a song's highs may be cut in full, and from which the song counts as muffled, dB. Measured on
 * fifteen songs of generators and eight of Debian's games: 21 fall by 4.7 dB or less, with +5 dB at 6 kHz by 7.0 dB or less; all
 * copies behind a low-pass of 24 dB per octave at 5.5 kHz, but for one that has no highs to lose, by 8.7 dB or more.
 */
const ordinaryFallDb = 7.2
const muffledFallDb = 8.5

/**
 * Returns the part of a broad cut above 5 kHz that a song can bear, 0 to 1: 0 for a muffled one, whose 6 kHz region stands out only
 * because what lies above it is missing.
 */
export function highCutAllowance({ trebleFallDb }: { readonly trebleFallDb: number }): number {
  return 1 - rise(trebleFallDb, ordinaryFallDb, muffledFallDb)
}
