// Interpolated peaks: 8 points per frame, 32 taps per point, one channel. Phases j and 8 - j are mirror images, so with u = x[n -
// t] + x[n + 1 + t] and v = x[n - t] - x[n + 1 + t] each pair costs one filter: A = sum a u, B = sum b v, points A + B and A - B.
// Lanes are four consecutive frames. taps: for t = 0 .. 15 the seven f32 a1 b1 a2 b2 a3 b3 a4.

/** Bytes of a dense-grid point's taps: 128 to find a peak, 256 to read it and wherever the top of the band is strong. */
const CLOSE_BYTES: usize = 512
const DENSE_BYTES: usize = 1024
/** Offsets of the 15 points' taps of the two kinds behind the 32 of the top of the band. */
const CLOSE_TAPS: usize = 128
const DENSE_TAPS: usize = CLOSE_TAPS + 15 * CLOSE_BYTES

/** Offsets of the sums A1 B1 A2 B2 A3 B3 A4 of four frames, a vector each. */
const SUMS: usize = memory.data(7 * 16, 16)

// @ts-ignore: decorator
@inline function sumFourFrames(x: usize, taps: usize): void {
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
  v128.store(SUMS, a1); v128.store(SUMS, b1, 16); v128.store(SUMS, a2, 32); v128.store(SUMS, b2, 48)
  v128.store(SUMS, a3, 64); v128.store(SUMS, b3, 80); v128.store(SUMS, a4, 96)
}

// The largest point of each of four frames.
// @ts-ignore: decorator
@inline function fourFrames(x: usize, taps: usize): v128 {
  sumFourFrames(x, taps)
  // The larger of |A + B| and |A - B| is |A| + |B|.
  let peak = f32x4.pmax(f32x4.abs(v128.load(x)), f32x4.abs(v128.load(SUMS, 96)))
  for (let pair = SUMS; pair < SUMS + 96; pair += 32) {
    peak = f32x4.pmax(peak, f32x4.add(f32x4.abs(v128.load(pair)), f32x4.abs(v128.load(pair, 16))))
  }
  return peak
}

// pmax and `larger` replace max throughout: one instruction, while max, which respects NaN and the sign of zero, takes many.
// @ts-ignore: decorator
@inline function larger(a: f32, b: f32): f32 {
  return a > b ? a : b
}

// @ts-ignore: decorator
@inline function largestLane(v: v128): f32 {
  const pair = f32x4.pmax(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1))
  return larger(f32x4.extract_lane(pair, 0), f32x4.extract_lane(pair, 1))
}

// The largest lane of each of four vectors.
// @ts-ignore: decorator
@inline function largestLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.pmax(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7))
  const cd = f32x4.pmax(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7))
  return f32x4.pmax(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7))
}

/** Second difference at four frames. */
// @ts-ignore: decorator
@inline function bend(x: usize): v128 {
  const twice = f32x4.mul(v128.load(x), f32x4.splat(2))
  return f32x4.abs(f32x4.sub(f32x4.add(v128.load(x - 4), v128.load(x, 4)), twice))
}

// The largest second difference of a group of 8 frames is one of the lanes.
// @ts-ignore: decorator
@inline function bends(x: usize): v128 {
  return f32x4.pmax(bend(x), bend(x + 16))
}

// The largest sample of a group of 8 frames is one of the lanes.
// @ts-ignore: decorator
@inline function samples(x: usize): v128 {
  return f32x4.pmax(f32x4.abs(v128.load(x)), f32x4.abs(v128.load(x, 16)))
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

// One frame at the 15 points between it and the next. taps: for each point 256 f32, the first for x[-127].
// @ts-ignore: decorator
@inline function denseFrame(x: usize, taps: usize): f32 {
  let peak: f32 = 0
  const end = taps + 15 * DENSE_BYTES
  for (let c = taps; c < end; c += 5 * DENSE_BYTES) {
    let a = f32x4.splat(0), b = f32x4.splat(0), d = f32x4.splat(0), e = f32x4.splat(0), f = f32x4.splat(0)
    for (let k: usize = 0; k < DENSE_BYTES; k += 16) {
      const v = v128.load(x - 508 + k)
      const t = c + k
      a = f32x4.add(a, f32x4.mul(v128.load(t), v))
      b = f32x4.add(b, f32x4.mul(v128.load(t, DENSE_BYTES), v))
      d = f32x4.add(d, f32x4.mul(v128.load(t, 2 * DENSE_BYTES), v))
      e = f32x4.add(e, f32x4.mul(v128.load(t, 3 * DENSE_BYTES), v))
      f = f32x4.add(f, f32x4.mul(v128.load(t, 4 * DENSE_BYTES), v))
    }
    peak = larger(peak, larger(larger(abs(laneSum(a)), abs(laneSum(b))), larger(larger(abs(laneSum(d)), abs(laneSum(e))), abs(laneSum(f)))))
  }
  return peak
}

// @ts-ignore: decorator
@inline function laneSum(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1) + (f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3))
}

/** Offsets of the taps of the points a quarter, a half and three quarters behind a frame. */
const QUARTER: usize = 3 * DENSE_BYTES
const HALF: usize = 7 * DENSE_BYTES
const LATE: usize = 11 * DENSE_BYTES

/** The largest of these three points, read as denseFrame reads them. */
// @ts-ignore: decorator
@inline function quarterPoints(x: usize, taps: usize): f32 {
  let a = f32x4.splat(0), b = f32x4.splat(0), d = f32x4.splat(0)
  for (let k: usize = 0; k < DENSE_BYTES; k += 16) {
    const v = v128.load(x - 508 + k)
    const t = taps + k
    a = f32x4.add(a, f32x4.mul(v128.load(t, QUARTER), v))
    b = f32x4.add(b, f32x4.mul(v128.load(t, HALF), v))
    d = f32x4.add(d, f32x4.mul(v128.load(t, LATE), v))
  }
  return larger(abs(laneSum(a)), larger(abs(laneSum(b)), abs(laneSum(d))))
}

/** The largest quarter point of each of the eight frames of a group. */
const QUARTERS: usize = memory.data(8 * 4, 16)

/**
 * Rise of a signal above the higher of two points a quarter of a frame apart, against the largest value nearby: half of the second
 * derivative, at most pi^2, times the square of an eighth. Doubled, since between the samples nearby it may be larger than they are.
 */
const QUARTER_RISE: f32 = 0.1543

/** The largest sample within 32 frames of a group of 8. */
// @ts-ignore: decorator
@inline function nearbySamples(x: usize): f32 {
  let most = f32x4.splat(0)
  for (let k: usize = 0; k < 288; k += 16) most = f32x4.pmax(most, f32x4.abs(v128.load(x - 128 + k)))
  return largestLane(most)
}

/** The dense peak of a group of 8 frames. Only frames whose quarter points come near it are read at all points. */
function denseGroup(x: usize, taps: usize): f32 {
  let peak = largestLane(samples(x))
  for (let i: usize = 0; i < 32; i += 4) {
    const points = quarterPoints(x + i, taps)
    store<f32>(QUARTERS + i, points)
    peak = larger(peak, points)
  }
  const bound = peak - QUARTER_RISE * larger(peak, nearbySamples(x))
  for (let i: usize = 0; i < 32; i += 4) {
    const near = larger(load<f32>(QUARTERS + i), larger(abs(load<f32>(x + i)), abs(load<f32>(x + i, 4))))
    if (near >= bound) peak = larger(peak, denseFrame(x + i, taps))
  }
  return peak
}

// Level within a sixteenth of the sampling rate below its half, around the frame at `x`. It beats, so it may be 0 at single places.
// @ts-ignore: decorator
@inline function topOfBand(x: usize, window: usize): f32 {
  let sum = f32x4.splat(0)
  const p = x - 64
  for (let k: usize = 0; k < 128; k += 16) sum = f32x4.add(sum, f32x4.mul(v128.load(window + k), v128.load(p + k)))
  return abs(laneSum(sum))
}

// True if the top of the band, read at the start, the middle and the end of a group of 8 frames, exceeds a 300th of `peak`.
// @ts-ignore: decorator
@inline function isTopHeavy(x: usize, window: usize, peak: f32): bool {
  return topOfBand(x, window) * 300 > peak || topOfBand(x + 16, window) * 300 > peak || topOfBand(x + 32, window) * 300 > peak
}

/**
 * For each of `groups` groups of 8 frames stores at `peaks` the larger of the value there and the group's interpolated peak over [first
 * frame, last frame + 1). Readable samples: x[-17] ... x[8 groups + 48]. A group gets only its largest sample when it cannot exceed
 * `floor`: because between two frames a signal rises above both by less than 0.4 times the largest second difference around (an eighth of
 * the second derivative, which is at most 2.47 times as large; the rest is caution), or because the samples and the points half way between
 * them stay below ratio * floor. If the top of the band exceeds a 300th of the peak, 32 taps are too few and 256 are used as well (readable
 * then: x[-127] ... x[8 groups + 128]). topBand: 32 f32; behind it for each of the 15 points of the dense grid 128 f32, then for each of
 * them 256. `scratch`: 2 * groups + 12 f32. Up to three more entries than `groups` are written at `peaks`. Returns the largest sample.
 */
export function peakGroups(x: usize, groups: i32, taps: usize, peaks: usize, scratch: usize, floor: f32, ratio: f32, topBand: usize): f32 {
  // The bend at g belongs to group g - 2: the window spans two groups before and two after.
  const bent = scratch, own = scratch + (<usize>(groups + 8) << 2)
  for (let g = 0; g < groups + 5; g += 4) {
    const p = x + (<usize>g << 5) - 64
    v128.store(bent + (<usize>g << 2), largestLanes(bends(p), bends(p + 32), bends(p + 64), bends(p + 96)))
  }
  for (let g = 0; g < groups + 1; g += 4) {
    const p = x + (<usize>g << 5)
    v128.store(own + (<usize>g << 2), largestLanes(samples(p), samples(p + 32), samples(p + 64), samples(p + 96)))
  }
  const floors = f32x4.splat(floor), caution = f32x4.splat(0.4)
  let largest = f32x4.splat(0)
  for (let g = 0; g < groups; g += 4) {
    const at = bent + (<usize>g << 2), out = peaks + (<usize>g << 2)
    const here = v128.load(own + (<usize>g << 2)), next = v128.load(own + (<usize>g << 2), 4)
    largest = f32x4.pmax(largest, here)
    const near = f32x4.pmax(f32x4.pmax(v128.load(at), v128.load(at, 4)), f32x4.pmax(v128.load(at, 8), v128.load(at, 12)))
    const most = f32x4.mul(caution, f32x4.pmax(near, v128.load(at, 16)))
    let hot = i32x4.bitmask(f32x4.gt(f32x4.add(f32x4.pmax(here, next), most), floors))
    v128.store(out, f32x4.pmax(v128.load(out), here))
    for (let k = g; hot != 0; k++, hot >>= 1) {
      if (!(hot & 1) || k >= groups) continue
      const to = peaks + (<usize>k << 2)
      const peak = interpolatedPeak(x + (<usize>k << 5), taps, load<f32>(own + (<usize>k << 2)), ratio * floor, topBand)
      store<f32>(to, larger(load<f32>(to), peak))
    }
  }
  return largestLane(largest)
}

/** The interpolated peak of a group; only its largest `sample` if that and the half-way points stay below `coarse`. */
function interpolatedPeak(x: usize, taps: usize, sample: f32, coarse: f32, topBand: usize): f32 {
  if (sample <= coarse && abs(load<f32>(x, 32)) <= coarse) {
    const half = larger(sample, largestLane(f32x4.pmax(halfPoints(x, taps), halfPoints(x + 16, taps))))
    if (half <= coarse) return half
  }
  const peak = largestLane(f32x4.pmax(fourFrames(x, taps), fourFrames(x + 16, taps)))
  return isTopHeavy(x, topBand, peak) ? larger(peak, denseGroup(x, topBand + DENSE_TAPS)) : peak
}

/** One of the 15 points between two frames. taps: `bytes` / 4 f32, half of them for x[1] and later frames. */
// @ts-ignore: decorator
@inline function point(x: usize, taps: usize, bytes: usize): f32 {
  const first = x + 4 - (bytes >> 1)
  let a = f32x4.splat(0), b = f32x4.splat(0)
  for (let k: usize = 0; k < bytes; k += 32) {
    a = f32x4.add(a, f32x4.mul(v128.load(taps + k), v128.load(first + k)))
    b = f32x4.add(b, f32x4.mul(v128.load(taps + k, 16), v128.load(first + k, 16)))
  }
  return abs(laneSum(f32x4.add(a, b)))
}

/** Point m of a frame, with 256 taps if 128 show that it may exceed `best`; 128 taps are at most 0.5 per cent off. */
// @ts-ignore: decorator
@inline function closePoint(x: usize, topBand: usize, m: usize, best: f32): f32 {
  const close = point(x, topBand + CLOSE_TAPS + (m - 1) * CLOSE_BYTES, CLOSE_BYTES)
  return close > best * 0.995 ? point(x, topBand + DENSE_TAPS + (m - 1) * DENSE_BYTES, DENSE_BYTES) : close
}

/**
 * The dense peak of those of four frames where the detector's points come up to `floor`. All of a frame's points, since the detector's crest
 * may lie elsewhere: a sound close to half the rate that is silent around the group goes unseen by it and by `isTopHeavy`.
 */
function closeFrames(x: usize, taps: usize, topBand: usize, best: f32, floor: f32): f32 {
  const near = i32x4.bitmask(f32x4.ge(f32x4.pmax(fourFrames(x, taps), f32x4.abs(v128.load(x, 4))), f32x4.splat(floor)))
  let peak: f32 = 0
  for (let frame: usize = 0; frame < 4; frame++) {
    if (!(near & (1 << <i32>frame))) continue
    for (let m = 1; m < 16; m++) peak = larger(peak, closePoint(x + (frame << 2), topBand, m, best))
  }
  return peak
}

/** The dense peak of a group of 8 frames, as far as it can exceed `floor`. */
function closePeak(x: usize, taps: usize, topBand: usize, best: f32, floor: f32): f32 {
  const near = fourFrames(x, taps), far = fourFrames(x + 16, taps)
  if (isTopHeavy(x, topBand, largestLane(f32x4.pmax(near, far)))) return denseGroup(x, topBand + DENSE_TAPS)
  let peak = largestLane(samples(x))
  if (largestLane(near) >= floor) peak = larger(peak, closeFrames(x, taps, topBand, best, floor))
  if (largestLane(far) >= floor) peak = larger(peak, closeFrames(x + 16, taps, topBand, best, floor))
  return peak
}

/**
 * Returns the larger of `best` and the largest point of a grid of 16 points per frame with 128 taps per point and 256 near the largest. The
 * search covers the frames where the detector's points come up to `closer` times the largest so far, or the whole group, with 256 taps, if
 * the top of the band makes the detector doubtful. taps and topBand as in peakGroups. Readable samples: x[-127] ... x[8 groups +
 * 128].
 */
export function densePeak(x: usize, groups: i32, taps: usize, peaks: usize, best: f32, closer: f32, topBand: usize): f32 {
  let highest = 0
  for (let g = 1; g < groups; g++) {
    if (load<f32>(peaks + (<usize>g << 2)) > load<f32>(peaks + (<usize>highest << 2))) highest = g
  }
  // The highest group first: it rules out most others.
  for (let g = highest, next = 0; g < groups; g = next++) {
    if (load<f32>(peaks + (<usize>g << 2)) < best * closer) continue
    best = larger(best, closePeak(x + (<usize>g << 5), taps, topBand, best, best * closer))
  }
  return best
}
