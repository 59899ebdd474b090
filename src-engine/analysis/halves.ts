import { type BandFrames, type FrameGrid, frameGrid } from '../dsp/meters/spectrum.ts'

/** Measurements of a piece and of its two halves of alternate blocks; a trait of the music shows in both. */
export interface WithHalves<T> {
  readonly whole: T
  readonly halves: readonly [T, T]
}

const halfNumbers = [0, 1] as const

/** Length of the blocks that alternate between the halves, s, and their least number. */
const longestBlockSeconds = 10
const fewestBlocks = 4

/** Returns the half, 0 or 1, that holds a moment of a piece. Blocks last 10 s, or a quarter of a piece under 40 s. */
export function halfAt(seconds: number, durationSeconds: number): 0 | 1 {
  const blockSeconds = Math.min(longestBlockSeconds, durationSeconds / fewestBlocks)
  return Math.floor(seconds / blockSeconds) % 2 === 0 ? 0 : 1
}

/** Returns `measure` of a piece of `durationSeconds` and of the frames of each of its halves. */
export function measureWithHalves<T>(
  frames: BandFrames,
  halfOfFrame: Uint8Array,
  measure: (frames: BandFrames) => T,
): WithHalves<T> {
  const [first, second] = halfNumbers.map((half) => measure(framesOfHalf(frames, halfOfFrame, half))) as [T, T]
  return { whole: measure(frames), halves: [first, second] }
}

/** Returns the half of each frame of a piece, by the frame's middle. */
export function halvesOfFrames(frames: number, sampleRateHz: number): Uint8Array {
  const { size, starts }: FrameGrid = frameGrid(frames, sampleRateHz)
  return Uint8Array.from(starts, (start) => halfAt((start + size / 2) / sampleRateHz, frames / sampleRateHz))
}

/** Frames of one half, or all frames of a piece too short to have frames in both. */
function framesOfHalf(frames: BandFrames, halfOfFrame: Uint8Array, half: 0 | 1): BandFrames {
  const { bands, frameCount } = frames
  const count = bands.centresHz.length
  const own = Array.from({ length: frameCount }, (_, frame) => frame).filter((frame) => halfOfFrame[frame] === half)
  if (own.length === 0) return frames
  const pick = (powers: Float32Array): Float32Array => {
    const picked = new Float32Array(own.length * count)
    for (const [to, from] of own.entries()) picked.set(powers.subarray(from * count, (from + 1) * count), to * count)
    return picked
  }
  return { bands, frameCount: own.length, mid: pick(frames.mid), side: pick(frames.side) }
}
