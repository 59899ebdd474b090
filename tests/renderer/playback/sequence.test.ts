import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fadeGain } from '../../../src-engine/dsp/fade.ts'
import { joinParts, type SequencePart, startsOf } from '../../../src-renderer/playback/sequence.ts'

const NO_FADE = { frames: 0, shape: 'linear' } as const

/** A song whose n-th frame is `base + n`: every sample tells where it comes from. */
const part = (base: number, frames: number, more: Partial<SequencePart> = {}): SequencePart => ({
  ...{ restFrames: 0, fromFrame: 0, frames, fadeIn: NO_FADE, fadeOut: NO_FADE },
  read: async (start, count) => {
    const left = Float32Array.from({ length: count }, (_, i) => base + start + i)
    return { left, right: left.map((value) => -value) }
  },
  ...more,
})

describe('a record as one track', () => {
  it('has every frame of every song once, with its rests, in whatever pieces it is read', async () => {
    const parts = [part(1000, 7), part(2000, 5, { restFrames: 3 }), part(3000, 4, { fromFrame: 10 })]
    const record = joinParts(parts)
    expect(startsOf(parts)).toEqual([0, 10, 15])
    expect(record.frames).toBe(19)
    const whole = [
      ...[1000, 1001, 1002, 1003, 1004, 1005, 1006, 0, 0, 0],
      ...[2000, 2001, 2002, 2003, 2004, 3010, 3011, 3012, 3013],
    ]
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 19 }), async (counts) => {
        const heard: number[] = []
        for (const count of counts) heard.push(...(await record.read(heard.length, count)).left)
        expect(heard.slice(0, 19)).toEqual(whole)
        expect(heard.slice(19).every((value) => value === 0)).toBe(true)
      }),
    )
    expect([...(await record.read(8, 4)).right]).toEqual([0, 0, -2000, -2001])
  })

  it('fades a song at its own edges, not at those of a piece', async () => {
    const fade = { frames: 4, shape: 'linear' } as const
    const record = joinParts([
      part(1, 10, {
        fadeIn: fade,
        fadeOut: fade,
        read: async (_start, count) => {
          const ones = new Float32Array(count).fill(1)
          return { left: ones, right: ones }
        },
      }),
    ])
    const heard = [...(await record.read(0, 3)).left, ...(await record.read(3, 7)).left]
    expect(heard).toEqual([0, 0.25, 0.5, 0.75, 1, 1, 0.75, 0.5, 0.25, 0])
  })

  it('has fades that are straight in amplitude, straight in power, or smooth', () => {
    expect(fadeGain('linear', 0.25)).toBe(0.25)
    expect(fadeGain('equal_power', 0.25)).toBe(0.5)
    expect(fadeGain('smooth', 0.5)).toBeCloseTo(0.5)
    expect(fadeGain('smooth', 0.25)).toBeCloseTo(0.1464, 3)
    for (const shape of ['linear', 'equal_power', 'smooth'] as const)
      expect([fadeGain(shape, 0), fadeGain(shape, 1)]).toEqual([0, 1])
  })
})
