/** What the engine decided and why, in the reader's language: the report and every page say it in these sentences. */
import type { Decision, DecisionCode } from '../report.ts'
import { fromWireValues } from '../wire-values.ts'
import { change, count, decibels, frequency } from './numbers.ts'
import type { Language } from './text.ts'

type Bilingual = Readonly<Record<Language, string>>

const both = (en: string, ko: string): Bilingual => ({ en, ko })

const stageNames: Record<Decision['stage'], Bilingual> = {
  repair: both('Repair', '복원'),
  tone: both('Tone', '음색'),
  dynamics: both('Dynamics', '다이내믹'),
  image: both('Image', '스테레오'),
  clip: both('Clip', '클리핑'),
  limit: both('Limit', '리미팅'),
  land: both('Land', '라우드니스 맞춤'),
}

type Sentence = (v: Readonly<Record<string, number | string>>) => Bilingual

const places = (v: Record<string, number | string>) => (v.count === undefined ? '' : ` (${count(Number(v.count))})`)
const hz = (value: number | string | undefined) => (typeof value === 'number' ? frequency(value) : '')
const db = (value: number | string | undefined) =>
  typeof value === 'number' ? `${decibels(Math.abs(value), 1)} dB` : ''

const percent = (value: number | string) => `${Math.round(Number(value))} %`

const decisionSentences: Record<DecisionCode, Sentence> = {
  NOTHING_TO_REPAIR: () => both('No fault was found, so nothing was repaired.', '결함이 없어 복원하지 않았어요.'),
  DC_REMOVED: (v) =>
    v.method === 'filtered'
      ? both('An offset that moves with the music was filtered out.', '음악과 함께 움직이는 DC 오프셋을 걸러 냈어요.')
      : both('A constant offset was removed.', 'DC 오프셋을 없앴어요.'),
  DC_LEFT: () =>
    both(
      'An offset moves with the music. The peaks would rise without it, so it was left.',
      'DC 오프셋이 음악과 함께 움직여요. 없애면 피크가 더 높아져서 그대로 뒀어요.',
    ),
  RUMBLE_FILTERED: (v) =>
    both(`Rumble around ${hz(v.frequencyHz)} was filtered.`, `${hz(v.frequencyHz)} 부근의 초저역 잡음을 걸렀어요.`),
  RUMBLE_LEFT: (v) =>
    both(
      `There is energy below 20 Hz, most around ${hz(v.frequencyHz)}. The peaks would rise without it, so it was left: it shapes the music's own waves.`,
      `20 Hz 아래, 주로 ${hz(v.frequencyHz)} 부근에 에너지가 있어요. 없애면 피크가 더 높아져서 음악의 일부로 보고 그대로 뒀어요.`,
    ),
  CLIPPING_REBUILT: (v) => both(`Clipped peaks were rebuilt${places(v)}.`, `잘린 피크를 복원했어요${places(v)}.`),
  CLIPPING_LEFT: () =>
    both(
      'The song is clipped throughout. That is part of its sound, so nothing was rebuilt.',
      '곡 전체가 클리핑되어 있어요. 소리의 일부로 보고 복원하지 않았어요.',
    ),
  CLICKS_MENDED: (v) => both(`Clicks were mended${places(v)}.`, `클릭음을 고쳤어요${places(v)}.`),
  MUD_CUT: (v) =>
    both(
      `Mud around ${hz(v.frequencyHz)} was cut by ${db(v.gainDb)}.`,
      `${hz(v.frequencyHz)} 부근에 뭉친 소리를 ${db(v.gainDb)} 줄였어요.`,
    ),
  RESONANCE_TAMED: (v) =>
    both(
      `A resonance at ${hz(v.frequencyHz)} that stands out by ${db(v.excessDb)} is held back while it sounds.`,
      `${hz(v.frequencyHz)}에서 ${db(v.excessDb)} 튀는 공진을 울릴 때만 눌러요.`,
    ),
  SIBILANCE_TAMED: () => both('Sharp sibilance was softened.', '날카로운 치찰음을 부드럽게 했어요.'),
  BASS_MADE_MONO: (v) =>
    v.from === undefined
      ? both(`The low end below ${hz(v.frequencyHz)} was made mono.`, `${hz(v.frequencyHz)} 아래를 모노로 모았어요.`)
      : both(
          `The low end below ${hz(v.frequencyHz)} was made mono: both channels have that of the ${v.from === 'left' ? 'left' : 'right'} one.`,
          `${hz(v.frequencyHz)} 아래를 모노로 모았어요. 두 채널 모두 ${v.from === 'left' ? '왼쪽' : '오른쪽'} 채널의 저역을 써요.`,
        ),
  TONE_LEFT_ALONE: (v) =>
    v.intensity === 0
      ? both('At intensity 0 the tone is left alone.', '강도 0에서는 음색을 그대로 둬요.')
      : both('No fault of tone was found, so it was left alone.', '음색에서 결함이 보이지 않아 그대로 두었어요.'),
  TONE_HARSHNESS_CUT: (v) =>
    both(
      `Harshness around ${hz(v.frequencyHz)} was taken down by ${db(v.gainDb)}.`,
      `${hz(v.frequencyHz)} 부근의 거친 소리를 ${db(v.gainDb)} 낮췄어요.`,
    ),
  TONE_DULLNESS_LIFTED: (v) =>
    both(
      `A dull top was lifted by ${db(v.gainDb)} from ${hz(v.frequencyHz)} up.`,
      `어두운 고역을 ${hz(v.frequencyHz)}부터 ${db(v.gainDb)} 올렸어요.`,
    ),
  TONE_EXCESS_CUT: (v) =>
    both(
      `There was more around ${hz(v.frequencyHz)} than nearly all finished music has; it was taken down by ${db(v.gainDb)}.`,
      `${hz(v.frequencyHz)} 부근의 소리가 거의 모든 완성곡보다 많아 ${db(v.gainDb)} 낮췄어요.`,
    ),
  TONE_LEANED: (v) => {
    const fault = possibleFaults[String(v.fault)] ?? both('a fault', '고르지 않을')
    return both(
      `The tone leans by ${db(v.gainDb)} away from ${fault.en} around ${hz(v.frequencyHz)}: possible, but too uncertain to call it a fault.`,
      `${hz(v.frequencyHz)} 부근이 ${fault.ko} 수 있어 ${db(v.gainDb)}만 살짝 기울였어요. 결함이라고 할 만큼 확실하지는 않아요.`,
    )
  },
  TONE_TOWARD_GENRE: (v) =>
    both(
      `The tone was moved toward the genre, by ${db(v.largestDb)} at most.`,
      `음색을 장르 쪽으로 옮겼어요. 최대 ${db(v.largestDb)}예요.`,
    ),
  TONE_TOWARD_REFERENCE: (v) => {
    const amount = percent(v.amount ?? 100)
    const inPart =
      v.mostMidDb === undefined
        ? both('', '')
        : both(
            ` Differences beyond ${decibels(Number(v.mostMidDb), 0)} dB in the mid and ${decibels(Number(v.mostSideDb), 0)} dB in the sides counted only that far.`,
            ` 미드 ${decibels(Number(v.mostMidDb), 0)} dB, 사이드 ${decibels(Number(v.mostSideDb), 0)} dB를 넘는 차이는 거기까지만 반영했어요.`,
          )
    return both(
      `The tone was moved ${amount} of the way to the reference: up to ${db(v.largestMidDb)} in the mid and ${db(v.largestSideDb)} in the sides, up to ${hz(v.upToHz)}.${inPart.en}`,
      `음색을 레퍼런스 쪽으로 ${amount} 옮겼어요. 미드 최대 ${db(v.largestMidDb)}, 사이드 최대 ${db(v.largestSideDb)}, ${hz(v.upToHz)}까지예요.${inPart.ko}`,
    )
  },
  DYNAMICS_LEFT_ALONE: (v) =>
    v.intensity === 0
      ? both('At intensity 0 the dynamics are left alone.', '강도 0에서는 다이내믹을 그대로 둬요.')
      : both('The dynamics suit the song and were left alone.', '다이내믹이 알맞아 그대로 두었어요.'),
  DENSITY_RAISED: () =>
    both('The density was raised, so that the limiter need not pump.', '리미터가 출렁이지 않도록 밀도를 높였어요.'),
  BANDS_COMPRESSED: () => both('Bands that stand out were compressed gently.', '튀는 대역을 부드럽게 압축했어요.'),
  IMAGE_LEFT_ALONE: () => both('The stereo image was left alone.', '스테레오 이미지는 그대로 두었어요.'),
  IMAGE_WIDENED: (v) =>
    both(
      `The stereo image was widened by ${db(v.gainDb)} in the sides.`,
      `사이드를 ${db(v.gainDb)} 올려 스테레오 이미지를 넓혔어요.`,
    ),
  IMAGE_NARROWED: (v) =>
    both(
      `The stereo image was wider than usual and was narrowed by ${db(v.gainDb)} in the sides.`,
      `지나치게 넓어 사이드를 ${db(v.gainDb)} 낮춰 좁혔어요.`,
    ),
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
  STOPPED_BELOW_TARGET: (v) =>
    both(
      `The master stops ${decibels(Number(v.missingLu ?? 0), 1)} LU below the target: going on would have cost more than it gives.`,
      `목표보다 ${decibels(Number(v.missingLu ?? 0), 1)} LU 낮게 멈췄어요. 더 올리면 얻는 것보다 잃는 것이 많아요.`,
    ),
  CEILING_LOWERED_FOR_CODEC: (v) =>
    both(
      `The ceiling was lowered by ${db(v.loweredDb)}, so that the lossy copy stays below full scale.`,
      `손실 압축본이 풀스케일을 넘지 않도록 피크 한도를 ${db(v.loweredDb)} 낮췄어요.`,
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

const possibleFaults: Readonly<Record<string, Bilingual>> = {
  mud: both('mud', '뭉쳤을'),
  harshness: both('harshness', '거칠'),
  dullness: both('a dull top', '어두울'),
}

const candidateNames: Readonly<Record<string, Bilingual>> = {
  as_asked: both('the one asked for', '요청한 그대로'),
  gentler: both('a gentler one', '더 부드러운'),
  firmer: both('a firmer one', '더 강한'),
}

/** Returns what was decided and why. Numbers that are missing leave a shorter sentence; never throws. */
export function decisionText({ code, values }: Pick<Decision, 'code' | 'values'>, language: Language = 'en'): string {
  return decisionSentences[code](fromWireValues(values))[language]
}

/** Returns the name of the stage of the chain to which a decision belongs. Never throws. */
export function stageText(stage: Decision['stage'], language: Language = 'en'): string {
  return stageNames[stage][language]
}
