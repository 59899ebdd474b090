/** Files for the tests: signals that are computed here, encoded by ffmpeg. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { Ffmpeg } from '../../../src-worker/media/ffmpeg.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'

/** The ffmpeg that services in tests use. */
export const ffmpeg: Ffmpeg = await locateFfmpeg({ explicit: process.env.MASTER_FFMPEG_PATH })
/** The ffmpeg found where none is set: another build, whose every start costs a Linux distribution's 200 libraries. */
export const foundFfmpeg: Ffmpeg = await locateFfmpeg()

/** Something like music: chords that change every half second, a pulse, and peaks that stand out; two different channels. */
export function songLike(seconds: number, sampleRateHz = 44_100, gain = 0.35): Float32Array[] {
  const frames = Math.round(seconds * sampleRateHz)
  let noise = 12_345
  const roots = [110, 146.83, 98, 130.81]
  const channels = [new Float32Array(frames), new Float32Array(frames)]
  for (let i = 0; i < frames; i++) {
    const t = i / sampleRateHz
    const root = roots[Math.floor(t * 2) % 4]!
    const beat = Math.exp(-(t % 0.5) * 9)
    noise = (Math.imul(noise, 1_103_515_245) + 12_345) | 0
    const hat = (noise / 2 ** 31) * Math.exp(-(t % 0.25) * 60) * 0.4
    const swell = 0.6 + 0.4 * Math.sin(2 * Math.PI * 0.07 * t)
    const kick = Math.sin(2 * Math.PI * 55 * t) * beat
    for (const [c, samples] of channels.entries()) {
      let chord = 0
      for (const [k, ratio] of [1, 1.5, 2, 3, 4.5, 6].entries()) {
        chord += Math.sin(2 * Math.PI * root * ratio * t + c * 0.7 * k) / (k + 1)
      }
      samples[i] = gain * (swell * 0.5 * chord + kick + (c === 0 ? hat : -hat * 0.5))
    }
  }
  return channels
}

/** Writes planar samples as a float WAV, header and all, without the code under test. */
export function writeFloatWav(file: string, channels: readonly Float32Array[], sampleRateHz: number): string {
  const frames = channels[0]!.length
  const data = Buffer.alloc(frames * channels.length * 4)
  for (let i = 0; i < frames; i++) {
    for (const [c, samples] of channels.entries()) data.writeFloatLE(samples[i]!, (i * channels.length + c) * 4)
  }
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + data.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(3, 20)
  header.writeUInt16LE(channels.length, 22)
  header.writeUInt32LE(sampleRateHz, 24)
  header.writeUInt32LE(sampleRateHz * channels.length * 4, 28)
  header.writeUInt16LE(channels.length * 4, 32)
  header.writeUInt16LE(32, 34)
  header.write('data', 36)
  header.writeUInt32LE(data.length, 40)
  writeFileSync(file, Buffer.concat([header, data]))
  return file
}

/** Runs ffmpeg over files with any arguments, and returns what it prints on stdout. */
export function runPlain(...args: string[]): Buffer {
  return execFileSync(ffmpeg.path, ['-v', 'error', '-y', '-nostdin', ...args], { maxBuffer: 1 << 28 })
}

/** Integrated loudness (LUFS) and true peak (dBTP) of a file by ffmpeg's ebur128, an independent meter. */
export function readByEbur128(file: string): { integratedLufs: number; truePeakDbtp: number } {
  const text = execFileSync(
    ffmpeg.path,
    [
      ...['-v', 'error', '-nostdin', '-i', file],
      ...['-af', 'ebur128=peak=true:metadata=1,ametadata=print:file=-', '-f', 'null', '-'],
    ],
    { maxBuffer: 1 << 28, encoding: 'utf8' },
  )
  const last = (key: string) => Number([...text.matchAll(new RegExp(`lavfi\\.r128\\.${key}=(\\S+)`, 'g'))].at(-1)?.[1])
  const peaks = [...text.matchAll(/lavfi\.r128\.true_peaks_ch\d=(\S+)/g)].map((match) => Number(match[1]))
  return { integratedLufs: last('I'), truePeakDbtp: 20 * Math.log10(Math.max(...peaks)) }
}
