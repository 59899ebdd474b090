/** The response curve of the Sound column: the user's own tone, its draggable points, and its axes. Pure. */
import { SETTINGS } from '../../src-contract/settings.ts'
import { presenceHz, type ToneSettings, tiltToHz, toneDb, toneSections } from '../../src-engine/dsp/tone-law.ts'
import { linePath } from './paths.ts'
import { type Band, depthOf } from './spectrum.ts'

export type ToneName = keyof ToneSettings

const LOWEST_HZ = 28
const HIGHEST_HZ = 22_000
/** Frequencies of the axis. */
export const RESPONSE_TICKS = [40, 100, 250, 1000, 2500, 6000, 16_000] as const
/** Own and planned gain at the upper edge, dB; the lower edge is its negative. */
const REACH_DB = 12

/** Returns the gain of the own tone at a frequency, dB. */
export const ownToneDb = (settings: ToneSettings, hz: number): number => toneDb(toneSections(settings), hz)

/**
 * Draggable points of the curve: each where its setting reaches nearly its full gain, so that the curve follows the
 * pointer.
 */
export const TONE_POINTS = [
  { name: 'bass_db', hz: 50 },
  { name: 'presence_db', hz: presenceHz },
  { name: 'air_db', hz: 11_000 },
  { name: 'tilt_db', hz: tiltToHz },
] as const satisfies readonly { readonly name: ToneName; readonly hz: number }[]

/** Rounds a value to tenths of a decibel within the bounds of its setting. */
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

/** Returns the axes: frequency on a logarithmic scale, and gain around the middle. */
export function responseAxes({ width, height }: ResponseLayout) {
  const octaves = Math.log2(HIGHEST_HZ / LOWEST_HZ)
  const clamped = (y: number) => Math.max(0, Math.min(height, y))
  return {
    toX: (hz: number) => (Math.log2(hz / LOWEST_HZ) / octaves) * width,
    toHz: (x: number) => LOWEST_HZ * 2 ** ((x / width) * octaves),
    toY: (db: number) => clamped(height / 2 - (db / REACH_DB) * (height / 2)),
    /** Decibels per pixel of pointer movement. */
    dbPerPixel: (2 * REACH_DB) / height,
  }
}

const STEP_PX = 3

/** Returns the line of a gain over frequency, or with `isArea` the area between it and 0 dB. */
export function responsePath(gainDb: (hz: number) => number, layout: ResponseLayout, isArea = false): string {
  const { toHz, toY } = responseAxes(layout)
  const points = []
  for (let x = 0; x <= layout.width; x += STEP_PX) points.push({ x, y: toY(gainDb(toHz(x))) })
  const line = linePath(points)
  return isArea && points.length > 0 ? `${line}L${layout.width} ${layout.height / 2}L0 ${layout.height / 2}Z` : line
}

/**
 * Returns the line of a spectrum below the level of the top edge, or with `isArea` the area under it. Fewer than two bands give an empty
 * path.
 */
export function levelPath(bands: readonly Band[], layout: ResponseLayout, topDb: number, isArea = false): string {
  if (bands.length < 2) return ''
  const { toX } = responseAxes(layout)
  const points = bands.map(({ hz, db }) => ({
    x: Math.max(0, Math.min(layout.width, toX(hz))),
    y: depthOf(db, topDb) * layout.height,
  }))
  const [first, last] = [points[0], points.at(-1)]
  const line = linePath(points)
  return isArea && first && last ? `${line}L${last.x} ${layout.height}L${first.x} ${layout.height}Z` : line
}

/** Returns a function that interpolates measured points linearly over the logarithm of frequency; 0 without points. */
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
