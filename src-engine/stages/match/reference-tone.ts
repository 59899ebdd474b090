import type { Match } from '../../../src-contract/stages/match.ts'
import type { SourceAnalysis } from '../../analysis/analysis.ts'
import { commonBandwidthHz, heardLevels, medianInCore, musicFromDb } from '../../analysis/comparable.ts'
import { isMuffled } from '../../analysis/treble-fall.ts'
import type { BandLevels } from '../../dsp/meters/spectrum.ts'
import { isOppositePhase } from '../../dsp/meters/stereo.ts'
import { clamp, rounded } from '../../dsp/units.ts'
import { nothingPlanned, type StagePlan } from '../stage.ts'
import { heldAbove, smoothed } from './band-curves.ts'
import type { ToneTarget, WeightedTarget } from './saved-target.ts'

/** Largest movement of the mid unless another is requested, dB. */
const standardClampDb = 6
/** Returns the largest movement of the side relative to the mid, dB. */
const sideClampDb = (midClampDb: number): number => (2 * midClampDb) / 3
/** Largest lift of a muffled song's highs toward a reference, dB, and their lower end, Hz: the lift raises noise as well. */
const muffledLiftDb = 3
const muffledFromHz = 2400
/** Lower end of the comparison of the side, Hz: the bass must not become wide. */
const sideFromHz = 120
/** Upper end of smoothing, Hz, and its reach in bands to either side: few notes fall into a low band. */
const smoothedBelowHz = 100
const smoothingBands = 1.5
/** Followed part of a reference's bandwidth: the skirt of a cutoff does not belong to the tone. */
const bandwidthPart = 0.94
/** Level of a missing side below the mid, dB. */
const noSideDb = 60

/** True for sound in one channel or in the side alone, where mid and side are filtered alike. */
function isOneSided({ deadChannel, sideToMidDb }: SourceAnalysis): boolean {
  return deadChannel !== null || isOppositePhase(sideToMidDb)
}

/** Gains toward a reference before smoothing and clamping, with the level difference taken out. */
interface ReferenceDistance {
  readonly midDb: readonly number[]
  readonly sideDb: readonly number[]
  /** True if both have a side to compare; otherwise the side moves with the mid, which keeps positions in the stereo image. */
  readonly isSideCompared: boolean
  /** End of the lower of both bandwidths, Hz. */
  readonly limitHz: number
  /** The same for the sides. */
  readonly sideLimitHz: number
}

/**
 * Distance of two spectra in mid and side, both aligned by the mid, which keeps the width of the reference. Their level is the median of
 * the bands between 100 Hz and 8 kHz: a few bands far apart do not shift all others. Bands of the mid without music in the reference count
 * as equal. The sound of a source that {@link isOneSided} is compared with the mid of the reference. The side is compared if both have one,
 * up to twice its share of `clampDb`, the largest movement of the mid.
 */
export function referenceDistance(
  source: SourceAnalysis,
  reference: ToneTarget,
  clampDb: number = standardClampDb,
  spectrumOf: (analysis: ToneTarget) => BandLevels = (analysis) => analysis.fineSpectrum,
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
  const mostSideDb = 2 * sideClampDb(clampDb)
  const sideDb = from.sideDb.map((own, b) => clamp(to.sideDb[b]! - own - level, -mostSideDb, mostSideDb))
  const limitHz = commonBandwidthHz(source.bandwidthHz, reference.bandwidthHz)
  return {
    midDb,
    sideDb: isSideCompared ? sideDb : midDb,
    isSideCompared,
    limitHz,
    sideLimitHz: Math.min(limitHz, commonBandwidthHz(source.sideBandwidthHz, reference.sideBandwidthHz)),
  }
}

/** Returns the weighted mean of curves; a single one unchanged. */
export function weightedMean(
  curves: readonly { readonly values: readonly number[]; readonly weight: number }[],
): number[] {
  const total = curves.reduce((sum, { weight }) => sum + weight, 0)
  return curves[0]!.values.map((_, b) =>
    curves.reduce((sum, { values, weight }) => sum + (weight / total) * values[b]!, 0),
  )
}

/**
 * Returns the filter toward a reference: separate for mid and side, in sixth octaves (smoothed below 100 Hz), at most ±`clampDb` in mid
 * and two thirds of it in side, `amount` 0 … 100 per cent of the way, up to the lower of both bandwidths. The highs of a muffled song are
 * lifted by 3 dB at most. Below 120 Hz the side is not compared but goes down with the mid: the bass must not become wide. The reference
 * must be {@link isComparable}. Of several references it follows the weighted mean of the distances.
 */
export function planReferenceTone(
  analysis: SourceAnalysis,
  references: readonly WeightedTarget[],
  amount: number,
  clampDb: number = standardClampDb,
): StagePlan<Match> {
  if (analysis.isSilent || amount === 0) return nothingPlanned
  const { bandHz } = analysis.fineSpectrum
  const distances = references.map(({ target, weight }) => ({
    ...referenceDistance(analysis, target, clampDb),
    weight,
  }))
  let isFollowedInPart = false
  type Part = { readonly db: 'midDb' | 'sideDb'; readonly limitHz: 'limitHz' | 'sideLimitHz' }
  const curveOf = ({ db, limitHz }: Part, most: number, fromHz: number): number[] => {
    const held = weightedMean(
      distances.map((one) => ({
        values: heldAbove(bandHz, one[db], one[one.isSideCompared ? limitHz : 'limitHz'] * bandwidthPart),
        weight: one.weight,
      })),
    )
    const narrow = smoothed(bandHz, held, (hz) => (hz < smoothedBelowHz ? smoothingBands : 0))
    return narrow.map((value, b) => {
      if (bandHz[b]! < fromHz) return 0
      if (Math.abs(value) > most) isFollowedInPart = true
      const mostLift = isMuffled(analysis) && bandHz[b]! >= muffledFromHz ? Math.min(most, muffledLiftDb) : most
      return (clamp(value, -most, mostLift) * amount) / 100
    })
  }
  const mid = curveOf({ db: 'midDb', limitHz: 'limitHz' }, clampDb, 0)
  const isSideCompared = distances.some((one) => one.isSideCompared)
  const side = isSideCompared
    ? curveOf({ db: 'sideDb', limitHz: 'sideLimitHz' }, sideClampDb(clampDb), sideFromHz).map((gain, b) =>
        bandHz[b]! < sideFromHz ? Math.min(0, mid[b]!) : gain,
      )
    : mid
  const mostSideDb = isSideCompared ? sideClampDb(clampDb) : clampDb
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
          largestSideDb: largest(isSideCompared ? side.filter((_, b) => bandHz[b]! >= sideFromHz) : side),
          upToHz: Math.round(Math.max(...distances.map(({ limitHz }) => limitHz))),
          ...(isFollowedInPart ? { mostMidDb: rounded(clampDb), mostSideDb: rounded(mostSideDb) } : {}),
        },
      },
    ],
  }
}
