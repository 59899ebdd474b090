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
import { NO_SELECTION } from '../../src-renderer/state/selection.ts'
import { batchSong, someSettings, sourceOf } from '../support/batch-songs.ts'

type Sent = OwnMetadata & { readonly source_id: string }

/** The texts of two songs over a server that takes them once `isAway` is false. */
function setUp() {
  const songs = [batchSong('a', { source: { ...sourceOf('a'), artist: 'In the file' } }), batchSong('b')]
  const batch: Batch = { is_paused: false, presets: [], songs, settings: someSettings }
  const store = createStore<BatchState>(() => ({
    ...{ batch, order: ['a', 'b'], sort: null, selection: NO_SELECTION, broughtBackId: null, failure: null },
  }))
  const sent: (readonly Sent[])[] = []
  const world = { isAway: false }
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
  const deps = { client, store, changes, notices, storage, clearFailure: () => {}, commands: { tell: async () => {} } }
  const metadata = new BatchMetadata(deps)
  const written = () => store.getState().batch?.songs.map((song) => song.metadata)
  return { metadata, deps, batch, changes, notices, sent, written, world }
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
