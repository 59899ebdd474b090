/** Plan of a recipe that was sent in place of the planner's own. Pure. */
import type { WrittenRecipe } from '../../src-contract/recipe-schemas.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { RecipeStage } from '../../src-contract/stages/index.ts'
import type { MasteringPlan, PlanWarning } from '../../src-engine/plan.ts'
import { announcedRepair, stageOfKind } from '../../src-engine/stages/index.ts'
import { stagesOf } from './report-recipe.ts'
import type { SongOrder } from './work-order.ts'

/** Song that a recipe is followed on. */
export type FollowedSong = Pick<SongOrder, 'joined'> & {
  readonly source: Pick<SongOrder['source'], 'sha256'>
  readonly settings: Pick<JobSettings, 'recipe' | 'trim_start_seconds' | 'trim_end_seconds'>
}

/**
 * Returns the plan that follows the recipe of a song's settings, or `own`, the planner's, without one. Edits of single samples belong to
 * one song: on any other, and in a recipe of version 1, they are those of `own`.
 */
export function followRecipe(own: MasteringPlan, song: FollowedSong): MasteringPlan {
  const { recipe } = song.settings
  if (!recipe) return own
  const written = stagesOf(recipe.stages)
  const isSame = isSameSong(recipe, song)
  const edits = (isSame ? written : own.recipe.stages).filter(isEdit)
  const stages = [...edits, ...written.filter((stage) => !isEdit(stage))]
  const ofEdits = own.decisions.filter(({ code }) => {
    const repair = announcedRepair(code)
    return (
      repair !== undefined &&
      own.recipe.stages.some((stage) => isEdit(stage) && code in (stageOfKind(stage.kind).announces ?? {}))
    )
  })
  return {
    recipe: { ...own.recipe, stages },
    decisions: [...ofEdits, { stage: 'tone', code: 'RECIPE_FOLLOWED', values: { stages: written.length } }],
    warnings: [...own.warnings, ...warningsOf(recipe, isSame)],
    targetSpectrum: null,
  }
}

const isEdit = ({ kind }: RecipeStage): boolean => 'edit' in stageOfKind(kind)

function isSameSong({ source }: WrittenRecipe, { source: song, settings, joined }: FollowedSong): boolean {
  return (
    joined === undefined &&
    source?.sha256 === song.sha256 &&
    source.trim_start_seconds === settings.trim_start_seconds &&
    source.trim_end_seconds === settings.trim_end_seconds
  )
}

function warningsOf({ version, source }: WrittenRecipe, isSame: boolean): PlanWarning[] {
  if (version === 1) return [{ code: 'RECIPE_ROUNDED' }]
  return source && !isSame ? [{ code: 'RECIPE_OF_OTHER_SONG' }] : []
}
