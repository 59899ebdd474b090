import { expect, test } from 'vitest'
import type { Release } from '../../src-contract/releases.ts'
import { joinParts, type SequencePart, startsOf } from '../../src-renderer/player/sequence.ts'
import { gainOfDb, matchedLevels, underMasters, versionOfKey } from '../../src-renderer/state/record-comparison.ts'

const track = (track_id: string, integrated_lufs?: number) =>
  ({ track_id, master: { state: 'done', ...(integrated_lufs === undefined ? {} : { integrated_lufs }) } }) as never
const release = (...tracks: never[]): Pick<Release, 'tracks'> => ({ tracks })

test('originals are as loud as their masters, which keep their relations, and nothing is louder than its file', () => {
  const levels = matchedLevels(release(track('a', -12), track('b', -14)), { a: -18, b: -13 })
  // The first was made 6 dB louder, the second 1 dB softer.
  expect(levels).toEqual({ masterDb: -6, originalDb: { a: 0, b: -7 } })
  for (const [id, made, came] of [
    ['a', -12, -18],
    ['b', -14, -13],
  ] as const)
    expect(came + levels!.originalDb[id]!).toBeCloseTo(made + levels!.masterDb, 9)
  expect(matchedLevels(release(track('a', -14)), { a: -10 })).toEqual({ masterDb: 0, originalDb: { a: -4 } })
})

test('nothing is matched before every master and song is measured', () => {
  expect(matchedLevels(release(track('a', -12), track('b', -14)), { a: -18 })).toBeNull()
  expect(matchedLevels(release(track('a', -12), track('b')), { a: -18, b: -13 })).toBeNull()
  expect(matchedLevels(release(track('a', -12)), { a: null })).toBeNull()
  expect(matchedLevels(release(), {})).toBeNull()
})

const fade = { frames: 0, shape: 'linear' } as const
const part = (value: number, frames: number, restFrames: number): SequencePart => ({
  ...{ restFrames, fromFrame: 0, frames, fadeIn: fade, fadeOut: fade },
  read: async (_start, count) => {
    const left = new Float32Array(count).fill(value)
    return { left, right: left }
  },
})

test('originals begin with their masters, whatever their length, each with its gain', async () => {
  const masters = [part(9, 4, 0), part(9, 3, 2), part(9, 2, 1)]
  const originals = underMasters(masters, [part(1, 3, 0), part(2, 9, 0), part(4, 2, 0)], [0, -6, 0])
  expect(startsOf(originals)).toEqual(startsOf(masters))
  const { left } = await joinParts(originals).read(0, 12)
  const half = Math.fround(2 * gainOfDb(-6))
  expect([...left]).toEqual([1, 1, 1, 0, 0, 0, half, half, half, 0, 4, 4])
})

test('X changes between master and original, L between the file and equal loudness', () => {
  expect([versionOfKey('x', 'file'), versionOfKey('x', 'original')]).toEqual(['original', 'master'])
  expect([versionOfKey('l', 'file'), versionOfKey('l', 'original')]).toEqual(['master', 'file'])
  expect(versionOfKey('a', 'file')).toBeUndefined()
})
