// Soft clipper at four points per frame. Only the error of the clipped points goes through the decimating filter and is added to
// the signal, so that frames far from a clipped point keep their bits.

// @ts-ignore: decorator
@inline function point(x: usize, taps: usize): f32 {
  let a = f32x4.splat(0), b = f32x4.splat(0)
  for (let k: usize = 0; k < 128; k += 32) {
    a = f32x4.add(a, f32x4.mul(v128.load(taps + k), v128.load(x + k)))
    b = f32x4.add(b, f32x4.mul(v128.load(taps + k, 16), v128.load(x + k, 16)))
  }
  a = f32x4.add(a, b)
  return f32x4.extract_lane(a, 0) + f32x4.extract_lane(a, 1) + (f32x4.extract_lane(a, 2) + f32x4.extract_lane(a, 3))
}

// @ts-ignore: decorator
@inline function scatter(error: f32, y: usize, taps: usize): void {
  const e = f32x4.splat(error)
  for (let k: usize = 0; k < 128; k += 16) v128.store(y + k, f32x4.add(v128.load(y + k), f32x4.mul(e, v128.load(taps + k))))
}

/**
 * Adds to y the filtered error of clipping x in the frames [0, frames). Above `knee` the magnitude bends to approach `limit`:
 * knee + w * u / sqrt(1 + u * u) with w = limit - knee, u = (|v| - knee) / w.
 * upTaps, downTaps: 4 phases of 32 f32; tap k of a phase belongs to frame n - 15 + k.
 * Readable x[-15] ... x[frames + 15], writable y[-15] ... y[frames + 15]. Returns the number of clipped points.
 */
export function addClipError(x: usize, y: usize, frames: i32, knee: f32, limit: f32, upTaps: usize, downTaps: usize): i32 {
  const width = limit - knee
  // A point between two samples hardly exceeds both by more than 4 dB; one that does is left to the limiter.
  const quiet: f32 = 0.6 * knee
  let clipped = 0
  for (let n = 0; n < frames; n++) {
    const at = x + (<usize>n << 2)
    if (abs(load<f32>(at)) < quiet && abs(load<f32>(at, 4)) < quiet) continue
    const p = x + (<usize>n << 2) - 60, q = y + (<usize>n << 2) - 60
    for (let phase: usize = 0; phase < 4; phase++) {
      const v = phase == 0 ? load<f32>(p, 60) : point(p, upTaps + phase * 128)
      const m = abs(v)
      if (m <= knee) continue
      const u = (m - knee) / width
      const bent = knee + width * (u / sqrt<f32>(1 + u * u))
      scatter((bent - m) * (v < 0 ? -1 : 1), q, downTaps + phase * 128)
      clipped++
    }
  }
  return clipped
}
