// Soft saturation at two points per frame, computed as an error; the signal itself passes no filter. The same half-band filter interpolates
// the points between frames and decimates their errors. Frames are taken eight at a time: four of them are the lanes.

/** Tap times the values behind and ahead. */
// @ts-ignore: decorator
@inline function pair(tap: v128, behind: v128, ahead: v128): v128 {
  return f32x4.mul(tap, f32x4.add(behind, ahead))
}

/**
 * Writes to `out` the points half a frame behind `frames` (a multiple of 8) frames of x, each from `count` (a multiple of 4) frames on
 * either side. taps: `count` f32, from the middle on, each four times.
 */
export function halfPoints(x: usize, frames: i32, taps: usize, count: i32, out: usize): void {
  const last = taps + (<usize>count << 4)
  for (let end = x + (<usize>frames << 2); x < end; x += 32, out += 32) {
    let a = f32x4.splat(0), b = f32x4.splat(0)
    let behind = x, ahead = x + 4
    for (let c = taps; c < last; c += 64, ahead += 16) {
      behind -= 16
      const c0 = v128.load(c), c1 = v128.load(c, 16), c2 = v128.load(c, 32), c3 = v128.load(c, 48)
      a = f32x4.add(a, pair(c0, v128.load(behind, 16), v128.load(ahead)))
      b = f32x4.add(b, pair(c0, v128.load(behind, 32), v128.load(ahead, 16)))
      a = f32x4.add(a, pair(c1, v128.load(behind, 12), v128.load(ahead, 4)))
      b = f32x4.add(b, pair(c1, v128.load(behind, 28), v128.load(ahead, 20)))
      a = f32x4.add(a, pair(c2, v128.load(behind, 8), v128.load(ahead, 8)))
      b = f32x4.add(b, pair(c2, v128.load(behind, 24), v128.load(ahead, 24)))
      a = f32x4.add(a, pair(c3, v128.load(behind, 4), v128.load(ahead, 12)))
      b = f32x4.add(b, pair(c3, v128.load(behind, 20), v128.load(ahead, 28)))
    }
    v128.store(out, a)
    v128.store(out, b, 16)
  }
}

/** y - x for y = x / sqrt(1 + p * x + r * x * x), at four points, without cancellation between large numbers. */
// @ts-ignore: decorator
@inline function errorOf(x: v128, p: v128, r: v128): v128 {
  const bend = f32x4.mul(x, f32x4.add(p, f32x4.mul(r, x)))
  const inside = f32x4.add(f32x4.splat(1), bend)
  return f32x4.neg(f32x4.div(f32x4.mul(x, bend), f32x4.add(inside, f32x4.sqrt(inside))))
}

/** Replaces `count` (a multiple of 4) points by the curve's errors at them. */
export function saturationErrors(points: usize, count: i32, asymmetry: f32, bend: f32): void {
  const p = f32x4.splat(asymmetry), r = f32x4.splat(bend)
  for (let end = points + (<usize>count << 2); points < end; points += 16) v128.store(points, errorOf(v128.load(points), p, r))
}

/** Replaces the errors between `frames` (a multiple of 4) frames of x, decimated, by those of the points between and at the frames together. */
export function joinErrors(x: usize, frames: i32, asymmetry: f32, bend: f32, errors: usize): void {
  const p = f32x4.splat(asymmetry), r = f32x4.splat(bend), half = f32x4.splat(0.5)
  for (let end = x + (<usize>frames << 2); x < end; x += 16, errors += 16) {
    v128.store(errors, f32x4.mul(half, f32x4.add(errorOf(v128.load(x), p, r), v128.load(errors))))
  }
}

/** Frames between two points of the gain. */
const STEP: i32 = 32

/**
 * High-passes the errors (one section, as in biquad.ts), in place, and sums per step of 32 frames, over both channels, x * x and x * error:
 * two f64 per step at `sums`.
 */
export function filterErrors(left: usize, right: usize, errorLeft: usize, errorRight: usize, steps: i32, coefficients: usize, state: usize, sums: usize): void {
  const b0 = v128.load(coefficients), b1 = v128.load(coefficients, 16), b2 = v128.load(coefficients, 32)
  const a1 = v128.load(coefficients, 48), a2 = v128.load(coefficients, 64)
  let s1 = v128.load(state), s2 = v128.load(state, 16)
  for (let step = 0; step < steps; step++, sums += 16) {
    let xx = f64x2.splat(0), xe = f64x2.splat(0)
    for (let i = 0; i < STEP; i++) {
      const e = f64x2.replace_lane(f64x2.splat(<f64>load<f32>(errorLeft)), 1, <f64>load<f32>(errorRight))
      const x = f64x2.replace_lane(f64x2.splat(<f64>load<f32>(left)), 1, <f64>load<f32>(right))
      const y = f64x2.add(f64x2.mul(b0, e), s1)
      s1 = f64x2.sub(f64x2.add(f64x2.mul(b1, e), s2), f64x2.mul(a1, y))
      s2 = f64x2.sub(f64x2.mul(b2, e), f64x2.mul(a2, y))
      xx = f64x2.add(xx, f64x2.mul(x, x))
      xe = f64x2.add(xe, f64x2.mul(x, y))
      store<f32>(errorLeft, <f32>f64x2.extract_lane(y, 0))
      store<f32>(errorRight, <f32>f64x2.extract_lane(y, 1))
      left += 4
      right += 4
      errorLeft += 4
      errorRight += 4
    }
    store<f64>(sums, f64x2.extract_lane(xx, 0) + f64x2.extract_lane(xx, 1))
    store<f64>(sums, f64x2.extract_lane(xe, 0) + f64x2.extract_lane(xe, 1), 8)
  }
  v128.store(state, s1); v128.store(state, s2, 16)
}

/** Replaces x, in place, by (x + error) * gain; gains: a point before the stretch and one per step, linear between. */
export function addErrors(x: usize, error: usize, steps: i32, gains: usize): void {
  const places = f32x4(1, 2, 3, 4), four = f32x4.splat(4), part = f32x4.splat(<f32>1 / <f32>STEP)
  for (let step = 0; step < steps; step++, gains += 4) {
    const from = v128.load32_splat(gains)
    const slope = f32x4.mul(f32x4.sub(v128.load32_splat(gains, 4), from), part)
    let place = places
    for (let i = 0; i < STEP; i += 4, x += 16, error += 16) {
      v128.store(x, f32x4.mul(f32x4.add(v128.load(x), v128.load(error)), f32x4.add(from, f32x4.mul(slope, place))))
      place = f32x4.add(place, four)
    }
  }
}
