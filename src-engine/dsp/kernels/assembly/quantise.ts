// Dithered quantisation of two planar channels to interleaved little-endian integers; lanes left / right in double precision.
// state: 0 random numbers (i32x4, lanes 0 and 1 used), 16 ... the last five errors (f64x2 each).

import { framesOfPlanes } from './frames'

// A constant loaded from memory before a loop stays in a register; V8 would rebuild a literal for every frame.
const LOW_BITS: usize = memory.data<i32>([0xffff, 0xffff, 0xffff, 0xffff], 16)
const STEP: usize = memory.data<f64>([1.0 / 65536.0, 1.0 / 65536.0], 16)
/** Adding 1.5 * 2^52 rounds to the nearest integer and puts its two's complement into the low 32 bits of the double. */
const INTEGER: usize = memory.data<f64>([6755399441055744.0, 6755399441055744.0], 16)

// @ts-ignore: decorator
@inline function nextRandom(r: v128): v128 {
  // xorshift32 (Marsaglia 2003) in every lane
  r = v128.xor(r, i32x4.shl(r, 13))
  r = v128.xor(r, i32x4.shr_u(r, 17))
  return v128.xor(r, i32x4.shl(r, 5))
}

// @ts-ignore: decorator
@inline function triangular(r: v128, lowBits: v128, step: v128): v128 {
  return f64x2.mul(f64x2.convert_low_i32x4_s(i32x4.sub(i32x4.shr_u(r, 16), v128.and(r, lowBits))), step)
}

/** Scales a channel to steps, in place. */
function toSteps(x: usize, frames: i32, full: f32): void {
  const scale = f32x4.splat(full), top = f32x4.splat(2), bottom = f32x4.splat(-2)
  const end = x + (<usize>frames << 2)
  for (let p = x; p < end; p += 16) {
    const v = v128.load(p)
    // NaN, unequal to itself, becomes 0. Clamping to twice full scale keeps an infinite error from staying in the filter for ever.
    const number = v128.and(v, f32x4.eq(v, v))
    v128.store(p, f32x4.mul(f32x4.pmax(bottom, f32x4.pmin(top, number)), scale))
  }
}

/** Two frames' integers, which lie in the low halves of their four doubles. */
// @ts-ignore: decorator
@inline function integers(p: usize): v128 {
  return v128.shuffle<i32>(v128.load(p), v128.load(p, 16), 0, 2, 4, 6)
}

function store16(source: usize, frames: i32, out: usize): void {
  const end = out + (<usize>frames << 2)
  for (let o = out, p = source; o < end; o += 16, p += 64) v128.store(o, i16x8.narrow_i32x4_s(integers(p), integers(p + 32)))
}

function store24(source: usize, frames: i32, out: usize): void {
  const top = i32x4.splat(8388607), bottom = i32x4.splat(-8388608)
  const end = source + (<usize>frames << 4)
  for (let p = source, o = out; p < end; p += 32, o += 12) {
    const held = i32x4.max_s(bottom, i32x4.min_s(top, integers(p)))
    v128.store(o, v128.shuffle<i8>(held, held, 0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 15, 15, 15, 15))
  }
}

/**
 * `bytes` per sample: 2 or 3. coefficients: five f64 of the error filter, each twice (f64x2); used when isShaped, otherwise plain
 * TPDF dither. The channels are overwritten. Up to three frames more are read and 16 bytes more written; scratch holds one v128 per
 * frame.
 */
export function quantise(left: usize, right: usize, frames: i32, bytes: i32, out: usize, isShaped: bool, coefficients: usize, state: usize, scratch: usize): void {
  const full: f32 = bytes == 2 ? 32768 : 8388608
  toSteps(left, frames, full)
  toSteps(right, frames, full)
  framesOfPlanes(left, right, frames, scratch)
  const lowBits = v128.load(LOW_BITS), step = v128.load(STEP), integer = v128.load(INTEGER)
  const end = scratch + (<usize>frames << 4)
  let r = v128.load(state)
  if (isShaped) {
    const c1 = v128.load(coefficients), c2 = v128.load(coefficients, 16), c3 = v128.load(coefficients, 32), c4 = v128.load(coefficients, 48), c5 = v128.load(coefficients, 64)
    let e1 = v128.load(state, 16), e2 = v128.load(state, 32), e3 = v128.load(state, 48), e4 = v128.load(state, 64), e5 = v128.load(state, 80)
    for (let p = scratch; p < end; p += 16) {
      r = nextRandom(r)
      let v = f64x2.sub(v128.load(p), f64x2.mul(c5, e5))
      v = f64x2.sub(f64x2.sub(f64x2.sub(v, f64x2.mul(c4, e4)), f64x2.mul(c3, e3)), f64x2.mul(c2, e2))
      // The newest error enters last, since the next sample waits for it.
      const newest = f64x2.mul(c1, e1)
      const y = f64x2.add(f64x2.sub(f64x2.add(v, triangular(r, lowBits, step)), newest), integer)
      e5 = e4; e4 = e3; e3 = e2; e2 = e1
      e1 = f64x2.sub(f64x2.sub(y, integer), f64x2.sub(v, newest))
      v128.store(p, y)
    }
    v128.store(state, e1, 16); v128.store(state, e2, 32); v128.store(state, e3, 48); v128.store(state, e4, 64); v128.store(state, e5, 80)
  } else {
    for (let p = scratch; p < end; p += 16) {
      r = nextRandom(r)
      v128.store(p, f64x2.add(f64x2.add(v128.load(p), triangular(r, lowBits, step)), integer))
    }
  }
  v128.store(state, r)
  if (bytes == 2) store16(scratch, frames, out)
  else store24(scratch, frames, out)
}
