/** Distortion and noise that processing adds to steady tones. */

/** Returns the energy that is left of a channel after its sines at the given frequencies are taken out, in dB of the whole. */
export function residualDb(samples: Float32Array, frequenciesHz: readonly number[], sampleRateHz: number): number {
  const rest = Float64Array.from(samples)
  const total = rest.reduce((sum, x) => sum + x * x, 0)
  for (let pass = 0; pass < 6; pass++) {
    for (const hz of frequenciesHz) {
      const omega = (2 * Math.PI * hz) / sampleRateHz
      let s = 0
      let c = 0
      for (let i = 0; i < rest.length; i++) {
        s += (2 / rest.length) * rest[i]! * Math.sin(omega * i)
        c += (2 / rest.length) * rest[i]! * Math.cos(omega * i)
      }
      for (let i = 0; i < rest.length; i++) rest[i]! -= s * Math.sin(omega * i) + c * Math.cos(omega * i)
    }
  }
  return 10 * Math.log10(rest.reduce((sum, x) => sum + x * x, 0) / total)
}
