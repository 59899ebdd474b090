/** Samples in ffmpeg's output: interleaved little-endian float32 in chunks of any size. */

/** Returns zeros for one plane of samples. */
export type Allocate = (length: number) => Float32Array

/** Returns zeros that threads can share. */
export const allocateShared: Allocate = (length) => new Float32Array(new SharedArrayBuffer(length * 4))

/**
 * Returns a receiver of bytes that passes them on as float32 samples in whole frames of `frameBytes`, wherever the chunks are cut; an
 * unfinished frame at the end is dropped. It reuses its memory, so samples are valid until `onSamples` returns: new buffers for every chunk
 * would add up to 60 MB before they are collected.
 */
export function inWholeFrames(
  frameBytes: number,
  onSamples: (samples: Float32Array) => void,
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
    onSamples(new Float32Array(held.buffer, 0, whole / Float32Array.BYTES_PER_ELEMENT))
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
export function createPlanes(gain = 1): (samples: Float32Array) => StereoBlock {
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

/** Receives interleaved little-endian float32 bytes in chunks of any size and lays them out in planes of equal length. */
export function collectPlanar(planes: readonly Float32Array[]) {
  const channelCount = planes.length
  const capacity = planes[0]!.length
  let frames = 0
  const lay = (samples: Float32Array) => {
    const count = Math.min(samples.length / channelCount, capacity - frames)
    for (let c = 0; c < channelCount; c++) {
      const plane = planes[c]!
      for (let i = 0, at = c; i < count; i++, at += channelCount) {
        plane[frames + i] = samples[at]!
      }
    }
    frames += count
  }
  return {
    planes,
    /** Frames collected so far; frames beyond `capacity` are dropped. */
    get frames() {
      return frames
    },
    push: inWholeFrames(channelCount * Float32Array.BYTES_PER_ELEMENT, lay),
  }
}
