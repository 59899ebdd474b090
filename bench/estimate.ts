/**
 * `node bench/estimate.ts [--known] SONG …`: distance of an audition's estimate from its exact master, over whole songs: integrated
 * loudness (goal: 0.5 LU) and the third octave that differs most (goal: 0.5 dB), three sounds at −14 and at −8.5 LUFS. The song has not
 * been rendered before; with `--known` its first sound at −14 LUFS has, as after a pause at that setting. Formats that the app does not
 * accept are decoded first.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { type JobSettings, jobSettings } from '../src-contract/settings.ts'
import { type Audio, allocateAudio } from '../src-engine/dsp/block.ts'
import { measureLoudness } from '../src-engine/dsp/meters/loudness.ts'
import { longTermSpectrum, measureBandFrames, thirdOctaves } from '../src-engine/dsp/meters/spectrum.ts'
import type { AuditionOrder } from '../src-worker/mastering/work-order.ts'
import { locateFfmpeg } from '../src-worker/media/locate.ts'
import { AuditionCaller, songOf } from './audition-caller.ts'
import { decodeSong } from './music.ts'

const SOUNDS: readonly Partial<JobSettings>[] = [
  {},
  { intensity: 90, genre: 'edm', tilt_db: 2, width_percent: 130 },
  { intensity: 30, bass_db: 3, air_db: -2, punch: 40, warmth: 50 },
]
const TARGETS_LUFS = [-14, -8.5]
/** Distance below the loudest third octave beyond which others are inaudible, dB. */
const HEARD_DB = 60

interface Reading {
  readonly lufs: number
  /** Level in each third octave, mid and side one after the other, dB. */
  readonly thirdsDb: readonly number[]
}

function readingOf(audio: Audio): Reading {
  const { midDb, sideDb } = longTermSpectrum(measureBandFrames(audio, [thirdOctaves])[0]!)
  return { lufs: measureLoudness(audio).integratedLufs, thirdsDb: [...midDb, ...sideDb] }
}

function audioOf(pcm: Uint8Array, bitDepth: 16 | 24, sampleRateHz: number): Audio {
  const width = bitDepth / 8
  const audio = allocateAudio(2, pcm.length / width / 2, sampleRateHz)
  const bytes = Buffer.from(pcm.buffer, pcm.byteOffset, pcm.length)
  for (let i = 0; i < 2 * audio.frames; i++)
    audio.channels[i % 2]![i >> 1] = bytes.readIntLE(i * width, width) / 2 ** (bitDepth - 1)
  return audio
}

async function estimated(caller: AuditionCaller, order: AuditionOrder): Promise<Reading> {
  const { frames, sampleRateHz, bitDepth, finalise } = await caller.ask('estimate', order)
  const pcm = await caller.ask('passage', { ...order, firstFrame: 0, passageFrames: frames, finalise })
  return readingOf(audioOf(pcm, bitDepth, sampleRateHz))
}

async function exact(caller: AuditionCaller, order: AuditionOrder): Promise<Reading> {
  const { path: file } = await caller.ask('render', order)
  return readingOf(decodeSong(file))
}

/** The audible third octave that differs most. */
function furthest(one: Reading, other: Reading): { readonly at: number; readonly db: number } {
  const floor = Math.max(...other.thirdsDb) - HEARD_DB
  return other.thirdsDb.reduce(
    (most, level, at) => {
      const db = one.thirdsDb[at]! - level
      return level > floor && Math.abs(db) > Math.abs(most.db) ? { at, db } : most
    },
    { at: 0, db: 0 },
  )
}

const { values, positionals } = parseArgs({
  options: { known: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const ffmpeg = await locateFfmpeg()
const signed = (value: number) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
let [missed, all] = [0, 0]

for (const file of positionals) {
  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-bench-'))
  const source = await songOf(file, ffmpeg, folder)
  const orderOf = (change: Partial<JobSettings>): AuditionOrder => ({
    ...{ source, ffmpeg, seed: 0, platform: 'spotify', folder },
    settings: jobSettings({ platforms: ['spotify'], genre: 'kpop', ai_service: 'suno', ...change }),
  })
  const orders = TARGETS_LUFS.flatMap((target_lufs) => SOUNDS.map((sound) => orderOf({ ...sound, target_lufs })))
  const caller = new AuditionCaller()
  if (values.known) await caller.ask('render', orders[0]!)
  const estimates: Reading[] = []
  for (const order of orders) estimates.push(await estimated(caller, order))
  process.stdout.write(`${path.basename(file)}, ${source.facts.sampleRateHz} Hz\n`)
  const { bandHz } = longTermSpectrum(measureBandFrames(allocateAudio(2, 48_000, 48_000), [thirdOctaves])[0]!)
  for (const [i, order] of orders.entries()) {
    const [guess, master] = [estimates[i]!, await exact(caller, order)]
    const { at, db } = furthest(guess, master)
    const place = `${Math.round(bandHz[at % bandHz.length]!)} Hz, ${at < bandHz.length ? 'mid' : 'side'}`
    const isMissed = Math.abs(guess.lufs - master.lufs) > 0.5 || Math.abs(db) > 0.5
    all += 1
    missed += isMissed ? 1 : 0
    process.stdout.write(
      `  ${order.settings.target_lufs} LUFS, sound ${(i % SOUNDS.length) + 1}: loudness ${signed(guess.lufs - master.lufs)} LU (exact ${master.lufs.toFixed(2)}), furthest third ${signed(db)} dB (${place})${isMissed ? '  MISSED' : ''}\n`,
    )
  }
  rmSync(folder, { recursive: true })
}
process.stdout.write(`${missed} of ${all} miss a goal\n`)
