import type { AudioBlock } from '../dsp/block.ts'
import { kernelFrames, kernelPlace } from '../dsp/kernels/kernels.ts'

export interface QuantiserSettings {
  readonly bitDepth: 16 | 24
  readonly sampleRateHz: number
  /** Any integer; the same seed and signal give the same bytes. */
  readonly seed: number
}

/** Turns a stream of blocks of two channels into interleaved little-endian integers, full scale 1.0. */
export interface Quantiser {
  readonly bytesPerFrame: number
  /**
   * Writes the block into `out`, which must hold frames · bytesPerFrame bytes from its start, and returns the bytes written. Clips values
   * beyond full scale; NaN becomes 0. Any split of a signal into blocks gives the same bytes.
   */
  write(block: AudioBlock, out: Uint8Array): number
}

/**
 * Error filter for 16 bit at 44.1 kHz: the five-tap filter of Lipshitz, Vanderkooy and Wannamaker ("Minimally audible noise shaping", JAES
 * 39(11), 1991). It takes the noise out of the ear's most sensitive range for a total that grows by 12 dB and stays within ±15 steps: 0.004
 * dB at a ceiling of −1 dBTP. Nine-tap filters cost three times as much headroom for little benefit, most of it noise that a lossy encoder
 * would spend bits on.
 */
const lipshitz = [2.033, -2.165, 1.959, -1.59, 0.6149]

const workspace = kernelPlace((kernels) => ({
  left: kernels.allocate(kernelFrames * 4),
  right: kernels.allocate(kernelFrames * 4),
  // 16 bytes more, since the last four frames are written as whole vectors.
  out: kernels.allocate(kernelFrames * 6 + 16),
  coefficients: kernels.allocate(80),
  state: kernels.allocate(96),
  scratch: kernels.allocate(kernelFrames * 16),
}))

/** Spreads a seed over 32 bits (finaliser of MurmurHash3); never 0, which would stall the generator. */
function scramble(seed: number): number {
  let h = seed | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  h ^= h >>> 16
  return h === 0 ? 0x9e3779b9 : h
}

/**
 * Returns a quantiser with TPDF dither of ±1 step (Lipshitz, Wannamaker and Vanderkooy, JAES 40(5), 1992): noise of constant power, 4.77 dB
 * above rounding noise, whatever the signal. At 16 bit and 44.1 kHz, the filter's design rate, the noise is shaped.
 */
export function createQuantiser({ bitDepth, sampleRateHz, seed }: QuantiserSettings): Quantiser {
  const bytes = bitDepth / 8
  const isShaped = bitDepth === 16 && sampleRateHz === 44_100
  const coefficients = Float64Array.from(lipshitz.flatMap((c) => [c, c]))
  const state = new Float64Array(12)
  const random = new Int32Array(state.buffer, 0, 4)
  for (let lane = 0; lane < 4; lane++) random[lane] = scramble(seed + lane * 0x632be5ab)

  return {
    bytesPerFrame: bytes * 2,
    write(block, out) {
      const { kernels, ...at } = workspace()
      const left = block.channels[0]!
      const right = block.channels[1]!
      let written = 0
      for (let start = 0; start < block.frames; start += kernelFrames) {
        const frames = Math.min(kernelFrames, block.frames - start)
        kernels.f32.set(left.subarray(start, start + frames), at.left >> 2)
        kernels.f32.set(right.subarray(start, start + frames), at.right >> 2)
        kernels.f64.set(coefficients, at.coefficients >> 3)
        kernels.f64.set(state, at.state >> 3)
        kernels.quantise(at.left, at.right, frames, bytes, at.out, isShaped, at.coefficients, at.state, at.scratch)
        state.set(kernels.f64.subarray(at.state >> 3, (at.state >> 3) + state.length))
        const size = frames * bytes * 2
        out.set(kernels.u8.subarray(at.out, at.out + size), written)
        written += size
      }
      return written
    },
  }
}
