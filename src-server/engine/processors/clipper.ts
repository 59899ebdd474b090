import { kaiser, sinc } from '../fir.ts'
import { type Kernels, kernelFrames, loadKernels } from '../kernels/kernels.ts'

/** Part of the limit from which the clipper bends (−1.4 dB). */
export const clipKnee = 0.85

/** Frames on either side of a frame that clipping it can change, or that it depends on. */
export const clipReachFrames = 32

const margin = 2 * clipReachFrames

/**
 * What clipping adds is kept below this frequency: above it music has little to hide it, and the look of a peak hardly needs it. The
 * harmonics above come back as slightly higher peaks, which the limiter takes.
 */
const errorCutoffHz = 12_000

/** Part of half the sampling rate up to which the clipper's error passes. */
export function clipErrorCutoff(sampleRateHz: number): number {
  return Math.min(0.9, errorCutoffHz / (sampleRateHz / 2))
}

interface Workspace {
  readonly kernels: Kernels
  readonly x: number
  readonly y: number
  readonly upTaps: number
  readonly downTaps: number
  readonly errors: number
}

/** The kernel reads a decimating phase of 32 taps with four zeros on either side. */
const paddedTaps = 40

let shared: Workspace | undefined
let preparedCutoff = 0

function workspace(sampleRateHz: number): Workspace {
  const cutoff = clipErrorCutoff(sampleRateHz)
  if (shared === undefined) {
    const kernels = loadKernels()
    const bytes = (kernelFrames + 2 * margin) * 4
    shared = {
      kernels,
      x: kernels.allocate(bytes) + margin * 4,
      y: kernels.allocate(bytes) + margin * 4,
      upTaps: kernels.allocate(4 * 128),
      downTaps: kernels.allocate(4 * paddedTaps * 4),
      errors: kernels.allocate(4 * 4 * 4),
    }
  }
  if (preparedCutoff !== cutoff) {
    fillTaps(shared, cutoff)
    preparedCutoff = cutoff
  }
  return shared
}

function fillTaps({ kernels, upTaps, downTaps }: Workspace, cutoff: number): void {
  for (let phase = 0; phase < 4; phase++) {
    for (let k = 0; k < 32; k++) {
      const distance = phase / 4 - (k - 15)
      const window = kaiser(distance / 16, 6)
      kernels.f32[(upTaps >> 2) + phase * 32 + k] = sinc(distance) * window
      kernels.f32[(downTaps >> 2) + phase * paddedTaps + 4 + k] = (cutoff * sinc(cutoff * distance) * window) / 4
    }
  }
}

/**
 * Soft-clips the frames [first, first + frames) of one channel into `out` (whose first sample is the frame `first`), four times
 * oversampled. `limit` is the linear level that the interpolated signal approaches but, up to the ringing of the decimating filter, does
 * not pass; it bends from 0.85·limit on, and what stays below keeps its bits. The result depends on the signal around a frame
 * only, not on how it is cut into stretches. No latency; frames outside the signal are silence. Returns whether anything was clipped.
 */
export function clipStretch(
  samples: Float32Array,
  first: number,
  frames: number,
  limit: number,
  sampleRateHz: number,
  out: Float32Array,
): boolean {
  const space = workspace(sampleRateHz)
  let isClipped = false
  for (let done = 0; done < frames; done += kernelFrames) {
    const count = Math.min(kernelFrames, frames - done)
    if (clipChunk(space, samples, first + done, count, limit, out.subarray(done, done + count))) isClipped = true
  }
  return isClipped
}

function clipChunk(
  space: Workspace,
  samples: Float32Array,
  first: number,
  frames: number,
  limit: number,
  out: Float32Array,
): boolean {
  const { f32 } = space.kernels
  const x = space.x >> 2
  const y = space.y >> 2
  const start = Math.max(0, first - margin)
  const end = Math.min(samples.length, first + frames + margin)
  f32.fill(0, x - margin, x + frames + margin)
  f32.set(samples.subarray(start, end), x + start - first)
  f32.copyWithin(y - margin, x - margin, x + frames + margin)
  // The kernel takes four frames at a time: on the same grid whatever the stretch, so that the sums round alike.
  const reach = clipReachFrames + (((first % 4) + 4) % 4)
  const clipped = space.kernels.addClipError(
    space.x - reach * 4,
    space.y - reach * 4,
    Math.ceil((frames + reach + clipReachFrames) / 4) * 4,
    clipKnee * limit,
    limit,
    space.upTaps,
    space.downTaps,
    space.errors,
  )
  out.set(f32.subarray(y, y + frames))
  return clipped > 0
}
