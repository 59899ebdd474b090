/** Recipe and finishing of a report: the names of the wire, each with its unit. Pure. */

import type { MasterName } from '../../src-contract/delivery-target.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import { type MasterGoal, RECIPE_VERSION, type WrittenStage } from '../../src-contract/recipe-schemas.ts'
import type { MasterResult, Report, ReportRecipe } from '../../src-contract/report.ts'
import type { RecipeStage } from '../../src-contract/stages/index.ts'
import { programName, wireName } from '../../src-contract/wire-values.ts'
import { gainToDb } from '../../src-engine/dsp/units.ts'
import type { FinalisePlan } from '../../src-engine/finalise/finalise.ts'
import { engineVersion } from '../../src-engine/version.ts'
import type { WorkOrder } from './work-order.ts'

/** Members whose names in the code lack their unit. */
const WITH_UNIT: Readonly<Record<string, string>> = {
  offsets: 'offsets_full_scale',
  levels: 'levels_full_scale',
  clicks: 'clicks_frames',
}

function onWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(onWire)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [WITH_UNIT[name] ?? wireName(name), onWire(member)]),
  )
}

const WITHOUT_UNIT: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(WITH_UNIT).map(([name, written]) => [written, name]),
)

function offWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(offWire)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [WITHOUT_UNIT[name] ?? programName(name), offWire(member)]),
  )
}

/** Returns written stages as the chain takes them. Their schema has been checked. */
export function stagesOf(written: readonly WrittenStage[]): RecipeStage[] {
  return written.map((stage) => offWire(stage) as RecipeStage)
}

/** A master whose recipe is written: its target, and its treatment as it was carried out. */
interface WrittenMaster {
  readonly name: MasterName
  readonly plan: FinalisePlan
  readonly result: Pick<MasterResult, 'target_lufs' | 'ceiling_dbtp' | 'codec_checks'>
}

/** Returns the recipe of a result, unrounded: with it the same song gets the same masters again. */
export function recipeOf(
  { source, settings, joined }: Pick<WorkOrder, 'source' | 'settings' | 'joined'>,
  { stages }: Recipe,
  masters: readonly WrittenMaster[],
): ReportRecipe {
  const { trim_start_seconds, trim_end_seconds, intensity } = settings
  return {
    version: RECIPE_VERSION,
    engine_version: engineVersion,
    // Joined songs are treated as one sound, which no single song gives again.
    ...(joined ? {} : { source: { sha256: source.sha256, trim_start_seconds, trim_end_seconds } }),
    intensity,
    masters: Object.fromEntries(masters.map((master) => [master.name, goalOf(master)])),
    stages: stages.map((stage) => onWire(stage) as ReportRecipe['stages'][number]),
  }
}

function goalOf({ plan, result }: WrittenMaster): MasterGoal {
  const isLowered = result.codec_checks?.some(({ ceiling_lowered_db }) => ceiling_lowered_db > 0)
  const { limiter, clipAboveDb } = plan
  return {
    target_lufs: result.target_lufs,
    ceiling_dbtp: isLowered ? plan.promisedCeilingDbtp : result.ceiling_dbtp,
    ...(limiter ? { peaks: onWire({ clipAboveDb, limiter }) as NonNullable<MasterGoal['peaks']> } : {}),
  }
}

/** Returns the finishing of one master: the steps after its recipe. */
export function finishingOf(plan: FinalisePlan): NonNullable<Report['masters'][number]['finishing']> {
  const { gainDb, clipLimit, limiter, ceilingDbtp } = plan
  return {
    gain_db: gainDb,
    clip_limit_dbfs: clipLimit === null ? null : gainToDb(clipLimit),
    limiter:
      limiter === null
        ? null
        : {
            ceiling_dbtp: ceilingDbtp,
            look_ahead_ms: limiter.lookAheadMs,
            fast_release_ms: limiter.fastReleaseMs,
            slow_rise_ms: limiter.slowRiseMs,
            slow_fall_ms: limiter.slowFallMs,
          },
  }
}
