// Error added to stereo music, in four views: one complex transform of both channels, and the energies of bands in left, right, mid and
// side.

/** Writes window · (yl - gain · xl) to re and window · (yr - gain · xr) to im, f64 like the window; `frames` is even. */
export function windowDifference(xl: usize, xr: usize, yl: usize, yr: usize, gain: f64, window: usize, frames: i32, re: usize, im: usize): void {
  const drive = f64x2.splat(gain), end = <usize>frames << 3
  for (let i: usize = 0; i < end; i += 16) {
    const at = i >> 1, w = v128.load(window + i)
    v128.store(re + i, f64x2.mul(w, f64x2.sub(pair(yl + at), f64x2.mul(drive, pair(xl + at)))))
    v128.store(im + i, f64x2.mul(w, f64x2.sub(pair(yr + at), f64x2.mul(drive, pair(xr + at)))))
  }
}

// @ts-ignore: decorator
@inline function pair(samples: usize): v128 {
  return f64x2.promote_low_f32x4(v128.load64_zero(samples))
}

/**
 * Given the transform of left + i · right, both real, writes for each band the sums of |L|², |R|², |L + R|² / 4 and |L - R|² / 4 over its
 * bins: four times `count` f64 at `sums`. edges: count + 1 i32, the first bins of the bands and the bin behind the last; 0 < bin < size / 2.
 */
export function stereoBands(re: usize, im: usize, size: i32, edges: usize, count: i32, sums: usize): void {
  const far = <usize>size << 3, row = <usize>count << 3
  for (let b: usize = 0; b < <usize>count; b++) {
    const end = <usize>load<i32>(edges + (b << 2), 4) << 3
    let left: f64 = 0, right: f64 = 0, cross: f64 = 0
    for (let k = <usize>load<i32>(edges + (b << 2)) << 3; k < end; k += 8) {
      const ar = load<f64>(re + k), br = load<f64>(re + far - k), ai = load<f64>(im + k), bi = load<f64>(im + far - k)
      const lr = ar + br, li = ai - bi, rr = ai + bi, ri = br - ar
      left += lr * lr + li * li
      right += rr * rr + ri * ri
      cross += lr * rr + li * ri
    }
    const at = sums + (b << 3), middle = (left + right) * 0.0625, apart = cross * 0.125
    store<f64>(at, left * 0.25)
    store<f64>(at + row, right * 0.25)
    store<f64>(at + 2 * row, middle + apart)
    store<f64>(at + 3 * row, middle - apart)
  }
}
