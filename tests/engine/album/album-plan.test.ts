import { describe, expect, test } from 'vitest'
import { measureRecord, placeRecord } from '../../../src-engine/album/album-plan.ts'
import { integratedLufs, loudPartLufs, recordLufs, trimmedSteps } from '../../../src-engine/album/record-loudness.ts'
import { createLoudnessMeter } from '../../../src-engine/dsp/meters/loudness.ts'
import { dbToPower } from '../../../src-engine/dsp/units.ts'
import { decodeSteps, encodeSteps } from '../../../src-worker/result/loudness-steps.ts'
import { seededRandom } from '../../support/sounds.ts'

/** Steps of noise whose level follows `levelDb` of every second. */
function steps(...levelDb: number[]): Float64Array {
  return Float64Array.from(levelDb.flatMap((db) => Array.from({ length: 10 }, () => dbToPower(db + 0.691))))
}

const loudSong = steps(...Array.from({ length: 60 }, (_, i) => -12 - (i % 4)))
const quietSong = steps(...Array.from({ length: 40 }, (_, i) => -26 - (i % 3)))

describe('loudness of a record', () => {
  test('is that of the files laid end to end, as one meter reads it', () => {
    const random = seededRandom(5)
    const rate = 48_000
    const noise = (seconds: number, gain: number) =>
      Float32Array.from({ length: seconds * rate }, () => gain * (2 * random() - 1))
    const parts = [noise(7, 0.3), noise(5, 0.02), noise(4, 0.15)]
    const whole = createLoudnessMeter(rate)
    const tracks = parts.map((samples) => {
      const own = createLoudnessMeter(rate)
      for (const meter of [whole, own]) meter.push({ channels: [samples, samples], frames: samples.length })
      return { steps: decodeSteps(encodeSteps(own.stepMeanSquares())), gainDb: 0 }
    })
    expect(recordLufs(tracks)).toBeCloseTo(whole.read().integratedLufs, 2)
  })

  test('counts the silence inside a file, and gates it away', () => {
    const track = { steps: loudSong, gainDb: 0 }
    const plain = recordLufs([track, track])
    expect(recordLufs([{ ...track, silenceSeconds: 5 }, track])).toBeCloseTo(plain, 1)
    expect(recordLufs([{ ...track, silenceSeconds: 5 }, track])).not.toBe(plain)
  })

  test('gates quiet tracks by the loud ones', () => {
    const both = recordLufs([loudSong, quietSong].map((own) => ({ steps: own, gainDb: 0 })))
    expect(both).toBeCloseTo(integratedLufs(loudSong), 1)
  })
})

test('loud parts are those above the loudness of the track', () => {
  const song = steps(...Array.from({ length: 30 }, () => -30), ...Array.from({ length: 30 }, () => -10))
  expect(loudPartLufs(song)).toBeCloseTo(-10, 1)
  expect(loudPartLufs(steps(-Infinity, -Infinity))).toBe(-Infinity)
})

test('steps are cut at both ends', () => {
  expect([...trimmedSteps(steps(-10, -20, -30), 1, 1)]).toEqual([...steps(-20)])
  expect(trimmedSteps(steps(-10), 2, 0)).toHaveLength(0)
})

describe('a record', () => {
  const song = (own: Float64Array, more = {}) => ({ steps: own, relationLu: integratedLufs(own), ...more })

  test('meets its target, and its tracks keep their relations', () => {
    const tracks = [song(loudSong), song(steps(-18, -19, -17, -18, -21)), song(quietSong)]
    const { levelsLufs, recordLufs: planned, heldBack } = placeRecord(tracks, -14)
    const relations = tracks.map(({ relationLu }, i) => levelsLufs[i]! - relationLu)
    expect(Math.max(...relations) - Math.min(...relations)).toBeLessThan(1e-9)
    const placed = tracks.map(({ steps: own }, i) => ({ steps: own, gainDb: levelsLufs[i]! - integratedLufs(own) }))
    expect(recordLufs(placed)).toBeCloseTo(-14, 3)
    expect(planned).toBeCloseTo(-14, 3)
    expect(heldBack).toBeUndefined()
  })

  test('comes down as a whole where a track cannot be louder, and says which and by how much', () => {
    const tracks = [song(loudSong), song(quietSong)]
    const free = placeRecord(tracks, -9)
    const held = placeRecord([tracks[0]!, { ...tracks[1]!, mostLufs: free.levelsLufs[1]! - 1.5 }], -9)
    expect(held.heldBack).toEqual({ index: 1, downLu: expect.closeTo(1.5, 6) })
    expect(held.levelsLufs.map((level, i) => free.levelsLufs[i]! - level)).toEqual([
      expect.closeTo(1.5, 6),
      expect.closeTo(1.5, 6),
    ])
    expect(held.recordLufs).toBeCloseTo(-10.5, 2)
  })

  test('with a silent track is placed without it', () => {
    const silent = steps(-Infinity, -Infinity)
    const { levelsLufs, recordLufs: planned } = placeRecord([song(loudSong), { steps: silent, relationLu: 0 }], -14)
    expect(levelsLufs).toEqual([expect.closeTo(-14, 1), -14])
    expect(planned).toBeCloseTo(-14, 3)
  })
})

describe('a measured record', () => {
  const relations = [integratedLufs(loudSong), integratedLufs(quietSong)]
  const at = (own: Float64Array, lufs: number) => own.map((step) => step * dbToPower(lufs - integratedLufs(own)))
  const { levelsLufs } = placeRecord(
    [loudSong, quietSong].map((own, i) => ({ steps: own, relationLu: relations[i]! })),
    -14,
  )
  const landed = (offs: readonly number[], more: object = {}) =>
    [loudSong, quietSong].map((own, i) => ({
      steps: at(own, levelsLufs[i]! + offs[i]!),
      relationLu: relations[i]!,
      targetLufs: levelsLufs[i]!,
      isShort: false,
      ...more,
    }))

  test('within what meters differ by is left alone', () => {
    const { isOff, targetsLufs } = measureRecord(landed([0.01, -0.01]), -14)
    expect([isOff, targetsLufs]).toEqual([false, levelsLufs])
  })

  test('has only the tracks made again that are off, against what they missed', () => {
    const { isOff, targetsLufs, relationErrorLu } = measureRecord(landed([0, 0.2]), -14)
    expect([isOff, targetsLufs[0]]).toEqual([true, levelsLufs[0]])
    expect(targetsLufs[1]).toBeCloseTo(levelsLufs[1]! - 0.2, 2)
    expect(relationErrorLu).toBeCloseTo(0.2, 2)
  })

  test('comes down to a track that fell short, which is not made again', () => {
    const [loud, quiet] = landed([0, -0.8])
    const { heldBack, isOff, targetsLufs } = measureRecord([loud!, { ...quiet!, isShort: true }], -14)
    expect(heldBack).toEqual({ index: 1, downLu: expect.closeTo(0.8, 2) })
    expect([isOff, targetsLufs[1]]).toEqual([true, levelsLufs[1]])
    expect(targetsLufs[0]).toBeCloseTo(levelsLufs[0]! - 0.8, 2)
  })
})

test('steps survive as text to a hundredth of a LU', () => {
  const before = steps(-10.004, -23.456, -69, -Infinity)
  const after = decodeSteps(encodeSteps(before))
  expect(after).toHaveLength(before.length)
  for (const [i, step] of after.entries())
    if (before[i] === 0) expect(step).toBe(0)
    else expect(10 * Math.log10(step / before[i]!)).toBeCloseTo(0, 1.9)
})
