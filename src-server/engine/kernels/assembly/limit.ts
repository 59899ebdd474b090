// Gain reduction of a look-ahead limiter, one value per group of eight frames. A run is one sequence of calls over the peaks of a signal.
// state (all f64 unless said): 0 slow, 8 fast, 16 sum of the first box, 24 sum of the second; i32: 32 time, 36 head, 40 tail, 44 quiet;
// from 64: rings of 1024 entries each: f32 values and i32 times of the maximum's queue, f64 first box, f64 second box.

const MASK: usize = 1023
const VALUES: usize = 64
const TIMES: usize = VALUES + 4096
const FIRST: usize = TIMES + 4096
const SECOND: usize = FIRST + 8192

/** Bytes of a run's state; all zero at its start. */
export function limiterStateBytes(): i32 { return <i32>(SECOND + 8192) }

/**
 * For each of `count` peaks writes the control gain that belongs to the group `delay` = 2 half + 1 groups earlier:
 * reduction 1 - threshold / peak, its maximum over the 2 half + 4 groups around, held by the two releases (coefficients of one-pole
 * smoothers; 0 switches one off), averaged by two boxes of w1 and 2 half + 2 - w1 groups. The result never exceeds threshold / peak for
 * any group whose gain it takes part in.
 */
export function limitGroups(peaks: usize, count: i32, controls: usize, threshold: f32, half: i32, w1: i32, fastDecay: f64, slowRise: f64, slowFall: f64, state: usize): void {
  let slow = load<f64>(state), fast = load<f64>(state, 8), sum1 = load<f64>(state, 16), sum2 = load<f64>(state, 24)
  let time = load<i32>(state, 32), head = load<i32>(state, 36), tail = load<i32>(state, 40), quiet = load<i32>(state, 44)
  const window = 2 * half + 4, w2 = 2 * half + 2 - w1
  const n1: f64 = 1.0 / <f64>w1, n2: f64 = 1.0 / <f64>w2
  const hasSlow = slowRise > 0
  const memoryGroups = 3 * window
  for (let i = 0; i < count; i++) {
    const p = load<f32>(peaks + (<usize>i << 2))
    const over = p > threshold
    if (!over && quiet >= memoryGroups) {
      store<f32>(controls + (<usize>i << 2), 1)
      time++
      continue
    }
    if (quiet >= memoryGroups) {
      // Waking up: nothing of the past is left, so the rings may start anywhere.
      memory.fill(state + FIRST, 0, 16384)
      head = tail = 0
      sum1 = sum2 = slow = fast = 0
    }
    const u: f32 = over ? <f32>1 - threshold / p : <f32>0
    while (tail > head && load<f32>(state + VALUES + ((<usize>(tail - 1) & MASK) << 2)) <= u) tail--
    store<f32>(state + VALUES + ((<usize>tail & MASK) << 2), u)
    store<i32>(state + TIMES + ((<usize>tail & MASK) << 2), time)
    tail++
    while (load<i32>(state + TIMES + ((<usize>head & MASK) << 2)) <= time - window) head++
    const held = <f64>load<f32>(state + VALUES + ((<usize>head & MASK) << 2))
    if (hasSlow) {
      slow = held + (held > slow ? slowRise : slowFall) * (slow - held)
      if (slow < 1e-7) slow = 0
    }
    fast *= fastDecay
    if (held - slow > fast) fast = held - slow
    if (fast < 1e-7) fast = 0
    const released = slow + fast
    const reduction = held > released ? held : released
    const r1 = state + FIRST, r2 = state + SECOND
    sum1 += reduction - load<f64>(r1 + ((<usize>(time - w1) & MASK) << 3))
    store<f64>(r1 + ((<usize>time & MASK) << 3), reduction)
    const mean = sum1 * n1
    sum2 += mean - load<f64>(r2 + ((<usize>(time - w2) & MASK) << 3))
    store<f64>(r2 + ((<usize>time & MASK) << 3), mean)
    const smooth = sum2 * n2
    store<f32>(controls + (<usize>i << 2), <f32>(smooth > 0 ? 1.0 - smooth : 1.0))
    quiet = reduction > 0 ? 0 : quiet + 1
    time++
  }
  store<f64>(state, slow); store<f64>(state, fast, 8); store<f64>(state, sum1, 16); store<f64>(state, sum2, 24)
  store<i32>(state, time, 32); store<i32>(state, head, 36); store<i32>(state, tail, 40); store<i32>(state, quiet, 44)
}

/**
 * Sum over groups of energy times the squared gain in the group's middle (a B-spline of the controls, the first belonging to the
 * group before); `count` groups.
 */
export function limitedEnergy(energies: usize, controls: usize, count: i32): f64 {
  let sum: f64 = 0
  for (let i: usize = 0; i < <usize>count; i++) {
    const c = controls + (i << 2)
    const gain = (<f64>load<f32>(c) + <f64>load<f32>(c, 12)) * (1.0 / 48.0) + (<f64>load<f32>(c, 4) + <f64>load<f32>(c, 8)) * (23.0 / 48.0)
    sum += <f64>load<f32>(energies + (i << 2)) * gain * gain
  }
  return sum
}
