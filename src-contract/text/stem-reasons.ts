/** Sentences of UNUSABLE_STEMS: files that do not become the stems of a song, in both languages. */
import type { ErrorParams } from '../errors.ts'
import { FORMAT_REASONS, type FormatReason } from './format-reasons.ts'
import type { Language } from './language.ts'

type Sentences = { readonly [L in Language]: (values: ErrorParams) => string }

const zipAgain = {
  en: 'Make the ZIP again and send it.',
  ko: 'ZIP을 다시 만들어 보내세요.',
}

const formatOf = (reason: unknown) => FORMAT_REASONS[reason as FormatReason] ?? FORMAT_REASONS.unknown

/** Reasons with their sentences: the cause, then what to do. */
export const STEM_REASONS = {
  no_zip: {
    en: () => `This file is not a ZIP, or it is damaged. ${zipAgain.en}`,
    ko: () => `ZIP이 아니거나 손상된 파일이에요. ${zipAgain.ko}`,
  },
  encrypted: {
    en: () => 'The ZIP has a password. Make it without one and send it again.',
    ko: () => '비밀번호가 걸린 ZIP이에요. 비밀번호 없이 다시 만들어 보내세요.',
  },
  compression: {
    en: ({ name }) => `“${name}” is compressed in a way that is not supported. Make a plain ZIP (Store or Deflate).`,
    ko: ({ name }) => `“${name}”의 압축 방식은 지원하지 않아요. 일반 ZIP(저장 또는 Deflate)으로 만드세요.`,
  },
  outside: {
    en: ({ name }) =>
      `The ZIP would write “${name}” outside of its folder, which no ZIP of stems needs. ${zipAgain.en}`,
    ko: ({ name }) => `ZIP이 “${name}”을(를) 폴더 밖에 쓰려고 해요. 스템 ZIP에는 필요 없는 경로예요. ${zipAgain.ko}`,
  },
  not_a_file: {
    en: ({ name }) => `“${name}” in the ZIP is a link or a device and not a file. Put the file itself in.`,
    ko: ({ name }) => `ZIP 안의 “${name}”은(는) 파일이 아니라 링크나 장치예요. 파일 자체를 넣으세요.`,
  },
  name_twice: {
    en: ({ name }) => `The ZIP has two files named “${name}”. Give each its own name.`,
    ko: ({ name }) => `ZIP 안에 “${name}” 파일이 두 개예요. 이름을 서로 다르게 하세요.`,
  },
  too_many_entries: {
    en: ({ limit }) => `The ZIP has more than ${limit} entries. Put only the stems in.`,
    ko: ({ limit }) => `ZIP 안의 항목이 ${limit}개를 넘어요. 스템만 넣으세요.`,
  },
  expands: {
    en: ({ ratio }) =>
      `The ZIP unpacks to more than ${ratio} times its size, as no music does. Send the stems themselves.`,
    ko: ({ ratio }) => `압축을 풀면 ${ratio}배가 넘어요. 음악 파일은 그렇지 않아요. 스템을 그대로 보내세요.`,
  },
  overlap: {
    en: () => `Files in this ZIP share their bytes. ${zipAgain.en}`,
    ko: () => `ZIP 안의 파일들이 같은 바이트를 함께 써요. ${zipAgain.ko}`,
  },
  wrong_size: {
    en: ({ name }) => `“${name}” in the ZIP is not what its directory says: the ZIP is damaged. ${zipAgain.en}`,
    ko: ({ name }) => `ZIP 안의 “${name}”이(가) 목록에 적힌 것과 달라요. 손상된 ZIP이에요. ${zipAgain.ko}`,
  },
  too_few: {
    en: ({ count }) =>
      `${count === 0 ? 'No WAV, FLAC or MP3 was found' : 'There is only one stem'}. A set has at least two: send them, or send the one as a song.`,
    ko: ({ count }) =>
      `${count === 0 ? 'WAV, FLAC, MP3가 없어요' : '스템이 하나뿐이에요'}. 스템은 두 개 이상이어야 해요. 하나라면 곡으로 보내세요.`,
  },
  too_many: {
    en: ({ count, limit }) =>
      `These are ${count} stems, and a set has at most ${limit}. Mix some of them together first.`,
    ko: ({ count, limit }) => `스템이 ${count}개인데 한도는 ${limit}개예요. 몇 개를 먼저 합치세요.`,
  },
  two_mixes: {
    en: ({ name, other }) => `“${name}” and “${other}” are both the whole mix of the song. Send one of them.`,
    ko: ({ name, other }) => `“${name}”과(와) “${other}”이(가) 둘 다 곡 전체의 믹스예요. 하나만 보내세요.`,
  },
  too_large: {
    en: ({ gigabytes }) => `The stems are larger than ${gigabytes} GB together. Export them as FLAC.`,
    ko: ({ gigabytes }) => `스템을 모두 합하면 ${gigabytes} GB를 넘어요. FLAC으로 내보내세요.`,
  },
  unusable_stem: {
    en: ({ name, format }) => `“${name}”: ${formatOf(format).en}`,
    ko: ({ name, format }) => `“${name}”: ${formatOf(format).ko}`,
  },
  long_stem: {
    en: ({ name, duration }) => `“${name}” is ${duration} long. The limit is 10 minutes: shorten it and send it again.`,
    ko: ({ name, duration }) => `“${name}”의 길이는 ${duration}예요. 한도는 10분이니 줄여서 다시 보내세요.`,
  },
} as const satisfies Record<string, Sentences>

export type StemReason = keyof typeof STEM_REASONS

/** Returns the sentence of UNUSABLE_STEMS for its values. Never throws. */
export function stemReason(values: ErrorParams, language: Language): string {
  const sentences: Sentences = STEM_REASONS[values.reason as StemReason] ?? STEM_REASONS.no_zip
  return sentences[language](values)
}
