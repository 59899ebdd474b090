import type { Genre } from '../../../src-contract/settings.ts'
import type { Equalise } from '../../../src-contract/stages/equalise.ts'
import type { GainCurve, Match } from '../../../src-contract/stages/match.ts'
import type { SourceAnalysis } from '../../analysis/analysis.ts'
import { commonBandwidthHz, heardLevels, meanInCore } from '../../analysis/comparable.ts'
import { genreBand } from '../../analysis/tonal-targets.ts'
import { type BandLevels, emptyDb } from '../../dsp/meters/spectrum.ts'
import { clamp, rounded } from '../../dsp/units.ts'
import { sectionsGainDb } from '../equalise.ts'
import { nothingPlanned, type StagePlan } from '../stage.ts'
import { heldAbove, smoothed } from './band-curves.ts'

/** Correction toward the genre is this part of what lies outside its band at intensity 50. */
const genrePart = 0.5
/** Most that a band is moved against the song's own level in the core, dB. */
const genreClampDb = 3
/** The level in the core follows the curve that it holds; it is within 0.01 dB of it after so many rounds. */
const levelRounds = 8
/** A curve that moves nothing by more than this is none, dB. */
const leastMoveDb = 0.05
/** The lowest octave is the arrangement's own, Hz: having a bass drum or none is no fault of a song. */
const fromHz = 40
/** Reach of the smoothing in sixth octaves: an octave to either side. */
const smoothingBands = 6
/** Part of the bandwidth up to which a song is compared: its end is no tone. */
const bandwidthPart = 0.9

/** A song beside the band of its genre, in the bands of a spectrum. */
interface GenreTarget {
  /** Levels of the song, dB; bands without music stand at the level below which they hold none. */
  readonly ownDb: readonly number[]
  /** Edges of the band at the song's own level in the core, dB. */
  readonly lowestDb: readonly number[]
  readonly highestDb: readonly number[]
  /** Upper end of the song, Hz. */
  readonly limitHz: number
}

/**
 * Returns a song, as the stages `before` leave it, beside the band of `genre`, in the bands of `levels`, which are the song's;
 * null for `other`.
 */
export function genreTarget(
  analysis: SourceAnalysis,
  genre: Genre,
  levels: BandLevels,
  before: readonly Equalise[],
): GenreTarget | null {
  const { bandHz, midDb } = heardLevels(analysis, levels)
  const band = bandHz.flatMap((hz) => genreBand(genre, hz) ?? [])
  if (band.length === 0) return null
  const correctedDb = midDb.map((level, b) =>
    before.reduce((sum, stage) => sum + sectionsGainDb(stage.sections, bandHz[b]!, analysis.sampleRateHz), level),
  )
  const limitHz = commonBandwidthHz(analysis.bandwidthHz) * bandwidthPart
  const emptyBelowDb = Math.max(...correctedDb) - emptyDb
  const ownDb = correctedDb.map((level) => Math.max(level, emptyBelowDb))
  const offsetDb = meanInCore(
    bandHz,
    ownDb.map((level, b) => level - band[b]!.centreDb),
    limitHz,
  )
  return {
    ownDb,
    lowestDb: band.map(({ lowestDb }) => lowestDb + offsetDb),
    highestDb: band.map(({ highestDb }) => highestDb + offsetDb),
    limitHz,
  }
}

/** Returns how far each band lies outside, dB, as the gain toward the nearer edge: the song is heard over an octave to either side. */
function wayBackDb(bandHz: readonly number[], { ownDb, lowestDb, highestDb, limitHz }: GenreTarget): number[] {
  // The lack of treble beyond the end of the song must not spread into it.
  const over = (values: readonly number[]): number[] =>
    smoothed(bandHz, heldAbove(bandHz, values, limitHz), () => smoothingBands)
  const below = over(lowestDb.map((lowest, b) => lowest - ownDb[b]!))
  const above = over(highestDb.map((highest, b) => highest - ownDb[b]!))
  return below.map((lack, b) => Math.max(0, lack) + Math.min(0, above[b]!))
}

/** Gains held within ±3 dB of their own mean in the core, so that no band moves farther against the song. */
function heldToCore(bandHz: readonly number[], gainDb: readonly number[], limitHz: number): number[] {
  let held = gainDb.map((gain) => clamp(gain, -genreClampDb, genreClampDb))
  for (let round = 0; round < levelRounds; round++) {
    const level = meanInCore(bandHz, held, limitHz)
    held = held.map((gain) => clamp(gain, level - genreClampDb, level + genreClampDb))
  }
  return held
}

/** Strength of the processing, 0 to 100, and the part of the planned tone that is applied, 0 to 1. */
interface ToneStrength {
  readonly intensity: number
  readonly part: number
}

/**
 * Returns the filter that brings a song that has been through the stages `before` toward the band of its genre: what lies outside, heard
 * over an octave to either side, goes half of the way to the nearer edge at intensity 50, at most 3 dB against the song's own level in the core, the
 * same in mid and side, up to the bandwidth of the piece. What lies inside stays. No stage for `other`, for silence, at intensity 0 and for a song that lies
 * inside.
 */
export function planGenreTone(
  analysis: SourceAnalysis,
  genre: Genre,
  { intensity, part }: ToneStrength,
  before: readonly Equalise[],
): StagePlan<Match> {
  const { bandHz } = analysis.fineSpectrum
  const target = genreTarget(analysis, genre, analysis.fineSpectrum, before)
  if (target === null || analysis.isSilent || intensity === 0 || part === 0) return nothingPlanned
  const wished = wayBackDb(bandHz, target).map((way, b) =>
    bandHz[b]! < fromHz ? 0 : (way * genrePart * intensity) / 50,
  )
  const gainDb = heldToCore(bandHz, wished, target.limitHz).map((gain) => part * gain)
  const level = meanInCore(bandHz, gainDb, target.limitHz)
  const largestDb = Math.max(...gainDb.map((gain) => Math.abs(gain - level)))
  if (largestDb < leastMoveDb) {
    return { stages: [], decisions: [{ stage: 'tone', code: 'TONE_WITHIN_GENRE', values: { genre } }] }
  }
  const curve: GainCurve = { frequencyHz: bandHz, gainDb }
  return {
    stages: [{ kind: 'match', mid: curve, side: curve }],
    decisions: [{ stage: 'tone', code: 'TONE_TOWARD_GENRE', values: { genre, largestDb: rounded(largestDb) } }],
  }
}
