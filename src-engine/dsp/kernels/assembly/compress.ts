// A compressor band: the remainder of the signal, the band's energies along the control grid, and its part of the sum with moving gains.
// Sums follow the order of frames and samples are rounded like in a plain loop, so the bits equal the loop's.

/** Frames between two points of the gains. */
const STEP: i32 = 32

/** Subtracts `part` from `rest`, in place; up to three more frames are changed. */
export function takeAway(rest: usize, part: usize, frames: i32): void {
  const end = <usize>frames << 2
  for (let i: usize = 0; i < end; i += 16) v128.store(rest + i, f32x4.sub(v128.load(rest + i), v128.load(part + i)))
}

/**
 * Adds left^2 + right^2 of `frames` frames to the f64 at `sums`, one for each step; the first frame has the number `offset` in its step. An
 * odd last frame reads one more.
 */
export function stepEnergies(left: usize, right: usize, frames: i32, offset: i32, sums: usize): void {
  for (let start = 0; start < frames; offset = 0, sums += 8) {
    const end = min(frames, start + STEP - offset)
    let sum = load<f64>(sums)
    for (; start < end; start += 2) {
      const l = f64x2.promote_low_f32x4(v128.load64_zero(left + (<usize>start << 2)))
      const r = f64x2.promote_low_f32x4(v128.load64_zero(right + (<usize>start << 2)))
      const both = f64x2.add(f64x2.mul(l, l), f64x2.mul(r, r))
      sum += f64x2.extract_lane(both, 0)
      if (start + 1 < end) sum += f64x2.extract_lane(both, 1)
    }
    start = end
    store<f64>(sums, sum)
  }
}

/**
 * Adds to two planar channels, in place, a band times (gain - 1). gains: f64 at the points between steps, starting before the step of the
 * first frame, which has the number `offset` in its step; gains are linear between points. A step between two points of 1 keeps its bits.
 */
export function addBand(left: usize, right: usize, bandLeft: usize, bandRight: usize, frames: i32, offset: i32, gains: usize): void {
  for (let start = 0; start < frames; offset = 0, gains += 8) {
    const end = min(frames, start + STEP - offset)
    const from = load<f64>(gains), to = load<f64>(gains, 8)
    if (from != 1 || to != 1) {
      const slope = (to - from) / <f64>STEP
      const first = <f64>(offset - start + 1)
      let i = start
      const gain = f64x2.splat(from), steep = f64x2.splat(slope), one = f64x2.splat(1)
      for (; i + 1 < end; i += 2) {
        const at = <usize>i << 2
        const n = f64x2.replace_lane(f64x2.splat(first + <f64>i), 1, first + <f64>(i + 1))
        const change = f64x2.sub(f64x2.add(gain, f64x2.mul(steep, n)), one)
        addPair(left + at, bandLeft + at, change)
        addPair(right + at, bandRight + at, change)
      }
      if (i < end) {
        const at = <usize>i << 2
        const change = from + slope * (first + <f64>i) - 1
        store<f32>(left + at, <f32>(<f64>load<f32>(left + at) + change * <f64>load<f32>(bandLeft + at)))
        store<f32>(right + at, <f32>(<f64>load<f32>(right + at) + change * <f64>load<f32>(bandRight + at)))
      }
    }
    start = end
  }
}

// @ts-ignore: decorator
@inline function addPair(x: usize, band: usize, change: v128): void {
  const sum = f64x2.add(f64x2.promote_low_f32x4(v128.load64_zero(x)), f64x2.mul(change, f64x2.promote_low_f32x4(v128.load64_zero(band))))
  v128.store64_lane(x, f32x4.demote_f64x2_zero(sum), 0)
}
