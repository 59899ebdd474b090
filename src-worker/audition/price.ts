/** Costs of loudness targets for one song: what each target loses and what it keeps. */
import type { TargetPrice } from '../../src-contract/auditions.ts'
import { type DeliveryTarget, deliveryTarget, targetsOf } from '../../src-contract/delivery-target.ts'
import type { FinaliseSource } from '../../src-engine/finalise/material.ts'
import { priceOf } from '../../src-engine/finalise/price.ts'
import type { RenderPool } from '../mastering/render-pool.ts'
import type { AuditionOrder } from '../mastering/work-order.ts'

/** Levels offered beside the genre's, LUFS: the services' normalisation level and two steps towards loud releases. */
const USUAL_LUFS = [-14, -10.5, -9]

/**
 * Returns the four targets to price, quietest first: the usual levels and the genre's, with the nearest replaced by the chosen target.
 * Its ceiling is the chosen one, any other follows the platform's rule. Pure.
 */
export function pricedTargets({ platform, settings }: Pick<AuditionOrder, 'platform' | 'settings'>): DeliveryTarget[] {
  const { genre, loudness } = settings
  const chosen = targetsOf({ ...settings, platforms: [platform] })[0]!
  const levels = [...USUAL_LUFS, deliveryTarget(platform, genre, 'competitive').targetLufs]
  const distance = (lufs: number) => Math.abs(lufs - chosen.targetLufs)
  const nearest = levels.reduce((best, lufs) => (distance(lufs) < distance(best) ? lufs : best))
  return levels
    .map((lufs) => (lufs === nearest ? chosen : deliveryTarget(platform, genre, loudness, lufs)))
    .sort((a, b) => a.targetLufs - b.targetLufs)
}

/** Plans a master for each target and returns the costs in the order of the targets. Rejects as the pool does. */
export function priceTargets(
  source: FinaliseSource,
  targets: readonly DeliveryTarget[],
  intensity: number,
  pool: Pick<RenderPool, 'plan'>,
): Promise<TargetPrice[]> {
  return Promise.all(
    targets.map(async ({ targetLufs, ceilingDbtp, peaks }) =>
      priceOf(source, await pool.plan({ source, plans: { targetLufs, ceilingDbtp, peaks, intensity } })),
    ),
  )
}
