import type { GainCurve } from '../../../src-contract/stages/match.ts'
import type { AudioBlock } from '../../dsp/block.ts'
import { createConvolver, minimumPhaseFilter } from '../../dsp/fir.ts'
import { decodeMidSide, encodeMidSide, type Processor } from '../../dsp/processor.ts'
import { dbToGain, mix } from '../../dsp/units.ts'

/** Gain in dB of a curve at a frequency: straight lines on a logarithmic frequency axis, flat outside; 0 for no points. */
export function curveGainDb({ frequencyHz, gainDb }: GainCurve, hz: number): number {
  const count = frequencyHz.length
  if (count === 0) return 0
  if (!(hz > frequencyHz[0]!)) return gainDb[0]!
  if (hz >= frequencyHz[count - 1]!) return gainDb[count - 1]!
  const above = frequencyHz.findIndex((point) => point > hz)
  const low = frequencyHz[above - 1]!
  const t = Math.log(hz / low) / Math.log(frequencyHz[above]! / low)
  return mix(gainDb[above - 1]!, gainDb[above]!, t)
}

/** Gain of a level curve, dB; null for any other. */
const levelGainDb = ({ gainDb }: GainCurve): number | null =>
  gainDb.every((gain) => gain === gainDb[0]) ? (gainDb[0] ?? 0) : null

/**
 * Returns a filter that follows one curve in mid and another in side. Latency: the convolver's hop. Two level curves are plain gains
 * without latency, and at 0 dB the exact identity.
 */
export function createMatchFilter(mid: GainCurve, side: GainCurve, sampleRateHz: number): Processor {
  const midDb = levelGainDb(mid)
  const sideDb = levelGainDb(side)
  if (midDb !== null && sideDb !== null) return createMidSideGain(dbToGain(midDb), dbToGain(sideDb))
  const midFilter = minimumPhaseFilter(mid, curveGainDb, sampleRateHz)
  const sideFilter = minimumPhaseFilter(side, curveGainDb, sampleRateHz)
  const convolver = createConvolver(midFilter, sideFilter)
  return {
    latencySamples: convolver.latencySamples,
    process(block: AudioBlock) {
      encodeMidSide(block)
      convolver.process(block)
      decodeMidSide(block)
    },
  }
}

function createMidSideGain(midGain: number, sideGain: number): Processor {
  return {
    latencySamples: 0,
    process({ channels, frames }) {
      if (midGain === 1 && sideGain === 1) return
      const left = channels[0]!
      const right = channels[1]!
      for (let i = 0; i < frames; i++) {
        const mid = (left[i]! + right[i]!) * 0.5 * midGain
        const side = (left[i]! - right[i]!) * 0.5 * sideGain
        left[i] = mid + side
        right[i] = mid - side
      }
    },
  }
}
