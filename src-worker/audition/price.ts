/** Costs of loudness targets for one song: what each target loses and what it keeps. */
import type { TargetPrice } from '../../src-contract/auditions.ts'
import { type DeliveryTarget, deliveryTarget } from '../../src-contract/delivery-target.ts'
import type { FinaliseSource } from '../../src-engine/finalise/material.ts'
import { priceOf } from '../../src-engine/finalise/price.ts'
import type { RenderPool } from '../mastering/render-pool.ts'
import type { AuditionOrder } from '../mastering/work-order.ts'

/** Levels offered beside the genre's, LUFS: the services' normalisation level and two steps towards loud releases. */
const USUAL_LUFS = [-14, -10.5, -9]

/**
 * Returns the four targets to price, quietest first: the usual levels and the genre's, with the nearest replaced by the chosen target.
 * Each ceiling follows the platform's rule. Pure.
 */
export function pricedTargets({ platform, settings }: Pick<AuditionOrder, 'platform' | 'settings'>): DeliveryTarget[] {
  const { genre, loudness, target_lufs: requestedLufs } = settings
  const chosen = deliveryTarget(platform, genre, loudness, requestedLufs).targetLufs
  const levels = [...USUAL_LUFS, deliveryTarget(platform, genre, 'competitive').targetLufs]
  const nearest = levels.reduce((best, lufs) => (Math.abs(lufs - chosen) < Math.abs(best - chosen) ? lufs : best))
  return levels
    .map((lufs) => (lufs === nearest ? chosen : lufs))
    .sort((a, b) => a - b)
    .map((lufs) => deliveryTarget(platform, genre, loudness, lufs))
}

/** Plans a master for each target and returns the costs in the order of the targets. Rejects as the pool does. */
export function priceTargets(
  source: FinaliseSource,
  targets: readonly DeliveryTarget[],
  intensity: number,
  pool: Pick<RenderPool, 'plan'>,
): Promise<TargetPrice[]> {
  return Promise.all(
    targets.map(async ({ targetLufs, ceilingDbtp }) =>
      priceOf(source, await pool.plan({ source, plans: { targetLufs, ceilingDbtp, intensity } })),
    ),
  )
}
