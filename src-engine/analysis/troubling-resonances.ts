import type { AiService } from '../../src-contract/settings.ts'
import { power } from '../dsp/units.ts'
import type { PlannedSong } from './analysis.ts'
import { type Resonance, surroundingsOctaves } from './resonance.ts'
import { highCutAllowance } from './treble-fall.ts'

/** Least excess of a peak that is cut, dB: generated music is known for them, so less is asked of it. */
const troublingDb: Record<AiService, number> = { suno: 4, udio: 4, elevenlabs: 4.5, other: 5.5 }

/**
 * Returns the resonances of a song that stand out too far. A muffled song keeps its highs, and a peak among whose surroundings its band
 * ends stands out for nothing.
 */
export function troublingResonances(analysis: PlannedSong): readonly Resonance[] {
  const { resonances, aiService, bandwidthHz } = analysis
  if (highCutAllowance(analysis) === 0) return []
  const endHz = (bandwidthHz ?? Number.POSITIVE_INFINITY) * power(2, -surroundingsOctaves)
  return resonances.filter(({ frequencyHz, excessDb }) => excessDb > troublingDb[aiService] && frequencyHz < endHz)
}
