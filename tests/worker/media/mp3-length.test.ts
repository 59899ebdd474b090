/** The length that an MP3 says, to the sample, for every way in which a song can end within a frame. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { encodeFile } from '../../../src-worker/media/encode-file.ts'
import { stateMp3Length } from '../../../src-worker/media/mp3-length.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, runPlain, songLike, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const decodedFrames = (file: string) => runPlain('-i', file, '-f', 'f32le', '-c:a', 'pcm_f32le', '-').length / 8

/** CRC-16 of a header, bit by bit from the polynomial 0x8005. */
function crc16(file: Buffer): number {
  let crc = 0
  for (const byte of file.subarray(0, 190))
    for (let bit = 0; bit < 8; bit++) {
      const isSet = ((crc ^ (byte >> bit)) & 1) === 1
      crc = (crc >> 1) ^ (isSet ? 0xa001 : 0)
    }
  return crc
}

/** Ends of a song within a frame of 1152 samples: among them those that leave less than the decoder's delay. */
test.each([0, 1, 47, 48, 600, 1112, 1113, 1151])('a song of 20 frames and %i samples', async (rest) => {
  const frames = 20 * 1152 + rest
  const channels = songLike((frames + 10) / 48_000, 48_000, 0.3).map((channel) => channel.subarray(0, frames))
  const wav = writeFloatWav(at('song.wav'), channels, 48_000)
  const file = at('song.mp3')
  await encodeFile(
    ffmpeg,
    { container: 'mp3', encoder: 'libmp3lame', kilobits: 320 },
    { path: wav, sampleRateHz: 48_000 },
    file,
  )
  const before = readFileSync(file)
  await stateMp3Length(file, frames)
  expect(decodedFrames(file)).toBe(frames)
  const stated = readFileSync(file)
  // The encoder that has signed the sound, where it has, and the checksum as the muxer has made it.
  const signature = stated.indexOf('LAME3', 200)
  const encoder = stated.subarray(156, 165).toString('latin1')
  expect(encoder).toBe(signature < 0 ? 'Lavf lame' : stated.subarray(signature, signature + 9).toString('latin1'))
  expect([crc16(before), crc16(stated)]).toEqual([before.readUInt16BE(190), stated.readUInt16BE(190)])
  // A length that was right stays as it was.
  await stateMp3Length(file, frames)
  expect(readFileSync(file).equals(stated)).toBe(true)
})

test('a song that the encoder has signed says so', async () => {
  const wav = writeFloatWav(at('long.wav'), songLike(2, 48_000, 0.3), 48_000)
  const codec = { container: 'mp3', encoder: 'libmp3lame', kilobits: 320 } as const
  await encodeFile(ffmpeg, codec, { path: wav, sampleRateHz: 48_000 }, at('long.mp3'))
  await stateMp3Length(at('long.mp3'), 96_000)
  expect(readFileSync(at('long.mp3')).subarray(156, 160).toString('latin1')).toBe('LAME')
})

test('a length that the file cannot have, and a file without a header, are refused', async () => {
  await expect(stateMp3Length(at('song.mp3'), 1)).rejects.toThrow('has none of 1')
  writeFileSync(at('none.mp3'), Buffer.alloc(500))
  await expect(stateMp3Length(at('none.mp3'), 100)).rejects.toThrow('no header')
})
