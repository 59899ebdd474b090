import { expect, it } from 'vitest'
import type { Warning } from '../../src-contract/report.ts'
import { cutoffOf } from '../../src-renderer/state/stage-facts.ts'

const warnings = (values: NonNullable<Warning['values']>): Warning[] => [
  { code: 'INPUT_LOSSY', message: '' },
  { code: 'INPUT_BAND_LIMITED', message: '', values },
]

it('finds where a song ends early in the names of the wire and of reports of version 1, and nothing elsewhere', () => {
  expect(cutoffOf(warnings({ cutoff_hz: 15_800 }))).toBe(15_800)
  expect(cutoffOf(warnings({ cutoffHz: 15_800 }))).toBe(15_800)
  expect(cutoffOf(warnings({}).slice(0, 1))).toBeUndefined()
  expect(cutoffOf(undefined)).toBeUndefined()
})
