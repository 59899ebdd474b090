/** Releases without a database: numbers of the trade, pictures, and what a change makes of a track. */
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../src-server/http/app-error.ts'
import { isDate, languageOf, upcOf } from '../../../src-server/releases/codes.ts'
import { changedSong, inOrder, type TrackRecord, withTracks } from '../../../src-server/releases/release.ts'

describe('a UPC', () => {
  test.each([
    ['036000291452', '036000291452'],
    ['0 36000-29145 2', '036000291452'],
    ['4006381333931', '4006381333931'],
  ])('%j is %j', (text, digits) => expect(upcOf(text)).toBe(digits))

  test.each(['036000291453', '306000291452', '03600029145', '40063813339310', '03600029145x', '', '000000000001'])(
    '%j is none',
    (text) => expect(upcOf(text)).toBeUndefined(),
  )
})

test('a date is a day of the calendar', () => {
  const days = ['2026-05-01', '2028-02-29', '2026-02-29', '2026-13-01', '2026-5-1', '01-05-2026', '2026-05-01T00:00']
  expect(days.filter(isDate)).toEqual(['2026-05-01', '2028-02-29'])
})

test('a language is taken by its code, and by its name in English, in Korean and in itself', () => {
  const given = ['ko', 'Korean', ' korean ', '한국어', 'ENGLISH', '영어', 'Deutsch', 'zh-Hans', 'pt_BR', 'KO', 'yue']
  expect(given.map(languageOf)).toEqual(['ko', 'ko', 'ko', 'ko', 'en', 'en', 'de', 'zh-Hans', 'pt-BR', 'ko', 'yue'])
  expect(['', 'Korean songs', 'k', '12', 'ko-'].map(languageOf)).toEqual(Array(5).fill(undefined))
})

const track = (trackId: string): TrackRecord => ({ trackId, facts: {} as TrackRecord['facts'] })
const names = (tracks: readonly TrackRecord[]) => tracks.map(({ trackId }) => trackId).join('')

test('tracks are added from a number on, at the end otherwise, and never more than a hundred', () => {
  const tracks = [track('a'), track('b')]
  const added = [track('c'), track('d')]
  expect([undefined, 1, 2, 9].map((position) => names(withTracks(tracks, added, position)))).toEqual([
    ...['abcd', 'cdab', 'acdb', 'abcd'],
  ])
  const hundred = Array.from({ length: 100 }, () => track('x'))
  expect(withTracks([], hundred)).toHaveLength(100)
  expect(() => withTracks([track('a')], hundred)).toThrow(new AppError('TRACK_LIMIT', { limit: 100 }))
})

test('an order names every track exactly once', () => {
  const tracks = [track('a'), track('b'), track('c')]
  expect(names(inOrder(tracks, ['c', 'a', 'b']))).toBe('cab')
  for (const wrong of [['a', 'b'], ['a', 'b', 'b'], ['a', 'b', 'x'], ['a', 'b', 'c', 'c'], []])
    expect(() => inOrder(tracks, wrong)).toThrow('INVALID_REQUEST')
})

test('a song of one kind takes the place of one of the other, null takes it out, and nothing leaves it', () => {
  const song = { sourceId: 's' }
  expect([{}, { job_id: 'j' }, { source_id: null }, { job_id: null }].map((one) => changedSong(song, one))).toEqual([
    ...[{ sourceId: 's' }, { jobId: 'j' }, {}, { sourceId: 's' }],
  ])
  expect(() => changedSong({}, { job_id: 'j', source_id: 's' })).toThrow('INVALID_REQUEST')
})
