// Sums over two channels in double precision, two frames at a time, and their largest sample.

/**
 * Adds to the seven f64 at `sums`: the sums of left, right, left², right² and left · right over `frames` frames; raises the sixth to the
 * largest |sample|; adds a non-zero number to the seventh if the channels differ.
 */
export function stereoSums(left: usize, right: usize, frames: i32, sums: usize): void {
  let l = f64x2.splat(0), r = f64x2.splat(0), ll = f64x2.splat(0), rr = f64x2.splat(0), lr = f64x2.splat(0)
  let peak = f32x4.splat(0), differs = i32x4.splat(0)
  const whole = <usize>(frames & ~3) << 2, end = <usize>frames << 2
  for (let i: usize = 0; i < whole; i += 16) {
    const a = v128.load(left + i), b = v128.load(right + i)
    peak = f32x4.pmax(peak, f32x4.pmax(f32x4.abs(a), f32x4.abs(b)))
    differs = v128.or(differs, f32x4.ne(a, b))
    const a1 = f64x2.promote_low_f32x4(a), a2 = f64x2.promote_low_f32x4(v128.shuffle<i64>(a, a, 1, 0))
    const b1 = f64x2.promote_low_f32x4(b), b2 = f64x2.promote_low_f32x4(v128.shuffle<i64>(b, b, 1, 0))
    l = f64x2.add(l, f64x2.add(a1, a2))
    r = f64x2.add(r, f64x2.add(b1, b2))
    ll = f64x2.add(ll, f64x2.add(f64x2.mul(a1, a1), f64x2.mul(a2, a2)))
    rr = f64x2.add(rr, f64x2.add(f64x2.mul(b1, b1), f64x2.mul(b2, b2)))
    lr = f64x2.add(lr, f64x2.add(f64x2.mul(a1, b1), f64x2.mul(a2, b2)))
  }
  for (let i = whole; i < end; i += 4) {
    const a = f32x4.replace_lane(f32x4.splat(0), 0, load<f32>(left + i)), b = f32x4.replace_lane(f32x4.splat(0), 0, load<f32>(right + i))
    peak = f32x4.pmax(peak, f32x4.pmax(f32x4.abs(a), f32x4.abs(b)))
    differs = v128.or(differs, f32x4.ne(a, b))
    const a1 = f64x2.promote_low_f32x4(a), b1 = f64x2.promote_low_f32x4(b)
    l = f64x2.add(l, a1)
    r = f64x2.add(r, b1)
    ll = f64x2.add(ll, f64x2.mul(a1, a1))
    rr = f64x2.add(rr, f64x2.mul(b1, b1))
    lr = f64x2.add(lr, f64x2.mul(a1, b1))
  }
  addLanes(sums, l)
  addLanes(sums + 8, r)
  addLanes(sums + 16, ll)
  addLanes(sums + 24, rr)
  addLanes(sums + 32, lr)
  const pair = f32x4.pmax(peak, v128.shuffle<f32>(peak, peak, 2, 3, 0, 1))
  const largest = <f64>f32x4.extract_lane(f32x4.pmax(pair, v128.shuffle<f32>(pair, pair, 1, 0, 3, 2)), 0)
  if (largest > load<f64>(sums, 40)) store<f64>(sums, largest, 40)
  if (v128.any_true(differs)) store<f64>(sums, load<f64>(sums, 48) + 1, 48)
}

// @ts-ignore: decorator
@inline function addLanes(sum: usize, lanes: v128): void {
  store<f64>(sum, load<f64>(sum) + (f64x2.extract_lane(lanes, 0) + f64x2.extract_lane(lanes, 1)))
}
