import { describe, expect, test } from 'vitest'
import type { Audio } from '../../../src-engine/dsp/block.ts'
import { measureRendered } from '../../../src-engine/finalise/check.ts'
import { prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import { createLimiterTrial } from '../../../src-engine/finalise/material.ts'
import { songLike, stereo } from '../../support/sounds.ts'

const rate = 44_100
/** Back at once: the harshest on what lies in a peak's way, so that predictions are off. */
const prompt = { lookAheadMs: 1, fastReleaseMs: 0, slowRiseMs: 0, slowFallMs: 0 }

/** Loudness after limiting at `gainDb`: predicted, estimated from a sample and measured as a whole. */
function readings(audio: Audio, gainDb: number) {
  const source = prepareFinalise(audio)
  const trial = createLimiterTrial(source, 0.5, prompt)
  const predicted = trial.lufsAt(gainDb)
  const read = (how: 'whole' | 'estimate') => measureRendered(source, null, trial, gainDb, how)
  return { predicted, estimated: read('estimate'), whole: read('whole') }
}

describe('the loudness of a master before it is written', () => {
  test('is estimated from a quarter of a steady piece as the whole of it says', () => {
    // A deep tone under a quieter one: the limiter rides on its halves.
    const audio = stereo(30 * rate, rate, (i) => 0.6 * Math.sin(0.008 * i) + 0.2 * Math.sin(0.15 * i))
    const { predicted, estimated, whole } = readings(audio, 6)
    expect(Math.abs(predicted - whole)).toBeGreaterThan(0.05)
    expect(Math.abs(estimated - whole)).toBeLessThan(0.01)
  })

  test('is estimated so where the limiter leaves half of it alone', () => {
    const level = (i: number) => (i % (8 * rate) < 4 * rate ? 1 : 0.3)
    const audio = stereo(24 * rate, rate, (i) => level(i) * (0.6 * Math.sin(0.008 * i) + 0.2 * Math.sin(0.15 * i)))
    const { predicted, estimated, whole } = readings(audio, 2)
    expect(Math.abs(predicted - whole)).toBeGreaterThan(0.5)
    expect(Math.abs(estimated - whole)).toBeLessThan(0.05)
  })

  test('is estimated better than predicted where the music changes', () => {
    const { predicted, estimated, whole } = readings(songLike(40, rate), 12)
    expect(Math.abs(estimated - whole)).toBeLessThan(0.3 * Math.abs(predicted - whole))
  })

  test('is measured where the limiter works in few places', () => {
    const place = 5 * rate
    const audio = stereo(12 * rate, rate, (i) => (i > place && i < place + rate ? 1 : 0.1) * Math.sin(0.03 * i))
    const { estimated, whole } = readings(audio, 0)
    expect(estimated).toBe(whole)
  })
})
