/** Reference tracks: drop targets, and how far to move toward them. */
import { AudioLines, CircleX, Plus, Upload, X } from 'lucide-react'
import { type DragEvent, type RefCallback, useCallback, useRef, useState } from 'react'
import { MAX_REFERENCES } from '../../../src-contract/limits.ts'
import type { SavedTarget } from '../../../src-contract/saved-targets.ts'
import { DEFAULT_SETTINGS, type MasterSettings } from '../../../src-contract/settings.ts'
import { Button } from '../../components/button.tsx'
import { Fader } from '../../components/choices.tsx'
import { pickFiles } from '../../components/pick-files.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type SendingReference, sendingFor } from '../../state/batch-references.ts'
import { useWords } from '../../text/context.tsx'
import { SettingKnob } from './sound/sound-knobs.tsx'

const SMALL = { className: 'i s', 'aria-hidden': true } as const

export interface ReferenceSlotProps {
  settings: MasterSettings
  mixed: ReadonlySet<string>
  /** The row that gets the track; null for all songs. */
  rowId: string | null
  /** Tells whether the row has settings of its own. */
  isOwn: boolean
  onChange: (change: Partial<MasterSettings>) => void
}

export function ReferenceSlot({ settings, mixed, rowId, isOwn, onChange }: ReferenceSlotProps) {
  const { batch } = useApp()
  const { t } = useWords()
  /** True if the removed content of the slot had the focus, which its replacement then takes. */
  const hadFocus = useRef(false)
  const leave = useCallback(
    (element: HTMLElement) => () => {
      if (element === document.activeElement) hadFocus.current = true
    },
    [],
  )
  const place = useCallback(
    (element: HTMLElement) => {
      if (hadFocus.current) element.focus({ preventScroll: true })
      hadFocus.current = false
      return leave(element)
    },
    [leave],
  )
  const referenceId = settings.reference_source_id
  const targets = settings.targets ?? []
  const sending = useSelect(batch.references.store, (state) => sendingFor(state, rowId, isOwn))
  const further = useSelect(batch.references.store, (state) => sendingFor(state, rowId, isOwn, true))
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
  if (referenceId === null && targets.length === 0)
    return (
      <div className="field">
        <span className="label">{t.settings.reference}</span>
        {slot}
      </div>
    )
  return (
    <>
      <Fader
        label={t.settings.reference}
        value={settings.reference_amount}
        standard={DEFAULT_SETTINGS.reference_amount}
        onChange={(reference_amount) => onChange({ reference_amount })}
      >
        {slot}
        <Targets
          targets={targets}
          onChange={(all) => onChange({ targets: all.length > 0 ? all : null })}
          leave={leave}
        />
        {further && <OnItsWay one={further} onClose={() => batch.references.drop(further.sendingId)} place={place} />}
        {!further && targets.length + 1 < MAX_REFERENCES && (
          <Further key={targets.length} rowId={rowId} place={place} />
        )}
      </Fader>
      <SettingKnob name="reference_clamp_db" settings={settings} mixed={mixed} change={onChange} />
    </>
  )
}

/** Weights to choose from; the reference that is heard counts 1. */
const WEIGHTS = [0.25, 0.5, 1, 2, 4]

interface TargetsProps {
  targets: SavedTarget[]
  onChange: (all: SavedTarget[]) => void
  /** Receives each button that can be removed with its target. */
  leave: SlotProps['place']
}

/** References that are known by their measurements, each with its weight. */
function Targets({ targets, onChange, leave }: TargetsProps) {
  const { t } = useWords()
  return targets.map((target, index) => {
    const { name = t.settings.reference, weight = 1 } = target
    const weights = WEIGHTS.includes(weight) ? WEIGHTS : [...WEIGHTS, weight].sort((a, b) => a - b)
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: two targets may be equal
      <fieldset key={index} className="file" aria-label={name}>
        <AudioLines {...SMALL} />
        <bdi className="grow clip" title={name}>
          {name}
        </bdi>
        <select
          className="input"
          aria-label={t.settings.referenceWeight(name)}
          value={weight}
          onChange={({ currentTarget: { value } }) =>
            onChange(targets.with(index, { ...target, weight: Number(value) }))
          }
        >
          {weights.map((one) => (
            <option key={one} value={one}>
              × {one}
            </option>
          ))}
        </select>
        <Button
          ref={leave}
          look="quiet"
          small
          label={t.settings.removeFurther(name)}
          icon={<X {...SMALL} />}
          onClick={() => onChange(targets.toSpliced(index, 1))}
        />
      </fieldset>
    )
  })
}

/** Takes one more reference. */
function Further({ rowId, place }: { rowId: string | null; place: SlotProps['place'] }) {
  const { batch } = useApp()
  const { t } = useWords()
  const take = (file: File | undefined) => {
    if (file) void batch.references.measure(file, rowId)
  }
  const { isOver, drop } = useFileDrop(take)
  return (
    <button
      ref={place}
      type="button"
      className={`file blank further ${isOver ? 'is-over' : ''}`}
      {...drop}
      onClick={() => void pickFiles(false).then(([file]) => take(file))}
    >
      <Plus {...SMALL} />
      <span className="grow clip">{t.settings.furtherReference}</span>
    </button>
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
  /** Receives what can have the focus: a button, or a slot during an upload. */
  place: RefCallback<HTMLElement>
}

function Slot({ referenceId, sending, isOver, drop, onChoose, onRemove, onDropError, place }: SlotProps) {
  const { batch } = useApp()
  const { t, format } = useWords()
  const reference = useSelect(batch.references.store, ({ known }) => known[referenceId ?? ''])
  if (sending) return <OnItsWay one={sending} onClose={onDropError} drop={drop} place={place} />
  if (referenceId !== null)
    return (
      <fieldset className="file" {...drop} aria-label={t.settings.reference}>
        <AudioLines {...SMALL} />
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
          icon={<X {...SMALL} />}
          onClick={onRemove}
        />
      </fieldset>
    )
  return (
    <button ref={place} type="button" className={`file blank ${isOver ? 'is-over' : ''}`} {...drop} onClick={onChoose}>
      <Upload {...SMALL} />
      <span className="grow clip">{t.settings.referenceEmpty}</span>
    </button>
  )
}

interface OnItsWayProps {
  one: SendingReference
  onClose: () => void
  drop?: SlotProps['drop']
  place: RefCallback<HTMLElement>
}

/** A reference that is sent or measured, or the reason for its refusal. */
function OnItsWay({ one: { filename, isFurther, sent, error }, onClose, drop, place }: OnItsWayProps) {
  const { t, say } = useWords()
  if (error)
    return (
      <fieldset key="refused" className="file refused" {...drop} aria-label={t.settings.reference}>
        <CircleX {...SMALL} />
        <div className="grow">
          <div className="clip">
            <bdi>{filename}</bdi>
          </div>
          <div className="me" role="alert">
            {say(error)}
          </div>
        </div>
        <Button ref={place} look="quiet" small label={t.close} icon={<X {...SMALL} />} onClick={onClose} />
      </fieldset>
    )
  return (
    <fieldset key="sending" ref={place} tabIndex={-1} className="file" aria-label={t.settings.reference}>
      <AudioLines {...SMALL} />
      <div className="grow">
        <div className="clip">
          <bdi>{filename}</bdi>
        </div>
        <div className="tick">{isFurther ? t.row.analysing : `${t.row.sending} ${Math.floor(sent * 100)} %`}</div>
      </div>
    </fieldset>
  )
}
