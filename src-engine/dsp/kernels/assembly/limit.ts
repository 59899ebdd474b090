// Gain reduction of a look-ahead limiter, one value per group of eight frames. A run is one sequence of calls over the peaks of a signal,
// worked through in blocks. state: f64 slow, fast, sum of the first box, sum of the second; i32 groups since the last reduction, whether
// awake; then four lines, each a history with a block behind it: f32 reductions wanted, f32 their running maxima, f64 reductions, f64 means
// of the first box.

const BLOCK: usize = 512
/** The longest history: the maximum reaches over at most 1004 groups. */
const HISTORY: usize = 1024
/** Entries of a line; the last vectors read and write four more. */
const LINE: usize = HISTORY + BLOCK + 4
const WANTED: usize = 48
const HELD: usize = WANTED + LINE * 4
const REDUCTIONS: usize = HELD + LINE * 4
const MEANS: usize = REDUCTIONS + LINE * 8

/** Bytes of a run's state; all zero at its start. */
export function limiterStateBytes(): i32 { return <i32>(MEANS + LINE * 8) }

/**
 * For each of `count` peaks writes the control gain that belongs to the group `delay` = 2 half + 1 groups earlier: reduction 1 - threshold
 * / peak, its maximum over the 2 half + 4 groups around, held by the two releases (coefficients of one-pole smoothers; 0 switches one off),
 * averaged by two boxes of w1 and 2 half + 2 - w1 groups. The result never exceeds threshold / peak of any group that it affects. Readable:
 * three peaks more than `count`.
 */
export function limitGroups(peaks: usize, count: i32, controls: usize, threshold: f32, half: i32, w1: i32, fastDecay: f64, slowRise: f64, slowFall: f64, state: usize): void {
  const window = <usize>(2 * half + 4), memoryGroups = 3 * <i32>window
  for (let done: usize = 0; done < <usize>count; done += BLOCK) {
    const n = min(BLOCK, <usize>count - done)
    const out = controls + (done << 2)
    const isOver = wanted(peaks + (done << 2), n, threshold, state + WANTED + ((window - 1) << 2))
    if (!isOver && load<i32>(state, 36) == 0) {
      for (let i: usize = 0; i < n; i++) store<f32>(out + (i << 2), 1)
      continue
    }
    hold(state, n, window)
    const idle = release(state, n, <usize>w1, fastDecay, slowRise, slowFall)
    average(state, n, <usize>w1, <usize>(2 * half + 2 - w1), out)
    shift(state + WANTED, n, window - 1, 2)
    shift(state + REDUCTIONS, n, <usize>w1, 3)
    shift(state + MEANS, n, <usize>(2 * half + 2 - w1), 3)
    store<i32>(state, idle, 32)
    store<i32>(state, 1, 36)
    // The history is all zeros: clear the rounding residue of the sums as well.
    if (idle >= memoryGroups) memory.fill(state, 0, MEANS + LINE * 8)
  }
}

/** Stores the reduction that each peak needs; returns true if any is not zero. */
// @ts-ignore: decorator
@inline function wanted(peaks: usize, n: usize, threshold: f32, to: usize): bool {
  const limit = f32x4.splat(threshold), one = f32x4.splat(1), none = f32x4.splat(0)
  let any = none
  for (let i: usize = 0; i < n; i += 4) {
    const reduction = f32x4.pmax(none, f32x4.sub(one, f32x4.div(limit, v128.load(peaks + (i << 2)))))
    v128.store(to + (i << 2), reduction)
    any = v128.or(any, reduction)
  }
  return v128.any_true(any)
}

/** Leaves at HELD the maximum of each of n windows: of one entry, two, four ..., then of two overlapping stretches. */
// @ts-ignore: decorator
@inline function hold(state: usize, n: usize, window: usize): void {
  const line = state + HELD
  memory.copy(line, state + WANTED, (window - 1 + n) << 2)
  let width: usize = 1, twice: usize = 2
  for (; twice <= window; width = twice, twice += twice) raise(line, n + window - twice, width)
  raise(line, n, window - width)
}

/** Raises each of n entries to the entry `ahead` of it if larger. */
// @ts-ignore: decorator
@inline function raise(line: usize, n: usize, ahead: usize): void {
  const end = line + (n << 2), far = ahead << 2
  for (let p = line; p < end; p += 16) v128.store(p, f32x4.pmax(v128.load(p), v128.load(p + far)))
}

/** Stores the reductions behind the history of the first box; returns the groups since the last that is not zero. */
// @ts-ignore: decorator
@inline function release(state: usize, n: usize, w1: usize, fastDecay: f64, slowRise: f64, slowFall: f64): i32 {
  const to = state + REDUCTIONS + (w1 << 3)
  if (slowRise == 0 && fastDecay == 0) return takeOver(state, n, to)
  let slow = load<f64>(state), fast = load<f64>(state, 8), idle = load<i32>(state, 32)
  for (let i: usize = 0; i < n; i++) {
    const held = <f64>load<f32>(state + HELD + (i << 2))
    if (slowRise > 0) {
      slow = held + (held > slow ? slowRise : slowFall) * (slow - held)
      if (slow < 1e-7) slow = 0
    }
    fast *= fastDecay
    if (held - slow > fast) fast = held - slow
    if (fast < 1e-7) fast = 0
    const released = slow + fast
    const reduction = held > released ? held : released
    store<f64>(to + (i << 3), reduction)
    idle = reduction > 0 ? 0 : idle + 1
  }
  store<f64>(state, slow); store<f64>(state, fast, 8)
  return idle
}

/** Stores the reductions without releases; returns the groups since the last that is not zero. */
// @ts-ignore: decorator
@inline function takeOver(state: usize, n: usize, to: usize): i32 {
  const held = state + HELD
  for (let i: usize = 0; i < n; i += 4) {
    const v = v128.load(held + (i << 2))
    v128.store(to + (i << 3), f64x2.promote_low_f32x4(v))
    v128.store(to + (i << 3), f64x2.promote_low_f32x4(v128.shuffle<f32>(v, v, 2, 3, 2, 3)), 16)
  }
  for (let last = n; last > 0; last--) if (load<f32>(held + ((last - 1) << 2)) > 0) return <i32>(n - last)
  return load<i32>(state, 32) + <i32>n
}

/** Averages the reductions twice, by running sums, and writes the gains. */
// @ts-ignore: decorator
@inline function average(state: usize, n: usize, w1: usize, w2: usize, out: usize): void {
  const reductions = state + REDUCTIONS, means = state + MEANS
  const n1 = 1.0 / <f64>w1, n2 = 1.0 / <f64>w2
  let sum1 = load<f64>(state, 16), sum2 = load<f64>(state, 24)
  for (let i: usize = 0; i < n; i++) {
    const at = i << 3
    sum1 += load<f64>(reductions + (w1 << 3) + at) - load<f64>(reductions + at)
    const mean = sum1 * n1
    store<f64>(means + (w2 << 3) + at, mean)
    sum2 += mean - load<f64>(means + at)
    const smooth = sum2 * n2
    store<f32>(out + (i << 2), <f32>(smooth > 0 ? 1.0 - smooth : 1.0))
  }
  store<f64>(state, sum1, 16); store<f64>(state, sum2, 24)
}

/** Moves the newest `history` entries, each of 1 << size bytes, to the front of a line with n new ones. */
// @ts-ignore: decorator
@inline function shift(line: usize, n: usize, history: usize, size: usize): void {
  memory.copy(line, line + (n << size), history << size)
}

/**
 * Sum over groups of energy times the squared gain in the group's middle (a B-spline of the controls, the first belonging to the
 * group before); `count` groups. Readable: up to three entries more than count and count + 3.
 */
export function limitedEnergy(energies: usize, controls: usize, count: i32): f64 {
  const outer = f32x4.splat(1.0 / 48.0), inner = f32x4.splat(23.0 / 48.0)
  let sum = f64x2.splat(0), i = 0
  for (; i + 4 <= count; i += 4) {
    const energy = limitedEnergies(energies + (<usize>i << 2), controls + (<usize>i << 2), outer, inner)
    sum = f64x2.add(sum, f64x2.add(f64x2.promote_low_f32x4(energy), f64x2.promote_low_f32x4(v128.shuffle<f32>(energy, energy, 2, 3, 2, 3))))
  }
  let total = f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1)
  if (i < count) {
    const energy = limitedEnergies(energies + (<usize>i << 2), controls + (<usize>i << 2), outer, inner)
    total += <f64>f32x4.extract_lane(energy, 0)
    if (i + 1 < count) total += <f64>f32x4.extract_lane(energy, 1)
    if (i + 2 < count) total += <f64>f32x4.extract_lane(energy, 2)
  }
  return total
}

/** The energies of four groups after limiting. */
// @ts-ignore: decorator
@inline function limitedEnergies(energies: usize, controls: usize, outer: v128, inner: v128): v128 {
  const far = f32x4.add(v128.load(controls), v128.load(controls, 12)), near = f32x4.add(v128.load(controls, 4), v128.load(controls, 8))
  const gain = f32x4.add(f32x4.mul(far, outer), f32x4.mul(near, inner))
  return f32x4.mul(v128.load(energies), f32x4.mul(gain, gain))
}
