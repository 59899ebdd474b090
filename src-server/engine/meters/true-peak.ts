import { type AudioBlock, samplePeak } from '../block.ts'
import { kaiser, sinc } from '../fir.ts'
import { type Kernels, kernelFrames, loadKernels } from '../kernels/kernels.ts'
import { gainToDb } from '../units.ts'

/** Frames that share one value of a peak envelope. */
export const peakGroupFrames = 8

/** Frames the interpolator sees on either side of a point, rounded up to whole groups. */
const marginFrames = 16
const marginGroups = marginFrames / peakGroupFrames
const chunkGroups = kernelFrames / peakGroupFrames

/**
 * Interpolation filter of the detector: windowed sinc, 32 taps per point, cut-off exactly half the sampling rate (not below: that
 * keeps the top octave honest), Kaiser window with beta 5. `distance` in samples, |distance| < 16.
 */
function detectorTap(distance: number): number {
  return sinc(distance) * kaiser(distance / marginFrames, 5)
}

function verifierTap(distance: number): number {
  return sinc(distance) * kaiser(distance / 64, 9)
}

interface Workspace {
  readonly kernels: Kernels
  /** Address of the frame 0 of a chunk; 64 frames on both sides are readable. */
  readonly x: number
  readonly peaks: number
  readonly maxima: number
  readonly detectorTaps: number
  /** The largest sum of |taps| of any point: an interpolated point is at most this many times the largest sample near it. */
  readonly bound: number
  readonly verifierTaps: number
}

let shared: Workspace | undefined

function workspace(): Workspace {
  if (shared !== undefined) return shared
  const kernels = loadKernels()
  const detectorTaps = kernels.allocate(16 * 7 * 16)
  let bound = 0
  for (let t = 0; t < 16; t++) {
    for (let j = 1; j <= 4; j++) {
      const near = detectorTap(j / 8 + t)
      const far = detectorTap(1 + t - j / 8)
      const at = (detectorTaps >> 2) + (t * 7 + (j - 1) * 2) * 4
      kernels.f32.fill((near + far) / 2, at, at + 4)
      if (j < 4) kernels.f32.fill((near - far) / 2, at + 4, at + 8)
    }
    bound += 2 * Math.abs(detectorTap(0.5 + t))
  }
  const verifierTaps = kernels.allocate(128 * 16 * 4)
  for (let k = -63; k <= 64; k++) {
    for (let j = 0; j < 16; j++) kernels.f32[(verifierTaps >> 2) + (k + 63) * 16 + j] = verifierTap(j / 16 - k)
  }
  shared = {
    kernels,
    x: kernels.allocate((kernelFrames + 128) * 4) + 256,
    peaks: kernels.allocate(chunkGroups * 4),
    maxima: kernels.allocate((chunkGroups + 2 * marginGroups) * 4),
    detectorTaps,
    bound,
    verifierTaps,
  }
  return shared
}

/** Copies samples[first − before … last + after) to the kernels' memory with zeros outside the signal. */
function stage(space: Workspace, samples: Float32Array, first: number, frames: number, margin: number): void {
  const target = space.kernels.f32
  const base = (space.x >> 2) - first
  const start = Math.max(0, first - margin)
  const end = Math.min(samples.length, first + frames + margin)
  if (start > first - margin || end < first + frames + margin) {
    target.fill(0, base + first - margin, base + first + frames + margin)
  }
  if (end > start) target.set(samples.subarray(start, end), base + start)
}

/** Peaks of `groups` groups from `firstFrame` on over all channels, in the workspace. */
export function detectGroups(
  channels: readonly Float32Array[],
  firstFrame: number,
  groups: number,
  floor: number,
): Float32Array {
  const space = workspace()
  const { kernels } = space
  const peaks = kernels.f32.subarray(space.peaks >> 2, (space.peaks >> 2) + groups)
  peaks.fill(0)
  for (const samples of channels) {
    stage(space, samples, firstFrame, groups * peakGroupFrames, marginFrames)
    kernels.peakGroups(space.x, groups, space.detectorTaps, space.peaks, space.maxima, floor, space.bound)
  }
  return peaks
}

/**
 * Writes the true-peak envelope of the groups [firstGroup, endGroup) of a signal into `peaks`: per group of 8 frames the largest
 * |value| over all channels and over eight interpolated points per frame, up to the first frame of the next group. Peaks that lie before the first
 * or after the last frame of the signal (the interpolator rings) belong to the first and the last group. Groups that cannot exceed
 * `floor` get their sample peak instead.
 */
export function detectPeaks(
  channels: readonly Float32Array[],
  firstGroup: number,
  endGroup: number,
  floor: number,
  peaks: Float32Array,
): void {
  for (let group = firstGroup; group < endGroup; group += chunkGroups) {
    const groups = Math.min(chunkGroups, endGroup - group)
    peaks.set(detectGroups(channels, group * peakGroupFrames, groups, floor), group)
  }
  const lastGroup = Math.ceil((channels[0]?.length ?? 0) / peakGroupFrames) - 1
  const fold = (into: number, beyond: number): void => {
    for (const peak of detectGroups(channels, beyond * peakGroupFrames, marginGroups, floor)) {
      if (peak > peaks[into]!) peaks[into] = peak
    }
  }
  if (firstGroup === 0 && endGroup > 0) fold(0, -marginGroups)
  if (endGroup === lastGroup + 1 && endGroup > firstGroup) fold(lastGroup, lastGroup + 1)
}

/** What a true-peak meter has read, linear: 1.0 is full scale, 0 is silence. */
export interface PeakReading {
  readonly truePeak: number
  readonly truePeakDbtp: number
  readonly samplePeakDbfs: number
}

/** A peak meter over a stream of blocks. */
export interface TruePeakMeter {
  push(block: AudioBlock): void
  /** What has been read so far, as if the signal ended here; does not change the meter. −Infinity for silence. */
  read(): PeakReading
}

/** Largest value of the stretch [from, end) of `window`, given the largest so far; sees `margin` frames on both sides. */
type Search = (window: readonly Float32Array[], from: number, end: number, best: number) => number

/** Feeds overlapping windows of a stream to a search, so that every frame is searched once with its neighbours in sight. */
function createStreamMeter(margin: number, search: Search): TruePeakMeter {
  const capacity = kernelFrames + 4 * margin
  let windows: Float32Array[] = []
  let filled = margin
  let best = 0
  let sample = 0

  const searchTo = (channels: readonly Float32Array[], end: number): number =>
    end > margin ? search(channels, margin, end, best) : best

  return {
    push(block) {
      if (windows.length === 0) windows = block.channels.map(() => new Float32Array(capacity))
      sample = Math.max(sample, samplePeak(block))
      for (let start = 0; start < block.frames; ) {
        const frames = Math.min(block.frames - start, capacity - filled)
        for (const [c, window] of windows.entries()) {
          window.set(block.channels[c]!.subarray(start, start + frames), filled)
        }
        filled += frames
        start += frames
        if (filled < capacity) continue
        const end = filled - margin
        best = searchTo(windows, end)
        for (const window of windows) window.copyWithin(0, end - margin, filled)
        filled = 2 * margin
      }
    },
    read() {
      // The filter still rings after the last frame: look at the end with silence behind it.
      const ends = windows.map((window) => {
        const end = new Float32Array(filled + 2 * margin)
        end.set(window.subarray(0, filled))
        return end
      })
      const truePeak = windows.length === 0 ? 0 : Math.max(searchTo(ends, filled + margin), sample)
      return { truePeak, truePeakDbtp: gainToDb(truePeak), samplePeakDbfs: gainToDb(sample) }
    },
  }
}

/**
 * Returns a true-peak meter (ITU-R BS.1770-5 Annex 2): eight points per frame, 32 taps per point, all channels. Its worst
 * under-reading, at the very top of the band, is 0.17 dB. The ringing before the first and after the last frame counts.
 */
export function createTruePeakMeter(): TruePeakMeter {
  return createStreamMeter(2 * marginFrames, (window, from, end, best) => {
    let largest = best
    for (let first = from - marginFrames; first < end; first += kernelFrames) {
      const groups = Math.ceil(Math.min(kernelFrames, end - first) / peakGroupFrames)
      for (const peak of detectGroups(window, first, groups, largest)) if (peak > largest) largest = peak
    }
    return largest
  })
}

/** Part of the largest detected peak from which the verifier looks closer: the detector reads no more than 0.17 dB low. */
const closer = 0.97

/**
 * Returns the meter that proves a written file: 16 points per frame and 128 taps per point wherever the eight-point detector
 * comes within 0.26 dB of the largest peak; under-reads at most 0.04 dB.
 */
export function createTruePeakVerifier(): TruePeakMeter {
  return createStreamMeter(64, (window, from, end, best) => {
    const space = workspace()
    let largest = best
    const first = from - marginFrames
    for (let start = first; start < end; start += kernelFrames) {
      const groups = Math.ceil(Math.min(kernelFrames, end - start) / peakGroupFrames)
      const peaks = detectGroups(window, start, groups, largest * closer).slice()
      const order = Array.from(peaks.keys()).sort((a, b) => peaks[b]! - peaks[a]!)
      for (const group of order) {
        if (peaks[group]! < largest * closer) break
        largest = Math.max(largest, denseGroupPeak(space, window, start + group * peakGroupFrames))
      }
    }
    return largest
  })
}

function denseGroupPeak(space: Workspace, channels: readonly Float32Array[], firstFrame: number): number {
  let peak = 0
  for (const samples of channels) {
    stage(space, samples, firstFrame, peakGroupFrames, 64)
    peak = Math.max(peak, space.kernels.densePeak(space.x, peakGroupFrames, space.verifierTaps))
  }
  return peak
}

/** True peak of a whole piece; see {@link createTruePeakMeter}. */
export function measureTruePeak(block: AudioBlock): PeakReading {
  const meter = createTruePeakMeter()
  meter.push(block)
  return meter.read()
}
