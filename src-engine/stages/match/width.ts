import type { Match } from '../../../src-contract/stages/match.ts'
import type { PlannedSong } from '../../analysis/analysis.ts'
import { faultVerdicts, probability, usualWidestDb } from '../../analysis/fault-classifier.ts'
import { usualWidthFaultDb } from '../../analysis/peak-relief.ts'
import { belowUsualUpTo, excessDb, usualUpToDb } from '../../analysis/usual-range.ts'
import { foldDownLossDb, isOppositePhase } from '../../dsp/meters/stereo.ts'
import { dbToPower, powerToDb, rise, rounded } from '../../dsp/units.ts'
import { nothingPlanned, type StagePlan } from '../stage.ts'

/**
 * Widest moments between which widening fades in, dB. What is narrower would still be narrower than nearly all music with twice the
 * side: it is not a mix that was narrowed, but one that is nearly mono.
 */
const nearlyMonoDb = -13
const mixedWideDb = -10

/** No band loses more than this on fold-down to mono beyond what it lost in the source, dB. */
const mostFoldDownDb = 1.5
/** Below 120 Hz the side stays at least this far below the mid, dB. */
const bassHz = 120
const bassSideDb = -8

/**
 * Side gain in dB against narrowing or widening, each by how certain it is, 0 to 1: the mean of the usual size of the fault, a factor
 * of two in either direction, and the way back to the usual width, since one knows the fault and the other the piece. At most 6 dB; 0
 * while no fault is certain, and away from the usual width never.
 */
export function widthCorrectionDb(
  { narrowed, widened }: { readonly narrowed: number; readonly widened: number },
  widestDb: number,
): number {
  const wayBackDb = usualWidestDb - widestDb
  const part = wayBackDb > 0 ? narrowed * rise(widestDb, nearlyMonoDb, mixedWideDb) : -widened
  // Near the usual width there is no more to do than three times the way, so that nothing jumps there.
  const wholeDb = (usualWidthFaultDb + Math.min(Math.abs(wayBackDb), usualWidthFaultDb)) / 2
  return part * Math.min(wholeDb, 3 * Math.abs(wayBackDb))
}

/** The part of the plan that corrects the width. */
export interface ImagePart extends StagePlan<Match> {
  /** Gain of the side that is aimed at, dB, to a tenth; 0 where nothing is done. */
  readonly sideGainDb: number
}

/** The part that leaves the width as it is. */
export const imageLeftAlone: ImagePart = { ...nothingPlanned, sideGainDb: 0 }

/** Largest gain of a side that lies `sideToMidDb` against the mid for which fold-down costs at most 1.5 dB more; above 1.5 dB. */
export function foldDownLimitDb(sideToMidDb: number): number {
  const power = dbToPower(foldDownLossDb(sideToMidDb) + mostFoldDownDb) - 1
  return powerToDb(power) - sideToMidDb
}

/**
 * Returns the correction of the width: a gain of the side for a piece that was for certain narrowed or
 * widened, or is wider than all finished music, whole at intensity 50 and no larger above, `part` (0 to 1) of it. Widening is held
 * back in every band in which it would cost more than 1.5 dB on fold-down beyond the source's, and in the bass. Nothing for
 * silence, for mono, for a dead channel, for channels in opposite phase, at intensity 0, and for ordinary width.
 */
export function planImage(analysis: PlannedSong, intensity: number, part: number): ImagePart {
  const { isMono, deadChannel, isSilent, width, spectrum, sideToMidDb } = analysis
  if (isMono || isSilent || isOppositePhase(sideToMidDb) || deadChannel !== null || intensity === 0)
    return imageLeftAlone
  const { narrowed, widened } = faultVerdicts(analysis)
  const byOddsDb = widthCorrectionDb({ narrowed: narrowed.certainty, widened: widened.certainty }, width.widestDb)
  const beyondDb = Math.min(usualWidthFaultDb, excessDb(analysis, 'widened'))
  const isBeyond = beyondDb > 0 && -beyondDb < byOddsDb
  const wantedDb = (isBeyond ? -beyondDb : byOddsDb) * Math.min(1, intensity / 50) * part
  if (Math.abs(wantedDb) < 0.1) return imageLeftAlone
  const gainDb = spectrum.bandHz.map((hz, b) => {
    const sideToMidDb = spectrum.sideDb[b]! - spectrum.midDb[b]!
    const limitDb = foldDownLimitDb(sideToMidDb)
    const bassLimitDb = hz < bassHz ? Math.max(0, bassSideDb - sideToMidDb) : usualWidthFaultDb
    return Math.min(wantedDb, limitDb, bassLimitDb)
  })
  const zero = gainDb.map(() => 0)
  const sideGainDb = rounded(wantedDb)
  const { bandHz } = spectrum
  return {
    sideGainDb,
    stages: [{ kind: 'match', mid: { frequencyHz: bandHz, gainDb: zero }, side: { frequencyHz: bandHz, gainDb } }],
    decisions: [
      {
        stage: 'image',
        code: wantedDb > 0 ? 'IMAGE_WIDENED' : 'IMAGE_NARROWED',
        values: {
          gainDb: sideGainDb,
          widestDb: rounded(width.widestDb),
          usualDb: usualWidestDb,
          ...(isBeyond
            ? { usualUpToDb: usualUpToDb.widened, probability: belowUsualUpTo }
            : { probability: rounded(probability((wantedDb > 0 ? narrowed : widened).logOdds), 2) }),
        },
      },
    ],
  }
}
