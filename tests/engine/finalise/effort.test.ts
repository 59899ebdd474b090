/** Cost of reaching a target, and the report's words on it. */
import { describe, expect, test } from 'vitest'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { measureLoudness } from '../../../src-engine/dsp/meters/loudness.ts'
import { planFinalise, prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../../src-engine/finalise/material.ts'
import { chooseTreatments } from '../../../src-engine/finalise/peak-treatment.ts'
import { reachWithBest } from '../../../src-engine/finalise/targeting.ts'
import { scaled, sine, songLike } from '../../support/sounds.ts'
import { measured, render } from './rendered.ts'

const rate = 44_100

/** A song whose last seconds are louder than all before them. */
function loudAtTheEnd(seconds: number, loudSeconds: number, quiet: number): FinaliseSource {
  const audio = songLike(seconds, rate)
  const quietFrames = audio.frames - loudSeconds * rate
  for (const samples of audio.channels) for (let i = 0; i < quietFrames; i++) samples[i]! *= quiet
  return prepareFinalise(audio)
}

function lastSeconds({ channels, frames }: Audio, seconds: number): Audio {
  const audio = allocateAudio(2, seconds * rate, rate)
  for (const [c, samples] of channels.entries()) audio.channels[c]!.set(samples.subarray(frames - seconds * rate))
  return audio
}

describe('the loud parts of a song', () => {
  test('give up 6 dB for a target that is out of reach, no more and no less', () => {
    const tone = prepareFinalise(sine(1470, -1, 20, rate))
    const plan = planFinalise(tone, { targetLufs: 2, ceilingDbtp: -1, intensity: 50 })
    expect(plan).toMatchObject({ verdict: 'below_target', reason: 'gain_reduction' })
    const { integratedLufs } = measured(render(tone, plan))
    expect(integratedLufs).toBeCloseTo(plan.integratedLufs, 1)
    expect(tone.loudness.integratedLufs + plan.gainDb - integratedLufs).toBeCloseTo(6, 1)
    expect(plan.meanGainReductionDb).toBeCloseTo(6, 1)
  })

  test.each([-6, -5.5, -5, -4.5])('give up no more than that on the way to %d LUFS', (targetLufs) => {
    const source = loudAtTheEnd(30, 5, 0.4)
    const plan = planFinalise(source, { targetLufs, ceilingDbtp: -1, intensity: 100 })
    expect(plan.meanGainReductionDb).toBeLessThanOrEqual(6.06)
    expect(measured(render(source, plan)).integratedLufs).toBeCloseTo(plan.integratedLufs, 1)
  })

  test.each([
    [30, 5],
    [5, 1.5],
  ])('are spared where they are short: of %d s the last %d s', (seconds, loudSeconds) => {
    const source = loudAtTheEnd(seconds, loudSeconds, 0.4)
    const plan = planFinalise(source, { targetLufs: -3, ceilingDbtp: -1, intensity: 100 })
    const before = measureLoudness(lastSeconds(source.audio, loudSeconds)).integratedLufs
    const after = measureLoudness(lastSeconds(render(source, plan), loudSeconds)).integratedLufs
    expect(before + plan.gainDb - after).toBeLessThan(7)
  })
})

/** A song far below its knocks, which are too short to change its loudness. */
function knocked(seconds: number, knocks: number): FinaliseSource {
  const sampleRateHz = 11_025
  const audio = scaled(songLike(seconds, sampleRateHz), 0.15)
  for (const samples of audio.channels) {
    for (let k = 0; k < knocks; k++) {
      const start = Math.round(((k + 0.5) * seconds * sampleRateHz) / knocks)
      for (let i = 0; i < 500; i++) samples[start + i]! += 0.9 * Math.exp(-i / 11) * Math.sin(0.513 * i)
    }
  }
  return prepareFinalise(audio)
}

describe('knocks that tower over a song', () => {
  const target = { targetLufs: -14, ceilingDbtp: -1, intensity: 0 }

  test('are limited where they last less than a second altogether', () => {
    expect(planFinalise(knocked(250, 8), target)).toMatchObject({ verdict: 'on_target' })
  })

  test.each([
    ['for more than a second', 250, 20],
    ['in more than a hundredth of it', 20, 8],
  ])('are its dynamics where they recur %s', (_, seconds, knocks) => {
    const plan = planFinalise(knocked(seconds, knocks), target)
    expect(plan).toMatchObject({ verdict: 'below_target', reason: 'dynamics_lost' })
  })
})

describe('a song that ends below its target', () => {
  test('for two reasons names the one that ended the climb', () => {
    const impulses = allocateAudio(2, 8 * rate, rate)
    for (const samples of impulses.channels) for (let i = 100; i < samples.length; i += 4410) samples[i] = 1
    const plan = planFinalise(prepareFinalise(impulses), { targetLufs: -14, ceilingDbtp: -1, intensity: 0 })
    expect(plan.meanGainReductionDb).toBeCloseTo(6, 1)
    expect(plan.reason).toBe('gain_reduction')
  })

  test('comes as close to it as any of the ways that were tried', () => {
    const source = loudAtTheEnd(30, 5, 0.4)
    const goal = { ceiling: 10 ** (-1.06 / 20), aimedLufs: -3, meanReductionDb: 6 }
    const treatments = chooseTreatments(source, { ...goal, aimedLufs: -6 })
    expect(treatments.length).toBeGreaterThan(1)
    const alone = treatments.map((treatment) => reachWithBest(source, [treatment], goal).reached.integratedLufs)
    const best = Math.max(...alone)
    expect(best - Math.min(...alone)).toBeGreaterThan(0.1)
    expect(reachWithBest(source, treatments, goal).reached.integratedLufs).toBeCloseTo(best, 1)
    expect(reachWithBest(source, treatments.toReversed(), goal).reached.integratedLufs).toBeCloseTo(best, 1)
  })
})
