import type { Whistle } from '../../src-contract/stages/whistle-notch.ts'
import { type FrameGrid, quantile } from '../dsp/meters/spectrum.ts'
import { clamp, dbToPower, power, powerToDb } from '../dsp/units.ts'
import { correlation } from './correlation.ts'

/** Range of whistles, Hz: below it steady tones are partials of notes. */
const lowestHz = 10_000
const highestHz = 20_500
/** Lower end of the partials that a tone is compared with, Hz. */
const partialsFromHz = 4000
/** Surroundings of a tone, octaves to either side. */
const surroundingsOctaves = 1 / 3
/** Bins on either side that belong to a peak, and bins to the first clear of it: 20 and 43 Hz at 44.1 kHz. */
const peakBins = 4
const clearBins = 8
/** Outermost bins on either side that measure the sound beside a whistle: 43 to 320 Hz. */
const besideBins = 60
/** Least power of a whistle relative to its surroundings, dB, and share of the frames that must show it: drums cover it now and then. */
const leastShareDb = 0
const leastPart = 0.6
/** Least audible level of a whistle, dBFS: ours; current music lies 50 to 60 dB above. */
const leastDbfs = -75
/** Length of the analysed pieces of a song, s, and their fewest frames. */
const pieceSeconds = 2
const fewestFrames = 6
/** Largest spacing of the frames used, s; frames closer than half of it are skipped. */
const mostHopSeconds = 0.25
/** Shortest whistle, s; shorter tones may be the end of a note. */
const shortestSeconds = 4
/** Largest movement of a whistle's peak from frame to frame. */
const strayBins = 2
/** Largest drift of a whistle from piece to piece. */
const mostStrayBins = 3
const mostWhistles = 8
/** Power that stands for silence. */
const silentPower = 1e-14
/** Bounds of a notch's reach around a drifting whistle, Hz. */
const leastReachHz = 4
const mostReachHz = 40
/** Least spacing of partials, as a part of the lowest whistle, and tolerance of their integer ratio. */
const leastSpacing = 0.05
const harmonicTolerance = 0.02
/** Least swing of a tone's level, from its softest to its loudest tenth, dB, and its least correlation with that of a partial of the same note. */
const leastSwingDb = 6
const leastShared = 0.7
/** Least height of a partial above its sides, dB. */
const partialDb = 12
/** Quantile of the moments that gives a whistle's height: the highest tenth. */
const heardPart = 0.9
/** Least excess that extends a whistle beyond its certain frames, dB. */
const edgeDb = 10

/** Finds whistles in the power spectra of a piece. */
export interface WhistleMeter {
  /** Takes the powers of mid and side of the next frame of the grid, bins 0 … size / 2. */
  push(mid: Float64Array, side: Float64Array): void
  /** Returns the whistles of all frames, at most eight, in order of their start. */
  read(): Whistle[]
}

/** A peak that stood out in a piece of the song. */
interface Seen {
  readonly piece: number
  readonly bin: number
}

/**
 * Returns a meter for the frames of a grid. A whistle is a narrow tone above 10 kHz that lasts at least 4 s and mostly holds as much power
 * as everything within a third of an octave: no instrument has its lowest partial there, and higher partials have others of their height
 * beside them, or rise and fall with them. Finds nothing below a rate of 24 kHz.
 */
export function createWhistleMeter(grid: FrameGrid, sampleRateHz: number): WhistleMeter {
  const binHz = sampleRateHz / grid.size
  const reach = power(2, surroundingsOctaves)
  const first = Math.floor(partialsFromHz / binHz)
  const count = Math.floor(Math.min(highestHz * reach, (sampleRateHz / 2) * 0.98) / binHz) - first
  const isSounding = sampleRateHz / 2 > lowestHz * reach
  const gridSeconds = grid.starts.length > 1 ? (grid.starts[1]! - grid.starts[0]!) / sampleRateHz : pieceSeconds
  const every = Math.max(1, Math.floor(mostHopSeconds / gridSeconds))
  const rows: Float32Array[] = []
  let frame = 0
  return {
    push(mid, side) {
      if (!isSounding || frame++ % every > 0) return
      const row = new Float32Array(count)
      for (let b = 0; b < count; b++) row[b] = mid[first + b]! + side[first + b]!
      rows.push(row)
    },
    read() {
      if (!isSounding || rows.length < 2 * fewestFrames) return []
      const place = { first, count, binHz, hopSeconds: every * gridSeconds, size: grid.size, sampleRateHz }
      const all: Whistle[] = []
      const ofNotes: Whistle[] = []
      for (const run of followed(seenIn(rows, place))) {
        const found = describe(run, rows, place)
        if (found === null) continue
        if (found.isOfNote) ofNotes.push(found.whistle)
        if (!all.some((known) => areOneWhistle(known, found.whistle))) all.push(found.whistle)
      }
      return all
        .filter((one) => !ofNotes.some((note) => areOneTone(one, note)))
        .filter((one) => !all.some((other) => areOfOneNote(one, other)))
        .sort((one, other) => other.endSeconds - other.startSeconds - (one.endSeconds - one.startSeconds))
        .slice(0, mostWhistles)
        .sort((one, other) => one.startSeconds - other.startSeconds)
    },
  }
}

const areAtOnce = (one: Whistle, other: Whistle): boolean =>
  one.startSeconds < other.endSeconds && other.startSeconds < one.endSeconds

/** Returns true for two finds of the same frequency. */
const areOneTone = (one: Whistle, other: Whistle): boolean =>
  Math.abs(one.frequencyHz - other.frequencyHz) < 2 * mostReachHz

/** Returns true for two finds of the same tone at one time. */
const areOneWhistle = (one: Whistle, other: Whistle): boolean => areAtOnce(one, other) && areOneTone(one, other)

/** Returns true for two tones at one time that may be partials of one note: their distance divides both. */
function areOfOneNote(one: Whistle, other: Whistle): boolean {
  const apartHz = Math.abs(one.frequencyHz - other.frequencyHz)
  if (!areAtOnce(one, other) || apartHz < lowestHz * leastSpacing) return false
  const ratio = one.frequencyHz / apartHz
  return Math.abs(ratio - Math.round(ratio)) < harmonicTolerance
}

/** Frequencies of the bins and times of the frames. */
interface Place {
  readonly first: number
  readonly count: number
  readonly binHz: number
  readonly hopSeconds: number
  readonly size: number
  readonly sampleRateHz: number
}

const framesPerPiece = ({ hopSeconds }: Place): number => Math.max(fewestFrames, Math.round(pieceSeconds / hopSeconds))

/** Returns the peaks that stand out in most frames of each piece of the song. */
function seenIn(rows: readonly Float32Array[], place: Place): Seen[] {
  const { count } = place
  const perPiece = framesPerPiece(place)
  const counts = new Uint16Array(count)
  const power = new Float64Array(count)
  const look = createLook(place)
  const seen: Seen[] = []
  for (let piece = 0; (piece + 1) * perPiece <= rows.length; piece++) {
    counts.fill(0)
    power.fill(0)
    for (const row of rows.slice(piece * perPiece, (piece + 1) * perPiece)) look(row, counts, power)
    for (let b = clearBins; b < count - clearBins; b++) {
      if (counts[b]! < perPiece * leastPart || !isHighest(power, b)) continue
      if (power[b]! > counts[b]! * dbToPower(leastDbfs)) seen.push({ piece, bin: b })
    }
  }
  return seen
}

/** Returns a function that counts and sums the bins of a frame that stand out from their surroundings. */
function createLook({ first, count, binHz }: Place) {
  const reach = power(2, surroundingsOctaves)
  const share = dbToPower(leastShareDb)
  const from = Math.max(clearBins, Math.ceil(lowestHz / binHz) - first)
  const to = Math.min(count - clearBins, Math.floor(highestHz / binHz) - first)
  const lows = Int32Array.from({ length: count }, (_, b) => clamp(Math.round((first + b) / reach) - first, 0, count))
  const highs = Int32Array.from({ length: count }, (_, b) => clamp(Math.round((first + b) * reach) - first, 0, count))
  const sums = new Float64Array(count + 1)
  return (row: Float32Array, counts: Uint16Array, powers: Float64Array): void => {
    for (let b = 0; b < count; b++) sums[b + 1] = sums[b]! + row[b]!
    for (let b = from; b < to; b++) {
      // Skips bins that are not local peaks, about two in three.
      if (row[b]! <= row[b - 1]! || row[b]! < row[b + 1]!) continue
      const peak = sums[b + peakBins + 1]! - sums[b - peakBins]!
      const near = sums[b + clearBins + 1]! - sums[b - clearBins]!
      if (peak < share * (sums[highs[b]!]! - sums[lows[b]!]! - near)) continue
      for (let d = -strayBins; d <= strayBins; d++) {
        counts[b + d]!++
        // Highest in the middle.
        powers[b + d]! += peak / (1 + Math.abs(d))
      }
    }
  }
}

/** Returns true for the highest value within reach of a peak, or the first of equals. */
function isHighest(values: Float64Array, b: number): boolean {
  for (let d = 1; d <= clearBins; d++) {
    if (values[b - d]! >= values[b]! || values[b + d]! > values[b]!) return false
  }
  return true
}

/** Joins the peaks of successive pieces at one frequency; one piece may be missing. */
function followed(seen: readonly Seen[]): Seen[][] {
  const runs: Seen[][] = []
  for (const one of seen) {
    const run = runs.find((known) => {
      const last = known.at(-1)!
      const gap = one.piece - last.piece
      return gap >= 1 && gap <= 2 && Math.abs(one.bin - last.bin) <= mostStrayBins
    })
    if (run) run.push(one)
    else runs.push([one])
  }
  return runs.filter((run) => run.length >= 2)
}

/** A tone that stands out, and whether it rises and falls with a partial of a note. */
interface Described {
  readonly whistle: Whistle
  readonly isOfNote: boolean
}

/** Returns the place and height of a tone; null if it is too short or does not stand out. */
function describe(run: readonly Seen[], rows: readonly Float32Array[], place: Place): Described | null {
  const { first, binHz, hopSeconds, size, sampleRateHz } = place
  const perPiece = framesPerPiece(place)
  const bin = run.map((one) => one.bin).sort((a, b) => a - b)[run.length >> 1]!
  const excess = (frame: number): number => powerToDb(peakPower(rows[frame]!, bin) / powerBeside(rows[frame]!, bin))
  // Drums may cover a whistle for a moment without ending it.
  const lastStanding = (start: number, step: 1 | -1): number => {
    let last = start
    for (let inside = 0; inside < perPiece && !(excess(last) > edgeDb); inside++) last -= step
    for (let f = last + step; f >= 0 && f < rows.length && Math.abs(f - last) <= perPiece / 2; f += step) {
      if (excess(f) > edgeDb) last = f
    }
    return last
  }
  const from = lastStanding(run[0]!.piece * perPiece, -1)
  const to = lastStanding((run.at(-1)!.piece + 1) * perPiece - 1, 1)
  const frames = Array.from({ length: to - from + 1 }, (_, i) => from + i)
  const excesses = frames.map(excess).sort((a, b) => a - b)
  const excessDb = excesses[Math.floor(excesses.length * heardPart)]!
  if (!(excessDb > edgeDb)) return null
  const centres = frames.map((frame) => centreOf(rows[frame]!, bin))
  const mean = centres.reduce((sum, centre) => sum + centre, 0) / centres.length
  const spread = Math.sqrt(centres.reduce((sum, centre) => sum + (centre - mean) ** 2, 0) / centres.length)
  // A frame's power lies around its middle, though the frame reaches further.
  const frameSeconds = size / sampleRateHz
  const startSeconds = from * hopSeconds + frameSeconds / 4
  const endSeconds = to * hopSeconds + (frameSeconds * 3) / 4
  if (endSeconds - startSeconds < shortestSeconds) return null
  const whistle = {
    frequencyHz: (first + mean) * binHz,
    reachHz: clamp(2 * spread * binHz, leastReachHz, mostReachHz),
    startSeconds,
    endSeconds,
    excessDb: Math.min(40, excessDb),
  }
  return { whistle, isOfNote: movesWithPartial(rows.slice(from, to + 1), bin) }
}

/** Returns true for a tone whose level swings, and does so together with that of another narrow tone: both are partials of played notes. */
function movesWithPartial(rows: readonly Float32Array[], bin: number): boolean {
  const levelsAt = (b: number) => Float64Array.from(rows, (row) => powerToDb(peakPower(row, b) + silentPower))
  const own = levelsAt(bin)
  const ascending = own.toSorted()
  const swingDb = quantile(ascending, heardPart) - quantile(ascending, 1 - heardPart)
  if (swingDb < leastSwingDb) return false
  const sums = new Float64Array(rows[0]!.length)
  for (const row of rows) for (let b = 0; b < row.length; b++) sums[b]! += row[b]!
  const partialPart = dbToPower(partialDb)
  for (let b = besideBins; b < sums.length - besideBins; b++) {
    const isOwn = Math.abs(b - bin) <= besideBins
    if (isOwn || !isHighest(sums, b) || peakPower(sums, b) < partialPart * powerBeside(sums, b)) continue
    if (correlation(own, levelsAt(b)) > leastShared) return true
  }
  return false
}

function sumBetween(row: ArrayLike<number>, from: number, to: number): number {
  let sum = 0
  for (let b = Math.max(0, from); b < Math.min(row.length, to); b++) sum += row[b]!
  return sum
}

const peakPower = (row: ArrayLike<number>, bin: number): number => sumBetween(row, bin - peakBins, bin + peakBins + 1)

/** Power beside a peak, scaled to the peak's number of bins. */
function powerBeside(row: ArrayLike<number>, bin: number): number {
  const sum =
    sumBetween(row, bin - besideBins, bin - clearBins) + sumBetween(row, bin + clearBins + 1, bin + besideBins + 1)
  return ((2 * peakBins + 1) * sum) / (2 * (besideBins - clearBins))
}

/** Centre of the power of a peak, in bins. */
function centreOf(row: Float32Array, bin: number): number {
  let sum = 0
  let weighted = 0
  for (let b = bin - peakBins; b <= bin + peakBins; b++) {
    sum += row[b]!
    weighted += b * row[b]!
  }
  return sum > 0 ? weighted / sum : bin
}
