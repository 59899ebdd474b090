// Work before and after the transform of a frame of two channels. A band is 24 bytes: i32 first and last bin, f64 shares of the first and
// of the last in it; a band whose last bin lies before its first is empty.

/** Writes window · (left + right) / 2 to re and window · (left - right) / 2 to im; `frames` is even, the window f64. */
export function windowMidSide(left: usize, right: usize, window: usize, frames: i32, re: usize, im: usize): void {
  const half = f64x2.splat(0.5), end = <usize>frames << 3
  for (let i: usize = 0; i < end; i += 16) {
    const l = f64x2.promote_low_f32x4(v128.load64_zero(left + (i >> 1))), r = f64x2.promote_low_f32x4(v128.load64_zero(right + (i >> 1)))
    const w = f64x2.mul(v128.load(window + i), half)
    v128.store(re + i, f64x2.mul(w, f64x2.add(l, r)))
    v128.store(im + i, f64x2.mul(w, f64x2.sub(l, r)))
  }
}

/**
 * One-sided powers, times `scale`, of the two real signals whose transform is packed as mid + i · side: size / 2 + 1 f64 each. The
 * size is a multiple of 4.
 */
export function midSidePowers(re: usize, im: usize, size: i32, scale: f64, mid: usize, side: usize): void {
  const half = <usize>size << 2, end = <usize>size << 3
  storePowers(re, im, 0, 0, scale * 0.25, mid, side)
  storePowers(re, im, half, half, scale * 0.25, mid, side)
  storePowers(re, im, 8, end - 8, scale * 0.5, mid, side)
  const fold = f64x2.splat(scale * 0.5)
  for (let k: usize = 16; k < half; k += 16) {
    const a = v128.load(re + k), c = v128.load(im + k), far = end - k - 8
    const b = swapped(v128.load(re + far)), d = swapped(v128.load(im + far))
    const mr = f64x2.add(a, b), mi = f64x2.sub(c, d), sr = f64x2.add(c, d), si = f64x2.sub(b, a)
    v128.store(mid + k, f64x2.mul(fold, f64x2.add(f64x2.mul(mr, mr), f64x2.mul(mi, mi))))
    v128.store(side + k, f64x2.mul(fold, f64x2.add(f64x2.mul(sr, sr), f64x2.mul(si, si))))
  }
}

// @ts-ignore: decorator
@inline function swapped(lanes: v128): v128 {
  return v128.shuffle<i64>(lanes, lanes, 1, 0)
}

// @ts-ignore: decorator
@inline function storePowers(re: usize, im: usize, k: usize, mirror: usize, fold: f64, mid: usize, side: usize): void {
  const a = load<f64>(re + k), b = load<f64>(re + mirror), c = load<f64>(im + k), d = load<f64>(im + mirror)
  store<f64>(mid + k, fold * ((a + b) * (a + b) + (c - d) * (c - d)))
  store<f64>(side + k, fold * ((c + d) * (c + d) + (b - a) * (b - a)))
}

/** Adds up the powers of each of `count` bands, one f32 each at `sums`; the bins between the first and the last count fully. */
export function bandSums(powers: usize, bands: usize, count: i32, sums: usize): void {
  for (let b = 0; b < count; b++) {
    const band = bands + <usize>b * 24
    const first = load<i32>(band), last = load<i32>(band, 4)
    let sum: f64 = 0
    if (last >= first) sum = load<f64>(band, 8) * load<f64>(powers + (<usize>first << 3))
    if (last > first) sum += load<f64>(band, 16) * load<f64>(powers + (<usize>last << 3))
    let two = f64x2.splat(0), four = f64x2.splat(0)
    let k = first + 1
    for (; k + 3 < last; k += 4) {
      two = f64x2.add(two, v128.load(powers + (<usize>k << 3)))
      four = f64x2.add(four, v128.load(powers + (<usize>k << 3), 16))
    }
    for (; k < last; k++) sum += load<f64>(powers + (<usize>k << 3))
    two = f64x2.add(two, four)
    store<f32>(sums + (<usize>b << 2), <f32>(sum + f64x2.extract_lane(two, 0) + f64x2.extract_lane(two, 1)))
  }
}
