import type { SteerWidth } from '../../src-contract/stages/steer-width.ts'
import { type Biquad, magnitudeDb, steepHighShelf } from '../dsp/biquad.ts'
import { createBiquadCascade } from '../dsp/biquad-cascade.ts'
import { decodeMidSide, encodeMidSide, type Processor } from '../dsp/processor.ts'
import { dbToGain, gainToDb, powerToDb, rounded } from '../dsp/units.ts'
import { foldDownLimitDb } from './match/width.ts'
import { type BandPower, powerBefore } from './power-before.ts'
import { nothingPlanned, type Planning, type StagePlan, type StreamingStage } from './stage.ts'

/** Lower end of widening, Hz: a bass that differs between the channels is weak in mono and on vinyl. */
const bassHz = 120
/**
 * Borders of the bands, Hz: the lowest far enough above the bass for its shelf to be within 2 % there; then the borders between the body of
 * voices, their vowels, their consonants and the range above. Ours.
 */
const bordersHz = [200, 500, 2000, 6000]
/** Lower end of the highs whose side has a gain of its own, Hz. */
const highsHz = 6000
/** Least assumed mid, as a part of the side: sound already lost in mono is not lost twice. */
const leastMid = 1e-6
/** Gain that stands for a removed side in a response, dB. */
const noneDb = -120

/** Largest gain of the side in a band, at most `gain`, that costs mono playback no more than an additional 1.5 dB. */
function heldGain(gain: number, bands: readonly BandPower[]): number {
  const mid = bands.reduce((sum, band) => sum + band.mid, 0)
  const side = bands.reduce((sum, band) => sum + band.side, 0)
  if (side === 0) return gain
  return Math.min(gain, dbToGain(foldDownLimitDb(powerToDb(side / Math.max(mid, side * leastMid)))))
}

/** Gains of the bands above the bass. */
function wideningGains(song: Planning, gain: number): number[] {
  const powers = powerBefore(song, 'steer_width')
  return bordersHz.map((fromHz, b) =>
    heldGain(
      gain,
      powers.filter(({ hz }) => hz > fromHz && hz <= (bordersHz[b + 1] ?? Number.POSITIVE_INFINITY)),
    ),
  )
}

function planWidening(song: Planning, gain: number): StagePlan<SteerWidth> {
  const gains = wideningGains(song, gain)
  const values = { widthPercent: song.sound.width_percent, gainDb: rounded(gainToDb(gain)), bassHz }
  const [lowMidsDb, midsDb, upperMidsDb, highsDb] = gains.map((held) => rounded(gainToDb(held))) as [
    number,
    number,
    number,
    number,
  ]
  const isWhole = gains.every((held) => rounded(gainToDb(held)) === values.gainDb)
  return {
    stages: [{ kind: 'steer_width', crossoversHz: bordersHz, sideGains: [1, ...gains] }],
    decisions: [
      isWhole
        ? { stage: 'image', code: 'WIDTH_SET', values }
        : {
            stage: 'image',
            code: 'WIDTH_SET_IN_PART',
            values: { ...values, lowMidsDb, midsDb, upperMidsDb, highsDb },
          },
    ],
  }
}

/**
 * Returns the requested width. Below 100 % it scales the whole side; above, only from 200 Hz on, and in each band only as far as mono
 * playback loses no more than an additional 1.5 dB, by the levels after the earlier stages. Nothing at 100 % and for silence; for mono, and
 * for widening a song with one silent channel, only a decision that there is nothing to do.
 */
function planWidth(song: Planning): StagePlan<SteerWidth> {
  const { analysis, sound } = song
  const gain = sound.width_percent / 100
  if (gain === 1 || analysis.isSilent) return nothingPlanned
  if (analysis.isMono || (gain > 1 && analysis.deadChannel !== null)) {
    const values = { widthPercent: sound.width_percent }
    return { stages: [], decisions: [{ stage: 'image', code: 'WIDTH_NOT_SET', values }] }
  }
  if (gain > 1) return planWidening(song, gain)
  const values = { widthPercent: sound.width_percent, gainDb: rounded(Math.max(noneDb, gainToDb(gain))) }
  return {
    stages: [{ kind: 'steer_width', crossoversHz: [], sideGains: [gain] }],
    decisions: [{ stage: 'image', code: 'WIDTH_SET', values }],
  }
}

/** Returns the requested gain of the side in the highs; nothing at 0 dB, for silence and for mono. */
function planHighs({ analysis, sound }: Planning): StagePlan<SteerWidth> {
  const gainDb = sound.highs_side_db
  if (gainDb === 0 || analysis.isSilent || analysis.isMono) return nothingPlanned
  return {
    stages: [{ kind: 'steer_width', crossoversHz: [highsHz], sideGains: [1, dbToGain(gainDb)] }],
    decisions: [{ stage: 'image', code: 'HIGHS_NARROWED', values: { fromHz: highsHz, gainDb } }],
  }
}

function planSteerWidth(song: Planning): StagePlan<SteerWidth> {
  const parts = [planWidth(song), planHighs(song)]
  return { stages: parts.flatMap(({ stages }) => stages), decisions: parts.flatMap(({ decisions }) => decisions) }
}

/** Shelves at the borders, each from the gain of the band below to the gain of the band above. */
function shelves({ crossoversHz, sideGains }: SteerWidth, sampleRateHz: number): Biquad[] {
  return crossoversHz.flatMap((hz, b) => steepHighShelf(hz, sampleRateHz, sideGains[b + 1]! / sideGains[b]!))
}

/**
 * Returns a processor that multiplies the side by its gains. No latency. Gains of 0 give two equal channels, bit for bit. Needs two
 * channels. Throws a RangeError for a gain of 0 among others.
 */
function createSteerWidth(stage: SteerWidth, sampleRateHz: number): Processor {
  const lowest = stage.sideGains[0]!
  const filter = createBiquadCascade(shelves(stage, sampleRateHz))
  return {
    latencySamples: 0,
    process(block) {
      const side = block.channels[1]!
      encodeMidSide(block)
      if (lowest !== 1) for (let i = 0; i < block.frames; i++) side[i]! *= lowest
      filter.process({ channels: [side], frames: block.frames })
      decodeMidSide(block)
    },
  }
}

function sideGainDb(stage: SteerWidth, hz: number, sampleRateHz: number): number {
  const lowest = stage.sideGains[0]!
  return lowest === 0 ? noneDb : gainToDb(lowest) + magnitudeDb(shelves(stage, sampleRateHz), hz, sampleRateHz)
}

/** Requested width. */
export const steerWidth = {
  kind: 'steer_width',
  plan: planSteerWidth,
  create: createSteerWidth,
  responseDb: (stage, hz, sampleRateHz) => ({ mid: 0, side: sideGainDb(stage, hz, sampleRateHz) }),
} as const satisfies StreamingStage<SteerWidth>
