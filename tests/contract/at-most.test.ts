/** Bounded concurrency: how many run, in which order, and what a failure does to the others. */
import { expect, test } from 'vitest'
import { atMost, sharedInTurn } from '../../src-contract/at-most.ts'

/** Pieces of work that end when the test says so, given to a limit of `count`. */
function give(count: number, pieces: number) {
  const inTurn = atMost(count)
  const begun: number[] = []
  const ends = Array.from({ length: pieces }, () => Promise.withResolvers<string>())
  const results = ends.map(({ promise }, index) =>
    inTurn(() => {
      begun.push(index)
      return promise
    }),
  )
  return { inTurn, begun, ends, results }
}

test('no more than so many run at a time, and they begin in the order in which they were given', async () => {
  const { inTurn, begun, ends, results } = give(2, 4)
  expect(begun).toEqual([0, 1])
  ends[1]!.resolve('b')
  expect(await results[1]).toBe('b')
  expect(begun).toEqual([0, 1, 2])
  ends[0]!.resolve('a')
  await results[0]
  expect(begun).toEqual([0, 1, 2, 3])
  ends[3]!.resolve('d')
  await results[3]
  const more = [4, 5].map((index) => inTurn(async () => void begun.push(index)))
  expect(begun).toEqual([0, 1, 2, 3, 4])
  ends[2]!.resolve('c')
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd'])
  await Promise.all(more)
  expect(begun).toEqual([0, 1, 2, 3, 4, 5])
})

test('a piece that fails, also at once, rejects alone and gives its turn to the next', async () => {
  const { inTurn, begun, ends, results } = give(1, 2)
  const thrown = inTurn(() => {
    throw new Error('at once')
  })
  const last = inTurn(async () => 'last')
  ends[0]!.reject(new Error('later'))
  await expect(results[0]).rejects.toThrow('later')
  ends[1]!.resolve('b')
  expect(await results[1]).toBe('b')
  expect(begun).toEqual([0, 1])
  await expect(thrown).rejects.toThrow('at once')
  expect(await last).toBe('last')
})

test('a turn that is being handed over is not taken by a piece that comes meanwhile', async () => {
  const { inTurn, begun, ends, results } = give(1, 2)
  ends[0]!.resolve('a')
  await results[0]
  const late = inTurn(async () => void begun.push(2))
  expect(begun).toEqual([0, 1])
  ends[1]!.resolve('b')
  await late
  expect(begun).toEqual([0, 1, 2])
  await inTurn(async () => void begun.push(3))
  expect(begun).toEqual([0, 1, 2, 3])
})

test('calls with one name share the work while it is under way, also one that fails; names take turns', async () => {
  const share = sharedInTurn<string>()
  const begun: string[] = []
  const end = Promise.withResolvers<string>()
  const work = (name: string) =>
    share(name, () => {
      begun.push(name)
      return name === 'a' ? end.promise : Promise.reject(new Error('damaged'))
    })
  const answers = ['a', 'b', 'a', 'b'].map(work)
  expect(begun).toEqual(['a'])
  end.resolve('found')
  expect((await Promise.allSettled(answers)).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'rejected', 'fulfilled', 'rejected'],
  ])
  expect(begun).toEqual(['a', 'b'])
  await work('a')
  expect(begun).toEqual(['a', 'b', 'a'])
})
