/**
 * Planar audio: one array per channel, all of `frames` length. 1.0 is full scale; float audio may exceed it.
 * The engine always works on two channels; a mono source arrives as dual mono.
 */
export interface AudioBlock {
  readonly channels: readonly Float32Array[]
  readonly frames: number
}

/** A whole piece of audio: an {@link AudioBlock} with its rate. */
export interface Audio extends AudioBlock {
  readonly sampleRateHz: number
}

/**
 * Returns silent audio of `channelCount` planar channels of `frames` samples, each on a SharedArrayBuffer of its own, which a worker thread
 * shares instead of copying. Throws a RangeError for a count or rate that is not a positive number, or for negative or fractional frames.
 */
export function allocateAudio(channelCount: number, frames: number, sampleRateHz: number): Audio {
  if (!Number.isInteger(channelCount) || channelCount < 1) throw new RangeError(`channelCount ${channelCount}`)
  if (!(sampleRateHz > 0)) throw new RangeError(`sampleRateHz ${sampleRateHz}`)
  const channels = Array.from({ length: channelCount }, () => allocateShared(frames))
  return { channels, frames, sampleRateHz }
}

/** Returns a silent block for one thread's own use: copying out of shared memory takes several times as long. */
export function allocateBlock(channelCount: number, frames: number): AudioBlock {
  return { channels: Array.from({ length: channelCount }, () => new Float32Array(frames)), frames }
}

/** Returns `length` zeros on a SharedArrayBuffer. Throws a RangeError for a negative or fractional length. */
export function allocateShared(length: number): Float32Array {
  if (!Number.isInteger(length) || length < 0) throw new RangeError(`length ${length}`)
  return new Float32Array(new SharedArrayBuffer(length * 4))
}

/** Returns a view (no copy) of the frames [start, end) of a block; the ends are clamped to the block. */
export function sliceBlock(block: AudioBlock, startFrame: number, endFrame: number): AudioBlock {
  const start = Math.max(0, Math.min(block.frames, startFrame))
  const end = Math.max(start, Math.min(block.frames, endFrame))
  return { channels: block.channels.map((samples) => samples.subarray(start, end)), frames: end - start }
}

/** Returns the largest |sample| over all channels (0 for silence or no frames). Ignores NaN. */
export function samplePeak(block: AudioBlock): number {
  let peak = 0
  for (const samples of block.channels) {
    for (let i = 0; i < block.frames; i++) {
      const magnitude = Math.abs(samples[i]!)
      if (magnitude > peak) peak = magnitude
    }
  }
  return peak
}
