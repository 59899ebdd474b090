import type { Match } from '../../../src-contract/stages/match.ts'
import type { SourceAnalysis } from '../../analysis/analysis.ts'
import { commonBandwidthHz, heardLevels, medianInCore, musicFromDb } from '../../analysis/comparable.ts'
import { isMuffled } from '../../analysis/treble-fall.ts'
import type { BandLevels } from '../../dsp/meters/spectrum.ts'
import { isOppositePhase } from '../../dsp/meters/stereo.ts'
import { clamp, rounded } from '../../dsp/units.ts'
import { nothingPlanned, type StagePlan } from '../stage.ts'
import { heldAbove, smoothed } from './band-curves.ts'

/** Most that mid and side are moved, dB. */
const midClampDb = 6
const sideClampDb = 4
/** Most that the highs of a muffled song are lifted toward a reference, dB, and where they begin, Hz: what comes up there is noise as well. */
const muffledLiftDb = 3
const muffledFromHz = 2400
/** Below this the side is not compared, Hz: a bass must not become wide. */
const sideFromHz = 120
/** Below this few notes tell of a band, Hz, so that it is smoothed over so many bands to either side. */
const smoothedBelowHz = 100
const smoothingBands = 1.5
/** Part of the bandwidth up to which a reference is followed: the skirt of a cutoff is no tone. */
const bandwidthPart = 0.94
/** A side more than this below the mid is none, dB. */
const noSideDb = 60

/** True for sound in one channel or in the side alone: there mid and side are filtered alike. */
function isOneSided({ deadChannel, sideToMidDb }: SourceAnalysis): boolean {
  return deadChannel !== null || isOppositePhase(sideToMidDb)
}

/** Gains toward a reference before smoothing and clamping, with the level difference taken out. */
interface ReferenceDistance {
  readonly midDb: readonly number[]
  readonly sideDb: readonly number[]
  /**
   * True where both have a side to compare; otherwise the side moves with the mid, so that nothing shifts across
   * the stage.
   */
  readonly isSideCompared: boolean
  /** End of the lower of both bandwidths, Hz. */
  readonly limitHz: number
  /** The same of the sides. */
  readonly sideLimitHz: number
}

/**
 * Distance of two spectra in mid and side; both are aligned by the mid, so that the width of the reference is kept. The median of
 * the bands between 100 Hz and 8 kHz counts as their level: few bands that lie far apart do not shift all others. Bands of the mid
 * in which the reference holds no music count as equal. What a source that {@link isOneSided} holds is compared with the mid of the
 * reference. The side is compared where both have one.
 */
export function referenceDistance(
  source: SourceAnalysis,
  reference: SourceAnalysis,
  spectrumOf: (analysis: SourceAnalysis) => BandLevels = (analysis) => analysis.fineSpectrum,
): ReferenceDistance {
  const from = heardLevels(source, spectrumOf(source))
  const to = spectrumOf(reference)
  const sourceFromDb = musicFromDb(from)
  const referenceFromDb = musicFromDb(to)
  const mid = from.midDb.map((own, b) =>
    to.midDb[b]! < referenceFromDb ? null : to.midDb[b]! - Math.max(own, sourceFromDb),
  )
  const level = medianInCore(from.bandHz, mid)
  const midDb = mid.map((value) => (value === null ? 0 : value - level))
  const hasWidth = !reference.isMono && reference.deadChannel === null
  const hasSide = Math.max(...from.sideDb) > Math.max(...from.midDb) - noSideDb
  const isSideCompared = hasWidth && hasSide && !isOneSided(source)
  const sideDb = from.sideDb.map((own, b) => clamp(to.sideDb[b]! - own - level, -2 * sideClampDb, 2 * sideClampDb))
  const limitHz = commonBandwidthHz(source.bandwidthHz, reference.bandwidthHz)
  return {
    midDb,
    sideDb: isSideCompared ? sideDb : midDb,
    isSideCompared,
    limitHz,
    sideLimitHz: Math.min(limitHz, commonBandwidthHz(source.sideBandwidthHz, reference.sideBandwidthHz)),
  }
}

/**
 * Returns the filter toward a reference: mid and side apart, in sixth octaves (smoothed below 100 Hz), at most ±6 dB in mid and
 * ±4 dB in side, `amount` 0 … 100 per cent of the way, up to the lower of both bandwidths. The highs of a muffled song are lifted by 3 dB at most. Below 120 Hz the side is not compared,
 * but goes down with the mid: a bass must not become wide. The reference must be {@link isComparable}.
 */
export function planReferenceTone(
  analysis: SourceAnalysis,
  reference: SourceAnalysis,
  amount: number,
): StagePlan<Match> {
  if (analysis.isSilent || amount === 0) return nothingPlanned
  const { bandHz } = analysis.fineSpectrum
  const distance = referenceDistance(analysis, reference)
  let isFollowedInPart = false
  const curveOf = (values: readonly number[], limitHz: number, most: number, fromHz: number): number[] => {
    const held = heldAbove(bandHz, values, limitHz * bandwidthPart)
    const narrow = smoothed(bandHz, held, (hz) => (hz < smoothedBelowHz ? smoothingBands : 0))
    return narrow.map((value, b) => {
      if (bandHz[b]! < fromHz) return 0
      if (Math.abs(value) > most) isFollowedInPart = true
      const mostLift = isMuffled(analysis) && bandHz[b]! >= muffledFromHz ? Math.min(most, muffledLiftDb) : most
      return (clamp(value, -most, mostLift) * amount) / 100
    })
  }
  const mid = curveOf(distance.midDb, distance.limitHz, midClampDb, 0)
  const side = distance.isSideCompared
    ? curveOf(distance.sideDb, distance.sideLimitHz, sideClampDb, sideFromHz).map((gain, b) =>
        bandHz[b]! < sideFromHz ? Math.min(0, mid[b]!) : gain,
      )
    : mid
  const mostSideDb = distance.isSideCompared ? sideClampDb : midClampDb
  const largest = (values: readonly number[]): number => rounded(Math.max(...values.map(Math.abs)))
  return {
    stages: [
      {
        kind: 'match',
        mid: { frequencyHz: bandHz, gainDb: mid },
        side: { frequencyHz: bandHz, gainDb: side },
      },
    ],
    decisions: [
      {
        stage: 'tone',
        code: 'TONE_TOWARD_REFERENCE',
        values: {
          amount: rounded(amount),
          largestMidDb: largest(mid),
          // Below this frequency the side only follows the mid.
          largestSideDb: largest(distance.isSideCompared ? side.filter((_, b) => bandHz[b]! >= sideFromHz) : side),
          upToHz: Math.round(distance.limitHz),
          ...(isFollowedInPart ? { mostMidDb: midClampDb, mostSideDb } : {}),
        },
      },
    ],
  }
}
