import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src-contract/settings.ts'
import { onStep, valueAfter } from '../../src-renderer/components/knob.tsx'
import { knobRange } from '../../src-renderer/screens/master/sound/sound-knobs.tsx'
import { createSlots, isInSlot, slotOf, withSlot } from '../../src-renderer/state/sound-slots.ts'

function storageOf() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  }
}

describe('slots of a song', () => {
  it('are there in another page and after a reload, each song has its own, and what was there comes back', () => {
    const storage = storageOf()
    const slots = createSlots(storage)
    const warm = slotOf({ ...DEFAULT_SETTINGS, warmth: 40 })
    expect(slots.put('a', 'B', warm)).toBeUndefined()
    expect(createSlots(storage).store.getState().bySong).toEqual({ a: { B: warm } })
    const dark = slotOf({ ...DEFAULT_SETTINGS, tilt_db: -2 })
    expect(createSlots(storage).put('a', 'B', dark)).toEqual(warm)
    slots.put('b', 'A', warm)
    expect(slots.store.getState().bySong).toEqual({ a: { B: dark }, b: { A: warm } })
    slots.put('b', 'A', undefined)
    expect(slots.store.getState().bySong.b).toEqual({})
  })

  it('hold the sound and not where it goes', () => {
    const kept = slotOf({ ...DEFAULT_SETTINGS, air_db: 1 })
    expect(isInSlot(kept, { ...DEFAULT_SETTINGS, air_db: 1, platforms: ['melon'], tier: 'premium' })).toBe(true)
    expect(isInSlot(kept, { ...DEFAULT_SETTINGS, air_db: 1.1 })).toBe(false)
    expect(isInSlot(undefined, DEFAULT_SETTINGS)).toBe(false)
  })

  it('of the song that was stored into longest ago go first', () => {
    let all = {}
    for (let i = 0; i < 201; i++) all = withSlot(all, `song ${i}`, 'A', slotOf(DEFAULT_SETTINGS))
    all = withSlot(all, 'song 1', 'B', slotOf(DEFAULT_SETTINGS))
    all = withSlot(all, 'new', 'A', slotOf(DEFAULT_SETTINGS))
    expect(Object.keys(all)).toHaveLength(200)
    expect(Object.keys(all)).toContain('song 1')
    expect(Object.keys(all)).not.toContain('song 2')
  })
})

describe('a fader', () => {
  const range = knobRange('bass_db')
  const key = (name: string, shiftKey = false) => valueAfter({ key: name, shiftKey }, 1, range)
  it('takes half a decibel with an arrow, a tenth with Shift, ends at its ends and goes back to its notch', () => {
    expect([key('ArrowUp'), key('ArrowLeft'), key('ArrowUp', true), key('PageUp')]).toEqual([1.5, 0.5, 1.1, 3])
    expect([key('End'), key('Home'), key('Delete'), key('a')]).toEqual([6, -6, 0, undefined])
  })
  it('has values on its steps only', () => {
    expect([onStep(0.1 + 0.2, range), onStep(99, range), onStep(33.4, knobRange('warmth'))]).toEqual([0.3, 6, 33])
    expect(knobRange('width_percent').neutral).toBe(100)
  })
})
