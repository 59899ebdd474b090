/** Combined sound of songs that run into each other, from their individual measurements. Pure. */
import type { Spectrum } from '../../src-contract/report.ts'
import { joinedSteps, type LoudnessSteps } from '../../src-engine/album/record-loudness.ts'
import { dbToPower, powerToDb } from '../../src-engine/dsp/units.ts'

/** Measurements of a song without its trimmed ends. Levels of silence are null. */
export interface SongSound {
  readonly steps: LoudnessSteps
  readonly spectrum: Spectrum
  readonly sideToMidDb: number | null
  readonly truePeakDbtp: number | null
}

/**
 * Returns the combined sound of consecutive songs: spectra and width are weighted by length and loudness; a single song is returned
 * unchanged.
 */
export function joinedSound(songs: readonly SongSound[]): SongSound {
  const [first] = songs
  if (songs.length === 1) return first!
  const frames = songs.map(({ steps }) => steps.length)
  const bandsOf = (levels: (spectrum: Spectrum) => Spectrum['mid_db']) =>
    levels(first!.spectrum).map((_, b) =>
      meanDb(
        songs.map(({ spectrum }) => levels(spectrum)[b] ?? null),
        frames,
      ),
    )
  const peaks = songs.map(({ truePeakDbtp }) => truePeakDbtp).filter((peak) => peak !== null)
  return {
    steps: joinedSteps(songs.map(({ steps }) => steps)),
    spectrum: {
      band_hz: first!.spectrum.band_hz,
      mid_db: bandsOf(({ mid_db }) => mid_db),
      side_db: bandsOf(({ side_db }) => side_db),
    },
    sideToMidDb: joinedWidthDb(songs),
    truePeakDbtp: peaks.length === 0 ? null : Math.max(...peaks),
  }
}

/** Power mean of levels; null if all are silent. */
function meanDb(levels: readonly (number | null)[], weights: readonly number[]): number | null {
  const power = levels.reduce<number>((sum, db, i) => sum + (db === null ? 0 : weights[i]! * dbToPower(db)), 0)
  const weight = weights.reduce((sum, one) => sum + one, 0)
  return power > 0 && weight > 0 ? powerToDb(power / weight) : null
}

/** Side-to-mid ratio of the sums over the songs, each weighted by the energy of its steps. */
function joinedWidthDb(songs: readonly SongSound[]): number | null {
  let mid = 0
  let side = 0
  for (const { steps, sideToMidDb } of songs) {
    if (sideToMidDb === null) continue
    const energy = steps.reduce((sum, one) => sum + one, 0)
    const ratio = dbToPower(sideToMidDb)
    mid += energy / (1 + ratio)
    side += (energy * ratio) / (1 + ratio)
  }
  return mid > 0 && side > 0 ? powerToDb(side / mid) : null
}
