/** Words of a sentence, found in the vocabulary. Pure. */
import { type Meaning, TERMS, type Term } from './lexicon.ts'

/** A piece of the sentence: a known word, a number with its unit, or an unknown word. */
export interface Piece {
  readonly text: string
  readonly start: number
  readonly meaning: Meaning | Figure | { readonly kind: 'unknown' }
  /** Letters of the comparative, or the Korean ending of a wish (차갑게): a fault is then wanted. */
  readonly isComparative?: boolean
  /** A Korean ending that describes instead of asking. */
  readonly isStated?: boolean
  /** An imperative such as "widen". */
  readonly isVerb?: boolean
}

/** A number with its unit. */
export interface Figure {
  readonly kind: 'figure'
  readonly value: number
  /** True with a plus or a minus before it. */
  readonly isSigned: boolean
  /** True for the value to be reached: "to 80 percent". */
  readonly isGoal: boolean
  readonly unit: 'db' | 'lufs' | 'percent' | 'seconds' | ''
}

/** Syllables of Korean endings and particles, as they may follow a stem; the vocabulary has the stems. */
const ENDING =
  '[하한해했할함합고은는을를이가도만의에서로으와과랑요어아여니까면며지던든기음줘주줬세었았였겠습다야네죠군걸것들적스럽러롭운우워웠쳐치려리렸릴린히혀혔힌인일임됐되된될돼져졌진시신실십게나라자거럼처감림링려용대예곡봐놔둬추춰쓰써싶좋데텐토록용좀씩건엔론있긴길듯달보켜키내래움]'
/** End of a Korean word, also before a negation that is written with it: 크지않게. */
const END = '(?:(?![가-힣])|(?<=지)(?=않|마|말|못))'
const NOT_A_LATIN_WORD = '(?![a-z0-9])(?!-[a-z])'
/** Endings after which the next clause begins; after the last ones it may share its direction. */
const CLAUSE_ENDING =
  /(지도|없이|않게|고|며|면서|면서도|지만|[는은운한던인]데|되|(?<!에)서|니까|라|요|니다|랑|하고|(?<!나)와|과|지도)$/
const STATING_ENDING =
  /([거너더러머버서어저처커터퍼허려며벼셔여져쳐켜펴혀개대래매배새애재채해와워아파카타차사]요|^[세쎄]요|네요?|니다|[은는] ?것 ?같아요)$/
/** Levels that are told, in the familiar form or as a note. */
const TOLD_LEVEL = /^(작아|커|약해|강해|세|쎄|조용해|낮아|높아|멀어|많아|적어)$|[음함큼쎔]$/
/** Verbs of wishes and requests, whose endings carry no information. */
const WISHING = /^(좋|원|싶|바라|바랍|부탁|주|줘|드려|해|했으|하)/
const JOINING_ENDING = /(랑|하고|와|과|지도)$/
const NUMBER =
  /([+-]|minus |plus |마이너스 ?|플러스 ?)?(?!808)(\d+(?:\.\d+)?|(?:half an?|a couple(?: of)?|a few|an?|one|two|three|four|five|six)(?= (?:db|dec|sec|perc))|(?<=(?:plus|minus) )(?:one|two|three|four|five|six)) ?(?:(?:more|extra) (?=db|dec))?(dbs?(?: and a half)?|decibels?|데시벨|디비|lufs|lkfs|루프스|러프스|%|percent|퍼센트|프로|s(?:ec(?:ond)?s?)?|초)?(?![a-z0-9])/y
const NUMERALS: Readonly<Record<string, number>> = {
  ...{ 'half a': 0.5, 'half an': 0.5, a: 1, an: 1, one: 1, two: 2, 'a couple': 2, 'a couple of': 2 },
  ...{ three: 3, 'a few': 3, four: 4, five: 5, six: 6 },
}
const UNITS: Readonly<Record<string, Figure['unit']>> = {
  d: 'db',
  데: 'db',
  l: 'lufs',
  루: 'lufs',
  러: 'lufs',
  디: 'db',
  s: 'seconds',
  초: 'seconds',
}

const HANGUL = 0xac00
/** Returns the syllable of a consonant and vowel (by their joint number) and a final consonant. */
const syllable = (head: number, final: '' | 'ㄴ' | 'ㄹ' | 'ㅁ' | 'ㅂ' | 'ㅆ') =>
  String.fromCharCode(HANGUL + head * 28 + { '': 0, ㄴ: 4, ㄹ: 8, ㅁ: 16, ㅂ: 17, ㅆ: 20 }[final])
/** Numbers of ㅗ, ㅚ, ㅜ and ㅣ, with the vowels that they contract to with ㅓ or ㅏ. */
const CONTRACTED: Readonly<Record<number, number>> = { 8: 9, 11: 10, 13: 14, 20: 6 }
const [A, EO, EU] = [0, 4, 18]
const [N, RIEUL, BIEUP] = [4, 8, 17]

/** Returns a pattern for all forms of a Korean stem: 찌르 is also 찔러, 차갑 is 차가워, 줄이 is 줄였. */
function conjugated(stem: string): string {
  const code = stem.charCodeAt(stem.length - 1) - HANGUL
  const [before, head, final] = [stem.slice(0, -1), Math.floor(code / 28), code % 28]
  const vowel = head % 21
  if (final === BIEUP) return `${stem}|${before}${syllable(head, '')}[우운울움워웠]`
  if (final === RIEUL) return `${stem}|${before}[${syllable(head, 'ㄴ')}${syllable(head, 'ㅂ')}]`
  const joined = [syllable(head, ''), ...(['ㄴ', 'ㄹ', 'ㅁ'] as const).map((one) => syllable(head, one))]
  const past = (at: number) => syllable(at, '') + syllable(at, 'ㅆ')
  const polite = `${before}${syllable(head, 'ㅂ')}(?=니)`
  if (vowel !== EU) return `${before}[${joined.join('')}${past(head - vowel + (CONTRACTED[vowel] ?? vowel))}]|${polite}`
  const last = before.charCodeAt(before.length - 1) - HANGUL
  const harmonic = [A, 8].includes(Math.floor(last / 28) % 21) ? A : EO
  if (!stem.endsWith('르')) return `${before}[${joined.join('')}${past(head - EU + harmonic)}]|${polite}`
  const doubled = before.slice(0, -1) + syllable(Math.floor(last / 28), 'ㄹ')
  return `${before}[${joined.join('')}]|${polite}|${doubled}[${past(head - EU + harmonic)}]`
}

/** Returns about how long a match of a pattern can be. */
function longestMatch(pattern: string): number {
  const longest = (inner: string) => inner.split('|').reduce((one, other) => (other.length > one.length ? other : one))
  let plainer = pattern.replaceAll(/\(\?<?[=!](?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g, '')
  while (/\([^()]*\)/.test(plainer)) plainer = plainer.replaceAll(/\(([^()]*)\)/g, (_, inner: string) => longest(inner))
  return plainer.replaceAll(/[?*+\\]/g, '').length
}

/** Returns a pattern with its longer alternatives first, since the first one to match counts. */
function longestFirst(pattern: string): string {
  const inGroup = (alternatives: string) => alternatives.split('(').length > alternatives.split(')').length
  const whole: string[] = []
  for (const next of pattern.split('|')) {
    const last = whole.at(-1)
    if (last !== undefined && inGroup(last)) whole.splice(-1, 1, `${last}|${next}`)
    else whole.push(next)
  }
  return whole.toSorted((one, other) => longestMatch(other) - longestMatch(one)).join('|')
}

/** Returns a Korean pattern with its verbs in all forms, doubled for effect (찰랑찰랑), and with a 좀 between its words. */
const korean = (ko: string) =>
  `(${longestFirst(ko)
    .replaceAll(/([가-힣]+)-/g, (_, stem: string) => `(?:${conjugated(stem)})`)
    .replaceAll(' ?', ' ?(?:좀 )?')})\\1?`

const makePatterns = () => ({
  terms: TERMS.flatMap(({ en, ko, meaning }) => [
    ...(en
      ? [
          {
            pattern: new RegExp(
              `(${longestFirst(en)})(?:-?like| like(?! (?:an?|the|my|it|on|in|from|she|he|they)\\b)|-?ish)?${NOT_A_LATIN_WORD}(${ENDING}{0,9})${END}`,
              'y',
            ),
            meaning,
          },
        ]
      : []),
    ...(ko ? [{ pattern: new RegExp(`${korean(ko)}(?![a-z])(${ENDING}{0,9})${END}`, 'y'), meaning }] : []),
  ]),
  /** All English words, and those with a meaning. */
  known: anyOf(TERMS),
  meaningful: anyOf(TERMS.filter(({ meaning }) => meaning.kind !== 'filler')),
})
let made: ReturnType<typeof makePatterns> | undefined
/** Returns the patterns of all words, made with the first sentence: most services never read one. */
const patterns = () => {
  made ??= makePatterns()
  return made
}
const KOREAN_ENDING = new RegExp(`${ENDING}{0,9}(?![가-힣])`, 'y')
const WORD = /[^\s,.;:!?()"“”、。·/]+/y
const STOPS = /[,.;:!?()"“”、。·/\n]+/y

/** Usual misspellings of Korean. */
const MISSPELLED: readonly (readonly [RegExp, string])[] = [
  [/됬/g, '됐'],
  [/지 ?안(?=[게아도은습])/g, '지않'],
  [/않(?= ?(들|나|보|커|좋))/g, '안'],
  [/쌔(?=[게요졌])/g, '쎄'],
  [/틔/g, '트'],
]

/** Returns a sentence for comparison: composed, in lower case, with plain punctuation. Its length stays the same. */
function plain(sentence: string): string {
  const spelled = MISSPELLED.reduce(
    (all, [slip, right]) => all.replace(slip, (found) => right.padEnd(found.length)),
    sentence,
  )
  return spelled
    .toLowerCase()
    .replace(/[−–—]/g, '-')
    .replace(/[’‘]/g, "'")
    .replace(/[^\S\n]|:(?= )/g, ' ')
}

/** Returns the pieces of `sentence`, which is in normal form C, in order. */
export function scan(sentence: string): Piece[] {
  const text = plain(sentence)
  const found: Piece[] = []
  let at = 0
  while (at < text.length) {
    if (text[at] === ' ') {
      at++
      continue
    }
    const pieces = matchAt(text, at)
    for (const piece of pieces) {
      found.push({ ...piece, text: sentence.slice(piece.start, piece.start + piece.length) })
      at = Math.max(at, piece.start + piece.length)
    }
  }
  return found
}

type Match = Omit<Piece, 'text'> & { readonly length: number }

function matchAt(text: string, start: number): Match[] {
  const stop = lengthOf(STOPS, text, start)
  if (stop > 0) return [{ start, length: stop, meaning: { kind: 'break' } }]
  return (
    frequencyAt(text, start) ??
    figureAt(text, start) ??
    termAt(text, start) ??
    compoundAt(text, start) ?? [respelledAt(text, start) ?? unknownAt(text, start)]
  )
}

const anyOf = (terms: readonly Term[]) => new RegExp(`^(?:${terms.flatMap(({ en }) => en || []).join('|')})$`)
/** A word of letters that may be a misspelling. */
const LETTERED = /[a-z]{3,14}(?![^\s,.;:!?()])/y

/** Returns the known word behind an English misspelling: "trebel", "louuud", "compresed". */
function respelledAt(text: string, start: number): Match | undefined {
  const length = lengthOf(LETTERED, text, start)
  const word = text.slice(start, start + length)
  const { known, meaningful } = patterns()
  const spelling = stemsOf(word).find((one) => known.test(one)) ?? spellings(word).find((one) => meaningful.test(one))
  const [term] = spelling === undefined ? [] : (termAt(spelling, 0) ?? [])
  return term && { ...term, start, length, isComparative: term.isComparative === true || word.endsWith('er') }
}

/** Returns the words that a word may be formed from: "cloudier", "flatter", "murkiness", "slapping". */
function stemsOf(word: string): string[] {
  const [, stem] = /^([a-z]{3,})(?:er|est|ness|ing|ed|ly)$/.exec(word) ?? []
  return stem === undefined ? [] : [stem, `${stem}e`, stem.replace(/i$/, 'y'), stem.replace(/(.)\1$/, '$1')]
}

/** Consonants that are often confused. */
const ALIKE: Readonly<Record<string, string>> = { c: 's', s: 'cz', z: 's' }
const VOWELS = 'aeiou'
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/**
 * Returns likely spellings of a misspelled word: without drawn-out letters; from five letters on also with two neighbours swapped or a letter
 * doubled or single, and after the first vowel with a letter replaced, inserted or left out.
 */
function spellings(word: string): string[] {
  const drawn = ['$1', '$1$1'].map((few) => word.replaceAll(/(.)\1{2,}/g, few))
  const slips = [...word].flatMap((letter, index) => {
    const [left, right] = [word.slice(0, index), word.slice(index + 1)]
    const isLate = left.length > 2 && /[aeiou]/.test(left)
    const likes = VOWELS.includes(letter) ? VOWELS : (ALIKE[letter] ?? '')
    return [
      ...(index > 0 ? [`${left}${right.charAt(0)}${letter}${right.slice(1)}`] : []),
      `${left}${letter}${letter}${right}`,
      ...(right.startsWith(letter) || (isLate && word.length > 7) ? [left + right] : []),
      ...(isLate ? [...likes].map((like) => `${left}${like}${right}`) : []),
      ...(isLate && word.length > 6 ? [...LETTERS].map((missing) => `${left}${missing}${letter}${right}`) : []),
    ]
  })
  return [...drawn, ...(word.length > 4 ? slips : [])].filter((one) => one !== word)
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

/** A frequency or a range of them. */
const FREQUENCY =
  /(\d+(?:\.\d+)?)(?: ?(?:-|~|to) ?(\d+(?:\.\d+)?))? ?(k(?:hz|헤르츠)?|hz|헤르츠|킬로(?:헤르츠)?)(?![a-z0-9])[대쪽에을를은이가부근]*/y

/** Returns the part of the sound at a frequency; unknown where no setting covers it. */
function frequencyAt(text: string, start: number): Match[] | undefined {
  FREQUENCY.lastIndex = start
  const [all, from, to = from, unit] = FREQUENCY.exec(text) ?? []
  if (all === undefined) return undefined
  const hz = Math.sqrt(Number(from) * Number(to)) * (unit === 'hz' || unit === '헤르츠' ? 1 : 1000)
  const knob = hz <= 200 ? 'bass_db' : hz < 1500 ? undefined : hz <= 6000 ? 'presence_db' : 'air_db'
  return [{ start, length: all.length, meaning: knob ? { kind: 'part', knob } : { kind: 'unknown' } }]
}

function figureAt(text: string, start: number): Match[] | undefined {
  NUMBER.lastIndex = start
  const [all, sign = '', digits = '', unit = ''] = NUMBER.exec(text) ?? []
  if (all === undefined) return undefined
  const isMinus = /^[-m마]/.test(sign)
  const size = (NUMERALS[digits] ?? Number(digits)) + (unit.endsWith('half') ? 0.5 : 0)
  const value = isMinus ? -size : size
  const known = unit === '%' || /^[p퍼프]/.test(unit) ? 'percent' : (UNITS[unit.charAt(0)] ?? '')
  const particle = all.endsWith(' ') ? 0 : lengthOf(KOREAN_ENDING, text, start + all.length)
  const length = all.length + particle
  const isGoal = /\bto $/.test(text.slice(0, start)) || /(로|까지)$/.test(text.slice(start, start + length))
  return [{ start, length, meaning: { kind: 'figure', value, isSigned: sign !== '', isGoal, unit: known } }]
}

/** An order before an adjective: "make it a bit icy and cold". */
const ORDERED =
  /\b(make|get|want|turn) (it|this|everything|them|the (mix|song|track|sound|master|whole thing))( (sound|feel|more|a|bit|little|really|very|super|extra|even|all|to be|to sound|\w+ and))* $/
const isPredicate = (matches: readonly Match[] | undefined) =>
  ['quality', 'level', 'direction', 'none', 'too'].includes(
    matches?.find(({ meaning }) => meaning.kind !== 'filler')?.meaning.kind ?? '',
  )

/** Returns whether a word ends in the 게 of 밝게, not in that of 밝은게, "what is bright". */
const isAdverbial = (word: string) => word.endsWith('게') && (word.charCodeAt(word.length - 2) - HANGUL) % 28 !== N

/** Returns the longest known word at `start`, and the end of its clause if its ending is one. */
function termAt(text: string, start: number): Match[] | undefined {
  let best: { readonly length: number; readonly stem: string; readonly meaning: Meaning } | undefined
  for (const { pattern, meaning } of patterns().terms) {
    pattern.lastIndex = start
    const [all, stem = ''] = pattern.exec(text) ?? []
    if (all === undefined || stem === '') continue
    const isLonger = all.length > (best?.length ?? 0) || (all.length === best?.length && stem.length > best.stem.length)
    if (isLonger) best = { length: all.length, stem, meaning }
  }
  if (!best) return undefined
  const { length, stem, meaning } = best
  const written = text.slice(start, start + length)
  // The seeming particle may be a predicate: 킥세게.
  const particle = meaning.kind === 'part' ? written.slice(stem.length) : ''
  const predicate = particle.length > 1 ? [termAt(particle, 0), compoundAt(particle, 0)].find(isPredicate) : undefined
  if (predicate && lengthOfAll(predicate) === particle.length)
    return [{ start, length: stem.length, meaning }, ...moved(predicate, start + stem.length)]
  const isComparative = /[a-z]er$/.test(stem) || ORDERED.test(text.slice(0, start)) || isAdverbial(written)
  const term: Match = {
    start,
    length,
    meaning,
    isComparative,
    isVerb: /[a-z]en$/.test(stem) || /(줘|줘요|주세요|주시[가-힣]*|달라)$/.test(written),
  }
  const isTold = meaning.kind === 'level' && TOLD_LEVEL.test(written)
  if (isTold || (STATING_ENDING.test(written) && !WISHING.test(written))) return [{ ...term, isStated: true }]
  // The name of a part may end like a clause (컴프레서).
  const ending = meaning.kind === 'part' ? written.slice(stem.length) : written
  if (!/[가-힣]$/.test(written) || ['break', 'degree'].includes(meaning.kind) || !CLAUSE_ENDING.test(ending))
    return [term]
  const joins = JOINING_ENDING.test(written)
  return [term, { start: start + length, length: 0, meaning: { kind: 'break', ...(joins ? { joins } : {}) } }]
}

/** Returns the known words of a Korean word of up to 12 syllables that is written without spaces: 저음줄여줘, 좀더밝게. */
function compoundAt(text: string, start: number): Match[] | undefined {
  const word = text.slice(start, start + lengthOf(WORD, text, start))
  if (!/^[가-힣]{2,12}$/.test(word)) return undefined
  for (let cut = word.length - 1; cut > 0; cut--) {
    const [head, ...ends] = termAt(word.slice(0, cut), 0) ?? []
    if (!head) continue
    const tail = word.slice(cut)
    const isWord =
      head.length === cut && (cut > 1 ? head.meaning.kind !== 'filler' : /[더덜좀안개]/.test(word.charAt(0)))
    const rest = isWord && tail.length > 1 ? (termAt(tail, 0) ?? compoundAt(tail, 0)) : undefined
    if (!rest || rest[0]?.meaning.kind === 'filler' || lengthOfAll(rest) !== tail.length) continue
    return [...moved([head, ...ends], start), ...moved(rest, start + cut)]
  }
  return undefined
}

const moved = (matches: readonly Match[], by: number) => matches.map((one) => ({ ...one, start: one.start + by }))
const lengthOfAll = (matches: readonly Match[]) => matches.reduce((sum, { length }) => sum + length, 0)

function unknownAt(text: string, start: number): Match {
  return { start, length: Math.max(1, lengthOf(WORD, text, start)), meaning: { kind: 'unknown' } }
}
