import type { Match } from '../../../src-contract/stages/match.ts'
import type { PlannedSong } from '../../analysis/analysis.ts'
import { faultVerdicts, probability, usualWidestDb } from '../../analysis/fault-classifier.ts'
import { usualWidthFaultDb } from '../../analysis/peak-relief.ts'
import { belowUsualUpTo, excessDb, usualUpToDb } from '../../analysis/usual-range.ts'
import { foldDownLossDb, isOppositePhase } from '../../dsp/meters/stereo.ts'
import { dbToPower, powerToDb, rise, rounded } from '../../dsp/units.ts'
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
  /** Target gain of the side, dB, to a tenth; 0 if nothing is done. */
  readonly sideGainDb: number
}

/** The part that leaves the width unchanged. */
export const imageLeftAlone: ImagePart = { ...nothingPlanned, sideGainDb: 0 }

/** Largest gain of a side at `sideToMidDb` that costs at most 1.5 dB more on fold-down, dB; always above 1.5. */
export function foldDownLimitDb(sideToMidDb: number): number {
  const power = dbToPower(foldDownLossDb(sideToMidDb) + mostFoldDownDb) - 1
  return powerToDb(power) - sideToMidDb
}

/**
 * Returns the correction of the width: a gain of the side for a piece that was certainly narrowed or widened, or is wider than all finished
 * music; full at intensity 50 and no larger above, times `part` (0 to 1). Widening is limited in the bass and in every band that would lose
 * more than 1.5 dB on fold-down beyond the source's loss. Nothing for silence, for mono, for a dead channel, for channels in opposite
 * phase, at intensity 0, and for ordinary width.
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
