/**
 * Faults that generators leave over the course of a song: drifting level, treble that builds up, a passage that jumps in level, a collapse
 * before the end. Music repeats itself, so passages with the same spectrum are compared wherever they occur: in a healthy song their levels
 * are equal. Pure.
 */
import type { SuggestionReason } from '../../src-contract/suggestion.ts'
import type { SourceAnalysis } from '../analysis/analysis.ts'
import type { Timeline } from '../analysis/timeline.ts'
import { quantile } from '../dsp/meters/spectrum.ts'
import { dbToPower, powerToDb, rounded } from '../dsp/units.ts'

/** Bands of the level, the mids and the treble by which passages are compared, Hz. */
const levelHz = [50, 10_000] as const
const middleHz = [100, 3000] as const
const trebleHz = [5000, 18_000] as const
/** Seconds this far below the loudest ones do not count as music, dB. */
const quietDb = 25
/** Shortest song with a course, s. */
const leastSeconds = 60
/** Length of a passage, step to the next, and least distance between two compared passages, s. */
const passageSeconds = 6
const hopSeconds = 2
const leastLagSeconds = 20
/** Largest spread across the bands of the difference between two passages that count as the same, dB. */
const alikeDb = 1

/** Fewest pairs for each passage, largest deviation from the median as a part of it, and least change over the song, dB. */
const drift = { pairs: 2, deviation: 0.5, changeDb: 4 }
const treble = { pairs: 1, deviation: 0.3, changeDb: 4 }
/** Least part of a drift that each half of the song must show. */
const evenPart = 0.5
/** Largest rise of the treble that counts as a fault, dB; a larger one is part of the arrangement. */
const mostTrebleDb = 15
const jump = { pairs: 1, deviation: 0.3, changeDb: 3 }
/** Largest median distance of passages on the same side of a jump, and least change in the two seconds around it, dB. */
const sameSideDb = 1
const suddenDb = 2.5
const suddenSeconds = 2
/** Most places that are examined. */
const mostPlaces = 12

/** A collapse: the largest part of the song it may take, its least length, s, and its least fall, dB. */
const collapsePart = 0.4
const collapseSeconds = 8
const collapseDb = 6
/** Length of the passage before it and of the fall itself, s, and least level that counts against the loud parts, dB. */
const beforeSeconds = 12
const fallSeconds = 2
const leastLevelDb = -40
/**
 * A collapse is quick, clear of the levels on either side, and one of all bands: least parts of the fall that its two seconds and the gap
 * between the quiet moments before and the loud ones after show, and largest spread of the bands, as a part of it and in dB.
 */
const suddenPart = 0.8
const clearPart = 0.8
const mostSpreadPart = 0.35
const mostSpreadDb = 4
/** Largest change from the first to the last third after it, dB: a fading tail keeps falling. */
const steadyDb = 5

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
const quantileOf = (values: readonly number[], part: number) => quantile(Float64Array.from(values).sort(), part)
const median = (values: readonly number[]) => quantileOf(values, 0.5)

/** Returns the mean level difference of two spectra of the same shape, dB; null if their shapes differ. */
function alikeBy(first: readonly number[], second: readonly number[]): number | null {
  let sum = 0
  let squares = 0
  for (let band = 0; band < first.length; band++) {
    const apart = second[band]! - first[band]!
    sum += apart
    squares += apart * apart
  }
  const middle = sum / first.length
  return squares / first.length - middle * middle <= alikeDb * alikeDb ? middle : null
}

/** A song second by second. */
interface Course {
  readonly timeline: Timeline
  readonly levelDb: readonly number[]
  /** Level exceeded in a tenth of the seconds, dB. */
  readonly loudDb: number
}

const bandsIn = ({ bandHz }: Timeline, [from, to]: readonly [number, number]) =>
  bandHz.flatMap((hz, band) => (hz > from && hz < to ? [band] : []))

function courseOf(timeline: Timeline): Course {
  const bands = bandsIn(timeline, levelHz)
  const levelDb = timeline.levelsDb.map((levels) =>
    powerToDb(bands.reduce((sum, band) => sum + dbToPower(levels[band]!), 1e-20)),
  )
  return { timeline, levelDb, loudDb: quantileOf(levelDb, 0.9) }
}

/** Two passages of one spectrum. */
interface Pair {
  /** End of the first and start of the second, s. */
  readonly from: number
  readonly to: number
  readonly lagSeconds: number
  /** Difference of the second from the first in level, and in treble beyond that, dB. */
  readonly levelDb: number
  readonly trebleDb: number
}

interface Pairs {
  readonly passages: number
  readonly pairs: readonly Pair[]
}

function pairsOf({ timeline, levelDb, loudDb }: Course, compared: readonly [number, number]): Pairs {
  const [bands, high] = [bandsIn(timeline, compared), bandsIn(timeline, trebleHz)]
  const passages: { at: number; levels: number[]; trebleDb: number }[] = []
  for (let at = 0; at + passageSeconds <= levelDb.length; at += hopSeconds) {
    if (levelDb.slice(at, at + passageSeconds).some((db) => db < loudDb - quietDb)) continue
    const seconds = timeline.levelsDb.slice(at, at + passageSeconds)
    const levelOf = (band: number) => powerToDb(mean(seconds.map((levels) => dbToPower(levels[band]!))))
    passages.push({ at, levels: bands.map(levelOf), trebleDb: mean(high.map(levelOf)) })
  }
  const pairs: Pair[] = []
  for (const [i, first] of passages.entries()) {
    for (const second of passages.slice(i + 1)) {
      const lagSeconds = second.at - first.at
      if (lagSeconds < leastLagSeconds) continue
      const levelDb = alikeBy(first.levels, second.levels)
      if (levelDb === null) continue
      const trebleDb = second.trebleDb - first.trebleDb - levelDb
      pairs.push({ from: first.at + passageSeconds, to: second.at, lagSeconds, levelDb, trebleDb })
    }
  }
  return { passages: passages.length, pairs }
}

/** Returns the median of values if there are enough and they deviate little from it; null otherwise. */
function agreed(
  values: readonly number[],
  passages: number,
  least: { readonly pairs: number; readonly deviation: number; readonly changeDb: number },
): number | null {
  if (values.length === 0 || values.length < least.pairs * passages) return null
  const middle = median(values)
  const deviation = median(values.map((value) => Math.abs(value - middle)))
  return Math.abs(middle) >= least.changeDb && deviation <= least.deviation * Math.abs(middle) ? middle : null
}

function driftOf({ levelDb }: Course, { pairs, passages }: Pairs): SuggestionReason[] {
  const overSong = pairs.map((pair) => (pair.levelDb / pair.lagSeconds) * levelDb.length)
  const changeDb = agreed(overSong, passages, drift)
  if (changeDb === null) return []
  // A song that merely builds up at its start or calms down at its end does not drift.
  const isEven = [0, 1].every((half) => {
    const own = overSong.filter((_, i) => (pairs[i]!.from + pairs[i]!.to < levelDb.length ? 0 : 1) === half)
    return own.length > 0 && median(own) / changeDb >= evenPart
  })
  return isEven ? [{ code: 'LEVEL_DRIFTS', values: { change_db: rounded(changeDb) } }] : []
}

function trebleOf(course: Course): SuggestionReason[] {
  const { pairs, passages } = pairsOf(course, middleHz)
  const overSong = pairs.map((pair) => (pair.trebleDb / pair.lagSeconds) * course.levelDb.length)
  const changeDb = agreed(overSong, passages, treble)
  return changeDb === null || changeDb < 0 || changeDb > mostTrebleDb
    ? []
    : [{ code: 'TREBLE_BUILDS_UP', values: { change_db: rounded(changeDb) } }]
}

/** Returns the places of the largest sudden changes of level, s, most sudden first. */
function suddenPlaces(levelDb: readonly number[]): { readonly at: number; readonly changeDb: number }[] {
  const places: { at: number; changeDb: number }[] = []
  for (let at = leastLagSeconds; at + leastLagSeconds <= levelDb.length; at++) {
    const [before, after] = [levelDb.slice(at - suddenSeconds, at), levelDb.slice(at, at + suddenSeconds)]
    const changeDb = mean(after) - mean(before)
    if (Math.abs(changeDb) >= suddenDb) places.push({ at, changeDb })
  }
  return places.sort((one, other) => Math.abs(other.changeDb) - Math.abs(one.changeDb)).slice(0, mostPlaces)
}

function jumpOf({ levelDb }: Course, { pairs, passages }: Pairs): SuggestionReason[] {
  for (const { at, changeDb: suddenly } of suddenPlaces(levelDb)) {
    const across = pairs.filter(({ from, to }) => from <= at && to >= at).map((pair) => pair.levelDb)
    const changeDb = agreed(across, passages, jump)
    if (changeDb === null || changeDb * suddenly < 0) continue
    const beside = pairs.filter(({ from, to }) => to < at || from > at).map((pair) => Math.abs(pair.levelDb))
    if (beside.length === 0 || median(beside) > sameSideDb) continue
    return [{ code: 'SECTION_JUMPS', values: { at_seconds: at, change_db: rounded(changeDb) } }]
  }
  return []
}

function collapseOf({ timeline, levelDb, loudDb }: Course): SuggestionReason[] {
  const bands = bandsIn(timeline, levelHz)
  const end = levelDb.findLastIndex((db) => db > loudDb + leastLevelDb)
  let best: { readonly at: number; readonly fallDb: number; readonly quickDb: number } | undefined
  for (let at = Math.ceil(levelDb.length * (1 - collapsePart)); at <= end - collapseSeconds; at++) {
    const [start, from] = [Math.max(0, at - beforeSeconds), at + fallSeconds]
    const [before, after] = [levelDb.slice(start, at), levelDb.slice(from, end)]
    const fallDb = median(before) - median(after)
    if (fallDb < collapseDb) continue
    const quickDb = mean(before.slice(-fallSeconds)) - mean(after.slice(0, fallSeconds))
    const clearDb = quantileOf(before, 0.25) - quantileOf(after, 0.9)
    const third = Math.ceil(after.length / 3)
    const driftDb = median(after.slice(0, third)) - median(after.slice(-third))
    if (quickDb < suddenPart * fallDb || clearDb < clearPart * fallDb || Math.abs(driftDb) > steadyDb) continue
    const meanOf = (band: number, first: number, last: number) =>
      mean(timeline.levelsDb.slice(first, last).map((levels) => levels[band]!))
    const falls = bands.map((band) => meanOf(band, start, at) - meanOf(band, from, end))
    const spreadDb = Math.sqrt(mean(falls.map((db) => (db - mean(falls)) ** 2)))
    if (spreadDb > Math.min(mostSpreadPart * fallDb, mostSpreadDb)) continue
    if (!best || quickDb > best.quickDb) best = { at: from, fallDb, quickDb }
  }
  return best ? [{ code: 'COLLAPSES_LATE', values: { at_seconds: best.at, change_db: -rounded(best.fallDb) } }] : []
}

/**
 * Returns the faults of a song's course, each with its place; none for silence and songs shorter than a minute. A jump is not also reported
 * as a drift.
 */
export function courseReasons({ isSilent, durationSeconds, timeline }: SourceAnalysis): SuggestionReason[] {
  if (isSilent || durationSeconds < leastSeconds) return []
  const course = courseOf(timeline)
  const pairs = pairsOf(course, levelHz)
  const jumps = jumpOf(course, pairs)
  return [...(jumps.length > 0 ? jumps : driftOf(course, pairs)), ...trebleOf(course), ...collapseOf(course)]
}
