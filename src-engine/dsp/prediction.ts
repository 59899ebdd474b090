import { kernelFrames, kernelPlace } from './kernels/kernels.ts'
import { hannWindow } from './window.ts'

const windows = new Map<number, Float64Array>()

/** Hann window of a length. All are cached: gaps and their surroundings have only some hundred different lengths. */
function hann(length: number): Float64Array {
  let window = windows.get(length)
  if (window === undefined) {
    window = hannWindow(length)
    windows.set(length, window)
  }
  return window
}

const mostOrder = 64

const place = kernelPlace((kernels) => ({
  samples: kernels.allocate(kernelFrames * 4),
  window: kernels.allocate(kernelFrames * 8),
  lags: kernels.allocate((mostOrder + 1) * 8),
  scratch: kernels.allocate((kernelFrames + 2) * 8),
}))

/** Autocorrelation at lags 0 … order under a Hann window; the value at lag 0 is raised by 1e-9 to allow a predictor for pure tones. */
function windowedAutocorrelation(samples: Float32Array, order: number): Float64Array {
  const { kernels, ...at } = place()
  kernels.f32.set(samples, at.samples >> 2)
  kernels.f64.set(hann(samples.length), at.window >> 3)
  kernels.windowedLags(at.samples, at.window, samples.length, order, at.lags, at.scratch)
  const lags = kernels.f64.slice(at.lags >> 3, (at.lags >> 3) + order + 1)
  lags[0] = lags[0]! * (1 + 1e-9) + 1e-18
  return lags
}

/**
 * Returns the prediction-error filter a (a[0] = 1, residual e[n] = Σ a[k]·x[n − k]) of `order`, at most 64, over samples[start,
 * end), more than `order` and at most 4096: autocorrelation method, Levinson–Durbin recursion. Silence gives 1, 0, 0 …
 */
export function predictionErrorFilter(samples: Float32Array, start: number, end: number, order: number): Float64Array {
  const lags = windowedAutocorrelation(samples.subarray(start, end), order)
  const a = new Float64Array(order + 1)
  a[0] = 1
  let error = lags[0]!
  for (let i = 1; i <= order && error > 0; i++) {
    let sum = lags[i]!
    for (let k = 1; k < i; k++) sum += a[k]! * lags[i - k]!
    const reflection = -sum / error
    for (let k = 1; k <= i >> 1; k++) {
      const forward = a[k]!
      const backward = a[i - k]!
      a[k] = forward + reflection * backward
      a[i - k] = backward + reflection * forward
    }
    a[i] = reflection
    error *= 1 - reflection * reflection
  }
  return a
}

/**
 * Returns the samples [start, end) that minimise the prediction error over the gap and `order` samples after it, given all others:
 * least-squares interpolation after A. Janssen, R. Veldhuis, L. Vries, "Adaptive interpolation of discrete-time signals that can be modeled
 * as autoregressive processes", IEEE Trans. ASSP 34(2), 1986. Needs `order` samples on both sides.
 */
export function interpolateGap(samples: ArrayLike<number>, start: number, end: number, a: Float64Array): Float64Array {
  const order = a.length - 1
  const length = end - start
  const b = new Float64Array(order + 1)
  for (let lag = 0; lag <= order; lag++) {
    for (let k = 0; k + lag <= order; k++) b[lag]! += a[k]! * a[k + lag]!
  }
  const right = new Float64Array(length)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (let lag = 1; lag <= order; lag++) {
      if (i - lag < 0) sum += b[lag]! * samples[start + i - lag]!
      if (i + lag >= length) sum += b[lag]! * samples[start + i + lag]!
    }
    right[i] = -sum
  }
  return solveBandedToeplitz(b, right)
}

/** Solves T·x = y for the symmetric positive-definite Toeplitz matrix with the given lags (0 beyond them): banded Cholesky. */
function solveBandedToeplitz(lags: Float64Array, y: Float64Array): Float64Array {
  const n = y.length
  const width = Math.min(lags.length - 1, n - 1)
  const row = width + 1
  // lower[i·row + d] is the element (i, i − d) of the triangular factor.
  const lower = new Float64Array(n * row)
  for (let i = 0; i < n; i++) {
    for (let d = Math.min(width, i); d >= 0; d--) {
      const j = i - d
      let sum = lags[d]! * (d === 0 ? 1 + 1e-10 : 1)
      for (let k = Math.max(0, i - width, j - width); k < j; k++)
        sum -= lower[i * row + i - k]! * lower[j * row + j - k]!
      lower[i * row + d] = d === 0 ? Math.sqrt(Math.max(sum, 1e-20)) : sum / lower[j * row]!
    }
  }
  const x = Float64Array.from(y)
  for (let i = 0; i < n; i++) {
    for (let d = 1; d <= Math.min(width, i); d++) x[i]! -= lower[i * row + d]! * x[i - d]!
    x[i]! /= lower[i * row]!
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let d = 1; d <= Math.min(width, n - 1 - i); d++) x[i]! -= lower[(i + d) * row + d]! * x[i + d]!
    x[i]! /= lower[i * row]!
  }
  return x
}
