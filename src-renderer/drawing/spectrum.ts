/** The long-term spectrum: axes, curves, and the finding in words. Pure. */
import { type Point, smoothPath } from './paths.ts'

export interface Band {
  readonly hz: number
  readonly db: number
}

const LOWEST_HZ = 22
const HIGHEST_HZ = 20_000
/**
 * Third-octave levels rise by 3 dB per octave against the spectral density of the same signal; of the 4.5 dB per octave
 * tilt that makes music look flat, 1.5 dB per octave remain to be added.
 */
const TILT_DB_PER_OCTAVE = 4.5 - 3
/** Room above the highest level, dB. */
const HEADROOM_DB = 3
/** Height of a plot below the highest level and its room, dB; levels below it are drawn as a floor. */
const RANGE_DB = 60
/** Bands whose mean is the zero line: the level of the music, without sub-bass and air. */
const CORE_HZ = [100, 8000] as const
/** A band below this counts as empty rather than quiet. */
const EMPTY_DB = -150

export interface SpectrumLayout {
  readonly width: number
  readonly height: number
  readonly left: number
  readonly right: number
  readonly bottom: number
  /** Level at the top edge: 3 dB above the highest of all curves. The plot is 60 dB high. */
  readonly topDb: number
}

/** Returns the level at the top edge of a plot of curves: 3 dB above the highest; 3 dB without any. */
export const topOf = (curves: readonly (readonly Band[])[]): number =>
  HEADROOM_DB +
  curves
    .flat()
    .reduce((highest, { db }) => Math.max(highest, db), curves.flat().length > 0 ? Number.NEGATIVE_INFINITY : 0)

/** Returns the share of a plot's height, from its top, at which a level is drawn; levels beyond its edges are drawn on them. */
export const depthOf = (db: number, topDb: number): number => Math.max(0, Math.min(1, (topDb - db) / RANGE_DB))

/** Returns the layout of a plot. */
export function spectrumLayout(width: number, height: number, curves: readonly (readonly Band[])[]): SpectrumLayout {
  return { width, height, left: 26, right: Math.max(27, width - 6), bottom: height - 18, topDb: topOf(curves) }
}

export const FREQUENCY_TICKS = [
  [50, '50'],
  [100, '100'],
  [200, '200'],
  [500, '500'],
  [1000, '1k'],
  [2000, '2k'],
  [5000, '5k'],
  [10_000, '10k'],
] as const
export const LEVEL_TICKS = [24, 12, 0, -12, -24, -36, -48] as const

/** Returns the axes: frequency on a logarithmic scale, level from the top down. */
export function spectrumAxes({ left, right, bottom, topDb }: SpectrumLayout) {
  const octaves = Math.log2(HIGHEST_HZ / LOWEST_HZ)
  return {
    toX: (hz: number) => left + (Math.log2(hz / LOWEST_HZ) / octaves) * (right - left),
    toY: (db: number) => 6 + depthOf(db, topDb) * (bottom - 8),
  }
}

/**
 * Returns the bands of a report's spectrum, tilted and normalised to 0 dB mean from 100 Hz to 8 kHz, so that two
 * spectra differ only in tone. Empty bands and bands outside 22 Hz to 20 kHz are left out.
 */
export function tiltedBands(bandHz: readonly number[], levelsDb: readonly (number | null)[]): Band[] {
  const bands = bandHz.flatMap((hz, i) => {
    const db = levelsDb[i]
    if (db === null || db === undefined || db < EMPTY_DB || hz < LOWEST_HZ || hz > HIGHEST_HZ) return []
    return [{ hz, db: db + TILT_DB_PER_OCTAVE * Math.log2(hz / 1000) }]
  })
  const core = bands.filter(({ hz }) => hz >= CORE_HZ[0] && hz <= CORE_HZ[1])
  const mean = core.reduce((sum, { db }) => sum + db, 0) / Math.max(1, core.length)
  return bands.map(({ hz, db }) => ({ hz, db: db - mean }))
}

/** Returns the curve of bands, or the area under it with `isArea`. Fewer than two bands give an empty path. */
export function spectrumPath(bands: readonly Band[], layout: SpectrumLayout, isArea = false): string {
  if (bands.length < 2) return ''
  const { toX, toY } = spectrumAxes(layout)
  const points: Point[] = bands.map(({ hz, db }) => ({ x: toX(hz), y: toY(db) }))
  const line = smoothPath(points)
  if (!isArea) return line
  return `${line}L${points.at(-1)?.x.toFixed(1)} ${layout.bottom}L${points[0]?.x.toFixed(1)} ${layout.bottom}Z`
}

export interface SpectrumFinding {
  /** Outermost compared bands: both have music there, and the ear judges tone. */
  readonly fromHz: number
  readonly toHz: number
  /** Mean and largest distance between them, dB. */
  readonly meanDb: number
  readonly withinDb: number
  /** The band with the largest difference, and that difference; positive is above the target. */
  readonly worstHz: number
  readonly worstDb: number
}

/** Outside these, the level shows rumble and codecs rather than tone. */
const JUDGED_HZ = [35, 15_000] as const
/** A band this far under the mean lies beyond the cutoff of a song, dB. */
const NO_MUSIC_DB = -30

/**
 * Returns the difference of a curve from its target between 40 Hz and 14 kHz, where both have music. Null if they share
 * fewer than three bands there.
 */
export function compareSpectra(curve: readonly Band[], aim: readonly Band[]): SpectrumFinding | null {
  const differences = curve.flatMap(({ hz, db }) => {
    const other = aim.find((band) => Math.abs(band.hz / hz - 1) < 0.01)
    const isJudged = other && hz > JUDGED_HZ[0] && hz < JUDGED_HZ[1] && Math.min(db, other.db) > NO_MUSIC_DB
    return isJudged ? [{ hz, db: db - other.db }] : []
  })
  const [first, last] = [differences[0], differences.at(-1)]
  if (differences.length < 3 || !first || !last) return null
  const worst = differences.reduce((a, b) => (Math.abs(b.db) > Math.abs(a.db) ? b : a))
  return {
    fromHz: first.hz,
    toHz: last.hz,
    meanDb: differences.reduce((sum, { db }) => sum + Math.abs(db), 0) / differences.length,
    withinDb: Math.abs(worst.db),
    worstHz: worst.hz,
    worstDb: worst.db,
  }
}

/**
 * Returns the sixth-octave bands of a live spectrum, tilted and normalised like the others, from power in dB per bin of
 * equal width. Bins are added by power; empty bands are left out.
 */
export function liveBands(binsDb: ArrayLike<number>, binHz: number): Band[] {
  const centres: number[] = []
  const levels: (number | null)[] = []
  const half = 2 ** (1 / 12)
  for (let hz = LOWEST_HZ * half; hz * half <= HIGHEST_HZ; hz *= half * half) {
    // A bin extends half its width on either side of its frequency.
    const from = hz / half / binHz + 0.5
    const to = (hz * half) / binHz + 0.5
    let power = 0
    // A band narrower than a bin gets only its share of it.
    for (let bin = Math.floor(from); bin < to; bin++) {
      const share = Math.min(to, bin + 1) - Math.max(from, bin)
      power += share * 10 ** ((binsDb[bin] ?? Number.NEGATIVE_INFINITY) / 10)
    }
    centres.push(hz)
    levels.push(power > 0 ? 10 * Math.log10(power) : null)
  }
  const bands = tiltedBands(centres, levels)
  // Between notes most bands are almost empty, so the normalisation averages power, dominated by the loud ones.
  const power = bands.reduce((sum, { db }) => sum + 10 ** (db / 10), 0) / Math.max(1, bands.length)
  return bands.map(({ hz, db }) => ({ hz, db: db - 10 * Math.log10(power) }))
}
