/** The plots of report.html as inline SVG: pure drawing; colours are classes, so the page's theme sets them. */
import type { Report, Spectrum } from '../../../src-contract/report.ts'
import { decibels } from '../../../src-contract/text/numbers.ts'

type TimeCurves = Report['source']['curves']

const WIDTH = 960
const LEFT = 112
const RIGHT = 56
const INNER = WIDTH - LEFT - RIGHT

/** A horizontal band of a plot with its own vertical scale: `top` value at y, `bottom` value at y + height. */
interface Lane {
  readonly y: number
  readonly height: number
  readonly top: number
  readonly bottom: number
}

type Value = number | null

/** Data of the plot over time: the source against one master. */
export interface TimePlot {
  readonly durationSeconds: number
  readonly source: TimeCurves
  readonly master: TimeCurves
  readonly targetLufs: number
  readonly ceilingDbtp: number
}

/** Labels from the caller: HTML-safe text in both languages. */
export interface TimeLabels {
  readonly loudness: string
  readonly peak: string
  readonly reduction: string
  readonly correlation: string
}

/** Returns an SVG with four lanes over one clock: loudness, peaks, gain reduction (hanging from the top) and correlation. */
export function timePlot(plot: TimePlot, labels: TimeLabels): string {
  const loudness = laneFor(loudnessScale(plot), 24, 150)
  const peaks: Lane = { y: 200, height: 78, top: 3, bottom: -30 }
  const reductions = plot.master.gain_reduction_db ?? []
  const deepest = Math.max(3, ...reductions.map((value) => Math.abs(value ?? 0)))
  const reduction: Lane = { y: 304, height: 62, top: 0, bottom: -Math.ceil(deepest / 3) * 3 }
  const correlation: Lane = { y: 392, height: 62, top: 1, bottom: -1 }
  const { durationSeconds } = plot
  const curve = (lane: Lane, { step_seconds, short_term_lufs }: TimeCurves, name: string) =>
    linePath(lane, timeXs(short_term_lufs.length, step_seconds, durationSeconds, 1), short_term_lufs, name)
  const stereo = (curves: TimeCurves, name: string) => {
    const heard = (curves.correlation ?? []).map((value, i) => (isSilent(curves.peak_dbfs[i]) ? null : value))
    return linePath(correlation, timeXs(heard.length, curves.step_seconds, durationSeconds, 0.5), heard, name)
  }
  return svg(
    470,
    timeGrid(plot.durationSeconds, 454),
    laneFrame(loudness, labels.loudness, 'LUFS', scaleTicks(loudness, 6)),
    curve(loudness, plot.source, 'in'),
    curve(loudness, plot.master, 'out'),
    aimLine(loudness, plot.targetLufs),
    laneFrame(peaks, labels.peak, 'dB', [0, -12, -24]),
    areaPath(peaks, plot.source.step_seconds, plot.durationSeconds, plot.source.peak_dbfs, 'in-fill', peaks.bottom),
    areaPath(peaks, plot.master.step_seconds, plot.durationSeconds, plot.master.peak_dbfs, 'out-fill', peaks.bottom),
    aimLine(peaks, plot.ceilingDbtp),
    laneFrame(reduction, labels.reduction, 'dB', [0, reduction.bottom]),
    areaPath(
      reduction,
      plot.master.step_seconds,
      plot.durationSeconds,
      reductions.map((value) => -Math.abs(value ?? 0)),
      'cut-fill',
      0,
    ),
    laneFrame(correlation, labels.correlation, '', [1, 0, -1]),
    stereo(plot.source, 'in thin'),
    stereo(plot.master, 'out thin'),
  )
}

/** Peaks of dither stay below this, dBFS: the correlation of silent channels means nothing. */
const SILENT_DBFS = -66

const isSilent = (peakDbfs: Value | undefined) => typeof peakDbfs !== 'number' || peakDbfs < SILENT_DBFS

/** 27 LU that hold the target and most of both curves. */
function loudnessScale(plot: TimePlot): readonly [top: number, bottom: number] {
  const values = [...plot.source.short_term_lufs, ...plot.master.short_term_lufs].filter((value) => value !== null)
  const loudest = Math.max(plot.targetLufs, ...values)
  const top = Math.ceil((loudest + 1) / 3) * 3
  return [top, top - 27]
}

function laneFor([top, bottom]: readonly [number, number], y: number, height: number): Lane {
  return { y, height, top, bottom }
}

function scaleTicks(lane: Lane, step: number): number[] {
  const ticks: number[] = []
  for (let value = Math.floor(lane.top / step) * step; value >= lane.bottom; value -= step) ticks.push(value)
  return ticks
}

/**
 * Data of the spectrum plot. A change of level is no change of tone, so master and target are aligned with the source by
 * {@link levelBetweenDb}: all must have levels in the same bands.
 */
export interface SpectrumPlot {
  readonly source: Spectrum
  readonly master: Spectrum
  readonly target?: Spectrum | undefined
}

const LOWEST_HZ = 22
const HIGHEST_HZ = 20_000
/** Third-octave levels of a signal rise by 3 dB per octave against its density, which music lets fall by 4.5. */
const TILT_DB_PER_OCTAVE = 4.5 - 3

/** Range where the ear judges tone, Hz: between rumble and the artefacts of codecs. */
const JUDGED_HZ = [60, 14_000] as const

/** Returns the level change of each band where the ear judges tone, `other` less `source`, dB; bands missing in either are left out. */
export function bandChanges(
  source: Spectrum,
  other: Spectrum,
): { readonly bandHz: number; readonly changeDb: number }[] {
  return other.band_hz.flatMap((bandHz, i) => {
    const [from, to] = [source.mid_db[i] ?? null, other.mid_db[i] ?? null]
    const isJudged = bandHz >= JUDGED_HZ[0] && bandHz <= JUDGED_HZ[1]
    return !isJudged || from === null || to === null ? [] : [{ bandHz, changeDb: to - from }]
  })
}

/** Returns the overall level of `other` above `source`, dB: the median of the {@link bandChanges}; 0 without bands. */
export function levelBetweenDb(source: Spectrum, other: Spectrum): number {
  const sorted = bandChanges(source, other)
    .map(({ changeDb }) => changeDb)
    .sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}

/** Returns an SVG with the long-term spectra, tilted so music, which falls by 4.5 dB per octave of density, is level. */
export function spectrumPlot(plot: SpectrumPlot, label: string): string {
  const sourceDb = meanOfJudged(plot.source.band_hz, tilted(plot.source))
  const curves = [
    { spectrum: plot.source, name: 'in' },
    { spectrum: plot.master, name: 'out' },
    ...(plot.target ? [{ spectrum: plot.target, name: 'aim' }] : []),
  ].map(({ spectrum, name }) => {
    const levelDb = sourceDb + levelBetweenDb(plot.source, spectrum)
    return { hz: spectrum.band_hz, levels: tilted(spectrum).map((db) => (db === null ? null : db - levelDb)), name }
  })
  const all = curves.flatMap(({ levels }) => levels).filter((level) => level !== null)
  const top = Math.ceil((Math.max(6, ...all) + 1) / 6) * 6
  const lane: Lane = { y: 12, height: 268, top, bottom: top - 42 }
  const decades = [50, 100, 200, 500, 1000, 2000, 5000, 10_000]
  const grid = decades.map((hz) => {
    const x = round(frequencyX(hz))
    const text = hz >= 1000 ? `${hz / 1000}k` : String(hz)
    return `<path class="grid" d="M${x} 12V280"/><text class="tick mid" x="${x}" y="298">${text}</text>`
  })
  const lines = curves.map(({ hz, levels, name }) => {
    const xs = hz.map(frequencyX)
    const areas = stretches(xs, levels).map((part) => closedPath(lane, part.xs, part.values, lane.bottom))
    const area = name === 'out' && areas.length > 0 ? `<path class="out-area" d="${areas.join('')}"/>` : ''
    return area + linePath(lane, xs, levels, name)
  })
  return svg(306, ...grid, laneFrame(lane, label, 'dB', scaleTicks(lane, 12)), ...lines)
}

function tilted({ band_hz, mid_db }: Spectrum): Value[] {
  return mid_db.map((level, i) => (level === null ? null : level + TILT_DB_PER_OCTAVE * Math.log2(band_hz[i]! / 1000)))
}

function meanOfJudged(bandHz: readonly number[], levels: readonly Value[]): number {
  const judged = levels.filter((level, i) => level !== null && bandHz[i]! >= JUDGED_HZ[0] && bandHz[i]! <= JUDGED_HZ[1])
  return judged.reduce<number>((sum, level) => sum + level!, 0) / Math.max(1, judged.length)
}

function frequencyX(hz: number): number {
  return LEFT + (INNER * Math.log(hz / LOWEST_HZ)) / Math.log(HIGHEST_HZ / LOWEST_HZ)
}

function svg(height: number, ...parts: string[]): string {
  return `<svg viewBox="0 0 ${WIDTH} ${height}" aria-hidden="true" focusable="false">${parts.join('')}</svg>`
}

function laneFrame(lane: Lane, label: string, unit: string, ticks: readonly number[]): string {
  const marks = ticks.map((value) => {
    const y = round(yOf(lane, value))
    const line = `<path class="${value === 0 ? 'grid strong' : 'grid'}" d="M${LEFT} ${y}H${WIDTH - RIGHT}"/>`
    return `${line}<text class="tick" x="${LEFT - 10}" y="${y + 4}">${decibels(value, 0)}</text>`
  })
  const unitText = unit ? `<text class="unit" x="0" y="${lane.y + 28}">${unit}</text>` : ''
  return `<text class="lane" x="0" y="${lane.y + 12}">${label}</text>${unitText}${marks.join('')}`
}

function aimLine(lane: Lane, value: number): string {
  const y = round(yOf(lane, value))
  const text = `<text class="aim-text" x="${WIDTH - RIGHT + 8}" y="${y + 4}">${decibels(value, value % 1 === 0 ? 0 : 1)}</text>`
  return `<path class="aim" d="M${LEFT} ${y}H${WIDTH - RIGHT}"/>${text}`
}

function timeGrid(durationSeconds: number, bottom: number): string {
  const steps = [0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, 60, 120]
  const step = steps.find((seconds) => durationSeconds / seconds <= 12) ?? 120
  const marks: string[] = []
  for (let k = 0; k * step <= durationSeconds; k++) {
    const x = round(LEFT + (INNER * k * step) / Math.max(1e-9, durationSeconds))
    const seconds = ((k * step) % 60).toFixed(step < 1 ? 1 : 0)
    const time = `${Math.floor((k * step) / 60)}:${seconds.padStart(step < 1 ? 4 : 2, '0')}`
    marks.push(`<path class="grid" d="M${x} 24V${bottom}"/><text class="tick mid" x="${x}" y="14">${time}</text>`)
  }
  return marks.join('')
}

/** Positions of the values of equal steps: `place` is 0 for the start of each step, 1 for its end. */
function timeXs(count: number, stepSeconds: number, durationSeconds: number, place: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    Math.min(WIDTH - RIGHT, LEFT + (INNER * (i + place) * stepSeconds) / Math.max(1e-9, durationSeconds)),
  )
}

/** Consecutive values without a gap, with their positions. */
interface Stretch {
  readonly xs: number[]
  readonly values: number[]
}

function stretches(xs: readonly number[], values: readonly Value[]): Stretch[] {
  const found: Stretch[] = []
  for (const [i, value] of values.entries()) {
    if (value === null) continue
    if (i === 0 || values[i - 1] === null) found.push({ xs: [], values: [] })
    const stretch = found.at(-1)!
    stretch.xs.push(xs[i]!)
    stretch.values.push(value)
  }
  return found
}

function linePath(lane: Lane, xs: readonly number[], values: readonly Value[], name: string): string {
  const parts = stretches(xs, values).map((part) =>
    part.values.map((value, i) => `${i === 0 ? 'M' : 'L'}${round(part.xs[i]!)} ${round(yOf(lane, value))}`).join(''),
  )
  return parts.length > 0 ? `<path class="line ${name}" d="${parts.join('')}"/>` : ''
}

function areaPath(
  lane: Lane,
  stepSeconds: number,
  durationSeconds: number,
  values: readonly Value[],
  name: string,
  base: number,
): string {
  if (values.length === 0) return ''
  const xs = timeXs(values.length, stepSeconds, durationSeconds, 0.5)
  const [end] = timeXs(1, stepSeconds * values.length, durationSeconds, 1)
  // The first and the last step reach from edge to edge as well.
  const path = closedPath(lane, [LEFT, ...xs, end!], [values[0]!, ...values, values.at(-1)!], base)
  return `<path class="${name}" d="${path}"/>`
}

function closedPath(lane: Lane, xs: readonly number[], values: readonly Value[], base: number): string {
  const floor = round(yOf(lane, base))
  const points = values.map((value, i) => `L${round(xs[i]!)} ${value === null ? floor : round(yOf(lane, value))}`)
  return `M${round(xs[0] ?? LEFT)} ${floor}${points.join('')}L${round(xs.at(-1) ?? LEFT)} ${floor}Z`
}

/** Clamps values outside the scale to its edge. */
function yOf(lane: Lane, value: number): number {
  const part = (lane.top - value) / (lane.top - lane.bottom)
  return lane.y + lane.height * Math.max(0, Math.min(1, part))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
