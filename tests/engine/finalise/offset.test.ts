import { describe, expect, test } from 'vitest'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import {
  planFinalise,
  prepareFinalise,
  renderWithOffset,
  resultOffset,
  trimFinalise,
} from '../../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../../src-engine/finalise/material.ts'
import { seededRandom, stereo } from '../../support/sounds.ts'
import { measured, render } from './rendered.ts'

const rate = 44_100
const seconds = 20
const frames = seconds * rate
const dbfs = (value: number): number => 20 * Math.log10(Math.abs(value))
const meanOf = (samples: Float32Array): number => samples.reduce((sum, value) => sum + value, 0) / samples.length
const meansDbfs = ({ channels }: Audio): number[] => channels.map((samples) => dbfs(meanOf(samples)))
const target = { targetLufs: -12, ceilingDbtp: -1, intensity: 50 }

/** Noise with pulses that are tall on one side and long on the other, without a mean. */
function leaningSong(): Audio {
  const random = seededRandom(7)
  const song = stereo(frames, rate, (i) => {
    const x = i % 11_025
    const tall = x < 300 ? 0.8 * Math.sin((Math.PI * x) / 300) : 0
    const long = x >= 300 && x < 2700 ? -0.1 * Math.sin((Math.PI * (x - 300)) / 2400) : 0
    return tall + long + 0.1 * random()
  })
  for (const samples of song.channels) {
    const mean = meanOf(samples)
    for (let i = 0; i < samples.length; i++) samples[i]! -= mean
  }
  return song
}

/** The frame of the first sample in which two masters differ; null for none. */
function firstDifference(one: Audio, other: Audio): number | null {
  const frame = one.channels[0]!.findIndex((_, i) => one.channels.some((c, k) => c[i] !== other.channels[k]![i]))
  return frame < 0 ? null : frame
}

function withOffset(source: FinaliseSource, plan: ReturnType<typeof planFinalise>): Audio {
  const whole = allocateAudio(2, source.audio.frames, source.sampleRateHz)
  let at = 0
  for (const block of renderWithOffset(source, plan)) {
    for (const [c, samples] of block.channels.entries()) whole.channels[c]!.set(samples, at)
    at += block.frames
  }
  return whole
}

describe('the offset of a master', () => {
  test('that limiting one side of the waves makes is taken out, under the same ceiling at the same loudness', () => {
    const source = prepareFinalise(leaningSong())
    let plan = planFinalise(source, target)
    expect(meansDbfs(source.audio).every((level) => level < -100)).toBe(true)
    for (const level of meansDbfs(withOffset(source, plan))) expect(level).toBeGreaterThan(-50)
    for (let round = 0; round < 5; round++) plan = trimFinalise(plan, measured(render(source, plan))) ?? plan
    const master = render(source, plan)
    for (const level of meansDbfs(master)) expect(level).toBeLessThan(-100)
    expect(Math.max(...resultOffset(source, plan)!.means.map(dbfs))).toBeGreaterThan(-50)
    const reading = measured(master)
    expect(reading.truePeakDbtp).toBeLessThanOrEqual(-1)
    expect(Math.abs(reading.integratedLufs + 12)).toBeLessThanOrEqual(0.05)
  })

  test('that the source itself has to such a degree stays, and its master still keeps its ceiling', () => {
    const random = seededRandom(11)
    const source = prepareFinalise(stereo(frames, rate, () => 0.1 * random() + 0.5))
    let plan = planFinalise(source, { ...target, targetLufs: -14 })
    expect(resultOffset(source, plan)).toBeNull()
    for (let round = 0; round < 3; round++) plan = trimFinalise(plan, measured(render(source, plan))) ?? plan
    const reading = measured(render(source, plan))
    expect(reading.truePeakDbtp).toBeLessThanOrEqual(-1)
    expect(trimFinalise(plan, reading)).toBeNull()
  })

  test('is taken from between the peaks: those that are limited keep their height', () => {
    const source = prepareFinalise(leaningSong())
    const plan = planFinalise(source, { ...target, targetLufs: -16.5 })
    const [before, after] = [withOffset(source, plan), render(source, plan)]
    expect(plan.limiter).not.toBeNull()
    for (const level of meansDbfs(before)) expect(level).toBeGreaterThan(-70)
    for (const level of meansDbfs(after)) expect(level).toBeLessThan(-90)
    const highestDbfs = ({ channels }: Audio) => dbfs(channels[0]!.reduce((most, x) => Math.max(most, Math.abs(x)), 0))
    expect(Math.abs(highestDbfs(after) - highestDbfs(before))).toBeLessThan(1e-4)
    // A sample at half of the ceiling loses a quarter less.
    const at = (level: number) => before.channels[0]!.findIndex((x, i) => i > 6 * rate && Math.abs(x - level) < 1e-3)
    const lost = (i: number) => before.channels[0]![i]! - after.channels[0]![i]!
    const ceiling = 10 ** (plan.ceilingDbtp / 20)
    expect(lost(at(ceiling / 2)) / lost(at(0))).toBeCloseTo(0.75, 1)
  })

  test('that drifts with the song is followed', () => {
    const random = seededRandom(3)
    const drift = (i: number) => 0.03 * Math.sin((2 * Math.PI * 0.1 * i) / rate)
    const source = prepareFinalise(stereo(frames, rate, (i) => 0.1 * random() + drift(i)))
    const plan = planFinalise(source, { ...target, targetLufs: -20 })
    const inSeconds = ({ channels }: Audio) =>
      // The curve leaves the ends alone.
      Array.from({ length: seconds - 12 }, (_, s) => meanOf(channels[0]!.subarray((s + 6) * rate, (s + 7) * rate)))
    const before = Math.max(...inSeconds(withOffset(source, plan)).map(Math.abs))
    const after = Math.max(...inSeconds(render(source, plan)).map(Math.abs))
    expect(dbfs(before)).toBeGreaterThan(-40)
    expect(dbfs(after / before)).toBeLessThan(-20)
  })

  test('that a master does not have leaves every sample as it is', () => {
    const random = seededRandom(5)
    const song = stereo(frames, rate, () => 0.15 * random())
    for (const samples of song.channels) {
      for (let i = 0; i < samples.length; i += 2) samples[i + 1] = 4e-5 - samples[i]!
    }
    const source = prepareFinalise(song)
    const plan = planFinalise(source, { ...target, targetLufs: -20 })
    expect(resultOffset(source, plan)).toBeNull()
    expect(firstDifference(render(source, plan), withOffset(source, plan))).toBeNull()
  })

  test('is not put into silence, nor into the first and the last sample', () => {
    const random = seededRandom(9)
    const isSilent = (i: number) => i > 5 * rate && i < 6 * rate
    const source = prepareFinalise(stereo(frames, rate, (i) => (isSilent(i) ? 0 : 0.1 * random() + 0.01)))
    const plan = planFinalise(source, { ...target, targetLufs: -20 })
    const [before, after] = [withOffset(source, plan), render(source, plan)]
    for (const level of meansDbfs(after)) expect(level).toBeLessThan(-100)
    for (const [c, samples] of after.channels.entries()) {
      expect(samples.subarray(5 * rate + 1, 6 * rate).every((value) => value === 0)).toBe(true)
      expect([samples[0], samples.at(-1)]).toEqual([before.channels[c]![0], before.channels[c]!.at(-1)])
    }
  })

  test('is taken out alike whatever the size of the blocks', () => {
    const source = prepareFinalise(leaningSong())
    const plan = planFinalise(source, target)
    expect(firstDifference(render(source, { ...plan }, 1000), render(source, plan))).toBeNull()
  })
})
