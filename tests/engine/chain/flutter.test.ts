import { describe, expect, it } from 'vitest'
import { NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import type { Deflutter, FlutterLine } from '../../../src-contract/stages/deflutter.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import { findFlutter } from '../../../src-engine/analysis/flutter.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { type MasteringPlan, planRecipe } from '../../../src-engine/plan.ts'
import { copyOf, ordinaryMusic } from './signals.ts'

const rateHz = 48_000
const music = ordinaryMusic(30)
/** Repetitions of the decoder of ACE-Step, Hz. */
const slow = 44_100 / 2048
const fast = 44_100 / 512

/** Movements of the level, each a frequency in Hz and its largest distance from the mean in dB. */
type Movements = readonly (readonly [frequencyHz: number, swingDb: number])[]

/** The music with its level moved: in the left channel as given, in the right by half of that. */
function fluttering(movements: Movements): Audio {
  const audio = copyOf(music)
  for (const [c, samples] of audio.channels.entries()) {
    for (let i = 0; i < samples.length; i++) {
      const levelDb = movements.reduce((sum, [hz, db]) => sum + db * Math.sin(2 * Math.PI * hz * (i / rateHz) + hz), 0)
      samples[i]! *= 10 ** ((c === 0 ? levelDb : levelDb / 2) / 20)
    }
  }
  return audio
}

const fault: Movements = [
  [slow, 0.8],
  [fast, 0.4],
]

function planned(audio: Audio, skip_repairs: 'flutter'[] = []) {
  const sound = { ...NEUTRAL_SOUND, skip_repairs }
  const plan = planRecipe({
    analysis: analyseSource(audio, { lossy: false }),
    ...{ genre: 'other', ai_service: 'other', intensity: 50, reference_amount: 100, sound },
  })
  return { plan, codes: plan.decisions.map(({ code }) => code) }
}

const stageOf = ({ recipe }: MasteringPlan) =>
  recipe.stages.find((stage): stage is Deflutter => stage.kind === 'deflutter')!

/** Distance from the undamaged music, dB below it: of the difference of two channels against the music. */
function errorDb(audio: Audio, c: number): number {
  const undamaged = music.channels[c]!
  const error = audio.channels[c]!.reduce((sum, sample, i) => sum + (sample - undamaged[i]!) ** 2, 0)
  return 10 * Math.log10(error / undamaged.reduce((sum, sample) => sum + sample ** 2, 0))
}

/** Movement of the level of a channel above about 4 kHz at a frequency, dB. */
function movementDb({ channels }: Audio, c: number, frequencyHz: number): number {
  const samples = channels[c]!
  const step = 128
  let re = 0
  let im = 0
  const steps = Math.floor((samples.length - 2) / step)
  for (let k = 0; k < steps; k++) {
    let power = 0
    for (let i = k * step + 2; i < (k + 1) * step + 2; i++) {
      power += (samples[i]! - 2 * samples[i - 1]! + samples[i - 2]!) ** 2
    }
    const level = 10 * Math.log10(power + 1e-12)
    const angle = (2 * Math.PI * frequencyHz * (k + 0.5) * step) / rateHz
    re += level * Math.cos(angle)
    im += level * Math.sin(angle)
  }
  return (2 * Math.hypot(re, im)) / steps
}

describe('a flutter at the clock of a decoder', () => {
  it('is found and steadied in each channel by as much as it moves there', () => {
    const audio = fluttering(fault)
    const { plan, codes } = planned(audio)
    expect(codes).toEqual(expect.arrayContaining(['FLUTTER_STEADIED']))
    expect(plan.recipe.stages.map(({ kind }) => kind)).toEqual(['deflutter'])
    expect([slow, fast].map((hz) => movementDb(audio, 0, hz) > 0.3)).toEqual([true, true])
    const before = copyOf(audio)
    const { repairs } = applyRecipe(audio, plan.recipe)
    expect(repairs).toEqual([expect.objectContaining({ kind: 'flutter', frequency_hz: 21.5, channel: 'both' })])
    expect(Math.abs(repairs[0]!.amount_db! - 1.2)).toBeLessThan(0.35)
    for (const hz of [slow, fast]) {
      for (const c of [0, 1]) expect(movementDb(audio, c, hz)).toBeLessThan(0.35 * movementDb(before, c, hz))
    }
    for (const c of [0, 1]) expect(errorDb(audio, c)).toBeLessThan(errorDb(before, c))
  })

  it('in one channel alone is found, and steadied as it grows', () => {
    const audio = copyOf(ordinaryMusic(60))
    const [left] = audio.channels as [Float32Array]
    const swingAt = (frame: number) => 0.35 + (0.85 * frame) / audio.frames
    for (let i = 0; i < audio.frames; i++) {
      const moved = Math.sin(2 * Math.PI * slow * (i / rateHz)) + 0.5 * Math.sin(2 * Math.PI * fast * (i / rateHz))
      left[i]! *= 10 ** ((swingAt(i) * moved) / 20)
    }
    const { plan } = planned(audio)
    const { lines } = stageOf(plan)
    expect(lines.every(({ channel }) => channel === 'left')).toBe(true)
    const ends = (of: readonly FlutterLine[], hz: number) =>
      of
        .filter(({ frequencyHz }) => Math.abs(frequencyHz - hz) < 0.1)
        .map(({ swingsDb }) => [swingsDb[0]!, swingsDb.at(-1)!])
    for (const [first, last] of ends(lines, slow)) {
      expect(Math.abs(first! - 0.42)).toBeLessThan(0.1)
      expect(Math.abs(last! - 1.1)).toBeLessThan(0.15)
    }
    applyRecipe(audio, plan.recipe)
    // Below 1 kHz the level keeps its movement, which shows a little above.
    for (const [first, last] of ends(findFlutter(audio)?.lines ?? [], slow)) {
      expect(first).toBeLessThan(0.15)
      expect(last).toBeLessThan(0.35)
    }
  })

  it('is steadied up to the last sample of a song', () => {
    const audio = fluttering(fault)
    const before = copyOf(audio)
    applyRecipe(audio, planned(audio).plan.recipe)
    const isTouched = (from: number) =>
      audio.channels.map((samples, c) =>
        samples.slice(from).some((sample, i) => sample !== before.channels[c]![from + i]),
      )
    expect(isTouched(audio.frames - 4000)).toEqual([true, true])
    expect(audio.channels.every((samples) => samples.every(Number.isFinite))).toBe(true)
  })

  it('is left where its owner wishes, and that is said', () => {
    const { plan, codes } = planned(fluttering(fault), ['flutter'])
    expect(codes).toEqual(expect.arrayContaining(['REPAIR_SKIPPED']))
    expect(plan.recipe.stages).toEqual([])
  })

  it.each<[string, Movements]>([
    ['music that does not flutter', []],
    [
      'a movement beside the clocks of decoders',
      [
        [slow * 1.02, 0.8],
        [fast * 1.02, 0.4],
      ],
    ],
    ['the one repetition that lossy coding leaves', [[2 * slow, 0.8]]],
    ['beats that come as fast', [2, 3, 4, 5, 6, 7, 8, 9, 10, 12].map((k) => [(k * slow) / 3, 0.25] as const)],
  ])('%s has none, and keeps every bit', (_, movements) => {
    const audio = fluttering(movements)
    const before = copyOf(audio)
    const { plan } = planned(audio)
    expect(plan.recipe.stages.map(({ kind }) => kind)).toEqual([])
    applyRecipe(audio, plan.recipe)
    const isSame = audio.channels.every((samples, c) => samples.every((sample, i) => sample === before.channels[c]![i]))
    expect(isSame).toBe(true)
  })
})
