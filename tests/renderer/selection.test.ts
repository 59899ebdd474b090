import { describe, expect, it } from 'vitest'
import { placeAfter } from '../../src-renderer/screens/master/use-list-keys.ts'
import { NO_SELECTION, renamedSelected, selected, withoutSelected } from '../../src-renderer/state/selection.ts'

const order = ['a', 'b', 'c', 'd']

describe('a selection of rows', () => {
  it('is one row, and another once that is chosen', () => {
    const one = selected(NO_SELECTION, 'b', 'only', order)
    expect(one.ids).toEqual(['b'])
    expect(selected(one, 'c', 'only', order).ids).toEqual(['c'])
  })

  it('is a range from its anchor, which stays while the other end moves', () => {
    const one = selected(NO_SELECTION, 'b', 'only', order)
    const down = selected(one, 'd', 'range', order)
    expect(down.ids).toEqual(['b', 'c', 'd'])
    expect(selected(down, 'a', 'range', order).ids, 'the last one chosen speaks for all').toEqual(['b', 'a'])
  })

  it('takes single rows in and out', () => {
    const two = selected(selected(NO_SELECTION, 'a', 'only', order), 'c', 'toggle', order)
    expect(two.ids).toEqual(['a', 'c'])
    expect(selected(two, 'a', 'toggle', order).ids).toEqual(['c'])
  })

  it('is the row alone where the anchor of a range is gone', () => {
    const gone = withoutSelected({ ids: ['b', 'c'], anchorId: 'b' }, new Set(['b']))
    expect(gone).toEqual({ ids: ['c'], anchorId: null })
    expect(selected(gone, 'd', 'range', order).ids).toEqual(['d'])
  })

  it('goes on with the song that an upload became', () => {
    expect(renamedSelected({ ids: ['u', 'a'], anchorId: 'u' }, 'u', 'c')).toEqual({ ids: ['c', 'a'], anchorId: 'c' })
  })

  it('ends at the ends of the list', () => {
    expect(['ArrowUp', 'ArrowDown', 'Home', 'End', 'x'].map((key) => placeAfter(key, 0, 4))).toEqual([
      ...[0, 1, 0, 3, undefined],
    ])
    expect(placeAfter('ArrowDown', 3, 4)).toBe(3)
  })
})
