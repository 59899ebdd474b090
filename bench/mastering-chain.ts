/**
 * Effects of the engine's musical stages on real music: `node bench/mastering-chain.ts [--all] [--seconds N] [--songs a,b] [--tables
 * restoration,severe,references,damages,clean] [--finished] [--genre GENRE] [--ai-service SERVICE] [--json]`. With `--finished` every song
 * is first made a loud master of −9 LUFS under −1 dBTP. Tables: faults put in and corrected, severe faults followed by such a limiter,
 * references, repairs, clean music, time.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type AiService, type Genre, NEUTRAL_SOUND } from '../src-contract/settings.ts'
import { analyseSource, type SourceAnalysis } from '../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../src-engine/chain.ts'
import type { Audio } from '../src-engine/dsp/block.ts'
import { planRecipe } from '../src-engine/plan.ts'
import { addClicks, addOffset, addResonance, addTone, clipHard, severeDamages, toneDamages } from './damage.ts'
import { allSongs, copyAudio, decodeSong, findSong, loudMaster, reportedSongs } from './music.ts'
import { distanceDb, errorInsideClamp, largestMoveDb, moveBetween } from './spectral-distance.ts'

const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '120' },
    finished: { type: 'boolean', default: false },
    genre: { type: 'string', default: 'other' },
    'ai-service': { type: 'string', default: 'other' },
    songs: { type: 'string' },
    tables: { type: 'string', default: 'restoration,severe,references,damages,clean' },
  },
})

const wanted = options.songs?.split(',') ?? reportedSongs
const files = options.all ? allSongs() : wanted.map((name) => ({ name, path: findSong(name) }))
const seconds = Number(options.seconds)
const genre = options.genre as Genre
const aiService = options['ai-service'] as AiService
const results: Record<string, unknown>[] = []

const analyse = (audio: Audio): SourceAnalysis => analyseSource(audio, { lossy: false })

function master(audio: Audio, analysis: SourceAnalysis, reference?: SourceAnalysis, intensity = 50) {
  const plan = planRecipe({
    analysis,
    ...(reference ? { reference } : {}),
    genre,
    ai_service: aiService,
    intensity,
    reference_amount: 100,
    sound: NEUTRAL_SOUND,
  })
  return { plan, ...applyRecipe(audio, plan.recipe) }
}

const say = (line: string): void => {
  if (!options.json) process.stdout.write(`${line}\n`)
}

const cell = (value: number, digits = 1): string => value.toFixed(digits).padStart(7)

/** Energy of the difference of two pieces relative to the first, dB. */
function differenceDb(one: Audio, other: Audio): number {
  let error = 0
  let energy = 0
  for (const [c, samples] of one.channels.entries()) {
    const changed = other.channels[c]!
    for (let i = 0; i < samples.length; i++) {
      error += (samples[i]! - changed[i]!) ** 2
      energy += samples[i]! ** 2
    }
  }
  return error === 0 ? Number.NEGATIVE_INFINITY : 10 * Math.log10(error / energy)
}

/** Reduction by mastering of a song's mean third-octave distance to `truth`, per cent; negative if the distance grows. */
function percentCloser(truth: SourceAnalysis, damaged: Audio): number {
  const analysis = analyse(damaged)
  const before = distanceDb(moveBetween(truth, analysis))
  master(damaged, analysis)
  return 100 * (1 - distanceDb(moveBetween(truth, analyse(damaged))) / before)
}

type Damages = Readonly<Record<string, (audio: Audio) => void>>

/**
 * Masters every song unchanged and with each fault put in; `finish` turns the raw song into the delivered one, with or without the fault.
 */
function faultTable(
  table: string,
  songs: readonly [string, Audio][],
  damages: Damages,
  finish: (song: Audio) => Audio,
): void {
  const kinds = Object.keys(damages)
  say(['song'.padEnd(24), ...kinds.map((kind) => kind.slice(0, 12).padStart(13)), '  original moves dB'].join(''))
  const perKind = kinds.map((): number[] => [])
  const moves: number[] = []
  for (const [name, song] of songs) {
    const untouched = finish(copyAudio(song))
    const truth = analyse(untouched)
    const { plan } = master(untouched, truth)
    const moved = largestMoveDb(moveBetween(truth, analyse(untouched)))
    moves.push(moved)
    const closer = kinds.map((kind, k) => {
      const damaged = copyAudio(song)
      damages[kind]!(damaged)
      const percent = percentCloser(truth, finish(damaged))
      perKind[k]!.push(percent)
      return percent
    })
    const stages = plan.recipe.stages.map(({ kind }) => kind).join(' ')
    say(
      [name.padEnd(24), ...closer.map((value) => value.toFixed(0).padStart(13)), cell(moved, 2), `  ${stages}`].join(
        '',
      ),
    )
    results.push({ table, song: name, moved, ...Object.fromEntries(kinds.map((kind, k) => [kind, closer[k]])) })
  }
  const mean = (list: readonly number[]): number => list.reduce((sum, value) => sum + value, 0) / list.length
  say(
    ['mean'.padEnd(24), ...perKind.map((list) => mean(list).toFixed(0).padStart(13)), cell(Math.max(...moves), 2)].join(
      '',
    ),
  )
  const reached = perKind.map((list) => `${list.filter((value) => value >= 50).length}/${list.length}`)
  say(
    [
      'at least 50 per cent'.padEnd(24),
      ...reached.map((text) => text.padStart(13)),
      `  ${moves.filter((m) => m <= 1).length}/${moves.length} within 1 dB`,
    ].join(''),
  )
}

function restoration(songs: readonly [string, Audio][]): void {
  say('\nFaults put in and taken out again: third-octave distance to the undamaged original, per cent closer')
  faultTable('restoration', songs, toneDamages, (song) => song)
}

function severe(songs: readonly [string, Audio][]): void {
  say('\nSevere faults with a limiter behind them (−9 LUFS), as a generator may deliver them: per cent closer')
  faultTable('severe', songs, severeDamages, loudMaster)
}

function references(songs: readonly [string, Audio][]): void {
  say('\nReference matching at 100 per cent: third-octave error left inside the clamp, mean (largest) dB')
  for (const [i, [name, audio]] of songs.entries()) {
    const [referenceName, referenceAudio] = songs[(i + 1) % songs.length]!
    const analysis = analyse(audio)
    const reference = analyse(referenceAudio)
    const target = copyAudio(audio)
    master(target, analysis, reference)
    const before = moveBetween(reference, analysis)
    const after = moveBetween(reference, analyse(target))
    const left = errorInsideClamp(before, after)
    say(
      `${name.padEnd(24)}→ ${referenceName.padEnd(24)} before ${cell(distanceDb(before))}  mid ${cell(left.mid, 2)} (${left.midMost.toFixed(1)})  side ${cell(left.side, 2)} (${left.sideMost.toFixed(1)})`,
    )
    results.push({ table: 'reference', song: name, reference: referenceName, ...left })
  }
}

/** A piece after an ffmpeg filter or codec, decoded again. */
function through(audio: Audio, args: readonly string[], extension: string): Audio {
  const folder = mkdtempSync(join(tmpdir(), 'mastering-chain-'))
  try {
    const interleaved = new Float32Array(audio.frames * 2)
    for (let i = 0; i < audio.frames; i++) {
      interleaved[2 * i] = audio.channels[0]![i]!
      interleaved[2 * i + 1] = audio.channels[1]![i]!
    }
    const raw = join(folder, 'in.f32')
    const file = join(folder, `out.${extension}`)
    writeFileSync(raw, new Uint8Array(interleaved.buffer))
    const rate = String(audio.sampleRateHz)
    const input = ['-f', 'f32le', '-ar', rate, '-ac', '2', '-i', raw]
    const run = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...input, ...args, file])
    if (run.status !== 0) throw new Error(run.stderr.toString())
    return decodeSong(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function damages(songs: readonly [string, Audio][]): void {
  say(
    '\nDamaged inputs, repairs alone (intensity 0): error against the undamaged song, what was repaired (kind, amount in dB, place, count) and what was only named',
  )
  const faults: Record<string, (audio: Audio) => void> = {
    'clipped at −3 dB': (audio) => clipHard(audio, -3),
    'offset 5 %': (audio) => addOffset(audio, 0.05),
    'rumble 15 Hz, −30 dBFS': (audio) => addTone(audio, 15, -30),
    'clicks 0.3': (audio) => void addClicks(audio, 4, 0.3),
    'resonance 6 kHz': (audio) => addResonance(audio, 6000),
    'dead right channel': (audio) => void audio.channels[1]!.fill(0),
  }
  for (const [name, original] of songs) {
    say(name)
    for (const [fault, apply] of Object.entries(faults)) {
      const damaged = copyAudio(original)
      apply(damaged)
      const before = differenceDb(original, damaged)
      const { repairs, plan } = master(damaged, analyse(damaged), undefined, 0)
      const after = differenceDb(original, damaged)
      const text = repairs
        .map((r) => [r.kind, r.amount_db, r.frequency_hz, r.count && `${r.count}×`].filter(Boolean).join(' '))
        .join('; ')
      const warnings = plan.warnings.map(({ code, values }) => `${code} ${JSON.stringify(values ?? {})}`).join(' ')
      say(`  ${fault.padEnd(24)} error ${cell(before)} → ${cell(after)} dB  [${text}] ${warnings}`)
      results.push({ table: 'damage', song: name, fault, before, after, repairs, warnings: plan.warnings })
    }
    const limited = analyse(through(original, ['-b:a', '128k'], 'mp3'))
    say(`  ${'MP3 at 128 kbit/s'.padEnd(24)} cutoff ${limited.bandwidthHz?.toFixed(0) ?? 'none'}`)
  }
}

function cleanAndTime(songs: readonly [string, Audio][]): void {
  say('\nUndamaged music at default parameters: difference to the input, and processor time')
  for (const [name, original] of songs) {
    const audio = copyAudio(original)
    const start = process.cpuUsage()
    const analysis = analyse(audio)
    const analysed = process.cpuUsage(start)
    const { plan, mostReductionDb } = master(audio, analysis)
    const total = process.cpuUsage(start)
    const spent = (usage: NodeJS.CpuUsage): number => (usage.user + usage.system) / 1e6
    const perSong = 260 / analysis.durationSeconds
    const codes = plan.decisions.map(({ code }) => code).join(' ')
    say(
      `${name.padEnd(24)} difference ${cell(differenceDb(original, audio))} dB, most reduction ${cell((mostReductionDb.density ?? 0) + (mostReductionDb.multiband ?? 0))} dB; for 4:20 analysis ${(spent(analysed) * perSong).toFixed(2)} s, all ${(spent(total) * perSong).toFixed(2)} s  ${codes}`,
    )
    results.push({
      table: 'clean',
      song: name,
      difference: differenceDb(original, audio),
      analysisSeconds: spent(analysed) * perSong,
      seconds: spent(total) * perSong,
    })
  }
}

const songs = files.flatMap(({ name, path }): [string, Audio][] => {
  if (path === null) {
    say(`${name}: not installed, skipped`)
    return []
  }
  const song = decodeSong(path, seconds)
  return [[name, options.finished ? loudMaster(song) : song]]
})
if (songs.length === 0)
  process.stdout.write('No music: install wesnoth-1.16-music and singularity-music or set LOUDSMITH_MUSIC\n')
else {
  const tables = { restoration, severe, references, damages, clean: cleanAndTime }
  for (const name of options.tables.split(',')) tables[name as keyof typeof tables](songs)
}
if (options.json) process.stdout.write(`${JSON.stringify(results, null, 1)}\n`)
