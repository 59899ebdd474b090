/** Sentences about the engine's decisions, in the reader's language, for the report and every page. */
import type { RepairKind } from '../repair-kinds.ts'
import type { Decision, DecisionCode } from '../report.ts'
import { type StageDecisionCode, stageDecisionSentences } from '../stages/index.ts'
import { fromWireValues } from '../wire-values.ts'
import type { Language, LocalizedText } from './language.ts'
import { change, decibels } from './numbers.ts'
import { both, db, type Sentence } from './sentence.ts'

const stageNames: Record<Decision['stage'], LocalizedText> = {
  repair: both('Repair', '복원'),
  tone: both('Tone', '음색'),
  dynamics: both('Dynamics', '다이내믹'),
  image: both('Image', '스테레오'),
  clip: both('Clip', '클리핑'),
  limit: both('Limit', '리미팅'),
  land: both('Loudness', '음량 맞춤'),
}

const toneLeftAlone = (intensity: string | number | undefined): LocalizedText =>
  intensity === 0
    ? both('At intensity 0 the tone is left alone.', '강도 0에서는 음색을 그대로 둬요.')
    : both('No fault of tone was found, so it was left alone.', '음색에서 결함이 보이지 않아 그대로 두었어요.')

const dynamicsLeftAlone = (intensity: string | number | undefined): LocalizedText =>
  intensity === 0
    ? both('At intensity 0 the dynamics are left alone.', '강도 0에서는 다이내믹을 그대로 둬요.')
    : both('The dynamics suit the song and were left alone.', '다이내믹이 알맞아 그대로 두었어요.')

/** Faults as the subject of "was found". */
const faultNames: Readonly<Record<RepairKind, LocalizedText>> = {
  dc_offset: both('An offset was', 'DC 오프셋'),
  rumble: both('Rumble was', '초저역 잡음'),
  clipping: both('Clipped peaks were', '잘린 피크'),
  clicks: both('Clicks were', '클릭음'),
  whistle: both('A whistle was', '가는 고음'),
  flutter: both('A flutter of the level was', '음량 떨림'),
  mud: both('Mud was', '뭉친 중저역'),
  resonance: both('A resonance was', '공진'),
  sibilance: both('Sharp sibilance was', '날카로운 치찰음'),
  mono_bass: both('A low end that is wide was', '너무 넓은 저역'),
}

/** Sentences of the decisions outside the kinds of processing stage. */
const otherSentences: Record<Exclude<DecisionCode, StageDecisionCode>, Sentence> = {
  NOTHING_TO_REPAIR: () => both('No fault was found, so nothing was repaired.', '결함이 없어 복원하지 않았어요.'),
  REPAIR_SKIPPED: (v) => {
    const name = faultNames[v.repair as RepairKind] ?? both('A fault was', '결함')
    return both(`${name.en} found and left alone, as asked.`, `${name.ko}: 찾았지만 요청대로 그대로 두었어요.`)
  },
  TONE_LEFT_ALONE: (v) =>
    v.amount === 0
      ? both('The planned tone was left out, as asked.', '계획한 음색 보정은 요청대로 하지 않았어요.')
      : toneLeftAlone(v.intensity),
  DYNAMICS_LEFT_ALONE: (v) =>
    v.amount === 0
      ? both('The planned compression was left out, as asked.', '계획한 컴프레션은 요청대로 하지 않았어요.')
      : dynamicsLeftAlone(v.intensity),
  IMAGE_LEFT_ALONE: (v) =>
    v.amount === 0
      ? both('The planned width was left out, as asked.', '계획한 스테레오 보정은 요청대로 하지 않았어요.')
      : both('The stereo image was left alone.', '스테레오 이미지는 그대로 두었어요.'),
  CLIP_BUDGET_CHOSEN: (v) =>
    both(
      `The soft clipper takes up to ${db(v.clipBudgetDb)} off the highest peaks: measured to be cleaner than limiting alone.`,
      `소프트 클리퍼가 가장 높은 피크를 ${db(v.clipBudgetDb)}까지 깎아요. 리미터만 쓸 때보다 깨끗했어요.`,
    ),
  CLIP_NOT_USED: () =>
    both('No clipper: the limiter holds the peaks alone.', '클리퍼 없이 리미터만으로 피크를 잡았어요.'),
  GAIN_ONLY: (v) =>
    both(
      `Only gain was needed (${change(Number(v.gainDb ?? 0))} dB); no peak came near the ceiling.`,
      `게인만으로 충분했어요(${change(Number(v.gainDb ?? 0))} dB). 피크 한도에 닿는 피크가 없었어요.`,
    ),
  LIMITED: (v) =>
    both(
      `Peaks lose up to ${db(v.maxGainReductionDb)}, the loud parts ${db(v.meanGainReductionDb)} on average.`,
      `피크는 최대 ${db(v.maxGainReductionDb)}, 큰 부분은 평균 ${db(v.meanGainReductionDb)} 줄어요.`,
    ),
  RESULT_OFFSET_REMOVED: (v) =>
    both(
      `An offset of ${decibels(Number(v.offsetDbfs ?? 0), 1)} dBFS that was left after limiting was taken out.`,
      `리미팅 뒤에 남은 ${decibels(Number(v.offsetDbfs ?? 0), 1)} dBFS의 DC 오프셋을 없앴어요.`,
    ),
  STOPPED_BELOW_TARGET: (v) =>
    both(
      `The master is ${decibels(Number(v.missingLu ?? 0), 1)} LU below its target: more loudness would have cost too much sound quality.`,
      `목표보다 ${decibels(Number(v.missingLu ?? 0), 1)} LU 낮게 멈췄어요. 더 올리면 얻는 것보다 잃는 것이 많아요.`,
    ),
  CEILING_LOWERED_FOR_CODEC: (v) =>
    both(
      `The ceiling was lowered by ${db(v.loweredDb)}, so that the lossy copy stays below full scale.`,
      `손실 압축본이 풀스케일을 넘지 않도록 피크 한도를 ${db(v.loweredDb)} 낮췄어요.`,
    ),
  RECIPE_FOLLOWED: (v) =>
    both(
      `The recipe that was sent was followed: ${v.stages === 1 ? '1 stage' : `${v.stages ?? 'its'} stages`} in place of a plan.`,
      `보낸 레시피를 그대로 따랐어요. 단계 ${v.stages ?? ''}개를 계획 대신 썼어요.`,
    ),
  CANDIDATE_CHOSEN: (v) => {
    const name = candidateNames[String(v.candidate)] ?? both('the best', '가장 나은 것')
    const isOther = v.candidate === 'gentler' || v.candidate === 'firmer'
    const intensity =
      isOther && v.intensity !== undefined ? both(` (intensity ${v.intensity})`, `(강도 ${v.intensity})`) : both('', '')
    return both(
      `${v.of ?? 'Several'} recipes were tried on the loudest and the quietest passage; ${name.en}${intensity.en} measured best.`,
      `가장 큰 부분과 가장 조용한 부분에 레시피 ${v.of ?? '여러'}개를 시험했고, ${name.ko}${intensity.ko} 쪽이 가장 좋았어요.`,
    )
  },
}

const candidateNames: Readonly<Record<string, LocalizedText>> = {
  as_asked: both('the one asked for', '요청한 그대로'),
  gentler: both('a gentler one', '더 부드러운'),
  firmer: both('a firmer one', '더 강한'),
}

const decisionSentences: Readonly<Record<DecisionCode, Sentence>> = { ...stageDecisionSentences, ...otherSentences }

/** Returns a decision and its reason. Missing numbers shorten the sentence; never throws. */
export function decisionText({ code, values }: Pick<Decision, 'code' | 'values'>, language: Language = 'en'): string {
  return decisionSentences[code](fromWireValues(values))[language]
}

/** Returns the name of a decision's stage of the chain. Never throws. */
export function stageText(stage: Decision['stage'], language: Language = 'en'): string {
  return stageNames[stage][language]
}
