import { describe, expect, test } from 'vitest'
import type { Client } from '../../src-contract/client.ts'
import type { Certificate, ReceiverCheck } from '../../src-contract/release-exports.ts'
import type { Release } from '../../src-contract/releases.ts'
import { copiedSheet, groupsOf, sheetsFor } from '../../src-renderer/screens/release/answer-sheets.tsx'
import { proposedStatement } from '../../src-renderer/screens/release/disclosure-section.tsx'
import { hiddenColumns } from '../../src-renderer/screens/release/track-columns.tsx'
import { folderOf, ReleaseExports, wishOf } from '../../src-renderer/state/release-exports.ts'
import { mendRowsOf, verdictsOf } from '../../src-renderer/state/release-readiness.ts'
import { disclosureSheet } from '../../src-server/releases/disclosure.ts'

test('an export asks for what was chosen, and leaves the rest to the receiver', () => {
  const usual: Parameters<typeof wishOf>[0] = {
    ...({ folder: null, formats: [], platform: null, isByPlatform: false, labels: 'release', naming: ' ' } as const),
    ...{ hasAsciiNames: false, language: null, isZipped: false, carriesManifests: true },
  }
  expect(wishOf(usual, 'ko')).toEqual({ language: 'ko' })
  expect(
    wishOf(
      {
        ...({ folder: '/m', formats: ['flac24'], platform: 'release', isByPlatform: true, labels: 'none' } as const),
        ...({ naming: '{track} {title} ', hasAsciiNames: true, language: 'en', isZipped: true } as const),
        carriesManifests: false,
      },
      'ko',
    ),
  ).toEqual({
    ...{ formats: ['flac24'], platform: 'release', by_platform: true, file_tags: 'none', language: 'en' },
    ...{ naming: '{track} {title}', ascii_names: true, zip: true, content_credentials: false },
  })
  expect(folderOf({ folder: null }, null)).toBe('~/Music/Loudsmith')
  expect(folderOf({ folder: null }, '/out')).toBe('/out')
  expect(folderOf({ folder: '' }, '/out'), 'emptied by hand').toBe('')
})

test('the progress of the running export alone is shown, and starts anew with the next', async () => {
  const running = Promise.withResolvers<never>()
  const exports = new ReleaseExports({ call: () => running.promise } as unknown as Pick<Client, 'call'>)
  const told = { event: 'export.progress', seq: 1, files_done: 1, files: 3 } as const
  exports.apply({ ...told, release_id: 'a' })
  expect(exports.store.getState().progress).toBeNull()
  const run = exports.run('a', {})
  exports.apply({ ...told, release_id: 'b' })
  expect(exports.store.getState().progress).toBeNull()
  exports.apply({ ...told, release_id: 'a', file: '02 B.wav' })
  expect(exports.store.getState().progress).toEqual({ done: 1, of: 3, file: '02 B.wav' })
  running.reject(new Error('stopped'))
  await run
  void exports.run('a', {})
  expect(exports.store.getState().progress).toBeNull()
})

test('a statement is offered for what the songs name and for mastering, and for nothing else', () => {
  const traces = [
    { track: 1, title: 'A', generator: 'Suno', model: 'v5', has_c2pa_manifest: false },
    { track: 2, title: 'B', generator: 'Udio', has_c2pa_manifest: false },
  ]
  // The sheet of the server: who wrote the words, no file says.
  const sheet = disclosureSheet({}, traces, 'Loudsmith 1', [{ title: 'A' }, { title: 'B' }, { title: 'C' }])
  const offered = (category: 'vocals' | 'lyrics' | 'post_production', track?: number) =>
    proposedStatement(category, sheet, (program) => `by ${program}`, track)
  expect(offered('vocals')).toEqual({ use: 'generated', tools: 'Suno, Udio' })
  expect(offered('vocals', 1)).toEqual({ use: 'generated', tools: 'Suno', model: 'v5' })
  expect([offered('vocals', 3), offered('lyrics'), offered('post_production', 1)]).toEqual(Array(3).fill(undefined))
  expect(offered('post_production')).toEqual({ use: 'none', note: 'by Loudsmith 1' })
  expect(proposedStatement('post_production', null, String)).toBeUndefined()
})

test('the chosen receiver and the services behind it have a sheet of answers, tracks of the same answers in one', () => {
  const release = {
    ...{ receivers: ['distrokid'], disclosure: { vocals: { use: 'none' }, lyrics: { use: 'none' } } },
    tracks: ['A', 'B', 'C'].map((title, index) => ({
      ...{ position: index + 1, title },
      disclosure: Object.fromEntries(
        ['instrumentation', 'composition'].map((one) => [one, { use: index === 1 ? 'generated' : 'none' }]),
      ),
    })),
  } as unknown as Release
  const sheets = sheetsFor(release, 'en')
  expect(sheets.map(({ receiver }) => receiver)).toEqual(['distrokid', 'apple_music_delivery', 'spotify_delivery'])
  expect(sheetsFor({ ...release, receivers: ['tunecore'] }, 'en').map(({ receiver }) => receiver)).toEqual([
    ...['apple_music_delivery', 'spotify_delivery'],
  ])
  expect(sheetsFor({ ...release, receivers: [] }, 'en')).toEqual([])
  const [distrokid, apple] = sheets
  expect(groupsOf(distrokid!).map(({ tracks }) => tracks.map(({ track }) => track))).toEqual([[1, 3], [2]])
  expect(copiedSheet(distrokid!, 'Release').split('\n').slice(0, 7)).toEqual([
    ...['DistroKid', '', '1. A', 'Does this song include AI-generated music, vocals, or lyrics? No'],
    ...['', '2. B', 'Does this song include AI-generated music, vocals, or lyrics? Yes'],
  ])
  expect(copiedSheet(apple!, 'Release')).toContain('\nRelease\nArtwork: Not stated yet\n')
})

test('columns hide by rank where there is no room, and none does where there is', () => {
  const all = ['number', 'title', 'length', 'state', 'isrc', 'composers', 'explicit', 'lyricists', 'actions']
  expect(hiddenColumns(2000, all)).toEqual([])
  expect(hiddenColumns(540, all)).toEqual(['isrc', 'composers', 'lyricists'])
  expect(hiddenColumns(320, all)).toEqual(['state', 'length', 'explicit', 'isrc', 'composers', 'lyricists'])
})

describe('readiness', () => {
  const release = {
    tracks: [{ track_id: 'one' }, { track_id: 'two' }],
  } as unknown as Release
  const field = (name: string, need: string, state: string, tracks?: number[]) =>
    ({ field: name, title: name, need, state, message: `${name}!`, tracks }) as object
  const rule = (name: string, outcome: string, confidence = 'published', file?: string) =>
    ({
      rule: name,
      title: name,
      outcome,
      confidence,
      remedies: outcome === 'remedy' ? [{ file, message: `${name}!` }] : [],
    }) as object
  const receiver = (fields: object[], checks: object[], files = 'not_measured') =>
    ({ receiver: 'distrokid', fields, checks, verdicts: { files } }) as unknown as ReceiverCheck
  const weights = (of: ReceiverCheck, certificate: Certificate | null = null) =>
    mendRowsOf(of, release, certificate).map(({ name, weight, field: place }) => [
      name,
      weight,
      place?.part,
      place?.member,
    ])

  test('what is required comes first, an assigned code is answered, and what others quote is advice', () => {
    const checked = receiver(
      [
        field('isrc', 'assigned', 'assigned', [1, 2]),
        field('label', 'unknown', 'missing'),
        field('genre', 'asked', 'missing'),
        field('composers', 'required', 'missing', [2]),
        field('title', 'required', 'given'),
      ],
      [rule('cover', 'remedy'), rule('bit_depth', 'remedy', 'common_practice'), rule('length', 'pass')],
    )
    expect(weights(checked)).toEqual([
      ['composers', 'needed', 'two', 'composers'],
      ['cover', 'needed', 'release', 'cover'],
      ['genre', 'advised', 'release', 'genre'],
      ['bit_depth', 'advised', 'release', 'formats'],
      ['isrc', 'assigned', 'one', 'isrc'],
      ['label', 'unknown', 'release', 'label'],
    ])
    expect(verdictsOf([checked, checked], release, null), 'the same thing counts once').toEqual({
      files: 1,
      release: 1,
    })
  })

  test('silence is known once the files are written, and leads to its track', () => {
    const checked = receiver([], [rule('silence_end', 'not_measured')])
    expect(verdictsOf([checked], release, null)).toEqual({ files: 'open', release: 'ready' })
    const written = (outcome: string, files: string) =>
      ({
        files: [{ name: '02.wav', sound: { track: 2 } }],
        receivers: [receiver([], [rule('silence_end', outcome, 'published', '02.wav')], files)],
      }) as unknown as Certificate
    expect(verdictsOf([checked], release, written('pass', 'ready'))).toEqual({ files: 'ready', release: 'ready' })
    expect(weights(checked, written('remedy', 'not_ready'))).toEqual([
      ['silence_end', 'needed', 'two', 'trim_end_seconds'],
    ])
  })
})
