/** The places in a master with the largest gain reduction. Pure. */

export interface ReductionPlace {
  /** Start of the curve's step with the reduction, the position to play from. */
  readonly fromSeconds: number
  /** Middle of that step, the position in the lane. */
  readonly seconds: number
  /** Positive. */
  readonly reductionDb: number
}

const MOST_PLACES = 5
const LEAST_DB = 1
/** Maxima closer than this count as one place. */
const SAME_PLACE_SECONDS = 2

/**
 * Returns the places of largest gain reduction in the order of the song: at most five maxima of at least 1 dB, at least
 * 2 s apart. Signs are ignored. Empty for a curve without any.
 */
export function largestReductions(curveDb: readonly (number | null)[], stepSeconds: number): ReductionPlace[] {
  const depths = curveDb.map((value) => Math.abs(value ?? 0))
  const maxima = depths
    .map((reductionDb, i) => ({ fromSeconds: i * stepSeconds, seconds: (i + 0.5) * stepSeconds, reductionDb }))
    .filter(({ reductionDb }, i) => reductionDb > (depths[i - 1] ?? 0) && reductionDb >= (depths[i + 1] ?? 0))
    .filter(({ reductionDb }) => reductionDb >= LEAST_DB)
    .toSorted((a, b) => b.reductionDb - a.reductionDb)
  const places: ReductionPlace[] = []
  for (const one of maxima) {
    const isApart = places.every(({ seconds }) => Math.abs(seconds - one.seconds) >= SAME_PLACE_SECONDS)
    if (places.length < MOST_PLACES && isApart) places.push(one)
  }
  return places.toSorted((a, b) => a.seconds - b.seconds)
}
