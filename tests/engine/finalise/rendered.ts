/** A song rendered by its plan, and the readings of the meters in it. */
import { expect } from 'vitest'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { measureLoudness } from '../../../src-engine/dsp/meters/loudness.ts'
import { createTruePeakVerifier } from '../../../src-engine/dsp/meters/true-peak.ts'
import { type FinalisePlan, renderFinalise } from '../../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../../src-engine/finalise/material.ts'

/** Returns the whole planned master, as float before dither. */
export function render(source: FinaliseSource, plan: FinalisePlan, blockFrames?: number): Audio {
  const { channels, frames, sampleRateHz } = source.audio
  const result = allocateAudio(channels.length, frames, sampleRateHz)
  let first = 0
  for (const block of renderFinalise(source, plan, blockFrames)) {
    for (const [c, samples] of block.channels.entries()) result.channels[c]!.set(samples, first)
    first += block.frames
  }
  expect(first).toBe(frames)
  return result
}

/** Returns what the meters of the pipeline read: LUFS and dBTP. */
export function measured(audio: Audio): { integratedLufs: number; truePeakDbtp: number } {
  const meter = createTruePeakVerifier()
  meter.push(audio)
  return { integratedLufs: measureLoudness(audio).integratedLufs, truePeakDbtp: meter.read().truePeakDbtp }
}
