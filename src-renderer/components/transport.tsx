/** Parts that the transports of all screens share: the button that plays, and the clock. */
import { Pause, Play } from 'lucide-react'
import { useRef } from 'react'
import { clockTenths } from '../../src-contract/text/numbers.ts'
import { useWords } from '../text/context.tsx'
import { useFrames } from './frames.ts'

/** Pause between two looks at a position that stands still, ms. */
const STILL_MS = 250

export function PlayButton({ isPlaying, onToggle }: { isPlaying: boolean; onToggle: () => void }) {
  const { t } = useWords()
  const Icon = isPlaying ? Pause : Play
  const name = isPlaying ? t.transport.pause : t.transport.play
  return (
    <button
      type="button"
      className="playbtn"
      aria-label={name}
      title={`${name} (${t.transport.space})`}
      onClick={onToggle}
    >
      <Icon className="i" aria-hidden="true" />
    </button>
  )
}

interface ClockProps {
  /** Returns the position, s. */
  position: () => number
  /** Stands beside the time: the length, or what hinders. */
  note: string
  hasFailed?: boolean
}

/** The position to a tenth of a second, written past React. */
export function Clock({ position, note, hasFailed = false }: ClockProps) {
  const shown = useRef<HTMLSpanElement>(null)
  useFrames(() => {
    const text = clockTenths(position())
    if (shown.current && shown.current.textContent !== text) shown.current.textContent = text
  }, STILL_MS)
  return (
    <div className="time">
      <span ref={shown}>{clockTenths(0)}</span>{' '}
      <small role={hasFailed ? 'alert' : undefined} className={hasFailed ? 'c-bad' : undefined}>
        {note}
      </small>
    </div>
  )
}
