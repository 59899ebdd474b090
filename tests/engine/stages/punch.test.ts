/** Punch: what `punch` promises, on drums and on sounds that are held. */
import { describe, expect, it } from 'vitest'
import { NEUTRAL_SOUND } from '../../../src-contract/settings.ts'
import { analyseSource } from '../../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../../src-engine/chain.ts'
import { highPass } from '../../../src-engine/dsp/biquad.ts'
import { createBiquadCascade } from '../../../src-engine/dsp/biquad-cascade.ts'
import { type Audio, allocateAudio, sliceBlock } from '../../../src-engine/dsp/block.ts'
import { planRecipe } from '../../../src-engine/plan.ts'
import { noise, seededRandom, stereo } from '../../support/sounds.ts'
import { copyOf, largestDifference, powerDbfs } from '../chain/signals.ts'

const rates = [44_100, 48_000, 88_200, 96_000]
const asked = { genre: 'other', ai_service: 'other', intensity: 0, reference_amount: 100 } as const

/** The plan of a song; any will do, as punch is planned from the setting alone. */
const analysis = analyseSource(noise(0.2, 1, 44_100, 3), { lossy: false })
const planned = (punch: number) => planRecipe({ ...asked, analysis, sound: { ...NEUTRAL_SOUND, punch } })

function punched(audio: Audio, punch: number): Audio {
  return applyRecipe(copyOf(audio), planned(punch).recipe).audio
}

/** Seconds between two hits. */
const gridSeconds = 0.125

/** Kick, snare and hats on sixteenths at 120 beats per minute, half of the hits wider than the others. */
function drums(sampleRateHz: number, seconds = 3): Audio {
  const random = seededRandom(5)
  const audio = allocateAudio(2, Math.round(seconds * sampleRateHz), sampleRateHz)
  const [left, right] = audio.channels as [Float32Array, Float32Array]
  for (let hit = 0; hit * gridSeconds < seconds; hit++) {
    const at = Math.round(hit * gridSeconds * sampleRateHz)
    const kind = hit % 8 === 0 || hit % 8 === 5 ? 'kick' : hit % 8 === 4 ? 'snare' : 'hat'
    for (let i = 0; i < 0.3 * sampleRateHz && at + i < audio.frames; i++) {
      const t = i / sampleRateHz
      const hiss = [random(), random()] as const
      const body =
        kind === 'kick'
          ? 0.7 * Math.exp(-t / 0.12) * Math.sin(2 * Math.PI * (50 * t + 3.3 * (1 - Math.exp(-t / 0.03))))
          : kind === 'snare'
            ? 0.35 * Math.exp(-t / 0.08) * Math.sin(2 * Math.PI * 190 * t)
            : 0
      const [level, decay] = { kick: [0.15, 0.004], snare: [0.4, 0.06], hat: [0.12, 0.025] }[kind] as [number, number]
      left[at + i]! += body + level * Math.exp(-t / decay) * hiss[0]
      right[at + i]! += body + level * Math.exp(-t / decay) * hiss[1]
    }
  }
  return audio
}

/** Mean over all hits of what the first 5 ms stand above the 100 ms from there on, dB: by power, and by peak against power. */
function onsetCrest(audio: Audio) {
  const frames = (seconds: number) => Math.round(seconds * audio.sampleRateHz)
  const crests: { power: number; peak: number }[] = []
  for (let at = 0; at + frames(0.1) <= audio.frames; at = frames(crests.length * gridSeconds)) {
    const start = sliceBlock(audio, at, at + frames(0.005))
    const wholeDb = powerDbfs(sliceBlock(audio, at, at + frames(0.1)))
    const peak = Math.max(...start.channels.flatMap((samples) => [...samples].map(Math.abs)))
    crests.push({ power: powerDbfs(start) - wholeDb, peak: 20 * Math.log10(peak) - wholeDb })
  }
  const mean = (of: (crest: { power: number; peak: number }) => number) =>
    crests.reduce((sum, crest) => sum + of(crest), 0) / crests.length
  return { power: mean(({ power }) => power), peak: mean(({ peak }) => peak) }
}

describe.each(rates)('drums at %i Hz', (rate) => {
  const song = drums(rate)
  const before = onsetCrest(song)

  it.each([
    [100, 2, 5],
    [50, 1, 2.5],
    [-50, -2.5, -1],
    [-100, -5, -2],
  ])('at %i the crest of their onsets moves by %f to %f dB', (setting, least, most) => {
    const after = onsetCrest(punched(song, setting))
    for (const measure of ['power', 'peak'] as const) {
      expect(after[measure] - before[measure]).toBeGreaterThan(least)
      expect(after[measure] - before[measure]).toBeLessThan(most)
    }
  })
})

it('the higher the setting, the higher the onsets', () => {
  const song = drums(44_100)
  const crests = [-100, -75, -50, -25, -5, 0, 5, 25, 50, 75, 100].map((punch) => onsetCrest(punched(song, punch)).power)
  for (const [i, crest] of crests.slice(1).entries()) expect(crest).toBeGreaterThan(crests[i]! + 0.05)
})

it('a hit soon after another, into its tail, is moved too', () => {
  const rate = 48_000
  const random = seededRandom(2)
  const everyFrames = 0.08 * rate
  const song = stereo(6 * everyFrames, rate, (i) => 0.5 * Math.exp(-(i % everyFrames) / (0.02 * rate)) * random())
  const startDb = (audio: Audio, hit: number) =>
    powerDbfs(sliceBlock(audio, hit * everyFrames, hit * everyFrames + 0.005 * rate))
  for (const punch of [100, -100]) {
    const result = punched(song, punch)
    const moved = (hit: number) => Math.abs(startDb(result, hit) - startDb(song, hit))
    for (const hit of [1, 3, 5]) expect(moved(hit)).toBeGreaterThan(0.9)
  }
})

const turn = 2 * Math.PI
const sawtooth = (hz: number) => (t: number) => {
  let sum = 0
  for (let k = 1; k * hz < 16_000; k++) sum += Math.sin(turn * k * hz * t) / k
  return 0.3 * sum
}
const together =
  (...tones: number[]) =>
  (t: number) =>
    tones.reduce((sum, hz) => sum + 0.12 * Math.sin(turn * hz * t), 0)

const held: [string, (t: number) => number][] = [
  ...[20, 30, 50, 100, 440, 1000, 5000, 12_000].map((hz): [string, (t: number) => number] => [
    `a sine at ${hz} Hz`,
    (t) => 0.5 * Math.sin(turn * hz * t),
  ]),
  ...[41.2, 55, 110, 220].map((hz): [string, (t: number) => number] => [`a sawtooth at ${hz} Hz`, sawtooth(hz)]),
  ['a chord', together(220, 277.2, 329.6, 440)],
  ['a deep fifth', together(65.4, 98, 130.8)],
  ['a vibrato', (t) => 0.3 * Math.sin(turn * 440 * t + 8 * Math.sin(turn * 5.5 * t))],
  ['a tremolo of 3 dB', (t) => 0.3 * (1 + 0.17 * Math.sin(turn * 5.5 * t)) * Math.sin(turn * 440 * t)],
]

describe.each([44_100, 96_000])('sounds that are held, at %i Hz', (rate) => {
  it.each(held)('%s keeps every bit once it has begun', (_, wave) => {
    const song = stereo(2 * rate, rate, (i) => wave(i / rate))
    const tail = (audio: Audio) => sliceBlock(audio, rate / 2, audio.frames - 0.01 * rate)
    for (const punch of [100, -100]) {
      const result = punched(song, punch)
      expect(largestDifference(tail(result), tail(song))).toBe(0)
      expect(largestDifference(sliceBlock(result, 0, rate / 2), sliceBlock(song, 0, rate / 2))).toBeGreaterThan(1e-3)
    }
  })
})

it('where a bass sets in there is no click: what lies above 1 kHz stays 60 dB below the bass', () => {
  const rate = 48_000
  const song = stereo(2 * rate, rate, (i) => {
    const t = (i / rate) % 0.5
    return 0.5 * Math.min(1, t / 0.02) * Math.min(1, (0.5 - t) / 0.05) * Math.sin(turn * 55 * t)
  })
  for (const punch of [100, -100]) {
    const result = punched(song, punch)
    expect(largestDifference(result, song)).toBeGreaterThan(0.01)
    const bassDb = powerDbfs(result)
    createBiquadCascade(Array.from({ length: 4 }, () => highPass(1000, rate))).process(result)
    expect(powerDbfs(result) - bassDb).toBeLessThan(-60)
  }
})

it('the stereo image stays where it is', () => {
  const song = drums(44_100, 2)
  song.channels[1]!.set(song.channels[0]!.map((sample) => sample / 2))
  const { channels } = punched(song, 100)
  for (let i = 0; i < song.frames; i += 7) expect(channels[1]![i]!).toBeCloseTo(channels[0]![i]! / 2, 6)
})

it('0 is not in the recipe, and silence stays silence', () => {
  expect(planned(0).recipe.stages).toEqual([])
  const silence = allocateAudio(2, 20_000, 44_100)
  expect(largestDifference(punched(copyOf(silence), 100), silence)).toBe(0)
})

it('the decision says how far the sharpest attacks are moved', () => {
  const of = (punch: number) => planned(punch).decisions.filter(({ code }) => code.startsWith('ATTACKS'))
  expect(of(50)).toMatchObject([{ stage: 'dynamics', code: 'ATTACKS_RAISED', values: { punch: 50, mostGainDb: 4.5 } }])
  expect(of(-100)).toMatchObject([{ code: 'ATTACKS_HELD_BACK', values: { punch: -100, mostGainDb: -9 } }])
})
