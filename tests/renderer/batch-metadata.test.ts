import { expect, test } from 'vitest'
import { createStore } from 'zustand/vanilla'
import type { Batch } from '../../src-contract/app.ts'
import { createClient } from '../../src-contract/client.ts'
import type { OwnMetadata } from '../../src-contract/metadata.ts'
import { numbered, writtenTexts } from '../../src-renderer/screens/master/details/details-table.tsx'
import { createChanges } from '../../src-renderer/state/batch-changes.ts'
import { mergedBatch } from '../../src-renderer/state/batch-merge.ts'
import { BatchMetadata } from '../../src-renderer/state/batch-metadata.ts'
import type { BatchState } from '../../src-renderer/state/batch-state.ts'
import { createNotices } from '../../src-renderer/state/notices.ts'
import { FIRST_SCOPE } from '../../src-renderer/state/scope.ts'
import { NO_SELECTION } from '../../src-renderer/state/selection.ts'
import type { Upload } from '../../src-renderer/state/song-rows.ts'
import { batchSong, someSettings, sourceOf } from '../support/batch-songs.ts'

type Sent = OwnMetadata & { readonly source_id: string }

/** The texts of two songs over a server that takes them once `isAway` is false. */
function setUp() {
  const songs = [batchSong('a', { source: { ...sourceOf('a'), artist: 'In the file' } }), batchSong('b')]
  const batch: Batch = { is_paused: false, release_songs: [], presets: [], songs, settings: someSettings }
  const store = createStore<BatchState>(() => ({
    ...{
      batch,
      order: ['a', 'b'],
      sort: null,
      selection: NO_SELECTION,
      scope: FIRST_SCOPE,
      broughtBackId: null,
      failure: null,
    },
  }))
  const sent: (readonly Sent[])[] = []
  const world = { isAway: false, uploadId: 'u' }
  const client = createClient({
    session: null,
    language: () => 'en',
    fetch: async (_path, init) => {
      if (world.isAway) throw new TypeError('fetch failed')
      const { metadata } = JSON.parse(String(init?.body)) as { metadata: readonly Sent[] }
      sent.push(metadata)
      return Response.json(batch)
    },
  })
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  }
  const notices = createNotices()
  const changes = createChanges(async (run) => {
    await run()
  })
  const waiting: Upload = { uploadId: 'u', filename: 'c.wav', sizeBytes: 1, state: 'sending', addedAt: '', sent: 0 }
  const uploadStore = createStore(() => ({ uploads: [waiting] as readonly Upload[] }))
  const uploads = {
    store: uploadStore,
    changeMetadata: (uploadId: string, texts: OwnMetadata) =>
      uploadStore.setState(({ uploads: all }) => ({
        uploads: all.map((one) =>
          one.uploadId === uploadId ? { ...one, metadata: { ...one.metadata, ...texts } } : one,
        ),
      })),
  }
  /** Stores the song of the upload, as it is when its last byte has arrived. */
  const arrive = (metadata: BatchMetadata) => {
    const written = uploadStore.getState().uploads[0]?.metadata ?? {}
    uploadStore.setState({ uploads: [] })
    world.uploadId = 'c'
    store.setState(({ batch: now }) => ({ batch: now && { ...now, songs: [...now.songs, batchSong('c')] } }))
    metadata.take('c', written)
    metadata.join('c')
  }
  const deps = {
    ...{ client, store, changes, notices, storage, uploads },
    clearFailure: () => {},
    commands: { tell: async () => {} },
    currentId: (rowId: string) => (rowId === 'u' ? world.uploadId : rowId),
  }
  const metadata = new BatchMetadata(deps)
  const written = () => store.getState().batch?.songs.map((song) => song.metadata)
  return { metadata, deps, batch, changes, notices, sent, written, world, arrive, uploadStore }
}

test('texts are shown at once, sent together, and can be taken back and made again', async () => {
  const { metadata, changes, notices, sent, written } = setUp()
  metadata.write([
    { rowId: 'a', name: 'isrc', text: 'kr-a38-24-00001' },
    { rowId: 'b', name: 'album', text: '밤 버스' },
  ])
  expect(written()).toEqual([{ isrc: 'KRA382400001' }, { album: '밤 버스' }])
  await changes.flush()
  expect(sent).toEqual([
    [
      { source_id: 'a', isrc: 'KRA382400001' },
      { source_id: 'b', album: '밤 버스' },
    ],
  ])
  notices.edits.undo()
  expect(written()).toEqual([{}, {}])
  await changes.flush()
  expect(sent.at(-1)).toEqual([
    { source_id: 'a', isrc: '' },
    { source_id: 'b', album: '' },
  ])
  notices.edits.redo()
  expect(written()).toEqual([{ isrc: 'KRA382400001' }, { album: '밤 버스' }])
})

test('a text that breaks a rule stays as it is written, also over a reload, and is not sent', async () => {
  const { metadata, deps, changes, sent, written } = setUp()
  metadata.write([{ rowId: 'a', name: 'year', text: '2026' }])
  metadata.write([{ rowId: 'a', name: 'year', text: '26' }])
  expect(written()?.[0]).toEqual({ year: '2026' })
  expect(metadata.textOf('a', 'year')).toBe('26')
  await changes.flush()
  expect(sent.flat()).toEqual([{ source_id: 'a', year: '2026' }])
  expect(new BatchMetadata(deps).textOf('a', 'year')).toBe('26')
  metadata.write([{ rowId: 'a', name: 'year', text: '2027' }])
  expect(new BatchMetadata(deps).textOf('a', 'year')).toBe('2027')
})

test('what the file says is not written once more, and an emptied text is that of the file', () => {
  const { metadata, written } = setUp()
  metadata.write([{ rowId: 'a', name: 'artist', text: 'In the file' }])
  expect(written()?.[0]).toEqual({})
  metadata.write([{ rowId: 'a', name: 'artist', text: 'Another' }])
  metadata.write([{ rowId: 'a', name: 'artist', text: ' ' }])
  expect(written()?.[0]).toEqual({})
})

test('while the program is away, what was written wins over what it says, and is sent later', async () => {
  const { metadata, batch, changes, deps, sent, world } = setUp()
  world.isAway = true
  metadata.write([{ rowId: 'a', name: 'title', text: 'Night Bus' }])
  await changes.flush().catch(() => undefined)
  const shown = mergedBatch(deps.store.getState().batch, batch, changes.holds, (id) => metadata.holds(id))
  expect(shown.songs[0]?.metadata).toEqual({ title: 'Night Bus' })
  world.isAway = false
  metadata.write([{ rowId: 'b', name: 'title', text: 'Paper' }])
  await changes.flush()
  expect(sent.at(-1)).toEqual([
    { source_id: 'a', title: 'Night Bus' },
    { source_id: 'b', title: 'Paper' },
  ])
  expect(metadata.holds('a')).toBe(false)
})

test('pasted cells are texts of their songs, and tracks are numbered in their order', () => {
  expect(
    writtenTexts([
      { rowId: 'a', columnId: 'isrc', text: 'x' },
      { rowId: 'a', columnId: 'place', text: '1' },
    ]),
  ).toEqual([{ rowId: 'a', name: 'isrc', text: 'x' }])
  expect(numbered(['b', 'a'])).toEqual([
    { rowId: 'b', name: 'track', text: '1/2' },
    { rowId: 'a', name: 'track', text: '2/2' },
  ])
})

test('a song on its way gets what is written meanwhile when it is there, and what breaks a rule stays to be mended', () => {
  const { metadata, notices, written, arrive } = setUp()
  metadata.write(['a', 'u'].map((rowId) => ({ rowId, name: 'album', text: '밤 버스' })))
  metadata.write([{ rowId: 'u', name: 'year', text: '26' }])
  expect(metadata.textOf('u', 'year')).toBe('26')
  arrive(metadata)
  expect(written()?.at(-1)).toEqual({ album: '밤 버스' })
  expect([metadata.textOf('c', 'year'), metadata.textOf('u', 'album')]).toEqual(['26', '밤 버스'])
  notices.edits.undo()
  notices.edits.undo()
  expect(written()).toEqual([{}, {}, {}])
})

test('a song that joins others gets what is written the same about all of them, and nothing that is of one alone', () => {
  const { metadata, written, arrive } = setUp()
  for (const rowId of ['a', 'b'])
    metadata.write([
      { rowId, name: 'album', text: '밤 버스' },
      { rowId, name: 'artist', text: rowId === 'a' ? 'Sora' : '하늘' },
      { rowId, name: 'isrc', text: 'KRA382400001' },
      { rowId, name: 'year', text: '2026' },
    ])
  metadata.write([{ rowId: 'u', name: 'year', text: '2027' }])
  arrive(metadata)
  expect(written()?.at(-1)).toEqual({ album: '밤 버스', year: '2027' })
})

test('a song that joins only one other keeps to itself', () => {
  const { metadata, deps, written, arrive } = setUp()
  deps.store.setState(({ batch }) => ({ batch: batch && { ...batch, songs: batch.songs.slice(0, 1) } }))
  metadata.write([{ rowId: 'a', name: 'album', text: '밤 버스' }])
  arrive(metadata)
  expect(written()).toEqual([{ album: '밤 버스' }, {}])
})
