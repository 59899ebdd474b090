import type { AttackBand, Punch } from '../../src-contract/stages/punch.ts'
import { flushTails, kernelCoefficients } from '../dsp/biquad-cascade.ts'
import { onePoleCoefficient } from '../dsp/envelope.ts'
import { createHopProcessor } from '../dsp/hops.ts'
import { kernelPlace } from '../dsp/kernels/kernels.ts'
import { controlFrames, type Processor } from '../dsp/processor.ts'
import { dbToGain, dbToPower, powerToDb, rounded } from '../dsp/units.ts'
import { splittersAt } from './compressor.ts'
import { nothingPlanned, type Planning, type StagePlan, type StreamingStage } from './stage.ts'

/** Gain that the sharpest attacks approach at ±100, dB: it moves the crest of drum onsets by 2 dB or more. */
const mostGainDb = 9
/** Bands and their envelopes; gains and times trade the gain of crest on drums against the loss of steady sounds. Ours. */
const shape = {
  halfwayDb: 2,
  // A tone's power peaks 3 dB above its mean, and several tones together seldom more after smoothing by the envelopes.
  thresholdDb: 3.5,
  // Between two pulses of the lowest note of a bass guitar (41 Hz) the envelope falls by 2.3 dB.
  releaseMs: 45,
  lookAheadMs: 1.5,
  crossoversHz: [120, 1000, 5000],
  bands: [
    { fastMs: 2, slowMs: 40 },
    { fastMs: 1, slowMs: 20 },
    { fastMs: 1, slowMs: 15 },
    { fastMs: 1, slowMs: 12 },
  ],
}

/** Frames processed at a time. */
const hopFrames = 2048
const hopSteps = hopFrames / controlFrames
/** Longest look-ahead of the gains, steps. */
const mostLookAheadSteps = 16
const bandCount = 4
/** Least reference power of an attack (−90 dBFS). */
const silence = 1e-9

const place = kernelPlace((kernels) => {
  const channel = () => kernels.allocate((mostLookAheadSteps * controlFrames + hopFrames) * 4)
  return {
    left: channel(),
    right: channel(),
    bands: kernels.allocate((mostLookAheadSteps * controlFrames + hopFrames) * bandCount * 8),
    energies: kernels.allocate(hopSteps * bandCount * 4),
    changes: kernels.allocate((hopSteps + 1) * bandCount * 4),
    coefficients: kernels.allocate(3 * 80),
    state: kernels.allocate(3 * 32),
  }
})

/** Returns the requested punch; nothing at 0 or for silence. */
function planPunch({ analysis, sound }: Planning): StagePlan<Punch> {
  if (sound.punch === 0 || analysis.isSilent) return nothingPlanned
  const gainDb = (mostGainDb * sound.punch) / 100
  return {
    stages: [{ kind: 'punch', mostGainDb: gainDb, ...shape }],
    decisions: [
      {
        stage: 'dynamics',
        code: gainDb > 0 ? 'ATTACKS_RAISED' : 'ATTACKS_HELD_BACK',
        values: { punch: sound.punch, mostGainDb: rounded(gainDb) },
      },
    ],
  }
}

/** Two envelopes of a band's power. */
interface Envelopes {
  readonly fastAttack: number
  readonly slowAttack: number
  fast: number
  slow: number
}

/** Gain of an attack whose fast envelope stands `excess` times above the threshold, less 1. */
function changeOf(excess: number, { mostGainDb, halfwayDb }: Punch): number {
  if (!(excess > 1)) return 0
  const excessDb = powerToDb(excess)
  return dbToGain((mostGainDb * excessDb) / (excessDb + halfwayDb)) - 1
}

/** Advances the envelopes by one step of `power`, and returns the ratio of the fast one to the slow one, in power. */
function follow(band: Envelopes, release: number, power: number): number {
  band.fast = power + (power > band.fast ? band.fastAttack : release) * (band.fast - power)
  band.slow = band.fast < band.slow ? band.fast : band.fast + band.slowAttack * (band.slow - band.fast)
  return (band.fast + silence) / (band.slow + silence)
}

/**
 * Returns the shaper of attacks: y = x + Σ (gain − 1)·band, four bands that add up to x. The two envelopes of a band rise at different
 * rates and fall together, so they differ only in attacks: a steady tone of any waveform stays below the threshold and keeps its bits. Both
 * channels share every gain. Latency: a hop plus the look-ahead. Throws a RangeError for other counts of bands and for a longer look-ahead.
 */
function createPunch(settings: Punch, sampleRateHz: number): Processor {
  const { crossoversHz, bands, thresholdDb, releaseMs, lookAheadMs } = settings
  const stepHz = sampleRateHz / controlFrames
  const aheadSteps = Math.round((lookAheadMs * stepHz) / 1000)
  if (crossoversHz.length !== bandCount - 1 || bands.length !== bandCount || aheadSteps > mostLookAheadSteps)
    throw new RangeError(`${bands.length} bands, ${crossoversHz.length} crossovers, ${lookAheadMs} ms ahead`)
  const aheadFrames = aheadSteps * controlFrames
  const release = onePoleCoefficient(releaseMs, stepHz)
  const threshold = dbToPower(thresholdDb)
  const envelopes = bands.map(
    ({ fastMs, slowMs }: AttackBand): Envelopes => ({
      fastAttack: onePoleCoefficient(fastMs, stepHz),
      slowAttack: onePoleCoefficient(slowMs, stepHz),
      fast: 0,
      slow: 0,
    }),
  )
  const coefficients = kernelCoefficients(splittersAt(crossoversHz, sampleRateHz))
  const state = new Float64Array(coefficients.length / 2.5)
  const past = {
    left: new Float32Array(aheadFrames),
    right: new Float32Array(aheadFrames),
    bands: new Float32Array(aheadFrames * bandCount * 2),
    changes: new Float32Array(bandCount),
  }

  /** Writes the gains of the hop and returns true if any differs from 1. */
  function followHop({ kernels, energies, changes }: ReturnType<typeof place>): boolean {
    const { f32 } = kernels
    f32.set(past.changes, changes >> 2)
    let isAtWork = past.changes.some((change) => change !== 0)
    for (let step = 0; step < hopSteps; step++) {
      for (const [b, band] of envelopes.entries()) {
        const power = f32[(energies >> 2) + step * bandCount + b]! / (2 * controlFrames)
        const change = changeOf(follow(band, release, power) / threshold, settings)
        f32[(changes >> 2) + (step + 1) * bandCount + b] = change
        isAtWork ||= change !== 0
      }
    }
    past.changes.set(f32.subarray((changes >> 2) + hopSteps * bandCount, (changes >> 2) + (hopSteps + 1) * bandCount))
    return isAtWork
  }

  return createHopProcessor(hopFrames, aheadFrames, (left, right) => {
    const space = place()
    const { kernels } = space
    const { f32, f64 } = kernels
    f32.set(past.left, space.left >> 2)
    f32.set(past.right, space.right >> 2)
    f32.set(past.bands, space.bands >> 2)
    const [l, r] = [space.left + aheadFrames * 4, space.right + aheadFrames * 4]
    f32.set(left, l >> 2)
    f32.set(right, r >> 2)
    f64.set(coefficients, space.coefficients >> 3)
    f64.set(state, space.state >> 3)
    const fresh = space.bands + aheadFrames * bandCount * 8
    kernels.splitFourBands(l, r, hopSteps, space.coefficients, space.state, fresh, space.energies)
    state.set(f64.subarray(space.state >> 3, (space.state >> 3) + state.length))
    flushTails(state)
    past.left.set(f32.subarray((space.left >> 2) + hopFrames, (space.left >> 2) + hopFrames + aheadFrames))
    past.right.set(f32.subarray((space.right >> 2) + hopFrames, (space.right >> 2) + hopFrames + aheadFrames))
    const bandsEnd = (space.bands >> 2) + (hopFrames + aheadFrames) * bandCount * 2
    past.bands.set(f32.subarray(bandsEnd - past.bands.length, bandsEnd))
    if (followHop(space)) kernels.addFourBands(space.left, space.right, hopSteps, space.bands, space.changes)
    left.set(f32.subarray(space.left >> 2, (space.left >> 2) + hopFrames))
    right.set(f32.subarray(space.right >> 2, (space.right >> 2) + hopFrames))
  })
}

/** Shaper of attacks. */
export const punch = {
  kind: 'punch',
  plan: planPunch,
  create: createPunch,
} as const satisfies StreamingStage<Punch>
