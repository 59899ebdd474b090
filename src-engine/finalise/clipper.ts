import { kernelFrames, kernelPlace } from '../dsp/kernels/kernels.ts'
import { peakGroupFrames } from '../dsp/meters/true-peak.ts'
import { kaiser, sinc } from '../dsp/window.ts'

/** Knee of the clipper, as a part of the limit (−1.4 dB). */
export const clipKnee = 0.85

/** Frames on either side of a frame that its clipping can change or depends on. */
export const clipReachFrames = 32

const margin = 2 * clipReachFrames

/**
 * Upper frequency limit of the clipping error: above it music masks little, and it hardly shapes a peak. Dropping the higher harmonics
 * leaves slightly higher peaks, which the limiter catches.
 */
const errorCutoffHz = 12_000

/** Cutoff of the clipper's error, as a part of half the sampling rate. */
export function clipErrorCutoff(sampleRateHz: number): number {
  return Math.min(0.9, errorCutoffHz / (sampleRateHz / 2))
}

/** The kernel reads a decimating phase of 32 taps with four zeros on either side. */
const paddedTaps = 40
const chunkBytes = (kernelFrames + 2 * margin) * 4

const place = kernelPlace((kernels) => ({
  x: kernels.allocate(chunkBytes) + margin * 4,
  y: kernels.allocate(chunkBytes) + margin * 4,
  peaks: kernels.allocate(chunkBytes / peakGroupFrames),
  upTaps: kernels.allocate(16 * 3 * 16),
  downTaps: kernels.allocate(4 * paddedTaps * 4),
  errors: kernels.allocate(4 * 4 * 4),
}))

type Workspace = ReturnType<typeof place>

let preparedCutoff = 0

/** Returns the workspace of a rate, kept until another rate is requested. */
function workspace(sampleRateHz: number): Workspace {
  const cutoff = clipErrorCutoff(sampleRateHz)
  if (preparedCutoff !== cutoff) {
    fillTaps(place(), cutoff)
    preparedCutoff = cutoff
  }
  return place()
}

function fillTaps({ kernels, upTaps, downTaps }: Workspace, cutoff: number): void {
  const window = (distance: number) => kaiser(distance / 16, 6)
  const up = (distance: number) => sinc(distance) * window(distance)
  for (let t = 0; t < 16; t++) {
    const near = up(1 / 4 + t)
    const far = up(3 / 4 + t)
    for (const [j, tap] of [(near + far) / 2, (near - far) / 2, up(1 / 2 + t)].entries()) {
      const at = (upTaps >> 2) + (t * 3 + j) * 4
      kernels.f32.fill(tap, at, at + 4)
    }
  }
  for (let phase = 0; phase < 4; phase++) {
    for (let k = 0; k < 32; k++) {
      const distance = phase / 4 - (k - 15)
      kernels.f32[(downTaps >> 2) + phase * paddedTaps + 4 + k] =
        (cutoff * sinc(cutoff * distance) * window(distance)) / 4
    }
  }
}

/**
 * Soft-clips the frames [first, first + frames) of one channel into `out` (whose first sample is the frame `first`), four times
 * oversampled. `peaks` holds the true peak of every group of 8 frames of the signal, all channels together; groups below the knee are left
 * alone. `limit` is the linear level that the interpolated signal approaches but, up to the ringing of the decimating filter, does not
 * exceed; it bends from 0.85·limit on, and lower samples keep their bits. The result depends only on the signal around a frame, not on the
 * stretches. No latency; frames outside the signal are silence.
 */
export function clipStretch(
  samples: Float32Array,
  peaks: Float32Array,
  first: number,
  limit: number,
  sampleRateHz: number,
  out: Float32Array,
): void {
  const space = workspace(sampleRateHz)
  for (let done = 0; done < out.length; done += kernelFrames) {
    const part = out.subarray(done, Math.min(done + kernelFrames, out.length))
    clipChunk(space, samples, peaks, first + done, limit, part)
  }
}

function clipChunk(
  space: Workspace,
  samples: Float32Array,
  peaks: Float32Array,
  first: number,
  limit: number,
  out: Float32Array,
): void {
  const { f32 } = space.kernels
  const x = space.x >> 2
  const y = space.y >> 2
  const frames = out.length
  const start = Math.max(0, first - margin)
  const end = Math.min(samples.length, first + frames + margin)
  f32.fill(0, x - margin, x + frames + margin)
  if (end > start) f32.set(samples.subarray(start, end), x + start - first)
  f32.copyWithin(y - margin, x - margin, x + frames + margin)
  // Groups follow the song's grid, whatever the stretch, so that sums round alike.
  const group = Math.floor((first - clipReachFrames) / peakGroupFrames)
  const groups = Math.ceil((first + frames + clipReachFrames) / peakGroupFrames) - group
  const known = peaks.subarray(Math.max(0, group), Math.max(0, group + groups))
  f32.fill(0, space.peaks >> 2, (space.peaks >> 2) + groups)
  f32.set(known, (space.peaks >> 2) + Math.max(0, -group))
  const offset = (group * peakGroupFrames - first) * 4
  space.kernels.addClipError(
    space.x + offset,
    space.y + offset,
    groups,
    space.peaks,
    clipKnee * limit,
    limit,
    space.upTaps,
    space.downTaps,
    space.errors,
  )
  out.set(f32.subarray(y, y + frames))
}
