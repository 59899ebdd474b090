import type { Spectrum } from '../../../src-contract/report.ts'
import { isOppositePhase } from '../../dsp/meters/stereo.ts'
import { clamp } from '../../dsp/units.ts'
import type { Planning } from '../stage.ts'
import { genreTarget } from './genre-tone.ts'
import { referenceDistance } from './reference-tone.ts'

/**
 * Returns the third octaves toward which the tone of a song is moved, aligned with the song's own level: those of the reference, or the
 * nearest to the song in the band of its genre; null where it is moved toward none, and for silence.
 */
export function targetSpectrum(song: Planning): Spectrum | null {
  const { analysis, genre, reference } = song
  const { bandHz, midDb, sideDb } = analysis.spectrum
  if (analysis.isSilent) return null
  if (reference) {
    const distance = referenceDistance(analysis, reference, ({ spectrum }) => spectrum)
    return {
      band_hz: [...bandHz],
      mid_db: midDb.map((level, b) => level + distance.midDb[b]!),
      side_db: sideDb.map((level, b) => level + distance.sideDb[b]!),
    }
  }
  const beside = genreTarget(analysis, genre, analysis.spectrum, song.stagesOf('equalise'))
  if (beside === null) return null
  const target = beside.ownDb.map((own, b) => clamp(own, beside.lowestDb[b]!, beside.highestDb[b]!))
  const none = bandHz.map(() => null)
  return isOppositePhase(analysis.sideToMidDb)
    ? { band_hz: [...bandHz], mid_db: none, side_db: [...target] }
    : { band_hz: [...bandHz], mid_db: target, side_db: none }
}
