/** Sentences of the rules of receivers and of their remedies, in both languages. */
import type { DeliveryCheck, RemedyValues, RuleName } from '../distributors/rules.ts'
import { colorModelWords } from './color-models.ts'
import type { Language, LocalizedText } from './language.ts'

type Sentence = { readonly [L in Language]: (values: RemedyValues) => string }

/** Titles of the rules, as a checklist shows them. */
const TITLES: Readonly<Record<RuleName, LocalizedText>> = {
  file_type: { en: 'File format', ko: '파일 형식' },
  bit_depth: { en: 'Bit depth', ko: '비트 심도' },
  sample_rate: { en: 'Sample rate', ko: '샘플 레이트' },
  least_sample_rate: { en: 'Lowest sample rate', ko: '최저 샘플 레이트' },
  channels: { en: 'Channels', ko: '채널' },
  format_code: { en: 'WAV format code', ko: 'WAV 형식 코드' },
  chunk_order: { en: 'Nothing after the audio', ko: '오디오 뒤에 아무것도 없음' },
  no_tags: { en: 'No embedded tags', ko: '태그 없음' },
  silence_start: { en: 'Silence at the start', ko: '시작 무음' },
  silence_end: { en: 'Silence at the end', ko: '끝 무음' },
  length: { en: 'Length', ko: '길이' },
  mean_length: { en: 'Mean length of the tracks', ko: '트랙 평균 길이' },
  name_characters: { en: 'Characters of the file name', ko: '파일 이름의 문자' },
  name_of_title: { en: 'File named after its title', ko: '제목과 같은 파일 이름' },
  name_without: { en: 'Characters to avoid in the file name', ko: '파일 이름에서 피할 문자' },
  loudness: { en: 'Loudness', ko: '음량' },
  true_peak: { en: 'True peak', ko: '트루 피크' },
  true_peak_after_rate: { en: 'True peak at 44.1 kHz', ko: '44.1 kHz 변환 뒤 트루 피크' },
  true_peak_after_codec: { en: 'True peak of lossy copies', ko: '손실 압축 뒤 트루 피크' },
  cover: { en: 'Cover', ko: '커버' },
  cover_type: { en: 'Format of the cover', ko: '커버 형식' },
  cover_color: { en: 'Colours of the cover', ko: '커버 색상' },
}

const kilohertz = (value: unknown) =>
  String(value)
    .split(', ')
    .map((hertz) => `${Number(hertz) / 1000}`)
    .join(', ')
const one = (value: unknown) => (Math.round(Number(value) * 10) / 10).toFixed(1)
const two = (value: unknown) => Number(value).toFixed(2)
const picture = (value: unknown) => upper(String(value).replace('image/', ''))
const pictures = (value: unknown, between: string) => String(value).split(', ').map(picture).join(between)
const upper = (value: unknown) => String(value).toUpperCase()

const REMEDIES: Readonly<Record<RuleName, Sentence>> = {
  file_type: {
    en: (v) => `It is ${upper(v.found)}. Export it as ${upper(v.wanted)}.`,
    ko: (v) => `${upper(v.found)} 파일이에요. ${upper(v.wanted)}로 내보내세요.`,
  },
  bit_depth: {
    en: (v) => `It has ${v.found} bit. Export it with ${v.wanted} bit.`,
    ko: (v) => `${v.found}비트예요. ${v.wanted}비트로 내보내세요.`,
  },
  sample_rate: {
    en: (v) => `It has ${kilohertz(v.foundHz)} kHz. Export it at ${kilohertz(v.wantedHz)} kHz.`,
    ko: (v) => `${kilohertz(v.foundHz)} kHz예요. ${kilohertz(v.wantedHz)} kHz로 내보내세요.`,
  },
  least_sample_rate: {
    en: (v) => `It has ${kilohertz(v.foundHz)} kHz. Export it at ${kilohertz(v.wantedHz)} kHz or more.`,
    ko: (v) => `${kilohertz(v.foundHz)} kHz예요. ${kilohertz(v.wantedHz)} kHz 이상으로 내보내세요.`,
  },
  channels: {
    en: (v) => `It has ${v.found} channels. Export it with ${v.wanted}.`,
    ko: (v) => `${v.found}채널이에요. ${v.wanted}채널로 내보내세요.`,
  },
  format_code: {
    en: () => 'It is an extensible WAV. Export it as plain PCM (format code 1).',
    ko: () => '확장 형식 WAV예요. 일반 PCM(형식 코드 1)으로 내보내세요.',
  },
  chunk_order: {
    en: () => 'Something follows the audio in the file. Write it again with the tags before the audio.',
    ko: () => '파일에서 오디오 뒤에 다른 데이터가 있어요. 태그를 오디오 앞에 두고 다시 저장하세요.',
  },
  no_tags: {
    en: () => 'It contains tags. Export it without tags.',
    ko: () => '태그가 들어 있어요. 태그 없이 내보내세요.',
  },
  silence_start: {
    en: (v) => `${one(v.foundSeconds)} s of silence at the start, and ${v.most} s are allowed. Trim the start.`,
    ko: (v) => `시작에 무음이 ${one(v.foundSeconds)}초 있는데 한도는 ${v.most}초예요. 앞을 잘라 내세요.`,
  },
  silence_end: {
    en: (v) => `${one(v.foundSeconds)} s of silence at the end, and ${v.most} s are allowed. Trim the end.`,
    ko: (v) => `끝에 무음이 ${one(v.foundSeconds)}초 있는데 한도는 ${v.most}초예요. 뒤를 잘라 내세요.`,
  },
  length: {
    en: (v) => `It is ${one(v.foundSeconds)} s long, and ${v.leastSeconds} s are needed. Deliver a longer version.`,
    ko: (v) => `길이가 ${one(v.foundSeconds)}초인데 ${v.leastSeconds}초 이상이어야 해요. 더 긴 버전을 보내세요.`,
  },
  mean_length: {
    en: (v) =>
      `The tracks are ${one(v.foundSeconds)} s long on average, and ${v.leastSeconds} s are needed. Lengthen the shortest, or leave them out.`,
    ko: (v) =>
      `트랙 평균 길이가 ${one(v.foundSeconds)}초인데 ${v.leastSeconds}초 이상이어야 해요. 가장 짧은 트랙을 늘리거나 빼세요.`,
  },
  name_characters: {
    en: () => 'The file name has other characters than A–Z, 0–9, - and _. Rename the file.',
    ko: () => '파일 이름에 영문, 숫자, -, _ 말고 다른 문자가 있어요. 파일 이름을 바꾸세요.',
  },
  name_of_title: {
    en: (v) => `The file name lacks the title. Rename the file after “${v.title}”.`,
    ko: (v) => `파일 이름에 제목이 없어요. “${v.title}” 제목대로 파일 이름을 바꾸세요.`,
  },
  name_without: {
    en: (v) => `The file name contains ${v.found}. Rename the file without it.`,
    ko: (v) => `파일 이름에 ${v.found} 문자가 있어요. 이 문자를 빼고 파일 이름을 바꾸세요.`,
  },
  loudness: {
    en: (v) =>
      `It has ${one(v.integratedLufs)} LUFS. Master it to a loudness from ${v.leastLufs} to ${v.mostLufs} LUFS.`,
    ko: (v) =>
      `${one(v.integratedLufs)} LUFS예요. ${v.leastLufs}에서 ${v.mostLufs} LUFS 사이의 음량으로 마스터링하세요.`,
  },
  true_peak: {
    en: (v) => `Its true peak is ${two(v.truePeakDbtp)} dBTP. Master it with a ceiling of ${v.most} dBTP.`,
    ko: (v) => `트루 피크가 ${two(v.truePeakDbtp)} dBTP예요. 한도를 ${v.most} dBTP로 두고 마스터링하세요.`,
  },
  true_peak_after_rate: {
    en: (v) =>
      `At 44.1 kHz its true peak is ${two(v.truePeakDbtp)} dBTP, above ${v.most} dBTP. Lower the ceiling by the difference.`,
    ko: (v) =>
      `44.1 kHz에서 트루 피크가 ${two(v.truePeakDbtp)} dBTP로, ${v.most} dBTP를 넘어요. 넘는 만큼 한도를 낮추세요.`,
  },
  true_peak_after_codec: {
    en: (v) =>
      `A lossy copy peaks at ${two(v.truePeakDbtp)} dBTP, above ${v.most} dBTP. Lower the ceiling, or use tier premium, which does that.`,
    ko: (v) =>
      `손실 압축 뒤 피크가 ${two(v.truePeakDbtp)} dBTP로, ${v.most} dBTP를 넘어요. 한도를 낮추거나, 알아서 낮춰 주는 premium 등급을 쓰세요.`,
  },
  cover: {
    en: (v) =>
      v.widthPx === undefined
        ? `There is no cover. Add a square picture of ${v.wantedPx} pixels or more.`
        : v.mostPx !== undefined
          ? `The cover has ${v.widthPx} × ${v.heightPx} pixels, and ${v.mostPx} are allowed on each side. Add a smaller one.`
          : `The cover has ${v.widthPx} × ${v.heightPx} pixels. Add a square one of ${v.wantedPx} pixels or more.`,
    ko: (v) =>
      v.widthPx === undefined
        ? `커버가 없어요. ${v.wantedPx}픽셀 이상인 정사각형 그림을 넣으세요.`
        : v.mostPx !== undefined
          ? `커버가 ${v.widthPx} × ${v.heightPx}픽셀인데 한 변의 한도는 ${v.mostPx}픽셀이에요. 더 작은 그림을 넣으세요.`
          : `커버가 ${v.widthPx} × ${v.heightPx}픽셀이에요. ${v.wantedPx}픽셀 이상인 정사각형 그림을 넣으세요.`,
  },
  cover_type: {
    en: (v) => `The cover is a ${picture(v.found)}. Use a ${pictures(v.wanted, ' or ')}.`,
    ko: (v) => `커버가 ${picture(v.found)} 파일이에요. ${pictures(v.wanted, '나 ')} 파일을 쓰세요.`,
  },
  cover_color: {
    en: (v) =>
      `The cover is ${colorModelWords(v.colorModel).en}. Convert it to RGB with 8 bits for each channel before it is sent.`,
    ko: (v) => `커버 색상이 ${colorModelWords(v.colorModel).ko}예요. 보내기 전에 채널당 8비트 RGB로 바꾸세요.`,
  },
}

/** Outcomes as a checklist shows them. */
export const OUTCOME_WORDS: Readonly<Record<DeliveryCheck['outcome'], LocalizedText>> = {
  pass: { en: 'pass', ko: '통과' },
  remedy: { en: 'to be mended', ko: '고칠 점 있음' },
  not_measured: { en: 'not measured', ko: '측정 안 함' },
}

/** Verdicts on the files or on the release. */
export const VERDICT_WORDS: Readonly<Record<'ready' | 'not_ready' | 'not_measured', LocalizedText>> = {
  ready: { en: 'ready', ko: '준비됨' },
  not_ready: { en: 'not ready', ko: '준비 안 됨' },
  not_measured: { en: 'not measured in full', ko: '일부 측정 안 됨' },
}

/** Returns the title of a rule. */
export function ruleTitle(rule: RuleName, language: Language): string {
  return TITLES[rule][language]
}

/** Returns the note on a rule that is too old to be followed unchecked. */
export function ageNote(days: number, language: Language): string {
  const count = Math.floor(days)
  return language === 'ko'
    ? `${count}일 전에 나온 규칙이에요. 따르기 전에 해당 페이지를 확인하세요.`
    : `This rule is ${count} days old. Look at its page before you follow it.`
}

/** Returns a fault and its remedy, in one or two sentences. Never throws. */
export function remedyText(rule: RuleName, values: RemedyValues, language: Language): string {
  return REMEDIES[rule][language](values).replace(/(?<![\w–-])-(?=\d)/g, '−')
}
