/** Real music from Debian packages, for tests that no synthetic signal can replace. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { type Audio, allocateAudio } from '../../src-engine/dsp/block.ts'
import { locateFfmpeg } from '../../src-worker/media/locate.ts'

const folders = [
  process.env.LOUDSMITH_MUSIC,
  '/usr/share/games/wesnoth/1.16/data/core/music',
  '/usr/share/games/singularity/music',
  '/usr/share/games/btanks/data/tunes',
]

/** The reason shown when a test is skipped for lack of music. */
export const noMusic =
  'no music: install wesnoth-1.16-music, singularity-music and btanks-data (Debian), or name a folder in LOUDSMITH_MUSIC'

/** The path of a song by its file name, or null. */
export function findSong(fileName: string): string | null {
  for (const folder of folders) {
    if (folder === undefined) continue
    const file = path.join(folder, fileName)
    if (existsSync(file)) return file
  }
  return null
}

/** Decodes `seconds` of a song from `startSeconds` on to stereo float at 44.1 kHz; null where the song is absent. */
export async function loadSong(fileName: string, startSeconds = 0, seconds = 3600): Promise<Audio | null> {
  const file = findSong(fileName)
  if (file === null) return null
  const ffmpeg = await locateFfmpeg()
  const options = ['-v', 'error', '-cpuflags', '0', '-ss', String(startSeconds), '-t', String(seconds)]
  const output = ['-ac', '2', '-ar', '44100', '-f', 'f32le', '-']
  const bytes = execFileSync(ffmpeg.path, [...options, '-i', file, ...output], { maxBuffer: 2 ** 30 })
  const samples = new Float32Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 4))
  const audio = allocateAudio(2, samples.length / 2, 44_100)
  for (let i = 0; i < audio.frames; i++) {
    audio.channels[0]![i] = samples[2 * i]!
    audio.channels[1]![i] = samples[2 * i + 1]!
  }
  return audio
}
