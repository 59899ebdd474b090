/** Targets as they are saved: the measurements of a reference in the names of the wire, unrounded. */
import type { SavedTarget } from '../../../src-contract/saved-targets.ts'
import { matchBands, type SourceAnalysis } from '../../analysis/analysis.ts'
import { type BandLevels, type Bands, thirdOctaves } from '../../dsp/meters/spectrum.ts'

/** Part of a reference's analysis that a match needs; the audio itself need not be kept. */
export type ToneTarget = Pick<
  SourceAnalysis,
  | 'sampleRateHz'
  | 'frames'
  | 'integratedLufs'
  | 'sideToMidDb'
  | 'isMono'
  | 'deadChannel'
  | 'isLossy'
  | 'bandwidthHz'
  | 'sideBandwidthHz'
  | 'spectrum'
  | 'fineSpectrum'
>

/** One of the references of a song. */
export interface WeightedTarget {
  readonly target: ToneTarget
  readonly weight: number
}

/** Returns the target of a reference, equivalent to the reference itself. */
export function savedTarget(reference: ToneTarget): SavedTarget {
  const levels = ({ midDb, sideDb }: BandLevels) => ({ mid_db: [...midDb], side_db: [...sideDb] })
  return {
    sample_rate_hz: reference.sampleRateHz,
    frames: reference.frames,
    integrated_lufs: reference.integratedLufs,
    side_to_mid_db: reference.sideToMidDb,
    is_mono: reference.isMono,
    dead_channel: reference.deadChannel,
    is_lossy: reference.isLossy,
    bandwidth_hz: reference.bandwidthHz,
    side_bandwidth_hz: reference.sideBandwidthHz,
    spectrum: levels(reference.spectrum),
    fine_spectrum: levels(reference.fineSpectrum),
  }
}

/** Returns a saved target as a reference. */
export function referenceOf({ weight = 1, ...saved }: SavedTarget): WeightedTarget {
  const levels = ({ mid_db, side_db }: SavedTarget['spectrum'], { centresHz }: Bands): BandLevels => ({
    bandHz: centresHz,
    midDb: mid_db,
    sideDb: side_db,
  })
  const target = {
    sampleRateHz: saved.sample_rate_hz,
    frames: saved.frames,
    integratedLufs: saved.integrated_lufs,
    sideToMidDb: saved.side_to_mid_db,
    isMono: saved.is_mono,
    deadChannel: saved.dead_channel,
    isLossy: saved.is_lossy,
    bandwidthHz: saved.bandwidth_hz,
    sideBandwidthHz: saved.side_bandwidth_hz,
    spectrum: levels(saved.spectrum, thirdOctaves),
    fineSpectrum: levels(saved.fine_spectrum, matchBands),
  }
  return { target, weight }
}
