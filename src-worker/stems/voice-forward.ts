/** The voice of a mix against the rest, at equal loudness of the whole. */
import { bandPass } from '../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../src-engine/dsp/biquad-cascade.ts'
import { createLoudnessMeter } from '../../src-engine/dsp/meters/loudness.ts'
import { clamp, dbToGain, powerToDb } from '../../src-engine/dsp/units.ts'
import type { StemSum } from '../media/decoded-stems.ts'
import { createPlanes, type StereoBlock } from '../media/samples.ts'

/** Sums of the voice and of the rest, of one length. */
export interface VoiceAndRest {
  readonly voice: StemSum
  readonly rest: StemSum
  readonly frames: number
  readonly sampleRateHz: number
}

/** Deepest cut in the sound that masks the voice, dB, and its share of the requested change. */
const DEEPEST_DUCK_DB = 2
const DUCK_PART = 0.5
/** Band of the cut: two octaves around 2 kHz, 1 to 4 kHz, which carry the intelligibility of speech. */
const DUCK_HZ = 2000
const DUCK_Q = 2 / 3
/** The voice is present in a step at most this far below its own loudness, LU. */
const SOUNDING_LU = 20
/** The rest masks the voice fully in the band from this far above its level, and not at all from as far below it, dB. */
const MASKING_DB = 6
/** Steps of the measurement, per second. */
const STEPS_PER_SECOND = 10

/** Gains that bring the voice forward. */
export interface VoiceGains {
  readonly voice: number
  readonly rest: number
}

/**
 * Makes room for the voice in the rest, and returns the gains by which the voice then moves against the rest by `forwardDb`, measured by
 * K-weighted energy where the voice sounds, with the cut in the rest counted in; the loudness of the whole stays. Undefined if voice or rest
 * is silent, which leaves both as they are. Three passes over the sound.
 */
export function bringForward(sound: VoiceAndRest, forwardDb: number): VoiceGains | undefined {
  const { rest, frames, sampleRateHz } = sound
  const before = measured(sound)
  const voice = before.voice.read().integratedLufs
  if (!Number.isFinite(voice) || !Number.isFinite(before.rest.read().integratedLufs)) return undefined
  const energies = before.voice.stepMeanSquares()
  const loudest = meanSquareOf(voice)
  const isSounding = Array.from(energies, (energy) => energy >= loudest * dbToGain(-SOUNDING_LU) ** 2)
  const depthDb = forwardDb > 0 ? Math.min(DEEPEST_DUCK_DB, DUCK_PART * forwardDb) : 0
  // For each step of 100 ms.
  const duckDb = Float64Array.from(isSounding, (sounds, step) => {
    const maskingDb = powerToDb(before.restBand[step]!) - powerToDb(before.voiceBand[step]!)
    return sounds ? -depthDb * clamp((maskingDb + MASKING_DB) / (2 * MASKING_DB), 0, 1) : 0
  })
  let ducked = before.rest
  if (duckDb.some((db) => db !== 0)) {
    rest.change(frames, createDuck(duckDb, sampleRateHz))
    ducked = metered(rest.blocks(frames), sampleRateHz)
  }
  const heard = (steps: Float64Array) => steps.reduce((sum, energy, step) => sum + (isSounding[step] ? energy : 0), 0)
  const left = heard(ducked.stepMeanSquares())
  // A voice that only sounds alone is moved by its level.
  const byDuckDb = left > 0 ? powerToDb(heard(before.rest.stepMeanSquares()) / left) : 0
  const lead = dbToGain(forwardDb - byDuckDb)
  const moved = metered(movedBlocks(sound, { voice: lead, rest: 1 }), sampleRateHz)
  const level = dbToGain(before.whole.read().integratedLufs - moved.read().integratedLufs)
  return { voice: lead * level, rest: level }
}

/** Yields voice and rest with gains as one sound, interleaved; each block is valid until the next. */
export function* movedBlocks({ voice, rest, frames }: VoiceAndRest, gains: VoiceGains): Generator<Float64Array> {
  let moved = new Float64Array()
  for (const [sung, other] of inStep(voice.blocks(frames), rest.blocks(frames))) {
    if (moved.length !== sung.length) moved = new Float64Array(sung.length)
    for (let i = 0; i < moved.length; i++) moved[i] = gains.voice * sung[i]! + gains.rest * other[i]!
    yield moved
  }
}

/** Yields the blocks of two sounds of one length side by side. */
function* inStep(one: Iterable<Float64Array>, other: Iterable<Float64Array>): Generator<[Float64Array, Float64Array]> {
  const others = other[Symbol.iterator]()
  try {
    for (const block of one) yield [block, others.next().value as Float64Array]
  } finally {
    others.return?.()
  }
}

/** Returns a loudness meter that has read a sound. */
function metered(blocks: Iterable<Float64Array>, sampleRateHz: number) {
  const meter = createLoudnessMeter(sampleRateHz)
  const planesOf = createPlanes()
  for (const block of blocks) meter.push(planesOf(block))
  return meter
}

/** Meters of voice, rest and their sum, and the energy of both in the band of the cut, by steps of 100 ms. */
function measured(sound: VoiceAndRest) {
  const { voice, rest, frames, sampleRateHz } = sound
  const planesOf = createPlanes()
  const part = (sum: StemSum) => {
    const meter = createLoudnessMeter(sampleRateHz)
    const band = createBandMeter(sampleRateHz)
    for (const block of sum.blocks(frames)) {
      const planes = planesOf(block)
      meter.push(planes)
      band.push(planes)
    }
    return { meter, band: band.read() }
  }
  const [ofVoice, ofRest] = [part(voice), part(rest)]
  const whole = metered(movedBlocks(sound, { voice: 1, rest: 1 }), sampleRateHz)
  return { whole, voice: ofVoice.meter, voiceBand: ofVoice.band, rest: ofRest.meter, restBand: ofRest.band }
}

function createBandMeter(sampleRateHz: number) {
  const filter = createBiquadCascade([bandPass(DUCK_HZ, sampleRateHz, DUCK_Q)])
  const stepFrames = sampleRateHz / STEPS_PER_SECOND
  const energies: number[] = []
  let position = 0
  return {
    /** Takes planes, which it filters in place. */
    push(planes: StereoBlock): void {
      filter.process(planes)
      const [left, right] = planes.channels
      for (let i = 0; i < planes.frames; ) {
        const step = Math.floor(position / stepFrames)
        const end = Math.min(planes.frames, i + Math.ceil((step + 1) * stepFrames) - position)
        let energy = energies[step] ?? 0
        position += end - i
        for (; i < end; i++) energy = energy + left[i]! * left[i]! + right[i]! * right[i]!
        energies[step] = energy
      }
    },
    /** One more than whole steps, for sound at the end. */
    read: () => energies,
  }
}

/** Returns the cut in the rest: a bell in the band whose gain is interpolated linearly between the middles of the steps. */
function createDuck(duckDb: Float64Array, sampleRateHz: number): (block: Float64Array) => void {
  const filter = createBiquadCascade([bandPass(DUCK_HZ, sampleRateHz, DUCK_Q)])
  const planesOf = createPlanes()
  const gains = duckDb.map(dbToGain)
  const stepFrames = sampleRateHz / STEPS_PER_SECOND
  let position = 0
  return (block) => {
    const planes = planesOf(block)
    filter.process(planes)
    const [left, right] = planes.channels
    for (let i = 0; i < planes.frames; i++, position++) {
      const at = clamp(position / stepFrames - 0.5, 0, gains.length - 1)
      const step = Math.floor(at)
      const from = gains[step]!
      const gain = from + (at - step) * ((gains[step + 1] ?? from) - from)
      block[2 * i]! += (gain - 1) * left[i]!
      block[2 * i + 1]! += (gain - 1) * right[i]!
    }
  }
}

/** Mean square of a loudness (BS.1770). */
const meanSquareOf = (lufs: number): number => 10 ** ((lufs + 0.691) / 10)
