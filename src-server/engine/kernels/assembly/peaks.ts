// Interpolated peaks: 8 points per frame, 32 taps per point, one channel. Phases j and 8 - j are mirror images, so with
// u = x[n - t] + x[n + 1 + t] and v = x[n - t] - x[n + 1 + t] each pair costs one filter: A = sum a u, B = sum b v, points A + B and A - B.
// Lanes are four consecutive frames. taps: for t = 0 .. 15 the seven f32 a1 b1 a2 b2 a3 b3 a4.

// @ts-ignore: decorator
@inline function fourFrames(x: usize, taps: usize): v128 {
  let a1 = f32x4.splat(0), b1 = f32x4.splat(0), a2 = f32x4.splat(0), b2 = f32x4.splat(0), a3 = f32x4.splat(0), b3 = f32x4.splat(0), a4 = f32x4.splat(0)
  let behind = x, ahead = x + 4
  const end = taps + 16 * 112
  for (let c = taps; c < end; c += 112) {
    const p = v128.load(behind), q = v128.load(ahead)
    const u = f32x4.add(p, q), v = f32x4.sub(p, q)
    a1 = f32x4.add(a1, f32x4.mul(v128.load(c), u))
    b1 = f32x4.add(b1, f32x4.mul(v128.load(c, 16), v))
    a2 = f32x4.add(a2, f32x4.mul(v128.load(c, 32), u))
    b2 = f32x4.add(b2, f32x4.mul(v128.load(c, 48), v))
    a3 = f32x4.add(a3, f32x4.mul(v128.load(c, 64), u))
    b3 = f32x4.add(b3, f32x4.mul(v128.load(c, 80), v))
    a4 = f32x4.add(a4, f32x4.mul(v128.load(c, 96), u))
    behind -= 4
    ahead += 4
  }
  // |A + B| and |A - B| together are at most |A| + |B|, and reach it.
  let peak = f32x4.max(f32x4.abs(v128.load(x)), f32x4.abs(a4))
  peak = f32x4.max(peak, f32x4.add(f32x4.abs(a1), f32x4.abs(b1)))
  peak = f32x4.max(peak, f32x4.add(f32x4.abs(a2), f32x4.abs(b2)))
  return f32x4.max(peak, f32x4.add(f32x4.abs(a3), f32x4.abs(b3)))
}

// @ts-ignore: decorator
@inline function largestLane(v: v128): f32 {
  return max(max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)), max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)))
}

/**
 * For each of `groups` groups of 8 frames stores at `peaks` the larger of what is there and the group's interpolated peak over
 * [first frame, last frame + 1). Readable samples: x[-16] ... x[8 groups + 15]. A group whose peak cannot exceed `floor` (its samples and the
 * 16 on either side are all below floor / bound) gets only its sample peak. `maxima`: scratch for groups + 4 f32.
 */
export function peakGroups(x: usize, groups: i32, taps: usize, peaks: usize, maxima: usize, floor: f32, bound: f32): void {
  // maxima[g] belongs to group g - 2: two groups before and two after are looked at.
  for (let g = 0; g < groups + 4; g++) {
    const p = x + (<usize>g << 5) - 64
    store<f32>(maxima + (<usize>g << 2), largestLane(f32x4.max(f32x4.abs(v128.load(p)), f32x4.abs(v128.load(p, 16)))))
  }
  for (let g = 0; g < groups; g++) {
    const at = maxima + (<usize>g << 2)
    const own = load<f32>(at, 8)
    const near = max(max(max(load<f32>(at), load<f32>(at, 4)), max(own, load<f32>(at, 12))), load<f32>(at, 16))
    let peak = own
    if (near * bound > floor) {
      const p = x + (<usize>g << 5)
      peak = largestLane(f32x4.max(fourFrames(p, taps), fourFrames(p + 16, taps)))
    }
    const out = peaks + (<usize>g << 2)
    store<f32>(out, max(load<f32>(out), peak))
  }
}

/**
 * Returns the largest |interpolated point| in [x[0], x[frames]) on a grid of 16 points per frame with 128 taps per point.
 * taps: for k = -63 .. 64 the sixteen f32 of the phases 0 .. 15. Readable samples: x[-63] ... x[frames + 63].
 */
export function densePeak(x: usize, frames: i32, taps: usize): f32 {
  let peak = f32x4.splat(0)
  for (let n = 0; n < frames; n++) {
    let a = f32x4.splat(0), b = f32x4.splat(0), d = f32x4.splat(0), e = f32x4.splat(0)
    let p = x + (<usize>n << 2) - 252
    for (let c = taps; c < taps + 128 * 64; c += 64) {
      const v = v128.load32_splat(p)
      a = f32x4.add(a, f32x4.mul(v128.load(c), v))
      b = f32x4.add(b, f32x4.mul(v128.load(c, 16), v))
      d = f32x4.add(d, f32x4.mul(v128.load(c, 32), v))
      e = f32x4.add(e, f32x4.mul(v128.load(c, 48), v))
      p += 4
    }
    peak = f32x4.max(peak, f32x4.max(f32x4.max(f32x4.abs(a), f32x4.abs(b)), f32x4.max(f32x4.abs(d), f32x4.abs(e))))
  }
  return largestLane(peak)
}
