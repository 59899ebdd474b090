import { expect, test } from 'vitest'
import { COST_CODES, type MasterCost } from '../../../src-contract/report.ts'
import { costText, isWithoutCost } from '../../../src-contract/text/costs.ts'
import { type CostSource, costsOf, type Measured } from '../../../src-worker/mastering/costs.ts'

const source: CostSource = { plrDb: 14, sideToMidDb: -10 }
const gentle: Measured = { mean_gain_reduction_db: 1, max_gain_reduction_db: 5, plr_db: 11, sideToMidDb: -9 }
const copy = (codec: string, true_peak_dbtp: number) => ({ codec, true_peak_dbtp, ceiling_lowered_db: 0 })

const codes = (master: Partial<Measured>, of: Partial<CostSource> = {}) =>
  costsOf({ ...gentle, ...master }, { ...source, ...of }).map(({ code }) => code)

test('a master at its limits gave nothing up', () => {
  expect(codes({})).toEqual([])
  expect(codes({ mean_gain_reduction_db: 3, max_gain_reduction_db: 10, plr_db: 6 })).toEqual([])
  expect(codes({ codec_checks: [copy('AAC', 0)] })).toEqual([])
})

test('each limit that is exceeded is one cost with its figure', () => {
  const costs = costsOf(
    {
      ...{ mean_gain_reduction_db: 3.11, max_gain_reduction_db: 10.2, plr_db: 5.4, sideToMidDb: 6 },
      codec_checks: [copy('MP3 320 kbit/s', 0.1), copy('AAC 256 kbit/s', 0.321), copy('Opus', -1)],
    },
    source,
  )
  expect(costs).toEqual([
    { code: 'LOUD_PARTS_REDUCED', values: { mean_gain_reduction_db: 3.1 } },
    { code: 'PEAKS_REDUCED', values: { max_gain_reduction_db: 10.2 } },
    { code: 'DYNAMICS_NARROWED', values: { plr_db: 5.4, source_plr_db: 14 } },
    { code: 'FOLD_DOWN_LOST', values: { lost_db: 6.6 } },
    { code: 'CODEC_OVERSHOOT', values: { codec: 'AAC 256 kbit/s', true_peak_dbtp: 0.32 } },
  ])
})

test('what the source never had is not lost', () => {
  expect(codes({ plr_db: 5.4 }, { plrDb: 5.6 })).toEqual([])
  expect(codes({ plr_db: 5.4 }, { plrDb: null })).toEqual([])
  expect(codes({ sideToMidDb: 6 }, { sideToMidDb: 6 })).toEqual([])
  expect(codes({ sideToMidDb: null }, { sideToMidDb: null })).toEqual([])
  expect(codes({ sideToMidDb: -200 }, { sideToMidDb: 6 })).toEqual([])
})

test.each(['en', 'ko'] as const)('every cost is said with its figure, in %s', (language) => {
  const values = {
    ...{ mean_gain_reduction_db: 4.2, max_gain_reduction_db: 4.2, plr_db: 4.2, source_plr_db: 14, lost_db: 4.2 },
    ...{ codec: 'AAC 256 kbit/s', true_peak_dbtp: 4.2 },
  }
  for (const code of COST_CODES) expect(costText({ code, values }, language)).toContain('4.2')
})

test('only a master on its target that gave nothing up is without cost; one of an earlier version is judged by its target', () => {
  const cost: MasterCost = { code: 'PEAKS_REDUCED', values: {} }
  expect(isWithoutCost({ verdict: 'on_target', costs: [] })).toBe(true)
  expect(isWithoutCost({ verdict: 'on_target' })).toBe(true)
  expect(isWithoutCost({ verdict: 'on_target', costs: [cost] })).toBe(false)
  expect(isWithoutCost({ verdict: 'below_target', costs: [] })).toBe(false)
})
