/** Sentences about the fields that receivers ask for, in both languages. */
import type { FieldNeed, ReleaseField } from '../distributors/fields.ts'
import type { Language, LocalizedText } from './language.ts'

export const FIELD_WORDS: Readonly<Record<ReleaseField, LocalizedText>> = {
  title: { en: 'Title', ko: '제목' },
  artist: { en: 'Artist', ko: '아티스트' },
  label: { en: 'Label', ko: '레이블' },
  release_date: { en: 'Release date', ko: '발매일' },
  upc: { en: 'UPC or EAN', ko: 'UPC 또는 EAN' },
  genre: { en: 'Genre', ko: '장르' },
  language: { en: 'Language', ko: '언어' },
  p_line: { en: '℗ line', ko: '℗ 표시' },
  c_line: { en: '© line', ko: '© 표시' },
  composers: { en: 'Composers', ko: '작곡가' },
  lyricists: { en: 'Lyricists', ko: '작사가' },
  isrc: { en: 'ISRC', ko: 'ISRC' },
  explicit: { en: 'Explicit lyrics', ko: '노골적인 가사' },
  disclosure: { en: 'AI disclosure', ko: 'AI 사용 고지' },
}

/** State of a field at one receiver. */
export interface FieldState {
  readonly need: FieldNeed | 'unknown'
  readonly state: 'given' | 'missing' | 'assigned'
  /** Name of the receiver. */
  readonly receiver: string
  /** Numbers of the tracks where it is blank; empty for a field of the release. */
  readonly tracks: readonly number[]
}

/** Returns the state of a field as one sentence. */
export function fieldText({ need, state, receiver, tracks }: FieldState, language: Language): string {
  const numbers = tracks.join(', ')
  const where =
    language === 'ko'
      ? numbers
        ? `트랙 ${numbers}: `
        : ''
      : numbers
        ? ` on track${tracks.length > 1 ? 's' : ''} ${numbers}`
        : ''
  if (language === 'ko') {
    if (state === 'given') return '입력됨.'
    if (state === 'assigned') return `${where}${receiver}에서 부여해요.`
    if (need === 'required') return `${where}비어 있어요. ${receiver}에 꼭 필요해요.`
    if (need === 'asked') return `${where}비어 있어요. ${receiver}에서 물어봐요.`
    return `${where}비어 있어요. ${receiver}에서 필요한지는 읽을 수 있는 자료에서 찾지 못했어요.`
  }
  if (state === 'given') return 'Given.'
  if (state === 'assigned') return `Assigned by ${receiver}${where}.`
  if (need === 'required') return `Missing${where}. ${receiver} requires it.`
  if (need === 'asked') return `Blank${where}. ${receiver} asks for it.`
  return `Blank${where}. Whether ${receiver} requires it was not found in what we could read.`
}
