import type { AudioBlock } from '../dsp/block.ts'
import { onePoleCoefficient } from '../dsp/envelope.ts'
import { kernelFrames, kernelPlace } from '../dsp/kernels/kernels.ts'
import { peakGroupFrames } from '../dsp/meters/true-peak.ts'

/** Times of a limiter. */
export interface LimiterSettings {
  /** Time for the gain to reach the reduction of a peak and, at the shortest, to return after it: 0.2 … 10 ms. */
  readonly lookAheadMs: number
  /** Decay of the reduction after a peak; 0 switches it off, the gain then returns within the look-ahead. */
  readonly fastReleaseMs: number
  /** Attack of the slow reduction, held through repeated peaks; 0 switches it off. */
  readonly slowRiseMs: number
  /** Decay of the slow reduction. */
  readonly slowFallMs: number
}

const chunkGroups = kernelFrames
const chunkFrames = kernelFrames
const maxHalfWindow = 500

const workspace = kernelPlace((kernels) => {
  const weights = kernels.allocate(8 * 4 * 4)
  for (let frame = 0; frame < peakGroupFrames; frame++) {
    const t = frame / peakGroupFrames
    const basis = [(1 - t) ** 3, 3 * t ** 3 - 6 * t ** 2 + 4, -3 * t ** 3 + 3 * t ** 2 + 3 * t + 1, t ** 3]
    for (const [j, value] of basis.entries()) {
      kernels.f32[(weights >> 2) + j * peakGroupFrames + frame] = value / 6
    }
  }
  return {
    peaks: kernels.allocate((chunkGroups + 3) * 4),
    controls: kernels.allocate((chunkGroups + 4) * 4),
    state: kernels.allocate(kernels.limiterStateBytes()),
    energies: kernels.allocate((chunkGroups + 3) * 4),
    samples: kernels.allocate(chunkFrames * 4),
    weights,
  }
})

/** Number of control points of a gain curve over `groups` peak groups: one extra before, two after. */
export function controlCount(groups: number): number {
  return groups + 3
}

/**
 * Writes the limiter's gain curve into `controls` ({@link controlCount} linear gains, at most 1, the first belonging to the group before
 * the first): with it, no group's peak exceeds `threshold` (linear). `peaks` holds the true peak of each group of 8 frames. The gain looks
 * ahead and stays smooth: minimum over the look-ahead, two releases, two averages whose length stays inside the minimum's (after
 * Hämäläinen, DAFx-02, and the box smoothing of Signalsmith's limiter), then a cubic B-spline between groups. The gain is exactly 1 if
 * nothing exceeds the threshold.
 */
export function limiterControls(
  peaks: Float32Array,
  threshold: number,
  settings: LimiterSettings,
  sampleRateHz: number,
  controls: Float32Array,
): void {
  const { kernels, ...at } = workspace()
  const groupHz = sampleRateHz / peakGroupFrames
  const half = Math.min(maxHalfWindow, Math.max(1, Math.round((settings.lookAheadMs * groupHz) / 1000)))
  const firstBox = Math.round((2 * half + 2) * 0.58)
  const fastDecay = onePoleCoefficient(settings.fastReleaseMs, groupHz)
  const slowRise = onePoleCoefficient(settings.slowRiseMs, groupHz)
  const slowFall = onePoleCoefficient(settings.slowFallMs, groupHz)
  const delay = 2 * half + 1
  kernels.f32.fill(0, at.state >> 2, (at.state + kernels.limiterStateBytes()) >> 2)
  const total = controls.length + delay - 1
  for (let start = 0; start < total; start += chunkGroups) {
    const count = Math.min(chunkGroups, total - start)
    const given = peaks.subarray(start, start + count)
    kernels.f32.set(given, at.peaks >> 2)
    kernels.f32.fill(0, (at.peaks >> 2) + given.length, (at.peaks >> 2) + count)
    kernels.limitGroups(
      at.peaks,
      count,
      at.controls,
      threshold,
      half,
      firstBox,
      fastDecay,
      slowRise,
      slowFall,
      at.state,
    )
    const skipped = Math.max(0, delay - 1 - start)
    if (skipped >= count) continue
    controls.set(
      kernels.f32.subarray((at.controls >> 2) + skipped, (at.controls >> 2) + count),
      start + skipped - delay + 1,
    )
  }
}

/**
 * Multiplies the block `from` by a gain curve and by the linear gain `drive` into `to`, which may be the same. `firstFrame` is the
 * block's place in the signal the curve was made for and must be a multiple of 8.
 */
export function applyControls(
  from: AudioBlock,
  controls: Float32Array,
  firstFrame: number,
  drive: number,
  to: AudioBlock,
): void {
  const { kernels, ...at } = workspace()
  for (let start = 0; start < from.frames; start += chunkFrames) {
    const frames = Math.min(chunkFrames, from.frames - start)
    const groups = Math.ceil(frames / peakGroupFrames)
    const group = (firstFrame + start) / peakGroupFrames
    kernels.f32.set(controls.subarray(group, group + controlCount(groups)), at.controls >> 2)
    for (const [c, samples] of from.channels.entries()) {
      kernels.f32.set(samples.subarray(start, start + frames), at.samples >> 2)
      kernels.applyGainCurve(at.samples, groups, at.controls, at.weights, drive)
      to.channels[c]!.set(kernels.f32.subarray(at.samples >> 2, (at.samples >> 2) + frames), start)
    }
  }
}

/**
 * Sums energies (one per group) under a gain curve over the groups [bounds[i], bounds[i + 1]). This predicts the energy after limiting
 * without filtering again, since the gain varies slowly compared with the K-weighting.
 */
export function limitedEnergies(
  energies: Float32Array,
  controls: Float32Array,
  bounds: Int32Array,
  sums: Float64Array,
): void {
  const { kernels, ...at } = workspace()
  const last = bounds.length - 1
  for (let first = 0, end = 0; first < last; first = end) {
    const from = bounds[first]!
    // Batches as many sums as fit the kernels' memory: copying for each would cost more than summing.
    end = first + 1
    while (end < last && bounds[end + 1]! - from <= chunkGroups) end++
    const groups = bounds[end]! - from
    kernels.f32.set(energies.subarray(from, from + groups), at.energies >> 2)
    kernels.f32.set(controls.subarray(from, from + controlCount(groups)), at.controls >> 2)
    for (let i = first; i < end; i++) {
      const place = (bounds[i]! - from) * 4
      sums[i] = kernels.limitedEnergy(at.energies + place, at.controls + place, bounds[i + 1]! - bounds[i]!)
    }
  }
}
