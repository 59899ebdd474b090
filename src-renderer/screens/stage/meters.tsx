/** Live meters of the version as written: momentary, short-term and integrated loudness, true peak left and right. */

import { useEffect, useMemo, useRef } from 'react'
import { setAttribute, useFrames, useIsStill, useSize } from '../../components/frames.ts'
import {
  LOUDNESS_SCALE,
  loudnessZones,
  type MeterScale,
  type MeterZones,
  meterColumn,
  meterY,
  PEAK_SCALE,
  peakZones,
} from '../../drawing/meters.ts'
import { aimedAt } from '../../playback/state.ts'
import { advancePeak, type PeakBallistics, SILENT_PEAK } from '../../playback/true-peak.ts'
import { useApp } from '../../state/app-state.ts'
import { useHere, useIsHere, useListenWords, useStage } from './context.tsx'

const STILL_MS = 100
const TOP = 24
const GAP = 5
const SCALE_WIDTH = 24
/** Room of the figures below the columns, CSS pixels; in a low picture only the first line. */
const FIGURES = { height: 92, lowHeight: 46, lowBelow: 300 }
const SILENCE = Number.NEGATIVE_INFINITY
/** Time a column stays put without a report: the time view reports every 20 ms. */
const LATE_SECONDS = 0.25

interface Kept {
  momentaryMax: number
  shortTermMax: number
  peaks: [PeakBallistics, PeakBallistics]
}
const nothingKept = (): Kept => ({ momentaryMax: SILENCE, shortTermMax: SILENCE, peaks: [SILENT_PEAK, SILENT_PEAK] })

interface Column {
  readonly name: 'M' | 'S' | 'I' | 'L' | 'R'
  readonly x: number
  readonly scale: MeterScale
  readonly zones: MeterZones
}

/** State of the columns at a moment. */
type Shown = Record<Column['name'], { levelDb: number; heldDb: number; isOver: boolean; printedDb: number }>

/** Last readings of the current version. */
interface Readings {
  readonly loudness: readonly number[]
  peaks: readonly number[]
  readonly id: string
  readonly at: number
}

function columnsOf(barWidth: number, target: number, ceiling: number): Column[] {
  const step = barWidth + GAP
  const first = 10 + SCALE_WIDTH
  const second = first + 3 * step + SCALE_WIDTH
  const loud = (name: 'M' | 'S' | 'I') => ({ name, scale: LOUDNESS_SCALE, zones: loudnessZones(target, name) })
  const peak = { scale: PEAK_SCALE, zones: peakZones(ceiling) }
  return [
    { x: first, ...loud('M') },
    { x: first + step, ...loud('S') },
    { x: first + 2 * step, ...loud('I') },
    { name: 'L', x: second, ...peak },
    { name: 'R', x: second + step, ...peak },
  ]
}

/** Keeps the last readings of the playback engine; peaks are held until they are drawn. */
function useLiveReadings() {
  const { playback } = useApp()
  const live = useRef<Readings>({ loudness: [SILENCE, SILENCE, SILENCE], peaks: [0, 0], id: '', at: 0 })
  useEffect(() => {
    const stop = playback.onReport(({ version: id, loudness, truePeaks }) => {
      const now = live.current
      const isSame = now.id === id
      live.current = {
        id: id ?? '',
        at: performance.now(),
        loudness: (id && loudness[id]) || [SILENCE, SILENCE, SILENCE],
        peaks: [0, 1].map((side) => Math.max(isSame ? (now.peaks[side] ?? 0) : 0, truePeaks[side] ?? 0)),
      }
    })
    return () => void stop()
  }, [playback])
  return live
}

/** Returns the held values after `seconds`, with new readings. */
function advance(
  before: Kept,
  { loudness, peaks }: Readings,
  { seconds, isLate, isStill }: { seconds: number; isLate: boolean; isStill: boolean },
): Kept {
  const [momentary = SILENCE, shortTerm = SILENCE] = loudness
  const decibels = (side: number) => (isLate ? SILENCE : 20 * Math.log10(peaks[side] ?? 0))
  const [left, right] = before.peaks
  return {
    momentaryMax: Math.max(before.momentaryMax, momentary),
    shortTermMax: Math.max(before.shortTermMax, shortTerm),
    peaks: [advancePeak(left, decibels(0), seconds, !isStill), advancePeak(right, decibels(1), seconds, !isStill)],
  }
}

/** Returns the state of every column. */
function shownOf(loudness: readonly number[], kept: Kept, columns: readonly Column[]): Shown {
  const [m = SILENCE, s = SILENCE, i = SILENCE] = loudness
  const isOver = (levelDb: number, name: Column['name']) =>
    levelDb > (columns.find((one) => one.name === name)?.zones.overDb ?? Number.POSITIVE_INFINITY)
  const side = (peak: PeakBallistics, name: 'L' | 'R') => ({
    levelDb: peak.shownDb,
    heldDb: peak.heldDb,
    printedDb: peak.maximumDb,
    isOver: isOver(peak.maximumDb, name),
  })
  const loud = (levelDb: number, heldDb: number, name: 'M' | 'S' | 'I') => ({
    levelDb,
    heldDb,
    printedDb: levelDb,
    isOver: isOver(Math.max(levelDb, heldDb), name),
  })
  return {
    M: loud(m, kept.momentaryMax, 'M'),
    S: loud(s, kept.shortTermMax, 'S'),
    I: loud(i, SILENCE, 'I'),
    L: side(kept.peaks[0], 'L'),
    R: side(kept.peaks[1], 'R'),
  }
}

export function Meters() {
  const { l, format } = useListenWords()
  const { audition, facts } = useStage()
  const isHere = useIsHere()
  const isStill = useIsStill()
  const host = useRef<HTMLDivElement>(null)
  const picture = useRef<SVGSVGElement>(null)
  const [width, height] = useSize(host, [214, 340])
  const isBlind = useHere((state) => state.blindTest !== null)
  const result = useHere(aimedAt) ?? audition?.result
  const target = result?.target_lufs ?? facts.targetLufs
  const ceiling = result?.ceiling_dbtp ?? -1
  const isLow = height < FIGURES.lowBelow
  const bottom = height - (isLow ? FIGURES.lowHeight : FIGURES.height)
  const barWidth = Math.max(8, Math.floor((width - 20 - SCALE_WIDTH * 2 - GAP * 3) / 5))

  const columns = useMemo(() => columnsOf(barWidth, target, ceiling), [barWidth, target, ceiling])
  const kept = useRef(new Map<string, Kept>())
  const live = useLiveReadings()
  const lastDraw = useRef(0)
  const lastText = useRef(0)
  useFrames((now) => {
    const svg = picture.current
    if (!svg) return
    const seconds = Math.min(0.2, (now - lastDraw.current) / 1000)
    lastDraw.current = now
    const news = live.current
    const isLate = !isHere || now - news.at > LATE_SECONDS * 1000
    const before = kept.current.get(news.id) ?? nothingKept()
    const after = advance(before, news, { seconds, isLate, isStill })
    news.peaks = [0, 0]
    kept.current.set(news.id, after)
    const shown = shownOf(isHere ? news.loudness : [], after, columns)
    const print = (db: number) => (db > -90 ? format.level(db) : l.meters.silence)
    const isTextDue = now - lastText.current >= STILL_MS
    // The numbers change ten times a second to stay legible.
    if (isTextDue) lastText.current = now
    for (const column of columns) draw(svg, column, shown[column.name], bottom)
    if (isTextDue && !isBlind) {
      const { M, S, I, L, R } = shown
      const figures = { I: I.printedDb, S: S.printedDb, peak: Math.max(L.printedDb, R.printedDb) }
      for (const [name, db] of Object.entries(figures)) setText(svg.querySelector(`[data-figure="${name}"]`), print(db))
      setAttribute(
        svg,
        'aria-label',
        l.meters.label(print(M.levelDb), print(S.levelDb), print(I.levelDb), print(L.printedDb), print(R.printedDb)),
      )
    }
  }, STILL_MS)

  const loudnessX = columns[0]?.x ?? 0
  const peakX = columns[3]?.x ?? 0
  const span = (from: number, count: number) => `M${from - 3} 0H${from + count * (barWidth + GAP) - GAP + 3}`
  return (
    <div ref={host} className={`screen meters ${isBlind ? 'is-blind' : ''}`}>
      {isBlind ? (
        <p className="dim">{l.meters.hidden}</p>
      ) : (
        <>
          <svg ref={picture} className="plot" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={l.meters.clear}>
            <defs>
              <pattern id="over-hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
                <rect width="5" height="5" className="hatch-ground" />
                <rect width="2" height="5" className="hatch-line" />
              </pattern>
            </defs>
            <Ticks
              levels={[0, -6, -12, -18, -24, -30]}
              scale={LOUDNESS_SCALE}
              aimDb={target}
              x={loudnessX - 6}
              bottom={bottom}
            />
            <Ticks levels={[3, 0, -6, -12, -18]} scale={PEAK_SCALE} aimDb={ceiling} x={peakX - 6} bottom={bottom} />
            {columns.map((column) => (
              <ColumnView key={column.name} column={column} width={barWidth} bottom={bottom} />
            ))}
            <path
              className="l-aim"
              d={span(loudnessX, 3)}
              transform={`translate(0 ${meterY(target, LOUDNESS_SCALE, TOP, bottom)})`}
            />
            <path
              className="l-aim"
              d={span(peakX, 2)}
              transform={`translate(0 ${meterY(ceiling, PEAK_SCALE, TOP, bottom)})`}
            />
            <Figures isLow={isLow} width={width} top={bottom + 8} />
          </svg>
          <button
            type="button"
            className="clear"
            aria-label={l.meters.clear}
            title={l.meters.clear}
            onClick={() => kept.current.clear()}
          />
        </>
      )}
    </div>
  )
}

/** A column; `draw` moves its parts. */
function ColumnView(props: { column: Column; width: number; bottom: number }) {
  const { l } = useListenWords()
  const { width, bottom } = props
  const { name, x } = props.column
  return (
    <g data-column={name}>
      <rect className="track" x={x} y={TOP} width={width} height={bottom - TOP} />
      <rect data-part="under" className="under" x={x} width={width} />
      <rect data-part="near" className="near" x={x} width={width} />
      <rect data-part="over" className="over" x={x} width={width} />
      <rect data-part="held" className="held" x={x} width={width} height={2} />
      <text data-part="name" className="t m" x={x + width / 2} y={14}>
        {name}
      </text>
      <text data-part="flag" className="t m o flag" x={x + width / 2} y={14}>
        {l.meters.over}
      </text>
    </g>
  )
}

/** Integrated loudness in large, short-term loudness and the highest true peak below it where there is room. */
function Figures({ isLow, width, top }: { isLow: boolean; width: number; top: number }) {
  const { l } = useListenWords()
  const rows = [
    { name: 'S', label: l.meters.shortTerm, unit: l.lufs },
    { name: 'peak', label: l.meters.peak, unit: l.dbtp },
  ]
  return (
    <>
      <path className="edge" d={`M0 ${top}H${width}`} />
      <text data-figure="I" className="t figure" x={12} y={top + 28}>
        {l.meters.silence}
      </text>
      <text className="t e" x={width - 12} y={top + 27}>
        {l.lufs}-I
      </text>
      {!isLow &&
        rows.map(({ name, label, unit }, row) => {
          const y = top + 51 + 20 * row
          return (
            <g key={name}>
              <text className="t" x={12} y={y}>
                {label}
              </text>
              <text data-figure={name} className="t e b" x={width - 46} y={y}>
                {l.meters.silence}
              </text>
              <text className="t" x={width - 42} y={y}>
                {unit}
              </text>
            </g>
          )
        })}
    </>
  )
}

/** Numbers next to the columns; a number that the target marker would cover is hidden. */
function Ticks(props: { levels: readonly number[]; scale: MeterScale; aimDb: number; x: number; bottom: number }) {
  const { format } = useListenWords()
  const { levels, scale, aimDb, x, bottom } = props
  const y = (db: number) => meterY(db, scale, TOP, bottom)
  return (
    <>
      {levels
        .filter((db) => Math.abs(y(db) - y(aimDb)) > 11)
        .map((db) => (
          <text key={db} className="t e" x={x} y={y(db) + 4}>
            {scale === PEAK_SCALE ? format.signed(db) : format.target(db)}
          </text>
        ))}
      <text className="t e aim" x={x} y={y(aimDb) + 4}>
        {format.target(aimDb)}
      </text>
    </>
  )
}

function setText(element: Element | null, text: string) {
  if (element && element.textContent !== text) element.textContent = text
}

/** Moves the parts of a column. */
function draw(
  svg: SVGSVGElement,
  { name, scale, zones }: Column,
  { levelDb, heldDb, isOver }: Shown[Column['name']],
  bottom: number,
) {
  const group = svg.querySelector(`[data-column="${name}"]`)
  if (!group) return
  const part = (of: string) => group.querySelector(`[data-part="${of}"]`)
  const column = meterColumn(levelDb, zones, scale, TOP, bottom)
  for (const zone of ['under', 'near', 'over'] as const) {
    setAttribute(part(zone), 'y', column[zone].y.toFixed(1))
    setAttribute(part(zone), 'height', column[zone].height.toFixed(1))
  }
  setAttribute(part('held'), 'y', meterY(heldDb, scale, TOP, bottom).toFixed(1))
  setAttribute(part('held'), 'visibility', heldDb > scale.bottomDb ? 'visible' : 'hidden')
  setAttribute(part('flag'), 'visibility', isOver ? 'visible' : 'hidden')
  setAttribute(part('name'), 'visibility', isOver ? 'hidden' : 'visible')
}
