/** Transport parts shared by all screens: play button, clock, and level. */
import { ChevronDown, Pause, Play } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { PLATFORMS, platformFacts } from '../../src-contract/platforms/index.ts'
import { clockTenths } from '../../src-contract/text/numbers.ts'
import { Menu } from '../components/dialogs.tsx'
import { useFrames } from '../components/frames.ts'
import type { LevelMode } from '../playback/levels.ts'
import {
  firstState,
  gainsOf,
  isLoaded,
  isReading,
  type PlaybackItem,
  type PlaybackState,
  shownService,
} from '../playback/state.ts'
import { useApp, usePlayback } from '../state/app-state.ts'
import { useWords } from '../text/context.tsx'
import './transport.css'

interface ItemProps {
  /** The item of the transport; its state is that of the playback while it is loaded. */
  item: PlaybackItem
}

const useIsLoaded = (item: PlaybackItem): boolean => usePlayback((state) => isLoaded(state, item))

export function PlayButton({ item }: ItemProps) {
  const { playback } = useApp()
  const { t } = useWords()
  const isThis = useIsLoaded(item)
  const isPlaying = usePlayback((state) => state.isPlaying) && isThis
  const Icon = isPlaying ? Pause : Play
  const name = isPlaying ? t.transport.pause : t.transport.play
  return (
    <button
      type="button"
      className="playbtn"
      aria-label={name}
      title={`${name} (${t.transport.space})`}
      onClick={() => playback.toggle(item)}
    >
      <Icon className="i" aria-hidden="true" />
    </button>
  )
}

/** Loading time before the screen mentions it, ms. */
const UNNOTICED_MS = 300

/** Tells whether loading takes long enough to be mentioned; screen readers are told. */
function useLongReading(): boolean {
  const { notices } = useApp()
  const { t } = useWords()
  const isOn = usePlayback(isReading)
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isOn) return
    const timer = setTimeout(() => {
      setLong(true)
      notices.announce(t.transport.reading)
    }, UNNOTICED_MS)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isOn, notices, t])
  return isLong
}

/** The position to a tenth of a second, written bypassing React, followed by the length or the problem. */
export function Clock({ item, length }: ItemProps & { length: string }) {
  const { playback } = useApp()
  const { t } = useWords()
  const isThis = useIsLoaded(item)
  const isLong = useLongReading() && isThis
  const hasFailed = usePlayback((state) => state.hasFailed) && isThis
  const shown = useRef<HTMLSpanElement>(null)
  useFrames(() => {
    const text = clockTenths(isThis ? playback.position() : 0)
    if (shown.current && shown.current.textContent !== text) shown.current.textContent = text
  })
  return (
    <div className="time">
      <span ref={shown}>{clockTenths(0)}</span>{' '}
      <small role={hasFailed ? 'alert' : undefined} className={hasFailed ? 'c-bad' : undefined}>
        {hasFailed ? t.transport.failed : isLong ? t.transport.reading : `/ ${length}`}
      </small>
    </div>
  )
}

/** The widest common change of level, which reserves the width. */
const WIDEST_NOTE = '−10.0 dB'

/** Returns the level choices with the change each makes now; `others` and `widest` are texts that reserve room. */
function useLevelParts(state: PlaybackState) {
  const { t, format } = useWords()
  const service = shownService(state)
  const noteOf = (mode: LevelMode) => {
    const db = gainsOf(state, mode)[state.version] ?? 0
    return `${Math.abs(db) < 0.05 ? '0.0' : db > 0 ? `+${format.level(db)}` : format.level(db)} dB`
  }
  const hasNoRule = platformFacts(service).playback.referenceLufs === null
  const asOn = (one: (typeof PLATFORMS)[number]) => t.transport.asOn(t.platforms[one])
  return [
    { mode: 'matched', text: t.transport.matched, note: noteOf('matched'), hint: t.transport.matchedHint, key: 'L' },
    {
      mode: 'service',
      text: asOn(service),
      others: PLATFORMS.map(asOn),
      note: hasNoRule ? t.transport.noRule : noteOf('service'),
      widest: [WIDEST_NOTE, t.transport.noRule],
      hint: t.transport.asOnHint,
    },
    { mode: 'file', text: t.transport.file, hint: t.transport.fileHint },
  ] as const
}

/**
 * The level of the versions. `isWide` shows its name and key, offers the services, and reserves room for every text.
 */
export function Level({ item, isWide = false }: ItemProps & { isWide?: boolean }) {
  const { playback } = useApp()
  const { t } = useWords()
  const group = useId()
  const isThis = useIsLoaded(item)
  const now = usePlayback((all) => all)
  const state = isThis ? now : firstState(item, { levelMode: now.levelMode, service: now.service })
  const isBlind = state.blindTest !== null
  const parts = useLevelParts(state)
  return (
    <div className="level">
      {isWide && (
        <span className="label lg" aria-hidden="true">
          {t.transport.level}
        </span>
      )}
      <div className="seg fit" role="radiogroup" aria-label={t.transport.level}>
        {parts.map(({ mode, text, hint, ...part }) => (
          <span key={mode} className="level-part">
            <label title={hint}>
              <input
                type="radio"
                className="vh"
                name={group}
                checked={isBlind ? mode === 'matched' : state.levelMode === mode}
                disabled={isBlind && mode !== 'matched'}
                onChange={() => playback.adjust({ levelMode: mode })}
              />
              <Steady text={text} others={isWide && 'others' in part ? part.others : []} />
              {'note' in part && (
                <small>
                  <Steady
                    text={isBlind ? '' : part.note}
                    others={isWide ? ('widest' in part ? part.widest : [WIDEST_NOTE]) : []}
                  />
                </small>
              )}
              {isWide && 'key' in part && (
                <span aria-hidden="true">
                  <kbd>{part.key}</kbd>
                </span>
              )}
            </label>
            {isWide && mode === 'service' && <ServiceMenu isDisabled={isBlind} />}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The imitated service: that of the version, or a chosen one. */
function ServiceMenu({ isDisabled }: { isDisabled: boolean }) {
  const { playback } = useApp()
  const { t } = useWords()
  const service = usePlayback((state) => state.service)
  const choose = (one: typeof service) => playback.adjust({ service: one, levelMode: 'service' })
  return (
    <Menu
      label={t.transport.services}
      trigger={
        <button type="button" className="chevron" aria-label={t.transport.services} disabled={isDisabled}>
          <ChevronDown className="i s" aria-hidden="true" />
        </button>
      }
      items={[
        { text: t.transport.follow, isChosen: service === null, onChoose: () => choose(null) },
        null,
        ...PLATFORMS.map((platform) => ({
          text: t.platforms[platform],
          isChosen: service === platform,
          onChoose: () => choose(platform),
        })),
      ]}
    />
  )
}

/** A text as wide as the widest of `others`, so that a change of text moves nothing around it. */
export function Steady({ text, others }: { text: string; others: readonly string[] }) {
  return (
    <span className="clip swap">
      <span className="clip">{text}</span>
      {others.map((other) => (
        <span key={other} aria-hidden="true">
          {other}
        </span>
      ))}
    </span>
  )
}
