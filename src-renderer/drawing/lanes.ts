/** The lanes of the stage: layout, axes and curves as paths. Pure. */

import { dbToGain } from '../../src-engine/dsp/units.ts'
import { bandPath, columnMaxima, linePath, type Steps } from './paths.ts'

export interface Lane {
  readonly top: number
  readonly height: number
}

export interface LanesLayout {
  readonly width: number
  readonly height: number
  /** First and last pixel of the time axis. */
  readonly left: number
  readonly right: number
  readonly ruler: number
  readonly original: Lane
  readonly version: Lane
  readonly loudness: Lane
  readonly reduction: Lane
}

const LABELS = 74
const NUMBERS = 46
const RULER = 20
const GAPS = 24

/** Returns the layout of a time view of `width` by `height`. */
export function lanesLayout(width: number, height: number): LanesLayout {
  const unit = Math.max(0.5, (height - RULER - GAPS) / 100)
  const wave = 28 * unit
  const first = RULER + 4
  const second = first + wave + 4
  const third = second + wave + 6
  return {
    width,
    height,
    left: LABELS,
    right: Math.max(LABELS + 1, width - NUMBERS),
    ruler: RULER,
    original: { top: first, height: wave },
    version: { top: second, height: wave },
    loudness: { top: third, height: wave },
    reduction: { top: third + wave + 8, height: Math.max(1, 16 * unit - 6) },
  }
}

/** Returns the pixel of a time, also outside the view, and the time of a pixel clamped to the view. */
export function timeAxis(
  { left, right }: Pick<LanesLayout, 'left' | 'right'>,
  { startSeconds, endSeconds }: { readonly startSeconds: number; readonly endSeconds: number },
) {
  const width = right - left
  const length = Math.max(endSeconds - startSeconds, 1e-3)
  return {
    toX: (seconds: number) => left + ((seconds - startSeconds) / length) * width,
    toSeconds: (x: number) => startSeconds + Math.max(0, Math.min(1, (x - left) / width)) * length,
  }
}

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120, 300]
const LEAST_TICK_PX = 50

/** Returns the times of the ruler, at round steps that leave room for their labels. */
export function timeTicks(startSeconds: number, endSeconds: number, widthPx: number): number[] {
  const least = (LEAST_TICK_PX / Math.max(1, widthPx)) * (endSeconds - startSeconds)
  const step = STEPS.find((one) => one >= least) ?? 600
  const first = Math.ceil(startSeconds / step)
  const count = Math.max(0, Math.floor(endSeconds / step) - first + 1)
  return Array.from({ length: count }, (_, i) => (first + i) * step)
}

const magnitude = (levelDb: number) => Math.min(1, dbToGain(levelDb))
/** Margin above and below a wave. */
const MARGIN = 2

/** Returns a mirrored waveform, one column per pixel, from the peaks in dBFS over equal times on the time axis. */
export function wavePath(
  peaksDbfs: readonly (number | null)[],
  steps: Steps,
  lane: Lane,
  { left, right }: Pick<LanesLayout, 'left' | 'right'>,
): string {
  const middle = lane.top + lane.height / 2
  const reach = lane.height / 2 - MARGIN
  const columns = columnMaxima(peaksDbfs, Math.floor(right - left), steps).map((level) =>
    Math.max(0.5, magnitude(level) * reach),
  )
  return bandPath(
    left,
    columns.map((value) => middle - value),
    columns.map((value) => middle + value),
  )
}

/** Returns the y of a level in a wave's upper half. */
export function waveLevelY(levelDb: number, lane: Lane): number {
  return lane.top + lane.height / 2 - magnitude(levelDb) * (lane.height / 2 - MARGIN)
}

export interface LevelScale {
  readonly topDb: number
  readonly bottomDb: number
  readonly toY: (levelDb: number) => number
  readonly ticks: readonly number[]
}

/**
 * Returns the scale of the loudness lane: it contains the target and nine tenths of every curve, in even steps of 6 LU,
 * and spans at least 18 LU. Without any level: −30 to −6.
 */
export function loudnessScale(
  series: readonly (readonly (number | null)[])[],
  targetLufs: number,
  lane: Lane,
): LevelScale {
  const levels = series.flatMap((one) => one.filter((value): value is number => value !== null && value > -70))
  const sorted = levels.toSorted((a, b) => a - b)
  const low = sorted[Math.floor(sorted.length * 0.08)] ?? -30
  const high = sorted.at(-1) ?? -6
  const topDb = Math.ceil(Math.max(high, targetLufs + 1) + 1)
  const bottomDb = Math.min(Math.floor(Math.min(low, targetLufs - 4)) - 1, topDb - 18)
  const toY = (levelDb: number) => {
    const place = (topDb - Math.max(bottomDb, Math.min(topDb, levelDb))) / (topDb - bottomDb)
    return lane.top + place * lane.height
  }
  const ticks: number[] = []
  for (let tick = Math.floor(topDb / 6) * 6; tick > bottomDb + 1; tick -= 6) {
    if (Math.abs(toY(tick) - toY(targetLufs)) > 13 && toY(tick) - lane.top > 8) ticks.push(tick)
  }
  return { topDb, bottomDb, toY, ticks }
}

/**
 * Returns a level over time as a line, clamped to the bottom of the scale and broken by silence. Each value is drawn at
 * the end of its step, which is the end of its 3 s window.
 */
export function levelPath(
  series: readonly (number | null)[],
  stepSeconds: number,
  scale: LevelScale,
  toX: (seconds: number) => number,
): string {
  return linePath(
    series.map((value, i) => (value === null ? null : { x: toX((i + 1) * stepSeconds), y: scale.toY(value) })),
  )
}

/** Smallest range of the lane, dB. */
const LEAST_REDUCTION_DB = 4

/** Returns the range of the reduction lane, dB: a little more than the deepest reduction, at least 4. */
export function reductionRangeDb(deepestDb: number): number {
  return Math.max(LEAST_REDUCTION_DB, Math.ceil(Math.abs(deepestDb) + 0.5))
}

/** Returns the gain reduction on the time axis as an area hanging from the top of its lane. Signs are ignored. */
export function reductionPath(
  series: readonly (number | null)[],
  steps: Steps,
  rangeDb: number,
  lane: Lane,
  { left, right }: LanesLayout,
): string {
  const depths = columnMaxima(
    series.map((value) => Math.abs(value ?? 0)),
    Math.floor(right - left),
    steps,
  ).map((depth) => lane.top + (Math.max(0, Math.min(rangeDb, depth)) / rangeDb) * lane.height)
  return bandPath(
    left,
    depths.map(() => lane.top),
    depths,
  )
}

/** Peaks from here up have no headroom: the file is at full scale. */
const FULL_SCALE_DBFS = -0.1
const SAME_PLACE_SECONDS = 1

/** A part of a song, from its first to its last moment. */
export interface Stretch {
  readonly fromSeconds: number
  readonly toSeconds: number
}

/**
 * Returns the stretches where a peak curve, with one value per step, reaches full scale, to the accuracy of a step;
 * gaps of at most a second are closed. It marks possible clipping: a report has no times of the rebuilt flat tops.
 */
export function fullScaleStretches(peaksDbfs: readonly (number | null)[], stepSeconds: number): Stretch[] {
  const stretches: Stretch[] = []
  peaksDbfs.forEach((peak, i) => {
    if (peak === null || peak < FULL_SCALE_DBFS) return
    const [fromSeconds, toSeconds] = [i * stepSeconds, (i + 1) * stepSeconds]
    const last = stretches.at(-1)
    if (last && fromSeconds - last.toSeconds <= SAME_PLACE_SECONDS) stretches.splice(-1, 1, { ...last, toSeconds })
    else stretches.push({ fromSeconds, toSeconds })
  })
  return stretches
}

/** Least half-width of a mark, and its height, px. */
const MARK_REACH = 4

/** Returns the mark of a stretch: a triangle that points at a moment, extended to a bar for its duration. */
export function markPath(
  { fromSeconds, toSeconds }: Stretch,
  bottom: number,
  toX: (seconds: number) => number,
): string {
  const [from, to] = [toX(fromSeconds), toX(toSeconds)]
  const top = bottom - 6
  if (to - from < 2 * MARK_REACH) return `M${((from + to) / 2 - MARK_REACH).toFixed(1)} ${top}h8l-4 6z`
  return `M${from.toFixed(1)} ${top}H${to.toFixed(1)}v3H${from.toFixed(1)}z`
}
