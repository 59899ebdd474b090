// Biquad cascade, transposed direct form II in double precision; the two lanes are the left and the right channel.
// coefficients: per section b0 b1 b2 a1 a2, each written twice (10 f64); state: per section s1 s2, lanes L R (4 f64).

import { framesOfPlanes, planesOfFrames } from './frames'

/** Filters `frames` planar samples of two channels in place, and up to three more; scratch holds one v128 per frame. */
export function biquadCascade(left: usize, right: usize, frames: i32, coefficients: usize, state: usize, sections: i32, scratch: usize): void {
  framesOfPlanes(left, right, frames, scratch)
  const end = scratch + (<usize>frames << 4)
  let k = 0
  // Two sections per pass are two independent recurrences, and the output enters each sum last: the filter is bound by latency, not
  // by arithmetic.
  for (; k + 1 < sections; k += 2) {
    const c = coefficients + <usize>k * 80, s = state + <usize>k * 32
    const b0 = v128.load(c), b1 = v128.load(c, 16), b2 = v128.load(c, 32), a1 = v128.load(c, 48), a2 = v128.load(c, 64)
    const e0 = v128.load(c, 80), e1 = v128.load(c, 96), e2 = v128.load(c, 112), d1 = v128.load(c, 128), d2 = v128.load(c, 144)
    let s1 = v128.load(s), s2 = v128.load(s, 16), t1 = v128.load(s, 32), t2 = v128.load(s, 48)
    for (let q = scratch; q < end; q += 16) {
      const v = v128.load(q)
      const y = f64x2.add(f64x2.mul(b0, v), s1)
      s1 = f64x2.sub(f64x2.add(f64x2.mul(b1, v), s2), f64x2.mul(a1, y))
      s2 = f64x2.sub(f64x2.mul(b2, v), f64x2.mul(a2, y))
      const z = f64x2.add(f64x2.mul(e0, y), t1)
      t1 = f64x2.sub(f64x2.add(f64x2.mul(e1, y), t2), f64x2.mul(d1, z))
      t2 = f64x2.sub(f64x2.mul(e2, y), f64x2.mul(d2, z))
      v128.store(q, z)
    }
    v128.store(s, s1); v128.store(s, s2, 16); v128.store(s, t1, 32); v128.store(s, t2, 48)
  }
  if (k < sections) {
    const c = coefficients + <usize>k * 80, s = state + <usize>k * 32
    const b0 = v128.load(c), b1 = v128.load(c, 16), b2 = v128.load(c, 32), a1 = v128.load(c, 48), a2 = v128.load(c, 64)
    let s1 = v128.load(s), s2 = v128.load(s, 16)
    for (let q = scratch; q < end; q += 16) {
      const v = v128.load(q)
      const y = f64x2.add(f64x2.mul(b0, v), s1)
      s1 = f64x2.sub(f64x2.add(f64x2.mul(b1, v), s2), f64x2.mul(a1, y))
      s2 = f64x2.sub(f64x2.mul(b2, v), f64x2.mul(a2, y))
      v128.store(q, y)
    }
    v128.store(s, s1); v128.store(s, s2, 16)
  }
  planesOfFrames(scratch, frames, left, right)
}
