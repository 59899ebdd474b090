import { kaiser, sinc } from '../../src-engine/dsp/window.ts'

/**
 * Linear-phase low-pass of `taps` coefficients (odd: whole-sample delay (taps − 1) / 2), half amplitude at `frequencyHz`, by a
 * Kaiser-windowed sinc, normalised to 1 at DC.
 */
export function designLowPass(taps: number, frequencyHz: number, sampleRateHz: number, beta: number): Float64Array {
  const centre = (taps - 1) / 2
  const cutoff = (2 * frequencyHz) / sampleRateHz
  const kernel = Float64Array.from(
    { length: taps },
    (_, i) => cutoff * sinc(cutoff * (i - centre)) * kaiser((i - centre) / (centre + 0.5), beta),
  )
  const sum = kernel.reduce((total, tap) => total + tap, 0)
  return kernel.map((tap) => tap / sum)
}
