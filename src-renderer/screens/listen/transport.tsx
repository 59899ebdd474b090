/** The action bar of the Listen screen: play, time, loop, level, blind test, volume, keys. */

import { Keyboard, Repeat, Shuffle, Volume2, VolumeX } from 'lucide-react'
import { Popover } from 'radix-ui'
import { type CSSProperties, type Ref, useEffect, useId, useRef, useState } from 'react'
import { clock, playingTime } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { KeySheet } from '../../components/key-sheet.tsx'
import type { PlaybackItem } from '../../playback/state.ts'
import { useApp, usePlayback } from '../../state/app-state.ts'
import { Clock, Level, PlayButton, Steady } from '../transport.tsx'
import { useListenWords, useVisit } from './context.tsx'

interface TransportProps {
  isBlindTestOpen: boolean
  blindTestButton: Ref<HTMLButtonElement>
  onBlindTest: () => void
}

export function Transport({ isBlindTestOpen, blindTestButton, onBlindTest }: TransportProps) {
  const { l } = useListenWords()
  const { item } = useVisit()
  const [isSheetOpen, showSheet] = useState(false)
  return (
    <footer className="action-bar transport">
      <PlayButton item={item} />
      <Clock item={item} length={playingTime(item.durationSeconds)} />
      <LoopButton item={item} />
      <span className="grow" />
      <Level item={item} isWide />
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

function LoopButton({ item: { durationSeconds } }: { item: PlaybackItem }) {
  const { l } = useListenWords()
  const { playback } = useApp()
  const loop = usePlayback((state) => state.loop)
  const isLooping = usePlayback((state) => state.isLooping)
  // 0 is as wide as any digit.
  const end = clock(durationSeconds).replace(/\d/g, '0')
  const text = loop ? l.transport.loop(clock(loop.startSeconds), clock(loop.endSeconds)) : l.transport.loopOff
  return (
    <button
      type="button"
      className="btn sm quiet loopbtn"
      aria-pressed={isLooping}
      aria-label={text}
      title={l.transport.loopHint}
      onClick={playback.loop.toggle}
    >
      <Repeat className="i s" aria-hidden="true" />
      <span className="lg">
        <Steady text={text} others={[l.transport.loop(end, end)]} />
      </span>
    </button>
  )
}

function Volume() {
  const { l } = useListenWords()
  const { playback } = useApp()
  const volume = usePlayback((state) => state.volume)
  const isMuted = usePlayback((state) => state.isMuted)
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
              onChange={(event) => playback.adjust({ volume: event.currentTarget.valueAsNumber, isMuted: false })}
              onDoubleClick={() => playback.adjust({ volume: 100, isMuted: false })}
            />
            <label className="row">
              <input type="checkbox" checked={isMuted} onChange={() => playback.adjust({ isMuted: !isMuted })} />
              {l.transport.mute}
            </label>
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
