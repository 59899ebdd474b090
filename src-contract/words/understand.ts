/**
 * Settings from words, by a deterministic grammar: no model, no network. A sentence is split into clauses; in each, qualities and parts of
 * the sound are combined with levels, directions, degrees, negations and figures. Pure.
 */
import { targetsOf } from '../delivery-target.ts'
import { DEFAULT_SETTINGS, type JobSettings, jobSettings, SETTINGS, STYLE_NAMES, type Style } from '../settings.ts'
import { type Knob, type Meaning, type Sign, STEPS } from './lexicon.ts'
import { type Figure, type Piece, scan } from './scan.ts'

/** Words that were understood, and the settings they ask for; none if something should stay as it is. */
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
    // "More clarity without harshness" asks for clarity: ruling out a fault gives way to a wish.
    const isAsked = Object.keys(settings).some((name) => name in asked)
    if (!(isRelief && isAsked)) Object.assign(asked, joined(asked, settings))
  }
  const changed = Object.entries({ ...start, ...asked }).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(given[name]),
  )
  const unknown = [
    ...pieces
      .filter((piece) => isUnknown(piece) || (piece.meaning.kind === 'last' && last === undefined))
      .map(({ text }) => text),
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

/** The words of a clause, with everything they inherit from the clause before. */
interface Clause {
  readonly pieces: readonly Piece[]
  readonly inherited: Modifiers | undefined
  /** The part that the sentence was about last. */
  readonly topic: Of<'part'> | undefined
}

/** Wish of a clause about its subject. */
interface Modifiers {
  readonly direction: Sign | undefined
  readonly isNone: boolean
  readonly isTooMuch: boolean
  readonly isNegated: boolean
  /** Permitted or not needed, rather than asked for. */
  readonly isWaived: boolean
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
  let before: Modifiers | undefined
  let topic: Of<'part'> | undefined
  const end = (joins: boolean) => {
    for (const group of inside.length > 0 ? opposed(inside) : []) {
      const sized = withSizes(group.filter((piece) => !isAlso(piece, group)))
      clauses.push({
        pieces: sized,
        inherited: inherited ?? (group.some((piece) => isLikewise(piece, group)) ? before : undefined),
        topic,
      })
      const own = modifiersOf(sized)
      if (says(own)) before = own
      inherited = joins ? (says(own) ? own : inherited) : undefined
      const parts = sized.map(({ meaning }) => meaning).filter((meaning) => meaning.kind === 'part')
      const exact = parts.filter(({ isVague, sign }) => !isVague && sign === undefined)
      topic = (own.isKept ? undefined : exact.at(-1)) ?? topic
    }
    inside = []
  }
  for (const piece of pieces) {
    // "K-pop style" names a genre.
    if (piece.meaning.kind === 'style' && inside.at(-1)?.meaning.kind === 'choice') continue
    if (opens(piece, inside)) end(false)
    if (piece.meaning.kind === 'break') end(piece.meaning.joins === true)
    else inside.push(piece)
    // In Korean the object precedes the verb.
    if (piece.meaning.kind === 'keep' && /[가-힣]/.test(piece.text)) end(false)
  }
  end(false)
  return sharedEndings(clauses)
}

/** Returns whether a clause begins here without punctuation or conjunction: "warm not muddy", "it is dull make it brighter". */
function opens({ text, meaning }: Piece, before: readonly Piece[]): boolean {
  if (/^(without|rather than|instead of)/i.test(text)) return true
  if (meaning.kind === 'not' && meaning.isWaived && !/[가-힣]/.test(text)) return true
  const { isStated, isTooMuch } = modifiersOf(before)
  if (/^not$/i.test(text)) return !isStated && before.some(isQuality)
  const isOrder = meaning.kind === 'filler' && /^(make|give|be|bring|let|please|pls|plz|can|could)$/i.test(text)
  return isOrder && (isTooMuch || (isStated && before.some((one) => isQuality(one) || one.meaning.kind === 'choice')))
}

/** A final "too" means "also". */
const isAlso = (piece: Piece, group: readonly Piece[]) =>
  group.length > 1 &&
  piece === group.at(-1) &&
  /^too$/i.test(piece.text) &&
  !group.some(({ meaning }) => meaning.kind === 'statement')
/** A part that shares the wish of the clause before: "킥도", "the kick too". */
const isLikewise = (piece: Piece, group: readonly Piece[]) =>
  piece.meaning.kind === 'part' && (/도$/.test(piece.text) || group.some((one) => isAlso(one, group)))

const isQuality = ({ meaning }: Piece) => meaning.kind === 'quality'
const isTarget = (piece: Piece): piece is Target => isQuality(piece) || piece.meaning.kind === 'part'

/** Returns the sign of a piece that moves a target; 0 for any other. */
function moveOf({ meaning, text }: Piece): number {
  if (meaning.kind === 'figure') return meaning.isSigned && meaning.unit !== 'lufs' ? Math.sign(meaning.value) : 0
  if (meaning.kind === 'direction') return meaning.isTidy ? 0 : meaning.sign
  if (meaning.kind === 'quality' && /[가-힣]$/.test(text)) return meaning.ofPart ?? 0
  return meaning.kind === 'level' && !meaning.isFault ? meaning.sign : 0
}

/**
 * Splits a clause that holds opposite movements into one group each: "more sub less mud", "bass up treble down", "저음 +2 고음 -1". The first
 * group decides whether the movement precedes its target or follows it. In Korean it follows, and each verb ends a group: "저음 줄여 밝게".
 */
function opposed(pieces: readonly Piece[]): (readonly Piece[])[] {
  const moves = pieces.map((piece, at) => (isAdverb(piece) && isQuality(pieces[at + 1] ?? piece) ? 0 : moveOf(piece)))
  const figures = pieces.filter(({ meaning }, at) => meaning.kind === 'figure' && moves[at])
  const isNamed = (piece: Piece) => isTarget(piece) || isUnknown(piece)
  const first = pieces.findIndex(isTarget)
  const isVerb = (piece: Piece, at: number) => moves[at] !== 0 && /[가-힣]$/.test(piece.text) && !isAdverb(piece)
  const hasVerb = pieces.some((piece, at) => first < at && isVerb(piece, at) && pieces.slice(at).some(isTarget))
  if (first < 0 || !(hasVerb || figures.length > 1 || (moves.includes(1) && moves.includes(-1)))) return [pieces]
  const isBefore = moves.findIndex((move) => move !== 0) < first
  const groups: Piece[][] = [[]]
  let [hasMove, hasTarget] = [false, false]
  for (const [at, piece] of pieces.entries()) {
    if (hasMove && hasTarget && (isBefore ? moves[at] !== 0 : isTarget(piece))) {
      groups.push([])
      ;[hasMove, hasTarget] = [false, false]
    }
    groups.at(-1)!.push(piece)
    hasMove ||= moves[at] !== 0
    hasTarget ||= isNamed(piece)
  }
  // A group without a target belongs to the one before.
  if (!hasTarget) groups.splice(-2, 2, groups.slice(-2).flat())
  return groups
}

const isAdverb = ({ text }: Piece) => /^(더|덜)/.test(text)

/** Beside a part, a size is its level: "huge bass" is about the bass, "huge" alone about the width. */
function withSizes(pieces: readonly Piece[]): Piece[] {
  const hasPart = pieces.some(({ meaning }) => meaning.kind === 'part' && !meaning.isVague)
  const hasQuality = pieces.some(({ meaning }) => meaning.kind === 'quality' && !meaning.ofPart && !meaning.isFault)
  return pieces.map((piece) => {
    const { meaning } = piece
    if (meaning.kind !== 'quality' || !meaning.ofPart) return piece
    if (!hasPart && !(meaning.isFault && hasQuality)) return piece
    return { ...piece, meaning: { kind: 'level', sign: meaning.ofPart, alone: meaning.knob } }
  })
}

/** In Korean the verb comes last: everything joined before it ("저음이랑 고음을 올려") has its direction too. */
function sharedEndings(clauses: readonly Clause[]): Clause[] {
  return clauses.map((clause, index) => {
    const next = clauses[index + 1]
    if (!next || next.inherited !== clause.inherited || isSet(modifiersOf(clause.pieces))) return clause
    const isJoined = clause.pieces.at(-1)?.text.match(/(랑|하고|와|과|지도)$/)
    return isJoined ? { ...clause, inherited: modifiersOf(next.pieces) } : clause
  })
}

const isSet = (modifiers: Modifiers) => says(modifiers) || modifiers.isKept
const says = ({ direction, isNone, isTooMuch, isNegated, level }: Modifiers) =>
  direction !== undefined || isNone || isTooMuch || isNegated || level !== undefined

function modifiersOf(pieces: readonly Piece[]): Modifiers {
  const meanings = pieces.map(({ meaning }) => meaning)
  const has = (kind: Meaning['kind']) => meanings.some((meaning) => meaning.kind === kind)
  const signs = meanings
    .filter((meaning) => meaning.kind === 'direction')
    .filter(({ isTidy }) => !isTidy || !meanings.some((meaning) => meaning.kind === 'quality' && !meaning.isFault))
    .map(({ sign }) => sign)
  // Permission ("쏴도 되니까") asks for nothing.
  const isAllowed = pieces.some(
    ({ text }, at) => /도$/.test(text) && /^(되|돼|된|됩|괜찮|상관)/.test(pieces[at + 1]?.text ?? ''),
  )
  const isWaived = meanings.some((meaning) => meaning.kind === 'not' && meaning.isWaived)
  const degrees = meanings.filter((meaning) => meaning.kind === 'degree').map(({ factor }) => factor)
  return {
    direction: signs.length === 0 ? undefined : signs.includes(-1) ? -1 : 1,
    isNone: has('none'),
    isTooMuch: has('too'),
    isNegated: has('not'),
    isWaived: isWaived || isAllowed,
    isKept: has('keep'),
    isStated:
      !isWaived &&
      (has('statement') ||
        meanings.some((meaning) => meaning.kind === 'not' && meaning.isStated) ||
        pieces.some(({ isStated }) => isStated)),
    factor: degrees.length === 0 ? 1 : degrees.includes(0.5) ? 0.5 : Math.max(...degrees),
    // The predicate comes last: "작은 스피커에서 안 들려요".
    level: meanings.findLast((meaning) => meaning.kind === 'level'),
    figure: meanings.find((meaning) => meaning.kind === 'figure'),
  }
}

/** Returns the wish of a clause, or the inherited one. */
function modifiersIn({ pieces, inherited }: Clause): Modifiers {
  const own = modifiersOf(pieces)
  // "Less bass, and widen": a comparative and a verb have their own direction.
  const isOwn = isSet(own) || pieces.some(({ isComparative, isVerb }) => isComparative || isVerb)
  return isOwn || !inherited ? own : { ...inherited, figure: own.figure }
}

function wishesOf(clause: Clause, start: JobSettings): Wish[] {
  const modifiers = modifiersIn(clause)
  const words = wordsOf(clause.pieces)
  const chosen = choicesOf(clause.pieces, modifiers).map((settings) => ({ words, settings }))
  const targets = targetsIn(clause, modifiers)
  const isLevel = modifiers.figure !== undefined && isLoudness(modifiers.figure)
  return [
    ...chosen,
    ...targets.map(({ meaning, isComparative = false }) => ({
      words,
      // A figure in LUFS applies to the loudness alone.
      settings: asked(
        meaning,
        { ...modifiers, isComparative, ...(isLevel && meaning.knob !== 'target_lufs' ? { figure: undefined } : {}) },
        start,
      ),
      ...(meaning.kind === 'quality' && meaning.isFaint ? { isFaint: true } : {}),
      ...(meaning.kind === 'quality' && meaning.isFault ? { isRelief: true } : {}),
    })),
  ]
}

/** Settings named with their value, unwanted repairs, and styles. */
function choicesOf(pieces: readonly Piece[], { isNegated, isNone }: Modifiers): Partial<JobSettings>[] {
  const meanings = pieces.map(({ meaning }) => meaning)
  const styles = meanings.some(({ kind }) => kind === 'style') ? pieces.flatMap(styleOf) : []
  return [
    ...meanings
      .filter((meaning) => meaning.kind === 'choice' && !isNegated)
      .map((meaning) => (meaning as Of<'choice'>).settings),
    ...meanings
      .filter((meaning) => meaning.kind === 'repair')
      // "Without clicks" asks for a repair; "without de-clicking" rules it out.
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

/** Returns the subject of a clause: its qualities, else its parts, else the setting that its level or figure alone refers to. */
function targetsIn(
  { pieces, topic }: Clause,
  { level, figure, direction, isKept, isNone, isTooMuch }: Modifiers,
): Target[] {
  if (pieces.some(({ meaning }) => meaning.kind === 'style')) return []
  const qualities = pieces.filter((piece): piece is Target => piece.meaning.kind === 'quality')
  const all = pieces.filter((piece): piece is Target => piece.meaning.kind === 'part')
  // The particle of a place: vocals that are buried *in the bass* are about the vocals.
  const inPlace = all.filter((one) => placeOf(one, pieces))
  const isElsewhere = all.length > inPlace.length
  const named = all.filter((one) => !inPlace.includes(one) || (!isElsewhere && placeOf(one, pieces) === 'inside'))
  const isExact = ({ meaning }: Target) => !(meaning.kind === 'part' && meaning.isVague)
  // The volume of the vocals is about the vocals.
  const particular = named.filter(({ meaning }) => meaning.knob !== 'target_lufs')
  const exact = particular.length > 0 ? particular : named.filter(isExact)
  // Bringing a sound forward does not mean making everything louder.
  const isVagueEnough = (level ? level.alone === 'target_lufs' : direction) && !pieces.some(isUnknown)
  const parts = exact.length > 0 ? exact : isVagueEnough ? named : []
  // Cymbals that are too noisy are about the cymbals.
  const isLoudPart =
    isTooMuch && particular.length > 0 && qualities.every(({ meaning }) => meaning.knob === 'target_lufs')
  const about = (meaning: Of<'part'>): Target[] => pieces.slice(0, 1).map((piece) => ({ ...piece, meaning }))
  if (figure && isLoudness(figure))
    return [...qualities.filter(({ meaning }) => meaning.knob !== 'target_lufs'), ...about(LOUDNESS)]
  if (qualities.length > 0 && !isLoudPart) return qualities
  // "I need bass" asks for more bass.
  const isCraved = pieces.some(({ text }) => /^(needs?|gimme|원[해하합])/i.test(text)) && !pieces.some(isUnknown)
  if (parts.length > 0)
    return level || direction || figure || isKept || isNone || pieces.some(isExcess) || isCraved ? parts : []
  // An unknown word begins a new subject.
  const isClear = level?.alone === 'target_lufs' || pieces.filter(isUnknown).every((piece) => isAside(piece, pieces))
  if (!isClear) return []
  if (level && topic && level.alone !== 'target_lufs') return about(topic)
  if (level) return about({ kind: 'part', knob: level.alone })
  if (topic) return direction || figure ? about(topic) : []
  return direction && figure?.unit === 'db' ? about(LOUDNESS) : []
}

/** Returns the word before a piece and its article. */
const wordBefore = ({ start }: Piece, pieces: readonly Piece[]) =>
  pieces.findLast((piece) => piece.start < start && !/^(the|my|our|an?)$/i.test(piece.text))?.text.toLowerCase() ?? ''

/** Returns how a part names a place ("lost on the sides", "under the dialogue"); without another part, an `inside` one is the subject. */
function placeOf(piece: Piece, pieces: readonly Piece[]): 'inside' | 'beside' | undefined {
  const before = wordBefore(piece, pieces)
  if (/^(under|behind|beneath|below|by)$/.test(before)) return 'beside'
  return piece.text.endsWith('에') || /^(on|in|from|at)$/.test(before) ? 'inside' : undefined
}

/** Returns whether an unknown word only adds a place or a comparison, so that the rest is clear without it: "forward on the laptop". */
const isAside = (piece: Piece, pieces: readonly Piece[]) =>
  /(에서|처럼)$/.test(piece.text) || /^(on|at|for|from|through|like)$/.test(wordBefore(piece, pieces))

/** Returns whether a figure is a loudness: in LUFS, or a goal in its range ("normalize to -16"). */
const isLoudness = ({ unit, isGoal, value }: Figure) =>
  unit === 'lufs' || (unit === '' && isGoal && value <= SETTINGS.target_lufs.maximum)

const LOUDNESS: Of<'part'> = { kind: 'part', knob: 'target_lufs' }

const isUnknown = ({ meaning }: Piece) => meaning.kind === 'unknown'
const isExcess = ({ meaning }: Piece) => meaning.kind === 'too' || meaning.kind === 'not'

/** Returns the known pieces without effect: parts with nothing said about them, and stray figures. */
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
  if (said.isKept) return keptSettings(meaning)
  const sign = signOf(meaning, said)
  if (sign === undefined) return {}
  const { figure } = said
  // Compression beyond the plan is `density`.
  const isBeyond =
    meaning.knob === 'dynamics_amount' && sign > 0 && said.direction === 1 && start.dynamics_amount >= 100
  const knob = isBeyond ? 'density' : meaning.knob
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
  const own = meaning.sign ?? 1
  const isLess = direction === -1 || isNone
  const turn = (by: boolean, sign: number): Sign => (by ? -sign : sign) as Sign
  if (meaning.kind === 'quality' && meaning.isFault) {
    if (said.isWaived) return undefined
    if (isNone) return turn(true, own)
    const isWanted = isComparative && direction !== -1 && !isTooMuch && !said.isStated
    if (isWanted || direction === 1) return turn(isNegated, own)
    return turn(true, own)
  }
  const pulled = level ? turn(level.isFault === true, own * level.sign) : own
  // "Do not compress" asks for less compression.
  if (isNegated && meaning.kind === 'part' && OFF.includes(meaning.knob) && direction === undefined) return -1
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
  // A level without a unit ("loudness -14") is taken as LUFS if it is in range.
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
