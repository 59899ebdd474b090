/** Masters of a song that runs into others: its frames are cut sample-accurately from the masters of the joined songs. */
import { rm } from 'node:fs/promises'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { type Curves, curveStepSeconds } from '../../src-engine/dsp/meters/dynamics.ts'
import type { Labels } from '../media/label-file.ts'
import { cutWav } from '../media/wav.ts'
import type { Delivery } from './deliver.ts'
import { measureMaster } from './measure-master.ts'
import type { FrameRange, PreparedSong } from './prepare-song.ts'
import type { RenderedMaster } from './render-master.ts'
import { WorkFailure } from './work-failure.ts'

/**
 * Returns a delivery with one song's frames instead of the whole, in files with its labels; files of the whole are removed. Throws a
 * WorkFailure if the song's frames are silent, or the system's error.
 */
export async function ownMasters(delivery: Delivery, own: FrameRange, labels: Labels): Promise<Delivery> {
  const { masters, release } = delivery
  const wholes = new Map([...masters, ...(release ? [release] : [])].map(({ master }) => [master.path, master]))
  const cut = new Map<string, RenderedMaster>()
  for (const [file, whole] of wholes) {
    cut.set(file, ownMaster(whole, own, labels))
    await rm(file)
  }
  const inPlace = <Made extends { readonly master: RenderedMaster }>(made: Made): Made => ({
    ...made,
    master: cut.get(made.master.path)!,
  })
  return { ...delivery, masters: masters.map(inPlace), ...(release ? { release: inPlace(release) } : {}) }
}

function ownMaster(whole: RenderedMaster, own: FrameRange, labels: Labels): RenderedMaster {
  const file = whole.path.replace(/\.wav$/, '.own.wav')
  const written = cutWav(whole.path, file, own, labels)
  const measurement = measureMaster(file, { ...written, frames: own.end - own.first })
  if (!Number.isFinite(measurement.integratedLufs)) throw new WorkFailure('DIGITAL_SILENCE')
  const { sampleRateHz, gainReductionDb } = whole
  return {
    ...whole,
    ...written,
    path: file,
    durationSeconds: (own.end - own.first) / sampleRateHz,
    measurement,
    whole: whole.measurement,
    gainReductionDb: stepsOf(gainReductionDb, own, sampleRateHz),
  }
}

/** Returns a song with curves of its own frames; all other measurements are those of the joined songs. */
export function withOwnCurves(song: PreparedSong): PreparedSong {
  const { analysis, own } = song
  return own ? { ...song, analysis: { ...analysis, curves: ownCurves(analysis, own) } } : song
}

function ownCurves({ curves, sampleRateHz }: SourceAnalysis, own: FrameRange): Curves {
  const of = <Values extends { slice(from: number, to: number): Values }>(values: Values) =>
    stepsOf(values, own, sampleRateHz)
  const { stepSeconds, shortTermLufs, peakDbfs, correlation } = curves
  return {
    stepSeconds,
    shortTermLufs: of(shortTermLufs as (number | null)[]),
    peakDbfs: of(peakDbfs as (number | null)[]),
    correlation: of(correlation as number[]),
  }
}

function stepsOf<Values extends { slice(from: number, to: number): Values }>(
  values: Values,
  { first, end }: FrameRange,
  sampleRateHz: number,
): Values {
  const stepFrames = sampleRateHz * curveStepSeconds
  return values.slice(Math.round(first / stepFrames), Math.ceil(end / stepFrames))
}
