/** The start of the batch: the effect of its next press, from the button, the Enter key and the desktop's menu. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { useApp, useSelect } from '../../state/app-state.ts'
import { changedRows, dueOf, type SongRow, type Start, startOf } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import { useRows } from './use-batch.ts'

const NONE: readonly string[] = []

export interface StartControl extends Start {
  /** Finished songs whose settings have changed since: the next press masters them again. */
  readonly changedIds: readonly string[]
  /** The user was asked once about the songs with warnings: the next press starts them. */
  readonly isAsked: boolean
  /** Songs that start by themselves after their measurement. */
  readonly armedCount: number
  readonly press: () => void
  readonly disarm: () => void
}

/**
 * Returns the start and the effect of a press: it starts everything ready and arms the songs still being measured. If
 * only songs with unread warnings are left, a second press starts them.
 */
export function useStart(rows: readonly SongRow[]): StartControl {
  const { batch, notices } = useApp()
  const { t } = useWords()
  const armed = useSelect(batch.armed, (state) => state.rowIds)
  const common = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const start = startOf(rows, armed)
  const isNothingNew = start.rowIds.length + start.unmeasured.length + armed.length === 0
  const changedIds = isNothingNew ? changedRows(rows, common).map(({ rowId }) => rowId) : NONE
  const key = start.hasWarnings ? start.rowIds.join() : ''
  const [askedKey, setAskedKey] = useState('')
  const isAsked = key !== '' && askedKey === key
  useEffect(() => {
    if (!isAsked) return
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && setAskedKey('')
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isAsked])
  const now = useRef({ start, changedIds, key, isAsked, t })
  now.current = { start, changedIds, key, isAsked, t }
  const press = useCallback(() => {
    const { start, changedIds, key, isAsked, t } = now.current
    if (changedIds.length > 0) return void batch.start(changedIds)
    if (start.rowIds.length + start.unmeasured.length === 0) return
    if (start.hasWarnings && !isAsked) {
      setAskedKey(key)
      notices.announce(`${t.actionBar.asked(start.rowIds.length)} ${t.actionBar.askedHow}`)
      return
    }
    setAskedKey('')
    void batch.start(start.rowIds)
    batch.arm(start.unmeasured)
  }, [batch, notices])
  return { ...start, changedIds, isAsked, armedCount: armed.length, press, disarm: batch.disarm }
}

/** Starts the armed songs together once they are measured, on any screen. */
export function ArmedStart(): null {
  const { batch } = useApp()
  const rows = useRows()
  const armed = useSelect(batch.armed, (state) => state.rowIds)
  useEffect(() => {
    const due = armed.length > 0 ? dueOf(rows, armed) : null
    if (!due) return
    batch.disarm()
    void batch.start(due)
  }, [batch, rows, armed])
  return null
}
