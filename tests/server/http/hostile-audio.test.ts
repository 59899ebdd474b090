/** Damaged songs sent to the API: `AUDIO_ROUNDS` of them, each made anew from `AUDIO_SEED` and its number. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FailureCode } from '../../../src-contract/errors.ts'
import { analyseSong } from '../../../src-worker/mastering/analyse-song.ts'
import { describeFailure } from '../../../src-worker/mastering/work-failure.ts'
import { locateFfmpeg } from '../../../src-worker/media/locate.ts'
import { pngPicture } from '../../support/pictures.ts'
import { masterForm, type Service, startService } from '../../support/service.ts'
import { seededRandom } from '../../support/sounds.ts'

const ROUNDS = Number(process.env.AUDIO_ROUNDS ?? 6)
const FIRST_ROUND = Number(process.env.AUDIO_FIRST_ROUND ?? 0)
/** Options of ffmpeg for a song of each form; tags and pictures are put onto the first three again. */
const FORMS = [
  ['-f', 'wav', '-c:a', 'pcm_u8'],
  ['-f', 'flac', '-ac', '1'],
  ['-f', 'mp3', '-write_id3v1', '1', '-ar', '22050', '-b:a', '32k'],
  ['-f', 'flac'],
  ['-f', 'wav'],
  ['-f', 'wav', '-c:a', 'pcm_s24le'],
  ['-f', 'wav', '-c:a', 'pcm_f32le'],
  ['-f', 'wav', '-rf64', 'always', '-write_bext', '1'],
  ['-f', 'mp3', '-id3v2_version', '0', '-write_xing', '0', '-ac', '1', '-q:a', '9'],
  ['-f', 'aiff'],
]
/** Failures of an analysis that are what a song is. */
const VERDICTS: readonly FailureCode[] = ['INVALID_SAMPLES', 'UNREADABLE_AUDIO']
const SEED = Number(process.env.AUDIO_SEED ?? 1)

let service: Service
let songs: readonly Buffer[]
/** All other failures: errors of the program itself. */
const faults: string[] = []
beforeAll(async () => {
  service = await startService({
    // The engine's analysis without a process of its own for each song, which would take most of the time.
    forkEngine: ({ onMessage, onExit }) => ({
      async send(command) {
        if (command.type !== 'analyse') return
        try {
          const { signal } = new AbortController()
          onMessage({ type: 'analysed', analysis: await analyseSong(command.order, onMessage, signal) })
        } catch (error) {
          const failure = describeFailure(error)
          if (!VERDICTS.includes(failure.failureCode)) faults.push(failure.stack ?? failure.message)
          onMessage(failure)
        }
        onExit('exit code 0')
      },
      kill: () => onExit('killed by SIGKILL'),
    }),
  })
  const ffmpeg = await locateFfmpeg()
  const source = 'aevalsrc=0.3*sin(2*PI*440*t)|0.3*sin(2*PI*330*t)*sin(7*t):s=8000:d=1.2'
  const tags = ['title=밤 버스', 'artist=Ana', 'comment=Made at night', 'date=2026'].flatMap((tag) => [
    '-metadata',
    tag,
  ])
  const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-songs-'))
  // One process for all of them.
  const outputs = FORMS.flatMap((options, index) => [...tags, ...options, path.join(folder, String(index))])
  execFileSync(ffmpeg.path, ['-v', 'error', '-f', 'lavfi', '-i', source, ...outputs])
  const made = FORMS.map((_, index) => readFileSync(path.join(folder, String(index))))
  rmSync(folder, { recursive: true })
  const [bytesWav, flac, mp3] = made as [Buffer, Buffer, Buffer]
  songs = [
    ...made,
    Buffer.concat([bytesWav, chunkOf('id3 ', id3Picture()), chunkOf('JUNK', Buffer.alloc(9))]),
    Buffer.concat([id3Picture(), flac]),
    Buffer.concat([id3Picture(), mp3]),
  ]
})
afterAll(() => service.stop())

function chunkOf(name: string, content: Buffer): Buffer {
  const head = Buffer.from(`${name}\0\0\0\0`, 'latin1')
  head.writeUInt32LE(content.length, 4)
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)])
}

/** An ID3v2.3 tag with a title in UTF-16 and a picture. */
function id3Picture(): Buffer {
  const frame = (id: string, content: Buffer) => {
    const head = Buffer.from(`${id}\0\0\0\0\0\0`, 'latin1')
    head.writeUInt32BE(content.length, 4)
    return Buffer.concat([head, content])
  }
  const title = Buffer.concat([Buffer.from([1, 0xff, 0xfe]), Buffer.from('첫차', 'utf16le')])
  const picture = Buffer.concat([Buffer.from('\0image/png\0\x03\0', 'latin1'), pngPicture(8, 8)])
  const frames = Buffer.concat([frame('TIT2', title), frame('APIC', picture)])
  return Buffer.concat([
    Buffer.from([...Buffer.from('ID3\x03\0\0\0\0'), frames.length >> 7, frames.length & 127]),
    frames,
  ])
}

type Pick = (limit: number) => number
const MARKS = [
  ...['RIFF', 'RF64', 'WAVE', 'ds64', 'bext', 'fmt ', 'data', 'LIST', 'INFO', 'id3 ', 'JUNK', 'FORM', 'SSND'],
  ...[
    'fLaC',
    'ID3',
    'TIT2',
    'APIC',
    'COMM',
    'TAG',
    'Xing',
    'Info',
    'LAME',
    '\x89PNG',
    '\xff\xfb',
    '\xff\xf3',
    '\xff\xf8',
  ],
] as const
/** Boundary values for lengths and counts. */
const LIMITS = [0, 1, 2, 7, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

/** Places of the marks of headers, chunks, tags and frames. */
function marksIn(bytes: Buffer): number[] {
  return MARKS.flatMap((mark) => {
    const at = bytes.indexOf(mark, 0, 'latin1')
    const last = bytes.lastIndexOf(mark, undefined, 'latin1')
    return at < 0 ? [] : [at, last]
  })
}

type Mutate = (bytes: Buffer, pick: Pick) => Buffer
const splice = (bytes: Buffer, at: number, removed: number, added: Buffer) =>
  Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)])
/** Changes bytes in place, each at most 40 behind a mark. */
const behindMark = (change: (bytes: Buffer, at: number, pick: Pick) => void): Mutate => {
  return (bytes, pick) => {
    const marks = marksIn(bytes)
    const at = marks.length === 0 ? pick(bytes.length) : marks[pick(marks.length)]! + pick(40)
    if (at + 4 <= bytes.length) change(bytes, at, pick)
    return bytes
  }
}
const MUTATIONS: readonly Mutate[] = [
  (bytes, pick) => {
    for (let count = pick(20); count >= 0 && bytes.length > 0; count--) bytes[pick(bytes.length)] = pick(256)
    return bytes
  },
  behindMark((bytes, at, pick) => {
    bytes[at] = [0, 0xff, pick(256)][pick(3)]!
  }),
  behindMark((bytes, at, pick) => void bytes.writeUInt32LE(LIMITS[pick(LIMITS.length)]!, at)),
  behindMark((bytes, at, pick) => void bytes.writeUInt32BE(LIMITS[pick(LIMITS.length)]!, at)),
  behindMark((bytes, at, pick) => void bytes.writeUInt16LE(LIMITS[pick(8)]!, at)),
  behindMark((bytes, at, pick) => void bytes.writeUInt32LE((bytes.readUInt32LE(at) + pick(9) - 4) >>> 0, at)),
  // Wrong lengths, truncated and extended files, and bytes inserted, removed, repeated or moved.
  (bytes, pick) => bytes.subarray(0, pick(bytes.length + 1)),
  (bytes, pick) => bytes.subarray(pick(bytes.length + 1)),
  (bytes, pick) => splice(bytes, pick(bytes.length + 1), pick(3000), Buffer.alloc(0)),
  (bytes, pick) => splice(bytes, pick(bytes.length + 1), 0, Buffer.alloc(pick(400_000))),
  (bytes, pick) =>
    splice(bytes, pick(bytes.length + 1), 0, Buffer.from(Array.from({ length: pick(3000) }, () => pick(256)))),
  (bytes, pick) => splice(bytes, pick(bytes.length + 1), 0, bytes.subarray(pick(bytes.length + 1))),
  (bytes, pick) => {
    const other = songs[pick(songs.length)]!
    return Buffer.concat([bytes.subarray(0, pick(bytes.length + 1)), other.subarray(pick(2) * pick(other.length))])
  },
  (bytes, pick) => {
    const marks = marksIn(bytes)
    const at = marks[pick(marks.length)] ?? 0
    const part = bytes.subarray(at, at + pick(2000))
    return splice(bytes, at, 0, Buffer.concat(Array.from({ length: pick(400) }, () => part)).subarray(0, 2_000_000))
  },
  // Samples that are no numbers, beyond any level, or all the same.
  (bytes, pick) => {
    const value = [Number.NaN, Number.POSITIVE_INFINITY, 1e30, -1e30, 1e-40][pick(5)]!
    const start = bytes.indexOf('data', 0, 'latin1') + 8
    for (let at = start + 4 * pick(2000), count = pick(3000); count > 0 && at + 4 <= bytes.length; count--, at += 4)
      bytes.writeFloatLE(value, at)
    return bytes
  },
  (bytes, pick) => bytes.fill(pick(256), pick(bytes.length + 1)),
]

function damaged(round: number): Buffer {
  const random = seededRandom(SEED * 1_000_003 + round)
  const pick: Pick = (limit) => Math.min(limit - 1, Math.floor(((random() + 1) / 2) * limit))
  let bytes = Buffer.from(songs[pick(songs.length)]!)
  for (let count = pick(4); count >= 0; count--) bytes = Buffer.from(MUTATIONS[pick(MUTATIONS.length)]!(bytes, pick))
  return bytes
}

test(`${ROUNDS} damaged songs (seed ${SEED}): each is analysed or refused for what it is, and nothing is left on the disk`, async () => {
  const outcomes = new Map<string, number>()
  for (let round = FIRST_ROUND; round < FIRST_ROUND + ROUNDS; round++) {
    const body = masterForm({ file: new Blob([new Uint8Array(damaged(round))]) })
    body.delete('platforms')
    const answer = await service.call('POST', '/api/v1/analyze', { body })
    const outcome = answer.body.error?.message ?? 'analysed'
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    const isVerdict = answer.status === 200 || [400, 422].includes(answer.status)
    if (!isVerdict || faults.length > 0)
      throw new Error(`round ${round}: ${answer.status} ${JSON.stringify(answer.body)} ${faults.join('\n')}`)
  }
  if (process.env.AUDIO_ROUNDS) console.info(`${JSON.stringify(Object.fromEntries(outcomes))}`)
  // Few changes leave a song, many do not.
  expect(outcomes.get('analysed')).toBeGreaterThan(ROUNDS / 10)
  expect(outcomes.size).toBeGreaterThan(1)
  expect(service.temporary()).toEqual([])
  expect((await service.get('/healthz')).status).toBe(200)
})
