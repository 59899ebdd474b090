import { connect } from 'node:net'
import Value from 'typebox/value'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ErrorEnvelope } from '../../../src-contract/errors.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { masterForm, type Service, startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { seededRandom } from '../../support/sounds.ts'

const SEED = 20_260
/** A tenth of a campaign; `npm run campaign` sets the whole number. */
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 1000)

let service: Service
let key: string
beforeAll(async () => {
  service = await startService({ forkEngine: createHeldEngine({ answersLooks: true }).fork })
  key = await service.newKey()
})
afterAll(() => service.stop())

const bipolar = seededRandom(SEED)
const random = () => Math.min(0.999_999, Math.abs(bipolar()))
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
const upTo = (count: number) => Math.floor(random() * (count + 1))
const bytes = (length: number) => Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)))

/**
 * Sends bytes, ends its side unless the request is whole, and resolves with what came back; undefined when the connection just
 * closed.
 */
function exchange(request: Buffer): Promise<{ status: number; body: string } | undefined> {
  return new Promise((resolve, reject) => {
    const length = Number(/\r\nContent-Length: (\d+)\r\n(?!Content-Length)/.exec(request.toString('latin1'))?.[1])
    const isWhole = request.length - request.indexOf('\r\n\r\n') - 4 === length
    const socket = connect(service.port, '127.0.0.1', () => (isWhole ? socket.write(request) : socket.end(request)))
    socket.setTimeout(25_000, () => reject(new Error(`no answer to ${request.toString('latin1').slice(0, 1000)}`)))
    let answered = ''
    socket.on('data', (chunk) => {
      answered += chunk
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      const [head = '', ...rest] = answered.replace(/^(HTTP\/1\.1 100 Continue\r\n\r\n)+/, '').split('\r\n\r\n')
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
      resolve(head === '' ? undefined : { status, body: rest.join('\r\n\r\n') })
    })
  })
}

const PIECES = [
  '--b\r\n',
  '--b--\r\n',
  '\r\n',
  '--b',
  'Content-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n',
  'Content-Disposition: form-data; name="platforms"\r\n\r\nspotify',
  'Content-Disposition: form-data; name="platforms"\r\n\r\n',
  'Content-Disposition: form-data; name="__proto__"\r\n\r\nx',
  'Content-Disposition: form-data\r\n\r\n',
  'Content-Disposition:',
  'Content-Disposition: form-data; name="reference_file"; filename*=UTF-8\'\'%ff%fe\r\n\r\n',
  'Content-Type: audio/wav\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'RIFF',
  '\0',
  'x'.repeat(5000),
  'Content-Disposition: form-data; name="webhook_url"\r\n\r\nhttp://0/',
]

function hostileBody(): Buffer {
  if (random() < 0.1) return bytes(upTo(2000))
  return Buffer.concat(
    Array.from({ length: upTo(12) }, () => (random() < 0.15 ? bytes(upTo(300)) : Buffer.from(pick(PIECES)))),
  )
}

function hostileRequest(): Buffer {
  const body = hostileBody()
  const method = pick(['POST', 'POST', 'POST', 'POST', 'GET', 'PUT', 'BREW', 'post'])
  const address = pick([
    '/api/v1/master',
    '/api/v1/master',
    '/api/v1/master',
    '/api/v1/analyze',
    '/app/sources',
    '/api/v1/jobs?limit=%zz',
    '//',
    '/api/v1/jobs/%2e%2e',
    '*',
  ])
  const type = pick([
    'multipart/form-data; boundary=b',
    'multipart/form-data; boundary=b',
    'multipart/form-data',
    'multipart/form-data; boundary="',
    `multipart/form-data; boundary=${'b'.repeat(300)}`,
    'application/json',
    'x',
  ])
  const length = pick([
    `Content-Length: ${body.length}`,
    `Content-Length: ${body.length}`,
    `Content-Length: ${body.length + 10}`,
    'Content-Length: -1',
    'Transfer-Encoding: chunked',
    'Content-Length: 5\r\nContent-Length: 6',
  ])
  const credential = pick([
    key,
    service.sessionCredential,
    service.sessionCredential,
    service.sessionCredential,
    'ams_live_',
    '\u0001',
  ])
  const head = [
    `${method} ${address} ${pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/9.9'])}`,
    `Host: 127.0.0.1:${service.port}`,
    `Authorization: Bearer ${credential}`,
    `Content-Type: ${type}`,
    length,
    `Idempotency-Key: ${pick(['a', '', 'x'.repeat(300), 'b'])}`,
    'Connection: close',
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(head, 'latin1'), body])
}

test(`${ROUNDS} hostile requests (seed ${SEED}): each ends in an envelope or a closed connection, and nothing is left on the disk`, async () => {
  let answers = 0
  for (let round = 0; round < ROUNDS; round++) {
    const answer = await exchange(hostileRequest())
    if (!answer) continue
    answers++
    if (answer.status < 400) continue
    const body: unknown = JSON.parse(answer.body)
    if (!Value.Check(ErrorEnvelope, body))
      throw new Error(`round ${round}: ${answer.status} ${answer.body.slice(0, 200)}`)
    if (answer.status >= 500) throw new Error(`round ${round}: ${answer.body}`)
  }
  expect(answers).toBeGreaterThan(ROUNDS / 2)
  await expect.poll(() => service.temporary()).toEqual([])
  expect((await service.get('/healthz')).status).toBe(200)
})

test('200 clients at once are all answered', async () => {
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) => service.get(index % 2 ? '/api/v1/account' : '/api/v1/jobs')),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
})

test('10 uploads at once: as many jobs as slots, the others refused, and nothing is left over', async () => {
  const file = new Blob([new Uint8Array(wavSong({ seconds: 1.5 }))])
  await service.patch('/app/account', { plan: 'pro' })
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => service.call('POST', '/api/v1/master', { body: masterForm({ file }) })),
  )
  expect(answers.filter(({ status }) => status === 201).length).toBe(5)
  expect(new Set(answers.filter(({ status }) => status !== 201).map(({ body }) => body.error.code))).toEqual(
    new Set(['CONCURRENT_LIMIT']),
  )
  expect(service.temporary()).toEqual([])
  expect((await service.get('/api/v1/account')).body.credits).toBe(495)
})
