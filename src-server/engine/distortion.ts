import type { AudioBlock } from './block.ts'
import { type ComplexFft, createComplexFft } from './fft.ts'
import { powerOfTen, powerToDb } from './units.ts'

/** What processing has done to a signal, compared with the original at the processing's own input gain. 0 everywhere: nothing. */
export interface Distortion {
  /** Mean |level difference| in dB over the ERB bands and frames: dynamics and colour together. */
  readonly spectralDb: number
  /** The same after each frame's own level difference is taken out: colour alone. */
  readonly colourDb: number
  /** Mean over bands and frames of 10·log10(1 + error / masking threshold): how much of the error sticks out of the music. */
  readonly audibleDb: number
}

/** Compares excerpts of a signal with their processed versions. */
export interface DistortionMeter {
  /** Compares `processed` with `gain`·`original` (same frames, same place). Frames are 46 ms long, one after the other, mono sums. */
  compare(original: AudioBlock, processed: AudioBlock, gain: number): Distortion
}

const bandCount = 40
const lowestHz = 50
const highestHz = 16_000
/** Signal to mask ratio and slopes of the spreading per band (about 0.85 ERB), after the simple models of Johnston, JSAC 6(2), 1988. */
const maskOffsetDb = 18
const upwardSlopeDb = 9
const downwardSlopeDb = 22
/** Level below a frame's own under which nothing is heard. */
const floorRatio = 1e-9

function erbNumber(frequencyHz: number): number {
  return 21.4 * Math.log10(1 + 0.00437 * frequencyHz)
}

/** Edges in bins of the bands, equally wide on the ERB-number scale of Glasberg & Moore (1990); every band has a bin. */
function bandEdges(size: number, sampleRateHz: number): Int32Array {
  const low = erbNumber(lowestHz)
  const high = erbNumber(Math.min(highestHz, 0.45 * sampleRateHz))
  const edges = new Int32Array(bandCount + 1)
  for (let b = 0; b <= bandCount; b++) {
    const hz = (powerOfTen((low + ((high - low) * b) / bandCount) / 21.4) - 1) / 0.00437
    edges[b] = Math.max(b === 0 ? 1 : edges[b - 1]! + 1, Math.round((hz * size) / sampleRateHz))
  }
  return edges
}

/** Energies of one frame per band. */
interface Bands {
  readonly original: Float64Array
  readonly processed: Float64Array
  readonly error: Float64Array
}

/** Returns a meter for a rate; it keeps its buffers between comparisons. */
export function createDistortionMeter(sampleRateHz: number): DistortionMeter {
  const size = 2 ** Math.round(Math.log2(sampleRateHz * 0.046))
  const fft = createComplexFft(size)
  const edges = bandEdges(size, sampleRateHz)
  const window = Float64Array.from({ length: size }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / size))
  const re = new Float64Array(size)
  const im = new Float64Array(size)
  const bands: Bands = {
    original: new Float64Array(bandCount),
    processed: new Float64Array(bandCount),
    error: new Float64Array(bandCount),
  }
  return {
    compare(original, processed, gain) {
      let spectral = 0
      let colour = 0
      let audible = 0
      const frames = Math.floor(original.frames / size)
      for (let f = 0; f < frames; f++) {
        const isTouched = loadFrame(original, processed, gain, f * size, window, re, im)
        if (!isTouched) continue
        spectrumBands(fft, re, im, edges, bands)
        const found = compareBands(bands)
        spectral += found.spectralDb
        colour += found.colourDb
        audible += found.audibleDb
      }
      const count = Math.max(1, frames)
      return { spectralDb: spectral / count, colourDb: colour / count, audibleDb: audible / count }
    },
  }
}

/** Packs the windowed mono sums into re (original at gain) and im (processed); returns whether they differ. */
function loadFrame(
  original: AudioBlock,
  processed: AudioBlock,
  gain: number,
  start: number,
  window: Float64Array,
  re: Float64Array,
  im: Float64Array,
): boolean {
  const [xl, xr] = [original.channels[0]!, original.channels[1] ?? original.channels[0]!]
  const [yl, yr] = [processed.channels[0]!, processed.channels[1] ?? processed.channels[0]!]
  let difference = 0
  let energy = 0
  for (let i = 0; i < window.length; i++) {
    const x = (xl[start + i]! + xr[start + i]!) * gain
    const y = yl[start + i]! + yr[start + i]!
    difference += (x - y) * (x - y)
    energy += x * x
    re[i] = x * window[i]!
    im[i] = y * window[i]!
  }
  return difference > energy * 1e-9
}

function spectrumBands(fft: ComplexFft, re: Float64Array, im: Float64Array, edges: Int32Array, bands: Bands): void {
  const size = fft.size
  fft.forward(re, im)
  let cross = 0
  let power = 0
  for (let b = 0; b < bandCount; b++) {
    let original = 0
    let processed = 0
    let product = 0
    for (let k = edges[b]!; k < edges[b + 1]!; k++) {
      const xr = re[k]! + re[size - k]!
      const xi = im[k]! - im[size - k]!
      const yr = im[k]! + im[size - k]!
      const yi = re[size - k]! - re[k]!
      original += xr * xr + xi * xi
      processed += yr * yr + yi * yi
      product += xr * yr + xi * yi
    }
    bands.original[b] = original
    bands.processed[b] = processed
    bands.error[b] = product
    cross += product
    power += original
  }
  // A slow change of level is not an error: take the frame's best gain out before looking at what else was added.
  const gain = power > 0 ? cross / power : 1
  for (let b = 0; b < bandCount; b++) {
    const error = bands.processed[b]! - 2 * gain * bands.error[b]! + gain * gain * bands.original[b]!
    bands.error[b] = Math.max(0, error)
  }
}

const upward = powerOfTen(-upwardSlopeDb / 10)
const downward = powerOfTen(-downwardSlopeDb / 10)
const maskOffset = powerOfTen(-maskOffsetDb / 10)

function compareBands({ original, processed, error }: Bands): Distortion {
  let totalOriginal = 0
  let totalProcessed = 0
  for (let b = 0; b < bandCount; b++) {
    totalOriginal += original[b]!
    totalProcessed += processed[b]!
  }
  const floor = totalOriginal * floorRatio + 1e-12
  const level = powerToDb((totalProcessed + floor) / (totalOriginal + floor))
  const mask = new Float64Array(bandCount)
  for (let b = 0, spread = 0; b < bandCount; b++) {
    spread = Math.max(processed[b]!, spread * upward)
    mask[b] = spread
  }
  for (let b = bandCount - 1, spread = 0; b >= 0; b--) {
    spread = Math.max(processed[b]!, spread * downward)
    mask[b] = Math.max(mask[b]!, spread)
  }
  let spectralDb = 0
  let colourDb = 0
  let audibleDb = 0
  for (let b = 0; b < bandCount; b++) {
    const difference = powerToDb((processed[b]! + floor) / (original[b]! + floor))
    spectralDb += Math.abs(difference)
    colourDb += Math.abs(difference - level)
    audibleDb += powerToDb(1 + error[b]! / (mask[b]! * maskOffset + floor))
  }
  return {
    spectralDb: spectralDb / bandCount,
    colourDb: colourDb / bandCount,
    audibleDb: audibleDb / bandCount,
  }
}
