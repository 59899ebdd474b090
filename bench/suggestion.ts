/**
 * `node bench/suggestion.ts ranges|damage|course|halves|cost`: proofs of the suggestion (docs/engine/suggestion.md) on the music of the
 * folders in LOUDSMITH_MUSIC, one a package. `ranges` prints the distribution of each figure; `damage` suggests for copies damaged on purpose
 * and applies it, both by the responses of the filters; `course` counts findings over time in songs and in copies with faults; `halves`
 * compares what the two halves of a song suggest; `cost` times analysis, suggestion and price. SECONDS cuts songs; every EVERY-th is taken,
 * beginning with number FROM.
 */
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import type { Recipe } from '../src-contract/recipe.ts'
import { NEUTRAL_SOUND, type SoundSettings } from '../src-contract/settings.ts'
import { RANGE_FIGURES, type RangeFigure } from '../src-contract/suggestion.ts'
import { analyseSource, type SourceAnalysis } from '../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../src-engine/chain.ts'
import { magnitudeDb } from '../src-engine/dsp/biquad.ts'
import { type Audio, sliceBlock } from '../src-engine/dsp/block.ts'
import { type BandLevels, quantile } from '../src-engine/dsp/meters/spectrum.ts'
import { sideToMidDb } from '../src-engine/dsp/meters/stereo.ts'
import { dbToPower, gainToDb, powerToDb } from '../src-engine/dsp/units.ts'
import { prepareFinalise } from '../src-engine/finalise/finalise.ts'
import { breaksOff, planRecipe } from '../src-engine/plan.ts'
import { responseDb } from '../src-engine/stages/index.ts'
import { courseReasons } from '../src-engine/suggestion/course.ts'
import { priceLoudness } from '../src-engine/suggestion/price.ts'
import { type Figures, outsideDb, rangeFigures, rangeSuggestion, toldFromDb } from '../src-engine/suggestion/range.ts'
import { type Fault, usualFaults } from './damage.ts'
import { allSongs, copyAudio, decodeSong, type Song } from './music.ts'

const { positionals } = parseArgs({ allowPositionals: true })
const [mode = ''] = positionals
const SECONDS = Number(process.env.SECONDS ?? 60)
const FROM = Number(process.env.FROM ?? 0)
const EVERY = Number(process.env.EVERY ?? 1)

/** Sound of a scene rather than a piece of music, by its file name, and shortest piece, s. */
const SCENE = /^(rain|wind|day|night|nightime|desertday|sunny_day|hell|.*ambient|wind_.*|.*_loop)$/i
const SHORTEST = 30

const songs = () => allSongs().filter(({ name, path }) => !SCENE.test(name) && !path.endsWith('.wav'))
const chosen = () => songs().filter((_, i) => i >= FROM && (i - FROM) % EVERY === 0)
const packageOf = ({ folder }: Song) => basename(folder)
const analysed = (audio: Audio): SourceAnalysis => analyseSource(audio, { lossy: true })
const say = (line: string) => console.log(line)

function* decoded(seconds: number, fromSeconds = 0): Generator<{ song: Song; audio: Audio }> {
  for (const song of chosen()) {
    const audio = decodeSong(song.path, seconds, fromSeconds)
    if (audio.sampleRateHz >= 32_000 && audio.frames >= SHORTEST * audio.sampleRateHz) yield { song, audio }
  }
}

/** An analysis with gains on its spectra; filters change nothing else that the figures of tone and width are made of. */
function filtered(
  analysis: SourceAnalysis,
  gainDb: (hz: number) => { readonly mid: number; readonly side: number },
): SourceAnalysis {
  const changed = (levels: BandLevels): BandLevels => ({
    bandHz: levels.bandHz,
    midDb: levels.midDb.map((db, b) => db + gainDb(levels.bandHz[b]!).mid),
    sideDb: levels.sideDb.map((db, b) => db + gainDb(levels.bandHz[b]!).side),
  })
  const { spectrum, fineSpectrum, comparedSpectrum } = analysis
  const compared = changed(comparedSpectrum)
  return {
    ...analysis,
    ...{ spectrum: changed(spectrum), fineSpectrum: changed(fineSpectrum), comparedSpectrum: compared },
    sideToMidDb: sideToMidDb(compared),
  }
}

function withFault(analysis: SourceAnalysis, fault: Fault): SourceAnalysis {
  if ('sideDb' in fault) return filtered(analysis, () => ({ mid: 0, side: fault.sideDb }))
  const section = fault.section(analysis.sampleRateHz)
  return filtered(analysis, (hz) => {
    const db = magnitudeDb([section], Math.min(hz, 0.49 * analysis.sampleRateHz), analysis.sampleRateHz)
    return { mid: db, side: db }
  })
}

/** Stages of the sound as set, without planned ones. */
function steeringStages(analysis: SourceAnalysis, sound: Partial<SoundSettings>): Recipe {
  const settings = { genre: 'other', ai_service: 'other', intensity: 50, reference_amount: 0 } as const
  const { recipe } = planRecipe({ analysis, ...settings, sound: { ...NEUTRAL_SOUND, ...sound } })
  return {
    ...recipe,
    stages: recipe.stages.filter(({ kind }) => ['steer_tone', 'steer_width', 'punch'].includes(kind)),
  }
}

/** The analysis of a song to which settings of tone and width are applied. */
function withSettings(analysis: SourceAnalysis, sound: Partial<SoundSettings>): SourceAnalysis {
  const { stages } = steeringStages(analysis, sound)
  return filtered(analysis, (hz) => {
    const each = stages.map((stage) => responseDb(stage, hz, analysis.sampleRateHz))
    return { mid: each.reduce((sum, { mid }) => sum + mid, 0), side: each.reduce((sum, { side }) => sum + side, 0) }
  })
}

/** Distance of two songs in third octaves, without their mean, dB. */
function toneApart(one: SourceAnalysis, other: SourceAnalysis): number {
  const levels = ({ spectrum: { midDb, sideDb } }: SourceAnalysis) =>
    midDb.map((db, b) => powerToDb(dbToPower(db) + dbToPower(sideDb[b]!)))
  const [a, b] = [levels(one), levels(other)]
  const { bandHz } = one.spectrum
  const apart = a.map((db, i) => db - b[i]!).filter((_, i) => bandHz[i]! > 45 && bandHz[i]! < 13_000)
  const mean = apart.reduce((sum, db) => sum + db, 0) / apart.length
  return Math.sqrt(apart.reduce((sum, db) => sum + (db - mean) ** 2, 0) / apart.length)
}

/** Distance of two songs in side against mid, the mean over the third octaves, dB. */
function widthApart(one: SourceAnalysis, other: SourceAnalysis): number {
  const ratios = ({ spectrum: { midDb, sideDb } }: SourceAnalysis) => midDb.map((db, b) => sideDb[b]! - db)
  const [a, b] = [ratios(one), ratios(other)]
  const { bandHz } = one.spectrum
  const apart = a.map((db, i) => Math.abs(db - b[i]!)).filter((_, i) => bandHz[i]! > 180 && bandHz[i]! < 9000)
  return apart.reduce((sum, db) => sum + db, 0) / apart.length
}

const percent = (part: number, all: number) => (all === 0 ? '–' : `${Math.round((100 * part) / all)} %`)

function ranges(): void {
  const found: { name: string; figures: Figures }[] = []
  for (const { song, audio } of decoded(600))
    found.push({ name: packageOf(song), figures: rangeFigures(analysed(audio)) })
  const counts = Map.groupBy(found, ({ name }) => name)
  say(`${found.length} pieces: ${[...counts].map(([name, all]) => `${name} ${all.length}`).join(', ')}`)
  for (const figure of RANGE_FIGURES) {
    const values = found.flatMap(({ figures }) => figures[figure] ?? []).sort((a, b) => a - b)
    say(
      [figure, values.length, ...[0.02, 0.25, 0.5, 0.75, 0.98].map((p) => quantile(values, p).toFixed(1))].join(' | '),
    )
  }
  const inside = found.filter(({ figures }) =>
    RANGE_FIGURES.every((figure) => figures[figure] === undefined || outsideDb(figure, figures[figure]) === 0),
  )
  say(`inside all ranges: ${percent(inside.length, found.length)}`)
}

interface DamageRow {
  copies: number
  left: number
  toward: number
  past: number
  closer: number
}

/** Suggests for a damaged song, applies it, and counts what came of it. */
function judge(row: DamageRow, original: SourceAnalysis, damaged: SourceAnalysis, isWidth: boolean): void {
  row.copies++
  const [before, now] = [rangeFigures(original), rangeFigures(damaged)]
  const left = RANGE_FIGURES.find((figure) => hasLeft(figure, before, now))
  if (left === undefined) return
  row.left++
  const cured = withSettings(damaged, rangeSuggestion(damaged).settings as Partial<SoundSettings>)
  const [from, is, to] = [before[left]!, now[left]!, rangeFigures(cured)[left]!]
  if (Math.abs(to - from) < Math.abs(is - from)) row.toward++
  if (Math.sign(to - from) !== Math.sign(is - from)) row.past++
  const apart = isWidth ? widthApart : toneApart
  if (apart(cured, original) < apart(damaged, original)) row.closer++
}

/** Largest move that a suggestion makes, dB; 30 of punch count as one. */
function largestMoveDb(settings: object): number {
  const moves = Object.entries(settings).map(([name, value]) => {
    if (name === 'width_percent') return Math.abs(gainToDb(value / 100))
    return Math.abs(name === 'punch' ? value / 30 : value)
  })
  return Math.max(0, ...moves)
}

/** The usual faults in their usual size and twice that. */
function damage(): void {
  const faults = Object.entries(usualFaults).flatMap(([name, fault]) => [
    { name, fault: [fault], isWidth: 'sideDb' in fault },
    { name: `${name}, twice`, fault: [fault, fault], isWidth: 'sideDb' in fault },
  ])
  const rows = faults.map((): DamageRow => ({ copies: 0, left: 0, toward: 0, past: 0, closer: 0 }))
  const undamaged = { songs: 0, inside: 0, atMost1Db: 0 }
  for (const { audio } of decoded(SECONDS)) {
    const original = analysed(audio)
    const { settings } = rangeSuggestion(original)
    undamaged.songs++
    if (Object.keys(settings).length === 0) undamaged.inside++
    if (largestMoveDb(settings) <= 1) undamaged.atMost1Db++
    for (const [i, { fault, isWidth }] of faults.entries()) {
      judge(rows[i]!, original, fault.reduce(withFault, original), isWidth)
    }
  }
  say(`undamaged: ${JSON.stringify(undamaged)}`)
  say('damage | copies | stay inside | leave | toward | past | closer by its own figure')
  for (const [i, { copies, left, toward, past, closer }] of rows.entries()) {
    say([faults[i]!.name, copies, copies - left, left, toward, past, closer].join(' | '))
  }
}

/** True for a figure inside its range before, and so far outside it now that it is told. */
function hasLeft(figure: RangeFigure, before: Figures, now: Figures): boolean {
  const [from, to] = [before[figure], now[figure]]
  return (
    from !== undefined &&
    to !== undefined &&
    outsideDb(figure, from) === 0 &&
    Math.abs(outsideDb(figure, to)) >= toldFromDb(figure)
  )
}

/** Level of a band of a song whose loud seconds have `loudDb`, at a part of the song and a frequency, with a fault of its course, dB. */
type ChangedDb = (db: number, part: number, hz: number, loudDb: number) => number

interface CourseFault {
  readonly code: string
  readonly changedDb: ChangedDb
  /** Part of the song where it begins; absent for one without a place. */
  readonly place?: number
}

/** Returns the faults for the `n`th song: their places are spread over the songs. */
function courseFaults(n: number): Record<string, CourseFault> {
  const spread = (n * 0.618) % 1
  const [jump, collapse] = [0.3 + 0.4 * spread, 0.7 + 0.2 * spread]
  const rows = (name: (db: number) => string, sizesDb: readonly number[], fault: (size: number) => CourseFault) =>
    sizesDb.map((size) => [name(size), fault(size)] as const)
  return Object.fromEntries([
    ...rows(
      (size) => `level falls by ${size} dB`,
      [3, 6, 9],
      (size) => ({
        code: 'LEVEL_DRIFTS',
        changedDb: (db, part) => db - size * part,
      }),
    ),
    ...rows(
      (size) => `treble rises by ${size} dB`,
      [4, 8],
      (size) => ({
        code: 'TREBLE_BUILDS_UP',
        changedDb: (db, part, hz) => (hz > 5000 ? db + size * part : db),
      }),
    ),
    ...rows(
      (size) => `hiss rises to ${size} dB below the song in each octave above 5 kHz`,
      [40, 30],
      (size) => ({
        code: 'TREBLE_BUILDS_UP',
        changedDb: (db, part, hz, loudDb) =>
          hz > 5000 ? powerToDb(dbToPower(db) + part * dbToPower(loudDb - size)) : db,
      }),
    ),
    ...rows(
      (size) => `level jumps by +${size} dB`,
      [3, 6],
      (size) => ({
        code: 'SECTION_JUMPS',
        changedDb: (db, part) => (part >= jump ? db + size : db),
        place: jump,
      }),
    ),
    ...rows(
      (size) => `the rest ${size} dB down`,
      [6, 9, 12, 20],
      (size) => ({
        code: 'COLLAPSES_LATE',
        changedDb: (db, part) => (part >= collapse ? db - size : db),
        place: collapse,
      }),
    ),
  ])
}

/** Largest distance of a finding from the place of its fault, s. */
const PLACE_TOLERANCE_SECONDS = 3

function withCourse(analysis: SourceAnalysis, changedDb: ChangedDb): SourceAnalysis {
  const { timeline } = analysis
  const totals = timeline.levelsDb.map((levels) => powerToDb(levels.reduce((sum, db) => sum + dbToPower(db), 1e-20)))
  const loudDb = quantile(Float64Array.from(totals).sort(), 0.9)
  const levelsDb = timeline.levelsDb.map((levels, t, { length }) =>
    levels.map((db, band) => changedDb(db, t / length, timeline.bandHz[band]!, loudDb)),
  )
  return { ...analysis, timeline: { ...timeline, levelsDb } }
}

/** True where a song that is cut off in its loudest third is told to end abruptly. */
function isEndTold(audio: Audio): boolean {
  const level = (second: number) => {
    const [first, end] = [second, second + 1].map((at) => Math.round(at * audio.sampleRateHz)) as [number, number]
    const samples = audio.channels[0]!.subarray(first, end)
    return samples.reduce((sum, sample) => sum + sample * sample, 0)
  }
  const seconds = Math.floor(audio.frames / audio.sampleRateHz)
  const levels = Array.from({ length: seconds }, (_, second) => level(second))
  const loud = quantile(Float64Array.from(levels).sort(), 0.67)
  const last = levels.findIndex((one, second) => second >= seconds / 2 && one >= loud)
  const cut = sliceBlock(audio, 0, Math.round((last + 1) * audio.sampleRateHz))
  return breaksOff(analysed({ ...copyAudio({ ...audio, ...cut }), sampleRateHz: audio.sampleRateHz }))
}

/** Counts findings over time in songs as they are, and in copies with faults on purpose. */
function course(): void {
  let count = 0
  let ends = 0
  const alarms: string[] = []
  const rows = new Map<string, { found: number; errors: number[] }>()
  for (const { song, audio } of decoded(600)) {
    const analysis = analysed(audio)
    if (analysis.durationSeconds < 60) continue
    for (const { code, values } of courseReasons(analysis))
      alarms.push(`${song.name}: ${code} ${JSON.stringify(values)}`)
    for (const [name, { code, changedDb, place }] of Object.entries(courseFaults(count))) {
      const row = rows.get(name) ?? { found: 0, errors: [] }
      rows.set(name, row)
      const reason = courseReasons(withCourse(analysis, changedDb)).find((one) => one.code === code)
      if (!reason) continue
      row.found++
      if (place !== undefined)
        row.errors.push(Math.abs(Number(reason.values.at_seconds) - place * analysis.timeline.levelsDb.length))
    }
    if (isEndTold(audio)) ends++
    count++
  }
  say(`${count} songs, ${alarms.length} findings in untouched ones\n${alarms.join('\n')}`)
  for (const [name, { found, errors }] of rows) {
    const near = errors.filter((error) => error <= PLACE_TOLERANCE_SECONDS).length
    const places = errors.length === 0 ? [] : [`${near} within ${PLACE_TOLERANCE_SECONDS} s`]
    say([name, `${found} (${percent(found, count)})`, ...places].join(' | '))
  }
  say(`cut off while loud | ${ends} (${percent(ends, count)})`)
}

function halves(): void {
  let count = 0
  let agree = 0
  for (const { song, audio } of decoded(600)) {
    if (audio.frames < 60 * audio.sampleRateHz) continue
    count++
    const middle = audio.frames >> 1
    const told = [sliceBlock(audio, 0, middle), sliceBlock(audio, middle, audio.frames)].map(
      (half) =>
        rangeSuggestion(analysed({ ...copyAudio({ ...audio, ...half }), sampleRateHz: audio.sampleRateHz })).settings,
    ) as [object, object]
    const signs = told.map((settings) =>
      Object.entries(settings)
        .map(([name, value]) => `${name} ${Math.sign(name === 'width_percent' ? value - 100 : value)}`)
        .sort()
        .join(),
    )
    if (signs[0] === signs[1]) agree++
    else say(`${song.name}: ${JSON.stringify(told)}`)
  }
  say(
    `${agree} of ${count} songs: both halves suggest the same knobs in the same directions (${percent(agree, count)})`,
  )
}

function cost(): void {
  // Processor time: other work on the machine does not count.
  const timed = <Result>(work: () => Result) => {
    const start = process.cpuUsage()
    const result = work()
    const { user, system } = process.cpuUsage(start)
    return { ms: (user + system) / 1000, result }
  }
  say('song | s | analysis ms | suggestion ms | price of loudness ms')
  for (const { song, audio } of decoded(600)) {
    analysed(audio)
    const analysis = timed(() => analysed(audio))
    const suggestion = timed(() => [rangeSuggestion(analysis.result), courseReasons(analysis.result)])
    const price = timed(() => {
      const settings = { genre: 'other', ai_service: 'other', intensity: 50, reference_amount: 0 } as const
      const { recipe } = planRecipe({ analysis: analysis.result, ...settings, sound: NEUTRAL_SOUND })
      const source = prepareFinalise(applyRecipe(copyAudio(audio), recipe).audio)
      const targets = Array.from({ length: 13 }, (_, i) => i - 20)
      return priceLoudness(
        source,
        targets.map((targetLufs) => ({ targetLufs, ceilingDbtp: targetLufs > -14 ? -2 : -1, intensity: 50 })),
      )
    })
    const seconds = audio.frames / audio.sampleRateHz
    say([song.name, seconds.toFixed(0), ...[analysis, suggestion, price].map(({ ms }) => ms.toFixed(1))].join(' | '))
  }
}

const modes: Record<string, () => void> = { ranges, damage, course, halves, cost }
const run = modes[mode]
if (run === undefined) throw new Error(`one of ${Object.keys(modes).join(', ')}`)
run()
