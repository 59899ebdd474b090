// Interleaved little-endian integers of two channels to planar floats, four frames at a time: up to three more are read and written.

/** Lays out `frames` frames of 16 bit; full scale is 1.0. */
export function planesOf16(bytes: usize, frames: i32, left: usize, right: usize): void {
  const step = f32x4.splat(1.0 / 32768.0), end = <usize>frames << 2
  for (let i: usize = 0; i < end; i += 16) {
    const v = v128.load(bytes + i)
    v128.store(left + i, f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(i32x4.shl(v, 16), 16)), step))
    v128.store(right + i, f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(v, 16)), step))
  }
}

/** Lays out `frames` frames of 24 bit; full scale is 1.0. */
export function planesOf24(bytes: usize, frames: i32, left: usize, right: usize): void {
  const step = f32x4.splat(1.0 / 8388608.0), end = <usize>frames << 2
  for (let i: usize = 0, p = bytes; i < end; i += 16, p += 24) {
    // Four frames are 24 bytes: the second vector begins with the ninth. The lowest byte of every lane is shifted out.
    const a = v128.load(p), b = v128.load(p, 8)
    const l = v128.shuffle<i8>(a, b, 0, 0, 1, 2, 6, 6, 7, 8, 20, 20, 21, 22, 26, 26, 27, 28)
    const r = v128.shuffle<i8>(a, b, 3, 3, 4, 5, 9, 9, 10, 11, 23, 23, 24, 25, 29, 29, 30, 31)
    v128.store(left + i, f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(l, 8)), step))
    v128.store(right + i, f32x4.mul(f32x4.convert_i32x4_s(i32x4.shr_s(r, 8)), step))
  }
}
