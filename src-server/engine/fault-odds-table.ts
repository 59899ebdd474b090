/**
 * Made by bench/fault-odds.ts from 74 pieces of music and their damaged copies (docs/engine.md, section 4); do not edit. One row per fault: a constant, then a
 * factor for each number of `faultFeatures`, as natural logarithms against a piece without faults.
 */
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: fitted numbers
// biome-ignore format: one row per fault
export const faultOddsTable: readonly (readonly number[])[] = [
  // mud
  [-1.322, 0.959, -0.367, 0.199, -0.170, -0.059, 0.334, -0.200, 0.254, 18.815, -5.181, 1.091, 1.327, -2.259],
  // harshness
  [-1.050, 0.263, 2.039, 0.091, 0.926, -0.124, -0.153, -0.006, -0.173, -2.891, 8.174, 0.834, 3.465, 0.398],
  // dullness
  [-0.885, 0.147, -0.087, 0.421, -0.489, -0.043, -0.047, -0.062, 0.079, -0.555, -0.580, 5.547, -1.767, 0.169],
  // narrowed
  [-1.717, 0.121, -0.633, 0.485, -2.972, 0.071, -0.182, -0.167, 0.596, 1.882, 1.366, -3.403, 11.959, 2.509],
  // widened
  [-2.584, 0.206, 0.406, -0.173, 3.625, 0.023, 0.217, 0.050, -0.484, 1.170, -7.599, -2.761, 1.557, 10.877],
]
