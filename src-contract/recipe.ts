/**
 * Recipe of the mastering chain: an ordered list of processing stages with their settings, plain data. The planner makes it from
 * measurements, the chain applies it, the report may show it. Types only.
 */
import type { RecipeStage } from './stages/index.ts'

/** Raised whenever the same settings would sound different. */
type RecipeVersion = 1

/** Limiter and clipper of a master, for any song. */
export interface PeakTreatment {
  /** Times of the limiter; see `LimiterSettings` of the engine. */
  readonly limiter: {
    readonly lookAheadMs: number
    readonly fastReleaseMs: number
    readonly slowRiseMs: number
    readonly slowFallMs: number
  }
  /** Level of the clipper above the ceiling, dB, at the gain that would reach the loudness without limiting; null: no clipper. */
  readonly clipAboveDb: number | null
}

/** A recipe for all processing before the clipper and the limiter. An empty list of stages leaves the audio bit-identical. */
export interface Recipe {
  readonly version: RecipeVersion
  readonly stages: readonly RecipeStage[]
}
