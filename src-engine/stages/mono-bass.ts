import type { MonoBass } from '../../src-contract/stages/mono-bass.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { isTornApart } from '../analysis/bass-stereo.ts'
import { complement, highPass, magnitudeDb } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { isOppositePhase } from '../dsp/meters/stereo.ts'
import type { Processor } from '../dsp/processor.ts'
import { dbToPower, powerToDb, rounded } from '../dsp/units.ts'
import { widthCorrection } from './match.ts'
import { nothingPlanned, repairDecision, type StagePlan, type StreamingStage, unlessSkipped } from './stage.ts'

/** Below this the bass is made mono when its side is louder than its mid by more than the tolerance, or when it is torn apart. */
const monoBassHz = 110
const monoBassDb = 1
/** Below this there is no bass to judge, Hz. */
const lowestHz = 30
/** A bass that holds less of the song's power than this (−30 dB) is left alone. */
const leastPart = 1e-3
/** Largest ratio that is reported, dB: a mid of nothing has none. */
const mostToldDb = 60

/** `sideGainDb` is the gain that the correction of the width gives the side: a bass that it brings back needs no further repair. */
function planMonoBass(analysis: SourceAnalysis, sideGainDb: number): StagePlan<MonoBass> {
  const { spectrum, isMono, deadChannel } = analysis
  // Of channels in opposite phase the bass alone would change sides.
  if (isMono || deadChannel !== null || isOppositePhase(analysis.sideToMidDb)) return nothingPlanned
  const power = (levels: readonly number[]): number =>
    levels.reduce((sum, level, b) => {
      const hz = spectrum.bandHz[b]!
      return hz > lowestHz && hz < monoBassHz ? sum + dbToPower(level) : sum
    }, 0)
  const mid = power(spectrum.midDb)
  const side = power(spectrum.sideDb)
  const total = spectrum.midDb.reduce((sum, level) => sum + dbToPower(level), 0)
  const sideToMidDb = powerToDb(side / mid) + sideGainDb
  const isTorn = isTornApart(analysis.bassStereo)
  if (!(sideToMidDb > monoBassDb || isTorn) || mid + side < total * leastPart) return nothingPlanned
  const from = analysis.subsonic.louderBass
  return {
    stages: [{ kind: 'mono_bass', frequencyHz: monoBassHz, from }],
    decisions: [
      repairDecision('BASS_MADE_MONO', {
        frequencyHz: monoBassHz,
        sideToMidDb: rounded(Math.min(mostToldDb, sideToMidDb)),
        from,
        ...(isTorn ? { monoLossDb: rounded(analysis.bassStereo.monoLossDb) } : {}),
      }),
    ],
  }
}

/** High-pass on the difference of the channels; critically damped, so that nothing overshoots. */
const keptOfDifference = ({ frequencyHz }: MonoBass, sampleRateHz: number) => highPass(frequencyHz, sampleRateHz, 0.5)

/** Gain of mid and side together by what the stage makes of the side, dB, where the two have nothing in common. */
function monoBassGainDb(stage: MonoBass, hz: number, sampleRateHz: number): number {
  const inSide = keptOfDifference(stage, sampleRateHz)
  const parts = [inSide, complement(inSide)].map((filter) => dbToPower(magnitudeDb([filter], hz, sampleRateHz)))
  return powerToDb(parts[0]! + parts[1]!)
}

/**
 * Returns a processor that gives both channels the bass of one: y = kept − highpass(kept − x) in the other channel, while the kept
 * one stays bit for bit. So no note is lost that the two cancel, and what they share stays as it is. No latency. Needs two channels.
 */
function createMonoBass(stage: MonoBass, sampleRateHz: number): Processor {
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

/** Mono bass. */
export const monoBass = {
  kind: 'mono_bass',
  plan: (song) => unlessSkipped(song, 'mono_bass', planMonoBass(song.analysis, widthCorrection(song).sideGainDb)),
  create: createMonoBass,
  responseDb: (stage, hz, sampleRateHz) => ({ mid: 0, side: monoBassGainDb(stage, hz, sampleRateHz) }),
  watch:
    ({ frequencyHz }) =>
    () => [{ kind: 'mono_bass', frequency_hz: frequencyHz, channel: 'side' }],
  announces: { BASS_MADE_MONO: 'mono_bass' },
} as const satisfies StreamingStage<MonoBass>
