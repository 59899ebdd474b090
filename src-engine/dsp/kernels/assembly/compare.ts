// Two pieces of stereo music side by side: one complex transform of both, and what their bands have in common.

/**
 * Writes window · gain · (xl + xr) to re and window · (yl + yr) to im, f64 like the window; `frames` is even. Returns whether the
 * two differ by more than a thousand-millionth of the first's energy.
 */
export function packPair(xl: usize, xr: usize, yl: usize, yr: usize, gain: f64, window: usize, frames: i32, re: usize, im: usize): bool {
  const drive = f64x2.splat(gain), end = <usize>frames << 3
  let difference = f64x2.splat(0), energy = f64x2.splat(0)
  for (let i: usize = 0; i < end; i += 16) {
    const at = i >> 1
    const x = f64x2.mul(f64x2.add(pair(xl + at), pair(xr + at)), drive), y = f64x2.add(pair(yl + at), pair(yr + at))
    const w = v128.load(window + i), d = f64x2.sub(x, y)
    difference = f64x2.add(difference, f64x2.mul(d, d))
    energy = f64x2.add(energy, f64x2.mul(x, x))
    v128.store(re + i, f64x2.mul(w, x))
    v128.store(im + i, f64x2.mul(w, y))
  }
  return f64x2.extract_lane(difference, 0) + f64x2.extract_lane(difference, 1) > (f64x2.extract_lane(energy, 0) + f64x2.extract_lane(energy, 1)) * 1e-9
}

// @ts-ignore: decorator
@inline function pair(samples: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(samples))
}

/**
 * Given the transform of x + i · y, both real, writes for each band the sums of |X|², |Y|² and of the real part of X · conj(Y) over
 * its bins: three times `count` f64 at `sums`. edges: count + 1 i32, the first bins of the bands and the bin behind the last; 0 <
 * bin < size / 2.
 */
export function crossBands(re: usize, im: usize, size: i32, edges: usize, count: i32, sums: usize): void {
  const far = <usize>size << 3
  for (let b: usize = 0; b < <usize>count; b++) {
    const end = <usize>load<i32>(edges + (b << 2), 4) << 3
    let xx: f64 = 0, yy: f64 = 0, xy: f64 = 0
    for (let k = <usize>load<i32>(edges + (b << 2)) << 3; k < end; k += 8) {
      const ar = load<f64>(re + k), br = load<f64>(re + far - k), ai = load<f64>(im + k), bi = load<f64>(im + far - k)
      const xr = ar + br, xi = ai - bi, yr = ai + bi, yi = br - ar
      xx += xr * xr + xi * xi
      yy += yr * yr + yi * yi
      xy += xr * yr + xi * yi
    }
    const at = sums + (b << 3), row = <usize>count << 3
    store<f64>(at, xx * 0.25)
    store<f64>(at + row, yy * 0.25)
    store<f64>(at + 2 * row, xy * 0.25)
  }
}
