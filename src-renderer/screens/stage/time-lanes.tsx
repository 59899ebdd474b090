/** The time view: original, version, loudness and gain reduction on one clock with one playhead. */

import { memo, type RefObject, useId, useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { clock, clockTenths, playingTime } from '../../../src-contract/text/numbers.ts'
import { setAttribute, useFrames, useSize } from '../../components/frames.ts'
import { fullScaleStretches, type LanesLayout, lanesLayout, type Stretch, timeAxis } from '../../drawing/lanes.ts'
import { partsOfTrack } from '../../playback/forms.ts'
import type { LoopRange } from '../../playback/loop.ts'
import type { PlaybackVersion } from '../../playback/state.ts'
import { useApp } from '../../state/app-state.ts'
import { isWhole, isWithin, type TimeView } from '../../state/time-view.ts'
import { useHere, useIsHere, useListenWords, useStage, useVersionName } from './context.tsx'
import { Still } from './lane-pictures.tsx'
import { ReductionMarkers } from './reduction-markers.tsx'
import { ScrollStrip } from './scroll-strip.tsx'
import { useLaneDrag } from './use-lane-drag.ts'
import { useLaneWheel } from './use-lane-wheel.ts'
import { usePeaks } from './use-peaks.ts'

/** Distance from a loop's edges that counts as the playhead wrapping around, s. */
const REPEAT_SECONDS = 1

/** Returns the text alternative of the picture. */
function useLanesLabel(version: PlaybackVersion | undefined, stretches: readonly Stretch[]): string {
  const { l, format } = useListenWords()
  const nameOf = useVersionName()
  const { facts } = useStage()
  const parts = [l.timeView.originalAt(format.level(facts.sourceLufs), stretches.length)]
  const result = version?.result
  if (version && result) {
    const lufs = format.level(result.integrated_lufs)
    const deepest = Math.abs(result.max_gain_reduction_db)
    parts.push(l.timeView.masterAt(nameOf(version), lufs, format.target(result.ceiling_dbtp)))
    parts.push(l.timeView.curves(format.target(result.target_lufs)))
    parts.push(deepest > 0.05 ? l.timeView.reductionOf(format.level(deepest)) : l.timeView.noReduction)
  } else if (version && version.kind !== 'source') {
    parts.push(l.timeView.versionAt(nameOf(version), format.level(version.level.integratedLufs)))
  }
  return l.timeView.label(parts)
}

/** Returns the version drawn below the original. */
function useShownVersion(): PlaybackVersion | undefined {
  const { audition } = useStage()
  const version = useHere((state) => {
    // During the original, the lane keeps the master compared with it; in a blind test it must not reveal X.
    const { blindTest: test } = state
    if (test)
      return state.versions.find((one) => one.id === partsOfTrack(test.b === 'source' ? test.a : test.b).version)
    const id = state.version === 'source' ? state.lastHeard : state.version
    return state.versions.find((one) => one.id === id)
  })
  return version?.kind === 'audition' ? (audition ?? undefined) : version
}

/** Makes the view follow the playhead by pages; a loop that restarts does not move it. */
function useFollow(): (seconds: number) => void {
  const { view } = useStage()
  const { playback } = useApp()
  const last = useRef(0)
  return (seconds) => {
    const fromSeconds = last.current
    if (seconds === fromSeconds) return
    last.current = seconds
    const { loop, isLooping } = playback.store.getState()
    const repeats =
      isLooping &&
      loop &&
      fromSeconds > loop.endSeconds - REPEAT_SECONDS &&
      Math.abs(seconds - loop.startSeconds) < REPEAT_SECONDS
    if (!repeats) view.dispatch({ kind: 'follow', fromSeconds, toSeconds: seconds })
  }
}

interface PlayheadProps {
  readonly layout: LanesLayout
  readonly view: TimeView
  /** The rectangle that uncovers the played part. */
  readonly played: RefObject<SVGRectElement | null>
}

/**
 * The playhead, which stays at the edge while it is outside the view. The window's keys move it: arrows 5 s, with Shift
 * 1 s.
 */
function Playhead({ layout, view, played }: PlayheadProps) {
  const { l } = useListenWords()
  const { durationSeconds: duration } = useStage().facts
  const { playback } = useApp()
  const isHere = useIsHere()
  const head = useRef<HTMLDivElement>(null)
  const spoken = useRef(-1)
  const follow = useFollow()
  useFrames(() => {
    const seconds = isHere ? playback.position() : 0
    if (isHere) follow(seconds)
    const x = Math.max(layout.left, Math.min(layout.right, timeAxis(layout, view).toX(seconds)))
    setAttribute(played.current, 'width', (x - layout.left).toFixed(1))
    const handle = head.current
    if (!handle) return
    handle.style.transform = `translateX(${x.toFixed(1)}px)`
    setAttribute(handle, 'class', isWithin(view, seconds) ? 'playhead' : 'playhead is-away')
    const whole = Math.floor(seconds)
    if (whole === spoken.current) return
    spoken.current = whole
    handle.setAttribute('aria-valuenow', String(whole))
    handle.setAttribute('aria-valuetext', l.timeView.positionText(clock(seconds), playingTime(duration)))
  })
  return (
    <div
      ref={head}
      className="playhead"
      role="slider"
      tabIndex={0}
      aria-label={l.timeView.position}
      aria-valuemin={0}
      aria-valuemax={Math.floor(duration)}
      aria-valuenow={0}
      aria-valuetext={clockTenths(0)}
      aria-orientation="horizontal"
    >
      <svg viewBox="0 0 10 12" width={10} height={12} aria-hidden="true">
        <path d="M0 0h10v5l-5 6l-5-6z" />
      </svg>
    </div>
  )
}

const LoopPicture = memo(function LoopPicture(props: {
  readonly layout: LanesLayout
  readonly view: TimeView
  readonly loop: LoopRange
  readonly isOn: boolean
}) {
  const { layout, view, loop, isOn } = props
  const { ruler, height } = layout
  const { toX } = timeAxis(layout, view)
  const [from, to] = [toX(loop.startSeconds), toX(loop.endSeconds)]
  return (
    <g className={isOn ? 'loop is-on' : 'loop'} clipPath="url(#view)">
      <rect x={from} width={Math.max(0, to - from)} y={ruler} height={height - ruler} />
      <path d={`M${from.toFixed(1)} ${ruler}V${height}M${to.toFixed(1)} ${ruler}V${height}`} />
    </g>
  )
})

export function TimeLanes() {
  const { facts, item, view: viewActions } = useStage()
  const { playback } = useApp()
  const id = useId()
  const host = useRef<HTMLDivElement>(null)
  const played = useRef<SVGRectElement>(null)
  const [width, height] = useSize(host, [980, 340])
  const layout = useMemo(() => lanesLayout(width, height), [width, height])
  const view = useStore(viewActions.store)
  const axis = useMemo(() => timeAxis(layout, view), [layout, view])
  const loop = useHere((state) => state.loop)
  const isLooping = useHere((state) => state.isLooping)
  const version = useShownVersion()
  const stretches = useMemo(() => {
    const { peak_dbfs, step_seconds } = facts.curves
    return facts.isClipped ? fullScaleStretches(peak_dbfs, step_seconds) : []
  }, [facts])
  const label = useLanesLabel(version, stretches)
  const columns = Math.floor(layout.right - layout.left)
  const originalPeaks = usePeaks('source', facts.curves, view, columns)
  const versionPeaks = usePeaks(version?.id, version?.curves, view, columns)
  const { draft, handlers } = useLaneDrag({ playback, item, axis, view, loop })
  useLaneWheel(host, viewActions, axis)
  const shownLoop = draft ?? loop
  const pictures = { layout, facts, version, view, originalPeaks, versionPeaks, stretches }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the window's keys do the same as the pointer here
    <div
      ref={host}
      id={id}
      className="screen lanes"
      {...handlers}
      onDoubleClick={() => viewActions.dispatch({ kind: 'whole' })}
    >
      <svg className="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        <defs>
          <clipPath id="played">
            <rect ref={played} x={layout.left} y={0} width={0} height={height} />
          </clipPath>
          <clipPath id="view">
            <rect x={layout.left} y={0} width={columns} height={height} />
          </clipPath>
        </defs>
        <Still {...pictures} />
        {shownLoop && <LoopPicture layout={layout} view={view} loop={shownLoop} isOn={draft !== null || isLooping} />}
      </svg>
      {version && <ReductionMarkers layout={layout} view={view} version={version} />}
      <Playhead layout={layout} view={view} played={played} />
      {!isWhole(view, viewActions.durationSeconds) && <ScrollStrip layout={layout} view={view} lanesId={id} />}
    </div>
  )
}
