/** Interleaved little-endian samples in chunks of any size, such as ffmpeg's output in float32. */
import { type PcmCodec, planesOfPcm, SAMPLE_BYTES } from '../../src-engine/dsp/pcm.ts'

/** Returns zeros for one plane of samples. */
export type Allocate = (length: number) => Float32Array

/** Returns zeros that threads can share. */
export const allocateShared: Allocate = (length) => new Float32Array(new SharedArrayBuffer(length * 4))

/** Returns zeros for one thread, which {@link giveBack} frees. */
export const allocateOwn: Allocate = (length) => new Float32Array(length)

/** Frees memory at once: garbage collection would delay it, and it can be hundreds of megabytes. */
export function giveBack({ buffer }: Float32Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}

/** Returns a receiver of bytes that passes them on as float32 samples; otherwise as {@link inFramesOf}. */
export function inWholeFrames(
  frameBytes: number,
  onSamples: (samples: Float32Array) => void,
): (chunk: Uint8Array) => void {
  return inFramesOf(frameBytes, ({ buffer, length }) =>
    onSamples(new Float32Array(buffer, 0, length / Float32Array.BYTES_PER_ELEMENT)),
  )
}

/**
 * Returns a receiver of bytes that passes them on in whole frames of `frameBytes`, wherever the chunks are cut; an unfinished frame at the
 * end is dropped. The frames are valid until `onFrames` returns, since their buffer is reused: a new one for every chunk would add up to
 * 60 MB before garbage collection.
 */
function inFramesOf(
  frameBytes: number,
  onFrames: (bytes: Uint8Array<ArrayBuffer>) => void,
): (chunk: Uint8Array) => void {
  let held = new Uint8Array(1 << 17)
  let heldBytes = 0
  return (chunk) => {
    const bytes = heldBytes + chunk.length
    if (bytes > held.length) {
      const larger = new Uint8Array(2 * bytes)
      larger.set(held.subarray(0, heldBytes))
      held = larger
    }
    held.set(chunk, heldBytes)
    const whole = bytes - (bytes % frameBytes)
    onFrames(held.subarray(0, whole))
    held.copyWithin(0, whole, bytes)
    heldBytes = bytes - whole
  }
}

/** Samples of two channels, side by side. */
export interface StereoBlock {
  readonly channels: readonly [Float32Array, Float32Array]
  readonly frames: number
}

/**
 * Returns a function that splits interleaved two-channel samples into planes, times `gain`. It reuses its memory: a block is valid until
 * the next call.
 */
export function createPlanes(gain = 1): (samples: Float32Array | Float64Array) => StereoBlock {
  let left = new Float32Array(0)
  let right = new Float32Array(0)
  return (samples) => {
    const frames = samples.length / 2
    if (frames > left.length) {
      left = new Float32Array(frames)
      right = new Float32Array(frames)
    }
    for (let i = 0; i < frames; i++) {
      left[i] = samples[2 * i]! * gain
      right[i] = samples[2 * i + 1]! * gain
    }
    return { channels: [left.subarray(0, frames), right.subarray(0, frames)], frames }
  }
}

/** Receives interleaved samples, float32 by default, in chunks of any size and lays them out in planes of equal length. */
export function collectPlanar(planes: readonly Float32Array[], codec: PcmCodec = 'pcm_f32') {
  const frameBytes = planes.length * SAMPLE_BYTES[codec]
  const capacity = planes[0]!.length
  let frames = 0
  const lay = (bytes: Uint8Array) => {
    const count = Math.min(bytes.length / frameBytes, capacity - frames)
    planesOfPcm(bytes.subarray(0, count * frameBytes), codec, planes, frames)
    frames += count
  }
  return {
    planes,
    /** Frames collected so far; frames beyond `capacity` are dropped. */
    get frames() {
      return frames
    },
    push: inFramesOf(frameBytes, lay),
  }
}
