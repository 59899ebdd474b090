/** Costs of a loudness target: the losses of a master on the way to it. Pure. */
import type { MasterCost, MasterResult } from '../../src-contract/report.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import type { SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { foldDownLossDb, sideToMidDb } from '../../src-engine/dsp/meters/stereo.ts'

/** Mean gain reduction above which the loud parts sound held down, dB. Ours. */
const MOST_MEAN_REDUCTION_DB = 3
/** Loss of the highest peak above which an attack changes its character, dB. Ours. */
const MOST_PEAK_REDUCTION_DB = 10
/** Distance from loudness to peak below which music sounds flat, dB. Ours. */
const LEAST_PLR_DB = 6
/** A source that was as narrow before by less than this did not lose it here, dB. */
const NOTICED_PLR_DB = 0.5
/** Loss on fold-down to mono beyond the source's, dB: the planner's own limit for a band. */
const MOST_FOLD_DOWN_DB = 1.5

/** Measurements of the source to compare its master with; null for silence and mono. */
export interface CostSource {
  readonly plrDb: number | null
  readonly sideToMidDb: number | null
}

/** Returns the measurements of an analysed song that its masters are compared with. */
export function costSourceOf({ plrDb, comparedSpectrum }: SourceAnalysis): CostSource {
  return { plrDb, sideToMidDb: sideToMidDb(comparedSpectrum) }
}

/** Measurements of a master that show its losses. */
export type Measured = Pick<
  MasterResult,
  'mean_gain_reduction_db' | 'max_gain_reduction_db' | 'plr_db' | 'codec_checks'
> & { readonly sideToMidDb: number | null }

const tenths = (db: number): number => Math.round(db * 10) / 10
const lossDb = (sideToMidDb: number | null): number => (sideToMidDb === null ? 0 : foldDownLossDb(sideToMidDb))

/** Returns the losses of a master, the heaviest kind first; empty if it lost nothing. */
export function costsOf(master: Measured, source: CostSource): MasterCost[] {
  const { mean_gain_reduction_db: meanDb, max_gain_reduction_db: peakDb, plr_db: plrDb, codec_checks = [] } = master
  const { plrDb: sourcePlrDb } = source
  const isNarrowed = sourcePlrDb !== null && plrDb < LEAST_PLR_DB && sourcePlrDb - plrDb >= NOTICED_PLR_DB
  const lostDb = lossDb(master.sideToMidDb) - lossDb(source.sideToMidDb)
  const over = codec_checks.filter((check) => check.true_peak_dbtp > 0)
  const highest = over.sort((one, other) => other.true_peak_dbtp - one.true_peak_dbtp)[0]
  const found: readonly (MasterCost | false)[] = [
    meanDb > MOST_MEAN_REDUCTION_DB && cost('LOUD_PARTS_REDUCED', { meanGainReductionDb: tenths(meanDb) }),
    peakDb > MOST_PEAK_REDUCTION_DB && cost('PEAKS_REDUCED', { maxGainReductionDb: tenths(peakDb) }),
    isNarrowed && cost('DYNAMICS_NARROWED', { plrDb: tenths(plrDb), sourcePlrDb: tenths(sourcePlrDb) }),
    lostDb > MOST_FOLD_DOWN_DB && cost('FOLD_DOWN_LOST', { lostDb: tenths(lostDb) }),
    highest !== undefined &&
      cost('CODEC_OVERSHOOT', {
        codec: highest.codec,
        truePeakDbtp: Math.round(highest.true_peak_dbtp * 100) / 100,
      }),
  ]
  return found.filter((one) => one !== false)
}

function cost(code: MasterCost['code'], values: Readonly<Record<string, number | string>>): MasterCost {
  return { code, values: toWireValues(values) }
}
