import type { AudioBlock } from '../block.ts'

/** Where one channel was cut off. Levels are linear; the negative one is below 0; null where the side is not clipped. */
export interface ClipLevels {
  readonly positive: number | null
  readonly negative: number | null
}

/** What the search for flat tops found. */
export interface Clipping {
  /** Per channel. */
  readonly levels: readonly ClipLevels[]
  /** Flat tops over all channels. */
  readonly count: number
}

/** A flat top is this many neighbouring samples, as in the practice of peak-clip counters (three or more equal full-scale samples). */
export const shortestFlatTop = 3
/** Samples of a flat top agree with the extreme within this part of it: about 3 LSB of 16 bit. */
const tolerance = 1e-4
/** Fewer flat tops than this may be chance or a synthetic waveform's crest. */
const fewestFlatTops = 5

/**
 * Returns where the waveform is cut off flat. A flat top counts only when the samples next to it lie far below it (20 times the
 * tolerance): the smooth crest of a low note does not. Clipping that went through a lossy codec afterwards leaves no
 * flat tops and is not found. Silence has none. Never throws.
 */
export function findClipping({ channels }: AudioBlock): Clipping {
  let count = 0
  const levels = channels.map((samples) => {
    let high = 0
    let low = 0
    for (let i = 0; i < samples.length; i++) {
      const sample = samples[i]!
      if (sample > high) high = sample
      else if (sample < low) low = sample
    }
    const above = countFlatTops(samples, high, 1)
    const below = countFlatTops(samples, -low, -1)
    count += above + below
    return { positive: above > 0 ? high : null, negative: below > 0 ? low : null }
  })
  return { levels, count }
}

function countFlatTops(samples: Float32Array, level: number, sign: 1 | -1): number {
  if (level < 1e-3) return 0
  const threshold = level * (1 - tolerance)
  const steep = level * tolerance * 20
  let count = 0
  for (let i = 0; i < samples.length; i++) {
    if (samples[i]! * sign < threshold) continue
    let end = i + 1
    while (end < samples.length && samples[end]! * sign >= threshold) end++
    const before = i > 0 ? level - samples[i - 1]! * sign : 0
    const after = end < samples.length ? level - samples[end]! * sign : 0
    if (end - i >= shortestFlatTop && before + after > steep) count++
    i = end
  }
  return count >= fewestFlatTops ? count : 0
}

/** The flat tops of one channel as [first, after last] pairs in ascending order: two neighbouring samples already count. */
export function flatTops(samples: Float32Array, { positive, negative }: ClipLevels): [number, number][] {
  const high = positive === null ? Number.POSITIVE_INFINITY : positive * (1 - tolerance)
  const low = negative === null ? Number.NEGATIVE_INFINITY : negative * (1 - tolerance)
  const runs: [number, number][] = []
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i]!
    if (sample < high && sample > low) continue
    let end = i + 1
    while (end < samples.length && (sample >= high ? samples[end]! >= high : samples[end]! <= low)) end++
    if (end - i >= 2) runs.push([i, end])
    i = end - 1
  }
  return runs
}
