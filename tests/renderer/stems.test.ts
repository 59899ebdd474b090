/** Files that may be stems: which are asked about, and what an answer takes. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type StemQuestion, Stems } from '../../src-renderer/state/stems.ts'

// The browser tells no length.
beforeAll(() =>
  vi.stubGlobal(
    'Audio',
    class {
      onerror = () => undefined
      set src(_: string) {
        this.onerror()
      }
    },
  ),
)
afterAll(() => vi.unstubAllGlobals())

const stemFiles = ['Night (Vocals).wav', 'Night (Drums).wav', 'Night (Bass).wav']

const setUp = () => {
  const taken: string[][] = []
  const take: StemQuestion['take'] = (songs) => {
    taken.push(songs.map(({ file, stems }) => `${file.name}${stems ? ` of ${stems.length}` : ''}`))
  }
  const addStems = vi.fn()
  const stems = new Stems({ client: { call: vi.fn() }, addFiles: vi.fn(), addStems })
  const add = (...names: string[]) =>
    stems.add(
      names.map((name) => new File(['a'], name)),
      take,
    )
  return { stems, add, taken, addStems }
}

test('a ZIP and songs are taken at once, as what belongs together', async () => {
  const { add, taken } = setUp()
  expect(await add('Tide.zip', 'Night.wav')).toBe(2)
  expect(taken).toEqual([['Tide.zip of 1', 'Night.wav']])
})

test.each([
  ['stems', ['Tide.zip of 1', 'Night (Vocals).wav of 3']],
  ['songs', ['Tide.zip of 1', ...stemFiles]],
  ['none', ['Tide.zip of 1']],
] as const)('a ZIP beside stems is taken with their answer: %s', async (choice, songs) => {
  const { stems, add, taken } = setUp()
  expect(await add('Tide.zip', ...stemFiles)).toBe(0)
  expect(taken).toEqual([])
  stems.answer(choice)
  expect(taken).toEqual([songs])
})

test('without an answer nothing is taken', async () => {
  const { stems, add, taken, addStems } = setUp()
  await add(...stemFiles)
  stems.askOf([new File(['a'], 'Vocals.wav')], { rowId: 'a', title: 'Night' })
  for (const _ of stems.store.getState().questions) stems.answer('none')
  expect([taken, addStems.mock.calls]).toEqual([[], []])
})
