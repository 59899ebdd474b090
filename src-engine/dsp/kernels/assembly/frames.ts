// Two planar channels as frames: a v128 per frame, lanes left / right in double precision. Four at a time: up to three more are
// read and written.

/** Lays `frames` frames of two planar channels out at `out`. */
export function framesOfPlanes(left: usize, right: usize, frames: i32, out: usize): void {
  const end = <usize>frames << 2
  let o = out
  for (let i: usize = 0; i < end; i += 16, o += 64) {
    const l = v128.load(left + i), r = v128.load(right + i)
    const early = v128.shuffle<f32>(l, r, 0, 4, 1, 5), late = v128.shuffle<f32>(l, r, 2, 6, 3, 7)
    v128.store(o, f64x2.promote_low_f32x4(early))
    v128.store(o, f64x2.promote_low_f32x4(v128.shuffle<i64>(early, early, 1, 1)), 16)
    v128.store(o, f64x2.promote_low_f32x4(late), 32)
    v128.store(o, f64x2.promote_low_f32x4(v128.shuffle<i64>(late, late, 1, 1)), 48)
  }
}

/** The inverse of framesOfPlanes, rounded to single precision. */
export function planesOfFrames(source: usize, frames: i32, left: usize, right: usize): void {
  const end = <usize>frames << 2
  let p = source
  for (let i: usize = 0; i < end; i += 16, p += 64) {
    const early = v128.shuffle<i64>(f32x4.demote_f64x2_zero(v128.load(p)), f32x4.demote_f64x2_zero(v128.load(p, 16)), 0, 2)
    const late = v128.shuffle<i64>(f32x4.demote_f64x2_zero(v128.load(p, 32)), f32x4.demote_f64x2_zero(v128.load(p, 48)), 0, 2)
    v128.store(left + i, v128.shuffle<f32>(early, late, 0, 2, 4, 6))
    v128.store(right + i, v128.shuffle<f32>(early, late, 1, 3, 5, 7))
  }
}
