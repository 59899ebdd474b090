/** Price of a loudness target for a song, and the target that would do no harm. Pure. */
import type { TargetPrice } from '../../src-contract/auditions.ts'

/**
 * Limits of harmless loudness, dB: mean loss of the loud parts, loss of peaks, and the least peak-to-loudness ratio.
 */
const MOST_LOSS_DB = 3
const MOST_PEAK_LOSS_DB = 10
const LEAST_PLR_DB = 6

export type Harm = 'loss' | 'peaks' | 'plr'

export interface PriceFinding {
  readonly targetLufs: number
  readonly lossDb: number
  readonly peakLossDb: number
  readonly plrDb: number
  /** The first limit exceeded; null if none is. */
  readonly harm: Harm | null
  /** The loudest harmless target below it; null if unknown. */
  readonly better: { readonly targetLufs: number; readonly lossDb: number } | null
}

/** Returns the harm in a price; null if it is within the limits. */
function harmOf({ mean_gain_reduction_db, peak_loss_db, plr_db }: TargetPrice): Harm | null {
  if (mean_gain_reduction_db > MOST_LOSS_DB) return 'loss'
  if (peak_loss_db > MOST_PEAK_LOSS_DB) return 'peaks'
  return plr_db < LEAST_PLR_DB ? 'plr' : null
}

/** Returns the finding for a target from the nearest price; null without prices. */
export function findPrice(prices: readonly TargetPrice[] | undefined, targetLufs: number): PriceFinding | null {
  const nearest = prices?.toSorted(
    (a, b) => Math.abs(a.target_lufs - targetLufs) - Math.abs(b.target_lufs - targetLufs),
  )[0]
  if (!prices || !nearest) return null
  const harm = harmOf(nearest)
  const better = harm
    ? prices
        .filter((one) => one.target_lufs < nearest.target_lufs && !harmOf(one))
        .toSorted((a, b) => b.target_lufs - a.target_lufs)[0]
    : undefined
  return {
    targetLufs: nearest.target_lufs,
    lossDb: nearest.mean_gain_reduction_db,
    peakLossDb: nearest.peak_loss_db,
    plrDb: nearest.plr_db,
    harm,
    better: better ? { targetLufs: better.target_lufs, lossDb: better.mean_gain_reduction_db } : null,
  }
}
