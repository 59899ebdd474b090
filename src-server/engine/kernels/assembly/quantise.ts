// Dithered quantisation of two planar channels to interleaved little-endian integers; lanes left / right in double precision.
// state: 0 random numbers (i32x4, lanes 0 and 1 used), 16 ... the last five errors (f64x2 each).

// @ts-ignore: decorator
@inline function nextRandom(r: v128): v128 {
  // xorshift32 (Marsaglia 2003) in every lane
  r = v128.xor(r, i32x4.shl(r, 13))
  r = v128.xor(r, i32x4.shr_u(r, 17))
  return v128.xor(r, i32x4.shl(r, 5))
}

// @ts-ignore: decorator
@inline function triangular(r: v128): v128 {
  const high = i32x4.shr_u(r, 16), low = v128.and(r, i32x4.splat(0xffff))
  return f64x2.mul(f64x2.convert_low_i32x4_s(i32x4.sub(high, low)), f64x2.splat(1.0 / 65536.0))
}

// @ts-ignore: decorator
@inline function frame(left: usize, right: usize, i: usize, scale: v128): v128 {
  const v = f64x2.replace_lane(f64x2.splat(<f64>load<f32>(left + i)), 1, <f64>load<f32>(right + i))
  // NaN compares unequal to itself: 0 instead; beyond twice full scale an infinite error would stay in the filter for ever.
  const number = v128.and(v, f64x2.eq(v, v))
  return f64x2.mul(f64x2.pmax(f64x2.splat(-2), f64x2.pmin(f64x2.splat(2), number)), scale)
}

/** Adding 1.5 * 2^52 puts an integer's two's complement into the low 32 bits of the double. */
// @ts-ignore: decorator
@inline function storeFrame(out: usize, held: v128, channels: i32, bytes: i32): usize {
  const bits = f64x2.add(held, f64x2.splat(6755399441055744.0))
  const left = i32x4.extract_lane(bits, 0), right = i32x4.extract_lane(bits, 2)
  if (bytes == 2) {
    if (channels == 1) { store<u16>(out, <u16>left); return out + 2 }
    store<u32>(out, (<u32>left & 0xffff) | (<u32>right << 16))
    return out + 4
  }
  store<u16>(out, <u16>left); store<u8>(out, <u8>(left >> 16), 2)
  if (channels == 1) return out + 3
  store<u16>(out, <u16>right, 3); store<u8>(out, <u8>(right >> 16), 5)
  return out + 6
}

/**
 * `bytes` per sample: 2 or 3. coefficients: five f64 of the error filter, each twice (f64x2); used when isShaped, otherwise plain
 * TPDF dither.
 */
export function quantise(left: usize, right: usize, frames: i32, channels: i32, bytes: i32, out: usize, isShaped: bool, coefficients: usize, state: usize): void {
  const full: f64 = bytes == 2 ? 32768 : 8388608
  const scale = f64x2.splat(full), top = f64x2.splat(full - 1), bottom = f64x2.splat(-full)
  let r = v128.load(state)
  const end = <usize>frames << 2
  let o = out
  if (!isShaped) {
    for (let i: usize = 0; i < end; i += 4) {
      r = nextRandom(r)
      const y = f64x2.nearest(f64x2.add(frame(left, right, i, scale), triangular(r)))
      o = storeFrame(o, f64x2.pmax(bottom, f64x2.pmin(top, y)), channels, bytes)
    }
    v128.store(state, r)
    return
  }
  const c1 = v128.load(coefficients), c2 = v128.load(coefficients, 16), c3 = v128.load(coefficients, 32), c4 = v128.load(coefficients, 48), c5 = v128.load(coefficients, 64)
  let e1 = v128.load(state, 16), e2 = v128.load(state, 32), e3 = v128.load(state, 48), e4 = v128.load(state, 64), e5 = v128.load(state, 80)
  for (let i: usize = 0; i < end; i += 4) {
    r = nextRandom(r)
    let v = f64x2.sub(frame(left, right, i, scale), f64x2.mul(c5, e5))
    v = f64x2.sub(f64x2.sub(f64x2.sub(v, f64x2.mul(c4, e4)), f64x2.mul(c3, e3)), f64x2.mul(c2, e2))
    // The newest error enters last: it is what the next sample waits for.
    const newest = f64x2.mul(c1, e1)
    const y = f64x2.nearest(f64x2.sub(f64x2.add(v, triangular(r)), newest))
    e5 = e4; e4 = e3; e3 = e2; e2 = e1
    e1 = f64x2.sub(y, f64x2.sub(v, newest))
    o = storeFrame(o, f64x2.pmax(bottom, f64x2.pmin(top, y)), channels, bytes)
  }
  v128.store(state, r); v128.store(state, e1, 16); v128.store(state, e2, 32); v128.store(state, e3, 48); v128.store(state, e4, 64); v128.store(state, e5, 80)
}
