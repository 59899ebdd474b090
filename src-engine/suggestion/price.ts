/** Price of loudness: the cost of rising targets for a song. Pure. */
import type { LoudnessPrice } from '../../src-contract/suggestion.ts'
import { type FinaliseTarget, planFinalise } from '../finalise/finalise.ts'
import type { FinaliseSource } from '../finalise/material.ts'
import { priceOf } from '../finalise/price.ts'

/** Most that the loud parts may lose, and least distance that must remain from loudness to peak, dB. */
const mostReductionDb = 1
const leastPlrDb = 8

/**
 * Returns the costs of targets for a processed song, and the loudest target with a low cost. `targets` rise; those above the first that
 * costs more are left out.
 */
export function priceLoudness(source: FinaliseSource, targets: readonly FinaliseTarget[]): LoudnessPrice {
  const prices: LoudnessPrice['targets'] = []
  let loudest: number | null = null
  for (const target of targets) {
    const price = priceOf(source, planFinalise(source, target))
    prices.push(price)
    if (price.mean_gain_reduction_db > mostReductionDb || price.plr_db < leastPlrDb) break
    loudest = price.target_lufs
  }
  return { targets: prices, loudest_lufs: loudest }
}
