/** Cost of a loudness target to a song. Pure. */
import type { TargetPrice } from '../../src-contract/target-price.ts'
import { gainToDb } from '../dsp/units.ts'
import type { FinalisePlan } from './finalise.ts'
import type { FinaliseSource } from './material.ts'

/** Returns the level that a planned master gives up, and the dynamics left in it. */
export function priceOf({ truePeak }: Pick<FinaliseSource, 'truePeak'>, plan: FinalisePlan): TargetPrice {
  const driven = gainToDb(truePeak) + plan.gainDb
  const peakDbtp = plan.limiter === null ? driven : Math.min(driven, plan.ceilingDbtp)
  return {
    target_lufs: plan.targetLufs,
    integrated_lufs: plan.integratedLufs,
    mean_gain_reduction_db: plan.meanGainReductionDb,
    peak_loss_db: driven - peakDbtp,
    plr_db: peakDbtp - plan.integratedLufs,
    verdict: plan.verdict,
  }
}
