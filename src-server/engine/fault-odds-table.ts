/**
 * Made by bench/fault-odds.ts from 144 pieces of music and their damaged copies (docs/engine.md, section 4); do not edit. One row per fault: a constant, then a
 * factor for each number of `faultFeatures`, as natural logarithms against a piece without faults.
 */
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: fitted numbers
// biome-ignore format: one row per fault
export const faultOddsTable: readonly (readonly number[])[] = [
  // mud
  [-1.397, 0.940, -0.339, -0.045, -0.109, -0.048, 0.355, -0.076, 0.324, 18.955, -2.603, 0.356, 0.102, -2.491],
  // harshness
  [-1.384, 0.028, 1.906, -0.224, 0.780, 0.034, -0.223, 0.036, 0.117, -2.033, 10.118, 2.598, 2.063, 0.058],
  // dullness
  [-0.709, 0.050, -0.273, 0.282, -0.383, -0.018, 0.034, -0.062, -0.001, -0.537, -1.510, 7.409, -1.661, -0.149],
  // narrowed
  [-2.386, -0.035, -0.410, 0.353, -3.440, 0.093, -0.361, -0.074, 1.760, 1.350, 1.277, -0.153, 9.988, 1.911],
  // widened
  [-3.033, 0.242, 0.402, -0.196, 5.062, 0.008, 0.215, 0.046, -0.646, 2.146, -4.715, -2.625, 1.424, 9.491],
]
