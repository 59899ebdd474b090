import type { AiService } from '../../src-contract/platforms.ts'
import type { RecipeStage } from '../../src-contract/recipe.ts'
import type { Decision } from '../../src-contract/report.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { rise } from '../dsp/units.ts'
import { sectionsGainDb } from '../stages/equaliser.ts'
import { curveGainDb } from '../stages/match.ts'
import { monoBassGainDb } from '../stages/mono-bass.ts'

/** A song to be planned: what was measured of it, and its owner's word on where it comes from, a prior on its faults. */
export interface PlannedSong extends SourceAnalysis {
  readonly aiService: AiService
}

/** A part of the plan: stages in their order and why they are there. */
export interface PlanPart {
  readonly stages: readonly RecipeStage[]
  readonly decisions: readonly Decision[]
}

/** The part that leaves the song as it is. */
export const nothingPlanned: PlanPart = { stages: [], decisions: [] }

/**
 * Returns what a stage that filters does to a level at a frequency, dB; 0 for what edits samples, moves with the music or works
 * below the bands. What a mono bass moves from the side to the mid counts as the side's.
 */
export function filterGainDb(stage: RecipeStage, hz: number, sampleRateHz: number): { mid: number; side: number } {
  if (stage.kind === 'match') return { mid: curveGainDb(stage.mid, hz), side: curveGainDb(stage.side, hz) }
  if (stage.kind === 'mono_bass') return { mid: 0, side: monoBassGainDb(stage, hz, sampleRateHz) }
  if (stage.kind !== 'equalise') return { mid: 0, side: 0 }
  const gainDb = sectionsGainDb(stage.sections, hz, sampleRateHz)
  return { mid: gainDb, side: gainDb }
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
export function highCutAllowance({ trebleFallDb }: Pick<SourceAnalysis, 'trebleFallDb'>): number {
  return 1 - rise(trebleFallDb, ordinaryFallDb, muffledFallDb)
}
