import { expect, test } from 'vitest'
import { type Conditions, selectBytes } from '../../../src-server/artifacts/range.ts'

const TAG = '"abc"'
const select = (
  range: string | undefined,
  more: Pick<Conditions, 'ifMatch' | 'ifRange' | 'ifNoneMatch'> = {},
  sizeBytes = 100,
) => selectBytes(sizeBytes, TAG, { range, ...more })
const part = (start: number, end: number) => ({ kind: 'part', range: { start, end } })

test('a single range is cut out: closed, open, suffix, and one that reaches past the end', () => {
  expect(select('bytes=0-0')).toEqual(part(0, 0))
  expect(select('bytes=10-19')).toEqual(part(10, 19))
  expect(select('bytes=90-')).toEqual(part(90, 99))
  expect(select('bytes=-10')).toEqual(part(90, 99))
  expect(select('bytes=-1000')).toEqual(part(0, 99))
  expect(select('bytes=90-1000')).toEqual(part(90, 99))
  expect(select('BYTES=1-2')).toEqual(part(1, 2))
})

test('a range that begins past the end, an empty suffix and any range of an empty file lie outside', () => {
  expect(select('bytes=100-')).toEqual({ kind: 'outside' })
  expect(select('bytes=-0')).toEqual({ kind: 'outside' })
  expect(select('bytes=0-', {}, 0)).toEqual({ kind: 'outside' })
  expect(select('bytes=99999999999999999999-')).toEqual({ kind: 'outside' })
})

test('several ranges, other units and malformed ranges are ignored', () => {
  for (const range of ['bytes=0-1,5-6', 'items=0-1', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes', 'bytes=1.5-2', '']) {
    expect(select(range)).toEqual({ kind: 'whole' })
  }
})

test('If-Range lets a range count only with exactly the strong tag', () => {
  expect(select('bytes=0-1', { ifRange: TAG })).toEqual(part(0, 1))
  for (const ifRange of ['"other"', `W/${TAG}`, 'Sat, 21 Nov 2026 00:00:00 GMT']) {
    expect(select('bytes=0-1', { ifRange })).toEqual({ kind: 'whole' })
  }
})

test('If-None-Match with this tag, weak or listed or a star, means unchanged, before any range', () => {
  for (const ifNoneMatch of [TAG, `W/${TAG}`, `"x", ${TAG}`, '*']) {
    expect(select('bytes=0-1', { ifNoneMatch })).toEqual({ kind: 'unchanged' })
  }
  expect(select(undefined, { ifNoneMatch: '"x"' })).toEqual({ kind: 'whole' })
})

test('If-Match without exactly this tag means another file, before everything else', () => {
  for (const ifMatch of [TAG, `"x", ${TAG}`, '*']) {
    expect(select('bytes=0-1', { ifMatch })).toEqual(part(0, 1))
    expect(select(undefined, { ifMatch, ifNoneMatch: TAG })).toEqual({ kind: 'unchanged' })
  }
  for (const ifMatch of ['"x"', `W/${TAG}`, ''])
    expect(select('bytes=0-1', { ifMatch, ifNoneMatch: TAG })).toEqual({ kind: 'another' })
})
