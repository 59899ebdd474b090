/** The time view: original, version, loudness and gain reduction on one clock with one playhead. */
import { memo, useMemo, useRef } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import { clock, clockTenths, playingTime } from '../../../src-contract/text/numbers.ts'
import {
  fullScaleStretches,
  type LanesLayout,
  lanesLayout,
  levelPath,
  loudnessScale,
  markPath,
  reductionPath,
  reductionRangeDb,
  type Stretch,
  timeAxis,
  timeTicks,
  waveLevelY,
  wavePath,
} from '../../drawing/lanes.ts'
import type { SongVersion } from '../../state/listen-versions.ts'
import { setAttribute, useFrames, useListenWords, usePlayer, useSize, useVersionName, useVisit } from './context.tsx'
import { useLaneDrag } from './use-lane-drag.ts'

const STILL_MS = 250

const isClipped = (job: Job) => job.warnings.some(({ code }) => code === 'INPUT_CLIPPED')

interface LaneProps {
  readonly layout: LanesLayout
  readonly report: Report
  readonly version: SongVersion | undefined
}

const middleOf = (lane: { top: number; height: number }) => lane.top + lane.height / 2

/** Returns the duration of one step of the version's curves; without curves, that of the song. */
const stepOf = ({ report, version }: LaneProps) => version?.curves?.step_seconds ?? report.source.duration_seconds

/** Everything that does not move while the song plays. */
const Still = memo(function Still(props: LaneProps & { readonly stretches: readonly Stretch[] }) {
  const { layout, report } = props
  const { left, right, ruler, width, height } = layout
  const duration = report.source.duration_seconds
  const { toX } = timeAxis(layout, duration)
  return (
    <>
      {timeTicks(duration, right - left).map((seconds) => (
        <g key={seconds}>
          <line className="g" x1={toX(seconds)} x2={toX(seconds)} y1={ruler} y2={height} />
          <text className="t m" x={toX(seconds)} y={13}>
            {clock(seconds)}
          </text>
        </g>
      ))}
      <OriginalLane {...props} />
      <VersionLane {...props} />
      <LoudnessLane {...props} />
      <ReductionLane {...props} />
      <rect width={width} height={height} fill="none" />
    </>
  )
})

/** Waveform of the original, with marks at full scale. */
function OriginalLane({ layout, report, stretches }: LaneProps & { readonly stretches: readonly Stretch[] }) {
  const { l, format } = useListenWords()
  const { original } = layout
  const { duration_seconds: duration, curves, measurement } = report.source
  const { toX } = timeAxis(layout, duration)
  const middle = middleOf(original)
  return (
    <>
      <Wave side="in" layout={layout} lane={original} peaks={curves.peak_dbfs} steps={duration / curves.step_seconds} />
      <text className="t b" x={12} y={middle - 2}>
        {l.original}
      </text>
      <text className="t" x={12} y={middle + 13}>
        {format.level(measurement.integrated_lufs)} LUFS
      </text>
      {stretches.length > 0 && (
        <text className="t o" x={12} y={middle + 27}>
          {l.timeView.fullScale}
        </text>
      )}
      {stretches.map((stretch) => (
        <path key={stretch.fromSeconds} className="mk" d={markPath(stretch, original.top + 3, toX)}>
          <title>{l.timeView.fullScaleAt(clock(stretch.fromSeconds), clock(stretch.toSeconds))}</title>
        </path>
      ))}
    </>
  )
}

/** Waveform of the version, with its ceiling. */
function VersionLane(props: LaneProps) {
  const { format } = useListenWords()
  const nameOf = useVersionName()
  const { layout, report, version } = props
  const { left, right } = layout
  const result = version?.result
  const ceilingY = result && waveLevelY(result.ceiling_dbtp, layout.version)
  return (
    <>
      {version && version.kind !== 'source' && (
        <>
          {version.curves && (
            <Wave
              side={version.kind === 'reference' ? 'aim' : 'out'}
              layout={layout}
              lane={layout.version}
              peaks={version.curves.peak_dbfs}
              steps={report.source.duration_seconds / stepOf(props)}
            />
          )}
          <text className="t b" x={12} y={middleOf(layout.version) - 2}>
            {nameOf(version)}
          </text>
          <text className="t" x={12} y={middleOf(layout.version) + 13}>
            {format.level(version.level.integratedLufs)} LUFS
          </text>
        </>
      )}
      {result && ceilingY !== undefined && (
        <>
          <path className="l-ceil" d={`M${left} ${ceilingY.toFixed(1)}H${right}`} />
          <text className="t aim" x={right + 7} y={ceilingY + 4}>
            {format.target(result.ceiling_dbtp)} dB
          </text>
        </>
      )}
    </>
  )
}

/** Short-term loudness of the original and of the version, with the target. */
function LoudnessLane(props: LaneProps) {
  const { l, format } = useListenWords()
  const { layout, report, version } = props
  const { left, right, loudness } = layout
  const { duration_seconds: duration, curves } = report.source
  const { toX } = timeAxis(layout, duration)
  const target = version?.result?.target_lufs ?? report.masters[0]?.result.target_lufs ?? -14
  const stepSeconds = stepOf(props)
  // A reference may be longer than the song.
  const levels = version?.curves?.short_term_lufs.slice(0, Math.ceil(duration / stepSeconds)) ?? []
  const scale = loudnessScale([curves.short_term_lufs, levels], target, loudness)
  return (
    <>
      <line className="g2" x1={left} x2={right} y1={loudness.top - 2} y2={loudness.top - 2} />
      {scale.ticks.map((tick) => (
        <g key={tick}>
          <text className="t" x={right + 7} y={scale.toY(tick) + 4}>
            {format.target(tick)}
          </text>
          <line className="g" x1={left} x2={right} y1={scale.toY(tick)} y2={scale.toY(tick)} />
        </g>
      ))}
      <path className="l-aim" d={`M${left} ${scale.toY(target).toFixed(1)}H${right}`} />
      <text className="t aim" x={right + 7} y={scale.toY(target) + 4}>
        {format.target(target)}
      </text>
      <path className="l-in" d={levelPath(curves.short_term_lufs, curves.step_seconds, scale, toX)} />
      {version && version.kind !== 'source' && (
        <path
          className={version.kind === 'reference' ? 'l-ref' : 'l-out'}
          d={levelPath(levels, stepSeconds, scale, toX)}
        />
      )}
      <text className="t b" x={12} y={middleOf(loudness) - 2}>
        {l.timeView.loudness}
      </text>
      <text className="t" x={12} y={middleOf(loudness) + 13}>
        {l.timeView.shortTerm}
      </text>
    </>
  )
}

/** Gain reduction of the version. */
function ReductionLane(props: LaneProps) {
  const { l, format } = useListenWords()
  const { layout, report, version } = props
  const { left, right, height, reduction } = layout
  const reductions = version?.curves?.gain_reduction_db ?? []
  const range = reductionRangeDb(version?.result?.max_gain_reduction_db ?? 0)
  const tick = range > 10 ? 10 : range > 5 ? 6 : 3
  const deepest = Math.abs(version?.result?.max_gain_reduction_db ?? 0)
  const steps = report.source.duration_seconds / stepOf(props)
  return (
    <>
      <line className="g2" x1={left} x2={right} y1={reduction.top} y2={reduction.top} />
      <path className="a-cut" d={reductionPath(reductions, steps, range, reduction, layout)} />
      <text className="t b" x={12} y={middleOf(reduction) - 1}>
        {l.timeView.reduction}
      </text>
      <text className="t" x={12} y={middleOf(reduction) + 13}>
        {l.timeView.most(format.level(deepest > 0 ? -deepest : 0))}
      </text>
      <text className="t" x={right + 7} y={reduction.top + 10}>
        0
      </text>
      <text className="t" x={right + 7} y={Math.min(height - 4, reduction.top + (reduction.height * tick) / range + 4)}>
        {format.target(-tick)}
      </text>
    </>
  )
}

/** One waveform twice: what is still to come, and what has been played, which the playhead uncovers. */
const Wave = memo(function Wave({
  side,
  layout,
  lane,
  peaks,
  steps,
}: {
  side: 'in' | 'out' | 'aim'
  layout: LanesLayout
  lane: { top: number; height: number }
  peaks: readonly (number | null)[]
  steps: number
}) {
  const path = useMemo(() => wavePath(peaks, steps, lane, layout), [peaks, steps, lane, layout])
  return (
    <>
      <path className={`w-${side}-d`} d={path} />
      <path className={`w-${side}`} d={path} clipPath="url(#played)" />
    </>
  )
})

/** Answers the sentence that stands for the picture. */
function useLanesLabel(version: SongVersion | undefined, stretches: readonly Stretch[]): string {
  const { l, format } = useListenWords()
  const nameOf = useVersionName()
  const { source } = useVisit().report
  const parts = [l.timeView.originalAt(format.level(source.measurement.integrated_lufs), stretches.length)]
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

export function TimeLanes() {
  const { l } = useListenWords()
  const { job, report, player } = useVisit()
  const host = useRef<HTMLDivElement>(null)
  const played = useRef<SVGRectElement>(null)
  const head = useRef<HTMLDivElement>(null)
  const [width, height] = useSize(host, [980, 340])
  const layout = useMemo(() => lanesLayout(width, height), [width, height])
  const duration = report.source.duration_seconds
  const axis = useMemo(() => timeAxis(layout, duration), [layout, duration])
  const loop = usePlayer((state) => state.loop)
  const isLooping = usePlayer((state) => state.isLooping)
  const version = usePlayer((state) => {
    // While the original is heard the lane keeps the master it is compared with; a blind test must not be told by it.
    const { blindTest: test } = state
    if (test) return state.versions.find((one) => one.id === (test.b === 'source' ? test.a : test.b))
    const id = state.version === 'source' ? state.lastHeard : state.version
    return state.versions.find((one) => one.id === id)
  })
  const stretches = useMemo(() => {
    const { peak_dbfs, step_seconds } = report.source.curves
    return isClipped(job) ? fullScaleStretches(peak_dbfs, step_seconds) : []
  }, [job, report])
  const label = useLanesLabel(version, stretches)
  const spoken = useRef(-1)

  useFrames(() => {
    const seconds = player.position()
    const x = axis.toX(seconds)
    setAttribute(played.current, 'width', Math.max(0, x - layout.left).toFixed(1))
    const handle = head.current
    if (!handle) return
    handle.style.transform = `translateX(${x.toFixed(1)}px)`
    const whole = Math.floor(seconds)
    if (whole === spoken.current) return
    spoken.current = whole
    handle.setAttribute('aria-valuenow', String(whole))
    handle.setAttribute('aria-valuetext', l.timeView.positionText(clock(seconds), playingTime(duration)))
  }, STILL_MS)

  const drag = useLaneDrag({ player, axis, ruler: layout.ruler, loop })

  return (
    <div ref={host} className="screen lanes" {...drag}>
      <svg className="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
        <defs>
          <clipPath id="played">
            <rect ref={played} x={layout.left} y={0} width={0} height={height} />
          </clipPath>
        </defs>
        <Still layout={layout} report={report} version={version} stretches={stretches} />
        {loop && (
          <g className={isLooping ? 'loop is-on' : 'loop'}>
            <rect
              x={axis.toX(loop.startSeconds)}
              width={Math.max(0, axis.toX(loop.endSeconds) - axis.toX(loop.startSeconds))}
              y={layout.ruler}
              height={height - layout.ruler}
            />
            <path
              d={`M${axis.toX(loop.startSeconds).toFixed(1)} ${layout.ruler}V${height}M${axis.toX(loop.endSeconds).toFixed(1)} ${layout.ruler}V${height}`}
            />
          </g>
        )}
      </svg>
      {/* The keys of the window move it: arrows 5 s, with Shift 1 s. */}
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
    </div>
  )
}
