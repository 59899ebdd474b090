/** Genre of a song by the words of its tags and title. Pure. */
import type { Genre } from '../../src-contract/settings.ts'
import type { SuggestionReason } from '../../src-contract/suggestion.ts'

/** Texts of a song that can name its genre; absent if the file has none. */
export interface GenreTexts {
  /** Genre tag, such as TCON. */
  readonly genre?: string | undefined
  /** Comment and further tags, where generators leave the requested style. */
  readonly comments?: readonly string[] | undefined
  /** Title by the tags, else by the file name. */
  readonly title?: string | undefined
}

type Named = Exclude<Genre, 'other'> | 'none'

type Words = Readonly<Partial<Record<Named, readonly string[]>>>

/**
 * Words that name a genre anywhere; words that do so only in styles and tags, since titles use them freely; and words that do so only in
 * genre tags.
 */
const PLAIN: Words = {
  kpop: ['k-pop', 'k pop', 'kpop', '케이팝', '케이 팝', 'korean pop'],
  edm: [
    ...['edm', 'techno', 'dubstep', 'drum & bass', 'drum and bass', 'drum n bass', "drum'n'bass", 'dnb', 'd&b'],
    ...['deep house', 'tech house', 'future bass', 'hardstyle', 'eurodance', 'electro house', '일렉트로닉'],
  ],
  hiphop: ['hip hop', 'hip-hop', 'hiphop', 'boom bap', '힙합'],
  ballad: ['발라드'],
  pop: ['synthpop', 'synth-pop', 'synth pop', 'indie pop', 'dance pop', 'electropop', 'pop song', 'city pop', '시티팝'],
  none: [
    ...[
      'jazz',
      'rock',
      'metal',
      'punk',
      'country',
      'folk',
      'blues',
      'classical',
      'orchestral',
      'soundtrack',
      'ambient',
    ],
    ...['reggae', 'gospel', 'opera', 'a cappella', 'acappella', 'bossa nova', '재즈', '록', '클래식', '국악', '트로트'],
  ],
}
const IN_STYLES: Words = { edm: ['trance'], ballad: ['ballad'] }
const IN_TAGS: Words = {
  edm: ['house', 'electronic', 'electronica', 'electro', 'dance', 'club', 'rave', '하우스'],
  hiphop: ['rap', 'trap', 'drill', '랩'],
  ballad: ['slow jam'],
  pop: ['pop', '팝'],
  none: ['soul', 'latin', 'world', 'instrumental', 'new age', 'game'],
}
const NAMED = Object.keys(PLAIN) as Named[]

/**
 * Weight of a word by its place, as log-odds, and of having no known genre, against each of the five. Our own values: a single genre tag or
 * plain word passes {@link leastProbability}; words that contradict one another do not.
 */
const WEIGHT = { tag: 3.5, comment: 2.8, title: 2.7 }
const noneWeight = 0.5
/** Least probability of a suggested genre. */
export const leastProbability = 0.7

/** True if a text has a word on its own, not within a longer one; Hangul words may have endings. */
function hasWord(text: string, word: string): boolean {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  const end = /\p{Script=Hangul}/u.test(word) ? '' : '(?![\\p{L}\\p{N}])'
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}${end}`, 'u').test(text)
}

/** Returns the genres that a text names: the longest words first, each removed once found, so that k-pop is not also pop. */
function namedIn(text: string, tables: readonly Words[]): Set<Named> {
  const words = tables
    .flatMap((table) => NAMED.flatMap((genre) => (table[genre] ?? []).map((word) => ({ genre, word }))))
    .sort((one, other) => other.word.length - one.word.length)
  // File names have underscores for spaces.
  let rest = text.normalize('NFC').toLowerCase().replaceAll('_', ' ')
  const found = new Set<Named>()
  for (const { genre, word } of words) {
    if (!hasWord(rest, word)) continue
    found.add(genre)
    rest = rest.replaceAll(word, ' / ')
  }
  return found
}

/**
 * Returns the genre that the texts of a song name, with its probability in per cent and the kind of text that decides; undefined if none
 * reaches 70 %, and for music of other genres. Never throws.
 */
export function genreReason({ genre, comments = [], title }: GenreTexts): SuggestionReason | undefined {
  const weights: Record<Named, number> = { kpop: 0, edm: 0, hiphop: 0, ballad: 0, pop: 0, none: noneWeight }
  const sources = [
    { from: 'tag', named: namedIn(genre ?? '', [PLAIN, IN_STYLES, IN_TAGS]) },
    { from: 'comment', named: namedIn(comments.join('\n'), [PLAIN, IN_STYLES]) },
    { from: 'title', named: namedIn(title ?? '', [PLAIN]) },
  ] as const
  for (const { from, named } of sources) for (const one of named) weights[one] += WEIGHT[from]
  const sum = NAMED.reduce((all, one) => all + Math.exp(weights[one]), 0)
  const best = NAMED.reduce((most, one) => (weights[one] > weights[most] ? one : most))
  const probability = Math.exp(weights[best]) / sum
  if (best === 'none' || probability < leastProbability) return undefined
  const { from } = sources.find(({ named }) => named.has(best))!
  return { code: 'GENRE_FOUND', values: { genre: best, probability_percent: Math.floor(100 * probability), from } }
}
