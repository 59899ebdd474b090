import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { AppError } from '../../../src-server/http/app-error.ts'
import { receiveForm } from '../../../src-server/uploads/receive.ts'
import { systemClock } from '../../../src-system/system.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A virus scanner has the file open: played, because only Windows then refuses to remove it. */
const disk = vi.hoisted(() => ({ holdsFiles: false, roomBytes: Number.POSITIVE_INFINITY }))
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const rm: typeof fs.rm = async (...given) => {
    if (disk.holdsFiles) throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' })
    return fs.rm(...given)
  }
  return { ...fs, rm }
})

const MAX_FILE_BYTES = 3_000_000
const folder = temporaryFolder()
/** Made by the first request of which anything is stored. */
const uploads = path.join(folder, 'tmp')

/** Receives as the service does, with a small limit, and answers with what came or with the refusal. */
const server = createServer(async (request, response) => {
  const options = {
    folder: path.join(uploads, 'one'),
    files: ['file'],
    maxFileBytes: MAX_FILE_BYTES,
    requireDisk(bytes: number) {
      const file = path.join(uploads, 'one', 'file')
      const written = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (written + bytes > disk.roomBytes) throw new AppError('INSUFFICIENT_STORAGE')
    },
    clock: systemClock,
  }
  try {
    const form = await receiveForm(request, { ...options, signal: new AbortController().signal })
    await form.discard()
    response.end(JSON.stringify(form.files.get('file')))
  } catch (error) {
    const { code, param } = error as AppError
    if (!request.readableEnded) await once(request.resume(), 'end')
    response.end(JSON.stringify({ code, param }))
  }
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterEach(() => rmSync(uploads, { recursive: true, force: true }))
afterAll(() => server.close())

const part = (filename: string) => `--b\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`

/** Sends one file of `sizeBytes`, in chunks of no declared length or as one body of a declared one. */
function send(sizeBytes: number, isChunked: boolean, filename = 'a.wav'): Promise<Record<string, unknown>> {
  const { port } = server.address() as AddressInfo
  const body = [Buffer.from(part(filename)), Buffer.alloc(sizeBytes, 7), Buffer.from('\r\n--b--\r\n')]
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'multipart/form-data; boundary=b',
      ...(isChunked ? {} : { 'content-length': Buffer.concat(body).length }),
    }
    const outgoing = httpRequest({ port, host: '127.0.0.1', method: 'POST', headers }, (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve(JSON.parse(text)))
    })
    outgoing.on('error', reject)
    for (const piece of body) outgoing.write(piece)
    outgoing.end()
  })
}

test.each([
  ['of a declared length', false],
  ['in chunks of no declared length', true],
])(
  'a file of exactly the limit, sent %s, is taken whole, and one byte more is refused with nothing left',
  async (_how, isChunked) => {
    expect(await send(MAX_FILE_BYTES, isChunked)).toMatchObject({
      sizeBytes: MAX_FILE_BYTES,
      sha256: createHash('sha256').update(Buffer.alloc(MAX_FILE_BYTES, 7)).digest('hex'),
    })
    expect(await send(MAX_FILE_BYTES + 1, isChunked)).toEqual({ code: 'FILE_TOO_LARGE', param: 'file' })
    expect(readdirSync(uploads)).toEqual([])
  },
)

test('a name longer than a name may be is cut, and no character of it in half', async () => {
  const { filename } = await send(4, false, `a${'🌙'.repeat(300)}.wav`)
  expect(filename).toBe(`a${'🌙'.repeat(254)}`)
})

test('a file that the system keeps from being removed costs no answer: neither a received form nor the reason of a refusal is lost', async () => {
  disk.holdsFiles = true
  try {
    expect(await send(4, false)).toMatchObject({ sizeBytes: 4 })
    rmSync(uploads, { recursive: true })
    expect(await send(MAX_FILE_BYTES + 1, true)).toEqual({ code: 'FILE_TOO_LARGE', param: 'file' })
  } finally {
    disk.holdsFiles = false
  }
})

test('a declared length that no allowed file explains is refused before anything is stored', async () => {
  expect(await send(MAX_FILE_BYTES + 1_048_577, false)).toEqual({ code: 'FILE_TOO_LARGE', param: 'file' })
  expect(existsSync(uploads)).toBe(false)
})

test('a file that the disk has no room for is refused before anything is stored where its length is declared, else as it comes', async () => {
  disk.roomBytes = 1_200_000
  try {
    expect(await send(2_000_000, false)).toEqual({ code: 'INSUFFICIENT_STORAGE' })
    expect(existsSync(uploads)).toBe(false)
    expect(await send(MAX_FILE_BYTES, true)).toEqual({ code: 'INSUFFICIENT_STORAGE' })
    expect(readdirSync(uploads)).toEqual([])
    expect(await send(1_000_000, false)).toMatchObject({ sizeBytes: 1_000_000 })
    expect(await send(1_000_000, true)).toMatchObject({ sizeBytes: 1_000_000 })
  } finally {
    disk.roomBytes = Number.POSITIVE_INFINITY
  }
})
