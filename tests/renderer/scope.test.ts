import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS, type MasterSettings } from '../../src-contract/settings.ts'
import {
  followedSettings,
  isOwn,
  mixedNames,
  ownOrNull,
  PARTS,
  withoutOwnPart,
} from '../../src-renderer/state/scope.ts'

const common = DEFAULT_SETTINGS
const own = (change: Partial<MasterSettings>): MasterSettings => ({ ...common, ...change })

describe('the scope of a setting', () => {
  it('is sound for what a song is, delivery for where it goes, and one of both for each', () => {
    const all = [...PARTS.sound, ...PARTS.delivery]
    expect(all.toSorted()).toEqual(Object.keys(DEFAULT_SETTINGS).toSorted())
    expect(PARTS.sound).toContain('bass_db')
    expect(PARTS.delivery).toContain('platforms')
  })

  it('is own where a song differs in that part; the service that made it is a fact', () => {
    expect(isOwn(own({ bass_db: 1 }), common, 'sound')).toBe(true)
    expect(isOwn(own({ bass_db: 1 }), common, 'delivery')).toBe(false)
    expect(isOwn(own({ ai_service: 'suno' }), common, 'sound')).toBe(false)
    expect(isOwn(null, common, 'sound')).toBe(false)
  })

  it('gives back one part and keeps the other', () => {
    const song = own({ bass_db: 1, tier: 'premium' })
    expect(withoutOwnPart(song, common, 'sound')).toEqual(own({ tier: 'premium' }))
    expect(withoutOwnPart(own({ bass_db: 1 }), common, 'sound')).toBeNull()
  })

  it('names the settings in which songs differ', () => {
    const other = own({ genre: 'edm', platforms: ['melon'] })
    expect([...mixedNames([common, other])].sort()).toEqual(['genre', 'platforms'])
    expect(mixedNames([common, { ...common }]).size).toBe(0)
  })
})

describe('a change for all songs', () => {
  it('reaches what a song shares and leaves what it has of its own', () => {
    const song = own({ bass_db: 1 })
    expect(followedSettings(song, common, { bass_db: 2, air_db: 1 })).toMatchObject({ bass_db: 1, air_db: 1 })
    expect(followedSettings(own({ bass_db: 1 }), common, { bass_db: 1 }), 'nothing of its own is left').toBeNull()
  })

  it('changes no setting that was not named, over any sequence of scopes', () => {
    const names = ['bass_db', 'tilt_db', 'air_db', 'punch', 'tier', 'loudness'] as const
    const change = fc.record({
      name: fc.constantFrom(...names),
      step: fc.integer({ min: 0, max: 2 }),
      target: fc.constantFrom(null, 0, 1, 2),
    })
    const values = {
      tier: ['standard', 'premium', 'standard'],
      loudness: ['platform', 'competitive', 'platform'],
    } as const
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        let all = common
        let songs: (MasterSettings | null)[] = [null, null, null]
        for (const { name, step, target } of changes) {
          const value = name in values ? values[name as keyof typeof values][step] : step
          const made = { [name]: value } as Partial<MasterSettings>
          const before = songs.map((song) => song ?? all)
          if (target === null) {
            songs = songs.map((song) => song && followedSettings(song, all, made))
            all = { ...all, ...made }
          } else songs = songs.map((song, at) => (at === target ? ownOrNull({ ...(song ?? all), ...made }, all) : song))
          const after = songs.map((song) => song ?? all)
          after.forEach((now, at) => {
            const was = before[at] as MasterSettings
            const others = Object.keys(was).filter((one) => one !== name) as (keyof MasterSettings)[]
            for (const other of others) expect(now[other]).toEqual(was[other])
            if (target !== null && at !== target) expect(now[name]).toEqual(was[name])
            if (target === at) expect(now[name]).toEqual(value)
          })
        }
      }),
      { numRuns: 200 },
    )
  })
})
