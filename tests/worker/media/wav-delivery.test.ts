import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { riffChunk, waveHead } from '../../../src-engine/dsp/riff.ts'
import { readWavDelivery } from '../../../src-worker/media/wav-delivery.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const RATE_HZ = 44_100
const folder = temporaryFolder()

/** Stereo samples: silence with a level below −60 dBFS, a tone of one channel, and silence. */
function samples(bits: 16 | 24, [before, sounding, after]: readonly [number, number, number]): Buffer {
  const bytes = bits / 8
  const data = Buffer.alloc((before + sounding + after) * 2 * bytes)
  const fullScale = 2 ** (bits - 1)
  for (let frame = 0; frame < before + sounding + after; frame++) {
    const isSounding = frame >= before && frame < before + sounding
    data.writeIntLE(Math.round(fullScale * (isSounding ? -0.0011 : 0.0009)), frame * 2 * bytes + bytes, bytes)
  }
  return data
}

function wav(data: Buffer, bits: number, { before = [] as Uint8Array[], after = [] as Uint8Array[] } = {}): string {
  const head = Buffer.from(waveHead({ channels: 2, sampleRateHz: RATE_HZ, bitsPerSample: bits }, data.length, before))
  const bytes = Buffer.concat([head, data, ...after])
  bytes.writeUInt32LE(bytes.length - 8, 4)
  const file = path.join(folder, `${Math.random()}.wav`)
  writeFileSync(file, bytes)
  return file
}

const id3 = riffChunk('id3 ', Buffer.alloc(20))

test.each([16, 24] as const)(
  'the silence at both ends of %s bit is found to the frame, across many pieces',
  async (bits) => {
    const edges = [RATE_HZ, 1, 3 * RATE_HZ] as const
    expect(await readWavDelivery(wav(samples(bits, edges), bits))).toMatchObject({
      ...{
        formatCode: 1,
        bitDepth: bits,
        sampleRateHz: RATE_HZ,
        channels: 2,
        hasTags: false,
        hasBytesAfterAudio: false,
      },
      ...{ silenceStartSeconds: 1, silenceEndSeconds: 3, durationSeconds: 4 + 1 / RATE_HZ },
    })
    const short = await readWavDelivery(wav(samples(bits, [2, 5, 3]), bits))
    expect([short?.silenceStartSeconds, short?.silenceEndSeconds]).toEqual([2 / RATE_HZ, 3 / RATE_HZ])
  },
)

test('a silent file is silence from both ends', async () => {
  const facts = await readWavDelivery(wav(samples(16, [RATE_HZ, 0, 0]), 16))
  expect([facts?.silenceStartSeconds, facts?.silenceEndSeconds]).toEqual([1, 1])
})

test('tags are told, and whether they come after the audio', async () => {
  const sound = samples(16, [0, 9, 0])
  const facts = async (file: string) => {
    const found = await readWavDelivery(file)
    return [found?.hasTags, found?.hasBytesAfterAudio]
  }
  expect(await facts(wav(sound, 16))).toEqual([false, false])
  expect(await facts(wav(sound, 16, { before: [id3] }))).toEqual([true, false])
  expect(await facts(wav(sound, 16, { after: [Buffer.from(id3)] }))).toEqual([true, true])
  expect(await facts(wav(sound, 16, { after: [Buffer.from(riffChunk('junk', Buffer.alloc(8)))] }))).toEqual([
    false,
    true,
  ])
})

test('an extensible WAV has the code 0xFFFE, and what is no WAV has no facts', async () => {
  const file = wav(samples(16, [0, 9, 0]), 16)
  const format = Buffer.alloc(40)
  format.writeUInt16LE(0xfffe, 0)
  format.writeUInt16LE(2, 2)
  format.writeUInt32LE(RATE_HZ, 4)
  format.writeUInt32LE(RATE_HZ * 4, 8)
  format.writeUInt16LE(4, 12)
  format.writeUInt16LE(16, 14)
  format.writeUInt16LE(22, 16)
  format.writeUInt16LE(16, 18)
  Buffer.from('0100000000001000800000aa00389b71', 'hex').copy(format, 24)
  const data = samples(16, [0, 9, 0])
  const body = Buffer.concat(
    [Buffer.from('WAVE'), riffChunk('fmt ', format), riffChunk('data', data)].map((one) => Buffer.from(one)),
  )
  writeFileSync(file, Buffer.from(riffChunk('RIFF', body)))
  expect(await readWavDelivery(file)).toMatchObject({ formatCode: 0xfffe, bitDepth: 16, durationSeconds: 9 / RATE_HZ })
  writeFileSync(file, 'RIFF spotify')
  expect(await readWavDelivery(file)).toBeUndefined()
  expect(await readWavDelivery(wav(Buffer.alloc(0), 16))).toBeUndefined()
})
