import type { MonoBass } from '../../src-contract/stages/mono-bass.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import { isTornApart } from '../analysis/bass-stereo.ts'
import { areHighsUnrelated } from '../analysis/torn-highs.ts'
import { complement, highPass, magnitudeDb } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { foldDownLossDb, isOppositePhase } from '../dsp/meters/stereo.ts'
import type { Processor } from '../dsp/processor.ts'
import { dbToPower, powerToDb, rounded } from '../dsp/units.ts'
import { widthCorrection } from './match.ts'
import { nothingPlanned, repairDecision, type StagePlan, type StreamingStage, unlessSkipped } from './stage.ts'

/** Upper end of the mono bass, Hz, and excess of its side over its mid that triggers it, dB; a torn-apart bass also triggers it. */
const monoBassHz = 110
const monoBassDb = 1
/** Lower end of the judged bass, Hz. */
const lowestHz = 30
/** Least share of the song's power for a bass to be treated (−30 dB). */
const leastPart = 1e-3
/** Largest reported ratio, dB: a silent mid has none. */
const mostToldDb = 60

/** Returns the remaining loss in mono after a gain of the side, dB. */
function lossLeftDb(monoLossDb: number, sideGainDb: number): number {
  return foldDownLossDb(powerToDb(Math.max(0, dbToPower(monoLossDb) - 1)) + sideGainDb)
}

/** Plans the mono bass. `sideGainDb` is the width correction's gain of its side: a bass that it corrects needs no further repair. */
function planMonoBass(analysis: SourceAnalysis, sideGainDb: number): StagePlan<MonoBass> {
  const { spectrum, isMono, deadChannel } = analysis
  // With channels in opposite phase, only the bass would switch polarity.
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
  const bass = { ...analysis.bassStereo, monoLossDb: lossLeftDb(analysis.bassStereo.monoLossDb, sideGainDb) }
  const isTorn = isTornApart(bass, analysis.flutter !== null || areHighsUnrelated(analysis))
  if (!(sideToMidDb > monoBassDb || isTorn) || mid + side < total * leastPart) return nothingPlanned
  const from = analysis.subsonic.louderBass
  return {
    stages: [{ kind: 'mono_bass', frequencyHz: monoBassHz, from }],
    decisions: [
      repairDecision('BASS_MADE_MONO', {
        frequencyHz: monoBassHz,
        sideToMidDb: rounded(Math.min(mostToldDb, sideToMidDb)),
        from,
        midRiseDb: rounded(foldDownLossDb(Math.min(mostToldDb, sideToMidDb))),
        ...(isTorn ? { monoLossDb: rounded(bass.monoLossDb) } : {}),
      }),
    ],
  }
}

/** High-pass on the difference of the channels; critically damped, without overshoot. */
const keptOfDifference = ({ frequencyHz }: MonoBass, sampleRateHz: number) => highPass(frequencyHz, sampleRateHz, 0.5)

/** Gain of mid and side together by the filter on the side, dB, for uncorrelated mid and side. */
function monoBassGainDb(stage: MonoBass, hz: number, sampleRateHz: number): number {
  const inSide = keptOfDifference(stage, sampleRateHz)
  const parts = [inSide, complement(inSide)].map((filter) => dbToPower(magnitudeDb([filter], hz, sampleRateHz)))
  return powerToDb(parts[0]! + parts[1]!)
}

/**
 * Returns a processor that gives both channels the bass of one: y = kept − highpass(kept − x) in the other channel, while the kept one
 * stays bit for bit. No note is lost by cancellation, and the part common to both is unchanged. No latency. Needs two channels.
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
  plan: (song) => unlessSkipped(song, 'mono_bass', planMonoBass(song.analysis, widthCorrection(song).bassSideGainDb)),
  create: createMonoBass,
  responseDb: (stage, hz, sampleRateHz) => ({ mid: 0, side: monoBassGainDb(stage, hz, sampleRateHz) }),
  watch:
    ({ frequencyHz }) =>
    () => [{ kind: 'mono_bass', frequency_hz: frequencyHz, channel: 'side' }],
  announces: { BASS_MADE_MONO: 'mono_bass' },
} as const satisfies StreamingStage<MonoBass>
