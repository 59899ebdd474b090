/**
 * Real music for measurements: songs from Debian's game music packages (wesnoth-1.16-music, singularity-music), decoded by the ffmpeg on
 * the PATH; without one, Loudsmith's own is put there, for other tools too. LOUDSMITH_MUSIC names other folders, separated by colons and
 * searched recursively.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, parse, relative } from 'node:path'
import { type Audio, allocateAudio } from '../src-engine/dsp/block.ts'
import { planFinalise, prepareFinalise, renderFinalise } from '../src-engine/finalise/finalise.ts'
import { locateFfmpeg } from '../src-worker/media/locate.ts'

process.env.PATH += delimiter + dirname((await locateFfmpeg()).path)

const defaultFolders = [
  '/usr/share/games/wesnoth/1.16/data/core/music',
  '/usr/share/games/singularity/music',
  '/usr/share/games/btanks/data/tunes',
]

/** Existing folders to search for music. */
function musicFolders(): string[] {
  const folders = process.env.LOUDSMITH_MUSIC?.split(':') ?? defaultFolders
  return folders.filter((folder) => existsSync(folder))
}

/**
 * Eight songs for reported results: orchestral and electronic, quiet and loud, sparse and dense. They were not used to make a table, but
 * the bounds and features of the odds were chosen with them in view (docs/engine/tone.md).
 */
export const reportedSongs = [
  'casualties_of_war',
  'frantic',
  'traveling_minstrels',
  'vengeful',
  'A New Journey',
  'Enemy Unknown',
  'Inevitable',
  'Orbital Elevator',
] as const

/** A found song. */
export interface Song {
  /** Name of the file without its extension; two folders may hold the same. */
  readonly name: string
  readonly path: string
  /** Its folder among {@link musicFolders}: one package, mostly one author. */
  readonly folder: string
}

/** Songs of all folders, by name and path; a link to a song does not count again. */
export function allSongs(): Song[] {
  const songs = musicFolders().flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(ogg|opus|flac|wav|mp3)$/.test(file))
      .map((file) => ({ name: parse(file).name, path: join(folder, file), folder }))
      .filter(({ path }) => realpathSync(path) === join(realpathSync(folder), relative(folder, path))),
  )
  const order = ({ name, path }: Song) => `${name} ${path}`
  return songs.sort((one, other) => (order(one) < order(other) ? -1 : 1))
}

/** Path of a song by its name without extension; null if no folder has it. */
export function findSong(name: string): string | null {
  return allSongs().find((song) => song.name === name)?.path ?? null
}

/** Length of a file, s, by its header; 0 where that names none. */
export function songSeconds(path: string): number {
  const heading = spawnSync('ffmpeg', ['-nostdin', '-hide_banner', '-i', path]).stderr.toString()
  const [, hours, minutes, seconds] = /Duration: (\d+):(\d+):([\d.]+)/.exec(heading) ?? []
  return 3600 * Number(hours ?? 0) + 60 * Number(minutes ?? 0) + Number(seconds ?? 0)
}

/** Decodes a file to two channels at its own rate, at most `seconds` from `fromSeconds` on. Throws with ffmpeg's message if it fails. */
export function decodeSong(path: string, seconds = 600, fromSeconds = 0): Audio {
  const heading = spawnSync('ffmpeg', ['-nostdin', '-hide_banner', '-i', path]).stderr.toString()
  const sampleRateHz = Number(/Audio: .*?(\d+) Hz/.exec(heading)?.[1])
  const range = ['-ss', String(fromSeconds), '-t', String(seconds)]
  const decoded = spawnSync(
    'ffmpeg',
    ['-nostdin', '-v', 'error', ...range, '-i', path, '-ac', '2', '-f', 'f32le', '-'],
    {
      maxBuffer: 2 ** 31 - 1,
    },
  )
  if (decoded.status !== 0) throw new Error(decoded.stderr.toString())
  const samples = new Float32Array(decoded.stdout.buffer, decoded.stdout.byteOffset, decoded.stdout.length >> 2)
  const audio = allocateAudio(2, samples.length >> 1, sampleRateHz)
  const [left, right] = audio.channels as [Float32Array, Float32Array]
  for (let i = 0; i < audio.frames; i++) {
    left[i] = samples[2 * i]!
    right[i] = samples[2 * i + 1]!
  }
  return audio
}

/** Returns an independent copy. */
export function copyAudio(audio: Audio): Audio {
  const copy = allocateAudio(audio.channels.length, audio.frames, audio.sampleRateHz)
  for (const [c, samples] of copy.channels.entries()) samples.set(audio.channels[c]!)
  return copy
}

/** A song as a loud master, limited to −9 LUFS under −1 dBTP as far as the effort budget allows; the song is not changed. */
export function loudMaster(song: Audio): Audio {
  const source = prepareFinalise(song)
  const plan = planFinalise(source, { targetLufs: -9, ceilingDbtp: -1, intensity: 100 })
  const master = copyAudio(song)
  let first = 0
  for (const { channels, frames } of renderFinalise(source, plan)) {
    for (const [c, samples] of channels.entries()) master.channels[c]!.set(samples.subarray(0, frames), first)
    first += frames
  }
  return master
}
