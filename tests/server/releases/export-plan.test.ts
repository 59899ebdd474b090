/** Plan of an export: which files of jobs it takes, what receivers ask for, and how the files are called. */
import { describe, expect, test } from 'vitest'
import { DISTRIBUTORS, distributorProfile } from '../../../src-contract/distributors/index.ts'
import { FORMAT_NAMES, type Format, formatFacts } from '../../../src-contract/formats.ts'
import type { FileSet } from '../../../src-contract/release-exports.ts'
import type { FormatFile, MasterResult, ReleaseResult } from '../../../src-contract/report.ts'
import {
  chosenMasters,
  fileNames,
  hasPlainNames,
  mostCoverPx,
  plannedSets,
  sourcesOf,
  type TrackMasters,
  wantedFormat,
} from '../../../src-server/releases/export-plan.ts'
import type { ReleaseRecord } from '../../../src-server/releases/release.ts'

/** A day on which no rule is old but Ditto's of 2019. */
const NOW = Date.parse('2026-12-01')

const file = (format: Format) => ({ format, file: `a.${format}`, sha256: format, gain_db: -0.5 }) as FormatFile
const master = (more: Partial<MasterResult> = {}) =>
  ({
    platform: 'spotify',
    file: 'a.wav',
    sha256: 'own',
    bit_depth: 24,
    sample_rate_hz: 48_000,
    ...more,
  }) as MasterResult
const track = (platforms: MasterResult['platform'][], hasRelease = false): TrackMasters => ({
  masters: platforms.map((platform) => master({ platform })),
  ...(hasRelease ? { release: master() as unknown as ReleaseResult } : {}),
})

test('a file is the job’s own where it has one, else made of its float or 24 bit WAV, and of nothing less', () => {
  const formatsOf = (made: MasterResult) =>
    Object.fromEntries(FORMAT_NAMES.map((format) => [format, sourcesOf(made, format)?.[0]?.format]))
  expect(formatsOf(master())).toEqual({
    ...{ wav24: 'wav24', wav16_44: 'wav24', wav32f: undefined, flac24: 'wav24', flac16_44: 'wav24' },
    ...{ mp3_320: 'wav24', aac_256: 'wav24' },
  })
  expect(formatsOf(master({ files: [file('wav32f'), file('mp3_320')] }))).toEqual({
    ...{ wav24: 'wav24', wav16_44: 'wav32f', wav32f: 'wav32f', flac24: 'wav24', flac16_44: 'wav32f' },
    ...{ mp3_320: 'mp3_320', aac_256: 'wav32f' },
  })
  const ofCd = master({ bit_depth: 16, sample_rate_hz: 44_100 })
  expect(Object.values(formatsOf(ofCd))).toEqual(
    FORMAT_NAMES.map((format) => (['wav16_44', 'flac16_44'].includes(format) ? 'wav16_44' : undefined)),
  )
  expect(sourcesOf(master({ files: [file('mp3_320')] }), 'mp3_320')).toMatchObject([
    { file: 'a.mp3_320', gainDb: -0.5 },
  ])
})

test('the masters for all services come first, else those of the first platform that every track has', () => {
  const both = [track(['spotify', 'melon'], true), track(['melon', 'youtube', 'spotify'], true)]
  expect(chosenMasters({}, both)).toEqual(['release'])
  expect(chosenMasters({ by_platform: true }, both)).toEqual(['release', 'spotify', 'melon'])
  expect(chosenMasters({ platform: 'melon', by_platform: true }, both)).toEqual(['melon', 'spotify'])
  expect(chosenMasters({}, [both[0]!, track(['melon', 'youtube'])])).toEqual(['melon'])
  expect(chosenMasters({ platform: 'release' }, [both[0]!, track(['melon'])])).toEqual([])
  expect(chosenMasters({}, [track(['spotify']), track(['melon'])])).toEqual([])
})

describe('a receiver', () => {
  test.each(DISTRIBUTORS)('%s is given a format that its rules allow', (receiver) => {
    const { container, bitDepth = 0, rateHz } = formatFacts(wantedFormat(receiver, [44_100], NOW))
    for (const rule of distributorProfile(receiver).rules) {
      if (rule.rule === 'file_type') expect(rule.types).toContain(container)
      if (rule.rule === 'bit_depth') expect(rule.depths).toContain(bitDepth)
      if (rule.rule === 'sample_rate') expect(rule.ratesHz).toContain(rateHz ?? 44_100)
    }
  })

  test('that is named gets its format, a copy without tags and plain names where it asks for them', () => {
    const tracks = [track(['spotify'], true)]
    const sets = (request: Parameters<typeof plannedSets>[0]) =>
      plannedSets(request, ['release'], tracks, NOW).map(({ folder, format, labels }) =>
        [folder, format, labels].join(' '),
      )
    expect(sets({})).toEqual([' wav24 release'])
    expect(sets({ receivers: ['spotify_delivery', 'cd_baby'] })).toEqual([' wav24 release', ' wav16_44 release'])
    expect(sets({ receivers: ['symphonic', 'audiomaze'] })).toEqual([
      ...[' wav24 release', ' wav16_44 release', 'no_tags wav24 none', 'no_tags wav16_44 none'],
    ])
    expect(sets({ receivers: ['symphonic'], file_tags: 'none' })).toEqual([' wav24 none'])
    expect(sets({ receivers: ['symphonic'], formats: ['mp3_320'] })).toEqual([' mp3_320 release', 'no_tags wav24 none'])
    const cd = [{ masters: [master({ bit_depth: 16, sample_rate_hz: 44_100 })] }]
    expect(plannedSets({}, ['spotify'], cd, NOW)[0]?.format).toBe('wav16_44')
    expect(plannedSets({ by_platform: true }, ['release', 'melon'], tracks, NOW).map(({ folder }) => folder)).toEqual([
      '',
      'melon',
    ])
  })
})

test('a rate that a receiver does not list is converted, and no other', () => {
  expect([44_100, 48_000, 96_000, 88_200].map((rateHz) => wantedFormat('catapult', [rateHz], NOW))).toEqual([
    ...['wav24', 'wav24', 'wav24', 'wav16_44'],
  ])
  expect(wantedFormat('catapult', [48_000, 88_200], NOW)).toBe('wav16_44')
})

test('a rule of long ago is no longer followed by itself: neither depth nor names are reduced for it', () => {
  const later = Date.parse('2027-06-01')
  expect(wantedFormat('cd_baby', [48_000], NOW)).toBe('wav16_44')
  expect(wantedFormat('cd_baby', [48_000], later)).toBe('wav24')
  expect([NOW, later].map((nowMs) => hasPlainNames({ receivers: ['cd_baby'] }, nowMs))).toEqual([true, false])
  const sets = plannedSets({ receivers: ['audiomaze'] }, ['release'], [track(['spotify'], true)], later)
  expect(sets.map(({ folder, format }) => [folder, format])).toEqual([['', 'wav24']])
})

describe('the names of files', () => {
  const release = {
    facts: { title: 'Night', artist: '하늘', kind: 'ep', release_date: '2026-05-01' },
    tracks: [
      { trackId: '1', facts: { title: '첫차', artists: [], version: 'Live' } },
      { trackId: '2', facts: { title: '첫차', artists: ['달', '별'], version: 'Live' } },
    ],
  } as unknown as ReleaseRecord
  const set = (format: Format, folder = ''): FileSet => ({ folder, master: 'release', format, labels: 'release' })

  test('say which format they are where another has the same extension, and lie in the folder of their set', () => {
    const sets = [set('wav24'), set('wav16_44'), set('wav32f'), set('mp3_320'), set('wav16_44', 'melon')]
    expect(sets.map((one) => fileNames(one, sets, release, {}, NOW)[0])).toEqual([
      ...['01 첫차 (Live).wav', '01 첫차 (Live)_16bit_44k.wav', '01 첫차 (Live)_32float.wav', '01 첫차 (Live).mp3'],
      'melon/01 첫차 (Live).wav',
    ])
  })

  test('follow a pattern, are plain where asked for, and never meet', () => {
    const [wav] = [set('wav24')]
    const names = (request: Parameters<typeof fileNames>[3]) => fileNames(wav!, [wav!], release, request, NOW)
    expect(names({ naming: '{artist} - {title} {year}' })).toEqual([
      '하늘 - 첫차 (Live) 2026.wav',
      '달, 별 - 첫차 (Live) 2026.wav',
    ])
    expect(names({ naming: '{title}' })).toEqual(['첫차 (Live).wav', '첫차 (Live)_2.wav'])
    expect(names({ ascii_names: true })).toEqual(['01_cheotcha_Live.wav', '02_cheotcha_Live.wav'])
    expect(names({ receivers: ['cd_baby'] })[0]).toBe('01_cheotcha_Live.wav')
    expect(names({ receivers: ['cd_baby'], ascii_names: false })[0]).toBe('01 첫차 (Live).wav')
    expect(names({ naming: '{title} & #{track}', receivers: ['sundesire'] })[0]).toBe('첫차 (Live) 01.wav')
    expect(names({ naming: '{title} & #{track}' })[0]).toBe('첫차 (Live) & #01.wav')
  })
})

test('the cover is within the size that every receiver takes, by their rules of the last 180 days', () => {
  const now = Date.parse('2026-12-01')
  expect(mostCoverPx(['distrokid', 'landr'], now)).toBe(6000)
  expect(mostCoverPx(['distrokid'], now)).toBeUndefined()
  expect(mostCoverPx(['landr'], Date.parse('2028-01-01'))).toBeUndefined()
})
