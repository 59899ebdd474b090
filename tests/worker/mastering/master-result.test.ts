/** Figures of a master in the report are measured in its file, not planned. */
import { describe, expect, it } from 'vitest'
import { deliveryTarget } from '../../../src-contract/delivery-target.ts'
import type { Platform } from '../../../src-contract/platforms/index.ts'
import { type FinalisePlan, planFinalise, prepareFinalise } from '../../../src-engine/finalise/finalise.ts'
import type { MasterMeasurement } from '../../../src-worker/mastering/measure-master.ts'
import type { RenderedMaster } from '../../../src-worker/mastering/render-master.ts'
import { finaliseDecisions, masterCurves, masterResult } from '../../../src-worker/mastering/report-facts.ts'
import { songLike } from '../../support/sounds.ts'

const source = prepareFinalise(songLike(6, 44_100))

/** The result for a platform of a file that measures so, rendered by a plan for that platform. */
function resultOf(
  platform: Platform,
  measured: { readonly integratedLufs: number; readonly truePeakDbtp?: number },
  planned: Partial<FinalisePlan> = {},
) {
  const target = deliveryTarget(platform, 'other', 'platform')
  const plan = { ...planFinalise(source, { ...target, intensity: 50 }), ...planned }
  const measurement = { truePeakDbtp: -1.5, shortTermMaxLufs: -10, momentaryMaxLufs: -9, ...measured }
  const master: RenderedMaster = {
    ...{ path: 'master.wav', sizeBytes: 1, sha256: '', crc32: 0 },
    ...{ sampleRateHz: 44_100, durationSeconds: 1, bitDepth: 16, plan },
    measurement: measurement as MasterMeasurement,
    gainReductionDb: Float32Array.of(0, 4.5, 1),
  }
  return {
    plan,
    result: masterResult(master, target, {
      file: 'song.wav',
      chainGainDb: -2.5,
      source: { plrDb: 14, sideToMidDb: -10 },
    }),
  }
}

describe('the result of a master', () => {
  it('is on its target within 0.05 LU as measured, whatever the plan said', () => {
    expect(resultOf('spotify', { integratedLufs: -14.04 }).result).toMatchObject({ verdict: 'on_target' })
    const { result } = resultOf('spotify', { integratedLufs: -14.1 })
    expect(result).toMatchObject({ verdict: 'below_target', verdict_reason: 'gain_reduction', integrated_lufs: -14.1 })
  })

  it('is refused if the file misses the planned loudness by more than 0.5 LU', () => {
    expect(() => resultOf('spotify', { integratedLufs: -14.6 })).toThrow(/0.60 LU off/)
    expect(() => resultOf('spotify', { integratedLufs: -13.4 })).toThrow(/0.60 LU off/)
    expect(() => resultOf('spotify', { integratedLufs: -Infinity })).toThrow(/DIGITAL_SILENCE/)
    const { result } = resultOf(
      'spotify',
      { integratedLufs: -17 },
      { verdict: 'below_target', reason: 'dynamics_lost' },
    )
    expect(result).toMatchObject({ verdict: 'below_target', verdict_reason: 'dynamics_lost' })
  })

  it('names each platform whose ceiling was lowered for a lossy copy', () => {
    const copy = (ceiling_lowered_db: number) => ({ codec: 'AAC', true_peak_dbtp: -0.1, ceiling_lowered_db })
    const { result } = resultOf('spotify', { integratedLufs: -14 })
    const results = [
      { ...result, codec_checks: [copy(0.4), copy(0.4)] },
      { ...result, platform: 'youtube' as const, codec_checks: [copy(0)] },
      { ...result, platform: 'melon' as const },
    ]
    const told = finaliseDecisions(results).filter(({ code }) => code === 'CEILING_LOWERED_FOR_CODEC')
    expect(told).toEqual([
      { stage: 'limit', code: 'CEILING_LOWERED_FOR_CODEC', values: { platform: 'spotify', loweredDb: 0.4 } },
    ])
  })

  it('tells the largest offset that was taken out of a master, from −60 dBFS on', () => {
    const { result } = resultOf('spotify', { integratedLufs: -14 })
    const results = [result, { ...result, platform: 'melon' as const, offset_removed_dbfs: -55.52 }]
    const told = (of: typeof results) => finaliseDecisions(of).filter(({ code }) => code === 'RESULT_OFFSET_REMOVED')
    expect(told(results)).toEqual([
      { stage: 'limit', code: 'RESULT_OFFSET_REMOVED', values: { platform: 'melon', offsetDbfs: -55.5 } },
    ])
    expect(told([result, { ...result, offset_removed_dbfs: -60.5 }])).toEqual([])
  })

  it('describes clipper and limiter of the master that was driven hardest', () => {
    const { result } = resultOf('spotify', { integratedLufs: -14 })
    const results = [
      { ...result, max_gain_reduction_db: 1, clip_budget_db: 0 },
      {
        ...result,
        platform: 'melon' as const,
        max_gain_reduction_db: 6.26,
        mean_gain_reduction_db: 0.4,
        clip_budget_db: 2,
      },
      { ...result, platform: 'youtube' as const, max_gain_reduction_db: 3, clip_budget_db: 0 },
    ]
    expect(finaliseDecisions(results)).toMatchObject([
      { code: 'CLIP_BUDGET_CHOSEN', values: { platform: 'melon', clipBudgetDb: 2 } },
      { code: 'LIMITED', values: { platform: 'melon', maxGainReductionDb: 6.3, meanGainReductionDb: 0.4 } },
    ])
    expect(finaliseDecisions([{ ...result, max_gain_reduction_db: 0.04, clip_budget_db: 0 }])).toMatchObject([
      { code: 'GAIN_ONLY', values: { platform: 'spotify' } },
    ])
  })

  it('gives the total gain from the song to the master, and the largest reduction', () => {
    const { plan, result } = resultOf('spotify', { integratedLufs: -14 })
    expect(result.gain_db).toBeCloseTo(plan.gainDb - 2.5, 9)
    expect(result.max_gain_reduction_db).toBe(4.5)
  })

  it('limits the gain of a service for a quiet master to −1 dBTP', () => {
    const quiet = { verdict: 'below_target', reason: 'dynamics_lost' } as const
    const turnedUp = (truePeakDbtp: number) =>
      resultOf('spotify', { integratedLufs: -18, truePeakDbtp }, quiet).result.playback
    expect(turnedUp(-3)).toMatchObject({ action: 'turn_up', gain_db: 2 })
    expect(turnedUp(-8)).toMatchObject({ action: 'turn_up', gain_db: 4 })
    expect(turnedUp(-1)).toMatchObject({ action: 'leave', gain_db: 0 })
  })
})

describe('the curves of a master', () => {
  it('keep the last loudness, the largest peak and reduction and the mean correlation of each step, at 600 points at most', () => {
    const points = 1201
    const cycle = <Value>(...values: Value[]) => Array.from({ length: points }, (_, i) => values[i % values.length]!)
    const curves = {
      stepSeconds: 0.1,
      shortTermLufs: cycle(null, -20, -14),
      peakDbfs: cycle(-6, -1, null),
      correlation: cycle(1, 0.5, 0),
    }
    const drawn = masterCurves({
      measurement: { curves },
      gainReductionDb: Float32Array.from(cycle(0, 3, 1)),
    } as unknown as RenderedMaster)
    expect(drawn.step_seconds).toBe(0.3)
    const at = (i: number) =>
      [drawn.short_term_lufs, drawn.peak_dbfs, drawn.correlation, drawn.gain_reduction_db].map((curve) => curve?.at(i))
    expect(drawn.peak_dbfs).toHaveLength(401)
    expect(at(0)).toEqual([-14, -1, 0.5, 3])
    // The last step is one point alone.
    expect(at(-1)).toEqual([null, -6, 1, 0])
  })
})
