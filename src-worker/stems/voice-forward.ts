/** The voice of a mix against the rest, at equal loudness of the whole. */
import { bandPass } from '../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../src-engine/dsp/biquad-cascade.ts'
import { createLoudnessMeter } from '../../src-engine/dsp/meters/loudness.ts'
import { clamp, dbToGain, gainToDb, powerToDb } from '../../src-engine/dsp/units.ts'

/** Interleaved blocks of voice and rest, side by side and of one length; each pass asks for them anew. */
export interface VoiceAndRest {
  readonly voice: () => Iterable<Float64Array>
  readonly rest: () => Iterable<Float64Array>
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

/** Treatment that brings the voice forward. */
export interface VoicePlan {
  readonly voiceGain: number
  readonly restGain: number
  /** Cut in the rest for each step of 100 ms, dB, 0 or less. */
  readonly duckDb: Float64Array
  /** Change of voice against rest where the voice sounds, as measured, dB. */
  readonly changeDb: number
}

/**
 * Plans a change of the voice against the rest by `forwardDb`, measured by K-weighted energy where the voice sounds, with the cut in the
 * rest counted in; the loudness of the whole stays. Undefined if voice or rest is silent. Four passes over the sound.
 */
export function planVoice(sound: VoiceAndRest, forwardDb: number): VoicePlan | undefined {
  const before = measured(sound)
  const voice = before.voice.read().integratedLufs
  if (!Number.isFinite(voice) || !Number.isFinite(before.rest.read().integratedLufs)) return undefined
  const energies = before.voice.stepMeanSquares()
  const loudest = meanSquareOf(voice)
  const isSounding = Array.from(energies, (energy) => energy >= loudest * dbToGain(-SOUNDING_LU) ** 2)
  const depthDb = forwardDb > 0 ? Math.min(DEEPEST_DUCK_DB, DUCK_PART * forwardDb) : 0
  const duckDb = Float64Array.from(isSounding, (sounds, step) => {
    const maskingDb = powerToDb(before.restBand[step]!) - powerToDb(before.voiceBand[step]!)
    return sounds ? -depthDb * clamp((maskingDb + MASKING_DB) / (2 * MASKING_DB), 0, 1) : 0
  })
  const ducked = metered(duckedBlocks(sound, duckDb), sound)
  const heard = (steps: Float64Array) => steps.reduce((sum, energy, step) => sum + (isSounding[step] ? energy : 0), 0)
  const byDuckDb = powerToDb(heard(before.rest.stepMeanSquares()) / heard(ducked.stepMeanSquares()))
  const lead = dbToGain(forwardDb - byDuckDb)
  const moved = metered(voicedBlocks(sound, { voiceGain: lead, restGain: 1, duckDb }), sound)
  const level = dbToGain(before.whole.read().integratedLufs - moved.read().integratedLufs)
  return { voiceGain: lead * level, restGain: level, duckDb, changeDb: gainToDb(lead) + byDuckDb }
}

/** Yields the mix of a plan, interleaved; each block is valid until the next. */
export function* voicedBlocks(
  sound: VoiceAndRest,
  { voiceGain, restGain, duckDb }: Omit<VoicePlan, 'changeDb'>,
): Generator<Float64Array> {
  for (const [voice, rest] of inStep(sound.voice(), duckedBlocks(sound, duckDb))) {
    for (let i = 0; i < rest.length; i++) rest[i] = voiceGain * voice[i]! + restGain * rest[i]!
    yield rest
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
function metered(blocks: Iterable<Float64Array>, { sampleRateHz }: Pick<VoiceAndRest, 'sampleRateHz'>) {
  const meter = createLoudnessMeter(sampleRateHz)
  for (const block of blocks) meter.push(planesOf(block, (value) => value))
  return meter
}

/** Meters of voice, rest and their sum, and the energy of both in the band of the cut, by steps of 100 ms. */
function measured({ voice, rest, sampleRateHz }: VoiceAndRest) {
  const meters = {
    voice: createLoudnessMeter(sampleRateHz),
    rest: createLoudnessMeter(sampleRateHz),
    whole: createLoudnessMeter(sampleRateHz),
  }
  const bands = { voice: createBandMeter(sampleRateHz), rest: createBandMeter(sampleRateHz) }
  for (const [voiceBlock, restBlock] of inStep(voice(), rest())) {
    meters.whole.push(planesOf(voiceBlock, (value, i) => value + restBlock[i]!))
    for (const [name, block] of [
      ['voice', voiceBlock],
      ['rest', restBlock],
    ] as const) {
      const planes = planesOf(block, (value) => value)
      meters[name].push(planes)
      bands[name].push(planes)
    }
  }
  const [voiceBand, restBand] = [bands.voice.read(), bands.rest.read()]
  return { ...meters, voiceBand, restBand }
}

function createBandMeter(sampleRateHz: number) {
  const filter = createBiquadCascade([bandPass(DUCK_HZ, sampleRateHz, DUCK_Q)])
  const stepFrames = sampleRateHz / STEPS_PER_SECOND
  const energies: number[] = []
  let position = 0
  return {
    /** Takes planes, which it filters in place. */
    push(planes: ReturnType<typeof planesOf>): void {
      filter.process(planes)
      const [left, right] = planes.channels
      for (let i = 0; i < planes.frames; i++, position++) {
        const step = Math.floor(position / stepFrames)
        energies[step] = (energies[step] ?? 0) + left[i]! * left[i]! + right[i]! * right[i]!
      }
    },
    /** One more than whole steps, for sound at the end. */
    read: () => energies,
  }
}

/** Yields the rest with its cut: a bell in the band whose gain is interpolated linearly between the middles of the steps. */
function* duckedBlocks({ rest, sampleRateHz }: VoiceAndRest, duckDb: Float64Array): Generator<Float64Array> {
  const filter = createBiquadCascade([bandPass(DUCK_HZ, sampleRateHz, DUCK_Q)])
  const gains = duckDb.map(dbToGain)
  const stepFrames = sampleRateHz / STEPS_PER_SECOND
  const isFlat = duckDb.every((db) => db === 0)
  let position = 0
  for (const block of rest()) {
    if (isFlat) {
      yield block
      continue
    }
    const planes = planesOf(block, (value) => value)
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
    yield block
  }
}

function planesOf(block: Float64Array, sampleOf: (value: number, i: number) => number) {
  const frames = block.length / 2
  const [left, right] = [new Float32Array(frames), new Float32Array(frames)]
  for (let i = 0; i < frames; i++) {
    left[i] = sampleOf(block[2 * i]!, 2 * i)
    right[i] = sampleOf(block[2 * i + 1]!, 2 * i + 1)
  }
  return { channels: [left, right] as const, frames }
}

/** Mean square of a loudness (BS.1770). */
const meanSquareOf = (lufs: number): number => 10 ** ((lufs + 0.691) / 10)
