/** The action bar of the Listen screen: play, time, loop, the one choice of level, blind test, volume, keys. */

import { ChevronDown, Keyboard, Pause, Play, Repeat, Shuffle, Volume2, VolumeX } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type CSSProperties, type Ref, useEffect, useId, useRef, useState } from 'react'
import { PLATFORMS, platformFacts } from '../../../src-contract/platforms/index.ts'
import { clock, playingTime } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { KeySheet } from '../../components/key-sheet.tsx'
import { Clock } from '../../components/transport.tsx'
import type { LevelMode } from '../../player/levels.ts'
import { useApp } from '../../state/app-state.ts'
import { heardSeconds } from '../../state/listen-versions.ts'
import { gainsOf, isReading, shownService } from '../../state/player-state.ts'
import { useListenWords, usePlayer, useVisit } from './context.tsx'

interface TransportProps {
  isBlindTestOpen: boolean
  blindTestButton: Ref<HTMLButtonElement>
  onBlindTest: () => void
}

export function Transport({ isBlindTestOpen, blindTestButton, onBlindTest }: TransportProps) {
  const { l } = useListenWords()
  const { player, report } = useVisit()
  const isPlaying = usePlayer((state) => state.isPlaying)
  const isBlind = usePlayer((state) => state.blindTest !== null)
  const hasFailed = usePlayer((state) => state.hasFailed)
  const [isSheetOpen, showSheet] = useState(false)
  const Icon = isPlaying ? Pause : Play
  return (
    <footer className="action-bar transport">
      <button
        type="button"
        className="playbtn"
        aria-label={isPlaying ? l.transport.pause : l.transport.play}
        disabled={hasFailed}
        onClick={player.toggle}
      >
        <Icon className="i" aria-hidden="true" />
      </button>
      <SongClock durationSeconds={heardSeconds(report)} />
      <LoopButton durationSeconds={heardSeconds(report)} />
      <span className="grow" />
      <Level isBlind={isBlind} />
      <span className="grow" />
      <Button
        ref={blindTestButton}
        look="quiet"
        icon={<Shuffle className="i" aria-hidden="true" />}
        aria-label={l.transport.blindTest}
        aria-pressed={isBlindTestOpen}
        onClick={onBlindTest}
      >
        <span className="blind-word">{l.transport.blindTest}</span>
      </Button>
      <Volume />
      <Button
        look="quiet"
        label={l.transport.keys}
        icon={<Keyboard className="i" aria-hidden="true" />}
        onClick={() => showSheet(true)}
      />
      <KeySheet isOpen={isSheetOpen} onClose={() => showSheet(false)} />
    </footer>
  )
}

/** Loading time from which the screen says so, ms. */
const UNNOTICED_MS = 300

/** Tells whether something is read for so long that it must be said; screen readers are told. */
function useLongReading(): boolean {
  const { l } = useListenWords()
  const { notices } = useApp()
  const isOn = usePlayer(isReading)
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    if (!isOn) return
    const timer = setTimeout(() => {
      setLong(true)
      notices.announce(l.transport.waiting)
    }, UNNOTICED_MS)
    return () => {
      clearTimeout(timer)
      setLong(false)
    }
  }, [isOn, notices, l])
  return isLong
}

function SongClock({ durationSeconds }: { durationSeconds: number }) {
  const { l } = useListenWords()
  const { player } = useVisit()
  const isLong = useLongReading()
  return (
    <Clock
      position={() => player.position()}
      note={isLong ? l.transport.waiting : `/ ${playingTime(durationSeconds)}`}
    />
  )
}

function LoopButton({ durationSeconds }: { durationSeconds: number }) {
  const { l } = useListenWords()
  const { player } = useVisit()
  const loop = usePlayer((state) => state.loop)
  const isLooping = usePlayer((state) => state.isLooping)
  // No digit is noticeably wider than 0.
  const end = clock(durationSeconds).replace(/\d/g, '0')
  const text = loop ? l.transport.loop(clock(loop.startSeconds), clock(loop.endSeconds)) : l.transport.loopOff
  return (
    <button
      type="button"
      className="btn sm quiet loopbtn"
      aria-pressed={isLooping}
      aria-label={text}
      title={l.transport.loopHint}
      onClick={player.toggleLoop}
    >
      <Repeat className="i s" aria-hidden="true" />
      <span className="lg">
        <Steady text={text} others={[l.transport.loop(end, end)]} />
      </span>
    </button>
  )
}

function Level({ isBlind }: { isBlind: boolean }) {
  const { t, l, format } = useListenWords()
  const { player } = useVisit()
  const group = useId()
  const state = usePlayer((all) => all)
  const service = shownService(state)
  const gainOf = (mode: LevelMode) => gainsOf(state, mode)[state.version] ?? 0
  const print = (db: number) => `${Math.abs(db) < 0.05 ? '0.0' : db > 0 ? `+${format.level(db)}` : format.level(db)} dB`
  const serviceName = t.platforms[service]
  const parts = [
    { mode: 'matched' as const, text: l.transport.matched, note: print(gainOf('matched')), key: 'L' },
    {
      mode: 'service' as const,
      text: l.transport.asOn(serviceName),
      note: platformFacts(service).playback.referenceLufs === null ? l.transport.noRule : print(gainOf('service')),
    },
    { mode: 'file' as const, text: l.transport.file },
  ]
  return (
    <div className="level">
      <span className="label lg" aria-hidden="true">
        {l.transport.level}
      </span>
      <div className="seg fit" role="radiogroup" aria-label={l.transport.level}>
        {parts.map(({ mode, text, note, key }) => (
          <span key={mode} className="level-part">
            <label>
              <input
                type="radio"
                className="vh"
                name={group}
                checked={isBlind ? mode === 'matched' : state.levelMode === mode}
                disabled={isBlind && mode !== 'matched'}
                onChange={() => player.setLevelMode(mode)}
              />
              <Steady
                text={text}
                others={mode === 'service' ? PLATFORMS.map((one) => l.transport.asOn(t.platforms[one])) : []}
              />
              {note && (
                <small>
                  <Steady
                    text={isBlind ? '' : note}
                    others={[WIDEST_NOTE, ...(mode === 'service' ? [l.transport.noRule] : [])]}
                  />
                </small>
              )}
              {key && (
                <span aria-hidden="true">
                  <kbd>{key}</kbd>
                </span>
              )}
            </label>
            {mode === 'service' && (
              <Menu
                label={l.transport.services}
                trigger={
                  <button type="button" className="chevron" aria-label={l.transport.services} disabled={isBlind}>
                    <ChevronDown className="i s" aria-hidden="true" />
                  </button>
                }
                items={[
                  {
                    text: l.transport.follow,
                    isChosen: state.service === null,
                    onChoose: () => player.chooseService(null),
                  },
                  null,
                  ...PLATFORMS.map((platform) => ({
                    text: t.platforms[platform],
                    isChosen: state.service === platform,
                    onChoose: () => player.chooseService(platform),
                  })),
                ]}
              />
            )}
          </span>
        ))}
      </div>
    </div>
  )
}

/** The widest change of level that is usual: what is narrower takes no less room. */
const WIDEST_NOTE = '−10.0 dB'

/** A text that takes the room of the widest of `others`, so that nothing beside it moves when it changes. */
function Steady({ text, others }: { text: string; others: readonly string[] }) {
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

function Volume() {
  const { l } = useListenWords()
  const { player } = useVisit()
  const volume = usePlayer((state) => state.volume)
  const isMuted = usePlayer((state) => state.isMuted)
  const id = useId()
  const Icon = isMuted || volume === 0 ? VolumeX : Volume2
  const field = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])
  return (
    <Popover.Root open={isOpen} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <button type="button" className="btn quiet icon" aria-label={l.transport.volume} title={l.transport.volume}>
          <Icon className="i" aria-hidden="true" />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="menu volume" side="top" sideOffset={8} collisionPadding={8}>
          <div className="field">
            <label className="label" htmlFor={id}>
              {l.transport.volume} <output htmlFor={id}>{isMuted ? 0 : volume}</output>
            </label>
            <input
              ref={field}
              id={id}
              type="range"
              min={0}
              max={100}
              value={isMuted ? 0 : volume}
              style={{ '--v': isMuted ? 0 : volume } as CSSProperties}
              onChange={(event) => player.setVolume(event.currentTarget.valueAsNumber)}
              onDoubleClick={() => player.setVolume(100)}
            />
            <label className="row">
              <input type="checkbox" checked={isMuted} onChange={player.toggleMute} />
              {l.transport.mute}
            </label>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
