/** Short summary of the changes to a song by the chain, from the plan or from the report. */
import { PLATFORMS, type Platform, platformNames } from '../platforms/index.ts'
import type { Decision, DecisionCode } from '../report.ts'
import { fromWireValues } from '../wire-values.ts'
import { LANGUAGES, type LocalizedText } from './language.ts'
import { change, unbroken } from './numbers.ts'
import { both, db, hz, type Sentence, type SentenceValues } from './sentence.ts'

type Value = SentenceValues[string] | undefined

const withSign = (sign: 1 | -1) => (value: Value) =>
  typeof value === 'number' ? ` ${change(sign * Math.abs(value))} dB` : ''
const lift = withSign(1)
const cut = withSign(-1)
const upTo = (value: Value) =>
  typeof value === 'number' ? both(`, up to ${db(value)}`, `, 최대 ${db(value)}`) : both('', '')
/** The place of a change: a preposition and a frequency in English, before what is changed in Korean. */
const place = (preposition: string, value: Value) =>
  typeof value === 'number' ? both(` ${preposition} ${hz(value)}`, `${hz(value)} `) : both('', '')

/** Words a change at a frequency. */
const at =
  (preposition: string, en: string, ko: string, gain: (value: Value) => string = () => ''): Sentence =>
  (v) => {
    const there = place(preposition, v.frequencyHz)
    return both(`${en}${there.en}${gain(v.gainDb)}`, `${there.ko}${ko}${gain(v.gainDb)}`)
  }

/** Words a change whose largest part is known. */
const toward =
  (name: string, en: string, ko: string): Sentence =>
  (v) =>
    both(`${en}${upTo(v[name]).en}`, `${ko}${upTo(v[name]).ko}`)
/** Change of the sound by each decision, in a few words; null for decisions that change nothing or show in the level. */
const CHANGES: Readonly<Record<DecisionCode, Sentence | null>> = {
  NOTHING_TO_REPAIR: null,
  REPAIR_SKIPPED: null,
  DC_REMOVED: () => both('an offset out', 'DC 오프셋 제거'),
  DC_LEFT: null,
  RUMBLE_FILTERED: at('below', 'rumble out', '아래 초저역 잡음 제거'),
  RUMBLE_LEFT: null,
  CLIPPING_REBUILT: () => both('clipped peaks rebuilt', '잘린 피크 복원'),
  CLIPPING_LEFT: null,
  CLICKS_MENDED: () => both('clicks mended', '클릭음 복원'),
  WHISTLE_REMOVED: at('at', 'a whistle out', '가는 고음 제거'),
  FLUTTER_STEADIED: () => both('flutter of the level evened out', '음량 떨림 안정'),
  MUD_CUT: at('at', 'mud', '뭉침', cut),
  RESONANCE_TAMED: at('at', 'a resonance held back', '공진 억제'),
  SIBILANCE_TAMED: () => both('sibilance softened', '치찰음 완화'),
  BASS_MADE_MONO: at('below', 'low end centred', '아래 저역 모노'),
  TONE_LEFT_ALONE: null,
  TONE_HARSHNESS_CUT: at('at', 'harshness', '거침', cut),
  TONE_DULLNESS_LIFTED: at('above', 'highs', '위 고역', lift),
  TONE_EXCESS_CUT: at('at', 'excess', '과다', cut),
  TONE_LEANED: at('at', 'a slight lean', '약한 보정'),
  TONE_TOWARD_GENRE: toward('largestDb', 'tone toward the genre', '장르 쪽 음색'),
  TONE_WITHIN_GENRE: null,
  TONE_TOWARD_REFERENCE: toward('largestMidDb', 'tone toward the reference', '레퍼런스 쪽 음색'),
  TONE_STEERED: () => both('tone as set', '설정한 음색'),
  WARMTH_ADDED: () => both('warmth as set', '설정한 온기'),
  DYNAMICS_LEFT_ALONE: null,
  DENSITY_RAISED: () => both('density as set', '설정한 밀도'),
  BANDS_COMPRESSED: () => both('bands that stand out compressed gently', '튀는 대역 압축'),
  ATTACKS_RAISED: () => both('attacks raised as set', '설정한 어택 강조'),
  ATTACKS_HELD_BACK: () => both('attacks held back as set', '설정한 어택 억제'),
  IMAGE_LEFT_ALONE: null,
  IMAGE_WIDENED: (v) => both(`sides${lift(v.gainDb)}`, `사이드${lift(v.gainDb)}`),
  IMAGE_NARROWED: (v) => {
    const range = v.fromHz === undefined ? '' : ` ${hz(v.fromHz)}–${hz(v.toHz)}`
    return both(`sides${range}${cut(v.gainDb)}`, `사이드${range}${cut(v.gainDb)}`)
  },
  WIDTH_SET: () => both('width as set', '설정한 폭'),
  WIDTH_SET_IN_PART: () => both('width as far as mono stands it', '모노가 허용하는 만큼의 폭'),
  HIGHS_NARROWED: () => both('sides of the highs as set', '설정한 고역 사이드'),
  WIDTH_NOT_SET: null,
  CLIP_BUDGET_CHOSEN: null,
  CLIP_NOT_USED: null,
  GAIN_ONLY: null,
  LIMITED: null,
  RESULT_OFFSET_REMOVED: null,
  STOPPED_BELOW_TARGET: null,
  CEILING_LOWERED_FOR_CODEC: null,
  CANDIDATE_CHOSEN: null,
  RECIPE_FOLLOWED: () => both('the recipe that was sent', '보낸 레시피 적용'),
}

/** Gain and limiting of one master. */
export interface LevelChange {
  readonly platform: Platform
  readonly gain_db: number
  readonly max_gain_reduction_db: number
}

/**
 * Returns what is changed in a song, in every language: "Low end centred below 110 Hz, mud at 240 Hz −1.6 dB. Level: Spotify +2.1 dB, peaks
 * up to −1.4 dB." If only the level is changed it says so: "Only the level: Spotify −1.2 dB. No fault was found." Platforms of the same
 * level are named together; gain reductions below 0.1 dB are left out. Without `levels` it speaks of the sound alone. Never throws.
 */
export function changeSummary(
  decisions: readonly Pick<Decision, 'code' | 'values'>[],
  levels: readonly LevelChange[] = [],
): LocalizedText {
  const texts = decisions.flatMap(({ code, values }) => CHANGES[code]?.(fromWireValues(values)) ?? [])
  const isSkipped = decisions.some(({ code }) => code === 'REPAIR_SKIPPED')
  const inEvery = (say: (language: (typeof LANGUAGES)[number]) => string) =>
    Object.fromEntries(LANGUAGES.map((language) => [language, unbroken(say(language))])) as LocalizedText
  const level = inEvery((language) => levelText(levels, language))
  if (texts.length === 0) {
    const end = isSkipped ? both('', '') : both(' No fault was found.', ' 결함은 없었어요.')
    if (levels.length === 0) return both(`Nothing is changed.${end.en}`, `바뀌는 것이 없어요.${end.ko}`)
    return both(`Only the level: ${level.en}.${end.en}`, `음량만: ${level.ko}.${end.ko}`)
  }
  return inEvery((language) => {
    const parts = [...new Set(texts.map((text) => text[language]))].join(', ')
    const sentence = `${parts.charAt(0).toUpperCase()}${parts.slice(1)}.`
    if (levels.length === 0) return sentence
    return `${sentence} ${both('Level', '음량')[language]}: ${level[language]}.`
  })
}

/** Returns the gains of the masters and the strongest limiting: `Spotify, YouTube +2.1 dB, Apple Music +0.1 dB, peaks up to −1.4 dB`. */
function levelText(levels: readonly LevelChange[], language: (typeof LANGUAGES)[number]): string {
  const names = platformNames(language)
  const inOrder = levels.toSorted((one, other) => PLATFORMS.indexOf(one.platform) - PLATFORMS.indexOf(other.platform))
  const groups = Map.groupBy(inOrder, ({ gain_db }) => change(gain_db))
  const gains = [...groups].map(([db, same]) => `${same.map(({ platform }) => names[platform]).join(', ')} ${db} dB`)
  const deepest = Math.max(0, ...levels.map(({ max_gain_reduction_db }) => max_gain_reduction_db))
  if (deepest < 0.1) return gains.join(', ')
  return [...gains, `${both('peaks up to', '피크 최대')[language]} ${change(-deepest)} dB`].join(', ')
}
