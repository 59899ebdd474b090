import { describe, expect, it } from 'vitest'
import { createLoudnessMeter } from '../../../src-renderer/playback/loudness.ts'
import { advancePeak, createTruePeakMeter, SILENT_PEAK } from '../../../src-renderer/playback/true-peak.ts'
import { sine } from './signals.ts'

/** Feeds a list of [seconds, dBFS] tones of 1 kHz on both channels. */
function measure(rateHz: number, parts: readonly (readonly [number, number])[], run = 4096) {
  const meter = createLoudnessMeter(rateHz)
  for (const [seconds, level] of parts) {
    const samples = sine(Math.round(seconds * rateHz), rateHz, 1000, 10 ** (level / 20))
    for (let at = 0; at < samples.length; at += run) {
      meter.push(samples, samples, at, Math.min(run, samples.length - at))
    }
  }
  return meter.levels
}

describe('live loudness', () => {
  it.each([44_100, 48_000, 96_000])('reads −23.0 LUFS on the tone of EBU Tech 3341 case 1 at %i Hz', (rateHz) => {
    const levels = measure(rateHz, [[20, -23]])
    expect(Math.abs(levels.momentaryLufs + 23)).toBeLessThan(0.1)
    expect(Math.abs(levels.shortTermLufs + 23)).toBeLessThan(0.1)
    expect(Math.abs(levels.integratedLufs + 23)).toBeLessThan(0.1)
  })

  it('gates quiet passages as in EBU Tech 3341 cases 3 and 4', () => {
    const case3 = measure(48_000, [
      [10, -36],
      [60, -23],
      [10, -36],
    ])
    expect(Math.abs(case3.integratedLufs + 23)).toBeLessThan(0.1)
    const case4 = measure(48_000, [
      [10, -72],
      [10, -36],
      [60, -23],
      [10, -36],
      [10, -72],
    ])
    expect(Math.abs(case4.integratedLufs + 23)).toBeLessThan(0.1)
  })

  it('counts music up to 10 LU below the rest, and none that is softer', () => {
    const song = (softLufs: number) =>
      measure(48_000, [
        [20, -20],
        [20, softLufs],
      ]).integratedLufs
    const mean = 10 * Math.log10((10 ** -2 + 10 ** -3.15) / 2)
    expect(Math.abs(song(-31.5) - mean)).toBeLessThan(0.1)
    expect(Math.abs(song(-33.7) + 20)).toBeLessThan(0.1)
  })

  it('reads the same however the sound is cut', () => {
    const parts = [[4, -20]] as const
    const whole = measure(48_000, parts, 200_000)
    const pieces = measure(48_000, parts, 127)
    for (const key of ['momentaryLufs', 'shortTermLufs', 'integratedLufs'] as const) {
      expect(pieces[key]).toBeCloseTo(whole[key], 9)
    }
  })

  it('says nothing of silence and of too little sound', () => {
    expect(measure(48_000, [[0.3, -20]]).momentaryLufs).toBe(Number.NEGATIVE_INFINITY)
    expect(measure(48_000, [[2.9, -20]]).shortTermLufs).toBe(Number.NEGATIVE_INFINITY)
    const meter = createLoudnessMeter(48_000)
    const silence = new Float32Array(48_000 * 4)
    meter.push(silence, silence, 0, silence.length)
    expect(meter.levels.integratedLufs).toBe(Number.NEGATIVE_INFINITY)
  })

  it('forgets the integrated loudness on a restart, and only that', () => {
    const meter = createLoudnessMeter(48_000)
    const tone = sine(48_000 * 5, 48_000, 1000, 0.1)
    meter.push(tone, tone, 0, tone.length)
    meter.restart()
    expect(meter.levels.integratedLufs).toBe(Number.NEGATIVE_INFINITY)
    expect(meter.levels.shortTermLufs).toBeCloseTo(-20, 1)
  })
})

describe('live true peak', () => {
  it('finds the peak between the samples of a tone at a quarter of the rate', () => {
    const meter = createTruePeakMeter()
    const tone = sine(4800, 48_000, 12_000, 0.5, Math.PI / 4)
    expect(Math.max(...tone)).toBeLessThan(0.36)
    meter.push(tone, 0, 2400)
    const peakDb = 20 * Math.log10(meter.push(tone, 2400, 2400) / 0.5)
    expect(Math.abs(peakDb)).toBeLessThan(0.1)
  })

  it('is never below the sample peak', () => {
    const meter = createTruePeakMeter()
    const click = new Float32Array(64)
    click[20] = 0.9
    expect(meter.push(click, 0, 64)).toBeGreaterThanOrEqual(Math.fround(0.9))
  })

  it('rises at once, falls 20 dB a second, and holds 1.5 s', () => {
    let peak = advancePeak(SILENT_PEAK, -3, 0.1)
    expect(peak).toMatchObject({ shownDb: -3, heldDb: -3, maximumDb: -3 })
    for (let step = 0; step < 10; step++) peak = advancePeak(peak, -60, 0.1)
    expect(peak.shownDb).toBeCloseTo(-23, 6)
    expect(peak.heldDb).toBe(-3)
    for (let step = 0; step < 6; step++) peak = advancePeak(peak, -60, 0.1)
    expect(peak.heldDb).toBeLessThan(-30)
    expect(peak.maximumDb).toBe(-3)
    peak = advancePeak(peak, -1, 0.1)
    expect(peak).toMatchObject({ shownDb: -1, heldDb: -1, maximumDb: -1 })
    for (let step = 0; step < 14; step++) peak = advancePeak(peak, -60, 0.1)
    expect(peak.heldDb).toBe(-1)
  })
})
