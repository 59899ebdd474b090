import type { AudioBlock } from '../block.ts'
import { type Kernels, kernelFrames, kernelPlace } from '../kernels/kernels.ts'
import { runAtOnce, type Steps } from '../steps.ts'
import { gainToDb } from '../units.ts'
import { kaiser, sinc } from '../window.ts'

/** Frames that share one value of a peak envelope. */
export const peakGroupFrames = 8

/** Frames on either side of a group that can affect its peak. */
export const peakReachFrames = 136

/** Frames the short interpolator sees on either side of a point, rounded up to whole groups. */
const marginFrames = 16
const marginGroups = marginFrames / peakGroupFrames
const chunkGroups = kernelFrames / peakGroupFrames

/**
 * Interpolation filter of the detector: windowed sinc, 32 taps per point, cut-off exactly half the sampling rate (not below, to keep the
 * top octave accurate), Kaiser window with beta 5. `distance` in samples, |distance| < 16.
 */
function detectorTap(distance: number): number {
  return sinc(distance) * kaiser(distance / marginFrames, 5)
}

/** Taps of the verifier's filters for finding and for reading a peak: accurate up to 0.97 and 0.985 of half the rate. */
const closeTaps = 128
const denseTaps = 256

/** Filter of the verifier: windowed sinc, Kaiser window with beta 9. |distance| < taps / 2. */
function verifierTap(distance: number, taps: number): number {
  return sinc(distance) * kaiser((2 * distance) / taps, 9)
}

/**
 * Part of a signal's largest value that a grid of two points per frame is sure to show: cos(π/4), from Bernstein's inequality for
 * band-limited signals. Groups below it cannot hold the largest value.
 */
const halfGridRatio = 0.7

const workspace = kernelPlace((kernels) => {
  const detectorTaps = kernels.allocate(16 * 7 * 16)
  for (let t = 0; t < 16; t++) {
    for (let j = 1; j <= 4; j++) {
      const near = detectorTap(j / 8 + t)
      const far = detectorTap(1 + t - j / 8)
      const at = (detectorTaps >> 2) + (t * 7 + (j - 1) * 2) * 4
      kernels.f32.fill((near + far) / 2, at, at + 4)
      if (j < 4) kernels.f32.fill((near - far) / 2, at + 4, at + 8)
    }
  }
  return {
    /** Address of the frame 0 of a chunk; {@link peakReachFrames} on both sides are readable. */
    x: kernels.allocate((kernelFrames + 2 * peakReachFrames) * 4) + peakReachFrames * 4,
    peaks: kernels.allocate((chunkGroups + 3) * 4),
    scratch: kernels.allocate((2 * chunkGroups + 12) * 4),
    detectorTaps,
    /** Window that measures the top of the band, then the verifier's taps. */
    topBand: topBandTable(kernels),
  }
})

const topBandTaps = 32

/**
 * A Hann window with alternating signs, which measures the level close to half the sampling rate; after it the verifier's taps, the shorter
 * and the longer ones, for each of the 15 points between two frames: the first belongs to the frame 63 or 127 before.
 */
function topBandTable(kernels: Kernels): number {
  const window = Array.from({ length: topBandTaps }, (_, k) => {
    const hann = (1 - Math.cos((2 * Math.PI * (k + 0.5)) / topBandTaps)) / topBandTaps
    return k % 2 === 0 ? hann : -hann
  })
  const points = [closeTaps, denseTaps].flatMap((taps) =>
    Array.from({ length: 15 * taps }, (_, i) => {
      const point = Math.floor(i / taps) + 1
      return verifierTap(point / 16 + taps / 2 - 1 - (i % taps), taps)
    }),
  )
  const address = kernels.allocate((topBandTaps + points.length) * 4)
  kernels.f32.set(window, address >> 2)
  kernels.f32.set(points, (address >> 2) + topBandTaps)
  return address
}

/** Copies `frames` samples from `first` on and {@link peakReachFrames} on both sides to the kernels, with zeros outside the signal. */
function stage(space: ReturnType<typeof workspace>, samples: Float32Array, first: number, frames: number): void {
  const target = space.kernels.f32
  const base = (space.x >> 2) - first
  const from = first - peakReachFrames
  const to = first + frames + peakReachFrames
  const start = Math.max(0, from)
  const end = Math.min(samples.length, to)
  if (start > from || end < to) target.fill(0, base + from, base + to)
  if (end > start) target.set(samples.subarray(start, end), base + start)
}

/**
 * Returns the peaks of `groups` (at most 512) groups of 8 frames from `firstFrame` on over all channels, as a view valid until the next
 * call. Groups that cannot hold a peak above `floor` get less; a floor of 0 asks for all.
 */
export function detectGroups(
  channels: readonly Float32Array[],
  firstFrame: number,
  groups: number,
  floor: number,
): Float32Array {
  const space = workspace()
  const peaks = space.kernels.f32.subarray(space.peaks >> 2, (space.peaks >> 2) + groups)
  peaks.fill(0)
  for (const samples of channels) detectChannel(space, samples, firstFrame, groups, floor)
  return peaks
}

/** Adds one channel's peaks to those in the workspace and returns its largest sample. */
function detectChannel(
  space: ReturnType<typeof workspace>,
  samples: Float32Array,
  firstFrame: number,
  groups: number,
  floor: number,
): number {
  const { kernels, x, detectorTaps, peaks, scratch, topBand } = space
  stage(space, samples, firstFrame, groups * peakGroupFrames)
  const ratio = floor > 0 ? halfGridRatio : 0
  return kernels.peakGroups(x, groups, detectorTaps, peaks, scratch, floor, ratio, topBand)
}

/**
 * Writes the true-peak envelope of a signal into `peaks`: per group of 8 frames the largest |value| over all channels and over eight
 * interpolated points per frame, up to the first frame of the next group, with 32 taps per point; sixteen points and 256 taps if the music
 * reaches close to half the sampling rate, where a short filter under-reads. Peaks before the first frame (the interpolator rings) belong
 * to the first group; ringing after the last frame stays below its group's peak. Groups that cannot exceed `floor` get their sample peak
 * instead.
 */
export function detectPeaks(channels: readonly Float32Array[], floor: number, peaks: Float32Array): void {
  runAtOnce(peakSteps(channels, floor, peaks))
}

/** Detects peaks like {@link detectPeaks}, in steps. */
export function* peakSteps(channels: readonly Float32Array[], floor: number, peaks: Float32Array): Steps<void> {
  for (let group = 0; group < peaks.length; group += chunkGroups) {
    const groups = Math.min(chunkGroups, peaks.length - group)
    peaks.set(detectGroups(channels, group * peakGroupFrames, groups, floor), group)
    yield
  }
  for (const peak of detectGroups(channels, -marginFrames, marginGroups, floor)) {
    if (peak > peaks[0]!) peaks[0] = peak
  }
}

/** Readings of a true-peak meter, linear: 1.0 is full scale, 0 is silence. */
export interface PeakReading {
  readonly truePeak: number
  readonly truePeakDbtp: number
  readonly samplePeakDbfs: number
}

/** A peak meter over a stream of blocks. */
export interface TruePeakMeter {
  push(block: AudioBlock): void
  /** Returns the readings so far, as if the signal ended here; does not change the meter. −Infinity for silence. */
  read(): PeakReading
}

/** The largest point and the largest sample found so far. */
interface Found {
  point: number
  sample: number
}

/** Raises `found` to the peaks of the frames [from, end) of `window`; sees the frames around them. */
type Search = (window: readonly Float32Array[], from: number, end: number, found: Found) => void

/** Feeds overlapping windows of a stream to a search; every frame is searched once, with its neighbours in sight. */
function createStreamMeter(search: Search): TruePeakMeter {
  const margin = 2 * peakReachFrames
  // A window fits one kernel call.
  const capacity = kernelFrames - marginFrames + 2 * margin
  let windows: Float32Array[] = []
  let filled = margin
  const found: Found = { point: 0, sample: 0 }
  return {
    push(block) {
      if (windows.length === 0) windows = block.channels.map(() => new Float32Array(capacity))
      for (let start = 0; start < block.frames; ) {
        const frames = Math.min(block.frames - start, capacity - filled)
        for (const [c, window] of windows.entries()) {
          window.set(block.channels[c]!.subarray(start, start + frames), filled)
        }
        filled += frames
        start += frames
        if (filled < capacity) continue
        const end = filled - margin
        search(windows, margin, end, found)
        for (const window of windows) window.copyWithin(0, end - margin, filled)
        filled = 2 * margin
      }
    },
    read() {
      const atEnd = { ...found }
      // The filter still rings after the last frame: search the end with silence appended.
      const ends = windows.map((window) => {
        const end = new Float32Array(filled + 2 * margin)
        end.set(window.subarray(0, filled))
        return end
      })
      if (windows.length > 0) search(ends, margin, filled + margin, atEnd)
      const truePeak = Math.max(atEnd.point, atEnd.sample)
      return { truePeak, truePeakDbtp: gainToDb(truePeak), samplePeakDbfs: gainToDb(atEnd.sample) }
    },
  }
}

/** Calls `visit` with pieces of [from − margin, end) that fit the kernels; the margin covers the interpolator's pre-ringing. */
function forEachPiece(from: number, end: number, visit: (first: number, groups: number) => void): void {
  for (let first = from - marginFrames; first < end; first += kernelFrames) {
    visit(first, Math.ceil(Math.min(kernelFrames, end - first) / peakGroupFrames))
  }
}

/**
 * Returns a true-peak meter (ITU-R BS.1770-5 Annex 2): eight points per frame and 32 taps per point, sixteen and 256 if the signal reaches
 * close to half the sampling rate; all channels. The ringing before the first and after the last frame counts.
 */
export function createTruePeakMeter(): TruePeakMeter {
  return createStreamMeter((window, from, end, found) => {
    const space = workspace()
    forEachPiece(from, end, (first, groups) => {
      const peaks = space.kernels.f32.subarray(space.peaks >> 2, (space.peaks >> 2) + groups)
      for (const samples of window) {
        peaks.fill(0)
        found.sample = Math.max(found.sample, detectChannel(space, samples, first, groups, found.point))
        for (const peak of peaks) if (peak > found.point) found.point = peak
      }
    })
  })
}

/** Least part of the largest value that the verifier reads densely: the detector reads no more than 0.2 dB low. */
const closer = 0.977

/**
 * Returns the meter that verifies a written file: 16 points per frame wherever the eight-point detector comes within 0.2 dB of the largest
 * peak, found with 128 taps per point and read with 256; under-reads at most 0.04 dB.
 */
export function createTruePeakVerifier(): TruePeakMeter {
  return createStreamMeter((window, from, end, found) => {
    const space = workspace()
    const { kernels, x, detectorTaps, topBand } = space
    forEachPiece(from, end, (first, groups) => {
      const peaks = kernels.f32.subarray(space.peaks >> 2, (space.peaks >> 2) + groups)
      for (const samples of window) {
        peaks.fill(0)
        const sample = detectChannel(space, samples, first, groups, found.point * closer)
        found.sample = Math.max(found.sample, sample)
        found.point = kernels.densePeak(x, groups, detectorTaps, space.peaks, found.point, closer, topBand)
      }
    })
  })
}

/** True peak of a whole piece; see {@link createTruePeakMeter}. */
export function measureTruePeak(block: AudioBlock): PeakReading {
  const meter = createTruePeakMeter()
  meter.push(block)
  return meter.read()
}
