/** Words of a sentence, found in the vocabulary. Pure. */
import { type Meaning, TERMS } from './lexicon.ts'

/** A piece of the sentence: a word that is known, a number with its unit, or a word that is not known. */
export interface Piece {
  readonly text: string
  readonly start: number
  readonly meaning: Meaning | Figure | { readonly kind: 'unknown' }
  /** Letters of the comparative, or the Korean ending of a wish (차갑게): a fault is then wanted. */
  readonly isComparative?: boolean
  /** A Korean ending that tells how something is instead of asking for it. */
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
  '[하한해했할함합고은는을를이가도만의에서로으와과랑요어아여니까면며지던든기음줘주줬세었았였겠습다야네죠군걸것들적스럽러롭운우워웠쳐치려리렸릴린히혀혔힌인일임됐되된될돼져졌진시신실십게나라자거럼처감림링려용대예곡봐놔둬추춰쓰써싶좋데텐토록용좀씩]'
const NOT_A_LATIN_WORD = '(?![a-z0-9])(?!-[a-z])'
/** Endings after which the next clause begins; after the last ones it may share its direction. */
const CLAUSE_ENDING = /(지도|없이|않게|고|며|면서|면서도|지만|는데|은데|운데|되|서|니까|랑|하고|와|과|지도)$/
const STATING_ENDING = /([아어여워해려와]요|네요?|니다|[은는] ?것 ?같아요)$/
/** Verbs of wishes and requests, whose endings tell nothing. */
const WISHING = /^(좋|원|싶|바라|바랍|부탁|주|줘|드려|해|했으|하)/
const JOINING_ENDING = /(랑|하고|와|과|지도)$/
const NUMBER =
  /([+-]|minus |plus |마이너스 ?|플러스 ?)?(\d+(?:\.\d+)?|(?:an?|one|two|three|four|five|six)(?= (?:db|dec|sec|perc))) ?(dbs?|decibels?|데시벨|디비|lufs|lkfs|루프스|러프스|%|percent|퍼센트|프로|s(?:ec(?:ond)?s?)?|초)?(?![a-z0-9])/y
const NUMERALS = ['one', 'two', 'three', 'four', 'five', 'six']
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

const PATTERNS = TERMS.flatMap(({ en, ko, meaning }) => [
  ...(en
    ? [
        {
          pattern: new RegExp(`(${en})(?:[- ]?like|-?ish)?${NOT_A_LATIN_WORD}(${ENDING}{0,9})(?![가-힣])`, 'y'),
          meaning,
        },
      ]
    : []),
  ...(ko ? [{ pattern: new RegExp(`(${ko})(?![a-z])(${ENDING}{0,9})(?![가-힣])`, 'y'), meaning }] : []),
])
const KOREAN_ENDING = new RegExp(`${ENDING}{0,9}(?![가-힣])`, 'y')
const WORD = /[^\s,.;:!?()"“”、。·/]+/y
const STOPS = /[,.;:!?()"“”、。·/\n]+/y

/** Returns a sentence as it is compared: composed, in small letters, with plain signs. It keeps its length. */
function plain(sentence: string): string {
  return sentence.toLowerCase().replace(/[−–—]/g, '-').replace(/[’‘]/g, "'").replace(/\s/g, ' ')
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
  return figureAt(text, start) ?? termAt(text, start) ?? [unknownAt(text, start)]
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

function figureAt(text: string, start: number): Match[] | undefined {
  NUMBER.lastIndex = start
  const [all, sign = '', digits = '', unit = ''] = NUMBER.exec(text) ?? []
  if (all === undefined) return undefined
  const isMinus = /^[-m마]/.test(sign)
  const size = NUMERALS.indexOf(digits) + 1 || (/^a/.test(digits) ? 1 : Number(digits))
  const value = isMinus ? -size : size
  const known = unit === '%' || /^[p퍼프]/.test(unit) ? 'percent' : (UNITS[unit.charAt(0)] ?? '')
  const particle = /^[a-z%초]?|데시벨/.test(unit) ? lengthOf(KOREAN_ENDING, text, start + all.length) : 0
  const length = all.length + particle
  const isGoal = /\bto $/.test(text.slice(0, start)) || /(로|까지)$/.test(text.slice(start, start + length))
  return [{ start, length, meaning: { kind: 'figure', value, isSigned: sign !== '', isGoal, unit: known } }]
}

/** Returns the longest known word at `start`, and the end of its clause if its ending is one. */
function termAt(text: string, start: number): Match[] | undefined {
  let best: { readonly length: number; readonly stem: string; readonly meaning: Meaning } | undefined
  for (const { pattern, meaning } of PATTERNS) {
    pattern.lastIndex = start
    const [all, stem = ''] = pattern.exec(text) ?? []
    if (all === undefined || stem === '') continue
    const isLonger = all.length > (best?.length ?? 0) || (all.length === best?.length && stem.length > best.stem.length)
    if (isLonger) best = { length: all.length, stem, meaning }
  }
  if (!best) return undefined
  const { length, stem, meaning } = best
  const written = text.slice(start, start + length)
  const isComparative = /[a-z]er$/.test(stem) || /게$/.test(written)
  const term: Match = { start, length, meaning, isComparative, isVerb: /[a-z]en$/.test(stem) }
  if (STATING_ENDING.test(written) && !WISHING.test(written)) return [{ ...term, isStated: true }]
  // The name of a part may end like a clause (컴프레서).
  const ending = meaning.kind === 'part' ? written.slice(stem.length) : written
  if (!/[가-힣]$/.test(written) || meaning.kind === 'break' || !CLAUSE_ENDING.test(ending)) return [term]
  const joins = JOINING_ENDING.test(written)
  return [term, { start: start + length, length: 0, meaning: { kind: 'break', ...(joins ? { joins } : {}) } }]
}

function unknownAt(text: string, start: number): Match {
  return { start, length: Math.max(1, lengthOf(WORD, text, start)), meaning: { kind: 'unknown' } }
}
