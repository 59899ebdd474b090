// A gain curve given by one control point per group of eight frames, as a uniform cubic B-spline: weights are positive and sum to
// one, so the curve stays between its control points.

/**
 * Multiplies `groups` groups of 8 frames of x in place. `controls` points at the control of the group before the first; groups + 3 controls
 * are read; every sample is also multiplied by `drive`. weights: 8 v128, for the control j = 0 .. 3 the eight frames' weights.
 */
export function applyGainCurve(x: usize, groups: i32, controls: usize, weights: usize, drive: f32): void {
  const w0 = v128.load(weights), v0 = v128.load(weights, 16), w1 = v128.load(weights, 32), v1 = v128.load(weights, 48)
  const w2 = v128.load(weights, 64), v2 = v128.load(weights, 80), w3 = v128.load(weights, 96), v3 = v128.load(weights, 112)
  const all = f32x4.splat(drive)
  for (let g: usize = 0; g < <usize>groups; g++) {
    const c = controls + (g << 2), p = x + (g << 5)
    // Rounded weights do not sum to exactly one, but unlimited samples must keep their bits.
    if (load<f32>(c) == 1 && load<f32>(c, 4) == 1 && load<f32>(c, 8) == 1 && load<f32>(c, 12) == 1) {
      v128.store(p, f32x4.mul(v128.load(p), all))
      v128.store(p, f32x4.mul(v128.load(p, 16), all), 16)
      continue
    }
    const a = v128.load32_splat(c), b = v128.load32_splat(c, 4), d = v128.load32_splat(c, 8), e = v128.load32_splat(c, 12)
    const first = f32x4.add(f32x4.add(f32x4.mul(w0, a), f32x4.mul(w1, b)), f32x4.add(f32x4.mul(w2, d), f32x4.mul(w3, e)))
    const second = f32x4.add(f32x4.add(f32x4.mul(v0, a), f32x4.mul(v1, b)), f32x4.add(f32x4.mul(v2, d), f32x4.mul(v3, e)))
    v128.store(p, f32x4.mul(v128.load(p), f32x4.mul(first, all)))
    v128.store(p, f32x4.mul(v128.load(p, 16), f32x4.mul(second, all)), 16)
  }
}
