/** One end of a song as a waveform, with its trim and fade, moved by dragging or by keys. */
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import type { FadeShape } from '../../../src-contract/edges.ts'
import type { Track } from '../../../src-contract/releases.ts'
import { fadeGain } from '../../../src-engine/dsp/fade.ts'
import { useSize } from '../../components/frames.ts'
import { readPeaks } from '../../playback/peaks.ts'
import { useWords } from '../../text/context.tsx'
import type { EdgeSound } from './use-edge-sound.ts'

export type Side = 'start' | 'end'

/** Trim and fade of one end, s. */
export interface EdgeValues {
  readonly trim: number
  readonly fade: number
  readonly shape: FadeShape
}

const HEIGHT = 72
/** Step of an arrow key and of Page keys, s. */
const STEP_SECONDS = 0.05
const PAGE_SECONDS = 1
const FADE_POINTS = 24
const FLOOR_DB = -48

/** Returns the values of one end of a track. Pure. */
export function edgeOf(track: Track, side: Side): EdgeValues {
  return side === 'start'
    ? { trim: track.trim_start_seconds, fade: track.fade_in_seconds, shape: track.fade_in_shape }
    : { trim: track.trim_end_seconds, fade: track.fade_out_seconds, shape: track.fade_out_shape }
}

/** Returns the length of song to draw, s: ten seconds, more if trim and fade are longer. Pure. */
export function windowSeconds({ trim, fade }: EdgeValues, durationSeconds: number): number {
  return Math.min(durationSeconds, Math.max(10, Math.ceil((trim + fade) * 1.25)))
}

interface EdgePlotProps {
  side: Side
  edge: EdgeValues
  sound: EdgeSound
  mostTrim: number
  mostFade: number
  onChange: (change: Partial<Pick<EdgeValues, 'trim' | 'fade'>>) => void
}

export function EdgePlot({ side, edge, sound, mostTrim, mostFade, onChange }: EdgePlotProps) {
  const { t, format } = useWords()
  const texts = t.release.edges
  const host = useRef<HTMLDivElement>(null)
  const [width] = useSize(host, [280, HEIGHT])
  const shown = windowSeconds(edge, sound.durationSeconds)
  const peaks = useEdgePeaks(sound, side, shown, Math.max(1, Math.floor(width / 3)))
  const toX = (seconds: number) => (side === 'start' ? seconds : shown - seconds) * (width / shown)
  const seconds = (value: number) => `${value.toFixed(2)} s`
  const handle = (kind: 'trim' | 'fade', value: number, most: number, at: number) => (
    <Handle
      kind={kind}
      label={texts[side][kind]}
      value={value}
      most={most}
      valueText={seconds(value)}
      x={toX(at)}
      toSeconds={(clientX) => {
        const box = host.current?.getBoundingClientRect()
        const part = box ? (clientX - box.left) / box.width : 0
        const place = (side === 'start' ? part : 1 - part) * shown
        return kind === 'trim' ? place : place - edge.trim
      }}
      onChange={(next) => onChange({ [kind]: next })}
    />
  )
  return (
    <div className="edge-plot" ref={host}>
      <svg
        viewBox={`0 0 ${width} ${HEIGHT}`}
        role="img"
        aria-label={texts.picture[side](format.duration(shown), seconds(edge.trim), seconds(edge.fade))}
      >
        <path className="w-in" d={peakPath(peaks, width)} />
        <rect
          className="cut"
          x={side === 'start' ? 0 : toX(edge.trim)}
          y={0}
          width={Math.max(0, edge.trim * (width / shown))}
          height={HEIGHT}
        />
        <path className="gain" d={gainPath(edge, shown, toX)} />
      </svg>
      {handle('trim', edge.trim, mostTrim, edge.trim)}
      {handle('fade', edge.fade, mostFade, edge.trim + edge.fade)}
    </div>
  )
}

/** Reads the peaks of one end from its samples. */
function useEdgePeaks(sound: EdgeSound, side: Side, shown: number, columns: number) {
  const [peaks, setPeaks] = useState<readonly (number | null)[]>([])
  const { track, rateHz } = sound
  useEffect(() => {
    if (!track) return
    const control = new AbortController()
    const from = side === 'start' ? 0 : track.frames - shown * rateHz
    readPeaks(track, { from, to: from + shown * rateHz }, columns, control.signal).then(setPeaks, () => undefined)
    return () => control.abort()
  }, [track, rateHz, side, shown, columns])
  return peaks
}

function peakPath(peaks: readonly (number | null)[], width: number): string {
  const pitch = width / Math.max(1, peaks.length)
  return peaks
    .map((db, at) => {
      const reach =
        db === null ? 0.5 : Math.max(0.5, (1 - Math.max(FLOOR_DB, Math.min(0, db)) / FLOOR_DB) * (HEIGHT / 2 - 4))
      return `M${(at * pitch).toFixed(1)} ${(HEIGHT / 2 - reach).toFixed(1)}h2v${(2 * reach).toFixed(1)}h-2z`
    })
    .join('')
}

/** Returns the path of the gain from silence to full level, over the waveform. Pure. */
export function gainPath(
  { trim, fade, shape }: EdgeValues,
  shown: number,
  toX: (seconds: number) => number,
  height = HEIGHT,
): string {
  const y = (gain: number) => (height - 6 - gain * (height - 12)).toFixed(1)
  const points = Array.from({ length: FADE_POINTS + 1 }, (_, at) => {
    const part = at / FADE_POINTS
    return `L${toX(trim + part * fade).toFixed(1)} ${y(fade === 0 ? 1 : fadeGain(shape, part))}`
  })
  return `M${toX(trim).toFixed(1)} ${y(0)}${points.join('')}L${toX(shown).toFixed(1)} ${y(1)}`
}

interface HandleProps {
  kind: 'trim' | 'fade' | 'rest'
  label: string
  value: number
  most: number
  valueText: string
  x: number
  toSeconds: (clientX: number) => number
  /** The pointer took hold at a place. */
  onHold?: (clientX: number) => void
  onChange: (seconds: number) => void
}

/** A value moved along the waveform. */
export function Handle({ kind, label, value, most, valueText, x, toSeconds, onHold, onChange }: HandleProps) {
  const set = (seconds: number) => {
    const next = Math.round(Math.max(0, Math.min(most, seconds)) * 100) / 100
    if (next !== value) onChange(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: STEP_SECONDS, ArrowUp: STEP_SECONDS, ArrowLeft: -STEP_SECONDS, ArrowDown: -STEP_SECONDS }
    const page = { PageUp: PAGE_SECONDS, PageDown: -PAGE_SECONDS, Home: -most, End: most }
    const by = { ...step, ...page }[event.key as keyof (typeof step & typeof page)]
    if (by === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    set(value + by)
  }
  const onMove = (event: PointerEvent) => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) set(toSeconds(event.clientX))
  }
  return (
    <div
      className={`handle is-${kind}`}
      style={{ left: x }}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={value}
      aria-valuetext={valueText}
      title={`${label}: ${valueText}`}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId)
        onHold?.(event.clientX)
      }}
      onPointerMove={onMove}
      onDoubleClick={() => set(0)}
    />
  )
}
