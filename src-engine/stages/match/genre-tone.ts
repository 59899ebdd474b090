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

/** Part of the excess outside the genre's band that is corrected at intensity 50. */
const genrePart = 0.5
/** Largest movement of a band relative to the song's own level in the core, dB. */
const genreClampDb = 3
/** Rounds that bring the clamped curve within 0.01 dB of its own mean level in the core. */
const levelRounds = 8
/** Least movement for a curve to be applied, dB. */
const leastMoveDb = 0.05
/** The lowest octave is the arrangement's own, Hz; a missing bass drum is not a fault. */
const fromHz = 40
/** Reach of the smoothing in sixth octaves: an octave to either side. */
const smoothingBands = 6
/** Compared part of a song's bandwidth: its end does not belong to the tone. */
const bandwidthPart = 0.9

/** A song and the range of its genre, in the bands of a spectrum. */
interface GenreTarget {
  /** Levels of the song, dB; bands without music are set to the threshold of music. */
  readonly ownDb: readonly number[]
  /** Edges of the range at the song's own level in the core, dB. */
  readonly lowestDb: readonly number[]
  readonly highestDb: readonly number[]
  /** Upper end of the song, Hz. */
  readonly limitHz: number
}

/** Returns a song after the stages `before`, with the range of `genre`, in the bands of `levels`, the song's own; null for `other`. */
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

/** Returns the gain from each band toward the nearer edge of the range, dB, with the song smoothed over an octave to either side. */
function wayBackDb(bandHz: readonly number[], { ownDb, lowestDb, highestDb, limitHz }: GenreTarget): number[] {
  // The missing treble above the song's bandwidth must not spread into it.
  const over = (values: readonly number[]): number[] =>
    smoothed(bandHz, heldAbove(bandHz, values, limitHz), () => smoothingBands)
  const below = over(lowestDb.map((lowest, b) => lowest - ownDb[b]!))
  const above = over(highestDb.map((highest, b) => highest - ownDb[b]!))
  return below.map((lack, b) => Math.max(0, lack) + Math.min(0, above[b]!))
}

/** Gains held within ±3 dB of their own mean in the core; no band moves farther relative to the song. */
function heldToCore(bandHz: readonly number[], gainDb: readonly number[], limitHz: number): number[] {
  let held = gainDb.map((gain) => clamp(gain, -genreClampDb, genreClampDb))
  for (let round = 0; round < levelRounds; round++) {
    const level = meanInCore(bandHz, held, limitHz)
    held = held.map((gain) => clamp(gain, level - genreClampDb, level + genreClampDb))
  }
  return held
}

/** Intensity of the processing, 0 to 100, and applied part of the planned tone, 0 to 1. */
interface ToneStrength {
  readonly intensity: number
  readonly part: number
}

/**
 * Returns the filter that brings a song, after the stages `before`, toward the range of its genre. Any excess, smoothed over an octave to
 * either side, goes half of the way to the nearer edge at intensity 50, at most 3 dB relative to the song's own level in the core, the same
 * in mid and side, up to the bandwidth of the piece. Bands inside the range are left alone. No stage for `other`, for silence, at intensity
 * 0 or for a song inside the range.
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
