import { expect, test } from 'vitest'
import type { Release } from '../../../src-contract/releases.ts'
import { dbToGain } from '../../../src-engine/dsp/units.ts'
import { joinPart, matchedLevels, partFrom, soundOfKey } from '../../../src-renderer/playback/release-item.ts'
import { joinParts, type SequencePart, startsOf, underMasters } from '../../../src-renderer/playback/sequence.ts'

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
  const originals = underMasters(masters, [part(1, 3, 0), part(2, 9, 0), part(4, 2, 0)], [1, dbToGain(-6), 1])
  expect(startsOf(originals)).toEqual(startsOf(masters))
  const { left } = await joinParts(originals).read(0, 12)
  const half = Math.fround(2 * dbToGain(-6))
  expect([...left]).toEqual([1, 1, 1, 0, 0, 0, half, half, half, 0, 4, 4])
})

test('X changes between master and original, L between the file and equal loudness', () => {
  expect([soundOfKey('x', 'file'), soundOfKey('x', 'original')]).toEqual(['original', 'master'])
  expect([soundOfKey('l', 'file'), soundOfKey('l', 'original')]).toEqual(['master', 'file'])
  expect(soundOfKey('a', 'file')).toBeUndefined()
})

test('a part is a track to the end, or the last seconds of one and the first of the next', () => {
  const placed = [0, 100, 103].map((startSeconds, at) => ({
    ...{ trackId: `t${at}`, position: at + 1, title: '', restSeconds: 0, isMaster: true },
    ...{ startSeconds, endSeconds: [99, 103, 200][at]! },
  }))
  expect(partFrom('t1')(placed)).toEqual({ startSeconds: 100, join: null })
  expect(partFrom('gone')(placed)).toBeNull()
  expect(joinPart(0)(placed)).toEqual({ startSeconds: 91, join: { index: 0, endSeconds: 103 } })
  expect(joinPart(1)(placed), 'no further back than the track').toMatchObject({ startSeconds: 100 })
  expect(joinPart(2)(placed)).toBeNull()
})
