/** Songs for desktop specs: short, musical enough for every meter, and identical on every machine. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const RATE_HZ = 44_100

/** Returns a 16-bit stereo WAV of a chord with a beat; `seed` changes its pitch, which makes each song different. */
export function songBytes(seconds: number, seed = 1): Buffer {
  const frames = Math.round(seconds * RATE_HZ)
  const bytes = Buffer.alloc(44 + frames * 4)
  bytes.write('RIFF', 0, 'latin1')
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8, 'latin1')
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(2, 22)
  bytes.writeUInt32LE(RATE_HZ, 24)
  bytes.writeUInt32LE(RATE_HZ * 4, 28)
  bytes.writeUInt16LE(4, 32)
  bytes.writeUInt16LE(16, 34)
  bytes.write('data', 36, 'latin1')
  bytes.writeUInt32LE(frames * 4, 40)
  const root = 110 * 2 ** (seed / 12)
  for (let frame = 0; frame < frames; frame++) {
    const t = frame / RATE_HZ
    const fade = Math.min(1, 2 * (seconds - t)) ** 2
    const beat = Math.exp(-6 * (t % 0.5))
    const kick = Math.sin(2 * Math.PI * 55 * t) * beat
    const chord = [1, 1.25, 1.5, 2].reduce((sum, ratio) => sum + Math.sin(2 * Math.PI * root * ratio * t), 0) / 4
    const side = Math.sin(2 * Math.PI * root * 3 * t + 1) * 0.2
    bytes.writeInt16LE(Math.round(9000 * fade * (kick + chord * 0.7 + side)), 44 + frame * 4)
    bytes.writeInt16LE(Math.round(9000 * fade * (kick + chord * 0.7 - side)), 46 + frame * 4)
  }
  return bytes
}

/** Writes a song and returns its path. */
export function writeSong(folder: string, name: string, seconds = 8, seed = 1): string {
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, name)
  writeFileSync(file, songBytes(seconds, seed))
  return file
}
