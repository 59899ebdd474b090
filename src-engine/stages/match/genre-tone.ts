import type { Genre } from '../../../src-contract/settings.ts'
import type { Equalise } from '../../../src-contract/stages/equalise.ts'
import type { GainCurve, Match } from '../../../src-contract/stages/match.ts'
import type { SourceAnalysis } from '../../analysis/analysis.ts'
import { commonBandwidthHz, heardLevels, meanInCore } from '../../analysis/comparable.ts'
import { genreSpectrumDb } from '../../analysis/tonal-targets.ts'
import { type BandLevels, emptyDb } from '../../dsp/meters/spectrum.ts'
import { clamp, rounded } from '../../dsp/units.ts'
import { sectionsGainDb } from '../equalise.ts'
import { nothingPlanned, type StagePlan } from '../stage.ts'
import { heldAbove, smoothed } from './band-curves.ts'

/** Correction toward the genre is this part of the distance at intensity 50, at most {@link genreClampDb}. */
const genrePart = 0.5

const genreClampDb = 3
/** The lowest octave is the arrangement's own, Hz: having a bass drum or none is no fault of a song. */
const fromHz = 40
/** Reach of the smoothing in sixth octaves: an octave to either side. */
const smoothingBands = 6
/** Part of the bandwidth up to which a song is compared: its end is no tone. */
const bandwidthPart = 0.9

/** A song beside the target of its genre, in the bands of a spectrum. */
interface GenreTarget {
  /** Levels of the song, dB; bands without music stand at the level below which they hold none. */
  readonly ownDb: readonly number[]
  /** The target at the song's own level in the core, as far as the song goes, dB. */
  readonly targetDb: readonly number[]
  /** Upper end of the song, Hz. */
  readonly limitHz: number
}

/**
 * Returns a song, as the stages `before` leave it, beside the target of `genre`, in the bands of `levels`, which are the song's;
 * null for `other`.
 */
export function genreTarget(
  analysis: SourceAnalysis,
  genre: Genre,
  levels: BandLevels,
  before: readonly Equalise[],
): GenreTarget | null {
  const { bandHz, midDb } = heardLevels(analysis, levels)
  const correctedDb = midDb.map((level, b) =>
    before.reduce((sum, stage) => sum + sectionsGainDb(stage.sections, bandHz[b]!, analysis.sampleRateHz), level),
  )
  const target = bandHz.map((hz) => genreSpectrumDb(genre, hz))
  if (target.includes(null)) return null
  const limitHz = commonBandwidthHz(analysis.bandwidthHz) * bandwidthPart
  const emptyBelowDb = Math.max(...correctedDb) - emptyDb
  const ownDb = correctedDb.map((level) => Math.max(level, emptyBelowDb))
  const offsetDb = meanInCore(
    bandHz,
    ownDb.map((level, b) => level - target[b]!),
    limitHz,
  )
  return { ownDb, targetDb: target.map((level) => level! + offsetDb), limitHz }
}

/** Strength of the processing, 0 to 100, and the part of the planned tone that is applied, 0 to 1. */
interface ToneStrength {
  readonly intensity: number
  readonly part: number
}

/**
 * Returns the filter toward the genre's target of a song that has been through the stages `before`: the distance smoothed over an
 * octave, half of it at intensity 50, at most 3 dB, the same in mid and side, up to the bandwidth of the piece. No stage for
 * `other`, for silence and at intensity 0.
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
  const { ownDb, targetDb, limitHz } = target
  const distance = targetDb.map((level, b) => level - ownDb[b]!)
  // The lack of treble beyond the end of the song must not spread into it.
  const wide = smoothed(bandHz, heldAbove(bandHz, distance, limitHz), () => smoothingBands)
  const gainDb = wide.map((value, b) => {
    const ofDistance = bandHz[b]! < fromHz ? 0 : genrePart
    return part * clamp((value * ofDistance * intensity) / 50, -genreClampDb, genreClampDb)
  })
  const curve: GainCurve = { frequencyHz: bandHz, gainDb }
  const largestDb = Math.max(...gainDb.map(Math.abs))
  return {
    stages: [{ kind: 'match', mid: curve, side: curve }],
    decisions: [{ stage: 'tone', code: 'TONE_TOWARD_GENRE', values: { genre, largestDb: rounded(largestDb) } }],
  }
}
