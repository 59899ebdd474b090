/** Clients that write HTTP by hand, or differently from most: whole bytes on a real socket. */

import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { AppError } from '../../../src-server/http/app-error.ts'
import { bodyChunks } from '../../../src-server/http/body.ts'
import { createFakeClock, type FakeClock, settle } from '../../support/fake-clock.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'

const engine = createHeldEngine()
let service: Service
beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
})
afterAll(() => service.stop())

const song = Buffer.concat([
  Buffer.from('--b\r\nContent-Disposition: form-data; name="platforms"\r\n\r\nspotify\r\n'),
  Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
  wavSong(),
  Buffer.from('\r\n--b--\r\n'),
])

/** The head of a request with a body. */
function head(line: string, lengthBytes: number, more: readonly string[] = []): Buffer {
  return Buffer.from(
    [
      `${line} HTTP/1.1`,
      `Host: 127.0.0.1:${service.port}`,
      `Authorization: Bearer ${service.sessionCredential}`,
      `Content-Length: ${lengthBytes}`,
      ...more,
      '',
      '',
    ].join('\r\n'),
  )
}
const form = 'Content-Type: multipart/form-data; boundary=b'

interface Said {
  readonly status: number
  readonly head: string
  // biome-ignore lint/suspicious/noExplicitAny: what a client gets is only known once it is looked at.
  readonly body: any
}

/** Sends bytes, does what `then` says, and reads one answer of a declared length. */
function speak(bytes: Buffer, then: (socket: Socket) => void = () => {}): Promise<Said> {
  return new Promise((resolve, reject) => {
    let answered = Buffer.alloc(0)
    const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(bytes)
      then(socket)
    })
    socket.on('data', (chunk: Buffer) => {
      answered = Buffer.concat([answered, chunk])
      const text = answered.toString('utf8')
      // Informational answers come first.
      const last = text.slice(text.search(/HTTP\/1\.1 [2-5]/))
      const [headText = '', body] = last.split('\r\n\r\n')
      if (body === undefined || Buffer.byteLength(body) < Number(/content-length: (\d+)/i.exec(headText)?.[1])) return
      resolve({
        status: Number(headText.split(' ')[1]),
        head: headText,
        body: body === '' ? undefined : JSON.parse(body),
      })
      socket.destroy()
    })
    socket.on('error', reject).on('close', () => reject(new Error(`no answer: ${answered}`)))
  })
}

test('white space after the boundaries of a form, a preamble and an epilogue are no part of it (RFC 2046 section 5.1.1)', async () => {
  const padded = Buffer.from(song.toString('latin1').replaceAll('--b\r\n', '--b \t\r\n'), 'latin1')
  const body = Buffer.concat([Buffer.from('A preamble.\r\n'), padded, Buffer.from('An epilogue.\r\n--b\r\n')])
  const { status } = await speak(Buffer.concat([head('POST /api/v1/master', body.length, [form]), body]))
  expect(status).toBe(201)
})

test('a form of bare line feeds is read, and the song in it is the same bytes', async () => {
  const lines = (text: string) => Buffer.from(text.replaceAll('\r\n', '\n'))
  const body = Buffer.concat([
    lines('--b\r\nContent-Disposition: form-data; name="platforms"\r\n\r\nspotify\r\n'),
    lines('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
    wavSong(),
    lines('\r\n--b--\r\n'),
  ])
  const sent = (bytes: Buffer) => speak(Buffer.concat([head('POST /api/v1/master', bytes.length, [form]), bytes]))
  const jobs = [await sent(body), await sent(song)].map((answer) => service.job(answer.body.job_id))
  const [bare, whole] = await Promise.all(jobs)
  expect(bare?.source_sha256).toBe(whole?.source_sha256)
})

describe('a compressed body is 415, says so, and says what would be taken', () => {
  test.each([
    ['POST /api/v1/master', form, 'Content-Encoding: gzip'],
    ['POST /api/v1/analyze', form, 'Content-Encoding: br'],
    ['POST /app/sources', form, 'Content-Encoding: GZIP'],
    ['POST /api/v1/webhooks', 'Content-Type: application/json', 'Content-Encoding: gzip'],
  ])('%s', async (line, type, encoding) => {
    const body = gzipSync(song)
    const said = await speak(Buffer.concat([head(line, body.length, [type, encoding]), body]))
    expect([said.status, said.body.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect(said.body.error.message).toContain(encoding.split(' ')[1]?.toLowerCase())
    expect(said.body.error.message).toContain('Content-Encoding')
    expect(said.head).toMatch(/^accept-encoding: identity\r?$/im)
  })

  test('and so is a part that is compressed by itself', async () => {
    const packed = gzipSync(wavSong())
    const body = Buffer.concat([
      Buffer.from(
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Encoding: gzip\r\n\r\n',
      ),
      packed,
      Buffer.from('\r\n--b--\r\n'),
    ])
    const said = await speak(Buffer.concat([head('POST /api/v1/master', body.length, [form]), body]))
    expect([said.status, said.body.error.param]).toEqual([415, 'file'])
    expect(said.body.error.message).toContain('gzip')
  })

  test('“identity” is no compression', async () => {
    const said = await speak(
      Buffer.concat([head('POST /api/v1/master', song.length, [form, 'Content-Encoding: identity']), song]),
    )
    expect(said.status).toBe(201)
  })
})

describe('a client that closes its side after its request gets its answer', () => {
  test.each([
    ['a short one', () => head('GET /api/v1/account', 0), 200],
    ['one that takes a while', () => Buffer.concat([head('POST /api/v1/master', song.length, [form]), song]), 201],
    ['a refusal', () => head('GET /api/v1/jobs/nobody', 0), 404],
  ])('%s', async (_what, request, status) => {
    expect((await speak(request(), (socket) => socket.end())).status).toBe(status)
  })

  const look = () => Buffer.concat([head('POST /api/v1/analyze', song.length, [form]), song])
  const looks = () => engine.processes.filter(({ isAnalysis }) => isAnalysis)

  test('one that waits for long is asked meanwhile whether it is still there', async () => {
    const before = looks().length
    const asked = Promise.withResolvers<void>()
    const answered = speak(look(), (socket) => {
      socket.end()
      socket.once('data', (chunk) => {
        expect(String(chunk)).toMatch(/^HTTP\/1\.1 102 /)
        asked.resolve()
      })
    })
    await asked.promise
    looks()[before]?.finish()
    expect((await answered).status).toBe(200)
  })

  test('one that has gone altogether is worked for no longer', async () => {
    const before = looks().length
    const socket = connect(service.port, '127.0.0.1', () => socket.write(look()))
    await expect.poll(() => looks().length).toBe(before + 1)
    socket.destroy()
    await expect.poll(() => looks()[before]?.isAborted).toBe(true)
  })

  test('one that has broken off its body is told so', async () => {
    const begun = Buffer.concat([head('POST /api/v1/master', song.length, [form]), song.subarray(0, 200)])
    const { status, body } = await speak(begun, (socket) => socket.end())
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })
})

test.each(['QUERY', 'PROPFIND', 'SEARCH', 'M-SEARCH', 'PURGE', 'TRACE', 'LOCK'])(
  'the method %s is 405 with what the address takes, with a body and without',
  async (method) => {
    for (const more of [[], ['Content-Type: application/json'], ['Content-Type: text/plain']]) {
      const body = Buffer.from(more.length === 0 ? '' : '{}')
      for (const [address, allow] of [
        ['/api/v1/master', 'POST'],
        ['/api/v1/jobs/x', 'DELETE, GET, HEAD'],
      ] as const) {
        const said = await speak(Buffer.concat([head(`${method} ${address}`, body.length, more), body]))
        expect([said.status, said.body.error.code]).toEqual([405, 'METHOD_NOT_ALLOWED'])
        expect(said.head).toMatch(new RegExp(`^allow: ${allow}\\r?$`, 'im'))
      }
      const unknown = await speak(Buffer.concat([head(`${method} /nowhere`, body.length, more), body]))
      expect([unknown.status, unknown.body.error.code]).toEqual([404, 'NOT_FOUND'])
    }
  },
)

/** Does `step` again and again until the connection is closed. */
async function untilClosed(socket: Socket, step: () => Promise<void>): Promise<void> {
  while (!socket.closed) {
    await step()
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

describe('a body that stops coming', () => {
  /** Reads a body by a clock that is moved by hand, and tells how that ended. */
  async function reading() {
    const clock = createFakeClock()
    const ended = Promise.withResolvers<string>()
    let sizeBytes = 0
    const server = createHttpServer(async (request, response) => {
      const signal = new AbortController().signal
      try {
        for await (const chunk of bodyChunks(request, { clock, signal })) sizeBytes += chunk.length
        ended.resolve(`read ${sizeBytes}`)
      } catch (error) {
        ended.resolve((error as AppError).code)
      }
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => {})
    onTestFinished(() => {
      socket.destroy()
      server.close()
    })
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n')
    const send = async (bytes: number) => {
      const before = sizeBytes
      socket.write(Buffer.alloc(bytes))
      while (sizeBytes < before + bytes) await settle()
    }
    return { clock, ended: ended.promise, send }
  }
  const stillReads = async (ended: Promise<string>) => Promise.race([ended, settle(20).then(() => 'reads on')])

  test('is given up after half a minute in which less than 16 KiB came', async () => {
    const { clock, ended, send } = await reading()
    await send(1)
    await clock.advance(29_000)
    expect(await stillReads(ended)).toBe('reads on')
    // A byte now and then is no progress.
    await send(1)
    await clock.advance(1000)
    expect(await ended).toBe('REQUEST_TIMEOUT')
  })

  test('may take as long as it likes while 16 KiB come in each half minute', async () => {
    const { clock, ended, send } = await reading()
    for (let step = 0; step < 6; step++) {
      await send(16_384)
      await clock.advance(29_000)
      expect(await stillReads(ended)).toBe('reads on')
    }
    await send(100_000 - 6 * 16_384)
    expect(await ended).toBe('read 100000')
  })

  test('is answered 408 at once, in the envelope, and its connection is closed', async () => {
    const clock: FakeClock = createFakeClock(Date.now())
    const slow = await startService({ forkEngine: createHeldEngine().fork, clock })
    try {
      for (const [line, type] of [
        ['POST /api/v1/master', form],
        ['POST /app/sources', form],
        ['POST /api/v1/webhooks', 'Content-Type: application/json'],
      ] as const) {
        const request = [
          `${line} HTTP/1.1`,
          `Host: 127.0.0.1:${slow.port}`,
          `Authorization: Bearer ${slow.sessionCredential}`,
          'Content-Length: 900',
          'Expect: 100-continue',
          type,
          '',
          '',
        ].join('\r\n')
        const answered = await new Promise<string>((resolve, reject) => {
          let text = ''
          const socket = connect(slow.port, '127.0.0.1', () => socket.write(request))
          socket.on('data', (chunk) => {
            const isFirst = text === ''
            text += chunk
            // It has asked for the body, and begins to wait for it in a moment.
            if (isFirst) void untilClosed(socket, () => clock.advance(30_000))
          })
          socket.on('close', () => resolve(text)).on('error', reject)
        })
        expect(answered).toMatch(/^HTTP\/1\.1 100 .*HTTP\/1\.1 408 .*connection: close.*"code":"REQUEST_TIMEOUT"/is)
      }
      expect(slow.temporary()).toEqual([])
    } finally {
      await slow.stop()
    }
  })
})
