import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alone, movedTo, pasted, placeOf, rangeOf } from '../../../src-renderer/components/sheet/sheet-cells.ts'
import { readTsv, writeTsv } from '../../../src-renderer/components/sheet/tsv.ts'
import { drawnParts } from '../../../src-renderer/components/sheet/use-rows-in-view.ts'

describe('cells on the clipboard', () => {
  it('come as spreadsheets write them', () => {
    expect(readTsv('a\tb\r\nc\td\r\n')).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ])
    expect(readTsv('"two\nlines"\t"a ""word"""\nplain "quotes"\t')).toEqual([
      ['two\nlines', 'a "word"'],
      ['plain "quotes"', ''],
    ])
    expect(readTsv('one')).toEqual([['one']])
  })

  it('are the same after they were copied and pasted', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', '\t', '\n', ' ', '한') })
    const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 3 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(rows, (given) => {
        expect(readTsv(writeTsv(given))).toEqual(given)
      }),
    )
  })
})

const ROWS = ['r1', 'r2', 'r3']
const COLUMNS = [
  { id: 'number', headings: [], isFixed: true },
  { id: 'title', headings: ['title', '제목'] },
  { id: 'isrc', headings: ['isrc'] },
]
const range = (firstRow: number, firstColumn: number, lastRow = firstRow, lastColumn = firstColumn) => ({
  ...{ firstRow, lastRow, firstColumn, lastColumn },
})

describe('pasted cells', () => {
  it('fill the cells from the first one on, and rows beyond the last', () => {
    expect(
      pasted(
        [
          ['A', '1'],
          ['B', '2'],
        ],
        range(2, 1),
        ROWS,
        COLUMNS,
      ),
    ).toEqual({
      cells: [
        { rowId: 'r3', columnId: 'title', text: 'A' },
        { rowId: 'r3', columnId: 'isrc', text: '1' },
      ],
      further: [{ title: 'B', isrc: '2' }],
    })
  })

  it('leave cells alone that cannot be written in', () => {
    expect(pasted([['1', 'A']], range(0, 0), ROWS, COLUMNS).cells).toEqual([
      { rowId: 'r1', columnId: 'title', text: 'A' },
    ])
  })

  it('fill a range with one cell', () => {
    expect(
      pasted([['A']], range(0, 1, 1, 2), ROWS, COLUMNS).cells.map(({ rowId, columnId }) => [rowId, columnId]),
    ).toEqual([
      ...[
        ['r1', 'title'],
        ['r1', 'isrc'],
        ['r2', 'title'],
        ['r2', 'isrc'],
      ],
    ])
  })

  it('go to their columns where they bring headings', () => {
    const given = [
      ['ISRC', 'unknown', '제목'],
      ['1', 'x', 'A'],
    ]
    expect(pasted(given, range(1, 1), ROWS, COLUMNS)).toEqual({
      cells: [
        { rowId: 'r2', columnId: 'isrc', text: '1' },
        { rowId: 'r2', columnId: 'title', text: 'A' },
      ],
      further: [],
    })
  })

  it('make no rows of empty lines', () => {
    expect(
      pasted(
        [
          ['A', ''],
          ['', ''],
        ],
        range(2, 1),
        ROWS,
        COLUMNS,
      ).further,
    ).toEqual([])
  })
})

describe('the place in a sheet', () => {
  const press = (key: string, isFar = false) =>
    placeOf({ rowId: 'r2', column: 1 }, { key, shiftKey: false, isFar }, ROWS, 3)

  it('goes where the key leads and stops at the edges', () => {
    expect(press('ArrowUp')).toEqual({ rowId: 'r1', column: 1 })
    expect(press('ArrowDown', true)).toEqual({ rowId: 'r3', column: 1 })
    expect(press('Home')).toEqual({ rowId: 'r2', column: 0 })
    expect(press('End', true)).toEqual({ rowId: 'r3', column: 2 })
    expect(press('PageDown')).toEqual({ rowId: 'r3', column: 1 })
    expect(press('x')).toBeNull()
  })

  it('keeps the other end of a range, whichever way it is drawn', () => {
    const cells = movedTo(alone({ rowId: 'r3', column: 2 }), { rowId: 'r1', column: 1 }, true)
    expect(rangeOf(cells, ROWS)).toEqual(range(0, 1, 2, 2))
    expect(rangeOf(cells, ['r1', 'r2'])).toBeNull()
    expect(rangeOf(movedTo(cells, { rowId: 'r2', column: 0 }, false), ROWS)).toEqual(range(1, 0))
  })
})

describe('the rows that are drawn', () => {
  const total = (parts: ReturnType<typeof drawnParts>) =>
    parts.reduce((sum, part) => sum + ('index' in part ? 1 : part.count), 0)

  it('are those in view and the one with the focus, with the height of all others between them', () => {
    expect(drawnParts(100, 40, 42, 7)).toEqual([
      ...[{ skippedFrom: 0, count: 7 }, { index: 7 }, { skippedFrom: 8, count: 32 }],
      ...[{ index: 40 }, { index: 41 }, { skippedFrom: 42, count: 58 }],
    ])
    expect(drawnParts(3, 0, 24, 1)).toEqual([{ index: 0 }, { index: 1 }, { index: 2 }])
  })

  it('make up the whole height, wherever the view is', () => {
    const number = fc.integer({ min: 0, max: 120 })
    fc.assert(
      fc.property(number, number, number, fc.integer({ min: -1, max: 120 }), (count, first, end, kept) => {
        const parts = drawnParts(count, first, end, kept)
        expect(total(parts)).toBe(count)
        if (kept >= 0 && kept < count) expect(parts).toContainEqual({ index: kept })
      }),
    )
  })
})
