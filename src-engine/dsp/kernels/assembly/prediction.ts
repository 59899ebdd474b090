// Autocorrelation for linear prediction.

/**
 * Writes the sums of y[i] · y[i - lag] for the lags 0 ... order, f64 each, where y is the f32 `samples` under the f64 `window`,
 * `length` of both; order is less than length. scratch: length + 2 f64.
 */
export function windowedLags(samples: usize, window: usize, length: i32, order: i32, lags: usize, scratch: usize): void {
  const end = <usize>length << 3
  for (let i: usize = 0; i < end; i += 8) {
    store<f64>(scratch + i, load<f64>(window + i) * <f64>load<f32>(samples + (i >> 1)))
  }
  // Beyond the end lies silence: pairs may reach over it.
  store<f64>(scratch + end, 0)
  store<f64>(scratch + end, 0, 8)
  for (let lag: usize = 0; lag <= <usize>order; lag++) {
    const ahead = scratch + (lag << 3)
    let a = f64x2.splat(0), b = f64x2.splat(0)
    const stop = end - (lag << 3)
    let i: usize = 0
    for (; i + 32 <= stop; i += 32) {
      a = f64x2.add(a, f64x2.mul(v128.load(scratch + i), v128.load(ahead + i)))
      b = f64x2.add(b, f64x2.mul(v128.load(scratch + i, 16), v128.load(ahead + i, 16)))
    }
    for (; i < stop; i += 16) a = f64x2.add(a, f64x2.mul(v128.load(scratch + i), v128.load(ahead + i)))
    a = f64x2.add(a, b)
    store<f64>(lags + (lag << 3), f64x2.extract_lane(a, 0) + f64x2.extract_lane(a, 1))
  }
}
