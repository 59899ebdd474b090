/** The places of a master where the limiter took away most. Pure. */

export interface ReductionPlace {
  /** Begin of the step of the curve that the reduction was measured in: from there on it is heard. */
  readonly fromSeconds: number
  /** Middle of that step, where the lane shows it. */
  readonly seconds: number
  /** Positive. */
  readonly reductionDb: number
}

const MOST_PLACES = 5
const LEAST_DB = 1
/** Maxima closer than this are one place. */
const SAME_PLACE_SECONDS = 2

/**
 * Returns the places of largest gain reduction in the order of the song: at most five maxima of the curve of at least 1 dB, of which
 * no two are less than 2 s apart. Signs do not matter. A curve without any: none.
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
