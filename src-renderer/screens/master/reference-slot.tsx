/** The reference track: a drop target, and how far to move toward it. */
import { AudioLines, CircleX, Upload, X } from 'lucide-react'
import { type DragEvent, type RefCallback, useCallback, useRef, useState } from 'react'
import { DEFAULT_SETTINGS, type MasterSettings } from '../../../src-contract/settings.ts'
import { Button } from '../../components/button.tsx'
import { Fader } from '../../components/choices.tsx'
import { pickFiles } from '../../components/pick-files.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type SendingReference, sendingFor } from '../../state/batch-references.ts'
import { useWords } from '../../text/context.tsx'

export interface ReferenceSlotProps {
  settings: MasterSettings
  /** The row that gets the track; null for all songs. */
  rowId: string | null
  /** Tells whether the row has settings of its own. */
  isOwn: boolean
  onChange: (change: Partial<MasterSettings>) => void
}

export function ReferenceSlot({ settings, rowId, isOwn, onChange }: ReferenceSlotProps) {
  const { batch } = useApp()
  const { t } = useWords()
  /** Whether the removed content of the slot had the focus, which its replacement then takes. */
  const hadFocus = useRef(false)
  const place = useCallback((element: HTMLElement) => {
    if (hadFocus.current) element.focus({ preventScroll: true })
    hadFocus.current = false
    return () => {
      hadFocus.current = element === document.activeElement
    }
  }, [])
  const referenceId = settings.reference_source_id
  const sending = useSelect(batch.references.store, (state) => sendingFor(state, rowId, isOwn))
  const take = (file: File | undefined) => {
    if (file) void batch.references.take(file, rowId)
  }
  const { isOver, drop } = useFileDrop(take)
  const slot = (
    <Slot
      referenceId={referenceId}
      sending={sending}
      isOver={isOver}
      drop={drop}
      onChoose={() => void pickFiles(false).then(([file]) => take(file))}
      onRemove={() => onChange({ reference_source_id: null })}
      onDropError={() => sending && batch.references.drop(sending.sendingId)}
      place={place}
    />
  )
  if (referenceId === null)
    return (
      <div className="field">
        <span className="label">{t.settings.reference}</span>
        {slot}
      </div>
    )
  return (
    <Fader
      label={t.settings.reference}
      value={settings.reference_amount}
      standard={DEFAULT_SETTINGS.reference_amount}
      onChange={(reference_amount) => onChange({ reference_amount })}
    >
      {slot}
    </Fader>
  )
}

/** Returns the handlers of an element that takes one file by dropping, and whether files are over it. */
function useFileDrop(take: (file: File | undefined) => void) {
  const [isOver, setOver] = useState(false)
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setOver(false)
      take(event.dataTransfer.files[0])
    },
  }
  return { isOver, drop }
}

interface SlotProps {
  referenceId: string | null
  sending: SendingReference | undefined
  isOver: boolean
  drop: {
    onDragOver: (event: DragEvent) => void
    onDragLeave: () => void
    onDrop: (event: DragEvent) => void
  }
  onChoose: () => void
  onRemove: () => void
  onDropError: () => void
  /** Receives the focusable part of the slot: its button, or the slot itself during an upload. */
  place: RefCallback<HTMLElement>
}

function Slot({ referenceId, sending, isOver, drop, onChoose, onRemove, onDropError, place }: SlotProps) {
  const { batch } = useApp()
  const { t, format, say } = useWords()
  const reference = useSelect(batch.references.store, ({ known }) => known[referenceId ?? ''])
  const small = { className: 'i s', 'aria-hidden': true } as const
  if (sending?.error)
    return (
      <fieldset key="refused" className="file refused" {...drop} aria-label={t.settings.reference}>
        <CircleX {...small} />
        <div className="grow">
          <div className="clip">
            <bdi>{sending.filename}</bdi>
          </div>
          <div className="me" role="alert">
            {say(sending.error)}
          </div>
        </div>
        <Button ref={place} look="quiet" small label={t.close} icon={<X {...small} />} onClick={onDropError} />
      </fieldset>
    )
  if (sending)
    return (
      <fieldset key="sending" ref={place} tabIndex={-1} className="file" aria-label={t.settings.reference}>
        <AudioLines {...small} />
        <div className="grow">
          <div className="clip">
            <bdi>{sending.filename}</bdi>
          </div>
          <div className="tick">
            {t.row.sending} {Math.floor(sending.sent * 100)} %
          </div>
        </div>
      </fieldset>
    )
  if (referenceId !== null)
    return (
      <fieldset className="file" {...drop} aria-label={t.settings.reference}>
        <AudioLines {...small} />
        <div className="grow">
          <div className="clip">
            <bdi>{reference?.filename ?? ' '}</bdi>
          </div>
          <div className="tick">
            {[reference && format.duration(reference.duration_seconds), t.settings.referenceWhat]
              .filter(Boolean)
              .join(' · ')}
          </div>
        </div>
        <Button
          ref={place}
          look="quiet"
          small
          label={t.settings.removeReference}
          icon={<X {...small} />}
          onClick={onRemove}
        />
      </fieldset>
    )
  return (
    <button ref={place} type="button" className={`file blank ${isOver ? 'is-over' : ''}`} {...drop} onClick={onChoose}>
      <Upload {...small} />
      <span className="grow clip">{t.settings.referenceEmpty}</span>
    </button>
  )
}
