/** What a value may be, in both languages: the further causes of INVALID_REQUEST. */
import type { Language } from './text.ts'

/** One rule that a value breaks. */
export type Detail =
  | { readonly rule: 'one_of'; readonly words: readonly string[] }
  | { readonly rule: 'between'; readonly least: number; readonly most: number }
  | { readonly rule: 'at_least' | 'at_most' | 'characters_at_least' | 'characters_at_most'; readonly limit: number }
  | { readonly rule: 'items_at_least' | 'items_at_most'; readonly limit: number }
  | { readonly rule: 'members'; readonly names: readonly string[] }
  | { readonly rule: 'file_part'; readonly names: readonly string[] }
  | {
      readonly rule:
        | 'whole_number'
        | 'number'
        | 'text'
        | 'flag'
        | 'list'
        | 'object'
        | 'uuid'
        | 'each_once'
        | 'once'
        | 'unknown_member'
        | 'session_only'
        | 'one_place'
        | 'unknown_song'
        | 'cursor'
        | 'not_in_query'
        | 'form'
    }

type Rule = Detail['rule']
type Sentence<R extends Rule> = (detail: Extract<Detail, { rule: R }>) => string

const SENTENCES: { readonly [R in Rule]: { readonly [L in Language]: string | Sentence<R> } } = {
  one_of: {
    en: ({ words }) => `It is one of: ${words.join(', ')}.`,
    ko: ({ words }) => `다음 중 하나예요: ${words.join(', ')}.`,
  },
  between: {
    en: ({ least, most }) => `It is a whole number from ${least} to ${most}.`,
    ko: ({ least, most }) => `${least}부터 ${most}까지의 정수예요.`,
  },
  at_least: { en: ({ limit }) => `It is ${limit} or more.`, ko: ({ limit }) => `${limit} 이상이에요.` },
  at_most: { en: ({ limit }) => `It is ${limit} or less.`, ko: ({ limit }) => `${limit} 이하예요.` },
  characters_at_least: {
    en: ({ limit }) => `It has at least ${characters(limit)}.`,
    ko: ({ limit }) => `${limit}자 이상이에요.`,
  },
  characters_at_most: {
    en: ({ limit }) => `It has at most ${characters(limit)}.`,
    ko: ({ limit }) => `${limit}자 이하예요.`,
  },
  items_at_least: {
    en: ({ limit }) => `It holds at least ${entries(limit)}.`,
    ko: ({ limit }) => `항목이 ${limit}개 이상이에요.`,
  },
  items_at_most: {
    en: ({ limit }) => `It holds at most ${entries(limit)}.`,
    ko: ({ limit }) => `항목이 ${limit}개 이하예요.`,
  },
  members: {
    en: ({ names }) => `Missing: ${names.join(', ')}.`,
    ko: ({ names }) => `빠진 값: ${names.join(', ')}.`,
  },
  whole_number: { en: 'It is a whole number.', ko: '정수예요.' },
  number: { en: 'It is a number.', ko: '숫자예요.' },
  text: { en: 'It is a text.', ko: '문자열이에요.' },
  flag: { en: 'It is true or false.', ko: 'true 또는 false예요.' },
  list: { en: 'It is a list.', ko: '배열이에요.' },
  object: { en: 'It is a JSON object.', ko: 'JSON 객체예요.' },
  uuid: { en: 'It is a UUID.', ko: 'UUID예요.' },
  each_once: { en: 'It holds each entry once.', ko: '같은 항목은 한 번만 넣을 수 있어요.' },
  once: { en: 'It is sent once.', ko: '한 번만 보낼 수 있어요.' },
  file_part: {
    en: ({ names }) => `A file is sent as one of: ${names.join(', ')}.`,
    ko: ({ names }) => `파일은 다음 이름으로 보내요: ${names.join(', ')}.`,
  },
  unknown_member: { en: 'There is no such member.', ko: '그런 이름의 값은 없어요.' },
  session_only: { en: 'Only the application itself may use it.', ko: '앱에서만 쓸 수 있어요.' },
  one_place: {
    en: 'A song is a file part or a stored song, not both.',
    ko: '곡은 파일 파트나 저장된 곡 중 하나로만 보낼 수 있어요.',
  },
  unknown_song: { en: 'There is no such stored song.', ko: '그런 저장된 곡이 없어요.' },
  cursor: { en: 'It is the next_cursor of the same list.', ko: '같은 목록의 next_cursor예요.' },
  not_in_query: {
    en: 'It belongs in the body of the request, not in its address.',
    ko: '주소가 아니라 요청 본문에 넣는 값이에요.',
  },
  form: { en: 'It does not have the form that /docs shows.', ko: '/docs에 있는 형식이 아니에요.' },
}

/** Returns the sentence of a rule. Never throws. */
export function detailText(detail: Detail, language: Language): string {
  const sentence = SENTENCES[detail.rule][language] as string | ((given: Detail) => string)
  return typeof sentence === 'string' ? sentence : sentence(detail)
}

function characters(count: number): string {
  return count === 1 ? '1 character' : `${count} characters`
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}
