// Soft clipper at four points per frame. Only the error of the clipped points goes through the decimating filter and is added to the
// signal, so that frames far from a clipped point keep their bits. The known true peak of each group of eight frames says which groups to
// clip. Frames are taken four at a time: the lanes interpolate four frames at once, and the stretch of y that four frames change is loaded
// and stored once, at whole vectors from block to block.

/** Bytes of a phase of the decimating filter: 32 taps with four zeros on either side, to allow reads up to three taps early. */
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

/** Error of clipping at four points `v`; 0 for points up to `knee`. */
// @ts-ignore: decorator
@inline function errorOf(v: v128, knee: v128, width: v128): v128 {
  const m = f32x4.abs(v)
  const u = f32x4.div(f32x4.sub(m, knee), width)
  const slope = f32x4.sqrt(f32x4.add(f32x4.splat(1), f32x4.mul(u, u)))
  const less = f32x4.sub(f32x4.add(knee, f32x4.mul(width, f32x4.div(u, slope))), m)
  const signed = v128.xor(less, v128.and(v, f32x4.splat(-0.0)))
  return v128.and(signed, f32x4.gt(m, knee))
}

/**
 * Adds to y the filtered error of clipping x in the frames [0, 8 groups), in those groups whose entry in `peaks` exceeds `knee`.
 * Above `knee` the magnitude bends to approach `limit`: knee + w * u / sqrt(1 + u * u) with w = limit - knee, u = (|v| - knee) / w.
 * The points a quarter and three quarters behind a frame are mirror images, as in peaks.ts. upTaps: for t = 0 .. 15 the three f32x4
 * a b of that pair and the half way point's. downTaps: 4 phases of 32 f32 with four zeros before and after each; tap k belongs to
 * frame n - 15 + k. errors: scratch for 16 f32. Readable x[-15] ... x[8 groups + 16], writable y[-15] ... y[8 groups + 16].
 */
export function addClipError(x: usize, y: usize, groups: i32, peaks: usize, knee: f32, limit: f32, upTaps: usize, downTaps: usize, errors: usize): void {
  // `peaks` follows the louder channel: if no sample of this one comes near the knee, no point between samples exceeds it.
  const quiet = f32x4.splat(<f32>0.5 * knee), knees = f32x4.splat(knee), width = f32x4.splat(limit - knee)
  for (let n = 0; n < 8 * groups; n += 4) {
    if (load<f32>(peaks + ((<usize>n >> 3) << 2)) <= knee) {
      n += 4
      continue
    }
    const at = x + (<usize>n << 2)
    const own = v128.load(at)
    if (!v128.any_true(f32x4.ge(f32x4.pmax(f32x4.abs(own), f32x4.abs(v128.load(at, 4))), quiet))) continue
    let a = f32x4.splat(0), b = f32x4.splat(0), half = f32x4.splat(0)
    let behind = at, ahead = at + 4
    const end = upTaps + 16 * 48
    for (let c = upTaps; c < end; c += 48) {
      const p = v128.load(behind), q = v128.load(ahead)
      const u = f32x4.add(p, q)
      a = f32x4.add(a, f32x4.mul(v128.load(c), u))
      b = f32x4.add(b, f32x4.mul(v128.load(c, 16), f32x4.sub(p, q)))
      half = f32x4.add(half, f32x4.mul(v128.load(c, 32), u))
      behind -= 4
      ahead += 4
    }
    const e0 = errorOf(own, knees, width)
    const e1 = errorOf(f32x4.add(a, b), knees, width)
    const e2 = errorOf(half, knees, width)
    const e3 = errorOf(f32x4.sub(a, b), knees, width)
    if (!v128.any_true(v128.or(v128.or(e0, e1), v128.or(e2, e3)))) continue
    v128.store(errors, e0)
    v128.store(errors, e1, 16)
    v128.store(errors, e2, 32)
    v128.store(errors, e3, 48)
    scatter(errors, y + (<usize>n << 2) - 60, downTaps)
  }
}
