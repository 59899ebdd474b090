import type { RecipeStage } from '../contract/recipe.ts'
import type { Decision } from '../contract/report.ts'

/** A part of the plan: stages in their order and why they are there. */
export interface PlanPart {
  readonly stages: readonly RecipeStage[]
  readonly decisions: readonly Decision[]
}

/** The part that leaves the song as it is. */
export const nothingPlanned: PlanPart = { stages: [], decisions: [] }
