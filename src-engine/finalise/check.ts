import { kernelFrames } from '../dsp/kernels/kernels.ts'
import { gatedLufs } from '../dsp/meters/gating.ts'
import { createEnergyFilter } from '../dsp/meters/loudness.ts'
import { peakGroupFrames } from '../dsp/meters/true-peak.ts'
import { clipKnee } from './clipper.ts'
import { applyControls } from './limiter.ts'
import { blockMeans, clippedFrames, type LimiterTrial, type Song, stepBounds } from './material.ts'

/** Steps of 100 ms that the K-weighting still rings after a gain movement. */
const memorySteps = 3

/** Part of the changed steps that an estimate measures: 2 s of every 8. */
const sampledSteps = 20
const sampledOf = 80

/** Least share of the estimated energy in the measured steps. */
const leastSampledPart = 0.1

/**
 * Returns the integrated loudness in LUFS of the master given by a trial's controls and `gainDb`: filtered sample by sample wherever
 * clipper or limiter change the song, taken from the source's energies elsewhere. An estimate filters only a fair sample of those places
 * and corrects the prediction of the others by the same error. −Infinity for silence and below 400 ms.
 */
export function measureRendered(
  source: Song,
  clipLimit: number | null,
  { controls, stepEnergies }: Pick<LimiterTrial, 'controls' | 'stepEnergies'>,
  gainDb: number,
  how: 'whole' | 'estimate' = 'whole',
): number {
  const { sampleRateHz } = source
  const bounds = stepBounds(source.peaks.length, sampleRateHz)
  const energies = sumSteps(source.energies, bounds)
  const touched = touchedSteps(source, clipLimit, controls, bounds)
  const sampled = how === 'whole' ? touched : fairSample(touched, stepEnergies)
  for (let step = 0; step < energies.length; ) {
    if (!sampled[step]) {
      step++
      continue
    }
    let end = step
    while (end < energies.length && sampled[end]) end++
    filterSteps(source, clipLimit, controls, bounds, step, end, energies)
    step = end
  }
  if (sampled !== touched) {
    const correction = sumWhere(energies, sampled) / sumWhere(stepEnergies, sampled)
    for (const [step, energy] of stepEnergies.entries()) {
      if (touched[step] && !sampled[step]) energies[step] = energy * correction
    }
  }
  return gatedLufs(blockMeans(energies, sampleRateHz)) + gainDb
}

/** Some of the touched steps, spread over the song; all of them if some would not be representative. */
function fairSample(touched: Uint8Array, stepEnergies: Float64Array): Uint8Array {
  const sample = touched.map((isTouched, step) => (isTouched && step % sampledOf < sampledSteps ? 1 : 0))
  return sumWhere(stepEnergies, sample) > leastSampledPart * sumWhere(stepEnergies, touched) ? sample : touched
}

function sumWhere(values: Float64Array, isTaken: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < values.length; i++) if (isTaken[i]) sum += values[i]!
  return sum
}

/** Adds up the groups' energies in each step. */
export function sumSteps(energies: Float32Array, bounds: Int32Array): Float64Array {
  const sums = new Float64Array(Math.max(0, bounds.length - 1))
  for (let step = 0; step < sums.length; step++) {
    let sum = 0
    for (let g = bounds[step]!; g < bounds[step + 1]!; g++) sum += energies[g]!
    sums[step] = sum
  }
  return sums
}

function touchedSteps(source: Song, clipLimit: number | null, controls: Float32Array, bounds: Int32Array): Uint8Array {
  const touched = new Uint8Array(Math.max(0, bounds.length - 1))
  const knee = clipLimit === null ? Infinity : clipLimit * clipKnee
  for (let step = 0; step < touched.length; step++) {
    if (isTouched(source.peaks, knee, controls, bounds[step]!, bounds[step + 1]!)) {
      touched.fill(1, Math.max(0, step - 1), step + 1 + memorySteps)
    }
  }
  return touched
}

function isTouched(peaks: Float32Array, knee: number, controls: Float32Array, first: number, end: number): boolean {
  for (let g = first; g < end; g++) if (controls[g + 1]! !== 1 || peaks[g]! > knee) return true
  return false
}

const pieceGroups = kernelFrames / peakGroupFrames
const piece = [new Float32Array(kernelFrames), new Float32Array(kernelFrames)] as const
const pieceEnergies = new Float64Array(pieceGroups)

/** Replaces the energies of the steps [first, end) by those of the processed samples, at input gain 0 dB. */
function filterSteps(
  source: Song,
  clipLimit: number | null,
  controls: Float32Array,
  bounds: Int32Array,
  first: number,
  end: number,
  energies: Float64Array,
): void {
  const { audio, sampleRateHz } = source
  const filter = createEnergyFilter(sampleRateHz)
  energies.fill(0, first, end)
  let next = first
  for (let group = bounds[Math.max(0, first - memorySteps)]!; group < bounds[end]!; group += pieceGroups) {
    const groups = Math.min(pieceGroups, bounds[end]! - group)
    const frames = Math.min(groups * peakGroupFrames, audio.frames - group * peakGroupFrames)
    const block = { channels: audio.channels.map((_, c) => piece[c]!.subarray(0, frames)), frames }
    const clipped = clippedFrames(audio, source.peaks, clipLimit, group * peakGroupFrames, block)
    applyControls(clipped, controls, group * peakGroupFrames, 1, block)
    filter.push(block.channels[0]!, block.channels[1]!, peakGroupFrames, pieceEnergies)
    for (let step = next; step < end && bounds[step]! < group + groups; step++) {
      energies[step]! += sumOf(pieceEnergies, bounds[step]! - group, Math.min(groups, bounds[step + 1]! - group))
      next = bounds[step + 1]! <= group + groups ? step + 1 : step
    }
  }
}

/** Sum of the values [first, end); indices below 0 count as 0. */
function sumOf(values: Float64Array, first: number, end: number): number {
  let sum = 0
  for (let i = Math.max(0, first); i < end; i++) sum += values[i]!
  return sum
}
