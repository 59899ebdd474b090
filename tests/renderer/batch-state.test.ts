import { describe, expect, it } from 'vitest'
import type { Batch, BatchSong, Source } from '../../src-contract/app.ts'
import {
  type BatchState,
  songOrderIn,
  withoutRows,
  withRows,
  withRowsBack,
  withStoredSong,
} from '../../src-renderer/state/batch-state.ts'
import { FIRST_SCOPE } from '../../src-renderer/state/scope.ts'
import { NO_SELECTION } from '../../src-renderer/state/selection.ts'

const song = (id: string) => ({ source: { source_id: id }, state: 'ready' }) as BatchSong
const state = (order: readonly string[], songIds: readonly string[], more: Partial<BatchState> = {}): BatchState => ({
  batch: { songs: songIds.map(song), release_songs: [] } as unknown as Batch,
  order,
  sort: 'added',
  selection: NO_SELECTION,
  scope: FIRST_SCOPE,
  broughtBackId: null,
  failure: null,
  ...more,
})
const changed = (before: BatchState, change: Partial<BatchState>): BatchState => ({ ...before, ...change })

describe('the rows of the batch', () => {
  it('stay where they are, and selected, when an upload becomes a song', () => {
    const before = state(['a', 'upload', 'b'], ['a', 'b'], { selection: { ids: ['upload', 'a'], anchorId: 'upload' } })
    const now = changed(before, withStoredSong(before, 'upload', { source_id: 'c' } as Source))
    expect(now).toMatchObject({ order: ['a', 'c', 'b'], selection: { ids: ['c', 'a'], anchorId: 'c' } })
    expect(songOrderIn(now)).toEqual(['a', 'c', 'b'])
  })

  it('have a song once that was stored before its upload was answered', () => {
    const before = state(['upload', 'c'], ['c'])
    const now = changed(before, withStoredSong(before, 'upload', { source_id: 'c' } as Source))
    expect(now.order).toEqual(['c'])
    expect(now.batch?.songs).toHaveLength(1)
  })

  it('are ordered by nothing once a row stands behind the one that it replaces', () => {
    const before = state(['a', 'b'], ['a', 'b'])
    expect(withRows(before, ['new'], 'a')).toEqual({ order: ['a', 'new', 'b'], sort: null })
    expect(withRows(before, ['new'], undefined)).toEqual({ order: ['a', 'b', 'new'], sort: 'added' })
    expect(withRows({ ...before, sort: 'title' }, ['new'], undefined).sort).toBeNull()
  })

  it('come back to their places, and none that is there twice', () => {
    const before = state(['a', 'b', 'c'], ['a', 'b', 'c'], { selection: { ids: ['b', 'c'], anchorId: 'b' } })
    const without = changed(before, withoutRows(before, new Set(['b', 'a'])))
    expect(without).toMatchObject({ order: ['c'], selection: { ids: ['c'], anchorId: null } })
    const back = changed(
      without,
      withRowsBack(without, ['a', 'b', 'c'], [song('a'), song('b'), song('c')], before.order),
    )
    expect(back.order).toEqual(['a', 'b', 'c'])
    expect(back.batch?.songs.map(({ source }) => source.source_id)).toEqual(['c', 'a', 'b'])
  })
})
