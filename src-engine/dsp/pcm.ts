import { kernelFrames, kernelPlace } from './kernels/kernels.ts'

/** Sample formats of a WAV, named as ffmpeg's decoders are, without the byte order, which is little-endian. */
export type PcmCodec = 'pcm_u8' | 'pcm_s16' | 'pcm_s24' | 'pcm_s32' | 'pcm_f32' | 'pcm_f64'

/** Size of a sample, bytes. */
export const SAMPLE_BYTES: Readonly<Record<PcmCodec, number>> = {
  pcm_u8: 1,
  pcm_s16: 2,
  pcm_s24: 3,
  pcm_s32: 4,
  pcm_f32: 4,
  pcm_f64: 8,
}

const place = kernelPlace((kernels) => ({
  bytes: kernels.allocate(kernelFrames * 6 + 16),
  left: kernels.allocate(kernelFrames * 4),
  right: kernels.allocate(kernelFrames * 4),
}))

/**
 * Lays interleaved samples out as floats, full scale 1.0, in the planes of their channels from `start` on: all frames of `bytes`, which
 * begin at a multiple of the sample's size in memory. Exact up to 24 bits and for floats of 32; wider ones are rounded to the nearest.
 */
export function planesOfPcm(bytes: Uint8Array, codec: PcmCodec, planes: readonly Float32Array[], start = 0): void {
  const [left, right] = planes
  if (right && (codec === 'pcm_s16' || codec === 'pcm_s24')) {
    planesByKernel(bytes, codec, left!, right, start)
    return
  }
  const { samples, middle, step } = numbersOf(bytes, codec)
  const frames = samples.length / planes.length
  for (const [c, plane] of planes.entries()) {
    for (let i = 0, at = c; i < frames; i++, at += planes.length) plane[start + i] = (samples[at]! - middle) * step
  }
}

/** Numbers of interleaved samples; full scale is 1 / `step` above `middle`. */
interface Numbers {
  readonly samples: Uint8Array | Int16Array | Int32Array | Float32Array | Float64Array
  readonly middle: number
  readonly step: number
}

function numbersOf({ buffer, byteOffset, length }: Uint8Array, codec: PcmCodec): Numbers {
  switch (codec) {
    case 'pcm_u8':
      return { samples: new Uint8Array(buffer, byteOffset, length), middle: 128, step: 2 ** -7 }
    case 'pcm_s16':
      return { samples: new Int16Array(buffer, byteOffset, length / 2), middle: 0, step: 2 ** -15 }
    case 'pcm_s24':
      return { samples: widened(new Uint8Array(buffer, byteOffset, length)), middle: 0, step: 2 ** -31 }
    case 'pcm_s32':
      return { samples: new Int32Array(buffer, byteOffset, length / 4), middle: 0, step: 2 ** -31 }
    case 'pcm_f32':
      return { samples: new Float32Array(buffer, byteOffset, length / 4), middle: 0, step: 1 }
    case 'pcm_f64':
      return { samples: new Float64Array(buffer, byteOffset, length / 8), middle: 0, step: 1 }
  }
}

/** Returns samples of 24 bits as the upper bits of 32. */
function widened(bytes: Uint8Array): Int32Array {
  const wide = new Int32Array(bytes.length / 3)
  for (let i = 0, at = 0; i < wide.length; i++, at += 3) {
    wide[i] = (bytes[at]! << 8) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 24)
  }
  return wide
}

function planesByKernel(
  bytes: Uint8Array,
  codec: 'pcm_s16' | 'pcm_s24',
  left: Float32Array,
  right: Float32Array,
  start: number,
): void {
  const { kernels, ...at } = place()
  const frameBytes = 2 * SAMPLE_BYTES[codec]
  const total = bytes.length / frameBytes
  for (let done = 0; done < total; done += kernelFrames) {
    const frames = Math.min(kernelFrames, total - done)
    kernels.u8.set(bytes.subarray(done * frameBytes, (done + frames) * frameBytes), at.bytes)
    if (codec === 'pcm_s16') kernels.planesOf16(at.bytes, frames, at.left, at.right)
    else kernels.planesOf24(at.bytes, frames, at.left, at.right)
    left.set(kernels.f32.subarray(at.left >> 2, (at.left >> 2) + frames), start + done)
    right.set(kernels.f32.subarray(at.right >> 2, (at.right >> 2) + frames), start + done)
  }
}
