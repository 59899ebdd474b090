import { expect, it } from 'vitest'
import { transportSongOf } from '../../src-renderer/screens/master/transport-song.ts'
import { batchSong } from '../support/batch-songs.ts'

const rows = ['a', 'b'].map((rowId) => ({ rowId, kind: 'ready' as const, song: batchSong(rowId) }))

it('is the loaded song under its own name, whatever is selected, and before one is loaded the selected one', () => {
  const shown = (heardId?: string, selectedId?: string) => transportSongOf(rows, heardId, selectedId)
  expect(shown('a', 'b')).toMatchObject({ item: { id: 'a' }, title: batchSong('a').source.title })
  expect(shown('a')).toMatchObject({ item: { id: 'a' } })
  expect(shown(undefined, 'b')).toMatchObject({ item: { id: 'b' }, title: batchSong('b').source.title })
  expect(shown()).toBeNull()
})
