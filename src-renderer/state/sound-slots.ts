/** Slots A to D of each song: settings kept for comparison. All pages of a browser share them. */
import { createStore } from 'zustand/vanilla'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { readStored } from './browser-storage.ts'

export const SLOTS = ['A', 'B', 'C', 'D'] as const
export type Slot = (typeof SLOTS)[number]

/** Settings in a slot: the sound without its delivery. */
export type SlotSettings = Omit<MasterSettings, 'platforms' | 'tier'>
export type SongSlots = Readonly<Partial<Record<Slot, SlotSettings>>>

const STORAGE_KEY = 'loudsmith.slots'
/** Songs with slots; the one stored longest ago is dropped first. */
const MOST_SONGS = 200

/** Returns the part of settings that a slot keeps. */
export function slotOf({ platforms: _where, tier: _how, ...sound }: MasterSettings): SlotSettings {
  return sound
}

/** Tells whether a slot equals the current settings. */
export function isInSlot(kept: SlotSettings | undefined, settings: MasterSettings): boolean {
  if (!kept) return false
  const now = slotOf(settings)
  return (Object.keys(now) as (keyof SlotSettings)[]).every(
    (name) => JSON.stringify(kept[name]) === JSON.stringify(now[name]),
  )
}

/** Returns all slots with one more filled; its song moves to the end. Pure. */
export function withSlot(
  all: Readonly<Record<string, SongSlots>>,
  song: string,
  slot: Slot,
  settings: SlotSettings | undefined,
): Readonly<Record<string, SongSlots>> {
  const { [song]: own = {}, ...others } = all
  const { [slot]: _old, ...rest } = own
  const filled = [...Object.entries(others), [song, settings ? { ...rest, [slot]: settings } : rest] as const]
  return Object.fromEntries(filled.slice(-MOST_SONGS))
}

/** Creates the store of slots, by song. */
export function createSlots(storage: Pick<Storage, 'getItem' | 'setItem'>) {
  const read = () =>
    readStored<Readonly<Record<string, SongSlots>>>(storage, STORAGE_KEY, (stored) => stored !== null, {})
  const store = createStore(() => ({ bySong: read() }))
  return {
    store,
    /** Stores settings in a slot; undefined empties it. Returns the former content. */
    put(song: string, slot: Slot, settings: SlotSettings | undefined): SlotSettings | undefined {
      const all = read()
      const bySong = withSlot(all, song, slot, settings)
      storage.setItem(STORAGE_KEY, JSON.stringify(bySong))
      store.setState({ bySong })
      return all[song]?.[slot]
    },
  }
}

export type Slots = ReturnType<typeof createSlots>
