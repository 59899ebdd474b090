/** Recipe and finishing of a report: the names of the wire, each with its unit. Pure. */
import type { Recipe } from '../../src-contract/recipe.ts'
import type { Report, ReportRecipe } from '../../src-contract/report.ts'
import { wireName } from '../../src-contract/wire-values.ts'
import { gainToDb } from '../../src-engine/dsp/units.ts'
import type { FinalisePlan } from '../../src-engine/finalise/finalise.ts'

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

/** Returns a recipe in the report's form: the applied stages in order, unrounded. */
export function recipeOf({ version, stages }: Recipe): ReportRecipe {
  return { version, stages: stages.map((stage) => onWire(stage) as ReportRecipe['stages'][number]) }
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
