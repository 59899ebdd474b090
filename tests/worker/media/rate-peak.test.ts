import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { waveHead } from '../../../src-engine/dsp/riff.ts'
import type { Ffmpeg } from '../../../src-worker/media/ffmpeg.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { truePeakAtRate } from '../../../src-worker/media/rate-peak.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

let ffmpeg: Ffmpeg
beforeAll(async () => {
  ffmpeg = await locateFfmpeg()
})

const RATE_HZ = 96_000

/** Two seconds of the sum of two tones on the right channel, 24 bit at 96 kHz. */
function tones(...parts: readonly { readonly hertz: number; readonly level: number }[]): string {
  const frames = 2 * RATE_HZ
  const data = Buffer.alloc(frames * 6)
  for (let frame = 0; frame < frames; frame++) {
    // Begins and ends gently: an edge would ring.
    const window = Math.sin((Math.PI * frame) / frames)
    const value = parts.reduce(
      (sum, { hertz, level }) => sum + level * Math.sin((2 * Math.PI * hertz * frame) / RATE_HZ),
      0,
    )
    data.writeIntLE(Math.round(value * window * (2 ** 23 - 1)), frame * 6 + 3, 3)
  }
  const file = path.join(temporaryFolder(onTestFinished), 'song.wav')
  writeFileSync(
    file,
    Buffer.concat([waveHead({ channels: 2, sampleRateHz: RATE_HZ, bitsPerSample: 24 }, data.length), data]),
  )
  return file
}

const wav = (path: string) => ({ path, container: 'wav' }) as const

test('what lies above the new rate no longer counts, and what lies between its samples does', async () => {
  const half = 20 * Math.log10(0.5)
  const both = tones({ hertz: 1000, level: 0.5 }, { hertz: 30_000, level: 0.45 })
  expect(await truePeakAtRate(ffmpeg, wav(both), 44_100)).toBeCloseTo(half, 1)
  expect(await truePeakAtRate(ffmpeg, wav(both), 96_000)).toBeGreaterThan(-1)
  // A quarter of the new rate: its samples may all miss the peaks.
  expect(await truePeakAtRate(ffmpeg, wav(tones({ hertz: 11_025, level: 0.5 })), 44_100)).toBeCloseTo(half, 1)
})

test('silence has none', async () => {
  expect(await truePeakAtRate(ffmpeg, wav(tones({ hertz: 1000, level: 0 })), 44_100)).toBe(Number.NEGATIVE_INFINITY)
})
