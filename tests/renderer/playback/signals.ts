/** Seeded test signals: planar, full scale 1. */

/** White noise between −peak and peak, the same for the same seed. */
export function noise(frames: number, seed: number, peak = 0.5): Float32Array {
  const samples = new Float32Array(frames)
  let state = seed >>> 0
  for (let i = 0; i < frames; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    samples[i] = (state / 0x80000000 - 1) * peak
  }
  return samples
}

/** A sine of `frequencyHz` with the phase in radians. */
export function sine(frames: number, rateHz: number, frequencyHz: number, peak: number, phase = 0): Float32Array {
  return Float32Array.from(
    { length: frames },
    (_, i) => peak * Math.sin((2 * Math.PI * frequencyHz * i) / rateHz + phase),
  )
}
