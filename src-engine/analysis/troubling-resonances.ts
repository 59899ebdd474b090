import type { AiService } from '../../src-contract/settings.ts'
import { power } from '../dsp/units.ts'
import type { PlannedSong } from './analysis.ts'
import { type Resonance, surroundingsOctaves } from './resonance.ts'
import { highCutAllowance } from './treble-fall.ts'

/** Least excess of a peak to be cut, dB: lower for generated music, which is known for such peaks. */
const troublingDb: Record<AiService, number> = { suno: 4, udio: 4, elevenlabs: 4.5, other: 5.5 }

/**
 * Returns the resonances of a song that stand out too far. Empty for a muffled song, which keeps its highs; a peak whose surroundings reach
 * past the end of the band does not count.
 */
export function troublingResonances(analysis: PlannedSong): readonly Resonance[] {
  const { resonances, aiService, bandwidthHz } = analysis
  if (highCutAllowance(analysis) === 0) return []
  const endHz = (bandwidthHz ?? Number.POSITIVE_INFINITY) * power(2, -surroundingsOctaves)
  return resonances.filter(({ frequencyHz, excessDb }) => excessDb > troublingDb[aiService] && frequencyHz < endHz)
}
