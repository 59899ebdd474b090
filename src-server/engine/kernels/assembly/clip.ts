// Soft clipper at four points per frame. Only the error of the clipped points goes through the decimating filter and is added to
// the signal, so that frames far from a clipped point keep their bits. Frames are taken four at a time: the lanes interpolate four
// frames at once, and the stretch of y that four frames change is loaded and stored once, at whole vectors from block to block.

/** Bytes of a phase of the decimating filter: 32 taps with four zeros on either side, so that it can be read up to three taps early. */
const DOWN_BYTES: usize = 160

/** Adds the filtered errors of one phase of four frames (lanes of `errors`) to y[-15 ... 20] around the first of them. */
// @ts-ignore: decorator
@inline function scatter(errors: usize, y: usize, downTaps: usize): void {
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0), s4 = f32x4.splat(0)
  let s5 = f32x4.splat(0), s6 = f32x4.splat(0), s7 = f32x4.splat(0), s8 = f32x4.splat(0)
  for (let j: usize = 0; j < 16; j++) {
    const error = load<f32>(errors + (j << 2))
    if (error == 0) continue
    const e = f32x4.splat(error)
    // errors: four phases of four frames; tap k of frame j belongs to y[j - 15 + k].
    const t = downTaps + (j >> 2) * DOWN_BYTES + 16 - ((j & 3) << 2)
    s0 = f32x4.add(s0, f32x4.mul(e, v128.load(t)))
    s1 = f32x4.add(s1, f32x4.mul(e, v128.load(t, 16)))
    s2 = f32x4.add(s2, f32x4.mul(e, v128.load(t, 32)))
    s3 = f32x4.add(s3, f32x4.mul(e, v128.load(t, 48)))
    s4 = f32x4.add(s4, f32x4.mul(e, v128.load(t, 64)))
    s5 = f32x4.add(s5, f32x4.mul(e, v128.load(t, 80)))
    s6 = f32x4.add(s6, f32x4.mul(e, v128.load(t, 96)))
    s7 = f32x4.add(s7, f32x4.mul(e, v128.load(t, 112)))
    s8 = f32x4.add(s8, f32x4.mul(e, v128.load(t, 128)))
  }
  v128.store(y, f32x4.add(v128.load(y), s0))
  v128.store(y, f32x4.add(v128.load(y, 16), s1), 16)
  v128.store(y, f32x4.add(v128.load(y, 32), s2), 32)
  v128.store(y, f32x4.add(v128.load(y, 48), s3), 48)
  v128.store(y, f32x4.add(v128.load(y, 64), s4), 64)
  v128.store(y, f32x4.add(v128.load(y, 80), s5), 80)
  v128.store(y, f32x4.add(v128.load(y, 96), s6), 96)
  v128.store(y, f32x4.add(v128.load(y, 112), s7), 112)
  v128.store(y, f32x4.add(v128.load(y, 128), s8), 128)
}

/** What clipping takes off or adds to four points `v`; 0 where they do not exceed `knee` or are not `loud`. */
// @ts-ignore: decorator
@inline function errorOf(v: v128, loud: v128, knee: v128, width: v128): v128 {
  const m = f32x4.abs(v)
  const u = f32x4.div(f32x4.sub(m, knee), width)
  const slope = f32x4.sqrt(f32x4.add(f32x4.splat(1), f32x4.mul(u, u)))
  const less = f32x4.sub(f32x4.add(knee, f32x4.mul(width, f32x4.div(u, slope))), m)
  const signed = v128.xor(less, v128.and(v, f32x4.splat(-0.0)))
  return v128.and(signed, v128.and(loud, f32x4.gt(m, knee)))
}

/**
 * Adds to y the filtered error of clipping x in the frames [0, frames), a multiple of 4. Above `knee` the magnitude bends to approach
 * `limit`: knee + w * u / sqrt(1 + u * u) with w = limit - knee, u = (|v| - knee) / w.
 * upTaps: 4 phases of 32 f32; tap k of a phase belongs to frame n - 15 + k. downTaps: the same with four zeros before and after each phase.
 * errors: scratch for 16 f32. Readable x[-15] ... x[frames + 16], writable y[-15] ... y[frames + 16]. Returns the number of blocks of
 * four frames with a clipped point.
 */
export function addClipError(x: usize, y: usize, frames: i32, knee: f32, limit: f32, upTaps: usize, downTaps: usize, errors: usize): i32 {
  // A point between two samples hardly exceeds both by more than 4 dB; one that does is left to the limiter.
  const quiet = f32x4.splat(<f32>0.6 * knee), knees = f32x4.splat(knee), width = f32x4.splat(limit - knee)
  let clipped = 0
  for (let n = 0; n < frames; n += 4) {
    const at = x + (<usize>n << 2)
    const own = v128.load(at)
    const loud = f32x4.ge(f32x4.max(f32x4.abs(own), f32x4.abs(v128.load(at, 4))), quiet)
    if (!v128.any_true(loud)) continue
    let a1 = f32x4.splat(0), b1 = f32x4.splat(0), a2 = f32x4.splat(0), b2 = f32x4.splat(0), a3 = f32x4.splat(0), b3 = f32x4.splat(0)
    let p = at - 60
    const end = upTaps + 256
    for (let c = upTaps + 128; c < end; c += 8) {
      const even = v128.load(p), odd = v128.load(p, 4)
      a1 = f32x4.add(a1, f32x4.mul(even, v128.load32_splat(c)))
      b1 = f32x4.add(b1, f32x4.mul(odd, v128.load32_splat(c, 4)))
      a2 = f32x4.add(a2, f32x4.mul(even, v128.load32_splat(c, 128)))
      b2 = f32x4.add(b2, f32x4.mul(odd, v128.load32_splat(c, 132)))
      a3 = f32x4.add(a3, f32x4.mul(even, v128.load32_splat(c, 256)))
      b3 = f32x4.add(b3, f32x4.mul(odd, v128.load32_splat(c, 260)))
      p += 8
    }
    const e0 = errorOf(own, loud, knees, width)
    const e1 = errorOf(f32x4.add(a1, b1), loud, knees, width)
    const e2 = errorOf(f32x4.add(a2, b2), loud, knees, width)
    const e3 = errorOf(f32x4.add(a3, b3), loud, knees, width)
    if (!v128.any_true(v128.or(v128.or(e0, e1), v128.or(e2, e3)))) continue
    v128.store(errors, e0)
    v128.store(errors, e1, 16)
    v128.store(errors, e2, 32)
    v128.store(errors, e3, 48)
    scatter(errors, y + (<usize>n << 2) - 60, downTaps)
    clipped++
  }
  return clipped
}
