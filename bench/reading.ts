/** Measurement of a finished master by meters that share no code with the limiter. */
import { spawnSync } from 'node:child_process'
import type { Audio } from '../src-engine/dsp/block.ts'
import { measureLoudness } from '../src-engine/dsp/meters/loudness.ts'
import { fullTruePeakDbtp } from '../tests/support/full-meter.ts'
import { decodeSong } from './music.ts'

export interface Reading {
  readonly audio: Audio
  readonly integratedLufs: number
  readonly truePeakDbtp: number
}

/** Reads a file. */
export function readMaster(file: string): Reading {
  const audio = decodeSong(file)
  return {
    audio,
    integratedLufs: measureLoudness(audio).integratedLufs,
    truePeakDbtp: fullTruePeakDbtp(audio.channels),
  }
}

/** Cuts a song, read with ffmpeg's `inputOptions`, and writes it as a 16-bit stereo WAV at 44.1 kHz. */
export function writeExcerpt(
  song: string,
  seconds: number,
  output: string,
  inputOptions: readonly string[] = [],
): void {
  const cut = spawnSync('ffmpeg', [
    '-nostdin',
    '-v',
    'error',
    '-y',
    ...inputOptions,
    '-i',
    song,
    '-t',
    String(seconds),
    '-ac',
    '2',
    '-ar',
    '44100',
    '-c:a',
    'pcm_s16le',
    output,
  ])
  if (cut.status !== 0) throw new Error(cut.stderr.toString())
}
