/** The length that an MP3 says, to the sample, for every way in which a song can end within a frame. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { encodeFile } from '../../../src-worker/media/encode-file.ts'
import { stateMp3Length } from '../../../src-worker/media/mp3-length.ts'
import { ffmpeg, runPlain, songLike, temporaryFolder, writeFloatWav } from './make-audio.ts'

const folder = temporaryFolder()
const at = (name: string) => path.join(folder, name)
const decodedFrames = (file: string) => runPlain('-i', file, '-f', 'f32le', '-c:a', 'pcm_f32le', '-').length / 8

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
  // A length that was right stays as it was, its checksum too: the two are computed alike.
  await stateMp3Length(file, frames)
  if (rest === 600) expect(readFileSync(file).equals(before)).toBe(true)
})

test('a length that the file cannot have, and a file without a header, are refused', async () => {
  await expect(stateMp3Length(at('song.mp3'), 1)).rejects.toThrow('has none of 1')
  writeFileSync(at('none.mp3'), Buffer.alloc(500))
  await expect(stateMp3Length(at('none.mp3'), 100)).rejects.toThrow('no header')
})
