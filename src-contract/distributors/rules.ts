/** Rules for deliveries to a distributor, and the facts of files that they are checked with. */
import type { ColorModel, CoverType } from '../covers.ts'
import type { ReleaseKind } from '../release-kinds.ts'
import type { LocalizedText } from '../text/language.ts'
import type { Asks } from './fields.ts'
import type { Foundation } from './foundation.ts'

/** Kinds of files, by their content. */
export type FileType = 'wav' | 'flac' | 'mp3' | 'm4a'

/** Requirement of one kind, with its figures. */
export type Requirement =
  | { readonly rule: 'file_type'; readonly types: readonly FileType[] }
  | { readonly rule: 'bit_depth'; readonly depths: readonly number[] }
  /** One of these rates, Hz. */
  | { readonly rule: 'sample_rate'; readonly ratesHz: readonly number[] }
  | { readonly rule: 'least_sample_rate'; readonly leastHz: number }
  | { readonly rule: 'channels'; readonly count: number }
  /** Plain PCM: format code 0x0001, not 0xFFFE. Only of WAV. */
  | { readonly rule: 'format_code' }
  /** WAV only: nothing but audio from the start of the `data` chunk on; tags come before it. */
  | { readonly rule: 'chunk_order' }
  | { readonly rule: 'no_tags' }
  | { readonly rule: 'silence_start' | 'silence_end'; readonly mostSeconds: number }
  /** For every file, or only for the file of a single; exclusive or inclusive minimum. */
  | {
      readonly rule: 'length'
      readonly leastSeconds: number
      readonly isMore?: boolean
      readonly onlySingles?: boolean
    }
  /** Mean length of the tracks of an album. */
  | { readonly rule: 'mean_length'; readonly leastSeconds: number }
  /** Letters, digits, `-` and `_` before the ending. */
  | { readonly rule: 'name_characters' }
  | { readonly rule: 'name_of_title' }
  | { readonly rule: 'loudness'; readonly leastLufs: number; readonly mostLufs: number }
  /** For the file itself; `loud` replaces the limit for louder files. */
  | {
      readonly rule: 'true_peak'
      readonly mostDbtp: number
      readonly loud?: { readonly above: number; readonly mostDbtp: number }
    }
  /** After conversion to 44.1 kHz. */
  | { readonly rule: 'true_peak_after_rate'; readonly mostDbtp: number }
  /** Of lossy copies that were decoded again. */
  | { readonly rule: 'true_peak_after_codec'; readonly mostDbtp: number }
  /** None of these characters before the ending. */
  | { readonly rule: 'name_without'; readonly characters: string }
  /** Square, with sides from `leastPx` to `mostPx`. */
  | { readonly rule: 'cover'; readonly leastPx: number; readonly mostPx?: number }
  | { readonly rule: 'cover_type'; readonly types: readonly CoverType[] }
  /** RGB with 8 bits for each channel. */
  | { readonly rule: 'cover_color' }

export type RuleName = Requirement['rule']

/** The names of all rules; a missing name does not compile. */
export const RULE_NAMES = Object.keys({
  file_type: true,
  bit_depth: true,
  sample_rate: true,
  least_sample_rate: true,
  channels: true,
  format_code: true,
  chunk_order: true,
  no_tags: true,
  silence_start: true,
  silence_end: true,
  length: true,
  mean_length: true,
  name_characters: true,
  name_of_title: true,
  name_without: true,
  loudness: true,
  true_peak: true,
  true_peak_after_rate: true,
  true_peak_after_codec: true,
  cover: true,
  cover_type: true,
  cover_color: true,
} satisfies Record<RuleName, true>) as RuleName[]

export type DeliveryRule = Requirement & Foundation

/** A receiver of releases: a distributor, or a service that publishes its own requirements. */
export interface DistributorProfile {
  /** Name on the wire. */
  readonly id: string
  readonly name: LocalizedText
  readonly rules: readonly DeliveryRule[]
  /** Place of guests: in the title too, or only in their own field; absent where no page says so. */
  readonly guests?: 'in_title' | 'own_field'
  /** Facts that it asks for besides the files. */
  readonly asks?: Asks
  /** Kinds of rules that were not looked for. */
  readonly unsearched?: readonly RuleName[]
}

/** Day on which the pages of all receivers were last searched, ISO 8601. */
export const SEARCHED_ON = '2026-11-29'
/** Material in which rules without a source were looked for. */
export const SEARCHED = {
  en: `not found in what we could read: stored copies of its public pages, searched on ${SEARCHED_ON}; forms behind a login cannot be read`,
  ko: `읽을 수 있는 자료에서 찾지 못했어요: 공개 페이지의 저장본을 ${SEARCHED_ON}에 검색했고, 로그인 뒤의 양식은 읽을 수 없어요`,
} as const

/** Format of a sound file, read from the file. */
export interface SoundForm {
  /** Format code of a WAV; null for other kinds. */
  readonly formatCode: number | null
  /** True if anything but the sound follows its start. */
  readonly hasBytesAfterAudio: boolean
  readonly hasTags: boolean
  /** Bits of a sample; null for a lossy codec. */
  readonly bitDepth: number | null
  readonly sampleRateHz: number
  readonly channels: number
  readonly sizeBytes: number
}

/** Facts of one written file; null if not measured or not applicable. */
export interface FileFacts extends Omit<SoundForm, 'sizeBytes'> {
  /** Name with its ending, without folders. */
  readonly fileName: string
  /** Title of its track. */
  readonly title: string
  /** The title as a plain-letter name; absent without such a name. */
  readonly plainTitle?: string
  readonly type: FileType
  readonly durationSeconds: number
  readonly silenceStartSeconds: number | null
  readonly silenceEndSeconds: number | null
  readonly integratedLufs: number | null
  readonly truePeakDbtp: number | null
  readonly truePeakAfterRateDbtp: number | null
  readonly truePeakAfterCodecDbtp: number | null
}

/** Facts of the release that the files belong to. */
export interface DeliveredRelease {
  readonly kind: ReleaseKind
  readonly cover: {
    readonly widthPx: number
    readonly heightPx: number
    readonly colorModel: ColorModel
    readonly mediaType: CoverType
  } | null
}

/** Values of the sentence of a remedy. */
export type RemedyValues = Readonly<Record<string, string | number>>

/** Remedy for one file, or for the release if `file` is absent; its sentence is in contract/text. */
export interface Remedy {
  readonly file?: string
  readonly values: RemedyValues
}

/** Outcome of one rule for all files, with the foundation of the rule. */
export interface DeliveryCheck extends Foundation {
  readonly rule: RuleName
  /** `not_measured` if no file breaks the rule but a required fact is unknown. */
  readonly outcome: 'pass' | 'remedy' | 'not_measured'
  readonly remedies: readonly Remedy[]
}
