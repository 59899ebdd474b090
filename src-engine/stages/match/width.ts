import type { Decision } from '../../../src-contract/report.ts'
import type { Match } from '../../../src-contract/stages/match.ts'
import type { PlannedSong } from '../../analysis/analysis.ts'
import { faultVerdicts, probability, usualWidestDb } from '../../analysis/fault-classifier.ts'
import { usualWidthFaultDb } from '../../analysis/peak-relief.ts'
import { belowUsualUpTo, excessDb, usualUpToDb } from '../../analysis/usual-range.ts'
import { isWidthBand, type WidthEvidence } from '../../analysis/width-evidence.ts'
import { quantile } from '../../dsp/meters/spectrum.ts'
import { foldDownLossDb, isOppositePhase } from '../../dsp/meters/stereo.ts'
import { clamp, dbToPower, powerToDb, rise, rounded } from '../../dsp/units.ts'
import { nothingPlanned, type StagePlan } from '../stage.ts'

/**
 * Range of the widest moments over which widening fades in, dB. A narrower mix would stay narrower than nearly all music even with twice
 * the side: it is nearly mono, not a narrowed mix.
 */
const nearlyMonoDb = -13
const mixedWideDb = -10

/** Largest loss of a band on fold-down to mono beyond the source's, dB. */
const mostFoldDownDb = 1.5
/** Upper end of the bass, Hz, and level of the side relative to the mid that it must not exceed there, dB. */
const bassHz = 120
const bassSideDb = -8

/**
 * Side gain in dB against narrowing or widening, each scaled by its certainty, 0 to 1: the mean of the fault's usual size, a factor of two
 * in either direction, and the distance to the usual width; one describes the fault, the other the piece. At most 6 dB; 0 while no fault is
 * certain; never away from the usual width.
 */
export function widthCorrectionDb(
  { narrowed, widened }: { readonly narrowed: number; readonly widened: number },
  widestDb: number,
): number {
  const wayBackDb = usualWidestDb - widestDb
  const part = wayBackDb > 0 ? narrowed * rise(widestDb, nearlyMonoDb, mixedWideDb) : -widened
  // Near the usual width the correction is limited to three times the distance, which avoids a jump.
  const wholeDb = (usualWidthFaultDb + Math.min(Math.abs(wayBackDb), usualWidthFaultDb)) / 2
  return part * Math.min(wholeDb, 3 * Math.abs(wayBackDb))
}

/** The part of the plan that corrects the width. */
export interface ImagePart extends StagePlan<Match> {
  /** Gain of the side in the bass, dB; 0 if nothing is done. */
  readonly bassSideGainDb: number
}

/** The part that leaves the width unchanged. */
export const imageLeftAlone: ImagePart = { ...nothingPlanned, bassSideGainDb: 0 }

/** Largest gain of a side at `sideToMidDb` that costs at most 1.5 dB more on fold-down, dB; always above 1.5. */
export function foldDownLimitDb(sideToMidDb: number): number {
  const power = dbToPower(foldDownLossDb(sideToMidDb) + mostFoldDownDb) - 1
  return powerToDb(power) - sideToMidDb
}

/** Correlation of the channels above which a piece is not too wide, however wide its widest moments are. */
const mostCorrelationOfWide = 0.5
/** Least gain of a correction, dB. */
const leastGainDb = 0.1

/** Returns a gain for every band of the spectrum: bands outside the range of the width bands take the gain of the nearest. */
function inAllBands(bandHz: readonly number[], gainsDb: readonly number[]): number[] {
  const first = bandHz.findIndex(isWidthBand)
  return bandHz.map((_, b) => gainsDb[clamp(b - first, 0, gainsDb.length - 1)]!)
}

const partsOf = ({ width, halves }: PlannedSong): WidthEvidence[] => [width, ...halves.map((half) => half.width)]

const medianBandDb = ({ widestEnergyDb }: WidthEvidence): number =>
  quantile(
    widestEnergyDb.toSorted((a, b) => a - b),
    0.5,
  )

/** Least width of the widest energy of each width band among the piece and its halves, dB. */
function widestBandsDb(analysis: PlannedSong): number[] {
  const parts = partsOf(analysis)
  return analysis.width.widestEnergyDb.map((_, k) => Math.min(...parts.map(({ widestEnergyDb }) => widestEnergyDb[k]!)))
}

/**
 * Returns the correction of a piece that is too wide, in the bands that are: back to the usual width where a widener is certain, by
 * `byOddsDb` (0 or less) at most, and back to the limit of finished music in a piece half of whose bands lie beyond. Bands are judged by
 * their energy. Nothing for channels that have much in common.
 */
function narrow(analysis: PlannedSong, byOddsDb: number, strength: number): ImagePart {
  const { bandHz } = analysis.spectrum
  if (analysis.correlation > mostCorrelationOfWide) return imageLeftAlone
  const widestDb = widestBandsDb(analysis)
  // A single band as wide is a single instrument.
  const isBeyond = excessDb('widened', partsOf(analysis).map(medianBandDb)) > 0
  const beyondDb = widestDb.map((width) => (isBeyond ? -Math.min(usualWidthFaultDb, excessDb('widened', [width])) : 0))
  const certainDb = widestDb.map((width) => Math.max(byOddsDb, Math.min(0, usualWidestDb - width)))
  const gainsDb = widestDb.map((_, k) => strength * Math.min(beyondDb[k]!, certainDb[k]!))
  const mostDb = Math.min(...gainsDb)
  if (mostDb > -leastGainDb) return imageLeftAlone
  const widthBandHz = bandHz.filter(isWidthBand)
  const concerned = widthBandHz.filter((_, k) => gainsDb[k]! <= -leastGainDb)
  return imagePart(analysis, inAllBands(bandHz, gainsDb), 'IMAGE_NARROWED', {
    gainDb: rounded(mostDb),
    widestDb: rounded(Math.max(...widestDb)),
    fromHz: Math.round(concerned[0]!),
    toHz: Math.round(concerned.at(-1)!),
    usualDb: usualWidestDb,
    ...(Math.min(...beyondDb) < Math.min(...certainDb)
      ? { usualUpToDb: usualUpToDb.widened, probability: belowUsualUpTo }
      : { probability: rounded(probability(faultVerdicts(analysis).widened.logOdds), 2) }),
  })
}

/** Returns the correction of a narrowed piece, limited in the bass and in every band that would lose more than 1.5 dB more in mono. */
function widen(analysis: PlannedSong, wantedDb: number): ImagePart {
  const { spectrum, width } = analysis
  if (wantedDb < leastGainDb) return imageLeftAlone
  const gainsDb = spectrum.bandHz.map((hz, b) => {
    const sideToMidDb = spectrum.sideDb[b]! - spectrum.midDb[b]!
    const bassLimitDb = hz < bassHz ? Math.max(0, bassSideDb - sideToMidDb) : usualWidthFaultDb
    return Math.min(wantedDb, foldDownLimitDb(sideToMidDb), bassLimitDb)
  })
  return imagePart(analysis, gainsDb, 'IMAGE_WIDENED', {
    gainDb: rounded(wantedDb),
    widestDb: rounded(width.widestDb),
    usualDb: usualWidestDb,
    probability: rounded(probability(faultVerdicts(analysis).narrowed.logOdds), 2),
  })
}

function imagePart(
  { spectrum: { bandHz } }: PlannedSong,
  gainDb: readonly number[],
  code: 'IMAGE_NARROWED' | 'IMAGE_WIDENED',
  values: Decision['values'],
): ImagePart {
  const zero = gainDb.map(() => 0)
  return {
    bassSideGainDb: gainDb[0]!,
    stages: [{ kind: 'match', mid: { frequencyHz: bandHz, gainDb: zero }, side: { frequencyHz: bandHz, gainDb } }],
    decisions: [{ stage: 'image', code, values }],
  }
}

/**
 * Returns the correction of the width: a gain of the side for a piece that was certainly narrowed or widened, or is wider than all finished
 * music; full at intensity 50 and no larger above, times `part` (0 to 1). Nothing for silence, for mono, for a dead channel, for channels
 * in opposite phase, at intensity 0, and for ordinary width.
 */
export function planImage(analysis: PlannedSong, intensity: number, part: number): ImagePart {
  const { isMono, deadChannel, isSilent, width, sideToMidDb } = analysis
  if (isMono || isSilent || isOppositePhase(sideToMidDb) || deadChannel !== null || intensity === 0)
    return imageLeftAlone
  const { narrowed, widened } = faultVerdicts(analysis)
  const byOddsDb = widthCorrectionDb({ narrowed: narrowed.certainty, widened: widened.certainty }, width.widestDb)
  const strength = Math.min(1, intensity / 50) * part
  return byOddsDb > 0 ? widen(analysis, byOddsDb * strength) : narrow(analysis, byOddsDb, strength)
}
