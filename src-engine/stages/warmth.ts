import type { Warmth } from '../../src-contract/stages/warmth.ts'
import { highPass } from '../dsp/biquad.ts'
import { flushTails, kernelCoefficients } from '../dsp/biquad-cascade.ts'
import { onePoleCoefficient } from '../dsp/envelope.ts'
import { createHopProcessor } from '../dsp/hops.ts'
import { kernelPlace } from '../dsp/kernels/kernels.ts'
import { controlFrames, type Processor } from '../dsp/processor.ts'
import { dbToGain, powerToDb, rounded } from '../dsp/units.ts'
import { kaiser, sinc } from '../dsp/window.ts'
import { powerBefore } from './power-before.ts'
import { nothingPlanned, type Planning, type StagePlan, type StreamingStage } from './stage.ts'

/** Reference level of the curve, mean square in dBFS: a sine of −12 dBFS. */
const referenceDbfs = -12 - powerToDb(2)
/**
 * Curve at 100 for a song of that level: such a sine gets 1.9 % of second harmonic and 0.5 % of third, the colour of a triode or of tape.
 * Ours.
 */
const mostAsymmetry = 0.32
const mostBend = 0.71
/** Harmonics of that sine together at 100, per cent; at other settings in proportion. */
const mostHarmonicsPercent = 2

/** Frames saturated at a time. */
const hopFrames = 2048
const hopSteps = hopFrames / controlFrames
/** Taps of the half-band filter on either side of a point, and its window: 90 dB from 0.59 of the rate on. Even. */
const reach = 12
const windowBeta = 9
/** Latency of the error, frames: one reach for the interpolated points, one for their decimation. */
const delayFrames = 2 * reach
/** Past frames that a hop needs. */
const historyFrames = 2 * delayFrames
/** Time constant of the level match, ms: about one beat, so that hits stay rounded. */
const levelMs = 400
/** High-pass of the error, Hz: it blocks the inaudible offset that an asymmetric curve adds to every swell. */
const lowestHz = 20
/** Least power per step for level matching (−120 dBFS); silence leaves a gain of 1. */
const leastPower = 1e-12 * controlFrames

const place = kernelPlace((kernels) => {
  const channel = () => ({
    x: kernels.allocate((historyFrames + hopFrames) * 4),
    half: kernels.allocate((delayFrames + hopFrames) * 4),
    error: kernels.allocate(hopFrames * 4),
  })
  const taps = kernels.allocate(reach * 16)
  for (let t = 0; t < reach; t++) {
    const tap = sinc(t + 0.5) * kaiser((t + 0.5) / reach, windowBeta)
    kernels.f32.fill(tap, (taps >> 2) + 4 * t, (taps >> 2) + 4 * t + 4)
  }
  return {
    channels: [channel(), channel()] as const,
    taps,
    coefficients: kernels.allocate(80),
    state: kernels.allocate(32),
    sums: kernels.allocate(hopSteps * 16),
    gains: kernels.allocate((hopSteps + 1) * 4),
  }
})

/**
 * Returns the requested warmth. The curve is driven by the song's level after the earlier filters relative to its reference level: a quiet
 * and a loud master of one song get the same harmonics. Nothing at 0 and for silence.
 */
function planWarmth(song: Planning): StagePlan<Warmth> {
  const { warmth } = song.sound
  if (warmth === 0 || song.analysis.isSilent) return nothingPlanned
  const levelDbfs = powerToDb(powerBefore(song, 'warmth').reduce((sum, { mid, side }) => sum + mid + side, 0))
  const drive = (warmth / 100) * dbToGain(referenceDbfs - levelDbfs)
  const harmonicsPercent = rounded((mostHarmonicsPercent * warmth) / 100)
  return {
    stages: [{ kind: 'warmth', asymmetry: mostAsymmetry * drive, bend: mostBend * drive * drive, lowestHz, levelMs }],
    decisions: [
      { stage: 'tone', code: 'WARMTH_ADDED', values: { warmth, harmonicsPercent, levelDbfs: rounded(levelDbfs) } },
    ],
  }
}

/** Past of a channel that the next hop needs. */
const channelHistory = () => ({ x: new Float32Array(historyFrames), half: new Float32Array(delayFrames) })

/**
 * Returns a soft saturation: y = x / √(1 + asymmetry·x + bend·x²), computed at twice the rate, with its error high-passed and the output
 * matched to the input's level: times Σ x² / Σ x·y over the last moments of both channels, which undoes the curve's loss. Needs two
 * channels. Latency: a hop plus the filters' reach. Silence stays silence.
 */
function createWarmth({ asymmetry, bend, lowestHz, levelMs }: Warmth, sampleRateHz: number): Processor {
  const histories = [channelHistory(), channelHistory()] as const
  const coefficients = kernelCoefficients([highPass(lowestHz, sampleRateHz)])
  const state = new Float64Array(4)
  const smoothing = onePoleCoefficient(levelMs, sampleRateHz / controlFrames)
  const level = { power: 0, common: 0, gain: 1 }

  /** Appends the hop to its history and writes the errors of the frames `delayFrames` earlier. */
  function saturate(c: 0 | 1, samples: Float32Array): void {
    const { kernels, taps, channels } = place()
    const { x, half, error } = channels[c]
    const history = histories[c]
    const { f32 } = kernels
    f32.set(history.x, x >> 2)
    f32.set(samples, (x >> 2) + historyFrames)
    f32.set(history.half, half >> 2)
    // The newest half-way point with all its neighbours lies one reach before the newest frame.
    const newest = x + (historyFrames - reach) * 4
    kernels.halfPoints(newest, hopFrames, taps, reach, half + delayFrames * 4)
    kernels.saturationErrors(half + delayFrames * 4, hopFrames, asymmetry, bend)
    // The first half-way point that a frame needs lies half a frame before it.
    kernels.halfPoints(half + (reach - 1) * 4, hopFrames, taps, reach, error)
    kernels.joinErrors(x + (historyFrames - delayFrames) * 4, hopFrames, asymmetry, bend, error)
    history.x.set(f32.subarray((x >> 2) + hopFrames, (x >> 2) + hopFrames + historyFrames))
    history.half.set(f32.subarray((half >> 2) + hopFrames, (half >> 2) + hopFrames + delayFrames))
  }

  function matchLevel(): void {
    const { kernels, sums, gains } = place()
    kernels.f32[gains >> 2] = level.gain
    for (let step = 0; step < hopSteps; step++) {
      const power = kernels.f64[(sums >> 3) + 2 * step]!
      const common = power + kernels.f64[(sums >> 3) + 2 * step + 1]!
      level.power = power + smoothing * (level.power - power)
      level.common = common + smoothing * (level.common - common)
      level.gain = (level.power + leastPower) / (level.common + leastPower)
      kernels.f32[(gains >> 2) + step + 1] = level.gain
    }
  }

  return createHopProcessor(hopFrames, delayFrames, (left, right) => {
    const space = place()
    const { kernels, channels, sums, gains } = space
    saturate(0, left)
    saturate(1, right)
    kernels.f64.set(coefficients, space.coefficients >> 3)
    kernels.f64.set(state, space.state >> 3)
    const [l, r] = channels.map(({ x }) => x + (historyFrames - delayFrames) * 4) as [number, number]
    kernels.filterErrors(l, r, channels[0].error, channels[1].error, hopSteps, space.coefficients, space.state, sums)
    state.set(kernels.f64.subarray(space.state >> 3, (space.state >> 3) + 4))
    flushTails(state)
    matchLevel()
    kernels.addErrors(l, channels[0].error, hopSteps, gains)
    kernels.addErrors(r, channels[1].error, hopSteps, gains)
    left.set(kernels.f32.subarray(l >> 2, (l >> 2) + hopFrames))
    right.set(kernels.f32.subarray(r >> 2, (r >> 2) + hopFrames))
  })
}

/** Soft saturation. */
export const warmth = {
  kind: 'warmth',
  plan: planWarmth,
  create: createWarmth,
} as const satisfies StreamingStage<Warmth>
