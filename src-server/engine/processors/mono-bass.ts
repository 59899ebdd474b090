import type { RecipeStage } from '../../contract/recipe.ts'
import { type Biquad, complement, createBiquadCascade, highPass, magnitudeDb } from '../biquad.ts'
import { dbToPower, powerToDb } from '../units.ts'
import type { Processor } from './processor.ts'

type MonoBass = Extract<RecipeStage, { kind: 'mono_bass' }>

/** What the side keeps, critically damped so that nothing overshoots, and what is left of it for the mid. */
function crossover({ frequencyHz }: MonoBass, sampleRateHz: number): { readonly high: Biquad; readonly low: Biquad } {
  const high = highPass(frequencyHz, sampleRateHz, 0.5)
  return { high, low: complement(high) }
}

/** Gain of mid and side together by what the stage makes of the side, dB, where the two have nothing in common. */
export function monoBassGainDb(stage: MonoBass, hz: number, sampleRateHz: number): number {
  const { high, low } = crossover(stage, sampleRateHz)
  return powerToDb(dbToPower(magnitudeDb([high], hz, sampleRateHz)) + dbToPower(magnitudeDb([low], hz, sampleRateHz)))
}

/**
 * Returns a processor that gives both channels the bass of one: y = x + lowpass(kept − x) in the other channel, while the kept one
 * stays bit for bit. So no note is lost that the two cancel, and what they share stays as it is. No latency. Needs two channels.
 */
export function createMonoBass(stage: MonoBass, sampleRateHz: number): Processor {
  const lowPart = createBiquadCascade([crossover(stage, sampleRateHz).low])
  const [keptChannel, otherChannel] = stage.from === 'left' ? [0, 1] : [1, 0]
  return {
    latencySamples: 0,
    process({ channels, frames }) {
      const kept = channels[keptChannel!]!
      const other = channels[otherChannel!]!
      const missing = new Float32Array(frames)
      for (let i = 0; i < frames; i++) missing[i] = kept[i]! - other[i]!
      lowPart.process({ channels: [missing], frames })
      for (let i = 0; i < frames; i++) other[i]! += missing[i]!
    },
    reset: () => lowPart.reset(),
  }
}
