/** Coded copies over a real socket: made once for all who ask, given up with the last of them, and never left half-made. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { CodedCopies, type CodedCopiesDeps } from '../../../src-server/artifacts/coded-copies.ts'
import { type JobFiles, StoredFiles } from '../../../src-server/artifacts/job-files.ts'
import { artifactRoutes } from '../../../src-server/artifacts/routes.ts'
import { AppError } from '../../../src-server/http/app-error.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { FfmpegMissingError } from '../../../src-worker/media/locate.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { ffmpeg, songLike, writeFloatWav } from '../../worker/media/make-audio.ts'
import { asKey, asSession, listen } from '../notify/listen.ts'

let folder: string
let wav: Buffer

beforeEach(() => {
  folder = temporaryFolder(onTestFinished)
  wav = readFileSync(writeFloatWav(path.join(folder, 'song.wav'), songLike(3), 44_100))
})

/** Serves one finished job with a master for melon. */
async function serve(deps: Partial<CodedCopiesDeps> = {}) {
  const zipPath = path.join(folder, 'song.zip')
  writeFileSync(zipPath, Buffer.concat([Buffer.alloc(40), wav]))
  const song = { path: zipPath, filename: 'song.wav', sha256: '0', format: 'wav' as const }
  const job: JobFiles = {
    status: 'done',
    isExpired: false,
    source: song,
    result: {
      folder,
      zip: {
        fileName: 'song.zip',
        folderName: 'song',
        sizeBytes: 40 + wav.length,
        sha256: '0',
        entries: [{ name: 'song/song_melon.wav', offset: 40, sizeBytes: wav.length }],
      },
      masters: [{ platform: 'melon', file: 'song_melon.wav', sha256: createHash('sha256').update(wav).digest('hex') }],
      reportJsonFile: '',
      reportHtmlFile: '',
      copiesFolder: path.join(folder, 'copies'),
    },
  }
  let asked = 0
  const codedCopies = new CodedCopies({
    ffmpeg: async () => ffmpeg,
    requireDisk: () => void asked++,
    stopping: new AbortController().signal,
    ...deps,
  })
  const filesOf = (jobId: string) => (jobId === 'done' ? job : undefined)
  const stored = new StoredFiles({
    openAllowed: () => Promise.reject(new Error('no file of a folder is asked for')),
    ...{ requireDisk: () => {}, random: systemRandom, tmp: folder },
  })
  const { baseUrl } = await listen((app) => artifactRoutes(app, { filesOf, codedCopies, stored }))
  const get = (place: string, init: RequestInit = {}) =>
    fetch(`${baseUrl}/app/${place}`, { ...init, headers: { ...asSession, ...init.headers } })
  return { get, codedCopies, copiesMade: () => asked, zipPath }
}

const COPY = 'jobs/done/copies/melon/vorbis_160'
const made = () => readdirSync(path.join(folder, 'copies'))
const codeOf = async (answer: Response) => ((await answer.json()) as { error: { code: string; message: string } }).error

test('a copy is made at the first request and is then a file with ranges and a tag', async () => {
  const { get, copiesMade } = await serve()
  const whole = await get(COPY)
  expect(whole.status).toBe(200)
  expect(whole.headers.get('content-type')).toBe('audio/wav')
  const bytes = Buffer.from(await whole.arrayBuffer())
  const part = await get(COPY, { headers: { range: 'bytes=1000-1999' } })
  expect(part.status).toBe(206)
  expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(1000, 2000))
  const tag = whole.headers.get('etag')!
  expect((await get(COPY, { headers: { 'if-none-match': tag } })).status).toBe(304)
  expect(copiesMade()).toBe(1)
  expect(made()).toHaveLength(1)
})

test('all who ask at the same time get the one copy', async () => {
  const { get, copiesMade } = await serve()
  const answers = await Promise.all([get(COPY), get(COPY), get(COPY)])
  const bodies = await Promise.all(answers.map(async (answer) => Buffer.from(await answer.arrayBuffer())))
  expect(bodies[1]).toEqual(bodies[0])
  expect(bodies[2]).toEqual(bodies[0])
  expect(copiesMade()).toBe(1)
})

test('a copy for which nobody waits any more is given up and leaves no file; the next who asks gets it', async () => {
  const patience = new AbortController()
  const { get, codedCopies } = await serve({ requireDisk: () => patience.abort() })
  await expect(get(COPY, { signal: patience.signal })).rejects.toThrow('abort')
  await codedCopies.close()
  expect(made().filter((name) => !name.endsWith('.wav'))).toEqual([])
  const answer = await get(COPY)
  expect(answer.status).toBe(200)
  await answer.arrayBuffer()
  expect(made()).toHaveLength(1)
})

test('every codec is named with the encoder that makes it', async () => {
  const { get } = await serve()
  const { codecs } = (await (await get('copy-codecs')).json()) as { codecs: { codec: string; encoder?: string }[] }
  expect(codecs.map(({ codec }) => codec)).toEqual([
    'vorbis_160',
    'aac_128',
    'aac_160',
    'aac_256',
    'opus_160',
    'mp3_320',
  ])
  expect(codecs[0]!.encoder).toBe('Vorbis quality 5 (ffmpeg libvorbis)')
})

test('a full disk, no ffmpeg and a master that has gone are told apart, and nothing is left over', async () => {
  const full = await serve({
    requireDisk() {
      throw new AppError('INSUFFICIENT_STORAGE')
    },
  })
  const answer = await full.get(COPY)
  expect([answer.status, (await codeOf(answer)).code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
  const none = await serve({ ffmpeg: () => Promise.reject(new FfmpegMissingError('ffmpeg_missing')) })
  const { code, message } = await codeOf(await none.get(COPY))
  expect(code).toBe('UNAVAILABLE')
  expect(message).toContain('ffmpeg')
  const gone = await serve()
  rmSync(gone.zipPath)
  expect((await codeOf(await gone.get(COPY))).code).toBe('RESULT_EXPIRED')
  expect(made()).toEqual([])
})

test('unknown jobs, platforms without a master and callers with a key get no copy', async () => {
  const { get } = await serve()
  expect((await codeOf(await get('jobs/other/copies/melon/aac_128'))).code).toBe('JOB_NOT_FOUND')
  expect((await codeOf(await get('jobs/done/copies/spotify/aac_128'))).code).toBe('NOT_FOUND')
  expect((await get(COPY, { headers: asKey })).status).toBe(403)
})
