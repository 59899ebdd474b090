/**
 * Made by bench/fault-odds.ts from 282 pieces of music and their damaged copies (docs/engine.md, section 4); do not edit. One row per fault: a constant, then a
 * factor for each number of `faultFeatures`, as natural logarithms against a piece without faults.
 */
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: fitted numbers
// biome-ignore format: one row per fault
export const faultOddsTable: readonly (readonly number[])[] = [
  // mud
  [-0.976, 0.739, -0.101, 0.028, 0.072, -0.023, -0.079, -0.034, 0.081, 12.160, -1.761, -0.946, -0.374, -1.910],
  // harshness
  [-1.457, 0.100, 1.601, -0.015, 0.195, 0.004, -0.233, 0.092, -0.005, -1.073, 7.496, 2.343, 0.862, 0.801],
  // dullness
  [-0.343, -0.039, -0.125, 0.224, -0.079, -0.008, 0.031, -0.099, -0.060, -1.969, -0.148, 6.598, -1.543, 1.774],
  // narrowed
  [-1.251, -0.148, 0.016, 0.050, -3.724, 0.059, -0.114, 0.027, -1.496, -1.229, -2.135, -1.494, 8.406, 5.051],
  // widened
  [-2.366, 0.229, 0.196, -0.040, 2.401, -0.123, 0.084, -0.015, 1.558, -0.540, -4.888, 0.598, 0.239, 8.214],
]
