/** The switch: every version of the song in one row, to hear it and to choose whether it is made. */
import { Check } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { copyCodecName } from '../../../src-contract/codecs.ts'
import { deliveryTarget, RELEASE, releaseTarget } from '../../../src-contract/delivery-target.ts'
import { PLATFORMS, type Platform } from '../../../src-contract/platforms/index.ts'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { useSize } from '../../components/frames.ts'
import { AS_UPLOADED } from '../../playback/forms.ts'
import { heardDifference, type PlaybackVersion } from '../../playback/state.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useScope } from '../master/use-batch.ts'
import { useMake } from '../master/use-make.ts'
import { useHear, useHere, useListenWords, useStage, useVersionName } from './context.tsx'

/** A cell of the switch. */
export interface SwitchCell {
  readonly id: string
  readonly name: string
  /** Loudness, target or state, in a few characters. */
  readonly note: string
  readonly noteUnit: boolean
  readonly key: string
  readonly isHeard: boolean
  readonly hear: (() => void) | null
  /** Reason why it cannot be heard. */
  readonly whyNot: string | undefined
  readonly isSplit: boolean
  /** Switch that includes the version in the job; absent for a version that no job makes. */
  readonly made: { readonly isOn: boolean; readonly toggle: () => void } | null
}

const NOBODY = () => {}

/** Returns the settings with which the cells are made, and the change of each. */
function useMakes() {
  const { settings } = useScope('delivery')
  const make = useMake()
  return (name: Platform | typeof RELEASE) =>
    settings && {
      isOn: name === RELEASE ? settings.release_master : settings.platforms.includes(name),
      toggle: () => make(name),
    }
}

/** Returns the target of a cell before there is a master, LUFS. */
function targetLufs(name: Platform | typeof RELEASE, settings: MasterSettings): number {
  if (name === RELEASE) return releaseTarget(settings).targetLufs
  return deliveryTarget(name, settings.genre, settings.loudness, settings.target_lufs).targetLufs
}

/** The switch of the song on the stage. */
export function VersionSwitch({ settings }: { settings: MasterSettings | null }) {
  const { made } = useStage()
  return made ? <MadeSwitch /> : settings && <PlannedSwitch settings={settings} />
}

/** Versions of a mastered song. */
function MadeSwitch() {
  const { l, format } = useListenWords()
  const nameOf = useVersionName()
  const hear = useHear()
  const makeOf = useMakes()
  const { row } = useStage()
  const versions = useHere((state) => state.versions)
  const version = useHere((state) => state.version)
  const readiness = useHere((state) => state.readiness)
  const copies = useHere((state) => state.copies)
  const isDifference = useHere((state) => heardDifference(state) !== null)
  const noteOf = (one: PlaybackVersion) => {
    const { codec, making } = copies[one.id] ?? AS_UPLOADED
    const form = codec && copyCodecName(codec).short
    if (making) return { note: l.copies.encoding, noteUnit: false }
    if (isDifference && one.id === version) return { note: form ? `Δ ${form}` : l.difference.short, noteUnit: false }
    return form ? { note: form, noteUnit: false } : { note: format.level(one.level.integratedLufs), noteUnit: true }
  }
  const cells = versions.map((one): SwitchCell => {
    const { id, kind, key = '', missing, platform } = one
    const whyNot = missing ? l.missing[missing] : readiness[id] === 'failed' ? l.versionFailed : undefined
    const name = kind === 'platform' ? platform : kind === 'release' ? RELEASE : undefined
    return {
      ...{ id, key, whyNot, name: nameOf(one), isHeard: version === id },
      ...(whyNot ? { note: '–', noteUnit: false } : noteOf(one)),
      hear: whyNot ? null : () => hear(id),
      isSplit: kind === 'reference' || kind === 'other',
      made: row && name ? makeOf(name) : null,
    }
  })
  return <Cells cells={cells} isBusy={Object.values(readiness).includes('opening')} />
}

/** Versions of a song that is not mastered yet, or has changed since: its audition for each platform. */
function PlannedSwitch({ settings }: { settings: MasterSettings }) {
  const { t, l, format } = useListenWords()
  const { auditions, playback } = useApp()
  const { audition, facts } = useStage()
  const hear = useHear()
  const makeOf = useMakes()
  const version = useHere((state) => state.version)
  const service = useHere((state) => state.service) ?? playback.songService()
  const isAsking = useSelect(auditions.store, (state) => state.isAsking)
  const isDifference = useHere((state) => heardDifference(state) !== null)
  const isEstimate = isAsking || !audition?.isExact
  const plain = { whyNot: undefined, isSplit: false } as const
  const cells: SwitchCell[] = [
    {
      ...plain,
      ...{ id: 'source', key: '0', name: l.original, note: format.level(facts.sourceLufs), noteUnit: true },
      ...{ isHeard: version === 'source', hear: () => hear('source'), made: null },
    },
    ...PLATFORMS.map((platform, at): SwitchCell => {
      const isHeard = version === 'audition' && service === platform
      const isShown = audition?.platform === platform
      const lufs = isShown ? audition.level.integratedLufs : targetLufs(platform, settings)
      return {
        ...plain,
        ...{ id: platform, key: String(at + 1), isHeard, noteUnit: true },
        name: isShown && isEstimate ? `${t.platforms[platform]} ≈` : t.platforms[platform],
        note: isHeard && isDifference ? l.difference.short : format.level(lufs),
        hear: () => hear('audition', platform),
        made: makeOf(platform),
      }
    }),
    {
      ...plain,
      ...{ id: RELEASE, key: '6', name: l.release, note: format.level(targetLufs(RELEASE, settings)), noteUnit: true },
      ...{ isHeard: false, hear: null, whyNot: l.missing.not_made, made: makeOf(RELEASE) },
    },
    {
      ...plain,
      ...{ id: 'reference', key: 'R', name: l.reference, note: settings.reference_source_id ? '' : l.noReference },
      ...{ noteUnit: false, isHeard: false, hear: null, made: null, isSplit: true },
      whyNot: settings.reference_source_id ? l.missing.reference_later : l.missing.no_reference,
    },
  ]
  return <Cells cells={cells} />
}

/** The platforms of all songs, where no song is on the stage: there is nothing to hear. */
export function PlatformSwitch({ settings }: { settings: MasterSettings }) {
  const { t, l, format } = useListenWords()
  const makeOf = useMakes()
  const cells = [...PLATFORMS, RELEASE].map((name, at): SwitchCell => {
    return {
      ...{ id: name, key: String(at + 1), name: name === RELEASE ? l.release : t.platforms[name] },
      ...{ note: format.level(targetLufs(name, settings)), noteUnit: true, isHeard: false, hear: null },
      ...{ whyNot: l.missing.no_song, isSplit: false, made: makeOf(name) },
    }
  })
  return <Cells cells={cells} />
}

/** Moves the focus among the parts of the switch; false for any other key. */
function moveFocus(event: KeyboardEvent<HTMLElement>): boolean {
  const parts = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-part]')]
  const at = parts.indexOf(document.activeElement as HTMLElement)
  const isCheck = (one: HTMLElement | undefined) => one?.dataset.part === 'make'
  const step = (way: 1 | -1, isSame: boolean) => {
    for (let next = at + way; next >= 0 && next < parts.length; next += way)
      if (!isSame || isCheck(parts[next]) === isCheck(parts[at])) return parts[next]
    return undefined
  }
  const to = {
    ArrowRight: step(1, false),
    ArrowLeft: step(-1, false),
    ArrowDown: isCheck(parts[at]) ? undefined : parts[at + 1],
    ArrowUp: isCheck(parts[at]) ? parts[at - 1] : undefined,
    Home: parts[0],
    End: parts.at(-1),
  }[event.key]
  if (at < 0 || !to) return false
  to.focus()
  return true
}

/** One tab stop: the arrows move among the cells and their check boxes. */
function Cells({ cells, isBusy = false }: { cells: readonly SwitchCell[]; isBusy?: boolean }) {
  const { l } = useListenWords()
  const { label: scopeLabel } = useScope('delivery')
  const row = useRef<HTMLDivElement>(null)
  const heard = cells.find(({ isHeard }) => isHeard)?.id
  const [width] = useSize(row, [0, 0])
  // In a small window the row scrolls, and keys can choose a version out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: version and width are signs, not ingredients
  useEffect(() => {
    const cell = row.current?.querySelector('[aria-pressed=true]')?.closest('[role=gridcell]')
    if (!row.current || !cell) return
    const [whole, part] = [row.current.getBoundingClientRect(), cell.getBoundingClientRect()]
    row.current.scrollLeft += Math.min(0, part.left - whole.left) + Math.max(0, part.right - whole.right)
  }, [heard, width])
  const firstId = heard ?? cells[0]?.id
  return (
    // biome-ignore lint/a11y/useSemanticElements: a table cannot be one tab stop
    <div
      className="vers"
      role="grid"
      aria-label={l.versions}
      aria-busy={isBusy}
      tabIndex={-1}
      ref={row}
      onKeyDown={(event) => {
        if (moveFocus(event)) {
          event.preventDefault()
          event.stopPropagation()
        }
      }}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: the row of the grid above */}
      {/* biome-ignore lint/a11y/useFocusableInteractive: the focus moves among its cells */}
      <div role="row">
        {cells.map((cell) => (
          <Cell key={cell.id} cell={cell} isFirst={cell.id === firstId} scopeLabel={scopeLabel} />
        ))}
      </div>
    </div>
  )
}

function Cell({ cell, isFirst, scopeLabel }: { cell: SwitchCell; isFirst: boolean; scopeLabel: string }) {
  const { l } = useListenWords()
  const { id, name, note, noteUnit, key, isHeard, hear, whyNot, isSplit, made } = cell
  return (
    // biome-ignore lint/a11y/useSemanticElements: a cell of the grid above
    // biome-ignore lint/a11y/useFocusableInteractive: its parts have the focus
    <div
      role="gridcell"
      className={`${isSplit ? 'split' : ''} ${hear ? '' : 'off'} ${made?.isOn === false ? 'unmade' : ''}`}
    >
      <button
        type="button"
        data-part="hear"
        data-version={id}
        tabIndex={isFirst ? 0 : -1}
        aria-pressed={isHeard}
        aria-disabled={hear ? undefined : true}
        title={whyNot}
        onClick={hear ?? NOBODY}
      >
        <b className={`clip ${name.endsWith('≈') ? '' : 'room'}`}>{name}</b>
        <small>
          {note}
          {noteUnit && <span className="vh"> {l.lufs}</span>}
        </small>
        <span aria-hidden="true">
          <kbd>{key}</kbd>
        </span>
        {whyNot && <span className="vh"> {whyNot}</span>}
      </button>
      {made && (
        // biome-ignore lint/a11y/useSemanticElements: a native box cannot be drawn on a coloured cell in forced colours
        <button
          type="button"
          role="checkbox"
          data-part="make"
          className="make"
          tabIndex={-1}
          aria-checked={made.isOn}
          aria-label={l.make(name.replace(/ ≈$/, ''))}
          title={l.madeFor(scopeLabel)}
          onClick={made.toggle}
        >
          <i>
            <Check aria-hidden="true" />
          </i>
        </button>
      )}
    </div>
  )
}
