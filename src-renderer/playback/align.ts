/** Alignment of two recordings of the same song. Pure. */

export interface Lag {
  /** Delay of `late` after `early`, in frames; negative when it comes first. */
  readonly frames: number
  /** Normalised correlation at that lag, 0 to 1: the similarity of the two recordings. */
  readonly likeness: number
}

const COARSE = 8

/**
 * Mean of every `COARSE` samples, differentiated: this weights attacks over bass, which has no clear position in time.
 */
function thin(samples: Float32Array): Float32Array {
  const thinned = new Float32Array(Math.floor(samples.length / COARSE))
  let before = 0
  for (let i = 0; i < thinned.length; i++) {
    let sum = 0
    for (let k = 0; k < COARSE; k++) sum += samples[i * COARSE + k] as number
    thinned[i] = sum - before
    before = sum
  }
  return thinned
}

function correlate(a: Float32Array, b: Float32Array, lag: number, margin: number): number {
  let product = 0
  let energyA = 0
  let energyB = 0
  for (let i = margin; i < a.length - margin; i++) {
    const x = a[i] as number
    const y = b[i + lag] ?? 0
    product += x * y
    energyA += x * x
    energyB += y * y
  }
  const energy = Math.sqrt(energyA * energyB)
  return energy > 0 ? Math.abs(product) / energy : 0
}

function best(a: Float32Array, b: Float32Array, from: number, to: number): Lag {
  const margin = Math.max(Math.abs(from), Math.abs(to))
  let found: Lag = { frames: 0, likeness: 0 }
  for (let frames = from; frames <= to; frames++) {
    const likeness = correlate(a, b, frames, margin)
    if (likeness > found.likeness) found = { frames, likeness }
  }
  return found
}

/**
 * Returns the lag of `late` against `early`, mono excerpts of equal length from the same nominal position, searched
 * within ± `mostFrames`: coarsely at an eighth of the rate, then to the frame. Inverted polarity counts as alike.
 * Silence, or excerpts shorter than four times the range: lag 0 with likeness 0. Never throws.
 */
export function findLag(early: Float32Array, late: Float32Array, mostFrames: number): Lag {
  if (Math.min(early.length, late.length) < mostFrames * 4) return { frames: 0, likeness: 0 }
  const reach = Math.ceil(mostFrames / COARSE)
  const coarse = best(thin(early), thin(late), -reach, reach)
  const middle = coarse.frames * COARSE
  return best(early, late, middle - COARSE * 2, middle + COARSE * 2)
}
