import type { Spectrum } from '../../../src-contract/report.ts'
import { isOppositePhase } from '../../dsp/meters/stereo.ts'
import { clamp } from '../../dsp/units.ts'
import type { Planning } from '../stage.ts'
import { genreTarget } from './genre-tone.ts'
import { referenceDistance } from './reference-tone.ts'

/**
 * Returns the target third octaves of a song's tone, aligned with the song's own level: the reference's, or the nearest levels within the
 * range of its genre; null without a target, and for silence.
 */
export function targetSpectrum(song: Planning): Spectrum | null {
  const { analysis, genre, reference } = song
  const { bandHz, midDb, sideDb } = analysis.spectrum
  if (analysis.isSilent) return null
  if (reference) {
    const distance = referenceDistance(analysis, reference, song.referenceClampDb, ({ spectrum }) => spectrum)
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
