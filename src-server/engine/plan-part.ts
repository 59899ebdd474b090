import type { AiService } from '../contract/platforms.ts'
import type { RecipeStage } from '../contract/recipe.ts'
import type { Decision } from '../contract/report.ts'
import type { SourceAnalysis } from './analysis.ts'
import { sectionsGainDb } from './processors/equaliser.ts'
import { curveGainDb } from './processors/match.ts'
import { monoBassGainDb } from './processors/mono-bass.ts'

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
