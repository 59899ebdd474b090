import type { SourceAnalysis } from './analysis.ts'
import { foldDownLossDb } from './meters/stereo.ts'
import type { PlanPart } from './plan-repair.ts'
import { clamp } from './units.ts'

/**
 * Side against mid of the widest moments (one in twenty), dB: the middle of what finished pieces have, and the limits beyond which a piece counts as narrowed
 * or widened. 90 per cent of the pieces on which these were chosen (docs/engine.md) lie between the limits.
 */
const usualWidestDb = 2.2
const narrowBelowDb = -1.2
const wideAboveDb = 5.4
/** Beyond a limit the whole way back is gone within this many dB. */
const certaintyDb = 0.5
/** A factor of two in either direction is what careless widening or a bad mono-compatible bounce does. */
const mostDb = 6

/** No band loses more than this on fold-down to mono beyond what it lost in the source, dB. */
const mostFoldDownDb = 1.5
/** Below 120 Hz the side stays at least this far below the mid, dB. */
const bassHz = 120
const bassSideDb = -8

/** Side gain in dB that brings the width back to the usual, 0 inside the limits. */
export function widthCorrectionDb(widestDb: number): number {
  if (widestDb <= -50) return 0
  const whole = usualWidestDb - widestDb
  const beyond = Math.max(narrowBelowDb - widestDb, widestDb - wideAboveDb)
  return clamp(whole * clamp(beyond / certaintyDb, 0, 1), -mostDb, mostDb)
}

/** Largest gain of a side that lies `sideToMidDb` against the mid for which fold-down costs at most 1.5 dB more. */
function foldDownLimitDb(sideToMidDb: number): number {
  const power = 10 ** ((foldDownLossDb(sideToMidDb) + mostFoldDownDb) / 10) - 1
  return 10 * Math.log10(power) - sideToMidDb
}

/**
 * Returns the correction of the width: a gain of the side for a piece whose widest moments show that it was narrowed or widened. Widening is held back in
 * every band in which it would cost more than 1.5 dB on fold-down, and in the bass. Nothing for mono, for a dead channel, at intensity 0, and for ordinary
 * width.
 */
export function planImage(analysis: SourceAnalysis, intensity: number): PlanPart {
  const { isMono, deadChannel, isSilent, width, spectrum } = analysis
  if (isMono || isSilent || deadChannel !== null || intensity === 0) return { stages: [], decisions: [] }
  const wantedDb = widthCorrectionDb(width.widestDb) * Math.min(1, intensity / 50)
  if (Math.abs(wantedDb) < 0.1) return { stages: [], decisions: [] }
  const gainDb = spectrum.bandHz.map((hz, b) => {
    const sideToMidDb = spectrum.sideDb[b]! - spectrum.midDb[b]!
    const limitDb = foldDownLimitDb(sideToMidDb)
    const bassLimitDb = hz < bassHz ? Math.max(0, bassSideDb - sideToMidDb) : mostDb
    return Math.min(wantedDb, limitDb, bassLimitDb)
  })
  const zero = gainDb.map(() => 0)
  const { bandHz } = spectrum
  return {
    stages: [{ kind: 'match', mid: { frequencyHz: bandHz, gainDb: zero }, side: { frequencyHz: bandHz, gainDb } }],
    decisions: [
      {
        stage: 'image',
        code: wantedDb > 0 ? 'IMAGE_WIDENED' : 'IMAGE_NARROWED',
        values: {
          gainDb: Number(wantedDb.toFixed(1)),
          widestDb: Number(width.widestDb.toFixed(1)),
          usualDb: usualWidestDb,
        },
      },
    ],
  }
}
