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

/** The points half way between four frames and their next: phase 4 alone. */
// @ts-ignore: decorator
@inline function halfPoints(x: usize, taps: usize): v128 {
  let a = f32x4.splat(0), b = f32x4.splat(0)
  let behind = x, ahead = x + 4
  const end = taps + 16 * 112
  for (let c = taps; c < end; c += 224) {
    a = f32x4.add(a, f32x4.mul(v128.load(c, 96), f32x4.add(v128.load(behind), v128.load(ahead))))
    b = f32x4.add(b, f32x4.mul(v128.load(c, 208), f32x4.add(v128.load(behind - 4), v128.load(ahead, 4))))
    behind -= 8
    ahead += 8
  }
  return f32x4.abs(f32x4.add(a, b))
}

// Four frames at 16 points each, half of the mirrored pairs (phases j and 16 - j) per call. taps: for t = 0 .. 63 the eight f32x4 of this
// half: a b of four pairs, or a b of three pairs and the a of phase 8.
// @ts-ignore: decorator
@inline function fourDensePairs(x: usize, taps: usize): v128 {
  let a1 = f32x4.splat(0), b1 = f32x4.splat(0), a2 = f32x4.splat(0), b2 = f32x4.splat(0)
  let a3 = f32x4.splat(0), b3 = f32x4.splat(0), a4 = f32x4.splat(0), b4 = f32x4.splat(0)
  let behind = x, ahead = x + 4
  const end = taps + 64 * 128
  for (let c = taps; c < end; c += 128) {
    const p = v128.load(behind), q = v128.load(ahead)
    const u = f32x4.add(p, q), v = f32x4.sub(p, q)
    a1 = f32x4.add(a1, f32x4.mul(v128.load(c), u))
    b1 = f32x4.add(b1, f32x4.mul(v128.load(c, 16), v))
    a2 = f32x4.add(a2, f32x4.mul(v128.load(c, 32), u))
    b2 = f32x4.add(b2, f32x4.mul(v128.load(c, 48), v))
    a3 = f32x4.add(a3, f32x4.mul(v128.load(c, 64), u))
    b3 = f32x4.add(b3, f32x4.mul(v128.load(c, 80), v))
    a4 = f32x4.add(a4, f32x4.mul(v128.load(c, 96), u))
    b4 = f32x4.add(b4, f32x4.mul(v128.load(c, 112), v))
    behind -= 4
    ahead += 4
  }
  const first = f32x4.max(f32x4.add(f32x4.abs(a1), f32x4.abs(b1)), f32x4.add(f32x4.abs(a2), f32x4.abs(b2)))
  return f32x4.max(first, f32x4.max(f32x4.add(f32x4.abs(a3), f32x4.abs(b3)), f32x4.add(f32x4.abs(a4), f32x4.abs(b4))))
}

// @ts-ignore: decorator
@inline function denseGroup(x: usize, taps: usize): f32 {
  const first = f32x4.max(fourDensePairs(x, taps), fourDensePairs(x, taps + 8192))
  const second = f32x4.max(fourDensePairs(x + 16, taps), fourDensePairs(x + 16, taps + 8192))
  return largestLane(f32x4.max(first, second))
}

// Level of what lies within a sixteenth of the sampling rate of its half, around a group of 8 frames.
// @ts-ignore: decorator
@inline function topBandLevel(x: usize, window: usize): f32 {
  let sum = f32x4.splat(0)
  const p = x - 48
  for (let k: usize = 0; k < 128; k += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(window + k), v128.load(p + k)))
  return abs(f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3)))
}

/**
 * For each of `groups` groups of 8 frames stores at `peaks` the larger of what is there and the group's interpolated peak over
 * [first frame, last frame + 1). Readable samples: x[-16] ... x[8 groups + 15]. A group gets only a coarse peak when it cannot exceed
 * `floor`: because its samples and the 16 on either side stay below floor / bound, or because the samples and the points half way between
 * them stay below ratio * floor. Where the top of the band holds more than a 300th of the peak, 32 taps are too few and the 128 of
 * densePeak are used as well (readable then: x[-63] ... x[8 groups + 64]). topBand: 32 f32, denseTaps behind it as in densePeak.
 * `maxima`: scratch for groups + 4 f32. Returns the largest sample.
 */
export function peakGroups(x: usize, groups: i32, taps: usize, peaks: usize, maxima: usize, floor: f32, bound: f32, ratio: f32, topBand: usize): f32 {
  // maxima[g] belongs to group g - 2: two groups before and two after are looked at.
  for (let g = 0; g < groups + 4; g++) {
    const p = x + (<usize>g << 5) - 64
    store<f32>(maxima + (<usize>g << 2), largestLane(f32x4.max(f32x4.abs(v128.load(p)), f32x4.abs(v128.load(p, 16)))))
  }
  let largest: f32 = 0
  const coarse = ratio * floor
  for (let g = 0; g < groups; g++) {
    const at = maxima + (<usize>g << 2)
    const own = load<f32>(at, 8)
    largest = max(largest, own)
    const near = max(max(max(load<f32>(at), load<f32>(at, 4)), max(own, load<f32>(at, 12))), load<f32>(at, 16))
    let peak = own
    if (near * bound > floor) {
      const p = x + (<usize>g << 5)
      if (own <= coarse && abs(load<f32>(p, 32)) <= coarse) peak = max(own, largestLane(f32x4.max(halfPoints(p, taps), halfPoints(p + 16, taps))))
      if (peak > coarse || own > coarse || abs(load<f32>(p, 32)) > coarse) {
        peak = largestLane(f32x4.max(fourFrames(p, taps), fourFrames(p + 16, taps)))
        if (topBandLevel(p, topBand) * 300 > peak) peak = max(peak, denseGroup(p, topBand + 128))
      }
    }
    const out = peaks + (<usize>g << 2)
    store<f32>(out, max(load<f32>(out), peak))
  }
  return largest
}

/**
 * Returns the larger of `best` and the largest point of a grid of 16 points per frame with 128 taps per point in those groups whose entry in
 * `peaks` is at least `closer` times the largest found so far. Readable samples: x[-63] ... x[8 groups + 64].
 */
export function densePeak(x: usize, groups: i32, peaks: usize, best: f32, closer: f32, taps: usize): f32 {
  let highest = 0
  for (let g = 1; g < groups; g++) {
    if (load<f32>(peaks + (<usize>g << 2)) > load<f32>(peaks + (<usize>highest << 2))) highest = g
  }
  if (load<f32>(peaks + (<usize>highest << 2)) < best * closer) return best
  best = max(best, denseGroup(x + (<usize>highest << 5), taps))
  for (let g = 0; g < groups; g++) {
    if (g != highest && load<f32>(peaks + (<usize>g << 2)) >= best * closer) best = max(best, denseGroup(x + (<usize>g << 5), taps))
  }
  return best
}
