/** Everything has a snake_case name on the wire, the values of sentences too. */
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { DECISION_CODES, WARNING_CODES } from '../../src-contract/report.ts'
import { decisionText } from '../../src-contract/text/decisions.ts'
import { LANGUAGES } from '../../src-contract/text/language.ts'
import { warningText } from '../../src-contract/text/text.ts'
import { fromWireValues, toWireValues } from '../../src-contract/wire-values.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'

/** Returns the names of all members in a value, those in lists too, that are not snake_case. */
function otherNames(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap(otherNames)
  return Object.entries(value).flatMap(([name, member]) => [
    ...(/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name) ? [] : [name]),
    ...otherNames(member),
  ])
}

test('every member of a schema is named in snake_case', () => {
  const named = (schema: unknown): string[] => {
    if (typeof schema !== 'object' || schema === null) return []
    const { properties = {}, ...rest } = schema as { properties?: object }
    return [
      ...Object.keys(properties),
      ...Object.values(properties).flatMap(named),
      ...Object.values(rest).flatMap(named),
    ]
  }
  const names = Object.values(ENDPOINTS).flatMap(({ answers, ...endpoint }) => [
    ...named('body' in endpoint ? endpoint.body : {}),
    ...named('query' in endpoint ? endpoint.query : {}),
    ...named('form' in endpoint ? endpoint.form.fields : {}),
    ...named(answers),
  ])
  expect(names.length).toBeGreaterThan(300)
  expect(otherNames(Object.fromEntries(names.map((name) => [name, 1])))).toEqual([])
})

const VALUES = {
  frequencyHz: 240,
  gainDb: -2.5,
  excessDb: 6,
  largestDb: 1,
  largestMidDb: 2,
  largestSideDb: 3,
  mostMidDb: 8,
  mostSideDb: 9,
  upToHz: 16_000,
  clipBudgetDb: 1,
  maxGainReductionDb: 5,
  meanGainReductionDb: 1,
  missingLu: 0.4,
  loweredDb: 1.5,
  perSecond: 4,
  fromHz: 44_100,
  toHz: 48_000,
  lossDb: 12,
  startSeconds: 2,
  endSeconds: 3,
  cutoffHz: 15_000,
  truePeakDbtp: 0.5,
}

test('a sentence is the same for values with their names on the wire and with those of older reports', () => {
  const wire = toWireValues(VALUES)
  expect(otherNames(wire)).toEqual([])
  expect(fromWireValues(wire)).toEqual(VALUES)
  expect(toWireValues(wire)).toEqual(wire)
  let changed = 0
  for (const language of LANGUAGES) {
    const sentences = [
      ...WARNING_CODES.map((code) => (values: typeof wire) => warningText(code, values, language)),
      ...DECISION_CODES.map((code) => (values: typeof wire) => decisionText({ code, values }, language)),
    ]
    for (const say of sentences) {
      expect(say(wire)).toBe(say(VALUES))
      if (say(wire) !== say({})) changed++
    }
  }
  // Most sentences mention one: they would be alike without any too.
  expect(changed).toBeGreaterThan(40)
})

describe('of a running service', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ forkEngine: createHeldEngine().fork })
  })
  afterAll(() => service.stop())

  test('warnings of a job are so named, also where it was stored before', async () => {
    const { job_id } = await service.newJob()
    const db = new Database(path.join(service.dataDir, 'loudsmith.db'))
    const stored = [{ code: 'INPUT_RESAMPLED', values: { fromHz: 22_050, toHz: 44_100, resampler: 'soxr' } }]
    db.prepare('UPDATE jobs SET warnings = ? WHERE job_id = ?').run(JSON.stringify(stored), job_id)
    db.close()
    const [warning] = (await service.job(job_id)).warnings
    expect(warning).toEqual({
      code: 'INPUT_RESAMPLED',
      message: 'The song was resampled from 22.05 kHz to 44.1 kHz.',
      values: { from_hz: 22_050, to_hz: 44_100, resampler: 'soxr' },
    })
  })

  test('values that the page words itself have the same names', async () => {
    const { body } = await service.master({ file: new Blob([new Uint8Array(52_428_801)]) })
    expect(body.error.values).toMatchObject({ max_megabytes: 50 })
  })
})
