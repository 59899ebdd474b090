import { kernelFrames, kernelPlace } from './kernels/kernels.ts'

const place = kernelPlace((kernels) => ({
  bytes: kernels.allocate(kernelFrames * 6 + 16),
  left: kernels.allocate(kernelFrames * 4),
  right: kernels.allocate(kernelFrames * 4),
}))

/**
 * Lays interleaved little-endian integers of two channels out as floats, full scale 1.0, at the start of `left` and `right`: all frames of
 * `bytes`. Exact.
 */
export function planesOfPcm(bytes: Uint8Array, bitDepth: 16 | 24, left: Float32Array, right: Float32Array): void {
  const { kernels, ...at } = place()
  const frameBytes = (2 * bitDepth) / 8
  const total = bytes.length / frameBytes
  for (let start = 0; start < total; start += kernelFrames) {
    const frames = Math.min(kernelFrames, total - start)
    kernels.u8.set(bytes.subarray(start * frameBytes, (start + frames) * frameBytes), at.bytes)
    if (bitDepth === 16) kernels.planesOf16(at.bytes, frames, at.left, at.right)
    else kernels.planesOf24(at.bytes, frames, at.left, at.right)
    left.set(kernels.f32.subarray(at.left >> 2, (at.left >> 2) + frames), start)
    right.set(kernels.f32.subarray(at.right >> 2, (at.right >> 2) + frames), start)
  }
}
