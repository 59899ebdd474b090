/**
 * Coherence of a record: reports the tracks that stand out and moves them toward the others by sound settings, 1.5 dB at most. A track is
 * an outlier if its distance from the record's median exceeds 2.5 times the scaled median absolute deviation (Leys et al., J. Exp. Soc.
 * Psychol. 49, 2013) and an audible minimum of ours. Pure.
 */
import type { Spectrum } from '../../src-contract/report.ts'
import { type ToneSettings, toneDb, toneSections } from '../dsp/tone-law.ts'
import { clamp, dbToGain, rounded } from '../dsp/units.ts'

/** Measurements of a track that coherence compares. Levels of silence are null. */
export interface TrackSound {
  readonly loudPartsLufs: number | null
  /** Third octaves of the mid. */
  readonly spectrum: Pick<Spectrum, 'band_hz' | 'mid_db'>
  readonly sideToMidDb: number | null
}

export interface Outlier {
  readonly kind: 'loudness' | 'tone' | 'width'
  /** Distance from the record's median, dB or LU; never negative for tone. */
  readonly distanceDb: number
  readonly limitDb: number
}

/** Settings that move a track toward the record; unneeded ones are absent. */
export type TrackCorrections = Partial<ToneSettings> & {
  readonly offset_lu?: number
  readonly width_percent?: number
}

export interface Coherence {
  readonly outliers: readonly Outlier[]
  readonly corrections: TrackCorrections
}

/** Least distance of an outlier, in scaled deviations: Leys et al. 2013. */
const outlierDeviations = 2.5
/** Standard deviation of a normal distribution by its median absolute deviation. */
const madScale = 1.4826
/** Smallest distances of an outlier, audible at once: LU of the loud parts, dB of tone (root mean square), dB of width. Ours. */
const heardAtOnceDb = { loudness: 2, tone: 2, width: 3 }
/** Side against mid up to which a track is mono: it has no width to compare, dB. */
const monoDb = -60
/** Largest correction, and largest distance of a levelled song, dB. */
const mostDb = 1.5
/** Fewest tracks with a meaningful median. */
const fewestTracks = 3
/** Range of the tone comparison, Hz; few speakers play lower or higher. */
const comparedHz = { from: 40, to: 16_000 }
/** Weight of the knobs' size against the residual; keeps them from working against each other. */
const knobWeight = 0.5

const none: Coherence = { outliers: [], corrections: {} }

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

const deviation = (distances: readonly number[]): number => madScale * median(distances.map(Math.abs))

/**
 * Returns the change of each track's level that brings the loud parts of generated songs to within 1.5 LU of their median over the record,
 * LU; 0 for all others and for silence. Two tracks have a median too: it lies between them.
 */
export function levelGenerated(
  tracks: readonly (Pick<TrackSound, 'loudPartsLufs'> & { readonly isGenerated: boolean })[],
): number[] {
  const heard = tracks.flatMap(({ loudPartsLufs }) => loudPartsLufs ?? [])
  const middle = median(heard)
  return tracks.map(({ loudPartsLufs, isGenerated }) => {
    if (!isGenerated || loudPartsLufs === null) return 0
    const distanceLu = loudPartsLufs - middle
    return clamp(distanceLu, -mostDb, mostDb) - distanceLu
  })
}

/** Returns the findings and corrections of every track, in order. With fewer than three tracks nothing is an outlier. */
export function planCoherence(tracks: readonly TrackSound[]): Coherence[] {
  if (tracks.length < fewestTracks) return tracks.map(() => none)
  const loudness = levelOutliers(
    tracks.map(({ loudPartsLufs }) => loudPartsLufs),
    'loudness',
  )
  const width = levelOutliers(
    tracks.map(({ sideToMidDb }) => (sideToMidDb !== null && sideToMidDb > monoDb ? sideToMidDb : null)),
    'width',
  )
  const tone = toneOutliers(tracks.map(({ spectrum }) => spectrum))
  return tracks.map((_, i) => ({
    outliers: [loudness[i], tone[i]?.outlier, width[i]].filter((one) => one !== undefined),
    corrections: {
      ...(loudness[i] ? { offset_lu: rounded(-clamp(loudness[i].distanceDb, -mostDb, mostDb), 2) } : {}),
      ...tone[i]?.corrections,
      ...(width[i] ? { width_percent: widthPercent(-clamp(width[i].distanceDb, -mostDb, mostDb)) } : {}),
    },
  }))
}

/** Width in per cent for a change in dB, rounded toward 100 so as never to exceed it. */
function widthPercent(changeDb: number): number {
  const percent = 100 * dbToGain(changeDb)
  return changeDb > 0 ? Math.floor(percent) : Math.ceil(percent)
}

function levelOutliers(levels: readonly (number | null)[], kind: 'loudness' | 'width'): (Outlier | undefined)[] {
  const heard = levels.filter((level) => level !== null)
  if (heard.length < fewestTracks) return levels.map(() => undefined)
  const middle = median(heard)
  const limitDb = Math.max(heardAtOnceDb[kind], outlierDeviations * deviation(heard.map((level) => level - middle)))
  return levels.map((level) =>
    level !== null && Math.abs(level - middle) > limitDb ? { kind, distanceDb: level - middle, limitDb } : undefined,
  )
}

/** Tone of a track at its own level; NaN for silent bands. */
type Profile = readonly number[]

function toneOutliers(spectra: readonly TrackSound['spectrum'][]) {
  const hz = spectra[0]!.band_hz
  const isCompared = hz.map((band) => band >= comparedHz.from && band <= comparedHz.to)
  const profiles = spectra.map(({ mid_db }) => levelled(mid_db.map((db, b) => (isCompared[b] ? (db ?? NaN) : NaN))))
  const middle = hz.map((_, b) => {
    const heard = profiles.map((profile) => profile[b]!).filter(Number.isFinite)
    return heard.length < fewestTracks ? NaN : median(heard)
  })
  const missing = profiles.map((profile) => levelled(middle.map((db, b) => db - profile[b]!)))
  const distances = missing.map(rootMeanSquare)
  const usual = median(distances)
  const spread = deviation(distances.map((distance) => distance - usual))
  const limitDb = Math.max(heardAtOnceDb.tone, usual + outlierDeviations * spread)
  return distances.map((distanceDb, i) =>
    distanceDb > limitDb
      ? { outlier: { kind: 'tone' as const, distanceDb, limitDb }, corrections: fittedTone(hz, missing[i]!) }
      : undefined,
  )
}

/** Returns the profile shifted to a mean of 0. */
function levelled(profile: Profile): Profile {
  const heard = profile.filter(Number.isFinite)
  const mean = heard.reduce((sum, db) => sum + db, 0) / Math.max(1, heard.length)
  return profile.map((db) => db - mean)
}

function rootMeanSquare(profile: Profile): number {
  const heard = profile.filter(Number.isFinite)
  return Math.sqrt(heard.reduce((sum, db) => sum + db * db, 0) / Math.max(1, heard.length))
}

const KNOBS = ['tilt_db', 'bass_db', 'presence_db', 'air_db'] as const
const neutralTone: ToneSettings = { tilt_db: 0, bass_db: 0, presence_db: 0, air_db: 0 }

/**
 * Returns the knobs whose response best fits the missing tone (least squares, small knobs preferred), scaled to move no band by more than
 * 1.5 dB; empty if they would not bring the tone closer.
 */
function fittedTone(hz: readonly number[], missing: Profile): Partial<ToneSettings> {
  const bands = hz.map((_, b) => b).filter((b) => Number.isFinite(missing[b]))
  const responses = KNOBS.map((knob) => {
    const sections = toneSections({ ...neutralTone, [knob]: 1 })
    return levelled(bands.map((b) => toneDb(sections, hz[b]!)))
  })
  const wanted = bands.map((b) => missing[b]!)
  const gains = leastSquares(responses, wanted)
  const toneOf = (scale: number) =>
    Object.fromEntries(KNOBS.map((knob, k) => [knob, rounded(scale * gains[k]!)])) as unknown as ToneSettings
  const responseOf = (tone: ToneSettings) => hz.map((band) => toneDb(toneSections(tone), band))
  let scale = 1
  let tone = toneOf(scale)
  while (Math.max(...responseOf(tone).map(Math.abs)) > mostDb) {
    scale *= 0.98
    tone = toneOf(scale)
  }
  const moved = levelled(bands.map((b) => toneDb(toneSections(tone), hz[b]!)))
  const isCloser = rootMeanSquare(wanted.map((db, i) => db - moved[i]!)) < rootMeanSquare(wanted)
  return isCloser ? Object.fromEntries(Object.entries(tone).filter(([, gainDb]) => gainDb !== 0)) : {}
}

/** Gains of responses whose sum comes closest to `wanted`, by the normal equations with `knobWeight` on their diagonal. */
function leastSquares(responses: readonly Profile[], wanted: Profile): number[] {
  const dot = (a: Profile, b: Profile) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
  const rows = responses.map((response, k) => [
    ...responses.map((other, j) => dot(response, other) + (k === j ? knobWeight : 0)),
    dot(response, wanted),
  ])
  // Gauss-Jordan without pivoting: the matrix is symmetric and positive definite.
  for (const [k, row] of rows.entries()) {
    const pivot = row[k]!
    for (let c = 0; c < row.length; c++) row[c]! /= pivot
    for (const other of rows) {
      if (other === row) continue
      const factor = other[k]!
      for (let c = 0; c < other.length; c++) other[c]! -= factor * row[c]!
    }
  }
  return rows.map((row) => row.at(-1)!)
}
