/** Rules of values, in both languages: the details of INVALID_REQUEST. */
import type { Language } from './language.ts'

/** One rule that a value breaks. */
export type Detail =
  | { readonly rule: 'one_of'; readonly words: readonly string[] }
  | { readonly rule: 'some_of'; readonly words: readonly string[] }
  | { readonly rule: 'between'; readonly least: number; readonly most: number }
  | { readonly rule: 'number_between'; readonly least: number; readonly most: number }
  | { readonly rule: 'at_least' | 'at_most' | 'characters_at_least' | 'characters_at_most'; readonly limit: number }
  | { readonly rule: 'bytes_at_most'; readonly limit: number }
  | { readonly rule: 'items_at_least' | 'items_at_most'; readonly limit: number }
  | { readonly rule: 'members'; readonly names: readonly string[] }
  | { readonly rule: 'file_part'; readonly names: readonly string[] }
  | { readonly rule: 'not_text'; readonly name: string }
  | { readonly rule: 'references'; readonly limit: number }
  | { readonly rule: 'weight_of_each'; readonly count: number }
  | { readonly rule: 'passage'; readonly limit: number }
  | {
      readonly rule: 'in_row'
      readonly row: number
      readonly column: string
      /** Content of the cell, perhaps shortened. */
      readonly value: string
      readonly broken: Detail
    }
  | { readonly rule: 'same_as_row' | 'unlike_row'; readonly row: number }
  | { readonly rule: 'same_as_track'; readonly track: number }
  | { readonly rule: 'open_quote'; readonly line: number }
  | { readonly rule: 'in_line'; readonly line: number; readonly field: string; readonly broken: Detail }
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
        | 'rising'
        | 'beside_recipe'
        | 'unknown_member'
        | 'session_only'
        | 'one_platform'
        | 'one_place'
        | 'zip_or_stems'
        | 'unknown_song'
        | 'unknown_set'
        | 'unknown_preset'
        | 'needs_set'
        | 'needs_reference'
        | 'no_voice'
        | 'no_original'
        | 'unknown_job'
        | 'unknown_track'
        | 'one_song'
        | 'song_of_line'
        | 'folder_of_delivery'
        | 'json'
        | 'needed'
        | 'tracks_once'
        | 'isrc'
        | 'track'
        | 'year'
        | 'upc'
        | 'date'
        | 'picture'
        | 'language'
        | 'rounded'
        | 'needed_release'
        | 'release_artist'
        | 'no_heading'
        | 'column_twice'
        | 'cursor'
        | 'not_in_query'
        | 'full_path'
        | 'one_rate'
        | 'silent_passage'
        | 'other_test'
        | 'other_sounds'
    }
  | { readonly rule: 'form'; readonly example?: string }

type Rule = Detail['rule']
type Sentence<R extends Rule> = (detail: Extract<Detail, { rule: R }>) => string

const SENTENCES: { readonly [R in Rule]: { readonly [L in Language]: string | Sentence<R> } } = {
  one_of: {
    en: ({ words }) => `It must be one of: ${words.join(', ')}.`,
    ko: ({ words }) => `다음 중 하나여야 해요: ${words.join(', ')}.`,
  },
  between: {
    en: ({ least, most }) => `It must be a whole number from ${least} to ${most}.`,
    ko: ({ least, most }) => `${least}부터 ${most}까지의 정수여야 해요.`,
  },
  number_between: {
    en: ({ least, most }) => `It must be a number from ${least} to ${most}, with a point for decimals.`,
    ko: ({ least, most }) => `${least}부터 ${most}까지의 수여야 해요. 소수점은 점(.)으로 적어요.`,
  },
  at_least: { en: ({ limit }) => `It must be ${limit} or more.`, ko: ({ limit }) => `${limit} 이상이어야 해요.` },
  at_most: { en: ({ limit }) => `It must be ${limit} or less.`, ko: ({ limit }) => `${limit} 이하여야 해요.` },
  characters_at_least: {
    en: ({ limit }) => `It must have at least ${characters(limit)}.`,
    ko: ({ limit }) => `${limit}자 이상이어야 해요.`,
  },
  characters_at_most: {
    en: ({ limit }) => `It must have at most ${characters(limit)}.`,
    ko: ({ limit }) => `${limit}자 이하여야 해요.`,
  },
  bytes_at_most: {
    en: ({ limit }) => `It must have at most ${limit} bytes as UTF-8.`,
    ko: ({ limit }) => `UTF-8로 ${limit}바이트 이하여야 해요.`,
  },
  items_at_least: {
    en: ({ limit }) => `It must have at least ${entries(limit)}.`,
    ko: ({ limit }) => `항목이 ${limit}개 이상이어야 해요.`,
  },
  items_at_most: {
    en: ({ limit }) => `It must have at most ${entries(limit)}.`,
    ko: ({ limit }) => `항목이 ${limit}개 이하여야 해요.`,
  },
  some_of: {
    en: ({ words }) => `Each entry must be one of: ${words.join(', ')}.`,
    ko: ({ words }) => `항목은 다음 중에서 골라야 해요: ${words.join(', ')}.`,
  },
  members: {
    en: ({ names }) => `Missing: ${names.join(', ')}.`,
    ko: ({ names }) => `빠진 값: ${names.join(', ')}.`,
  },
  whole_number: { en: 'It must be a whole number.', ko: '정수여야 해요.' },
  number: { en: 'It must be a number.', ko: '숫자여야 해요.' },
  text: { en: 'It must be a string.', ko: '문자열이어야 해요.' },
  flag: { en: 'It must be true or false.', ko: 'true 또는 false여야 해요.' },
  list: { en: 'It must be an array.', ko: '배열이어야 해요.' },
  object: { en: 'It must be a JSON object.', ko: 'JSON 객체여야 해요.' },
  uuid: { en: 'It must be a UUID.', ko: 'UUID여야 해요.' },
  each_once: { en: 'Each entry may appear only once.', ko: '같은 항목은 한 번만 넣을 수 있어요.' },
  rising: { en: 'Its values must rise from one to the next.', ko: '값이 차례로 커져야 해요.' },
  beside_recipe: {
    en: 'The recipe says it already. Leave it out, or change the recipe.',
    ko: '레시피에 이미 있는 값이에요. 빼거나 레시피를 고치세요.',
  },
  once: { en: 'It may be sent only once.', ko: '한 번만 보낼 수 있어요.' },
  file_part: {
    en: ({ names }) => `A file must be sent as one of: ${names.join(', ')}.`,
    ko: ({ names }) => `파일은 다음 이름으로 보내야 해요: ${names.join(', ')}.`,
  },
  not_text: {
    en: ({ name }) =>
      `It has neither a filename nor the type of a file, so it was read as text. Send it as a file part named "${name}" (curl: -F ${name}=@FILE).`,
    ko: ({ name }) =>
      `파일 이름(filename)도 파일 형식도 없어서 텍스트로 읽혔어요. "${name}"이라는 파일 파트로 보내세요(curl: -F ${name}=@파일).`,
  },
  references: {
    en: ({ limit }) => `A job has at most ${limit} references: files, saved targets and those of its preset together.`,
    ko: ({ limit }) => `레퍼런스는 파일, 저장된 타깃, 프리셋의 타깃을 모두 합쳐 ${limit}개까지 쓸 수 있어요.`,
  },
  weight_of_each: {
    en: ({ count }) => `It must have one weight for each reference file. Reference files in the request: ${count}.`,
    ko: ({ count }) => `레퍼런스 파일마다 가중치를 하나씩 적어야 해요. 요청에 있는 레퍼런스 파일: ${count}개.`,
  },
  unknown_member: { en: 'There is no field of this name.', ko: '이런 이름의 필드는 없어요.' },
  session_only: { en: 'Only the application itself may use it.', ko: '앱에서만 쓸 수 있어요.' },
  one_platform: { en: 'It must be exactly one platform.', ko: '플랫폼 하나만 적어야 해요.' },
  one_place: {
    en: 'Send either a file part or a stored song, not both.',
    ko: '곡은 파일 파트나 저장된 곡 중 하나로만 보낼 수 있어요.',
  },
  zip_or_stems: {
    en: 'Send either one ZIP as "file" or the stems as parts named "stems", not both.',
    ko: '스템은 ZIP 하나("file")나 여러 파트("stems") 중 하나로만 보낼 수 있어요.',
  },
  unknown_song: { en: 'There is no such stored song.', ko: '그런 저장된 곡이 없어요.' },
  unknown_preset: {
    en: 'No preset has this name. GET /api/v1/presets lists all presets.',
    ko: '이 이름의 프리셋이 없어요. 목록은 GET /api/v1/presets에 있어요.',
  },
  unknown_set: {
    en: 'There is no such set of stems, or it has been removed. GET /api/v1/sources lists all sets.',
    ko: '그런 스템 세트가 없거나 지워졌어요. 목록은 GET /api/v1/sources에 있어요.',
  },
  needs_set: {
    en: 'It needs a set of stems as source_id; POST /api/v1/sources stores one.',
    ko: 'source_id로 스템 세트를 지정해야 쓸 수 있어요. 세트는 POST /api/v1/sources로 저장해요.',
  },
  needs_reference: {
    en: 'It needs a reference: a file or a saved target.',
    ko: '레퍼런스 파일이나 저장된 타깃이 있어야 쓸 수 있어요.',
  },
  no_voice: {
    en: 'No stem of the set is a voice. Name the stem that is one with its role.',
    ko: '세트에 보컬 스템이 없어요. 보컬인 스템의 role을 적어 주세요.',
  },
  no_original: {
    en: 'The set has no stereo mix of its song, so nothing tells what the stems lack. Send it as "original" with them.',
    ko: '세트에 곡의 스테레오 믹스가 없어서 스템에 없는 소리를 알 수 없어요. 스템과 함께 "original"로 보내세요.',
  },
  unknown_job: {
    en: 'There is no such job. GET /api/v1/jobs lists all jobs.',
    ko: '그런 작업이 없어요. GET /api/v1/jobs에서 확인하세요.',
  },
  unknown_track: {
    en: 'The release has no such track, or it stands in two rows.',
    ko: '릴리스에 그런 트랙이 없거나 두 행에 적혀 있어요.',
  },
  one_song: {
    en: 'A track has either a stored song or a job, not both.',
    ko: '트랙의 곡은 저장된 곡이나 작업 중 하나여야 해요.',
  },
  song_of_line: {
    en: 'A line names its song by exactly one of path, job_id and source_id.',
    ko: '한 줄에는 path, job_id, source_id 중 하나로만 곡을 지정해요.',
  },
  folder_of_delivery: {
    en: 'Masters are delivered to a folder with "delivery": "folder" and its full path in "folder".',
    ko: '마스터를 폴더에 받으려면 "delivery": "folder"와 함께 "folder"에 전체 경로를 적어요.',
  },
  json: { en: 'It must be a JSON object on one line.', ko: '한 줄에 JSON 객체 하나를 적어야 해요.' },
  needed: { en: 'It is missing.', ko: '빠져 있어요.' },
  tracks_once: {
    en: 'It must list every track of the release exactly once.',
    ko: '릴리스의 모든 트랙을 한 번씩만 적어야 해요.',
  },
  isrc: {
    en: 'An ISRC has twelve characters: country, registrant, year and number, such as KRA382400001.',
    ko: 'ISRC는 국가, 등록자, 연도, 번호로 된 12자예요. 예: KRA382400001.',
  },
  track: {
    en: 'It must be a number such as 3, or 3/12 with the number of all tracks.',
    ko: '3처럼 번호를 적거나 3/12처럼 전체 트랙 수와 함께 적어야 해요.',
  },
  year: { en: 'It must be a year of four digits.', ko: '네 자리 연도여야 해요.' },
  upc: {
    en: 'A UPC has 12 digits and an EAN 13; the last digit checks the others. One of them is mistyped.',
    ko: 'UPC는 숫자 12자리, EAN은 13자리이고 마지막 숫자로 나머지를 확인해요. 잘못 적은 숫자가 있어요.',
  },
  date: { en: 'It must be a date such as 2026-05-01.', ko: '2026-05-01 같은 날짜여야 해요.' },
  picture: { en: 'It must be a whole JPEG or PNG picture.', ko: '온전한 JPEG 또는 PNG 그림이어야 해요.' },
  rounded: {
    en: 'The spreadsheet has rounded this number. Format its column as text and enter the number again.',
    ko: '스프레드시트가 숫자를 반올림했어요. 열 서식을 텍스트로 바꾸고 숫자를 다시 적으세요.',
  },
  needed_release: {
    en: 'It is missing. Write it in every row, or give the name of the release beside the table.',
    ko: '빠져 있어요. 모든 행에 적거나 표와 함께 릴리스의 이름을 알려 주세요.',
  },
  release_artist: {
    en: 'The tracks of this release have different artists. Add a column release_artist, such as with Various Artists in every row.',
    ko: '이 릴리스의 트랙마다 아티스트가 달라요. release_artist 열을 더하고 모든 행에 같은 이름(예: Various Artists)을 적으세요.',
  },
  no_heading: {
    en: 'The first row has no heading for it. Put a text that contains the separator in quotation marks, or add a heading.',
    ko: '첫 행에 이 칸의 머리글이 없어요. 구분 기호가 들어 있는 글은 큰따옴표로 감싸거나 머리글을 더하세요.',
  },
  column_twice: {
    en: 'Two columns have this heading. Keep one of them.',
    ko: '같은 머리글의 열이 두 개예요. 하나만 남기세요.',
  },
  same_as_row: {
    en: ({ row }) => `Row ${row} has it too. Each track of a release has its own.`,
    ko: ({ row }) => `${row}행과 같아요. 릴리스의 트랙마다 달라야 해요.`,
  },
  same_as_track: {
    en: ({ track }) => `Track ${track} of the release has it too. Each track has its own.`,
    ko: ({ track }) => `릴리스의 트랙 ${track}과 같아요. 트랙마다 달라야 해요.`,
  },
  unlike_row: {
    en: ({ row }) => `Row ${row} says something else of the same release. Write the same in both, or leave one empty.`,
    ko: ({ row }) => `같은 릴리스인데 ${row}행과 달라요. 똑같이 적거나 한쪽을 비우세요.`,
  },
  open_quote: {
    en: ({ line }) => `A quotation mark before line ${line} is not closed, or something follows the closing one.`,
    ko: ({ line }) => `${line}번째 줄까지의 큰따옴표가 닫히지 않았거나 닫는 따옴표 뒤에 글이 있어요.`,
  },
  in_row: {
    en: ({ row, column, value, broken }) =>
      `Row ${row}, ${column}: ${value === '' ? '' : `“${value}” cannot be used. `}${detailText(broken, 'en')}`,
    ko: ({ row, column, value, broken }) =>
      `${row}행 ${column}: ${value === '' ? '' : `“${value}” 값은 쓸 수 없어요. `}${detailText(broken, 'ko')}`,
  },
  in_line: {
    en: ({ line, field, broken }) => `Line ${line}, ${field}: ${detailText(broken, 'en')}`,
    ko: ({ line, field, broken }) => `${line}번째 줄 ${field}: ${detailText(broken, 'ko')}`,
  },
  cursor: { en: 'It must be the next_cursor of the same list.', ko: '같은 목록의 next_cursor여야 해요.' },
  not_in_query: {
    en: 'It belongs in the body of the request, not in its address.',
    ko: '주소가 아니라 요청 본문에 넣는 값이에요.',
  },
  full_path: {
    en: 'Give the full path, such as /music/song.wav.',
    ko: '전체 경로를 적어 주세요. 예: /music/song.wav.',
  },
  passage: {
    en: ({ limit }) => `The passage must lie within every master, and one is only ${limit} s long.`,
    ko: ({ limit }) => `구간은 모든 마스터 안에 들어야 하는데, 길이가 ${limit}초뿐인 마스터가 있어요.`,
  },
  one_rate: {
    en: 'The masters have different sample rates. Compare masters of one rate.',
    ko: '마스터의 샘플레이트가 서로 달라요. 샘플레이트가 같은 마스터끼리 비교하세요.',
  },
  silent_passage: {
    en: 'The passage is silent in one of the masters. Choose another start.',
    ko: '이 구간이 무음인 마스터가 있어요. 다른 곳에서 시작하세요.',
  },
  other_test: {
    en: 'It is the result of another test. Send it to the address of that test.',
    ko: '다른 테스트의 결과예요. 그 테스트의 주소로 보내세요.',
  },
  other_sounds: {
    en: 'It is not what the page of this test writes. Send the file as the page saved it.',
    ko: '이 테스트의 페이지가 저장한 내용과 달라요. 페이지에서 저장한 파일을 그대로 보내세요.',
  },
  language: {
    en: 'Write one language, such as Korean, English or ja.',
    ko: '한국어, 영어, ja처럼 언어를 하나 적어 주세요.',
  },
  form: {
    en: ({ example }) => `It is not written in the right form${example ? `. This one is: ${example}` : ''}.`,
    ko: ({ example }) => `형식이 맞지 않아요.${example ? ` 맞는 예: ${example}.` : ''}`,
  },
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
