/**
 * Settings from words, by a deterministic grammar: no model, no network. A sentence is split into clauses; in each, qualities and parts of
 * the sound are combined with levels, directions, degrees, negations and figures. Pure.
 */
import { targetsOf } from '../delivery-target.ts'
import { DEFAULT_SETTINGS, type JobSettings, jobSettings, SETTINGS, STYLE_NAMES, type Style } from '../settings.ts'
import {
  type Clause,
  clausesOf,
  isKeep,
  isPart,
  isQuality,
  isUnknown,
  type Modifiers,
  modifiersIn,
  type Of,
  placeOf,
  type Target,
  wordBefore,
} from './clauses.ts'
import { type Knob, type Sign, STEPS } from './lexicon.ts'
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
  /** Words not followed in full, in order. */
  readonly limited: readonly Limited[]
}

/** Words that ask for more than a setting can do, or for the opposite of a later wish. */
export interface Limited {
  readonly words: string
  readonly setting: Knob
  readonly reason: 'range' | 'contradiction'
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
    limited: wishes.flatMap((wish, at) => limitOf(wish, wishes.slice(at + 1))),
  }
}

function limitOf({ words, move, isRelief }: Wish, later: readonly Wish[]): Limited[] {
  if (!move) return []
  const { knob: setting, sign, isBeyond } = move
  const isReversed = later.some((one) => one.move?.knob === setting && one.move.sign !== sign && !one.isRelief)
  if (isReversed && !isRelief) return [{ words, setting, reason: 'contradiction' }]
  return isBeyond ? [{ words, setting, reason: 'range' }] : []
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

interface Wish extends Understood {
  readonly isFaint?: boolean
  /** It gives way to other wishes: it only takes a fault away. */
  readonly isRelief?: boolean
  readonly move?: Move | undefined
}

/** A step of a knob. */
interface Move {
  readonly knob: Knob
  readonly sign: Sign
  /** Its range ends before. */
  readonly isBeyond: boolean
}

function wishesOf(clause: Clause, start: JobSettings): Wish[] {
  const modifiers = modifiersIn(clause)
  const words = wordsOf(clause.pieces)
  const chosen = choicesOf(clause.pieces, modifiers).map((settings) => ({ words, settings }))
  const targets = targetsIn(clause, modifiers)
  // "좁게 들려요" tells how it is.
  const isHeard = clause.pieces.some(({ text, isStated }) => isStated && /^(들[리려]|느껴|나[와오])/.test(text))
  const isLevel = modifiers.figure !== undefined && isLoudness(modifiers.figure)
  return [
    ...chosen,
    ...targets.map(({ meaning, isComparative = false }) => {
      // A figure in LUFS applies to the loudness alone.
      const figure = isLevel && meaning.knob !== 'target_lufs' ? undefined : modifiers.figure
      const isNegated = modifiers.isNegated && !(isLevel && meaning.knob === 'target_lufs')
      const said = { ...modifiers, isNegated, isComparative: isComparative && !isHeard, figure }
      const { settings, move } = asked(meaning, said, start)
      const isFault = meaning.kind === 'quality' && meaning.isFault === true
      const isRuledOut = modifiers.isNegated && modifiers.level?.isFault === true && !clause.pieces.some(isPart)
      const isRelief = meaning.yields === true || isRuledOut || (isFault && move?.sign !== meaning.sign)
      return { words, settings, move, isRelief, isFaint: meaning.kind === 'quality' && meaning.isFaint === true }
    }),
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
  { pieces, topic, isAboutTopic }: Clause,
  { level, figure, direction, isKept, isNone, isTooMuch }: Modifiers,
): Target[] {
  if (pieces.some(({ meaning }) => meaning.kind === 'style')) return []
  // "Smaller reverb" is about the reverb.
  const isOfUnknown = (piece: Piece, at: number) =>
    piece.meaning.kind === 'quality' && piece.meaning.ofPart && pieces.slice(at + 1, at + 2).some(isUnknown)
  const qualities = pieces.filter((piece, at): piece is Target => isQuality(piece) && !isOfUnknown(piece, at))
  const all = pieces.filter((piece): piece is Target => piece.meaning.kind === 'part')
  // The particle of a place: vocals that are buried *in the bass* are about the vocals.
  const inPlace = all.filter((one) => placeOf(one, pieces))
  const isElsewhere = all.length > inPlace.length
  const named = all.filter((one) => !inPlace.includes(one) || (!isElsewhere && placeOf(one, pieces) === 'inside'))
  // "Add a drum fill" asks for an instrument.
  const isNew = pieces.some(
    ({ text }, at) => /^add$/i.test(text) && /^an?$/i.test(pieces[at + 1]?.text ?? '') && pieces.some(isUnknown),
  )
  if (isNew) return []
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
  const isPlenty =
    pieces.some(({ meaning }) => meaning.kind === 'degree') &&
    pieces.every(({ meaning }) => ['part', 'degree', 'filler'].includes(meaning.kind))
  const isCraved =
    isPlenty || (pieces.some(({ text }) => /^(needs?|gimme|원[해하합])/i.test(text)) && !pieces.some(isUnknown))
  if (parts.length > 0)
    return level || direction || figure || isKept || isNone || pieces.some(isExcess) || isCraved ? parts : []
  // An unknown word begins a new subject.
  const isClear = level?.alone === 'target_lufs' || pieces.filter(isUnknown).every((piece) => isAside(piece, pieces))
  if (!isClear) return []
  if (level && topic && (isAboutTopic || level.alone !== 'target_lufs')) return about(topic)
  if (level) return about({ kind: 'part', knob: level.alone })
  if (topic) return direction || figure ? about(topic) : []
  // "Cleaner" of all asks for clarity.
  if (!isTooMuch && pieces.some(({ text }) => /^clean(er|est)?$/i.test(text))) return about(CLUTTER)
  const isLufs = figure?.unit === '' && figure.isSigned && figure.value <= SETTINGS.target_lufs.maximum
  return isLufs || (direction && figure?.unit === 'db') ? about(LOUDNESS) : []
}

/** Returns whether an unknown word only adds a place or a comparison, so that the rest is clear without it: "forward on the laptop". */
const isAside = (piece: Piece, pieces: readonly Piece[]) =>
  /(에서|처럼)$/.test(piece.text) || /^(on|at|for|from|through|like)$/.test(wordBefore(piece, pieces))

/** Returns whether a figure is a loudness: in LUFS, or a goal in its range ("normalize to -16"). */
const isLoudness = ({ unit, isGoal, value }: Figure) =>
  unit === 'lufs' || (unit === '' && isGoal && value <= SETTINGS.target_lufs.maximum)

const CLUTTER: Of<'part'> = { kind: 'part', knob: 'presence_db', sign: -1 }
const LOUDNESS: Of<'part'> = { kind: 'part', knob: 'target_lufs' }

const isExcess = ({ meaning }: Piece) => meaning.kind === 'too' || meaning.kind === 'not'

/** Returns the known pieces without effect: parts with nothing said about them, and stray figures. */
function unused(clause: Clause): string[] {
  const isChosen = clause.pieces.some(({ meaning }) => ['choice', 'style', 'repair'].includes(meaning.kind))
  if (isChosen || targetsIn(clause, modifiersIn(clause)).length > 0) return []
  return clause.pieces
    .filter(
      (piece) =>
        isPart(piece) ||
        piece.meaning.kind === 'figure' ||
        (!clause.pieces.some(isKeep) && piece.meaning.kind === 'part'),
    )
    .map(({ text }) => text)
}

type Said = Modifiers & { readonly isComparative: boolean }

/** Returns the settings that one quality or part asks for. */
function asked(meaning: Target['meaning'], said: Said, start: JobSettings): Pick<Wish, 'settings' | 'move'> {
  if (said.isKept) return { settings: keptSettings(meaning) }
  const sign = signOf(meaning, said)
  if (sign === undefined) return { settings: {} }
  const { figure } = said
  // Compression beyond the plan is `density`.
  const isDenser =
    meaning.knob === 'dynamics_amount' && sign > 0 && said.direction !== undefined && start.dynamics_amount >= 100
  const knob = isDenser ? 'density' : meaning.knob
  const isOff = said.isNone && !(meaning.kind === 'quality' && meaning.isFault) && !figure
  if (isOff && OFF.includes(knob)) return { settings: { [knob]: 0 } }
  const wanted = figure
    ? figureValue(meaning, figure, { sign, start, isMoved: said.direction !== undefined })
    : stepped(knob, { sign, said, start })
  const { minimum, maximum } = SETTINGS[knob]
  const moved = figure?.isSigned && figure.unit !== 'lufs' && figure.value < 0 ? -1 : sign
  return {
    settings: { [knob]: within(knob, wanted) },
    move: { knob, sign: moved, isBeyond: wanted < minimum || wanted > maximum },
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
    if (isWanted || (direction === 1 && !said.isStated)) return turn(isNegated, own)
    return turn(true, own)
  }
  const pulled = level ? turn(level.isFault === true, own * level.sign) : own
  // "Do not compress" asks for less compression.
  if (isNegated && meaning.kind === 'part' && OFF.includes(meaning.knob) && direction === undefined) return -1
  if (isTooMuch) return turn(!level?.isFault, pulled)
  if (said.isOpposite) return turn(true, pulled)
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
