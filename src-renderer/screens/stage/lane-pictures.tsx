/** Static pictures of the time lanes: ruler, waveforms, loudness and gain reduction, in the lanes' view. */
import { memo, useMemo } from 'react'
import { clock, clockTenths } from '../../../src-contract/text/numbers.ts'
import {
  type LanesLayout,
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
import type { PlaybackVersion } from '../../playback/state.ts'
import type { StageFacts } from '../../state/stage-facts.ts'
import type { TimeView } from '../../state/time-view.ts'
import { useListenWords, useVersionName } from './context.tsx'

type Peaks = readonly (number | null)[]

interface LaneProps {
  readonly layout: LanesLayout
  readonly facts: StageFacts
  readonly version: PlaybackVersion | undefined
  /** The part of the song that is shown. */
  readonly view: TimeView
  /** Peaks of each column of the view, where the curves are coarser; null while they are loading. */
  readonly originalPeaks: Peaks | null
  readonly versionPeaks: Peaks | null
}

const middleOf = (lane: { top: number; height: number }) => lane.top + lane.height / 2

/** Returns the duration of one step of the version's curves; without curves, the duration of the song. */
const stepOf = ({ facts, version }: LaneProps) => version?.curves?.step_seconds ?? facts.durationSeconds

/** Returns the visible part of a curve, in its steps. */
const stepsIn = ({ startSeconds, endSeconds }: TimeView, stepSeconds: number) => ({
  from: startSeconds / stepSeconds,
  to: endSeconds / stepSeconds,
})

/** Everything that stays still during playback. */
export const Still = memo(function Still(props: LaneProps & { readonly stretches: readonly Stretch[] }) {
  const { layout, view } = props
  const { left, right, ruler, width, height } = layout
  const { toX } = timeAxis(layout, view)
  const ticks = timeTicks(view.startSeconds, view.endSeconds, right - left)
  const print = ticks.every(Number.isInteger) ? clock : clockTenths
  return (
    <>
      {ticks.map((seconds) => (
        <g key={seconds}>
          <line className="g" x1={toX(seconds)} x2={toX(seconds)} y1={ruler} y2={height} />
          <text className="t m" x={toX(seconds)} y={13}>
            {print(seconds)}
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
function OriginalLane({
  layout,
  facts,
  view,
  originalPeaks,
  stretches,
}: LaneProps & { readonly stretches: readonly Stretch[] }) {
  const { l, format } = useListenWords()
  const { original } = layout
  const { curves, sourceLufs } = facts
  const { toX } = timeAxis(layout, view)
  const middle = middleOf(original)
  return (
    <>
      <Wave
        side="in"
        layout={layout}
        lane={original}
        view={view}
        peaks={curves.peak_dbfs}
        stepSeconds={curves.step_seconds}
        finePeaks={originalPeaks}
      />
      <text className="t b" x={12} y={middle - 2}>
        {l.original}
      </text>
      <text className="t" x={12} y={middle + 13}>
        {format.level(sourceLufs)} LUFS
      </text>
      {stretches.length > 0 && (
        <text className="t o" x={12} y={middle + 27}>
          {l.timeView.fullScale}
        </text>
      )}
      <g clipPath="url(#view)">
        {stretches.map((stretch) => (
          <path key={stretch.fromSeconds} className="mk" d={markPath(stretch, original.top + 3, toX)}>
            <title>{l.timeView.fullScaleAt(clock(stretch.fromSeconds), clock(stretch.toSeconds))}</title>
          </path>
        ))}
      </g>
    </>
  )
}

/** Waveform of the version, with its ceiling. */
function VersionLane(props: LaneProps) {
  const { format } = useListenWords()
  const nameOf = useVersionName()
  const { layout, version } = props
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
              view={props.view}
              peaks={version.curves.peak_dbfs}
              stepSeconds={stepOf(props)}
              finePeaks={props.versionPeaks}
            />
          )}
          <text className="t b" x={12} y={middleOf(layout.version) - 2}>
            {nameOf(version)}
            {version.kind === 'audition' && !version.isExact && ' ≈'}
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
  const { layout, facts, version } = props
  const { left, right, loudness } = layout
  const { curves } = facts
  const { toX } = timeAxis(layout, props.view)
  const target = version?.result?.target_lufs ?? facts.targetLufs
  const stepSeconds = stepOf(props)
  // A reference may be longer than the song.
  const levels = version?.curves?.short_term_lufs.slice(0, Math.ceil(facts.durationSeconds / stepSeconds)) ?? []
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
      <g clipPath="url(#view)">
        <path className="l-in" d={levelPath(curves.short_term_lufs, curves.step_seconds, scale, toX)} />
        {version && version.kind !== 'source' && (
          <path
            className={version.kind === 'reference' ? 'l-ref' : 'l-out'}
            d={levelPath(levels, stepSeconds, scale, toX)}
          />
        )}
      </g>
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
  const { layout, version, view } = props
  const { left, right, height, reduction } = layout
  const reductions = version?.curves?.gain_reduction_db ?? []
  const range = reductionRangeDb(version?.result?.max_gain_reduction_db ?? 0)
  const tick = range > 10 ? 10 : range > 5 ? 6 : 3
  const deepest = Math.abs(version?.result?.max_gain_reduction_db ?? 0)
  const steps = stepsIn(view, stepOf(props))
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

interface WaveProps {
  readonly side: 'in' | 'out' | 'aim'
  readonly layout: LanesLayout
  readonly lane: { readonly top: number; readonly height: number }
  readonly view: TimeView
  readonly peaks: Peaks
  readonly stepSeconds: number
  readonly finePeaks: Peaks | null
}

/** One waveform drawn twice: the part to come, and the played part, which the playhead uncovers. */
const Wave = memo(function Wave({ side, layout, lane, view, peaks, stepSeconds, finePeaks }: WaveProps) {
  const path = useMemo(() => {
    if (finePeaks) return wavePath(finePeaks, { from: 0, to: finePeaks.length }, lane, layout)
    return wavePath(peaks, stepsIn(view, stepSeconds), lane, layout)
  }, [finePeaks, peaks, view, stepSeconds, lane, layout])
  return (
    <>
      <path className={`w-${side}-d`} data-resolved={finePeaks !== null} d={path} />
      <path className={`w-${side}`} d={path} clipPath="url(#played)" />
    </>
  )
})
