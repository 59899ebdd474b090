import { type Audio, sliceBlock } from '../block.ts'
import { createKernelFft } from '../fft.ts'
import { kernelPlace, loadKernels } from '../kernels/kernels.ts'
import { clamp, dbToPower, power, powerOfTen, powerToDb } from '../units.ts'
import { hannWindow } from '../window.ts'

/** Bands of equal width on the logarithmic frequency axis. */
export interface Bands {
  /** Exact mid-band frequencies, Hz, ascending. */
  readonly centresHz: readonly number[]
  /** Band b lies between edgesHz[b] and edgesHz[b + 1]; one value more than the centres. */
  readonly edgesHz: readonly number[]
}

/**
 * Returns the fractional-octave bands of IEC 61260-1:2014 (base ten: centres 1000·10^(0.3·i / bandsPerOctave), clause 5.2–5.4, odd
 * fractions) whose centres lie between the two frequencies. Even fractions use the centres of the odd ones (1 kHz is a centre). Never
 * throws; an empty range gives no bands.
 */
export function octaveBands(bandsPerOctave: number, lowestHz: number, highestHz: number): Bands {
  const ratio = powerOfTen(0.3 / bandsPerOctave)
  const first = Math.ceil(Math.log(lowestHz / 1000) / Math.log(ratio) - 1e-6)
  const last = Math.floor(Math.log(highestHz / 1000) / Math.log(ratio) + 1e-6)
  const centresHz: number[] = []
  for (let i = first; i <= last; i++) centresHz.push(1000 * power(ratio, i))
  const half = Math.sqrt(ratio)
  const edgesHz = centresHz.map((centre) => centre / half)
  if (centresHz.length > 0) edgesHz.push(centresHz.at(-1)! * half)
  return { centresHz, edgesHz }
}

/** The 30 third octaves with nominal centres 25 Hz … 20 kHz, used by every spectrum of the report. */
export const thirdOctaves: Bands = octaveBands(3, 25, 20_000)

/** Band powers of a piece of music over time; frame f, band b lies at f · bands + b. Full-scale sine in a band: 0.5. */
export interface BandFrames {
  readonly bands: Bands
  readonly frameCount: number
  readonly mid: Float32Array
  readonly side: Float32Array
}

/** Samples of one frame below 64 kHz; doubled above, for about 0.17 s per frame at every rate. */
function frameSize(sampleRateHz: number): number {
  return sampleRateHz > 64_000 ? 16_384 : 8192
}

/** Reference rate of the frame grid, Hz: other rates use the same moments, so all versions of a song are compared alike. */
const gridHz = 44_100

/** Most frames of a song; bounds the cost of long songs. */
const mostFrames = 1000

const fewestCompared = 250

const mostApart = 3

/**
 * Returns the stride through the default grid for comparing versions of a song: 3 for a long song, 2 below some 70 s, 1 below some 46 s.
 * All versions use the same frames, because two samplings of the same music differ by decibels in a third octave with few notes.
 */
export function comparedEvery(frameCount: number): number {
  return Math.min(mostApart, Math.max(1, Math.floor(frameCount / fewestCompared)))
}

/** Measurement grid of a piece: frames of `size` samples beginning at `starts`, ascending; the last may extend past the end. */
export interface FrameGrid {
  readonly size: number
  readonly starts: readonly number[]
}

/**
 * Returns evenly spaced frames over a piece of `frames` samples, at most 1000, half overlapping when the piece is short. A piece shorter
 * than a frame has one. The same music has frames with the same centres at any rate.
 */
export function frameGrid(frames: number, sampleRateHz: number): FrameGrid {
  const size = frameSize(sampleRateHz)
  const gridSize = frameSize(gridHz)
  const room = Math.max(0, Math.round((frames * gridHz) / sampleRateHz) - gridSize)
  const hop = Math.max(gridSize / 2, Math.ceil(room / (mostFrames - 1)))
  const starts = Array.from({ length: Math.floor(room / hop) + 1 }, (_, k) => {
    const middle = ((k * hop + gridSize / 2) * sampleRateHz) / gridHz
    return clamp(Math.round(middle) - size / 2, 0, Math.max(0, frames - size))
  })
  return { size, starts }
}

/**
 * Returns the power per band of the Hann frames of {@link frameGrid}, of mid = (L + R) / 2 and side = (L − R) / 2. Bins are shared between
 * neighbouring bands in proportion; a band above half the rate has power 0. A piece shorter than a frame is padded with silence. `onFrame`
 * gets the spectrum of each frame before it is summed into bands. Never throws.
 */
export function measureBandFrames(audio: Audio, bandSets: readonly Bands[], onFrame?: OnFrame): BandFrames[] {
  const grid = frameGrid(audio.frames, audio.sampleRateHz)
  const read = (start: number) => sliceBlock(audio, start, start + grid.size).channels
  return bandFramesOf(grid, audio.sampleRateHz, bandSets, read, onFrame)
}

/** Receives the powers of mid and side of a frame, bins 0 … size / 2, valid until it returns. */
type OnFrame = (mid: Float64Array, side: Float64Array) => void

/** The same for samples outside memory: `read` is called for the channels of every frame in turn, fewer samples past the end. */
export function bandFramesOf(
  { size, starts }: FrameGrid,
  sampleRateHz: number,
  bandSets: readonly Bands[],
  read: (start: number) => readonly Float32Array[],
  onFrame?: OnFrame,
): BandFrames[] {
  const frameCount = starts.length
  const { kernels, bandTable, sums } = place()
  let table = bandTable
  const results = bandSets.map((bands) => {
    const count = bands.centresHz.length
    const [mid, side] = [new Float32Array(frameCount * count), new Float32Array(frameCount * count)]
    const result = { bands, frameCount, mid, side, count, table }
    table = layBands(bands, size, sampleRateHz, table)
    return result
  })
  const meter = frameMeter(size)
  for (const [frame, start] of starts.entries()) {
    const [left, right] = read(start)
    meter.powersOf(left!, right!)
    onFrame?.(meter.mid.values, meter.side.values)
    for (const { mid, side, count, table } of results) {
      kernels.bandSums(meter.mid.address, table, count, sums)
      mid.set(kernels.f32.subarray(sums >> 2, (sums >> 2) + count), frame * count)
      kernels.bandSums(meter.side.address, table, count, sums)
      side.set(kernels.f32.subarray(sums >> 2, (sums >> 2) + count), frame * count)
    }
  }
  return results.map(({ bands, mid, side }) => ({ bands, frameCount, mid, side }))
}

const mostBands = 1024
const bandBytes = 24

const place = kernelPlace((kernels) => ({
  bandTable: kernels.allocate(mostBands * bandBytes),
  sums: kernels.allocate(mostBands * 4),
}))

/** Lays the bins of bands into the kernels' memory at `address` and returns the address behind them. */
function layBands({ centresHz, edgesHz }: Bands, size: number, sampleRateHz: number, address: number): number {
  const { kernels, bandTable } = place()
  const end = address + centresHz.length * bandBytes
  if (end > bandTable + mostBands * bandBytes) throw new RangeError(`more than ${mostBands} bands`)
  const binHz = sampleRateHz / size
  for (let b = 0; b < centresHz.length; b++) {
    const at = address + b * bandBytes
    const low = edgesHz[b]! / binHz
    const high = Math.min(size / 2 + 0.5, edgesHz[b + 1]! / binHz)
    const first = Math.floor(low + 0.5)
    const last = Math.min(size / 2, Math.floor(high + 0.5))
    kernels.i32[at >> 2] = first
    kernels.i32[(at >> 2) + 1] = last
    kernels.f64[(at >> 3) + 1] = Math.min(high, first + 0.5) - low
    kernels.f64[(at >> 3) + 2] = high - (last - 0.5)
  }
  return end
}

/** Doubles in the kernels' memory. */
interface KernelArray {
  readonly address: number
  readonly values: Float64Array
}

/** Finds the power spectra of single frames. */
export interface FrameMeter {
  /**
   * Powers of mid and side in the bins 0 … size / 2 of the last frame: a full-scale sine spreads 0.5 over its bins. Valid until the
   * next.
   */
  readonly mid: KernelArray
  readonly side: KernelArray
  /** Finds the powers of a Hann frame of at most `size` samples; a shorter one is padded with silence. */
  powersOf(left: Float32Array, right: Float32Array): void
}

const frameMeters = new Map<number, FrameMeter>()

/** Returns this thread's only frame meter for a size, a power of two, 4 … 131072. Throws a RangeError for another. */
export function frameMeter(size: number): FrameMeter {
  const known = frameMeters.get(size)
  if (known !== undefined) return known
  const kernels = loadKernels()
  const fft = createKernelFft(size)
  const [left, right] = [kernels.allocate(size * 4), kernels.allocate(size * 4)]
  const [window, mid, side] = [size, size / 2 + 1, size / 2 + 1].map((count) => {
    const address = kernels.allocate(count * 8)
    return { address, values: kernels.f64.subarray(address >> 3, (address >> 3) + count) }
  }) as [KernelArray, KernelArray, KernelArray]
  window.values.set(hannWindow(size))
  const scale = 1 / (size * window.values.reduce((sum, w) => sum + w * w, 0))
  const load = (samples: Float32Array, address: number) => {
    kernels.f32.set(samples, address >> 2)
    kernels.f32.fill(0, (address >> 2) + samples.length, (address >> 2) + size)
  }
  const meter: FrameMeter = {
    mid,
    side,
    powersOf(l, r) {
      load(l, left)
      load(r, right)
      kernels.windowMidSide(left, right, window.address, size, fft.re, fft.im)
      const { re, im } = fft.forward()
      kernels.midSidePowers(re, im, size, scale, mid.address, side.address)
    },
  }
  frameMeters.set(size, meter)
  return meter
}

/** Long-term band levels in dB (full-scale sine −3.01 dB); −200 dB stands for silence. */
export interface BandLevels {
  readonly bandHz: readonly number[]
  readonly midDb: readonly number[]
  readonly sideDb: readonly number[]
}

/** The level that stands for silence, dB. */
export const silentDb = -200

/** Mean square, dBFS, below which a narrow band is inaudible and may be mere rounding. */
export const inaudibleDbfs = -110

/** Distance below the loudest band beyond which bands hold no music, dB. */
export const emptyDb = 70

/** Level of a power in dB, never below {@link silentDb}. */
export function levelDb(power: number): number {
  return power > 1e-20 ? powerToDb(power) : silentDb
}

/** Returns the power mean of every band over all frames, or over the first of every `every`: the long-term average spectrum. */
export function longTermSpectrum({ bands, frameCount, mid, side }: BandFrames, every = 1): BandLevels {
  const count = bands.centresHz.length
  const average = (powers: Float32Array): number[] =>
    bands.centresHz.map((_, b) => {
      let sum = 0
      for (let frame = 0; frame < frameCount; frame += every) sum += powers[frame * count + b]!
      return levelDb(sum / Math.ceil(frameCount / every))
    })
  return { bandHz: bands.centresHz, midDb: average(mid), sideDb: average(side) }
}

/**
 * Returns the mean of the levels (in dB) of the mid over the active frames: the spectrum of a typical moment; the loudest passages weigh no
 * more than others. {@link silentDb} for silence.
 */
export function typicalSpectrumDb({ bands, frameCount, mid }: BandFrames, isActive: Uint8Array): number[] {
  const count = bands.centresHz.length
  return bands.centresHz.map((_, b) => {
    let sum = 0
    let frames = 0
    for (let frame = 0; frame < frameCount; frame++) {
      if (!isActive[frame]) continue
      sum += levelDb(mid[frame * count + b]!)
      frames++
    }
    return frames > 0 ? sum / frames : silentDb
  })
}

/** Levels in dB of one band over the frames that `isActive` names, ascending. */
export function sortedLevels(
  { bands, frameCount }: BandFrames,
  powers: Float32Array,
  band: number,
  isActive: Uint8Array,
): Float64Array {
  const count = bands.centresHz.length
  const levels: number[] = []
  for (let frame = 0; frame < frameCount; frame++) {
    if (isActive[frame]) levels.push(levelDb(powers[frame * count + band]!))
  }
  return Float64Array.from(levels).sort()
}

/** Value at the fraction p (0 … 1) of an ascending list, by linear interpolation; NaN for an empty list. */
export function quantile(ascending: ArrayLike<number>, p: number): number {
  if (ascending.length === 0) return Number.NaN
  const position = p * (ascending.length - 1)
  const below = Math.floor(position)
  const above = Math.min(ascending.length - 1, below + 1)
  return ascending[below]! + (position - below) * (ascending[above]! - ascending[below]!)
}

/** Marks the frames with music: total power within `rangeDb` of the loudest frame's. */
export function activeFrames({ bands, frameCount, mid, side }: BandFrames, rangeDb = 40): Uint8Array {
  const count = bands.centresHz.length
  const totals = Float64Array.from({ length: frameCount }, (_, frame) => {
    let sum = 0
    for (let b = 0; b < count; b++) sum += mid[frame * count + b]! + side[frame * count + b]!
    return sum
  })
  const threshold = totals.reduce((largest, total) => Math.max(largest, total), 0) * dbToPower(-rangeDb)
  return Uint8Array.from(totals, (total) => (total > threshold ? 1 : 0))
}
