import type { PeakTreatment } from '../../src-contract/recipe.ts'
import { gainToDb } from '../../src-engine/dsp/units.ts'
import { NO_PADDING, type Padding, silencePadding, withSilentPadding } from '../../src-engine/edges.ts'
import { createQuantiser } from '../../src-engine/finalise/dither.ts'
import {
  type FinalisePlan,
  gainReductionDb,
  planFinalise,
  renderFinalise,
  resultOffset,
  trimFinalise,
} from '../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../src-engine/finalise/material.ts'
import type { SongTags } from '../media/audio-facts.ts'
import type { Cover } from '../media/tags.ts'
import { createWavWriter } from '../media/wav.ts'
import type { WrittenFile } from '../media/written-file.ts'
import { type MasterMeasurement, measureMaster } from './measure-master.ts'

/** One file to write: plain values and shared memory that can be posted to a thread. */
export interface RenderTask {
  readonly source: FinaliseSource
  readonly targetLufs: number
  readonly ceilingDbtp: number
  readonly peaks?: PeakTreatment | undefined
  readonly intensity: number
  readonly bitDepth: 16 | 24
  readonly seed: number
  readonly path: string
  readonly tags: SongTags
  readonly cover?: Cover | undefined
  /** Undithered silence that is part of the audio; no padding when absent. */
  readonly padding?: Padding
}

/** A master to write before dither: plain values and shared memory. */
export interface FloatTask {
  readonly source: FinaliseSource
  /** Plan of the master. */
  readonly plan: FinalisePlan
  readonly floatPath: string
  readonly padding: Padding
}

/** A verified file that keeps its plan's promises, and its measurements. */
export interface RenderedMaster extends WrittenFile {
  readonly path: string
  readonly sampleRateHz: number
  readonly durationSeconds: number
  readonly bitDepth: 16 | 24
  readonly plan: FinalisePlan
  readonly measurement: MasterMeasurement
  /** Measurement of all joined songs, which the plan refers to; absent for a single song. */
  readonly whole?: MasterMeasurement
  /** Largest reduction of a peak by clipper and limiter together in each 100 ms, dB, 0 or more. */
  readonly gainReductionDb: Float32Array
  /** Largest DC offset of a channel that was removed from the master, dBFS; absent without an offset. */
  readonly offsetRemovedDbfs?: number
}

/** Steps of a render, for the progress. */
export type RenderStep = 'planned' | 'written' | 'verified'

/** Error for a master whose written file exceeds its ceiling after all corrections. */
export class CeilingBrokenError extends Error {
  override readonly name = 'CeilingBrokenError'
}

/** A first render nearly always holds; each further one starts from the last one's measurement. */
const MAX_ROUNDS = 6
/** Excess of a longer interpolator's reading over ours on music: the ceiling must hold for both. */
const METER_DOUBT_DB = 0.008
/** Difference between two correct true-peak meters that can occur on any signal. */
const METER_TOLERANCE_DB = 0.05
const BLOCK_FRAMES = 32_768

/**
 * Plans, renders and writes one master, reads it back from the file, and repeats with a corrected plan until the written file holds its
 * ceiling and its loudness. Returns the file's measurements; the plan says if the loudness could not be reached. Throws a
 * {@link CeilingBrokenError}, the system's error (`ENOSPC`), or an error of the engine.
 */
export function renderMaster(task: RenderTask, onStep: (step: RenderStep) => void): RenderedMaster {
  let plan = planFinalise(task.source, task)
  onStep('planned')
  for (let round = 1; ; round++) {
    const written = writeMaster(task, plan)
    if (round === 1) onStep('written')
    const { frames } = task.source.audio
    const measurement = measureMaster(task.path, { ...written, frames })
    const trimmed = correctPlan(plan, measurement, round)
    if (!trimmed || round === MAX_ROUNDS) {
      const overDb = measurement.truePeakDbtp - plan.promisedCeilingDbtp
      if (overDb > METER_TOLERANCE_DB) {
        throw new CeilingBrokenError(`the written file is ${overDb.toFixed(3)} dB above its ceiling`)
      }
      onStep('verified')
      const { sampleRateHz } = task.source
      const format = { sampleRateHz, bitDepth: task.bitDepth, durationSeconds: frames / sampleRateHz }
      return {
        ...written,
        ...format,
        path: task.path,
        plan,
        measurement,
        gainReductionDb: gainReductionDb(task.source, plan),
        ...removedOffset(task.source, plan),
      }
    }
    plan = trimmed
  }
}

function removedOffset(source: FinaliseSource, plan: FinalisePlan): Pick<RenderedMaster, 'offsetRemovedDbfs'> {
  const offset = resultOffset(source, plan)
  return offset === null ? {} : { offsetRemovedDbfs: gainToDb(Math.max(...offset.means.map(Math.abs))) }
}

/**
 * Returns the plan of the next round, or null if the file of this one (1 is the first) keeps ceiling and loudness. A peak that the limiter
 * reads too low hardly follows the ceiling, so each round goes twice as far for the same excess.
 */
export function correctPlan(
  plan: FinalisePlan,
  measured: Pick<MasterMeasurement, 'integratedLufs' | 'truePeakDbtp'>,
  round: number,
): FinalisePlan | null {
  const excessDb = measured.truePeakDbtp + METER_DOUBT_DB - plan.promisedCeilingDbtp
  const counted = excessDb > 0 ? excessDb * 2 ** (round - 1) : excessDb
  const truePeakDbtp = plan.promisedCeilingDbtp + counted
  return trimFinalise(plan, { integratedLufs: measured.integratedLufs, truePeakDbtp })
}

function writeMaster(task: RenderTask, plan: FinalisePlan): WrittenFile {
  const { source, bitDepth, seed, padding = NO_PADDING } = task
  const { frames } = source.audio
  const dithered = createQuantiser({ bitDepth, sampleRateHz: source.sampleRateHz, seed })
  const quantiser = withSilentPadding(dithered, padding, { frames })
  const format = { sampleRateHz: source.sampleRateHz, bitDepth, frames }
  const wav = createWavWriter(task.path, format, task)
  try {
    const bytes = new Uint8Array(BLOCK_FRAMES * quantiser.bytesPerFrame)
    for (const block of renderFinalise(source, plan, BLOCK_FRAMES)) {
      wav.write(bytes.subarray(0, quantiser.write(block, bytes)))
    }
    return wav.finish()
  } catch (error) {
    wav.abandon()
    throw error
  }
}

/** Writes the samples of a planned master without dither: a WAV of 32 bit float, without tags. Throws the system's error. */
export function writeFloatMaster({ source, plan, floatPath, padding }: FloatTask): void {
  const { frames } = source.audio
  const wav = createWavWriter(floatPath, { sampleRateHz: source.sampleRateHz, bitDepth: 32, frames }, { tags: {} })
  try {
    const samples = new Float32Array(2 * BLOCK_FRAMES)
    let first = 0
    for (const block of renderFinalise(source, plan, BLOCK_FRAMES)) {
      const { channels, frames: count } = block
      silencePadding(block, padding, { first, frames })
      first += count
      for (let i = 0; i < count; i++) {
        samples[2 * i] = channels[0]![i]!
        samples[2 * i + 1] = channels[1]![i]!
      }
      wav.write(new Uint8Array(samples.buffer, 0, count * 2 * Float32Array.BYTES_PER_ELEMENT))
    }
    wav.finish()
  } catch (error) {
    wav.abandon()
    throw error
  }
}
