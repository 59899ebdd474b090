/**
 * Clauses of a sentence: each has its words, what they say of its subject (a direction, a level, a negation), and what it inherits from the
 * clauses before. Pure.
 */
import type { Meaning, Sign } from './lexicon.ts'
import type { Figure, Piece } from './scan.ts'

/** A meaning of one kind. */
export type Of<Kind extends Meaning['kind']> = Extract<Meaning, { kind: Kind }>
/** A quality or part of the sound that a clause speaks about. */
export type Target = Piece & { readonly meaning: Of<'quality'> | Of<'part'> }

/** The words of a clause, with everything they inherit from the clause before. */
export interface Clause {
  readonly pieces: readonly Piece[]
  readonly inherited: Modifiers | undefined
  /** The part that the sentence was about last. */
  readonly topic: Of<'part'> | undefined
  /** "And" leads on to the next clause. */
  readonly joins: boolean
  /** A pronoun names the topic: "the vocals are quiet, make them louder". */
  readonly isAboutTopic: boolean
}

/** Wish of a clause about its subject. */
export interface Modifiers {
  readonly direction: Sign | undefined
  readonly isNone: boolean
  readonly isTooMuch: boolean
  readonly isNegated: boolean
  /** "밝지 않게": the opposite is wanted. */
  readonly isOpposite: boolean
  /** Permitted or not needed, rather than asked for. */
  readonly isWaived: boolean
  readonly isKept: boolean
  /** It tells how something is. */
  readonly isStated: boolean
  readonly factor: number
  readonly level: Of<'level'> | undefined
  readonly figure: Figure | undefined
}

/** Returns the clauses of a sentence, in order; none of an empty one. */
export function clausesOf(pieces: readonly Piece[]): Clause[] {
  const clauses: Clause[] = []
  let inside: Piece[] = []
  let inherited: Modifiers | undefined
  let before: Modifiers | undefined
  let topic: Of<'part'> | undefined
  let isFaulty = false
  let ending = ''
  const end = (joins: boolean) => {
    for (const group of inside.length > 0 ? opposed(inside) : []) {
      // "보컬이 얇고 작아요" has one subject.
      const isContinued = /[가-힣]고$/.test(ending) && group.some(({ isStated }) => isStated)
      const isAboutTopic =
        isContinued || group.some(({ text }) => /^(them|him|her|'?em)$/i.test(text) || (isFaulty && /^it$/i.test(text)))
      const sized = withSizes(
        withSubject(withoutManner(group.filter((piece) => !isAlso(piece, group)))),
        topic !== undefined && (inherited !== undefined || isAboutTopic),
      )
      clauses.push({
        pieces: sized,
        inherited: inherited ?? (group.some((piece) => isLikewise(piece, group)) ? before : undefined),
        topic,
        isAboutTopic,
        joins,
      })
      const own = modifiersOf(sized)
      if (says(own)) before = own
      inherited = joins ? (says(own) ? own : inherited) : undefined
      isFaulty = own.level?.isFault === true
      ending = group.at(-1)?.text ?? ''
      const parts = sized.map(({ meaning }) => meaning).filter((meaning) => meaning.kind === 'part')
      const exact = parts.filter(({ isVague, sign }) => !isVague && sign !== -1)
      topic = (own.isKept ? undefined : exact.at(-1)) ?? topic
    }
    inside = []
  }
  for (const piece of pieces) {
    // "K-pop style" names a genre.
    if (piece.meaning.kind === 'style' && inside.at(-1)?.meaning.kind === 'choice') continue
    if (opens(piece, inside)) end(false)
    // "All is good except the harsh vocals" names the exception.
    if (/^(except|apart|aside|other than)/i.test(piece.text) && inside.some(isKeep)) {
      end(false)
      continue
    }
    if (piece.meaning.kind === 'break') end(piece.meaning.joins === true)
    else inside.push(piece)
    // In Korean the object precedes the verb.
    if (piece.meaning.kind === 'keep' && /[가-힣]/.test(piece.text)) end(false)
  }
  end(false)
  return sharedEndings(clauses)
}

/** Returns whether a clause begins here without punctuation or conjunction: "warm not muddy", "it is dull make it brighter". */
function opens(piece: Piece, before: readonly Piece[]): boolean {
  const { text, meaning } = piece
  // "더 따뜻하게 조금 더 크게" asks for two things.
  const last = before.at(-1)
  const isManner = ({ text: word, isComparative, meaning: its }: Piece) =>
    isComparative === true &&
    /[가-힣]게$/.test(word) &&
    (!('isFault' in its && its.isFault) || before.some((one) => one.text === '덜'))
  const begins = isAdverb(piece) || meaning.kind === 'degree' || meaning.kind === 'too'
  const isAim = ['quality', 'level', 'part'].includes(meaning.kind)
  if (last && isManner(last) && (begins || (isAim && !isPress(piece) && (isQuality(last) || isManner(piece)))))
    return true
  if (/^(without|rather than|instead of)/i.test(text)) return true
  if (meaning.kind === 'not' && meaning.isWaived && !/[가-힣]/.test(text)) return true
  // "퍼져요 모아줘": a verb at the end of its sentence.
  if ((begins || isAim) && before.some(isEnd)) return true
  if (/^(make|give|bring|go|be)$/i.test(text) && /^(instead of|rather than)/i.test(before[0]?.text ?? ''))
    return before.some(isQuality)
  const { isStated, isTooMuch } = modifiersOf(before)
  if (/^not$/i.test(text)) return !isStated && before.some(isQuality)
  const isAsking = meaning.kind === 'filler' && /^(make|give|be|bring|let|please|pls|plz|can|could)$/i.test(text)
  return isAsking && (isTooMuch || (isStated && before.some((one) => isQuality(one) || one.meaning.kind === 'choice')))
}

const isEnd = ({ text, isStated }: Piece) => isStated === true && /[요다]$/.test(text)

/** A final "too" means "also". */
const isAlso = (piece: Piece, group: readonly Piece[]) =>
  group.length > 1 &&
  piece === group.at(-1) &&
  /^too$/i.test(piece.text) &&
  !group.some(({ meaning }) => meaning.kind === 'statement')
/** A part that shares the wish of the clause before: "킥도", "the kick too". */
const isLikewise = (piece: Piece, group: readonly Piece[]) =>
  piece.meaning.kind === 'part' && (/도$/.test(piece.text) || group.some((one) => isAlso(one, group)))

export const isUnknown = ({ meaning }: Piece) => meaning.kind === 'unknown'
export const isKeep = ({ meaning }: Piece) => meaning.kind === 'keep'
export const isQuality = ({ meaning }: Piece) => meaning.kind === 'quality'
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
  const isNamed = (piece: Piece) => isAim(piece) || isUnknown(piece)
  const isAim = (piece: Piece) => isTarget(piece) && !(isPress(piece) && pieces.some(isPart))
  const first = pieces.findIndex(isAim)
  const isVerb = (piece: Piece, at: number) => moves[at] !== 0 && /[가-힣]$/.test(piece.text) && !isAdverb(piece)
  const hasVerb = pieces.some((piece, at) => first < at && isVerb(piece, at) && pieces.slice(at).some(isAim))
  // "단단하게 저음을 줄여" asks for both.
  const result = pieces.findIndex(
    (piece, at) => /게$/.test(piece.text) && isQuality(piece) && pieces.slice(at).some(isPart),
  )
  if (result >= 0 && pieces.some((piece, at) => at > result && isVerb(piece, at)))
    return [pieces.slice(0, result + 1), ...opposed(pieces.slice(result + 1))]
  if (first < 0 || !(hasVerb || figures.length > 1 || (moves.includes(1) && moves.includes(-1)))) return [pieces]
  const isBefore = moves.findIndex((move) => move !== 0) < first
  const groups: Piece[][] = [[]]
  let [hasMove, hasTarget] = [false, false]
  for (const [at, piece] of pieces.entries()) {
    if (hasMove && hasTarget && (isBefore ? moves[at] !== 0 : isAim(piece))) {
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

export const isPart = ({ meaning }: Piece) => meaning.kind === 'part' && !meaning.isVague
/** Pressing, which beside a part is a movement. */
const isPress = ({ meaning }: Piece) =>
  meaning.kind === 'quality' && meaning.knob === 'dynamics_amount' && meaning.ofPart === -1

/** In Korean "묵직하게 눌러" asks for the result and "고음을 부드럽게 깎아" for the cut; returns the pieces without the other of the two. */
function withoutManner(pieces: readonly Piece[]): Piece[] {
  const isResult = ({ meaning, text }: Piece) => meaning.kind === 'quality' && !meaning.isFault && /게$/.test(text)
  const isSoft = ({ meaning }: Piece) =>
    meaning.kind === 'quality' && meaning.sign < 0 && ['presence_db', 'intensity'].includes(meaning.knob)
  const isCut = (piece: Piece) =>
    /[가-힣]$/.test(piece.text) && !isAdverb(piece) && (moveOf(piece) < 0 || isPress(piece))
  return pieces.filter((piece, at) => {
    const [before, after] = [pieces[at - 1], pieces[at + 1]]
    if (after && isResult(piece) && isCut(after)) return !(isSoft(piece) && pieces.some(isPart))
    return !(before && isResult(before) && isCut(piece)) || (isSoft(before) && pieces.some(isPart))
  })
}

const isBand = (piece: Piece | undefined) =>
  piece?.meaning.kind === 'part' && ['bass_db', 'air_db'].includes(piece.meaning.knob)
/** Kinds of words that ask for more or less of a thing. */
const MOVES: readonly Piece['meaning']['kind'][] = ['direction', 'none', 'too']
const OVER: Of<'level'> = { kind: 'level', sign: 1, alone: 'presence_db', isFault: true }
const HIDDEN: Of<'level'> = { ...OVER, sign: -1 }

/**
 * Leaves one side of "X covers Y": X if its level is a setting ("the bass covers the vocals"), else Y, which is hidden. What something is
 * compared with, or hidden by, is never the subject: "X보다", "X 때문에".
 */
function withSubject(pieces: readonly Piece[]): Piece[] {
  const said = pieces.filter((piece, at) => {
    const next = pieces[at + 1]
    // "Make the vocals more sad" and "remove the autotune from the vocals" are not about their level.
    const thing = pieces.slice(at + 1).find(({ meaning }) => meaning.kind !== 'filler' && meaning.kind !== 'degree')
    if (MOVES.includes(piece.meaning.kind) && thing && isUnknown(thing)) {
      const parts = pieces.filter(isPart)
      return parts.every((one) => one.start > piece.start && placeOf(one, pieces) !== 'inside')
    }
    // Nor are "보컬에 리버브 더" and "take the reverb off the vocals".
    const object = pieces.slice(0, at).findLast(({ meaning }) => !MOVES.includes(meaning.kind))
    const isBehind = MOVES.includes(piece.meaning.kind) && !/^(?!(off|out|down|back|up)$)[a-z]/i.test(piece.text)
    if (
      isBehind &&
      object &&
      isUnknown(object) &&
      pieces.filter(isPart).every((one) => placeOf(one, pieces) === 'inside')
    )
      return false
    // "보컬 저음": the lows of the voice.
    const isOwner =
      isPart(piece) &&
      /[가-힣]$/.test(piece.text) &&
      isBand(next) &&
      !isBand(piece) &&
      next?.start === piece.start + piece.text.length + 1 &&
      !/[은는이가을를도만의랑과와고]$/.test(piece.text)
    if (isOwner) return false
    const isCompared = /보다[가는도]?$/.test(piece.text) || (isQuality(piece) && wordBefore(piece, pieces) === 'than')
    return !isCompared && !(isPart(piece) && /^때문/.test(next?.text ?? ''))
  })
  const verb = said.find(({ meaning }) => meaning.kind === 'level' && meaning.isOver)
  const isKorean = verb && /[가-힣]$/.test(verb.text)
  const isObject = (piece: Piece) =>
    verb && isPart(piece) && (isKorean ? /[을를]$/.test(piece.text) : piece.start > verb.start)
  if (!said.some(isObject)) return said
  const isSubject = (piece: Piece) => isPart(piece) && !isObject(piece)
  const isOwn = said.some(
    (piece) => isSubject(piece) && isTarget(piece) && ['bass_db', 'air_db'].includes(piece.meaning.knob),
  )
  return said
    .filter((piece) => !(isOwn ? isObject(piece) : isSubject(piece)))
    .map((piece) => (piece === verb ? { ...piece, meaning: isOwn ? OVER : HIDDEN } : piece))
}

/** Beside a part, a size is its level: "huge bass" is about the bass, "huge" alone about the width. */
function withSizes(pieces: readonly Piece[], hasTopic: boolean): Piece[] {
  const hasPart =
    (hasTopic &&
      pieces.every(({ meaning }) => meaning.kind !== 'part' && (meaning.kind !== 'quality' || meaning.ofPart))) ||
    pieces.some(({ meaning }) => meaning.kind === 'part' && !meaning.isVague)
  const hasQuality = pieces.some(({ meaning }) => meaning.kind === 'quality' && !meaning.ofPart && !meaning.isFault)
  return pieces.map((piece) => {
    const { meaning } = piece
    if (hasPart && meaning.kind === 'choice' && meaning.settings.loudness === 'competitive')
      return { ...piece, meaning: { kind: 'level', sign: 1, alone: 'target_lufs' } }
    if (meaning.kind !== 'quality' || !meaning.ofPart) return piece
    if (!hasPart && !(meaning.isFault && hasQuality)) return piece
    // A fat snare has body, and is no louder.
    const isBody =
      meaning.knob === 'bass_db' &&
      !meaning.isFault &&
      !pieces.some((one) => isPart(one) && isTarget(one) && one.meaning.knob !== 'presence_db')
    if (isBody) return piece
    const isFault = meaning.isFault === true && !isPress(piece)
    return { ...piece, meaning: { kind: 'level', sign: meaning.ofPart, alone: meaning.knob, isFault } }
  })
}

/** In Korean the verb comes last: everything joined before it ("저음이랑 고음을 올려") has its direction too. */
function sharedEndings(clauses: readonly Clause[]): Clause[] {
  return clauses.map((clause, index) => {
    const next = clauses[index + 1]
    if (!next || isSet(modifiersOf(clause.pieces))) return clause
    const last = clause.pieces.at(-1)
    // "Bass and vocals up".
    const isList =
      clause.joins && clause.pieces.some(isPart) && !clause.pieces.some(isQuality) && next.pieces.some(isPart)
    const isJoined =
      isList || (last && /(랑|하고|와|과|지도)$/.test(isQuality(last) ? last.text.replace(/하고$/, '') : last.text))
    return isJoined ? { ...clause, inherited: modifiersOf(next.pieces) } : clause
  })
}

/** A verb of a plural part: "drums sound soft". */
const isSeen = (piece: Piece | undefined) => /^(sound|feel|seem|look)$/i.test(piece?.text ?? '')
const isOrder = ({ text }: Piece) => /^(make|let|want|have|needs?|get|so)$/i.test(text)
/** A level or a quality that "not" turns round. */
const isUnwanted = ({ meaning }: Piece) =>
  (meaning.kind === 'level' && !meaning.isFault) || (meaning.kind === 'quality' && meaning.sign < 0)
/** "튀지 않게", "안 튀게". */
const isOff = ({ text }: Piece, before: Piece | undefined, after: Piece | undefined) =>
  (/지$/.test(text) && /^않(게|도록)/.test(after?.text ?? '')) || (/게$/.test(text) && before?.text === '안')
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
    isOpposite: pieces.some((piece, at) => isUnwanted(piece) && isOff(piece, pieces[at - 1], pieces[at + 1])),
    isWaived: isWaived || isAllowed,
    // "따뜻하긴 한데" concedes that it is.
    isKept: has('keep') || pieces.some((piece) => isQuality(piece) && /(긴|기는|기도)$/.test(piece.text)),
    isStated:
      !isWaived &&
      !pieces.some(({ text }) => /^wish$/i.test(text)) &&
      (has('statement') ||
        pieces.some(
          (piece, at) =>
            isPart(piece) && /s$/.test(piece.text) && isSeen(pieces[at + 1]) && !pieces.slice(0, at).some(isOrder),
        ) ||
        meanings.some((meaning) => meaning.kind === 'not' && meaning.isStated) ||
        pieces.some(({ isStated }) => isStated)),
    factor: degrees.length === 0 ? 1 : degrees.includes(0.5) ? 0.5 : Math.max(...degrees),
    // The predicate comes last: "작은 스피커에서 안 들려요".
    level: meanings.findLast((meaning) => meaning.kind === 'level'),
    figure: meanings.find((meaning) => meaning.kind === 'figure'),
  }
}

/** Returns the wish of a clause, or the inherited one. */
export function modifiersIn({ pieces, inherited }: Clause): Modifiers {
  const own = modifiersOf(pieces)
  // "Less bass, and widen": a comparative and a verb have their own direction.
  const isOwn = isSet(own) || pieces.some(({ isComparative, isVerb }) => isComparative || isVerb)
  return isOwn || !inherited ? own : { ...inherited, figure: own.figure }
}

/** Returns the word before a piece and its article. */
export const wordBefore = ({ start }: Piece, pieces: readonly Piece[]) =>
  pieces.findLast((piece) => piece.start < start && !/^(the|my|our|an?)$/i.test(piece.text))?.text.toLowerCase() ?? ''

/** Returns how a part names a place ("lost on the sides", "under the dialogue"); without another part, an `inside` one is the subject. */
export function placeOf(piece: Piece, pieces: readonly Piece[]): 'inside' | 'beside' | undefined {
  const before = wordBefore(piece, pieces)
  if (/(^| )(under|behind|beneath|below|by|than|through|over|compared (to|with))$/.test(before)) return 'beside'
  return piece.text.endsWith('에') || /^(on|in|to|from|at|off)$/.test(before) ? 'inside' : undefined
}
