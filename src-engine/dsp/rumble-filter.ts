import { type Biquad, highPass } from './biquad.ts'
import { createBiquadCascade } from './biquad-cascade.ts'
import type { Processor } from './processor.ts'
import { createZeroPhase } from './zero-phase.ts'

/** Time for the steep filter to decay by 120 dB, s. */
const steepTailSeconds = 0.25

/**
 * Returns a high-pass against sound below the audible band. Order 8 is a Butterworth filter of order 4, forward and backward (q = 1 /
 * (2·cos(π·(2k + 1) / 8))), −6 dB at `frequencyHz`: at 18.5 Hz it takes 16 dB off 15 Hz and 0.1 dB off 35 Hz. It shifts no phase: a filter
 * that runs forward only would raise the peaks of the range just above by up to 5 dB. Order 1, −3 dB at `frequencyHz`, does not ring and
 * suits an offset that comes and goes with the song.
 */
export function createRumbleFilter(frequencyHz: number, order: 1 | 8, sampleRateHz: number): Processor {
  if (order === 1) return createBiquadCascade([firstOrderHighPass(frequencyHz, sampleRateHz)])
  const qs = [0, 1].map((k) => 1 / (2 * Math.cos((Math.PI * (2 * k + 1)) / 8)))
  const sections = qs.map((q) => highPass(frequencyHz, sampleRateHz, q))
  return createZeroPhase(sections, steepTailSeconds, sampleRateHz)
}

/** Bilinear transform of s / (s + 1). */
function firstOrderHighPass(frequencyHz: number, sampleRateHz: number): Biquad {
  const k = Math.tan((Math.PI * frequencyHz) / sampleRateHz)
  const b0 = 1 / (1 + k)
  return { b0, b1: -b0, b2: 0, a1: (k - 1) / (k + 1), a2: 0 }
}
