/** Sample rate conversion of any run of a file; pieces join as if the whole had been converted at once. Pure. */
import { fractionalDelay } from './true-peak.ts'

const greatestDivisor = (a: number, b: number): number => (b === 0 ? a : greatestDivisor(b, a % b))

/** Half-length of the filter in input frames at an equal or higher output rate. */
const HALF_TAPS = 32

export interface Resampler {
  /** Input frames `[from, to)` needed for output frames `[start, start + count)`; they may lie outside the file. */
  readonly inputRange: (start: number, count: number) => { readonly from: number; readonly to: number }
  /** Output frames `[start, start + count)` from `input`, whose first sample is input frame `inputRange(...).from`. */
  readonly convert: (input: Float32Array, start: number, count: number) => Float32Array
}

/**
 * Returns a linear-phase polyphase resampler between two integer rates: output frame n is at time n / outputHz of the
 * file, without delay. Kaiser window, 64 taps (more for downsampling), stop band below −80 dB. Never throws.
 */
export function createResampler(inputHz: number, outputHz: number): Resampler {
  const divisor = greatestDivisor(inputHz, outputHz)
  const phases = outputHz / divisor
  const step = inputHz / divisor
  const cutoff = Math.min(1, outputHz / inputHz) * 0.97
  const half = Math.ceil(HALF_TAPS * Math.max(1, inputHz / outputHz))
  const rows = Array.from({ length: phases }, (_, phase) => fractionalDelay(phase / phases, half * 2, cutoff, 8))
  const first = (frame: number) => Math.floor((frame * step) / phases) - (half - 1)
  return {
    inputRange: (start, count) => ({ from: first(start), to: first(start + count - 1) + half * 2 }),
    convert(input, start, count) {
      const output = new Float32Array(count)
      const origin = first(start)
      for (let n = 0; n < count; n++) {
        const row = rows[((start + n) * step) % phases] as Float64Array
        const at = first(start + n) - origin
        let sum = 0
        for (let k = 0; k < row.length; k++) sum += (row[k] as number) * (input[at + k] ?? 0)
        output[n] = sum
      }
      return output
    },
  }
}
