import type { AudioBlock } from '../engine/block.ts'
import { curveStepSeconds } from '../engine/meters/dynamics.ts'
import { createLoudnessMeter, type Loudness } from '../engine/meters/loudness.ts'
import {
  type BandLevels,
  levelDb,
  longTermSpectrum,
  measureBandFrames,
  thirdOctaves,
} from '../engine/meters/spectrum.ts'
import { sideToMidDb } from '../engine/meters/stereo.ts'
import { createTruePeakVerifier } from '../engine/meters/true-peak.ts'
import { gainToDb, powerToDb } from '../engine/units.ts'
import { openWav } from '../media/wav.ts'

/** What a written master measures: read from the file, every 100 ms where it is a curve. Levels of silence are −Infinity. */
export interface MasterMeasurement extends Loudness {
  readonly truePeakDbtp: number
  readonly samplePeakDbfs: number
  readonly crestFactorDb: number
  readonly correlation: number
  readonly sideToMidDb: number
  readonly spectrum: BandLevels
  readonly curves: {
    readonly shortTermLufs: Float64Array
    readonly peakDbfs: Float64Array
    readonly correlation: Float64Array
  }
}

/** About 12 s: long enough that the spectrum's windows are spread evenly, short enough to stay small. */
const BLOCK_FRAMES = 1 << 19
/** Spectra per block; about 250 for a song. */
const SPECTRA_PER_BLOCK = 12

/**
 * Reads a written WAV from its first to its last frame and returns what it measures: loudness after BS.1770-5, true peak at 16 points
 * per frame. Throws when the file is not whole or cannot be read.
 */
export function measureMaster(path: string): MasterMeasurement {
  const wav = openWav(path)
  try {
    const loudness = createLoudnessMeter(wav.sampleRateHz)
    const peaks = createTruePeakVerifier()
    const spectrum = createSpectrumSum()
    const steps = createStepMeter(Math.round(wav.sampleRateHz * curveStepSeconds))
    for (const block of wav.blocks(BLOCK_FRAMES)) {
      loudness.push(block)
      peaks.push(block)
      spectrum.push(block, wav.sampleRateHz)
      steps.push(block)
    }
    const bands = spectrum.read()
    return {
      ...loudness.read(),
      ...peaks.read(),
      ...steps.read(),
      sideToMidDb: sideToMidDb(bands),
      spectrum: bands,
      curves: { shortTermLufs: loudness.shortTermLufs(), ...steps.curves() },
    }
  } finally {
    wav.close()
  }
}

/** Power mean of the band levels of all blocks. */
function createSpectrumSum() {
  const bandHz = thirdOctaves.centresHz
  const mid = new Float64Array(bandHz.length)
  const side = new Float64Array(bandHz.length)
  let frames = 0
  return {
    push(block: AudioBlock, sampleRateHz: number) {
      const [bands] = measureBandFrames(block, sampleRateHz, [thirdOctaves], SPECTRA_PER_BLOCK)
      const levels = longTermSpectrum(bands!)
      for (let b = 0; b < bandHz.length; b++) {
        mid[b]! += 10 ** (levels.midDb[b]! / 10) * block.frames
        side[b]! += 10 ** (levels.sideDb[b]! / 10) * block.frames
      }
      frames += block.frames
    },
    read(): BandLevels {
      const level = (power: number) => levelDb(power / Math.max(1, frames))
      return { bandHz, midDb: Array.from(mid, level), sideDb: Array.from(side, level) }
    },
  }
}

/** Peak and correlation of every step of `stepFrames` frames and of the whole. */
function createStepMeter(stepFrames: number) {
  const peakDbfs: number[] = []
  const correlation: number[] = []
  const step = { left: 0, right: 0, product: 0, peak: 0, frames: 0 }
  const whole = { left: 0, right: 0, product: 0, peak: 0, frames: 0 }
  const closeStep = () => {
    peakDbfs.push(gainToDb(step.peak))
    correlation.push(correlationOf(step))
    whole.left += step.left
    whole.right += step.right
    whole.product += step.product
    whole.peak = Math.max(whole.peak, step.peak)
    whole.frames += step.frames
    Object.assign(step, { left: 0, right: 0, product: 0, peak: 0, frames: 0 })
  }
  return {
    push(block: AudioBlock) {
      for (let start = 0; start < block.frames; ) {
        const count = Math.min(block.frames - start, stepFrames - step.frames)
        addStretch(step, block, start, start + count)
        start += count
        if (step.frames === stepFrames) closeStep()
      }
    },
    read() {
      if (step.frames > 0) closeStep()
      const power = powerToDb((whole.left + whole.right) / (2 * Math.max(1, whole.frames)))
      return {
        crestFactorDb: whole.peak > 0 ? gainToDb(whole.peak) - power : 0,
        correlation: correlationOf(whole),
      }
    },
    curves: () => ({ peakDbfs: Float64Array.from(peakDbfs), correlation: Float64Array.from(correlation) }),
  }
}

interface StepSums {
  left: number
  right: number
  product: number
  peak: number
  frames: number
}

function addStretch(sums: StepSums, block: AudioBlock, start: number, end: number): void {
  const left = block.channels[0]!.subarray(start, end)
  const right = (block.channels[1] ?? block.channels[0]!).subarray(start, end)
  let [l, r, product, peak] = [0, 0, 0, sums.peak]
  for (let i = 0; i < left.length; i++) {
    const a = left[i]!
    const b = right[i]!
    l += a * a
    r += b * b
    product += a * b
    const magnitude = Math.max(Math.abs(a), Math.abs(b))
    if (magnitude > peak) peak = magnitude
  }
  sums.left += l
  sums.right += r
  sums.product += product
  sums.peak = peak
  sums.frames += left.length
}

function correlationOf({ left, right, product }: StepSums): number {
  const norm = Math.sqrt(left * right)
  return norm > 1e-14 ? Math.max(-1, Math.min(1, product / norm)) : 1
}
