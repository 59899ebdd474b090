import { crc32 } from 'node:zlib'
import type { AudioBlock } from '../../src-engine/dsp/block.ts'
import { type Curves, curveStepSeconds, curvesOf } from '../../src-engine/dsp/meters/dynamics.ts'
import { createLoudnessMeter, type Loudness } from '../../src-engine/dsp/meters/loudness.ts'
import {
  type BandLevels,
  bandFramesOf,
  comparedEvery,
  frameGrid,
  longTermSpectrum,
  thirdOctaves,
} from '../../src-engine/dsp/meters/spectrum.ts'
import { sideToMidDb } from '../../src-engine/dsp/meters/stereo.ts'
import { correlationOf, crestFactorDb, joinSums, noSums, sumStereo } from '../../src-engine/dsp/meters/sums.ts'
import { createTruePeakVerifier } from '../../src-engine/dsp/meters/true-peak.ts'
import { planesOfPcm } from '../../src-engine/dsp/pcm.ts'
import { gainToDb } from '../../src-engine/dsp/units.ts'
import { openWav, type WavReader } from '../media/wav.ts'
import type { WrittenFile } from '../media/written-file.ts'

/** Measurements of a written master, read from the file; curves have a point every 100 ms. Levels of silence are −Infinity. */
export interface MasterMeasurement extends Loudness {
  readonly truePeakDbtp: number
  readonly samplePeakDbfs: number
  readonly crestFactorDb: number
  readonly correlation: number
  readonly sideToMidDb: number
  readonly spectrum: BandLevels
  readonly curves: Curves
  /** Mean squares of whole steps of 100 ms, K-weighted. */
  readonly stepMeanSquares: Float64Array
}

const CHANNELS = 2
const BLOCK_FRAMES = 1 << 15

/**
 * Reads a written WAV from its first to its last frame and returns its measurements: loudness after BS.1770-5, true peak at 16 points per
 * frame. Throws if the file is incomplete, has another number of frames or other bytes than were written, or cannot be read.
 */
export function measureMaster(
  path: string,
  written?: Pick<WrittenFile, 'crc32'> & { readonly frames: number },
): MasterMeasurement {
  const wav = openWav(path)
  try {
    if (written && wav.frames !== written.frames)
      throw new Error(`the file has ${wav.frames} of ${written.frames} frames`)
    let sum = crc32(wav.head)
    const loudness = createLoudnessMeter(wav.sampleRateHz)
    const peaks = createTruePeakVerifier()
    const steps = createStepMeter(Math.round(wav.sampleRateHz * curveStepSeconds))
    const planes = [new Float32Array(BLOCK_FRAMES), new Float32Array(BLOCK_FRAMES)] as const
    for (let start = 0; start < wav.frames; start += BLOCK_FRAMES) {
      const bytes = wav.read(start, Math.min(BLOCK_FRAMES, wav.frames - start))
      sum = crc32(bytes, sum)
      const block = blockOf(wav, bytes, planes)
      loudness.push(block)
      peaks.push(block)
      steps.push(block)
    }
    // Nothing follows the samples of two channels, whose number of bytes is even.
    if (written && sum !== written.crc32) throw new Error('the file reads back different from what was written')
    const bands = comparedSpectrumOf(wav)
    const { whole, peakDbfs, correlations } = steps.read()
    return {
      ...loudness.read(),
      ...peaks.read(),
      crestFactorDb: crestFactorDb(whole),
      correlation: correlationOf(whole),
      sideToMidDb: sideToMidDb(bands),
      spectrum: bands,
      curves: curvesOf(loudness.shortTermLufs(), peakDbfs, correlations),
      stepMeanSquares: loudness.stepMeanSquares(),
    }
  } finally {
    wav.close()
  }
}

/** Converts the bytes of frames into the start of two planes; the block is a view of them. */
function blockOf(
  { bitDepth }: Pick<WavReader, 'bitDepth'>,
  bytes: Uint8Array,
  planes: readonly [Float32Array, Float32Array],
): AudioBlock {
  planesOfPcm(bytes, `pcm_s${bitDepth}`, planes)
  const [left, right] = planes
  const frames = bytes.length / ((CHANNELS * bitDepth) / 8)
  return { channels: [left.subarray(0, frames), right.subarray(0, frames)], frames }
}

/** The long-term spectrum of the frames that represent a song when it is compared with its masters. */
function comparedSpectrumOf(wav: WavReader): BandLevels {
  const { size, starts } = frameGrid(wav.frames, wav.sampleRateHz)
  const every = comparedEvery(starts.length)
  const grid = { size, starts: starts.filter((_, k) => k % every === 0) }
  const planes = [new Float32Array(size), new Float32Array(size)] as const
  const [bands] = bandFramesOf(
    grid,
    wav.sampleRateHz,
    [thirdOctaves],
    (start) => blockOf(wav, wav.read(start, Math.min(size, wav.frames - start)), planes).channels,
  )
  return longTermSpectrum(bands!)
}

/** Sums of the whole; peak in dBFS and correlation of every step of `stepFrames` frames; the last step may be shorter. */
function createStepMeter(stepFrames: number) {
  const peakDbfs: number[] = []
  const correlations: number[] = []
  let step = noSums
  let whole = noSums
  const closeStep = () => {
    peakDbfs.push(gainToDb(step.peak))
    correlations.push(correlationOf(step))
    whole = joinSums(whole, step)
    step = noSums
  }
  return {
    push({ channels, frames }: AudioBlock) {
      const left = channels[0]!
      for (let start = 0; start < frames; ) {
        const end = Math.min(frames, start + stepFrames - step.frames)
        step = joinSums(step, sumStereo(left, channels[1]!, start, end))
        start = end
        if (step.frames === stepFrames) closeStep()
      }
    },
    read() {
      if (step.frames > 0) closeStep()
      return { whole, peakDbfs, correlations }
    },
  }
}
