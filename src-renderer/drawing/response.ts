/** The response curve of the Sound column: own tone from its settings, what the pointer moves, and where all of it lies. Pure. */
import type { MasterSettings } from '../../src-contract/settings.ts'
import { SETTINGS } from '../../src-contract/settings.ts'
import { linePath } from './paths.ts'
import type { Band } from './spectrum.ts'

export type ToneSettings = Pick<MasterSettings, 'tilt_db' | 'bass_db' | 'presence_db' | 'air_db'>
export type ToneName = keyof ToneSettings

const LOWEST_HZ = 28
const HIGHEST_HZ = 22_000
/** Frequencies of the axis. */
export const RESPONSE_TICKS = [40, 100, 250, 1000, 2500, 6000, 16_000] as const
/** Own and planned gain at the upper edge, dB; the lower edge is as far below. */
const REACH_DB = 12
/** Level of the spectrum at its upper edge and height of its range, dB. */
const SPECTRUM_TOP_DB = 20
const SPECTRUM_RANGE_DB = 52

/** Corners of the four settings, Hz, as the processing has them. */
const BASS_HZ = 100
const PRESENCE_HZ = 2800
const PRESENCE_Q = 0.7
const AIR_HZ = 9000
const TILT_PIVOT_HZ = 800
const TILT_HZ = [40, 16_000] as const
const TILT_DECADES = 1.301

const square = (re: number, im: number) => re * re + im * im
const powerDb = (power: number) => 10 * Math.log10(power)

/** Gain of an analogue shelf at `ratio` of its corner, dB (R. Bristow-Johnson, Audio EQ Cookbook). */
function shelfDb(isLow: boolean, ratio: number, gainDb: number): number {
  const a = 10 ** (gainDb / 40)
  const power = ratio * ratio
  const damping = (Math.sqrt(a) / Math.SQRT1_2) * ratio
  const rising = powerDb(square(a - power, damping) / square(1 - a * power, damping))
  return gainDb / 2 + (isLow ? rising : -rising)
}

function peakDb(ratio: number, q: number, gainDb: number): number {
  const a = 10 ** (gainDb / 40)
  const power = ratio * ratio
  return powerDb(square(1 - power, (a / q) * ratio) / square(1 - power, ratio / (a * q)))
}

/** Returns the gain of the own tone at a frequency, dB. */
export function ownToneDb({ tilt_db, bass_db, presence_db, air_db }: ToneSettings, hz: number): number {
  const tilted = Math.max(TILT_HZ[0], Math.min(TILT_HZ[1], hz))
  return (
    (tilt_db * Math.log10(tilted / TILT_PIVOT_HZ)) / TILT_DECADES +
    shelfDb(true, hz / BASS_HZ, bass_db) +
    peakDb(hz / PRESENCE_HZ, PRESENCE_Q, presence_db) +
    shelfDb(false, hz / AIR_HZ, air_db)
  )
}

/** Points of the curve that are dragged: each where its setting has nearly all of its gain, so that the curve follows the pointer. */
export const TONE_POINTS = [
  { name: 'bass_db', hz: 50 },
  { name: 'presence_db', hz: PRESENCE_HZ },
  { name: 'air_db', hz: 11_000 },
  { name: 'tilt_db', hz: TILT_HZ[1] },
] as const satisfies readonly { readonly name: ToneName; readonly hz: number }[]

/** Returns a value within the bounds of its setting, in tenths of a decibel. */
export function toneValue(name: ToneName, db: number): number {
  const { minimum, maximum } = SETTINGS[name]
  return Math.round(Math.max(minimum, Math.min(maximum, db)) * 10) / 10 + 0
}

/** Returns the centre of one of the thirty bands of a third of an octave from 25 Hz up, Hz (IEC 61260-1, base ten). */
export const thirdOctaveHz = (band: number): number => 1000 * 10 ** ((band - 16) / 10)

export interface ResponseLayout {
  readonly width: number
  readonly height: number
}

/** Returns the axes: frequency on a logarithmic scale, gain around the middle, and the level of the spectrum. */
export function responseAxes({ width, height }: ResponseLayout) {
  const octaves = Math.log2(HIGHEST_HZ / LOWEST_HZ)
  const clamped = (y: number) => Math.max(0, Math.min(height, y))
  return {
    toX: (hz: number) => (Math.log2(hz / LOWEST_HZ) / octaves) * width,
    toHz: (x: number) => LOWEST_HZ * 2 ** ((x / width) * octaves),
    toY: (db: number) => clamped(height / 2 - (db / REACH_DB) * (height / 2)),
    toLevelY: (db: number) => clamped(((SPECTRUM_TOP_DB - db) / SPECTRUM_RANGE_DB) * height),
    /** Decibels that the pointer moves with one pixel. */
    dbPerPixel: (2 * REACH_DB) / height,
  }
}

const STEP_PX = 3

/** Returns the line of a gain over frequency, and with `isArea` the area between it and nothing. */
export function responsePath(gainDb: (hz: number) => number, layout: ResponseLayout, isArea = false): string {
  const { toHz, toY } = responseAxes(layout)
  const points = []
  for (let x = 0; x <= layout.width; x += STEP_PX) points.push({ x, y: toY(gainDb(toHz(x))) })
  const line = linePath(points)
  return isArea && points.length > 0 ? `${line}L${layout.width} ${layout.height / 2}L0 ${layout.height / 2}Z` : line
}

/** Returns the line of a spectrum, and with `isArea` the area under it. Fewer than two bands give an empty path. */
export function levelPath(bands: readonly Band[], layout: ResponseLayout, isArea = false): string {
  if (bands.length < 2) return ''
  const { toX, toLevelY } = responseAxes(layout)
  const points = bands.map(({ hz, db }) => ({ x: Math.max(0, Math.min(layout.width, toX(hz))), y: toLevelY(db) }))
  const [first, last] = [points[0], points.at(-1)]
  const line = linePath(points)
  return isArea && first && last ? `${line}L${last.x} ${layout.height}L${first.x} ${layout.height}Z` : line
}

/** Returns a function that joins measured points by straight lines over the logarithm of frequency; 0 without points. */
export function joined(points: readonly Band[]): (hz: number) => number {
  return (hz) => {
    const after = points.findIndex((point) => point.hz >= hz)
    const [right, left] = [points[after], points[after - 1]]
    if (!right) return points.at(-1)?.db ?? 0
    if (!left) return right.db
    const part = Math.log(hz / left.hz) / Math.log(right.hz / left.hz)
    return left.db + part * (right.db - left.db)
  }
}
