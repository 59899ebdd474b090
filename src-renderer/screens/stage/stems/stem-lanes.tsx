/** The stems of the song on the stage, a lane each: name, role, solo, mute and gain. */
import { type CSSProperties, type KeyboardEvent, memo, useMemo } from 'react'
import type { StemChange } from '../../../../src-contract/stem-mix.ts'
import { STEM_ROLES, type StemRole } from '../../../../src-contract/stem-roles.ts'
import { likenessSentence } from '../../../../src-contract/text/stem-likeness.ts'
import { gainToDb } from '../../../../src-engine/dsp/units.ts'
import { onStep, valueAfter } from '../../../components/knob.tsx'
import { wavePath } from '../../../drawing/lanes.ts'
import { useApp, useSelect } from '../../../state/app-state.ts'
import { useWords } from '../../../text/context.tsx'
import { printedDb } from '../../master/sound/sound-knobs.tsx'
import { GAIN_RANGE } from './stem-sound.tsx'
import { type Mix, type MixedStem, useMix } from './use-mix.ts'
import './stem-lanes.css'

/** The lanes of a song that has stems; nothing for any other. */
export function StemLanes({ sourceId }: { sourceId: string | undefined }) {
  const mix = useMix(sourceId)
  return mix && sourceId ? <Lanes sourceId={sourceId} mix={mix} /> : null
}

function Lanes({ sourceId, mix }: { sourceId: string; mix: Mix }) {
  const { stems } = useApp()
  const { t } = useWords()
  const chosen = useSelect(stems.store, (state) => state.chosen[sourceId] ?? null)
  const loudest = Math.max(1, ...mix.stems.flatMap(({ stem }) => stem.waveform_percent ?? []))
  const hasSolo = mix.stems.some(({ settings }) => settings.solo)
  return (
    <section className="stem-lanes" aria-label={t.stems.title}>
      <header className="row">
        <h2>{t.stems.title}</h2>
        <button
          type="button"
          className="btn quiet sm"
          aria-pressed={chosen === null}
          onClick={() => stems.choose(sourceId, null)}
        >
          {t.stems.master}
        </button>
      </header>
      {mix.stems.length === 0 && <p className="note">{t.stems.reading}</p>}
      <ul onKeyDown={moveFocus}>
        {mix.stems.map((mixed, index) => (
          <Lane
            key={mixed.stem.stem}
            mixed={mixed}
            isFirst={index === 0}
            isChosen={chosen === mixed.stem.stem}
            loudest={loudest}
            isHeard={hasSolo ? mixed.settings.solo === true : !mixed.settings.mute}
            onChoose={() => stems.choose(sourceId, chosen === mixed.stem.stem ? null : mixed.stem.stem)}
            change={mix.change}
          />
        ))}
      </ul>
      {mix.original && <Original mix={mix} original={mix.original} />}
    </section>
  )
}

/** Comparison of the song's stereo mix with its stems, and the switch that restores what they lack. */
function Original({ mix, original }: { mix: Mix; original: NonNullable<Mix['original']> }) {
  const { t, language } = useWords()
  const { filename, likeness } = original
  return (
    <footer title={filename}>
      <span className="grow">{likeness ? likenessSentence(likeness)[language] : t.stems.notCompared}</span>
      {likeness?.is_song && (
        <label>
          <input
            type="checkbox"
            checked={mix.isRestored}
            onChange={(event) => mix.setRestored(event.currentTarget.checked)}
          />
          {t.stems.restore}
        </label>
      )}
    </footer>
  )
}

interface LaneProps {
  mixed: MixedStem
  /** Highest slice of all waveforms of the set, percent. */
  loudest: number
  isFirst: boolean
  isChosen: boolean
  isHeard: boolean
  onChoose: () => void
  change: (stem: number, change: StemChange) => void
}

const place = (gainDb: number) => (gainDb - GAIN_RANGE.minimum) / (GAIN_RANGE.maximum - GAIN_RANGE.minimum)

/** A lane: its controls are one tab stop of the first lane and reached from there by arrows. */
const Lane = memo(function Lane({ mixed, loudest, isFirst, isChosen, isHeard, onChoose, change }: LaneProps) {
  const { t } = useWords()
  const { stem, name, role, settings } = mixed
  const { gain_db: gainDb = 0, solo = false, mute = false } = settings
  const set = (next: StemChange) => change(stem.stem, next)
  const stop = { tabIndex: isFirst ? 0 : -1 }
  return (
    <li className={`stem-lane ${isChosen ? 'is-chosen' : ''} ${isHeard ? '' : 'is-off'}`}>
      <button
        type="button"
        className={`letter ${solo ? 'is-on' : ''}`}
        aria-pressed={solo}
        aria-label={t.stems.solo(name)}
        title={t.stems.solo(name)}
        {...stop}
        onClick={() => set({ solo: !solo })}
      >
        S
      </button>
      <button
        type="button"
        className={`letter ${mute ? 'is-on' : ''}`}
        aria-pressed={mute}
        aria-label={t.stems.mute(name)}
        title={t.stems.mute(name)}
        {...stop}
        onClick={() => set({ mute: !mute })}
      >
        M
      </button>
      <button
        type="button"
        className="name clip"
        aria-pressed={isChosen}
        aria-label={t.stems.choose(name)}
        title={stem.filename}
        {...stop}
        onClick={onChoose}
      >
        {name}
        {stem.is_silent && <span className="faint"> · {t.stems.silent}</span>}
      </button>
      <select
        aria-label={t.stems.role(name)}
        value={role}
        {...stop}
        onChange={({ currentTarget: { value } }) =>
          set({ role: value === stem.role ? undefined : (value as StemRole) })
        }
      >
        {STEM_ROLES.map((one) => (
          <option key={one} value={one}>
            {t.stems.roles[one]}
          </option>
        ))}
      </select>
      <Wave percent={stem.waveform_percent} loudest={loudest} gainDb={gainDb} />
      <input
        type="range"
        className="notched"
        aria-label={t.stems.gain(name)}
        aria-valuetext={printedDb(gainDb)}
        min={GAIN_RANGE.minimum}
        max={GAIN_RANGE.maximum}
        step={GAIN_RANGE.fine}
        value={gainDb}
        style={{ '--at': place(gainDb), '--zero': place(0) } as CSSProperties}
        {...stop}
        onChange={(event) => set({ gain_db: onStep(event.currentTarget.valueAsNumber, GAIN_RANGE) })}
        onDoubleClick={() => set({ gain_db: 0 })}
        onKeyDown={(event) => {
          if (event.altKey || event.ctrlKey || event.metaKey || event.key === 'ArrowUp' || event.key === 'ArrowDown')
            return
          const next = valueAfter(event, gainDb, GAIN_RANGE)
          if (next === undefined) return
          event.preventDefault()
          set({ gain_db: next })
        }}
      />
      <output>{printedDb(gainDb)}</output>
    </li>
  )
})

const WAVE = { width: 200, height: 26 }

/** The waveform of a stem at its level in the mix, the loudest stem as high as the lane. */
function Wave({
  percent = [],
  loudest,
  gainDb,
}: {
  percent?: readonly number[] | undefined
  loudest: number
  gainDb: number
}) {
  const path = useMemo(() => {
    const levels = percent.map((value) => (value === 0 ? null : gainToDb(value / loudest) + gainDb))
    return wavePath(levels, { from: 0, to: levels.length }, { top: 0, ...WAVE }, { left: 0, right: WAVE.width })
  }, [percent, loudest, gainDb])
  return (
    <svg className="wave" viewBox={`0 0 ${WAVE.width} ${WAVE.height}`} preserveAspectRatio="none" aria-hidden="true">
      {percent.length > 0 && <path className="w-in" d={path} />}
    </svg>
  )
}

/** Up and down move the focus to the same control of another lane, left and right among the controls of a lane. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
  const control = event.target as HTMLElement
  const controlsOf = (lane: Element | undefined) => [
    ...(lane?.querySelectorAll<HTMLElement>('button, select, input') ?? []),
  ]
  const lanes = [...event.currentTarget.children]
  const lane = control.closest('.stem-lane')
  const row = lane ? lanes.indexOf(lane) : -1
  const column = controlsOf(lanes[row]).indexOf(control)
  const [down, right] = MOVES[event.key] ?? [0, 0]
  if ((down === 0 && right === 0) || row < 0 || column < 0) return
  const next = controlsOf(lanes[row + down])[column + right]
  event.preventDefault()
  event.stopPropagation()
  next?.focus()
}

const MOVES: Readonly<Record<string, readonly [down: number, right: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
}
