/** Reasons for the suggestions of a song's analysis, in every language. */
import { platformNames } from '../platforms/index.ts'
import type { Genre, SettingName } from '../settings.ts'
import type { RangeFigure, Suggestion, SuggestionCode, SuggestionProposal, SuggestionReason } from '../suggestion.ts'
import type { Language, LocalizedText } from './language.ts'
import { change, clock, decibels, unbroken } from './numbers.ts'
import { both, type SentenceValues } from './sentence.ts'
import { genreNames, settingLabels } from './setting-words.ts'

const FIGURES: Readonly<Record<RangeFigure, LocalizedText>> = {
  bass: both('Bass', '저음'),
  low_mids: both('Low mids', '중저음'),
  presence: both('Upper mids', '중고음'),
  treble: both('Treble', '고음'),
  width: both('Width', '스테레오 폭'),
  attacks: both('Attacks', '어택'),
}

/** Kinds of text that a genre was found in. */
const SOURCES: Readonly<Record<string, LocalizedText>> = {
  tag: both('its genre tag', '장르 태그'),
  comment: both('the words of its maker', '제작 정보'),
  title: both('its title', '제목'),
}

/** Names a setting with its suggested value: `Air +2.0 dB`, `Width 120 %`, `Punch +20`. */
function settingText({ setting, value }: SentenceValues, language: Language): string {
  const name = settingLabels[setting as keyof typeof settingLabels][language]
  if (setting === ('width_percent' satisfies SettingName)) return `${name} ${value} %`
  if (setting === ('punch' satisfies SettingName)) return `${name} ${change(Number(value), 0)}`
  return `${name} ${change(Number(value))} dB`
}

const distance = (v: SentenceValues) => `${decibels(Number(v.distance_db), 1)} dB`

function outside(v: SentenceValues, en: string, ko: string): LocalizedText {
  const figure = FIGURES[v.figure as RangeFigure]
  const cure = (language: Language) => (v.setting === undefined ? '' : ` → ${settingText(v, language)}`)
  return both(
    `${figure.en} ${distance(v)} ${en} the range of released music${cure('en')}`,
    `${figure.ko}이 발매된 음악의 범위보다 ${distance(v)} ${ko}${cure('ko')}`,
  )
}

const lufs = (value: unknown) => decibels(Number(value), 1)
const db = (value: unknown) => `${decibels(Math.abs(Number(value)), 1)} dB`
const rises = (value: unknown) => Number(value) > 0

const SENTENCES: Readonly<Record<SuggestionCode, (values: SentenceValues) => LocalizedText>> = {
  BELOW_RANGE: (v) => outside(v, 'below', '낮아요'),
  ABOVE_RANGE: (v) => outside(v, 'above', '높아요'),
  WITHIN_RANGE: () =>
    both(
      'Tone, width and attacks lie within the range of released music.',
      '음색, 스테레오 폭, 어택은 발매된 음악의 범위 안에 있어요.',
    ),
  GENRE_FOUND: (v) => {
    const [genre, from] = [genreNames[v.genre as Genre], SOURCES[v.from!]]
    return both(
      `Genre by ${from?.en}: ${genre.en} (${v.probability_percent} %)`,
      `${from?.ko}로 본 장르: ${genre.ko} (${v.probability_percent} %)`,
    )
  },
  LOUDER_THAN_PLAYED: (v) => {
    const [played, release] = [lufs(v.played_lufs), lufs(v.release_lufs)]
    return both(
      `Already louder than ${platformNames('en').spotify} plays: ${played} LUFS would only turn it down; the release master may stay at ${release} LUFS.`,
      `이미 ${platformNames('ko').spotify}의 재생 음량보다 커요. ${played} LUFS로는 작아지기만 하니 공용 마스터는 ${release} LUFS로 두어도 돼요.`,
    )
  },
  LOUDEST_TARGET: (v) =>
    both(
      `Up to ${lufs(v.target_lufs)} LUFS little is lost: the loud parts give up ${db(v.reduction_db)}, ${db(v.plr_db)} are left from loudness to peak.`,
      `${lufs(v.target_lufs)} LUFS까지는 거의 잃지 않아요. 큰 부분이 ${db(v.reduction_db)} 줄고, 음량과 피크의 차이는 ${db(v.plr_db)} 남아요.`,
    ),
  TARGET_TOO_LOUD: (v) =>
    both(
      `${lufs(v.played_lufs)} LUFS costs this song more than 1 dB of its loud parts or leaves less than 8 dB to the peaks. At ${lufs(v.target_lufs)} LUFS they give up ${db(v.reduction_db)}.`,
      `${lufs(v.played_lufs)} LUFS에서는 큰 부분이 1 dB 넘게 줄거나 피크까지 8 dB가 남지 않아요. ${lufs(v.target_lufs)} LUFS에서는 ${db(v.reduction_db)}만 줄어요.`,
    ),
  LEVEL_DRIFTS: (v) =>
    both(
      `The level ${rises(v.change_db) ? 'rises' : 'falls'} evenly by ${db(v.change_db)} from start to end → ride it against that in the mix, by 3 dB at most`,
      `처음부터 끝까지 음량이 고르게 ${db(v.change_db)} ${rises(v.change_db) ? '커져요' : '작아져요'} → 믹스에서 3 dB 이내로 반대로 조절하세요`,
    ),
  TREBLE_BUILDS_UP: (v) =>
    both(
      `Treble builds up by ${db(v.change_db)} from start to end → ride it down in the mix, by 3 dB at most`,
      `처음부터 끝까지 고음이 ${db(v.change_db)} 쌓여요 → 믹스에서 3 dB 이내로 점점 줄이세요`,
    ),
  SECTION_JUMPS: (v) =>
    both(
      `The level jumps by ${change(Number(v.change_db))} dB at ${clock(Number(v.at_seconds))}, and nothing else changes → ride it in the mix, by 3 dB at most`,
      `${clock(Number(v.at_seconds))}에서 음량만 ${change(Number(v.change_db))} dB 튀어요 → 믹스에서 3 dB 이내로 맞추세요`,
    ),
  COLLAPSES_LATE: (v) =>
    both(
      `From ${clock(Number(v.at_seconds))} to the end the level stays ${db(v.change_db)} lower → cut there and fade out`,
      `${clock(Number(v.at_seconds))}부터 끝까지 음량이 ${db(v.change_db)} 낮아요 → 그 앞에서 자르고 페이드 아웃하세요`,
    ),
  ENDS_ABRUPTLY: (v) =>
    both(
      `The song breaks off at ${clock(Number(v.at_seconds))} → fade out over ${v.fade_seconds} s`,
      `곡이 ${clock(Number(v.at_seconds))}에서 끊겨요 → ${v.fade_seconds}초 동안 페이드 아웃하세요`,
    ),
}

/**
 * Returns a reason as a sentence in every language: `Treble 4.1 dB below the range of released music → Air +2.0 dB`. Never throws on a
 * reason of an analysis.
 */
export function suggestionText({ code, values }: SuggestionReason): LocalizedText {
  const { en, ko } = SENTENCES[code](values)
  return both(unbroken(en), unbroken(ko))
}

/** A reason in a few words: the setting that it proposes, if any, and the figure behind it. */
export interface SuggestionLine {
  readonly what: LocalizedText | null
  readonly why: LocalizedText
}

function outsideLine(v: SentenceValues, en: string, ko: string): SuggestionLine {
  const figure = FIGURES[v.figure as RangeFigure]
  return {
    what: v.setting === undefined ? null : both(settingText(v, 'en'), settingText(v, 'ko')),
    why: both(
      `${figure.en.toLowerCase()} ${distance(v)} ${en} released music`,
      `${figure.ko}이 발매된 음악보다 ${distance(v)} ${ko}`,
    ),
  }
}

const LINES: Readonly<Record<SuggestionCode, (values: SentenceValues) => SuggestionLine>> = {
  BELOW_RANGE: (v) => outsideLine(v, 'below', '낮음'),
  ABOVE_RANGE: (v) => outsideLine(v, 'above', '높음'),
  WITHIN_RANGE: () => ({
    what: null,
    why: both('Within the range of released music', '발매된 음악의 범위 안이에요'),
  }),
  GENRE_FOUND: (v) => ({
    what: genreNames[v.genre as Genre],
    why: both(
      `by ${SOURCES[v.from!]?.en}, ${v.probability_percent} %`,
      `${SOURCES[v.from!]?.ko}, ${v.probability_percent} %`,
    ),
  }),
  LOUDER_THAN_PLAYED: (v) => ({
    what: both(`Release ${lufs(v.release_lufs)} LUFS`, `공용 마스터 ${lufs(v.release_lufs)} LUFS`),
    why: both(`the song is above ${lufs(v.played_lufs)} LUFS already`, `곡이 이미 ${lufs(v.played_lufs)} LUFS보다 큼`),
  }),
  LOUDEST_TARGET: (v) => ({
    what: null,
    why: both(
      `Up to ${lufs(v.target_lufs)} LUFS the loud parts give up ${db(v.reduction_db)}`,
      `${lufs(v.target_lufs)} LUFS까지는 큰 부분이 ${db(v.reduction_db)} 줄어요`,
    ),
  }),
  TARGET_TOO_LOUD: (v) => ({
    what: both(`${lufs(v.target_lufs)} LUFS`, `${lufs(v.target_lufs)} LUFS`),
    why: both(
      `costs ${db(v.reduction_db)} of the loud parts; ${lufs(v.played_lufs)} costs too much`,
      `큰 부분이 ${db(v.reduction_db)} 줄어요. ${lufs(v.played_lufs)}는 너무 많이 눌려요`,
    ),
  }),
  LEVEL_DRIFTS: (v) => ({
    what: null,
    why: both(
      `Level ${rises(v.change_db) ? 'rises' : 'falls'} by ${db(v.change_db)}: ride it in the mix`,
      `음량이 ${db(v.change_db)} ${rises(v.change_db) ? '커져요' : '작아져요'}: 믹스에서 맞추세요`,
    ),
  }),
  TREBLE_BUILDS_UP: (v) => ({
    what: null,
    why: both(
      `Treble builds up by ${db(v.change_db)}: ride it in the mix`,
      `고음이 ${db(v.change_db)} 쌓여요: 믹스에서 맞추세요`,
    ),
  }),
  SECTION_JUMPS: (v) => ({
    what: null,
    why: both(
      `Level jumps by ${change(Number(v.change_db))} dB at ${clock(Number(v.at_seconds))}: ride it in the mix`,
      `${clock(Number(v.at_seconds))}에서 음량이 ${change(Number(v.change_db))} dB 튀어요: 믹스에서 맞추세요`,
    ),
  }),
  COLLAPSES_LATE: (v) => ({
    what: both(`Cut at ${clock(Number(v.at_seconds))}`, `${clock(Number(v.at_seconds))}에서 자르기`),
    why: both(`${db(v.change_db)} lower from there`, `그 뒤로 ${db(v.change_db)} 작음`),
  }),
  ENDS_ABRUPTLY: (v) => ({
    what: both(`Fade out ${v.fade_seconds} s`, `페이드 아웃 ${v.fade_seconds}초`),
    why: both(`breaks off at ${clock(Number(v.at_seconds))}`, `${clock(Number(v.at_seconds))}에서 끊김`),
  }),
}

/** Returns a reason in a few words, for a card with little room. Never throws on a reason of an analysis. */
export function suggestionLine({ code, values }: SuggestionReason): SuggestionLine {
  const { what, why } = LINES[code](values)
  return { what: what && both(unbroken(what.en), unbroken(what.ko)), why: both(unbroken(why.en), unbroken(why.ko)) }
}

/** Returns a suggestion with the sentences of its reasons. */
export function suggestionIn({ settings, reasons, price }: SuggestionProposal, language: Language): Suggestion {
  return {
    settings,
    reasons: reasons.map(({ code, values }) => ({ code, values, message: suggestionText({ code, values })[language] })),
    ...(price ? { price } : {}),
  }
}
