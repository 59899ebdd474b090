/** Sentences about the losses of a master, in both languages. */
import type { CostCode, MasterCost, MasterResult } from '../report.ts'
import { fromWireValues } from '../wire-values.ts'
import type { Language, LocalizedText } from './language.ts'
import { change, codecLabel } from './numbers.ts'
import { both, db, type SentenceValues } from './sentence.ts'

const SENTENCES: Readonly<Record<CostCode, (values: SentenceValues) => LocalizedText>> = {
  LOUD_PARTS_REDUCED: (v) =>
    both(
      `The loud parts lose ${db(v.meanGainReductionDb)} on average.`,
      `큰 부분이 평균 ${db(v.meanGainReductionDb)} 줄어요.`,
    ),
  PEAKS_REDUCED: (v) =>
    both(`Peaks lose up to ${db(v.maxGainReductionDb)}.`, `피크가 최대 ${db(v.maxGainReductionDb)} 줄어요.`),
  DYNAMICS_NARROWED: (v) =>
    both(
      `Only ${db(v.plrDb)} are left from loudness to peak; the source has ${db(v.sourcePlrDb)}.`,
      `음량과 피크의 차이가 ${db(v.plrDb)}만 남아요. 원본은 ${db(v.sourcePlrDb)}예요.`,
    ),
  FOLD_DOWN_LOST: (v) =>
    both(
      `In mono it loses ${db(v.lostDb)} more than the source does.`,
      `모노로 들으면 원본보다 ${db(v.lostDb)} 더 작아져요.`,
    ),
  CODEC_OVERSHOOT: (v) =>
    both(
      `After ${codecLabel(v.codec)} the peaks reach ${change(Number(v.truePeakDbtp), 2)} dBTP.`,
      `${codecLabel(v.codec)}로 압축하면 피크가 ${change(Number(v.truePeakDbtp), 2)} dBTP까지 올라요.`,
    ),
}

/** Returns a loss as a sentence. Never throws. */
export function costText({ code, values }: MasterCost, language: Language): string {
  return SENTENCES[code](fromWireValues(values))[language]
}

/** Returns true for a master that reached its target without losses; results of earlier versions contain only the target. */
export function isWithoutCost({ verdict, costs = [] }: Pick<MasterResult, 'verdict' | 'costs'>): boolean {
  return verdict === 'on_target' && costs.length === 0
}
