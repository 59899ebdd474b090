// K-weighted energy: two biquad sections in series, lanes left / right, squared and summed.

/**
 * For every `groupFrames` frames (the last group may be shorter) adds left² + right² of the filtered samples and stores it as an
 * f64 at `energies`. coefficients and state as in biquadCascade, two sections.
 */
export function weightedEnergies(left: usize, right: usize, frames: i32, coefficients: usize, state: usize, groupFrames: i32, energies: usize): void {
  const c = coefficients, s = state
  const b0 = v128.load(c), b1 = v128.load(c, 16), b2 = v128.load(c, 32), a1 = v128.load(c, 48), a2 = v128.load(c, 64)
  const e0 = v128.load(c, 80), e1 = v128.load(c, 96), e2 = v128.load(c, 112), d1 = v128.load(c, 128), d2 = v128.load(c, 144)
  let s1 = v128.load(s), s2 = v128.load(s, 16), t1 = v128.load(s, 32), t2 = v128.load(s, 48)
  let out = energies
  for (let start = 0; start < frames; start += groupFrames) {
    const end = <usize>min(frames, start + groupFrames) << 2
    let sum = f64x2.splat(0)
    for (let i: usize = <usize>start << 2; i < end; i += 4) {
      const v = f64x2.replace_lane(f64x2.splat(<f64>load<f32>(left + i)), 1, <f64>load<f32>(right + i))
      const y = f64x2.add(f64x2.mul(b0, v), s1)
      s1 = f64x2.sub(f64x2.add(f64x2.mul(b1, v), s2), f64x2.mul(a1, y))
      s2 = f64x2.sub(f64x2.mul(b2, v), f64x2.mul(a2, y))
      const z = f64x2.add(f64x2.mul(e0, y), t1)
      t1 = f64x2.sub(f64x2.add(f64x2.mul(e1, y), t2), f64x2.mul(d1, z))
      t2 = f64x2.sub(f64x2.mul(e2, y), f64x2.mul(d2, z))
      sum = f64x2.add(sum, f64x2.mul(z, z))
    }
    store<f64>(out, f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1))
    out += 8
  }
  v128.store(s, s1); v128.store(s, s2, 16); v128.store(s, t1, 32); v128.store(s, t2, 48)
}
