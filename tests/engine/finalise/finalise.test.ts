import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { type Audio, allocateAudio } from '../../../src-engine/dsp/block.ts'
import { clipStretch } from '../../../src-engine/finalise/clipper.ts'
import {
  type FinalisePlan,
  gainReductionDb,
  planFinalise,
  prepareFinalise,
  renderWithOffset,
  trimFinalise,
} from '../../../src-engine/finalise/finalise.ts'
import { fullTruePeak, fullTruePeakDbtp } from '../../support/full-meter.ts'
import { residualDb } from '../../support/residual.ts'
import { noise, scaled, seededRandom, sine, songLike, stereo, twoChannels } from '../../support/sounds.ts'
import { measured, render } from './rendered.ts'

const rate = 44_100
const song = prepareFinalise(songLike(24, rate))

describe('finalising a song', () => {
  test('whose channels are opposed treats it as the same song whose channels agree', () => {
    const agreeing = songLike(12, rate)
    agreeing.channels[1]!.set(agreeing.channels[0]!)
    const opposed = songLike(12, rate)
    opposed.channels[1]!.set(agreeing.channels[0]!.map((sample) => -sample))
    const target = { targetLufs: -9, ceilingDbtp: -1, intensity: 50 }
    const [one, other] = [agreeing, opposed].map((audio) => planFinalise(prepareFinalise(audio), target))
    expect(one!.verdict).toBe('on_target')
    expect(other).toEqual(one)
  })

  test.each([
    [-14, -1],
    [-16, -1],
    [-14, -1.5],
    [-11, -1.5],
    [-9, -1],
  ])('comes to %d LUFS within 0.05 LU under %d dBTP', (targetLufs, ceilingDbtp) => {
    const plan = planFinalise(song, { targetLufs, ceilingDbtp, intensity: 50 })
    const result = render(song, plan)
    const reading = measured(result)
    expect(plan.verdict).toBe('on_target')
    expect(Math.abs(reading.integratedLufs - targetLufs)).toBeLessThanOrEqual(0.05)
    expect(reading.truePeakDbtp).toBeLessThanOrEqual(ceilingDbtp)
    // Room that is left above the peaks is limiting for nothing.
    if (plan.limiter !== null) expect(reading.truePeakDbtp).toBeGreaterThan(ceilingDbtp - 0.15)
    expect(trimFinalise(plan, reading)).toBeNull()
    const loudest = result.channels.map((samples) => samples.subarray(0, 3 * rate))
    expect(fullTruePeakDbtp(loudest)).toBeLessThanOrEqual(ceilingDbtp)
  })

  test('a wave that nobody hears until it is limited costs no level', () => {
    const wave = (i: number) => 0.6 * Math.sin((2 * Math.PI * 4 * i) / rate) + 0.003 * Math.sin(0.1 * i)
    const plan = planFinalise(prepareFinalise(stereo(8 * rate, rate, wave)), {
      targetLufs: -30,
      ceilingDbtp: -1.5,
      intensity: 50,
    })
    expect(plan.limiter).not.toBeNull()
    expect(plan.meanGainReductionDb).toBe(0)
  })

  test('a deep tone that rises slowly with its gain reaches its target as well', () => {
    const tone = prepareFinalise(sine(25, -6, 8, rate))
    const plan = planFinalise(tone, { targetLufs: -11, ceilingDbtp: -1.5, intensity: 50 })
    expect(plan.meanGainReductionDb).toBeLessThan(5)
    expect(plan.verdict).toBe('on_target')
    let trimmed = plan
    for (let round = 1; round < 6; round++) trimmed = trimFinalise(trimmed, measured(render(tone, trimmed))) ?? trimmed
    expect(Math.abs(measured(render(tone, trimmed)).integratedLufs + 11)).toBeLessThanOrEqual(0.05)
  })

  test('turns down by gain alone when the peaks fit: no limiter, no clipper, every sample scaled before its offset goes', () => {
    const plan = planFinalise(song, { targetLufs: -24, ceilingDbtp: -1, intensity: 50 })
    expect(plan).toMatchObject({ limiter: null, clipLimit: null, verdict: 'on_target' })
    expect(Math.max(...gainReductionDb(song, plan))).toBe(0)
    const gain = 10 ** (plan.gainDb / 20)
    const [whole] = [...renderWithOffset(song, plan, song.audio.frames)]
    for (const [c, samples] of song.audio.channels.entries()) {
      expect(samples.findIndex((x, i) => Math.fround(x * gain) !== whole!.channels[c]![i])).toBe(-1)
    }
    expect(gainReductionDb(song, plan).every((db) => db === 0)).toBe(true)
  })

  test('gives the same samples for any block size, twice, and from a plan that went through JSON', () => {
    const target = { targetLufs: -10, ceilingDbtp: -1, intensity: 50 }
    const plan = planFinalise(song, target)
    const whole = render(song, plan)
    expect(planFinalise(prepareFinalise(songLike(24, rate)), target)).toEqual(plan)
    expect(render(song, JSON.parse(JSON.stringify(plan)) as FinalisePlan).channels).toEqual(whole.channels)
    for (const size of [4096, 10_000, 1_000_000]) {
      expect(render(song, plan, size).channels).toEqual(whole.channels)
    }
  })

  test('gives the same samples in a worker thread that shares the source', async () => {
    const target = { targetLufs: -10, ceilingDbtp: -1, intensity: 50 }
    const module = new URL('../../../src-engine/finalise/finalise.ts', import.meta.url).href
    const out = allocateAudio(2, song.audio.frames, rate)
    const worker = new Worker(
      `const { parentPort, workerData } = require('node:worker_threads')
       import(${JSON.stringify(module)}).then(({ planFinalise, renderFinalise }) => {
         const plan = planFinalise(workerData.source, workerData.target)
         let first = 0
         for (const block of renderFinalise(workerData.source, plan)) {
           block.channels.forEach((samples, c) => workerData.out[c].set(samples, first))
           first += block.frames
         }
         parentPort.postMessage(plan)
       })`,
      { eval: true, workerData: { source: song, target, out: out.channels } },
    )
    const plan = await new Promise<FinalisePlan>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    await worker.terminate()
    expect(plan).toEqual(planFinalise(song, target))
    expect(out.channels).toEqual(render(song, plan).channels)
  })

  test.each([
    ['limiter', -10, 0.3],
    // The clipper's filter moves single samples.
    ['clipper and limiter', -7, 2],
  ])('says how much the %s took in every 100 ms', (_, targetLufs, toleranceDb) => {
    const plan = planFinalise(song, { targetLufs, ceilingDbtp: -1, intensity: 50 })
    expect(plan.clipLimit === null).toBe(targetLufs === -10)
    const curve = gainReductionDb(song, plan)
    expect(curve.length).toBe(240)
    const gain = 10 ** (plan.gainDb / 20)
    const most = new Float64Array(240)
    const after = render(song, plan)
    const highest = ({ channels }: Audio, frame: number) =>
      Math.max(...channels.flatMap((samples) => Array.from(samples.subarray(frame, frame + 8), Math.abs)))
    for (let frame = 0; frame < after.frames; frame += 8) {
      const before = highest(song.audio, frame) * gain
      const step = Math.floor(frame / 4410)
      if (before > 1) most[step] = Math.max(most[step]!, 20 * Math.log10(before / highest(after, frame)))
    }
    expect(most.filter((db) => db > 3).length).toBeGreaterThan(20)
    for (const [step, db] of most.entries()) if (db > 0) expect(Math.abs(curve[step]! - db)).toBeLessThan(toleranceDb)
    expect(Math.min(...curve)).toBe(0)
  })

  test('says what the clipper took off the highest peak', () => {
    const plan = planFinalise(song, { targetLufs: -7, ceilingDbtp: -1, intensity: 50 })
    const clipped = song.audio.channels.map((samples) => {
      const out = new Float32Array(samples.length)
      clipStretch(samples, song.peaks, 0, plan.clipLimit!, rate, out)
      return out.subarray(8 * rate, 12 * rate)
    })
    const left = Math.max(...clipped.map(fullTruePeak))
    expect(plan.clipBudgetDb).toBeCloseTo(20 * Math.log10(song.truePeak / left), 1)
  })

  test.each([
    ['short', 0.1, 0.005],
    ['long', 0.2, 0.03],
  ])(
    'a single %s knock in a quiet song is limited, and does not keep the song from its target',
    (_, level, decaySeconds) => {
      const knocked = scaled(song.audio, level)
      for (const samples of knocked.channels) {
        for (let i = 0; i < rate / 2; i++) {
          const knock = Math.exp(-i / rate / decaySeconds) * Math.sin((2 * Math.PI * 90 * i) / rate)
          samples[12 * rate + i]! += 0.9 * knock
        }
      }
      const source = prepareFinalise(knocked)
      const plan = planFinalise(source, { targetLufs: -14, ceilingDbtp: -1, intensity: 50 })
      expect(plan.verdict).toBe('on_target')
      const reading = measured(render(source, plan))
      expect(Math.abs(reading.integratedLufs + 14)).toBeLessThanOrEqual(0.05)
      expect(reading.truePeakDbtp).toBeLessThanOrEqual(-1)
      const held = gainReductionDb(source, plan).filter((db) => db > 6)
      expect(held.length).toBeGreaterThan(0)
      expect(held.length).toBeLessThan(5)
    },
  )

  test('a loud end of three seconds is no knock: it is spared, and the song stops below the target', () => {
    const frames = 60 * rate
    const loudEnd = prepareFinalise(
      stereo(frames, rate, (i) => (i < frames - 3 * rate ? 0.003 : 0.9) * Math.sin(i / 30)),
    )
    const plan = planFinalise(loudEnd, { targetLufs: -2, ceilingDbtp: -1, intensity: 50 })
    expect(plan.verdict).toBe('below_target')
    expect(plan.meanGainReductionDb).toBeLessThan(6.1)
    expect(Math.max(...gainReductionDb(loudEnd, plan))).toBeLessThan(8)
  })

  test('says so when the target costs too much, goes as far as it may, and names the reason', () => {
    const random = seededRandom(5)
    // Single clicks far above quiet noise: 27 LU from loudness to peak.
    const sparse = prepareFinalise(stereo(12 * rate, rate, (i) => (i % 22_050 < 3 ? 0.9 : 0.02 * random())))
    const plan = planFinalise(sparse, { targetLufs: -9, ceilingDbtp: -1, intensity: 0 })
    expect(plan.verdict).toBe('below_target')
    expect(plan.reason).toBe('dynamics_lost')
    const fromPeakToLoudnessLu = 20 * Math.log10(sparse.truePeak) - sparse.loudness.integratedLufs
    expect(fromPeakToLoudnessLu - (plan.ceilingDbtp - plan.integratedLufs)).toBeLessThan(8.1)
    const reading = measured(render(sparse, plan))
    expect(Math.abs(reading.integratedLufs - plan.integratedLufs)).toBeLessThanOrEqual(0.05)
    expect(reading.truePeakDbtp).toBeLessThanOrEqual(-1)
    const bolder = planFinalise(sparse, { targetLufs: -9, ceilingDbtp: -1, intensity: 100 })
    expect(bolder.integratedLufs).toBeGreaterThan(plan.integratedLufs + 3)
    expect(fromPeakToLoudnessLu - (bolder.ceilingDbtp - bolder.integratedLufs)).toBeLessThan(14.1)
  })

  test.each([-14, -16])('brings a song of nearly 18 LU from loudness to peak to %d LUFS', (targetLufs) => {
    const peaky = scaled(songLike(24, rate, 3), 0.7)
    for (const samples of peaky.channels) {
      for (let hit = 5000; hit + 40 < samples.length; hit += 44_100) {
        for (let i = 0; i < 40; i++) samples[hit + i]! += 0.32 * Math.sin((Math.PI * i) / 40) ** 2
      }
    }
    const source = prepareFinalise(peaky)
    const plr = 20 * Math.log10(source.truePeak) - source.loudness.integratedLufs
    expect(plr).toBeGreaterThan(16)
    expect(plr).toBeLessThan(18)
    const plan = planFinalise(source, { targetLufs, ceilingDbtp: -1.5, intensity: 50 })
    expect(plan.verdict).toBe('on_target')
    expect(Math.abs(measured(render(source, plan)).integratedLufs - targetLufs)).toBeLessThanOrEqual(0.05)
  })

  test('mends what only a long meter sees: noise up to half the rate, cut by a fast gain', () => {
    const random = seededRandom(9)
    const hats = prepareFinalise(
      stereo(6 * rate, rate, (i) => 0.2 * Math.sin(0.01 * i) + random() * Math.exp(-(i % 11_025) / 400)),
    )
    let plan = planFinalise(hats, { targetLufs: -12, ceilingDbtp: -1, intensity: 50 })
    let reading = measured(render(hats, plan))
    for (let round = 0; round < 3; round++) {
      const trimmed = trimFinalise(plan, reading)
      if (trimmed === null) break
      plan = trimmed
      reading = measured(render(hats, plan))
    }
    expect(trimFinalise(plan, reading)).toBeNull()
    expect(reading.truePeakDbtp).toBeLessThanOrEqual(-1)
    expect(Math.abs(reading.integratedLufs + 12)).toBeLessThanOrEqual(0.05)
  })

  test.each([50, 80])('leaves a steady bass tone of %i Hz undistorted: no clipper, the gain just holds', (hz) => {
    const tone = prepareFinalise(sine(hz, -6, 10, rate))
    const loudest = tone.loudness.integratedLufs + 5
    const plan = planFinalise(tone, { targetLufs: loudest, ceilingDbtp: -1, intensity: 50 })
    expect(plan.clipLimit).toBeNull()
    expect(plan.meanGainReductionDb).toBeGreaterThan(1)
    const part = render(tone, plan).channels[0]!.subarray(4 * rate, 5 * rate)
    expect(residualDb(part, [hz], rate)).toBeLessThan(-100)
  })
})

describe('finalising what is not a song', () => {
  test('keeps silence silent and says why', () => {
    const source = prepareFinalise(allocateAudio(2, 3 * rate, rate))
    const plan = planFinalise(source, { targetLufs: -14, ceilingDbtp: -1, intensity: 50 })
    expect(plan).toMatchObject({ verdict: 'below_target', reason: 'silent', gainDb: 0, limiter: null })
    expect(plan.integratedLufs).toBe(-Infinity)
    expect(render(source, plan).channels.every((samples) => samples.every((x) => x === 0))).toBe(true)
    expect(trimFinalise(plan, { integratedLufs: -Infinity, truePeakDbtp: -Infinity })).toBeNull()
  })

  test('keeps a loud sound that is too short to measure under the ceiling', () => {
    const source = prepareFinalise(noise(1.5, 0.2, rate, 1))
    const plan = planFinalise(source, { targetLufs: -14, ceilingDbtp: -1, intensity: 50 })
    expect(measured(render(source, plan)).truePeakDbtp).toBeLessThanOrEqual(-1 + 0.05)
  })

  test('takes nothing at all', () => {
    const source = prepareFinalise(allocateAudio(2, 0, rate))
    expect(render(source, planFinalise(source, { targetLufs: -14, ceilingDbtp: -1, intensity: 50 })).frames).toBe(0)
  })

  test.each([8000, 22_050, 96_000, 192_000])('brings one second at %i Hz to its target', (sampleRateHz) => {
    const source = prepareFinalise(songLike(1, sampleRateHz))
    const plan = planFinalise(source, { targetLufs: -12, ceilingDbtp: -1, intensity: 50 })
    const reading = measured(render(source, plan))
    expect(Math.abs(reading.integratedLufs - plan.integratedLufs)).toBeLessThanOrEqual(0.05)
    expect(trimFinalise(plan, reading)?.ceilingDbtp ?? -1.1).toBeGreaterThan(-1.2)
  })

  test('brings a song on one side only to its target and leaves the other silent', () => {
    const left = songLike(6, rate).channels[0]!
    const source = prepareFinalise(
      twoChannels(
        left.length,
        rate,
        (i) => left[i]!,
        () => 0,
      ),
    )
    const plan = planFinalise(source, { targetLufs: -14, ceilingDbtp: -1, intensity: 50 })
    const result = render(source, plan)
    expect(result.channels[1]!.every((x) => x === 0)).toBe(true)
    expect(Math.abs(measured(result).integratedLufs - -14)).toBeLessThanOrEqual(0.05)
  })

  test('holds the ceiling on a full-scale square wave and on constant full scale', () => {
    for (const audio of [stereo(3 * rate, rate, (i) => (i % 100 < 50 ? 1 : -1)), stereo(3 * rate, rate, () => 1)]) {
      const source = prepareFinalise(audio)
      let plan = planFinalise(source, { targetLufs: -9, ceilingDbtp: -1, intensity: 50 })
      for (let round = 0; round < 3; round++) plan = trimFinalise(plan, measured(render(source, plan))) ?? plan
      expect(measured(render(source, plan)).truePeakDbtp).toBeLessThanOrEqual(-1)
    }
  })

  test.each([Number.NaN, Infinity])('refuses audio with a sample that is %d', (bad) => {
    const audio = songLike(2, rate)
    audio.channels[0]![50_000] = bad
    expect(() => prepareFinalise(audio)).toThrow(/not finite/)
  })
})

describe('mending a plan after the file was measured', () => {
  const plan = planFinalise(song, { targetLufs: -10, ceilingDbtp: -1, intensity: 50 })
  const reading = measured(render(song, plan))

  test('does nothing while the promise holds', () => {
    expect(trimFinalise(plan, reading)).toBeNull()
    expect(trimFinalise(plan, { integratedLufs: -10.04, truePeakDbtp: -1 })).toBeNull()
  })

  test('lowers the peaks and keeps the loudness when the file was too high', () => {
    const trimmed = trimFinalise(plan, { ...reading, truePeakDbtp: -0.4 })!
    const again = measured(render(song, trimmed))
    expect(again.truePeakDbtp).toBeLessThanOrEqual(reading.truePeakDbtp - 0.59)
    expect(Math.abs(again.integratedLufs + 10)).toBeLessThanOrEqual(0.05)
  })

  test('lowers the peaks of a song that gain alone had brought to its target', () => {
    const gainOnly = planFinalise(song, { targetLufs: -18, ceilingDbtp: -1, intensity: 50 })
    expect(gainOnly.limiter).toBeNull()
    const before = measured(render(song, gainOnly))
    expect(before.truePeakDbtp).toBeGreaterThan(-1.3)
    const trimmed = trimFinalise(gainOnly, { ...before, truePeakDbtp: -0.7 })!
    const again = measured(render(song, trimmed))
    expect(again.truePeakDbtp).toBeLessThanOrEqual(-1.3)
    expect(Math.abs(again.integratedLufs + 18)).toBeLessThanOrEqual(0.05)
  })

  test('moves the loudness by the error that was measured', () => {
    const trimmed = trimFinalise(plan, { ...reading, integratedLufs: -10.2 })!
    const again = measured(render(song, trimmed))
    expect(again.integratedLufs - reading.integratedLufs).toBeGreaterThan(0.14)
    expect(again.integratedLufs - reading.integratedLufs).toBeLessThan(0.26)
    expect(again.truePeakDbtp).toBeLessThanOrEqual(-1)
  })

  test('stays below the target, with the reason, where the peaks leave no room for the loudness', () => {
    const squashed = { ...plan, loudnessSlope: 0.3 }
    const trimmed = trimFinalise(squashed, { ...reading, truePeakDbtp: 0.5 })!
    expect(trimmed).toMatchObject({ verdict: 'below_target', reason: 'gain_reduction', gainDb: plan.gainDb })
    expect(trimmed.ceilingDbtp).toBeCloseTo(plan.ceilingDbtp - 1.51, 9)
    expect(trimmed.integratedLufs).toBeCloseTo(reading.integratedLufs - 0.7 * 1.51, 9)
  })
})
