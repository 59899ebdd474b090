/**
 * Coefficient c of the one-pole smoother state += (1 − c)·(input − state) that covers 63 % of a step in `timeMs`; 0 for a time
 * of 0 (no smoothing). `stepHz` is how often the smoother runs.
 */
export function onePoleCoefficient(timeMs: number, stepHz: number): number {
  return timeMs > 0 ? Math.exp(-1000 / (timeMs * stepHz)) : 0
}

/** A detector that rises with the attack and falls with the release time. */
export interface EnvelopeFollower {
  /** The envelope after this input. */
  next(input: number): number
  reset(): void
}

/** Returns a one-pole follower with separate attack and release, starting at `initial`. */
export function createEnvelopeFollower(
  attackMs: number,
  releaseMs: number,
  stepHz: number,
  initial = 0,
): EnvelopeFollower {
  const attack = onePoleCoefficient(attackMs, stepHz)
  const release = onePoleCoefficient(releaseMs, stepHz)
  let state = initial
  return {
    next(input) {
      const c = input > state ? attack : release
      state = input + c * (state - input)
      return state
    },
    reset() {
      state = initial
    },
  }
}

/**
 * Minimum over the centred window values[i − before … i + after] for each i, the ends of the array cut the window
 * (monotonic queue: constant cost per value for any window). Writes into `out`, which must not be `values`.
 */
export function slidingMinimum(values: Float32Array, before: number, after: number, out: Float32Array): void {
  const queue = new Int32Array(values.length)
  let head = 0
  let tail = 0
  let next = 0
  for (let i = 0; i < values.length; i++) {
    for (; next < values.length && next <= i + after; next++) {
      while (tail > head && values[queue[tail - 1]!]! >= values[next]!) tail--
      queue[tail++] = next
    }
    while (queue[head]! < i - before) head++
    out[i] = values[queue[head]!]!
  }
}
