/**
 * Makes the table of src-engine/analysis/fault-classifier-table.ts from music: `LOUDSMITH_MUSIC=folder:folder node
 * bench/fault-classifier.ts [--write] [--cache folder]`. With `--judge` nothing is learned: the engine's own table judges all pieces, for
 * music that was not used to make it. Every piece, and its first two minutes as a loud master, is measured unchanged and with each fault
 * put in; multinomial logistic regression on the design pieces learns to tell them apart. Prints how often design pieces (out of fold) and
 * held-out pieces would be corrected. Deterministic for the same pieces and the same ffmpeg.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseArgs } from 'node:util'
import { crc32 } from 'node:zlib'
import { analyseSource } from '../src-engine/analysis/analysis.ts'
import {
  certainty,
  type FaultEvidence,
  faultFeatures,
  faults,
  usualWidestDb,
} from '../src-engine/analysis/fault-classifier.ts'
import { faultClassifierTable } from '../src-engine/analysis/fault-classifier-table.ts'
import { usualWidthFaultDb } from '../src-engine/analysis/peak-relief.ts'
import { toneFaults } from '../src-engine/analysis/tone-evidence.ts'
import type { Audio } from '../src-engine/dsp/block.ts'
import { widthCorrectionDb } from '../src-engine/stages/match/width.ts'
import { toneDamages } from './damage.ts'
import { allSongs, copyAudio, decodeSong, loudMaster, reportedSongs, type Song } from './music.ts'
import { type Column, fixed, startTable } from './table.ts'

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    judge: { type: 'boolean', default: false },
    cache: { type: 'string' },
  },
})

/** Damages by state: none, then in the order of the faults: mud, harshness, dullness, narrowed, widened. */
const damages = [
  () => undefined,
  ...['mud', 'harsh', 'dull', 'narrowed', 'over-wide'].map((start) => {
    const name = Object.keys(toneDamages).find((each) => each.startsWith(start))!
    return toneDamages[name]!
  }),
]
const stateCount = damages.length
/**
 * Weights of the states: an undamaged piece counts as two copies with a fault, which trades some missed faults for fewer false corrections.
 */
const stateWeights = [2, 1, 1, 1, 1, 1]
/** Weight of a loud master: a finished song may have been limited by another limiter than ours, or not at all. */
const loudWeight = 0.5
const loudSeconds = 120
const penalty = 1e-3
const shortestSeconds = 30
/** Crest of an undamaged but limited piece, at most, dB. */
const limitedDb = 1.5
/** Lowest rate measured without resampling; hardly any music has a lower one. */
const lowestRateHz = 44_100

interface Piece extends Song {
  readonly isDesign: boolean
  /** True if it was made a loud master before any fault was put in. */
  readonly isLoud: boolean
  /** Features of the states. */
  readonly features: readonly (readonly number[])[]
  /** Widest moments of the states. */
  readonly widestDb: readonly number[]
  /** True if its crest shows a limiter before any fault was put in. */
  readonly isLimited: boolean
}

function measure(audio: Audio): FaultEvidence {
  const { tone, width, peakRelief, isMono, deadChannel } = analyseSource(audio, { lossy: false })
  return { tone, width, peakRelief, isMono, deadChannel }
}

function cachedEvidenceOf({ path }: Song, isLoud: boolean): FaultEvidence[] | null {
  if (!options.cache) return evidenceOf(path, isLoud)
  const cached = join(options.cache, `${path.replaceAll(sep, '-')}${isLoud ? '.loud' : ''}.json`)
  if (!existsSync(cached)) writeFileSync(cached, JSON.stringify(evidenceOf(path, isLoud)))
  return JSON.parse(readFileSync(cached, 'utf8')) as FaultEvidence[] | null
}

/** Evidence of a piece in every state; null if it is too short, has a low rate or cannot be read by ffmpeg. */
function evidenceOf(path: string, isLoud: boolean): FaultEvidence[] | null {
  const song = readable(path, isLoud ? loudSeconds : 300)
  if (song === null) return null
  if (song.sampleRateHz < lowestRateHz || song.frames < shortestSeconds * song.sampleRateHz) return null
  const original = isLoud ? loudMaster(song) : song
  return damages.map((damage) => {
    const copy = copyAudio(original)
    damage(copy)
    return measure(copy)
  })
}

function readable(path: string, seconds: number): Audio | null {
  try {
    return decodeSong(path, seconds)
  } catch (error) {
    process.stdout.write(`left out: ${path}: ${String(error).split('\n')[0]}\n`)
    return null
  }
}

const isReported = (name: string): boolean => (reportedSongs as readonly string[]).includes(name)

/** log Σ exp, per state, of one row of features under a model: natural logarithms of the probabilities. */
function logProbabilities(model: readonly (readonly number[])[], row: readonly number[]): number[] {
  const scores = model.map(([constant, ...factors]) =>
    factors.reduce((sum, factor, i) => sum + factor * row[i]!, constant!),
  )
  const most = Math.max(...scores)
  const total = Math.log(scores.reduce((sum, score) => sum + Math.exp(score - most), 0)) + most
  return scores.map((score) => score - total)
}

/** Solves A·x = y by elimination with pivots; A and y are changed. */
function solve(matrix: Float64Array[], y: Float64Array): Float64Array {
  const n = y.length
  for (let k = 0; k < n; k++) {
    let pivot = k
    for (let i = k + 1; i < n; i++) if (Math.abs(matrix[i]![k]!) > Math.abs(matrix[pivot]![k]!)) pivot = i
    ;[matrix[k], matrix[pivot]] = [matrix[pivot]!, matrix[k]!]
    ;[y[k], y[pivot]] = [y[pivot]!, y[k]!]
    for (let i = k + 1; i < n; i++) {
      const factor = matrix[i]![k]! / matrix[k]![k]!
      if (factor === 0) continue
      for (let j = k; j < n; j++) matrix[i]![j]! -= factor * matrix[k]![j]!
      y[i]! -= factor * y[k]!
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) y[i]! -= matrix[i]![j]! * y[j]!
    y[i]! /= matrix[i]![i]!
  }
  return y
}

/**
 * Multinomial logistic regression with a ridge on standardised features, by Newton's method. A folder weighs the square root of its pieces'
 * total weight, since many pieces by one author tell less than as many by several. Returns one row per state: constant, then a factor per
 * feature, with the row of the undamaged state subtracted from all others.
 */
function learn(pieces: readonly Piece[]): number[][] {
  const rows = pieces.flatMap(({ features }) => features)
  const states = pieces.flatMap(({ features }) => features.map((_, s) => s))
  const weightOf = ({ isLoud }: Piece): number => (isLoud ? loudWeight : 1)
  const perFolder = new Map<string, number>()
  for (const piece of pieces) perFolder.set(piece.folder, (perFolder.get(piece.folder) ?? 0) + weightOf(piece))
  const shares = pieces.flatMap((piece) =>
    stateWeights.map((weight) => (weight * weightOf(piece)) / Math.sqrt(perFolder.get(piece.folder)!)),
  )
  const total = shares.reduce((sum, share) => sum + share, 0)
  const weights = shares.map((share) => share / total)
  const count = rows[0]!.length
  const mean = rows[0]!.map((_, i) => rows.reduce((sum, row, r) => sum + weights[r]! * row[i]!, 0))
  const spread = mean.map((m, i) => Math.sqrt(rows.reduce((sum, row, r) => sum + weights[r]! * (row[i]! - m) ** 2, 0)))
  const standard = rows.map((row) => row.map((value, i) => (value - mean[i]!) / spread[i]!))
  const width = count + 1
  const size = stateCount * width
  let model = Array.from({ length: stateCount }, () => new Array<number>(width).fill(0))
  for (let round = 0; round < 30; round++) {
    const gradient = new Float64Array(size)
    const hessian = Array.from({ length: size }, () => new Float64Array(size))
    for (const [r, row] of standard.entries()) {
      const x = [1, ...row]
      const p = logProbabilities(model, row).map(Math.exp)
      for (let s = 0; s < stateCount; s++) {
        for (let i = 0; i < width; i++) {
          const at = s * width + i
          gradient[at]! += weights[r]! * (p[s]! - (states[r] === s ? 1 : 0)) * x[i]!
          for (let t = 0; t < stateCount; t++) {
            const curve = weights[r]! * p[s]! * ((s === t ? 1 : 0) - p[t]!) * x[i]!
            for (let j = 0; j < width; j++) hessian[at]![t * width + j]! += curve * x[j]!
          }
        }
      }
    }
    for (let at = 0; at < size; at++) {
      // The constants share one free level; a tiny ridge fixes it.
      const ridge = at % width === 0 ? 1e-9 : 2 * penalty
      gradient[at]! += ridge * model[Math.floor(at / width)]![at % width]!
      hessian[at]![at]! += ridge
    }
    const step = solve(hessian, gradient)
    // Newton's steps are limited, since the first ones overshoot if states separate well.
    const scale = Math.min(1, 2 / step.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-12))
    model = model.map((line, s) => line.map((value, i) => value - scale * step[s * width + i]!))
  }
  const raw = model.map(([constant, ...factors]) => {
    const own = factors.map((factor, i) => factor / spread[i]!)
    return [own.reduce((sum, factor, i) => sum - factor * mean[i]!, constant!), ...own]
  })
  return raw.map((line) => line.map((value, i) => value - raw[0]![i]!))
}

/** Odds of every fault for every piece in every state: [piece][state][fault]. */
function oddsOf(model: readonly (readonly number[])[], pieces: readonly Piece[]): number[][][] {
  return pieces.map(({ features }) =>
    features.map((row) =>
      logProbabilities(model, row)
        .slice(1)
        .map((p) => p - Math.log1p(-Math.exp(p))),
    ),
  )
}

function printSpread(title: string, odds: readonly (readonly (readonly number[])[])[]): void {
  const share = (state: number, fault: number, from: number): string =>
    fixed((100 * odds.filter((piece) => piece[state]![fault]! > from).length) / odds.length, 0)
  process.stdout.write(
    `\n${title}: per cent of the pieces whose log-odds exceed a bound, undamaged / with the fault\n\n`,
  )
  const bounds = [-2, -0.5, 0, 0.5, 1, 1.5]
  const print = startTable([['fault', 10], ...bounds.map((bound): Column => [String(bound), 7])], console.log)
  for (const [f, fault] of faults.entries())
    print([fault, ...bounds.map((from) => `${share(0, f, from)} / ${share(f + 1, f, from)}`)])
}

/**
 * Area under the ROC curve: share of the pairs of a faulty and an undamaged piece that give the faulty one the higher odds; 0.5 by chance.
 */
function area(fault: number, odds: readonly (readonly (readonly number[])[])[]): number {
  const undamaged = odds.map((piece) => piece[0]![fault]!)
  const below = odds.map((piece) => undamaged.filter((value) => value < piece[fault + 1]![fault]!).length)
  return below.reduce((sum, count) => sum + count, 0) / undamaged.length ** 2
}

/** Correction of each fault by the engine, dB. */
function correctionsDb(odds: readonly number[], widestDb: number): number[] {
  const [narrowed, widened] = odds.slice(toneFaults.length).map(certainty) as [number, number]
  const sideDb = widthCorrectionDb({ narrowed, widened }, widestDb)
  return [...toneFaults.map((fault, f) => fault.usualDb * certainty(odds[f]!)), sideDb, -sideDb]
}

const usualDb = [...toneFaults.map((fault) => fault.usualDb), usualWidthFaultDb, usualWidthFaultDb]

function printCorrections(pieces: readonly Piece[], odds: readonly (readonly (readonly number[])[])[]): void {
  const share = (holds: (correctDb: (state: number) => number[]) => boolean): string => {
    const count = pieces.filter(({ widestDb }, p) => holds((s) => correctionsDb(odds[p]![s]!, widestDb[s]!))).length
    return `${fixed((100 * count) / pieces.length, 0)} %`
  }
  const found = faults.map((fault, f) => `${fault} ${share((correctDb) => correctDb(f + 1)[f]! >= usualDb[f]! / 2)}`)
  const moved = share((correctDb) => correctDb(0).some((db) => Math.abs(db) > 1))
  process.stdout.write(
    `At least half of the fault taken back: ${found.join(', ')}. Undamaged, moved by more than 1 dB: ${moved}\n`,
  )
}

if (options.cache) mkdirSync(options.cache, { recursive: true })
const pieces = allSongs().flatMap((song) =>
  [false, true].flatMap((isLoud): Piece[] => {
    const evidence = cachedEvidenceOf(song, isLoud)
    if (evidence === null) return []
    const isDesign = !isReported(song.name) && crc32(song.name) % 5 < 3
    const widestDb = evidence.map(({ isMono, deadChannel, width }) =>
      isMono || deadChannel !== null ? usualWidestDb : width.widestDb,
    )
    const isLimited = evidence[0]!.peakRelief.crestDb < limitedDb
    return [{ ...song, isDesign, isLoud, features: evidence.map(faultFeatures), widestDb, isLimited }]
  }),
)

function judge(title: string, judged: readonly Piece[], odds: readonly (readonly (readonly number[])[])[]): void {
  printSpread(
    `${title}, as they are`,
    odds.filter((_, p) => !judged[p]!.isLoud),
  )
  const parts: readonly [string, (piece: Piece) => boolean][] = [
    ['As they are', ({ isLoud }) => !isLoud],
    ['Of these limited', ({ isLoud, isLimited }) => !isLoud && isLimited],
    ['Of these not limited', ({ isLoud, isLimited }) => !isLoud && !isLimited],
    ['As loud masters', ({ isLoud }) => isLoud],
  ]
  for (const [name, belongs] of parts) {
    const some = judged.filter(belongs)
    if (some.length === 0) continue
    const own = odds.filter((_, p) => belongs(judged[p]!))
    const areas = faults.map((fault, f) => `${fault} ${fixed(area(f, own), 2)}`).join(', ')
    process.stdout.write(`\n${name}, ${some.length} pieces. Area under the curve: ${areas}\n`)
    printCorrections(some, own)
  }
}

function makeTable(): void {
  const design = pieces.filter(({ isDesign }) => isDesign)
  const held = pieces.filter(({ isDesign }) => !isDesign)
  const songs = (some: readonly Piece[]): number => some.filter(({ isLoud }) => !isLoud).length
  process.stdout.write(`${songs(design)} design pieces, ${songs(held)} held out\n`)
  const models = new Map(
    [...new Set(design.map(({ folder }) => folder))].map((folder) => [
      folder,
      learn(design.filter((piece) => piece.folder !== folder)),
    ]),
  )
  const outOfFold = design.flatMap((piece) => oddsOf(models.get(piece.folder)!, [piece]))
  judge('Design pieces, each judged by a table made without the pieces of its folder', design, outOfFold)
  const model = learn(design)
  if (held.length > 0) judge('Held-out pieces', held, oddsOf(model, held))
  const lines = model
    .slice(1)
    .map((row, f) => `  // ${faults[f]}\n  [${row.map((value) => value.toFixed(3)).join(', ')}],`)
  const table = `/**
 * Made by bench/fault-classifier.ts from ${songs(design)} pieces of music, their loud masters and damaged copies of both (docs/engine/tone.md); do not edit. One row per fault: a constant, then a
 * factor for each number of \`faultFeatures\`, as natural logarithms against a piece without faults.
 */
// biome-ignore-all lint/suspicious/noApproximativeNumericConstant: fitted numbers
// biome-ignore format: one row per fault
export const faultClassifierTable: readonly (readonly number[])[] = [
${lines.join('\n')}
]
`
  if (options.write) writeFileSync(new URL('../src-engine/analysis/fault-classifier-table.ts', import.meta.url), table)
  else process.stdout.write(`\n${table}`)
}

if (options.judge) {
  const undamaged = faultClassifierTable[0]!.map(() => 0)
  judge("By the engine's table", pieces, oddsOf([undamaged, ...faultClassifierTable], pieces))
} else makeTable()
