import { describe, expect, it } from 'vitest'
import { NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { measureBandFrames } from '../../../src-engine/dsp/meters/spectrum.ts'
import { planRecipe } from '../../../src-engine/plan.ts'
import { copyOf, ordinaryMusic } from './signals.ts'

const rateHz = 48_000
const music = ordinaryMusic(12)

/** Two partials, at 6.6 and 12.3 kHz, of a note that is struck every two seconds and rings. */
const playedNotes: Sound = (t) =>
  [6600, 12_300].reduce((sum, hz) => sum + 0.02 * Math.exp(-(t % 2)) * Math.sin(2 * Math.PI * hz * t), 0)

/** A sound that is added to both channels. */
type Sound = (seconds: number) => number

function withSound(sound: Sound): Audio {
  const audio = copyOf(music)
  for (const samples of audio.channels) for (let i = 0; i < samples.length; i++) samples[i]! += sound(i / rateHz)
  return audio
}

const tone =
  (frequencyHz: number, amplitude: number, fromSeconds = 3, toSeconds = 9): Sound =>
  (t) =>
    t >= fromSeconds && t < toSeconds ? amplitude * Math.sin(2 * Math.PI * frequencyHz * t) : 0

function planned(audio: Audio, skip_repairs: 'whistle'[] = []) {
  const analysis = analyseSource(audio, { lossy: false })
  const sound = { ...NEUTRAL_SOUND, skip_repairs }
  const plan = planRecipe({
    ...{ analysis, genre: 'other', ai_service: 'other', intensity: 50, reference_amount: 100, sound },
  })
  return { analysis, plan, codes: plan.decisions.map(({ code }) => code) }
}

/** Level of 60 Hz around a frequency, dBFS. */
function levelDb(audio: Audio, frequencyHz: number): number {
  const band = { centresHz: [frequencyHz], edgesHz: [frequencyHz - 30, frequencyHz + 30] }
  const { mid } = measureBandFrames(audio, [band])[0]!
  return 10 * Math.log10(mid.reduce((sum, power) => sum + power, 0) / mid.length)
}

describe('a whistle', () => {
  it.each([
    ['at 12.4 kHz', 12_400, 0.01],
    ['above the music', 19_000, 0.008],
  ])('%s is found where it sounds, and goes down to what lies beside it there alone', (_, frequencyHz, amplitude) => {
    const audio = withSound(tone(frequencyHz, amplitude))
    const { analysis, plan, codes } = planned(audio)
    expect(codes).toEqual(expect.arrayContaining(['WHISTLE_REMOVED']))
    const [whistle, ...others] = analysis.whistles
    expect(others).toEqual([])
    expect(Math.abs(whistle!.frequencyHz - frequencyHz)).toBeLessThan(5)
    expect(Math.abs(whistle!.startSeconds - 3)).toBeLessThan(0.2)
    expect(Math.abs(whistle!.endSeconds - 9)).toBeLessThan(0.2)
    const beforeDb = levelDb(audio, frequencyHz)
    const undamaged = copyOf(audio)
    expect(plan.recipe.stages.map(({ kind }) => kind)).toEqual(['whistle_notch'])
    const { repairs } = applyRecipe(audio, plan.recipe)
    expect(repairs).toEqual([
      expect.objectContaining({ kind: 'whistle', frequency_hz: Math.round(whistle!.frequencyHz) }),
    ])
    expect(levelDb(audio, frequencyHz)).toBeLessThan(beforeDb - 12)
    expect(Math.abs(levelDb(audio, frequencyHz) - levelDb(music, frequencyHz))).toBeLessThan(3)
    const isSame = (from: number, to: number) =>
      audio.channels.every((samples, c) =>
        samples.subarray(from, to).every((sample, i) => sample === undamaged.channels[c]![from + i]),
      )
    expect(isSame(0, 2.75 * rateHz)).toBe(true)
    expect(isSame(9.25 * rateHz, audio.frames)).toBe(true)
    expect(isSame(4 * rateHz, 5 * rateHz)).toBe(false)
  })

  it('is left where its owner wishes, and that is said', () => {
    const { plan, codes } = planned(withSound(tone(12_400, 0.01)), ['whistle'])
    expect(codes).toEqual(expect.arrayContaining(['REPAIR_SKIPPED']))
    expect(plan.recipe.stages).toEqual([])
  })

  it.each<[string, Sound]>([
    ['a tone of three seconds', tone(12_400, 0.01, 2.1, 5.4)],
    ['a tune', (t) => tone([11_000, 14_000][Math.floor(t / 2) % 2]!, 0.01)(t)],
    ['a tone that the music covers', tone(12_400, 0.001)],
    ['a steady tone below 10 kHz', tone(8500, 0.01)],
    ['the partials of a note', (t) => [1, 2, 3, 4, 5, 6].reduce((sum, n) => sum + tone(n * 3300, 0.02)(t), 0)],
    ['a partial that rises and falls with another of its note', playedNotes],
    ['a tone that glides', (t) => 0.01 * Math.sin(2 * Math.PI * (11_000 * t + 100 * t * t))],
  ])('%s is none', (_, sound) => {
    expect(planned(withSound(sound)).analysis.whistles).toEqual([])
  })
})
