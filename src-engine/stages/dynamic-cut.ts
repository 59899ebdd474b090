import type { DynamicCut } from '../../src-contract/recipe.ts'
import { bandPass, createBiquadCascade } from '../dsp/biquad.ts'
import { type AudioBlock, allocateBlock, sliceBlock } from '../dsp/block.ts'
import { onePoleCoefficient } from '../dsp/envelope.ts'
import { inaudibleDbfs } from '../dsp/meters/spectrum.ts'
import { alongControlGrid, controlFrames, decodeMidSide, encodeMidSide, type Processor } from '../dsp/processor.ts'
import { clamp, dbToGain, powerToDb } from '../dsp/units.ts'

const chunkFrames = 4096
/** Levels are averaged over this time, so that the narrow band's own beating is not followed. */
const averagingMs = 20

/** Width of so many equal band-passes in a row against that of one: ∫ (1 + x²)⁻ⁿ dx. */
const widthOfSections = { 1: 1, 3: 3 / 8 }

interface ChannelState {
  readonly maxCutDb: number
  band: number
  reference: number
  bandMean: number
  referenceMean: number
  cutDb: number
  gain: number
  nextGain: number
}

const channelState = (maxCutDb: number): ChannelState => ({
  maxCutDb,
  band: 0,
  reference: 0,
  bandMean: 0,
  referenceMean: 0,
  cutDb: 0,
  gain: 1,
  nextGain: 1,
})

/** A processor that can say how much it turned mid and side down at most so far, dB. */
export interface DynamicCutter extends Processor {
  mostCutDb(): { readonly mid: number; readonly side: number }
}

/**
 * Returns a dynamic equaliser for one band, in mid and side apart: y = x + (gain − 1)·band, which is a peaking equaliser whose gain
 * moves. The band is turned down by as much as its power, per hertz, exceeds that of the reference band by more than the tolerance. No
 * latency. A largest cut of 0 in both is the exact identity, and a band below −110 dBFS is left alone. Needs two channels.
 */
export function createDynamicCut(cut: DynamicCut, sampleRateHz: number): DynamicCutter {
  const stepHz = sampleRateHz / controlFrames
  const attack = onePoleCoefficient(cut.attackMs, stepHz)
  const release = onePoleCoefficient(cut.releaseMs, stepHz)
  const averaging = onePoleCoefficient(averagingMs, stepHz)
  const referenceWidth = (cut.referenceHz / cut.referenceQ) * widthOfSections[cut.referenceSections]
  const widthRatioDb = powerToDb(referenceWidth * (cut.q / cut.frequencyHz))
  const bandFilter = createBiquadCascade([bandPass(cut.frequencyHz, sampleRateHz, cut.q)])
  const referenceSection = bandPass(cut.referenceHz, sampleRateHz, cut.referenceQ)
  const referenceFilter = createBiquadCascade(Array.from({ length: cut.referenceSections }, () => referenceSection))
  const band = allocateBlock(2, chunkFrames)
  const reference = allocateBlock(2, chunkFrames)
  const states = [channelState(cut.maxMidCutDb), channelState(cut.maxSideCutDb)]
  const isNeutral = cut.maxMidCutDb === 0 && cut.maxSideCutDb === 0
  const most = [0, 0]
  let position = 0

  function advance(state: ChannelState): void {
    state.bandMean = state.band + averaging * (state.bandMean - state.band)
    state.referenceMean = state.reference + averaging * (state.referenceMean - state.reference)
    const bandDb = powerToDb(state.bandMean / controlFrames)
    const excessDb = bandDb - powerToDb(state.referenceMean / controlFrames) + widthRatioDb
    const wanted = bandDb > inaudibleDbfs ? clamp(excessDb - cut.toleranceDb, 0, state.maxCutDb) : 0
    const coefficient = wanted > state.cutDb ? attack : release
    const cutDb = wanted + coefficient * (state.cutDb - wanted)
    state.cutDb = cutDb < 1e-5 ? 0 : cutDb
    state.gain = state.nextGain
    state.nextGain = state.cutDb === 0 ? 1 : dbToGain(-state.cutDb)
    state.band = 0
    state.reference = 0
  }

  function processChunk(block: AudioBlock): void {
    encodeMidSide(block)
    const bandPart = filtered(block, band, bandFilter)
    const referencePart = filtered(block, reference, referenceFilter)
    position = alongControlGrid(position, block.frames, (start, end, isComplete) => {
      const offset = (position + start) % controlFrames
      for (const [c, state] of states.entries()) {
        const slope = (state.nextGain - state.gain) / controlFrames
        const samples = block.channels[c]!
        const inBand = bandPart.channels[c]!
        const inReference = referencePart.channels[c]!
        for (let i = start; i < end; i++) {
          const value = inBand[i]!
          state.band += value * value
          state.reference += inReference[i]! * inReference[i]!
          samples[i]! += (state.gain + slope * (offset + i - start + 1) - 1) * value
        }
      }
      if (!isComplete) return
      for (const [c, state] of states.entries()) {
        advance(state)
        most[c] = Math.max(most[c]!, state.cutDb)
      }
    })
    decodeMidSide(block)
  }

  return {
    latencySamples: 0,
    process(block) {
      if (isNeutral) return
      for (let start = 0; start < block.frames; start += chunkFrames) {
        processChunk(sliceBlock(block, start, start + chunkFrames))
      }
    },
    mostCutDb: () => ({ mid: most[0]!, side: most[1]! }),
  }
}

function filtered(block: AudioBlock, into: AudioBlock, filter: Processor): AudioBlock {
  const part = sliceBlock(into, 0, block.frames)
  for (const [c, samples] of part.channels.entries()) samples.set(block.channels[c]!)
  filter.process(part)
  return part
}
