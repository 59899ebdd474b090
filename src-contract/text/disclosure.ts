/** Sentences of the AI disclosure sheet, in both languages. */
import { type AiUse, DISCLOSURE_CATEGORIES, type DisclosureCategory, type DisclosureSheet } from '../disclosure.ts'
import { type Distributor, distributorProfile } from '../distributors/index.ts'
import type { Language, LocalizedText } from './language.ts'

/** Names of the categories with their contents. */
export const CATEGORY_WORDS: Readonly<
  Record<DisclosureCategory, { readonly name: LocalizedText; readonly about: LocalizedText }>
> = {
  vocals: {
    name: { en: 'Vocals', ko: '보컬' },
    about: { en: 'Singing, rap and speech', ko: '노래, 랩, 말소리' },
  },
  instrumentation: {
    name: { en: 'Instrumentation', ko: '연주' },
    about: { en: 'Instruments and beats that are heard', ko: '들리는 악기와 비트' },
  },
  composition: {
    name: { en: 'Composition', ko: '작곡' },
    about: { en: 'Melody, harmony and form', ko: '멜로디, 화성, 구성' },
  },
  post_production: {
    name: { en: 'Post-production', ko: '후반 작업' },
    about: { en: 'Editing, mixing and mastering', ko: '편집, 믹싱, 마스터링' },
  },
  lyrics: {
    name: { en: 'Lyrics', ko: '가사' },
    about: { en: 'The words', ko: '노랫말' },
  },
}

export const USE_WORDS: Readonly<Record<AiUse | 'not_stated', LocalizedText>> = {
  none: { en: 'No AI', ko: 'AI 사용 안 함' },
  assisted: { en: 'Partly by AI', ko: '일부 AI 생성' },
  generated: { en: 'Wholly by AI', ko: '전부 AI 생성' },
  not_stated: { en: 'Not stated yet', ko: '아직 답하지 않음' },
}

/** The cover as a subject of a statement. */
export const ARTWORK_WORDS = {
  name: { en: 'Artwork', ko: '커버' },
  about: { en: 'The cover picture', ko: '커버 그림' },
} as const satisfies { readonly name: LocalizedText; readonly about: LocalizedText }

/** A question of a receiver's form, and what to answer there. */
export interface FormAnswer {
  /** Question in the words of the form. */
  readonly question: string
  readonly answer: string
  /** False while the artist has not stated what decides the answer. */
  readonly isStated: boolean
}

/** The answers to the form of a receiver: those on the release, then those on each track. */
export interface FormSheet {
  readonly receiver: Distributor
  readonly name: string
  /** Uses of AI that the form counts, and those that it exempts. */
  readonly about: string
  readonly release: readonly FormAnswer[]
  readonly tracks: readonly {
    readonly track: number
    readonly title: string
    readonly answers: readonly FormAnswer[]
  }[]
}

/**
 * Questions as the forms write them, in Korean with their meaning: DistroKid's as JG BeatsLab quotes them (see its rules; what counts stands in
 * its help, article 50784235803411), Apple's tags as The Decoder names them, Spotify's roles by DDEX.
 */
const QUESTIONS = {
  includes: {
    en: 'Does this song include AI-generated music, vocals, or lyrics?',
    ko: 'Does this song include AI-generated music, vocals, or lyrics? (AI가 만든 음악, 보컬, 가사가 있나요?)',
  },
  lyrics: { en: 'Lyrics', ko: 'Lyrics (가사)' },
  music: { en: 'Music', ko: 'Music (작곡)' },
  audio: { en: 'Audio', ko: 'Audio (소리)' },
  persona: { en: 'Human or AI persona', ko: 'Human or AI persona (사람 또는 AI 페르소나)' },
  artwork: { en: 'Artwork', ko: 'Artwork (커버)' },
  track: { en: 'Track', ko: 'Track (녹음)' },
  composition: { en: 'Composition', ko: 'Composition (곡과 가사)' },
  video: { en: 'Music Video', ko: 'Music Video (뮤직비디오)' },
} as const satisfies Readonly<Record<string, LocalizedText>>

const ANSWERS = {
  yes: { en: 'Yes', ko: '예' },
  no: { en: 'No', ko: '아니요' },
  tag: { en: 'Set the tag', ko: '태그 표시' },
  noTag: { en: 'No tag', ko: '태그 없음' },
  all: { en: 'All of the audio', ko: '오디오 전체' },
  part: { en: 'Part of the audio', ko: '오디오 일부' },
  none: { en: 'None', ko: '없음' },
  persona: { en: 'Only you can say', ko: '직접 답해 주세요' },
  video: { en: 'A release has none', ko: '릴리스에는 없음' },
} as const satisfies Readonly<Record<string, LocalizedText>>

const FORMS_ABOUT = {
  distrokid: {
    en: 'Pitch correction, mixing and mastering do not count.',
    ko: '음정 보정, 믹싱, 마스터링은 해당하지 않아요.',
  },
  apple_music_delivery: {
    en: 'A tag is due where AI made a material portion.',
    ko: '상당 부분을 AI가 만들었을 때 태그를 표시해요.',
  },
  spotify_delivery: {
    en: 'AI credits are of single roles, and given through the distributor.',
    ko: 'AI 크레딧은 역할별로, 유통사를 통해 표시해요.',
  },
} as const satisfies { readonly [D in Distributor]?: LocalizedText }

/** Returns what to answer in the forms of DistroKid, Apple Music and Spotify, for each track of a sheet. Pure. */
export function formSheets(
  { tracks = [], artwork }: Pick<DisclosureSheet, 'tracks' | 'artwork'>,
  language: Language,
): FormSheet[] {
  const row = (question: LocalizedText, answer: LocalizedText | null): FormAnswer => ({
    question: question[language],
    answer: (answer ?? USE_WORDS.not_stated)[language],
    isStated: answer !== null,
  })
  const either = (value: boolean | null | undefined, yes: LocalizedText, no: LocalizedText) =>
    value === null || value === undefined ? null : value ? yes : no
  const yesNo = (question: LocalizedText, value: boolean | null) =>
    row(question, either(value, ANSWERS.yes, ANSWERS.no))
  const tag = (question: LocalizedText, value: boolean | null | undefined) =>
    row(question, either(value, ANSWERS.tag, ANSWERS.noTag))
  type Answers = (typeof tracks)[number]['answers']
  const sheet = (
    receiver: keyof typeof FORMS_ABOUT,
    answersOf: (answers: Answers) => FormAnswer[],
    release: readonly FormAnswer[] = [],
  ): FormSheet => ({
    receiver,
    name: distributorProfile(receiver).name[language],
    about: FORMS_ABOUT[receiver][language],
    release,
    tracks: tracks.map(({ track, title, answers }) => ({ track, title, answers: answersOf(answers) })),
  })
  return [
    sheet('distrokid', ({ distrokid }) => [
      yesNo(QUESTIONS.includes, distrokid.includes_ai),
      // A form that is answered with No asks nothing more.
      ...(distrokid.includes_ai === false
        ? []
        : [
            yesNo(QUESTIONS.lyrics, distrokid.lyrics),
            yesNo(QUESTIONS.music, distrokid.music),
            row(QUESTIONS.audio, distrokid.audio && ANSWERS[distrokid.audio]),
          ]),
      ...(distrokid.asks_for_persona ? [{ ...row(QUESTIONS.persona, ANSWERS.persona), isStated: false }] : []),
    ]),
    sheet(
      'apple_music_delivery',
      ({ apple }) => [tag(QUESTIONS.track, apple.track), tag(QUESTIONS.composition, apple.composition)],
      [tag(QUESTIONS.artwork, artwork?.apple), row(QUESTIONS.video, ANSWERS.video)],
    ),
    sheet('spotify_delivery', ({ ddex }) =>
      DISCLOSURE_CATEGORIES.map((category) => {
        const use = ddex[category]
        return row(CATEGORY_WORDS[category].name, use && USE_WORDS[use])
      }),
    ),
  ]
}

export const SHEET_WORDS = {
  en: {
    heading: 'AI disclosure',
    statements: 'Statements of the artist',
    byTrack: 'By track',
    forms: 'What to answer where you upload',
    release: 'Release',
    sources: 'Traces in the source files',
    mastering: 'Mastering',
    masteredBy: (program: string) =>
      `Mastered with ${program}: equalising, dynamics, stereo image, limiting and dither, computed from the signal itself. It generates no sound, learns from no music and sends nothing anywhere.`,
    found: (generators: string) => `The sources name ${generators}. Say what it made.`,
    open: 'A category that is not stated is the artist’s to answer before delivery.',
    track: 'Track',
    source: 'Source',
    trace: 'Trace',
    noTrace: 'Names no generator',
    manifest: (maker: string | undefined, isCarried = false) =>
      `Carries a C2PA manifest${maker === undefined ? '' : ` by ${maker}`}. ${isCarried ? 'The export carries it on, signed by this computer, not by a known authority: checkers say “untrusted”. In an MP3 it is in the file, otherwise in the folder provenance.' : 'It belongs to the source and is not part of the master; keep the source.'}`,
    signature: 'Date and signature',
  },
  ko: {
    heading: 'AI 사용 고지',
    statements: '아티스트의 답변',
    byTrack: '트랙별',
    forms: '업로드할 때 답할 내용',
    release: '릴리스',
    sources: '원본 파일의 흔적',
    mastering: '마스터링',
    masteredBy: (program: string) =>
      `${program}(으)로 마스터링했어요. 이퀄라이저, 다이내믹, 스테레오 이미지, 리미터, 디더를 신호에서 바로 계산해요. 소리를 생성하지 않고, 음악을 학습하지 않으며, 아무것도 밖으로 보내지 않아요.`,
    found: (generators: string) => `원본에 ${generators} 표시가 있어요. 무엇을 만들었는지 적어 주세요.`,
    open: '답하지 않은 항목은 납품 전에 아티스트가 답해야 해요.',
    track: '트랙',
    source: '원본',
    trace: '흔적',
    noTrace: '생성 도구 표시 없음',
    manifest: (maker: string | undefined, isCarried = false) =>
      `${maker === undefined ? '' : `${maker}의 `}C2PA 매니페스트가 있어요. ${isCarried ? '내보낼 때 이어서 담고, 공인된 기관이 아니라 이 컴퓨터가 서명해요. 검증 도구에는 ‘신뢰할 수 없음’으로 나와요. MP3는 파일 안에, 다른 형식은 provenance 폴더에 있어요.' : '원본에 속하는 것이라 마스터에는 없으니 원본을 보관하세요.'}`,
    signature: '날짜와 서명',
  },
} as const satisfies { readonly [L in Language]: object }
