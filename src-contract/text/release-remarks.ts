/** Sentences of the remarks on names and codes, in both languages. */
import type { Language } from './language.ts'

type Sentence = { readonly [L in Language]: (found: string) => string }

export const REMARK_WORDS = {
  hidden_characters: {
    en: () => 'It contains invisible characters, or blanks that do not belong there.',
    ko: () => '보이지 않는 문자나 불필요한 공백이 있어요.',
  },
  emoji: {
    en: (found) => `Receivers refuse emoji (${found}).`,
    ko: (found) => `이모지(${found})는 받는 곳에서 거절해요.`,
  },
  url: {
    en: (found) => `Receivers refuse addresses (${found}).`,
    ko: (found) => `인터넷 주소(${found})는 받는 곳에서 거절해요.`,
  },
  official_video: {
    en: (found) => `“${found}” belongs to a video, not to a recording.`,
    ko: (found) => `“${found}”은(는) 영상에 붙이는 말이라 음원 제목에는 쓸 수 없어요.`,
  },
  all_capitals: {
    en: () => 'Receivers refuse titles in capitals, or rewrite them.',
    ko: () => '대문자로만 쓴 제목은 받는 곳에서 거절하거나 고쳐요.',
  },
  featured_in_title: {
    en: (found) => `The guest ${found} has a field of its own.`,
    ko: (found) => `피처링 ${found}은(는) 따로 적는 항목이 있어요.`,
  },
  featured_missing_in_title: {
    en: () => 'The receiver asks for guests in the title too.',
    ko: () => '받는 곳에서 피처링을 제목에도 적으라고 해요.',
  },
  artist_in_title: {
    en: (found) => `The title begins with the artist, ${found}.`,
    ko: (found) => `제목 앞에 아티스트 이름(${found})이 있어요.`,
  },
  generic_title: {
    en: (found) => `“${found}” is no title. Give the song its name.`,
    ko: (found) => `“${found}”은(는) 제목이 아니에요. 곡 제목을 적으세요.`,
  },
  same_title: {
    en: (found) => `Track ${found} has the same title. Tell them apart by a version.`,
    ko: (found) => `트랙 ${found}과(와) 제목이 같아요. 버전을 적어 구분하세요.`,
  },
  artist_twice: {
    en: () => 'An artist is named twice.',
    ko: () => '같은 아티스트가 두 번 있어요.',
  },
  same_isrc: {
    en: (found) => `Track ${found} has the same ISRC. Each recording has one of its own.`,
    ko: (found) => `트랙 ${found}과(와) ISRC가 같아요. 녹음마다 ISRC가 달라야 해요.`,
  },
} as const satisfies Readonly<Record<string, Sentence>>
