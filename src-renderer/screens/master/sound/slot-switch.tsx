/** Slots A to D: stored sounds beside the current one. */

import { Ellipsis } from 'lucide-react'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import { Button } from '../../../components/button.tsx'
import { Menu } from '../../../components/dialogs.tsx'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { isInSlot, SLOTS, type Slot, type SongSlots, slotOf } from '../../../state/sound-slots.ts'
import { useWords } from '../../../text/context.tsx'
import { useScope } from '../use-batch.ts'

/** Name of the slots for all songs. */
const ALL = 'all songs'
const EMPTY: SongSlots = {}

/** Stores and recalls the sound in scope. */
export function useSlots() {
  const { slots, notices } = useApp()
  const { t } = useWords()
  const { settings, rowIds, change } = useScope()
  const song = rowIds.at(-1) ?? ALL
  const kept = useSelect(slots.store, (state) => state.bySong[song] ?? EMPTY)
  const store = (slot: Slot, now: MasterSettings) => {
    const next = slotOf(now)
    const before = slots.put(song, slot, next)
    notices.edits.push({
      undo: () => void slots.put(song, slot, before),
      redo: () => void slots.put(song, slot, next),
    })
    notices.announce(t.sound.slotKept(slot))
  }
  return {
    kept,
    settings,
    /** Stores the current sound in a slot. */
    store: (slot: Slot) => settings && store(slot, settings),
    /** Recalls the sound of a slot; an empty slot stores the current one. */
    recall(slot: Slot) {
      const sound = kept[slot]
      if (!settings) return
      if (!sound) return store(slot, settings)
      if (!isInSlot(sound, settings)) change(sound)
      notices.announce(t.sound.slotHeard(slot))
    },
  }
}

export function SlotSwitch() {
  const { t } = useWords()
  const { kept, settings, store, recall } = useSlots()
  if (!settings) return null
  return (
    <fieldset className="slots" aria-label={t.sound.slots}>
      {SLOTS.map((slot) => (
        <button
          key={slot}
          type="button"
          className={kept[slot] ? 'filled' : ''}
          aria-pressed={isInSlot(kept[slot], settings)}
          aria-label={kept[slot] ? t.sound.slotFull(slot) : t.sound.slotEmpty(slot)}
          title={kept[slot] ? t.sound.slotFull(slot) : t.sound.slotEmpty(slot)}
          onClick={(event) => (event.shiftKey ? store(slot) : recall(slot))}
        >
          {slot}
        </button>
      ))}
      <Menu
        label={t.sound.slotMenu}
        items={SLOTS.map((slot) => ({ text: t.sound.slotStore(slot), onChoose: () => store(slot) }))}
        trigger={
          <Button look="quiet" small label={t.sound.slotMenu} icon={<Ellipsis className="i s" aria-hidden="true" />} />
        }
      />
    </fieldset>
  )
}
