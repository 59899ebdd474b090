/**
 * Settings that words ask for, by a deterministic grammar: no model, no network. A sentence is cut into clauses; in each, qualities and
 * parts of the sound meet levels, directions, degrees, negations and figures. Pure.
 */
import { targetsOf } from '../delivery-target.ts'
import { DEFAULT_SETTINGS, type JobSettings, jobSettings, SETTINGS, STYLE_NAMES, type Style } from '../settings.ts'
import { type Knob, type Meaning, type Sign, STEPS } from './lexicon.ts'
import { type Figure, type Piece, scan } from './scan.ts'

/** Words that were understood, and the settings that they ask for; none if they ask to keep something as it is. */
export interface Understood {
  readonly words: string
  readonly settings: Partial<JobSettings>
}

export interface Understanding {
  /** Settings that differ from those they start from, always within their bounds. */
  readonly settings: Partial<JobSettings>
  readonly understood: readonly Understood[]
  /** Words without a known meaning, in order, each once. */
  readonly unknown: readonly string[]
}

export interface StartingPoint {
  /** Current settings; the defaults where absent. */
  readonly from?: Partial<JobSettings>
  /** Settings of the job before, for "like the last one". */
  readonly last?: Partial<JobSettings> | undefined
}

/** Returns what `sentence` asks for. Never throws; an empty sentence asks for nothing. */
export function understand(sentence: string, { from = {}, last }: StartingPoint = {}): Understanding {
  const pieces = scan(sentence.normalize('NFC'))
  const isLikeLast = last !== undefined && pieces.some(({ meaning }) => meaning.kind === 'last')
  const start = jobSettings({ ...DEFAULT_SETTINGS, ...from, ...(isLikeLast ? last : {}) })
  const clauses = clausesOf(pieces)
  const wishes = withoutFaint(clauses.flatMap((clause) => wishesOf(clause, start)))
  const given: Readonly<Record<string, unknown>> = { ...DEFAULT_SETTINGS, ...from }
  const asked: Partial<JobSettings> = {}
  for (const { settings, isRelief } of wishes) {
    // "More clarity without harshness" asks for clarity: what only rules out a fault yields to what was asked for.
    const isAsked = Object.keys(settings).some((name) => name in asked)
    if (!(isRelief && isAsked)) Object.assign(asked, joined(asked, settings))
  }
  const changed = Object.entries({ ...start, ...asked }).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(given[name]),
  )
  const isUnknown = (meaning: Piece['meaning']) =>
    meaning.kind === 'unknown' || (meaning.kind === 'last' && last === undefined)
  const unknown = [
    ...pieces.filter(({ meaning }) => isUnknown(meaning)).map(({ text }) => text),
    ...clauses.flatMap(unused),
  ]
  return {
    settings: Object.fromEntries(changed),
    understood: [
      ...pieces
        .filter(({ meaning }) => meaning.kind === 'last' && isLikeLast)
        .map(({ text }) => ({ words: text, settings: {} })),
      ...wishes.map(({ words, settings }) => ({ words, settings })),
    ],
    unknown: [...new Set(unknown)],
  }
}

/** Lists grow; everything else is replaced. */
function joined(all: Partial<JobSettings>, next: Partial<JobSettings>): Partial<JobSettings> {
  return Object.fromEntries(
    Object.entries(next).map(([name, value]) => {
      const before = (all as Readonly<Record<string, unknown>>)[name]
      return [name, Array.isArray(value) && Array.isArray(before) ? [...new Set([...before, ...value])] : value]
    }),
  )
}

type Of<Kind extends Meaning['kind']> = Extract<Meaning, { kind: Kind }>
type Target = Piece & { readonly meaning: Of<'quality'> | Of<'part'> }

/** Words between two ends of a clause, with what they inherit from the clause before. */
interface Clause {
  readonly pieces: readonly Piece[]
  readonly inherited: Modifiers | undefined
  /** The part that the sentence was about last. */
  readonly topic: Of<'part'> | undefined
}

/** Wish that a clause expresses about what it names. */
interface Modifiers {
  readonly direction: Sign | undefined
  readonly isNone: boolean
  readonly isTooMuch: boolean
  readonly isNegated: boolean
  readonly isKept: boolean
  /** It tells how something is. */
  readonly isStated: boolean
  readonly factor: number
  readonly level: Of<'level'> | undefined
  readonly figure: Figure | undefined
}

interface Wish extends Understood {
  readonly isFaint?: boolean
  /** It only takes a fault away. */
  readonly isRelief?: boolean
}

function clausesOf(pieces: readonly Piece[]): Clause[] {
  const clauses: Clause[] = []
  let inside: Piece[] = []
  let inherited: Modifiers | undefined
  let topic: Of<'part'> | undefined
  const end = (joins: boolean) => {
    if (inside.length === 0) return
    inside = withSizes(inside)
    clauses.push({ pieces: inside, inherited, topic })
    const own = modifiersOf(inside)
    inherited = joins ? (says(own) ? own : inherited) : undefined
    const parts = inside.map(({ meaning }) => meaning).filter((meaning) => meaning.kind === 'part')
    topic = parts.at(-1) ?? topic
    inside = []
  }
  for (const piece of pieces) {
    if (/^without/i.test(piece.text)) end(false)
    if (piece.meaning.kind === 'break') end(piece.meaning.joins === true)
    else inside.push(piece)
  }
  end(false)
  return sharedEndings(clauses)
}

/** Beside a part, a size is its level: "huge bass" is about the bass, "huge" alone about the width. */
function withSizes(pieces: readonly Piece[]): Piece[] {
  const hasPart = pieces.some(({ meaning }) => meaning.kind === 'part' && !meaning.isVague)
  return pieces.map((piece) => {
    const { meaning } = piece
    if (!hasPart || meaning.kind !== 'quality' || !meaning.ofPart) return piece
    return { ...piece, meaning: { kind: 'level', sign: meaning.ofPart, alone: meaning.knob } }
  })
}

/** In Korean the verb stands at the end: what is joined before it ("저음이랑 고음을 올려") has its direction too. */
function sharedEndings(clauses: readonly Clause[]): Clause[] {
  return clauses.map((clause, index) => {
    const next = clauses[index + 1]
    if (!next || next.inherited !== clause.inherited || says(modifiersOf(clause.pieces))) return clause
    const isJoined = clause.pieces.at(-1)?.text.match(/(랑|하고|와|과|지도)$/)
    return isJoined ? { ...clause, inherited: modifiersOf(next.pieces) } : clause
  })
}

const says = ({ direction, isNone, isTooMuch, isNegated, level }: Modifiers) =>
  direction !== undefined || isNone || isTooMuch || isNegated || level !== undefined

function modifiersOf(pieces: readonly Piece[]): Modifiers {
  const meanings = pieces.map(({ meaning }) => meaning)
  const has = (kind: Meaning['kind']) => meanings.some((meaning) => meaning.kind === kind)
  const signs = meanings
    .filter((meaning) => meaning.kind === 'direction')
    .filter(({ isTidy }) => !isTidy || !meanings.some((meaning) => meaning.kind === 'quality' && !meaning.isFault))
    .map(({ sign }) => sign)
  const degrees = meanings.filter((meaning) => meaning.kind === 'degree').map(({ factor }) => factor)
  return {
    direction: signs.length === 0 ? undefined : signs.includes(-1) ? -1 : 1,
    isNone: has('none'),
    isTooMuch: has('too'),
    isNegated: has('not'),
    isKept: has('keep'),
    isStated:
      has('statement') ||
      meanings.some((meaning) => meaning.kind === 'not' && meaning.isStated) ||
      pieces.some(({ isStated }) => isStated),
    factor: degrees.length === 0 ? 1 : degrees.includes(0.5) ? 0.5 : Math.max(...degrees),
    level: meanings.find((meaning) => meaning.kind === 'level'),
    figure: meanings.find((meaning) => meaning.kind === 'figure'),
  }
}

/** Returns what a clause says, or else what it inherits. */
function modifiersIn({ pieces, inherited }: Clause): Modifiers {
  const own = modifiersOf(pieces)
  // "Less bass, and widen": a comparative and a verb have their own direction.
  const isOwn = says(own) || pieces.some(({ isComparative, isVerb }) => isComparative || isVerb)
  return isOwn || !inherited ? own : { ...inherited, figure: own.figure }
}

function wishesOf(clause: Clause, start: JobSettings): Wish[] {
  const modifiers = modifiersIn(clause)
  const words = wordsOf(clause.pieces)
  const chosen = choicesOf(clause.pieces, modifiers).map((settings) => ({ words, settings }))
  const targets = targetsIn(clause, modifiers)
  return [
    ...chosen,
    ...targets.map(({ meaning, isComparative = false }) => ({
      words,
      settings: asked(meaning, { ...modifiers, isComparative }, start),
      ...(meaning.kind === 'quality' && meaning.isFaint ? { isFaint: true } : {}),
      ...(meaning.kind === 'quality' && meaning.isFault ? { isRelief: true } : {}),
    })),
  ]
}

/** Settings that are named with their value, repairs that are not wanted, and styles. */
function choicesOf(pieces: readonly Piece[], { isNegated, isNone }: Modifiers): Partial<JobSettings>[] {
  const meanings = pieces.map(({ meaning }) => meaning)
  const styles = meanings.some(({ kind }) => kind === 'style') ? pieces.flatMap(styleOf) : []
  return [
    ...meanings
      .filter((meaning) => meaning.kind === 'choice' && !isNegated)
      .map((meaning) => (meaning as Of<'choice'>).settings),
    ...meanings
      .filter((meaning) => meaning.kind === 'repair')
      // Without clicks is what a repair is for; without de-clicking is not.
      .map(({ repair, isDamage }) => (isNegated || (isNone && !isDamage) ? { skip_repairs: [repair] } : {})),
    ...styles.map((style) => ({ style })),
  ]
}

const STYLE_STEMS: Readonly<Record<Style, RegExp>> = {
  clean: /clean|깨끗|클린/,
  warm: /warm|따[뜻듯]|웜/,
  punchy: /punchy|펀치/,
  bright: /bright|밝|브라이트/,
  open: /open|시원|오픈/,
}

function styleOf({ text }: Piece): Style[] {
  return STYLE_NAMES.filter((name) => STYLE_STEMS[name].test(text.toLowerCase()))
}

/** Returns what a clause is about: its qualities, else its parts, else what its level or figure alone means. */
function targetsIn(
  { pieces, topic }: Clause,
  { level, figure, direction, isKept, isNone, isTooMuch }: Modifiers,
): Target[] {
  if (pieces.some(({ meaning }) => meaning.kind === 'style')) return []
  const qualities = pieces.filter((piece): piece is Target => piece.meaning.kind === 'quality')
  const all = pieces.filter((piece): piece is Target => piece.meaning.kind === 'part')
  // The particle of a place: vocals that are buried *in the bass* are about the vocals.
  const inPlace = all.filter(({ text }) => text.endsWith('에'))
  const named = all.length > inPlace.length ? all.filter((one) => !inPlace.includes(one)) : all
  const isExact = ({ meaning }: Target) => !(meaning.kind === 'part' && meaning.isVague)
  // The volume of the vocals is about the vocals.
  const particular = named.filter(({ meaning }) => meaning.knob !== 'target_lufs')
  const exact = particular.length > 0 ? particular : named.filter(isExact)
  // Bringing a sound forward does not mean making everything louder.
  const isVagueEnough =
    (level ? level.alone === 'target_lufs' : direction) && !pieces.some(({ meaning }) => meaning.kind === 'unknown')
  const parts = exact.length > 0 ? exact : isVagueEnough ? named : []
  // Cymbals that are too noisy are about the cymbals.
  const isLoudPart =
    isTooMuch && particular.length > 0 && qualities.every(({ meaning }) => meaning.knob === 'target_lufs')
  if (qualities.length > 0 && !isLoudPart) return qualities
  if (parts.length > 0) return level || direction || figure || isKept || isNone || pieces.some(isExcess) ? parts : []
  const [first] = pieces
  // An unknown word begins a new subject.
  const isClear = level?.alone === 'target_lufs' || !pieces.some(({ meaning }) => meaning.kind === 'unknown')
  if (!first || !isClear) return []
  const about = (meaning: Of<'part'>): Target[] => [{ ...first, meaning }]
  if (figure?.unit === 'lufs') return about({ kind: 'part', knob: 'target_lufs' })
  if (level && topic && level.alone !== 'target_lufs') return about(topic)
  if (level) return about({ kind: 'part', knob: level.alone })
  if (topic) return direction || figure ? about(topic) : []
  return direction && figure?.unit === 'db' ? about({ kind: 'part', knob: 'target_lufs' }) : []
}

const isExcess = ({ meaning }: Piece) => meaning.kind === 'too' || meaning.kind === 'not'

/** Returns the pieces that are known but meant nothing where they stand: parts without anything said about them, and stray figures. */
function unused(clause: Clause): string[] {
  const isChosen = clause.pieces.some(({ meaning }) => ['choice', 'style', 'repair'].includes(meaning.kind))
  if (isChosen || targetsIn(clause, modifiersIn(clause)).length > 0) return []
  return clause.pieces
    .filter(({ meaning }) => meaning.kind === 'part' || meaning.kind === 'figure')
    .map(({ text }) => text)
}

type Said = Modifiers & { readonly isComparative: boolean }

/** Returns the settings that one quality or part asks for. */
function asked(meaning: Target['meaning'], said: Said, start: JobSettings): Partial<JobSettings> {
  const { knob } = meaning
  if (said.isKept) return keptSettings(meaning)
  const sign = signOf(meaning, said)
  if (sign === undefined) return {}
  const { figure } = said
  const isOff = said.isNone && !(meaning.kind === 'quality' && meaning.isFault) && !figure
  if (isOff && OFF.includes(knob)) return { [knob]: 0 }
  return {
    [knob]: within(
      knob,
      figure
        ? figureValue(meaning, figure, { sign, start, isMoved: said.direction !== undefined })
        : stepped(knob, { sign, said, start }),
    ),
  }
}

/** Settings for which 0 means "none of it". */
const OFF: readonly Knob[] = [
  'warmth',
  'tone_amount',
  'dynamics_amount',
  'image_amount',
  'fade_in_seconds',
  'fade_out_seconds',
]

function keptSettings(meaning: Target['meaning']): Partial<JobSettings> {
  if (meaning.kind === 'part') return meaning.kept ?? {}
  // Keeping the dynamics means less of the planned compression.
  return meaning.knob === 'dynamics_amount' && !meaning.isFault
    ? { dynamics_amount: DEFAULT_SETTINGS.dynamics_amount - (STEPS.dynamics_amount ?? 0) }
    : {}
}

/** Returns the direction in which a knob is to move; undefined if it is to stay. */
function signOf(meaning: Target['meaning'], said: Said): Sign | undefined {
  const { direction, isNone, isTooMuch, isNegated, level, isComparative } = said
  const own = meaning.kind === 'quality' ? meaning.sign : 1
  const isLess = direction === -1 || isNone
  const turn = (by: boolean, sign: number): Sign => (by ? -sign : sign) as Sign
  if (meaning.kind === 'quality' && meaning.isFault) {
    if (isNone) return turn(true, own)
    const isWanted = isComparative && direction !== -1 && !isTooMuch && !said.isStated
    if (isWanted || direction === 1) return turn(isNegated, own)
    return turn(true, own)
  }
  const pulled = level ? turn(level.isFault === true, own * level.sign) : own
  if (isTooMuch) return turn(!level?.isFault, pulled)
  if (isNegated) return level?.isFault || said.isStated ? pulled : undefined
  if (said.isStated && !level?.isFault && direction === undefined && !isNone && !isComparative)
    return turn(true, pulled)
  return turn(isLess && !level?.isFault, pulled)
}

function stepped(knob: Knob, { sign, said, start }: { sign: Sign; said: Said; start: JobSettings }): number {
  const factor = said.isTooMuch && said.isNegated ? 0.5 : said.factor
  return baseOf(knob, sign, start) + sign * factor * (STEPS[knob] ?? 0)
}

/** Returns the value from which a knob moves. A louder target starts from the loudest of the platforms, so that none gets quieter. */
function baseOf(knob: Knob, sign: Sign, start: JobSettings): number {
  if (knob !== 'target_lufs') return start[knob] ?? 0
  const targets = targetsOf(start).map(({ targetLufs }) => targetLufs)
  return sign > 0 ? Math.max(...targets) : Math.min(...targets)
}

function figureValue(
  meaning: Target['meaning'],
  { value, unit, isSigned, isGoal }: Figure,
  { sign, start, isMoved }: { readonly sign: Sign; readonly start: JobSettings; readonly isMoved: boolean },
): number {
  const { knob } = meaning
  const size = isSigned ? value : sign * value
  // A level without a unit ("loudness -14") is in LUFS where it can be one.
  const isLufs = unit === 'lufs' || (unit === '' && isSigned && value <= SETTINGS.target_lufs.maximum)
  if (knob === 'target_lufs') return isLufs ? value : baseOf(knob, size > 0 ? 1 : -1, start) + size
  if (unit === 'db' || SETTINGS[knob].kind !== 'amount')
    return knob.endsWith('_seconds') ? value : (start[knob] ?? 0) + size
  const isChange = isSigned || (!isGoal && unit === 'percent' && (meaning.kind === 'quality' || isMoved))
  return isChange ? (start[knob] ?? 0) + size : value
}

function within(knob: Knob, value: number): number {
  const row = SETTINGS[knob]
  const rounded = row.kind === 'amount' ? Math.round(value) : Math.round(value * 10) / 10
  return Math.min(row.maximum, Math.max(row.minimum, rounded))
}

function wordsOf(pieces: readonly Piece[]): string {
  return pieces
    .filter(({ meaning }) => meaning.kind !== 'filler' && meaning.kind !== 'last' && meaning.kind !== 'unknown')
    .map(({ text }) => text)
    .join(' ')
}

/** A faint complaint ("my ears hurt") counts if nothing else says what is wrong. */
function withoutFaint(wishes: readonly Wish[]): readonly Wish[] {
  return wishes.some(({ isFaint }) => !isFaint) ? wishes.filter(({ isFaint }) => !isFaint) : wishes
}
