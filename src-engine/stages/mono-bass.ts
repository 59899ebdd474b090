import type { RecipeStage } from '../../src-contract/recipe.ts'
import { complement, createBiquadCascade, highPass, magnitudeDb } from '../dsp/biquad.ts'
import type { Processor } from '../dsp/processor.ts'
import { dbToPower, powerToDb } from '../dsp/units.ts'

type MonoBass = Extract<RecipeStage, { kind: 'mono_bass' }>

/** What the difference of the channels keeps; critically damped, so that nothing overshoots. */
const keptOfDifference = ({ frequencyHz }: MonoBass, sampleRateHz: number) => highPass(frequencyHz, sampleRateHz, 0.5)

/** Gain of mid and side together by what the stage makes of the side, dB, where the two have nothing in common. */
export function monoBassGainDb(stage: MonoBass, hz: number, sampleRateHz: number): number {
  const inSide = keptOfDifference(stage, sampleRateHz)
  const parts = [inSide, complement(inSide)].map((filter) => dbToPower(magnitudeDb([filter], hz, sampleRateHz)))
  return powerToDb(parts[0]! + parts[1]!)
}

/**
 * Returns a processor that gives both channels the bass of one: y = kept − highpass(kept − x) in the other channel, while the kept
 * one stays bit for bit. So no note is lost that the two cancel, and what they share stays as it is. No latency. Needs two channels.
 */
export function createMonoBass(stage: MonoBass, sampleRateHz: number): Processor {
  const filter = createBiquadCascade([keptOfDifference(stage, sampleRateHz)])
  const keptChannel = stage.from === 'left' ? 0 : 1
  return {
    latencySamples: 0,
    process({ channels, frames }) {
      const kept = channels[keptChannel]!
      const other = channels[1 - keptChannel]!
      for (let i = 0; i < frames; i++) other[i] = kept[i]! - other[i]!
      filter.process({ channels: [other], frames })
      for (let i = 0; i < frames; i++) other[i] = kept[i]! - other[i]!
    },
  }
}
