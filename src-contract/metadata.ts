/** Metadata of a song besides its title and artist: the request's values override the tags of the file. */
import { MAX_LINE_LENGTH, MAX_LYRICS_LENGTH, MAX_TITLE_LENGTH } from './limits.ts'
import type { LocalizedText } from './text/language.ts'

/** Forms of a text: one line, several lines, or a format with its own rule. */
export type MetadataForm = 'line' | 'lines' | 'track' | 'year' | 'isrc' | 'bpm'

interface MetadataFacts {
  readonly form: MetadataForm
  readonly maxLength: number
  readonly description: string
  /** Help of the command-line option. */
  readonly help: LocalizedText
}

/** Metadata of a song, by its names on the wire. */
export const METADATA = {
  album: {
    form: 'line',
    maxLength: MAX_TITLE_LENGTH,
    description: 'Album.',
    help: { en: 'album', ko: '앨범' },
  },
  track: {
    form: 'track',
    maxLength: 7,
    description: 'Number of the track, `3`, or with the number of all, `3/12`.',
    help: { en: 'number of the track: 3 or 3/12', ko: '트랙 번호: 3 또는 3/12' },
  },
  year: {
    form: 'year',
    maxLength: 4,
    description: 'Year of release, four digits.',
    help: { en: 'year of release', ko: '발매 연도' },
  },
  isrc: {
    form: 'isrc',
    maxLength: 40,
    description: 'ISRC; blanks and hyphens are removed.',
    help: { en: 'ISRC', ko: 'ISRC' },
  },
  composer: {
    form: 'line',
    maxLength: MAX_LINE_LENGTH,
    description: 'Composers.',
    help: { en: 'composers', ko: '작곡가' },
  },
  copyright: {
    form: 'line',
    maxLength: MAX_LINE_LENGTH,
    description: 'Copyright line.',
    help: { en: 'copyright line', ko: '저작권 표시' },
  },
  comment: {
    form: 'line',
    maxLength: MAX_LINE_LENGTH,
    description: 'Comment.',
    help: { en: 'comment', ko: '설명' },
  },
  lyrics: {
    form: 'lines',
    maxLength: MAX_LYRICS_LENGTH,
    description: 'Lyrics, line by line.',
    help: { en: 'lyrics', ko: '가사' },
  },
  bpm: {
    form: 'bpm',
    maxLength: 3,
    description: 'Tempo in whole beats per minute, 1 to 999.',
    help: { en: 'tempo, beats per minute', ko: '템포(BPM)' },
  },
} as const satisfies Readonly<Record<string, MetadataFacts>>

export type MetadataName = keyof typeof METADATA
export const METADATA_NAMES = Object.keys(METADATA) as MetadataName[]

/** Metadata of a song; absent members are as in the file. */
export type SongMetadata = Readonly<Partial<Record<MetadataName, string>>>

/** Names of all metadata of a song, including its title and artist. */
export const OWN_METADATA_NAMES = ['title', 'artist', ...METADATA_NAMES] as const
export type OwnMetadataName = (typeof OWN_METADATA_NAMES)[number]

/** All metadata of a song; absent members are as in the file. */
export type OwnMetadata = Readonly<Partial<Record<OwnMetadataName, string>>>
