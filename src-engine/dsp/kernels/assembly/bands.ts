// Splitter into four bands that sum to the signal, and their sum with moving gains. A chain of three low-passes takes the bands off in
// turn; the three recurrences run in one loop, since each alone is latency-bound. A frame of bands is two f32x4: the first two bands, then
// the others, each left and right.

/** Frames between two points of the gains. */
const STEP: i32 = 32

/** Low-pass: one step of transposed direct form II, y = b0 * v + s1; its coefficients lie at `c` as in biquad.ts, its state at `s`. */
// @ts-ignore: decorator
@inline function tail1(v: v128, y: v128, s2: v128, c: usize): v128 {
  return f64x2.sub(f64x2.add(f64x2.mul(v128.load(c, 16), v), s2), f64x2.mul(v128.load(c, 48), y))
}

// @ts-ignore: decorator
@inline function tail2(v: v128, y: v128, c: usize): v128 {
  return f64x2.sub(f64x2.mul(v128.load(c, 32), v), f64x2.mul(v128.load(c, 64), y))
}

/**
 * Splits `steps` steps of 32 frames of two planar channels into four bands. coefficients: three sections, state: three times four f64, as
 * in biquad.ts. bands: 8 f32 per frame. energies: per step four f32, the sums of left^2 + right^2 of the bands.
 */
export function splitFourBands(left: usize, right: usize, steps: i32, coefficients: usize, state: usize, bands: usize, energies: usize): void {
  const c = coefficients, d = coefficients + 80, e = coefficients + 160
  let s1 = v128.load(state), s2 = v128.load(state, 16), t1 = v128.load(state, 32), t2 = v128.load(state, 48)
  let u1 = v128.load(state, 64), u2 = v128.load(state, 80)
  const cb = v128.load(c), db = v128.load(d), eb = v128.load(e)
  for (let step = 0; step < steps; step++) {
    let low = f32x4.splat(0), high = f32x4.splat(0)
    for (let i = 0; i < STEP; i++) {
      const x = f64x2.replace_lane(f64x2.splat(<f64>load<f32>(left)), 1, <f64>load<f32>(right))
      const y = f64x2.add(f64x2.mul(cb, x), s1)
      s1 = tail1(x, y, s2, c)
      s2 = tail2(x, y, c)
      const v = f64x2.sub(x, y)
      const z = f64x2.add(f64x2.mul(db, v), t1)
      t1 = tail1(v, z, t2, d)
      t2 = tail2(v, z, d)
      const w = f64x2.sub(v, z)
      const q = f64x2.add(f64x2.mul(eb, w), u1)
      u1 = tail1(w, q, u2, e)
      u2 = tail2(w, q, e)
      const first = v128.shuffle<i64>(f32x4.demote_f64x2_zero(y), f32x4.demote_f64x2_zero(z), 0, 2)
      const second = v128.shuffle<i64>(f32x4.demote_f64x2_zero(q), f32x4.demote_f64x2_zero(f64x2.sub(w, q)), 0, 2)
      v128.store(bands, first)
      v128.store(bands, second, 16)
      low = f32x4.add(low, f32x4.mul(first, first))
      high = f32x4.add(high, f32x4.mul(second, second))
      left += 4
      right += 4
      bands += 32
    }
    store<f32>(energies, f32x4.extract_lane(low, 0) + f32x4.extract_lane(low, 1))
    store<f32>(energies, f32x4.extract_lane(low, 2) + f32x4.extract_lane(low, 3), 4)
    store<f32>(energies, f32x4.extract_lane(high, 0) + f32x4.extract_lane(high, 1), 8)
    store<f32>(energies, f32x4.extract_lane(high, 2) + f32x4.extract_lane(high, 3), 12)
    energies += 16
  }
  v128.store(state, s1); v128.store(state, s2, 16); v128.store(state, t1, 32); v128.store(state, t2, 48)
  v128.store(state, u1, 64); v128.store(state, u2, 80)
}

/**
 * Adds to `steps` steps of two planar channels, in place, the bands times (gain - 1). changes: per point four f32, gain - 1 of each band;
 * the first point belongs to the last frame before the stretch, and gains are linear between points. A step between two points of zeros
 * keeps its bits.
 */
export function addFourBands(left: usize, right: usize, steps: i32, bands: usize, changes: usize): void {
  const part = f32x4.splat(<f32>1 / <f32>STEP)
  for (let step = 0; step < steps; step++, changes += 16) {
    const from = v128.load(changes), to = v128.load(changes, 16)
    if (!v128.any_true(v128.or(from, to))) {
      left += STEP << 2
      right += STEP << 2
      bands += STEP << 5
      continue
    }
    const slope = f32x4.mul(f32x4.sub(to, from), part)
    const a0 = v128.shuffle<f32>(from, from, 0, 0, 1, 1), b0 = v128.shuffle<f32>(from, from, 2, 2, 3, 3)
    const a1 = v128.shuffle<f32>(slope, slope, 0, 0, 1, 1), b1 = v128.shuffle<f32>(slope, slope, 2, 2, 3, 3)
    for (let i = 1; i <= STEP; i++) {
      const t = f32x4.splat(<f32>i)
      const first = f32x4.mul(v128.load(bands), f32x4.add(a0, f32x4.mul(a1, t)))
      const sum = f32x4.add(first, f32x4.mul(v128.load(bands, 16), f32x4.add(b0, f32x4.mul(b1, t))))
      store<f32>(left, load<f32>(left) + f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 2))
      store<f32>(right, load<f32>(right) + f32x4.extract_lane(sum, 1) + f32x4.extract_lane(sum, 3))
      left += 4
      right += 4
      bands += 32
    }
  }
}
