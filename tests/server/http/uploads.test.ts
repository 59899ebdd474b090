import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, openAsBlob, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { whereInstalled } from '../../support/programs.ts'
import { masterForm, type Service, startService } from '../../support/service.ts'
import { wavOfSize } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const LIMIT = 52_428_800
const run = promisify(execFile)
const folder = temporaryFolder()
const exact = path.join(folder, 'exact.wav')
const over = path.join(folder, 'over.wav')
const far = path.join(folder, 'far.wav')
let service: Service
let key: string

beforeAll(async () => {
  writeFileSync(exact, wavOfSize(LIMIT))
  writeFileSync(over, wavOfSize(LIMIT + 1))
  writeFileSync(far, wavOfSize(2 * LIMIT))
  service = await startService({ forkEngine: createHeldEngine().fork })
  key = await service.newKey()
})
afterAll(() => service.stop())

const PYTHON = `
import json, sys, urllib.request, urllib.error
url, key, file = sys.argv[1:4]
mark = 'xxBOUNDARYxx'
body = (f'--{mark}\\r\\nContent-Disposition: form-data; name="platforms"\\r\\n\\r\\nspotify\\r\\n'
        f'--{mark}\\r\\nContent-Disposition: form-data; name="file"; filename="a.wav"\\r\\nContent-Type: audio/wav\\r\\n\\r\\n').encode()
body += open(file, 'rb').read() + f'\\r\\n--{mark}--\\r\\n'.encode()
request = urllib.request.Request(url, data=body, headers={'Authorization': 'Bearer ' + key, 'Content-Type': 'multipart/form-data; boundary=' + mark})
try:
    answer = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    answer = error
print(json.dumps([answer.status, json.load(answer)]))
`

type Sent = [status: number, body: { error?: { code: string } }]

const PROGRAMS: Record<string, string> = { curl: 'curl', 'Python urllib': 'python3', 'Node fetch': process.execPath }

const clients: Record<string, (file: string, credential: string) => Promise<Sent>> = {
  async curl(file, credential) {
    const { stdout } = await run('curl', [
      ...['-s', '-w', '\n%{http_code}', '-H', `Authorization: Bearer ${credential}`, '-F', 'platforms=spotify'],
      ...['-F', `file=@${file}`, `${service.baseUrl}/api/v1/master`],
    ])
    const [body = '', status] = stdout.split('\n')
    return [Number(status), JSON.parse(body)]
  },
  async 'Python urllib'(file, credential) {
    const { stdout } = await run('python3', ['-c', PYTHON, `${service.baseUrl}/api/v1/master`, credential, file])
    return JSON.parse(stdout)
  },
  async 'Node fetch'(file, credential) {
    const { status, body } = await service.master({ file: await openAsBlob(file) }, { credential })
    return [status, body]
  },
}

async function credits(): Promise<number> {
  return (await service.get('/api/v1/account')).body.credits
}

const INSTALLED = whereInstalled(Object.keys(clients), (name) => PROGRAMS[name] ?? name)

describe.each(INSTALLED)('an upload by %s', (name) => {
  const send = clients[name] as (typeof clients)[string]
  // These bodies of 50 MB are sent by one client, and by all in npm run campaign; clients.test.ts tries every client.
  const isTold = (place: number) => IS_CAMPAIGN || name === INSTALLED.at(place)

  test.runIf(isTold(0))(
    'of one byte more than 50 MB is answered 400 FILE_TOO_LARGE, readable, with nothing left and nothing charged (spec 7)',
    async () => {
      const before = await credits()
      const [status, { error }] = await send(over, key)
      expect([status, error?.code]).toEqual([400, 'FILE_TOO_LARGE'])
      expect(service.temporary()).toEqual([])
      expect(await credits()).toBe(before)
    },
  )

  test('far over the limit is still answered readably while the client is sending', async () => {
    const [status, { error }] = await send(far, key)
    expect([status, error?.code]).toEqual([400, 'FILE_TOO_LARGE'])
    expect(service.temporary()).toEqual([])
  })

  test.runIf(isTold(-1))(
    'with a wrong key is answered 401 readably, though nobody wants its body (spec 5)',
    async () => {
      const [status, { error }] = await send(exact, 'ams_live_00000000000000000000000000000000')
      expect([status, error?.code]).toEqual([401, 'INVALID_API_KEY'])
      expect(service.temporary()).toEqual([])
    },
  )
})

test('a file of exactly 50 MB is accepted: the form around it does not count (contract 1)', async () => {
  const { status, body } = await service.master({ file: await openAsBlob(exact), title: 'x'.repeat(200) })
  expect([status, body.status]).toEqual([201, 'queued'])
  await service.call('DELETE', `/api/v1/jobs/${body.job_id}`)
})

test('FILE_TOO_LARGE comes before every complaint about the fields (contract 1)', async () => {
  const { body } = await service.master({ file: await openAsBlob(over), platforms: 'nowhere', genre: 'rock' })
  expect(body.error.code).toBe('FILE_TOO_LARGE')
})

/** Speaks HTTP by hand: sends `text`, then does what `then` says, and resolves with all that was answered. */
function speak(text: string, then: (socket: ReturnType<typeof connect>) => void = () => {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => {
      socket.write(text)
      then(socket)
    })
    let answered = ''
    socket.on('data', (chunk) => {
      answered += chunk
    })
    socket.on('close', () => resolve(answered))
    socket.on('error', reject)
  })
}

const head = (lines: string[]) =>
  [
    `POST /api/v1/master HTTP/1.1`,
    `Host: 127.0.0.1:${service.port}`,
    `Authorization: Bearer ${key}`,
    ...lines,
    '',
    '',
  ].join('\r\n')
const multipart = 'Content-Type: multipart/form-data; boundary=b'

test('a client that waits to be asked for its body is refused without having to send it, and asked when it is welcome', async () => {
  const waiting = [multipart, 'Content-Length: 40000000', 'Expect: 100-continue']
  const stranger = head(waiting).replace(key, 'ams_live_wrong')
  const refused = await speak(stranger)
  expect(refused).toMatch(/^HTTP\/1\.1 401 /)
  expect(refused).toContain('"code":"INVALID_API_KEY"')
  const huge = head([multipart, 'Content-Length: 400000000', 'Expect: 100-continue'])
  expect(await speak(huge)).toContain('"code":"FILE_TOO_LARGE"')

  const body = 'hello'
  const asked = head([multipart, `Content-Length: ${body.length}`, 'Expect: 100-continue', 'Connection: close'])
  const answered = await speak(asked, (socket) => void socket.once('data', () => socket.write(body)))
  expect(answered).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /)

  // One that does not wait after all is read to its end, and finds its answer there.
  const impatient = await speak(stranger.replace('40000000', '4000000'), (socket) => {
    socket.write(Buffer.alloc(1_000_000))
    setTimeout(() => socket.write(Buffer.alloc(3_000_000)), 400)
  })
  expect(impatient).toMatch(/^HTTP\/1\.1 401 /)
})

test('a client that goes away in the middle of a file leaves nothing behind', async () => {
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
  let goAway = () => {}
  const sent = speak(`${head([multipart, 'Content-Length: 9000000'])}${part}${'x'.repeat(500_000)}`, (socket) => {
    goAway = () => void socket.destroy()
  })
  await expect.poll(() => service.temporary().length).toBe(1)
  goAway()
  await sent
  await expect.poll(() => service.temporary()).toEqual([])
})

test('a client whose end arrives together with its request leaves nothing behind', async () => {
  const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF'
  const requests = ['Content-Length: 9000', `Content-Length: ${part.length}`, 'Transfer-Encoding: chunked'].flatMap(
    (length) =>
      Array.from({ length: 10 }, () =>
        speak('', (socket) => socket.end(`${head([multipart, length])}${part}`)).catch(() => ''),
      ),
  )
  await Promise.all(requests)
  await expect.poll(() => service.temporary()).toEqual([])
})

test('a second request with the Idempotency-Key of one that is still being sent is told so (contract 3)', async () => {
  let goAway = () => {}
  const slow = speak(`${head([multipart, 'Content-Length: 900', 'Idempotency-Key: slow'])}--b\r\n`, (socket) => {
    goAway = () => void socket.destroy()
  })
  await expect.poll(() => service.temporary().length).toBe(1)
  const { status, body } = await service.master({}, { credential: key, headers: { 'idempotency-key': 'slow' } })
  expect([status, body.error.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  goAway()
  await slow
})

test('a request waits for no other with its Idempotency-Key that has gone meanwhile', async () => {
  let goAway = () => {}
  const gone = speak(`${head([multipart, 'Content-Length: 900', 'Idempotency-Key: left'])}--b\r\n`, (socket) => {
    goAway = () => void socket.destroy()
  })
  await expect.poll(() => service.temporary().length).toBe(1)
  const upload = new Response(masterForm())
  const bytes = new Uint8Array(await upload.clone().arrayBuffer())
  const body = new ReadableStream({
    async start(stream) {
      stream.enqueue(bytes.subarray(0, 1000))
      await expect.poll(() => service.temporary().length).toBe(2)
      goAway()
      await gone
      await expect.poll(() => service.temporary().length).toBe(1)
      stream.enqueue(bytes.subarray(1000))
      stream.close()
    },
  })
  const headers = { 'content-type': upload.headers.get('content-type') ?? '', 'idempotency-key': 'left' }
  const init = { body, headers, credential: key, duplex: 'half' }
  const { status, body: job } = await service.call('POST', '/api/v1/master', init)
  expect(status).toBe(201)
  await service.call('DELETE', `/api/v1/jobs/${job.job_id}`)
})

test.each([
  ['without a boundary', 'Content-Type: multipart/form-data', ''],
  [
    'that ends before its last boundary',
    multipart,
    '--b\r\nContent-Disposition: form-data; name="platforms"\r\n\r\nspotify',
  ],
  ['that is not multipart at all', multipart, 'hello'],
  ['that is empty', multipart, ''],
])('a multipart body %s is answered 400 INVALID_REQUEST', async (_name, type, body) => {
  const answered = await speak(`${head([type, `Content-Length: ${body.length}`, 'Connection: close'])}${body}`)
  expect(answered).toMatch(/^HTTP\/1\.1 400 /)
  expect(answered).toContain('"code":"INVALID_REQUEST"')
  expect(service.temporary()).toEqual([])
})

test.each(['file', 'reference_file'])(
  'a %s that comes without a file name, as a text of any size, is told how to be sent',
  async (field) => {
    for (const text of ['RIFF', 'RIFF'.repeat(100_000)]) {
      const { status, body } = await service.master({ [field]: text })
      expect([status, body.error.code, body.error.param]).toEqual([400, 'INVALID_REQUEST', field])
      expect(body.error.message).toContain(`Send it as a file part named "${field}"`)
    }
    expect(service.temporary()).toEqual([])
  },
)

test('more text than a form has room for is refused', async () => {
  expect((await service.master({ title: 'x'.repeat(70_000) })).body.error.code).toBe('INVALID_REQUEST')
  const many = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`field${index}`, 'x']))
  expect((await service.master(many)).body.error.code).toBe('INVALID_REQUEST')
})

test('uploads of a run that died are swept at the next start, and nothing that is none', async () => {
  const first = await startService({ keepsData: true, forkEngine: createHeldEngine().fork })
  await first.stop()
  const upload = path.join(first.dataDir, 'tmp', '0b4c3f9e-52d0-4d67-8a35-0f6f6f6f6f60')
  mkdirSync(upload)
  writeFileSync(path.join(upload, 'file'), 'x')
  const stray = path.join(first.dataDir, 'tmp', 'stray')
  writeFileSync(stray, 'x')
  const second = await startService({ dataDir: first.dataDir, forkEngine: createHeldEngine().fork })
  await expect.poll(() => existsSync(upload)).toBe(false)
  expect(existsSync(stray)).toBe(true)
  await second.stop()
})

test('a body of more than 1 GiB for the app is answered 400 FILE_TOO_LARGE, readable before it is sent or at its end (in npm run campaign), and nothing of it is stored', async () => {
  const GIB = 1_073_741_824
  const room = 1_048_576
  const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\nRIFF'
  const request = (sizeBytes: number, ...more: string[]) =>
    [
      `POST /app/sources HTTP/1.1`,
      `Host: 127.0.0.1:${service.port}`,
      `Authorization: Bearer ${service.sessionCredential}`,
      multipart,
      `Content-Length: ${sizeBytes}`,
      ...more,
      '',
      start,
    ].join('\r\n')

  let goAway = () => {}
  const largest = speak(request(GIB + room), (socket) => {
    goAway = () => void socket.destroy()
  })
  await expect.poll(() => service.temporary().length).toBe(1)
  goAway()
  await largest
  await expect.poll(() => service.temporary()).toEqual([])

  const expectTooLarge = (answered: string) => {
    expect(answered).toMatch(/^HTTP\/1\.1 400 /)
    expect(answered).toContain('"code":"FILE_TOO_LARGE"')
    expect(answered).toContain('1024 MB')
  }
  const [headOnly = ''] = request(GIB + room + 1, 'Expect: 100-continue').split(start)
  expectTooLarge(await speak(headOnly))
  expect(service.temporary()).toEqual([])
  if (!IS_CAMPAIGN) return

  const seen = new Set<string>()
  const chunk = Buffer.alloc(4_194_304)
  const answered = await speak('', (socket) => {
    let left = GIB + room + 1 - start.length
    const more = () => {
      for (const name of service.temporary()) seen.add(name)
      while (left > 0) {
        const piece = chunk.subarray(0, Math.min(left, chunk.length))
        left -= piece.length
        if (!socket.write(piece)) return
      }
    }
    socket.on('drain', more).on('data', () => socket.end())
    socket.write(request(GIB + room + 1))
    more()
  })
  expectTooLarge(answered)
  expect([...seen]).toEqual([])
})
