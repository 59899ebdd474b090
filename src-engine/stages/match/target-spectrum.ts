import type { Spectrum } from '../../../src-contract/report.ts'
import { isOppositePhase } from '../../dsp/meters/stereo.ts'
import { clamp } from '../../dsp/units.ts'
import type { Planning } from '../stage.ts'
import { genreTarget } from './genre-tone.ts'
import { referenceDistance, weightedMean } from './reference-tone.ts'

/**
 * Returns the target third octaves of a song's tone, aligned with the song's own level: the weighted mean of its references, or the nearest levels within the
 * range of its genre; null without a target, and for silence.
 */
export function targetSpectrum(song: Planning): Spectrum | null {
  const { analysis, genre, references } = song
  const { bandHz, midDb, sideDb } = analysis.spectrum
  if (analysis.isSilent) return null
  if (references.length > 0) {
    const distances = references.map(({ target, weight }) => ({
      ...referenceDistance(analysis, target, song.referenceClampDb, ({ spectrum }) => spectrum),
      weight,
    }))
    const toward = (part: 'midDb' | 'sideDb') =>
      weightedMean(distances.map((one) => ({ values: one[part], weight: one.weight })))
    const [towardMidDb, towardSideDb] = [toward('midDb'), toward('sideDb')]
    return {
      band_hz: [...bandHz],
      mid_db: midDb.map((level, b) => level + towardMidDb[b]!),
      side_db: sideDb.map((level, b) => level + towardSideDb[b]!),
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
