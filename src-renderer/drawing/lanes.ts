/** The lanes of the Listen screen: where each lies, its axes, and its curve as a path. Pure. */
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

/** Returns where everything lies in a time view of `width` by `height`. */
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

/** Returns the pixel of a moment, also outside the view, and the moment of a pixel held inside the view. */
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

/** Returns the moments of the ruler, at round steps that leave room for their labels. */
export function timeTicks(startSeconds: number, endSeconds: number, widthPx: number): number[] {
  const least = (LEAST_TICK_PX / Math.max(1, widthPx)) * (endSeconds - startSeconds)
  const step = STEPS.find((one) => one >= least) ?? 600
  const first = Math.ceil(startSeconds / step)
  const count = Math.max(0, Math.floor(endSeconds / step) - first + 1)
  return Array.from({ length: count }, (_, i) => (first + i) * step)
}

const magnitude = (levelDb: number) => Math.min(1, 10 ** (levelDb / 20))
/** Margin above and below a wave. */
const MARGIN = 2

/** Returns a mirrored waveform, one column per pixel, from the peaks in dBFS over equal times that lie on the time axis. */
export function wavePath(
  peaksDbfs: readonly (number | null)[],
  steps: Steps,
  lane: Lane,
  { left, right }: LanesLayout,
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

/** Returns the height at which a level stands in a wave's upper half. */
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
 * Returns the scale of the loudness lane: it holds the target and nine tenths of every curve, on even steps of 6 LU, and is
 * never narrower than 18 LU. Without any level: −30 to −6.
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
 * Returns a level over time as a line; what is below the scale runs along its bottom, silence breaks it. Each value stands at the end of
 * its step, where the 3 s end that it is the loudness of.
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

/** Deepest gain reduction that the lane shows at least, dB. */
const LEAST_REDUCTION_DB = 4

/** Returns how many dB the reduction lane is high: a little more than the deepest, at least 4. */
export function reductionRangeDb(deepestDb: number): number {
  return Math.max(LEAST_REDUCTION_DB, Math.ceil(Math.abs(deepestDb) + 0.5))
}

/** Returns the gain reduction on the time axis as an area that hangs from the top of its lane. Signs do not matter. */
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

/** Peaks from here on have no room above them: the file is at full scale. */
const FULL_SCALE_DBFS = -0.1
const SAME_PLACE_SECONDS = 1

/** A part of a song, from its first to its last moment. */
export interface Stretch {
  readonly fromSeconds: number
  readonly toSeconds: number
}

/**
 * Returns where a peak curve, whose values are those of whole steps, stands at full scale, as exactly as its step allows; what is less than a second apart is one
 * stretch. It is where clipping can be, not where it is: a report has no times of the flat tops that were rebuilt.
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

/** Half of the width that a mark has at least, and its height, px. */
const MARK_REACH = 4

/** Returns the mark over a stretch: a triangle that points at a moment, drawn out to a bar where it lasts. */
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
