import { spawn } from 'node:child_process'
import net from 'node:net'
import path from 'node:path'
import tls from 'node:tls'
import { queryObjects } from 'node:v8'
import { expect, onTestFinished, test } from 'vitest'
import { AppError } from '../../../src-server/http/app-error.ts'
import { MAX_ATTEMPTS, retryAfterMs, waitAfter } from '../../../src-server/notify/retry-schedule.ts'
import { isoTime } from '../../../src-system/system.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import {
  completed,
  createTestNotify,
  eventually,
  isSigned,
  JOB_ID,
  newDatabaseFile,
  OWN_PORT,
  type Received,
  startReceiver,
  TLS,
} from './fixture.ts'

function happen(notify: ReturnType<typeof createTestNotify>['notify'], newEvent: Parameters<typeof notify.record>[0]) {
  notify.record(newEvent)
  notify.committed()
}

test('a job with a webhook_url is told of by POST: exactly the four members, signed with the job secret', async () => {
  const { notify } = createTestNotify()
  const receiver = await startReceiver()
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await receiver.until(1)
  const [request] = receiver.received as [Received]
  expect([request.method, request.url, request.headers['content-type']]).toEqual(['POST', '/hook', 'application/json'])
  expect(request.body).toBe(
    `{"event":"job.completed","job_id":"${JOB_ID}","status":"done","download_url":"http://127.0.0.1:${OWN_PORT}/api/v1/jobs/${JOB_ID}/download"}`,
  )
  expect(isSigned(request, notify.webhooks.jobSecret())).toBe(true)
  expect(Math.abs(Number(request.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(5)
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
  expect(notify.deliveries.list({ limit: 1 })[0]).toMatchObject({ attempts: 1, last_status: 204, job_id: JOB_ID })
})

test('a failed job is told of with its reason', async () => {
  const { notify } = createTestNotify()
  const receiver = await startReceiver()
  notify.start()
  const body = { event: 'job.failed', job_id: JOB_ID, status: 'failed', error_message: '무음이에요.' } as const
  happen(notify, { event: 'job.failed', jobId: JOB_ID, body, webhookUrl: receiver.url })
  await receiver.until(1)
  expect(receiver.received[0]?.body).toBe(JSON.stringify(body))
  expect(isSigned(receiver.received[0], notify.webhooks.jobSecret())).toBe(true)
})

test('account webhooks and the job’s own address all fire, under one id, each with its own secret', async () => {
  const { notify } = createTestNotify()
  const [own, all, failures] = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  const webhook = notify.webhooks.create(all.url)
  notify.webhooks.create(failures.url, ['job.failed'])
  notify.start()
  happen(notify, { ...completed(), webhookUrl: own.url })
  await Promise.all([own.until(1), all.until(1)])
  expect(own.received[0]?.headers['webhook-id']).toBe(all.received[0]?.headers['webhook-id'])
  expect(own.received[0]?.body).toBe(all.received[0]?.body)
  expect(isSigned(all.received[0], webhook.secret)).toBe(true)
  expect(isSigned(own.received[0], webhook.secret)).toBe(false)
  await eventually(() => notify.deliveries.list({ limit: 9 }).every(({ state }) => state === 'delivered'))
  expect(notify.deliveries.list({ limit: 9 }).length).toBe(2)
  expect(failures.received.length).toBe(0)
  expect(notify.webhooks.list()[0]?.last_delivery_at).toBeDefined()
})

test('an event without a callback body goes to nobody', () => {
  const { notify } = createTestNotify()
  notify.webhooks.create('http://127.0.0.1:9/')
  happen(notify, { event: 'job.created', jobId: JOB_ID })
  expect(notify.deliveries.list({ limit: 9 })).toEqual([])
})

test('the event, its deliveries and the change that caused them are one transaction', () => {
  const { notify, db } = createTestNotify()
  const change = db.transaction(() => {
    notify.record({ ...completed(), webhookUrl: 'http://127.0.0.1:9/' })
    throw new Error('the change failed')
  })
  expect(change).toThrow('the change failed')
  expect(notify.deliveries.list({ limit: 9 })).toEqual([])
  expect(db.prepare('SELECT count(*) FROM events').pluck().get()).toBe(0)
})

test('a job ends once: a second end is refused by the database', () => {
  const { notify } = createTestNotify()
  notify.record(completed())
  expect(() => notify.record(completed())).toThrow(/UNIQUE/)
})

test('attempts come at 0, 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h, with the same id and bytes and new times, then no more', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  const start = clock.now()
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await receiver.until(1)
  const attempts = () => notify.deliveries.list({ limit: 1 })[0]
  const offsets = [0]
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    await eventually(() => attempts()?.attempts === attempt)
    const next = Date.parse(attempts()?.next_attempt_at ?? '') - clock.now()
    await clock.advance(next - 1)
    expect(receiver.received.length).toBe(attempt)
    await clock.advance(1)
    await receiver.until(attempt + 1)
    offsets.push((clock.now() - start) / 1000)
  }
  await eventually(() => attempts()?.state === 'failed')
  const planned = [0, 5, 30, 120, 600, 3600, 21_600, 86_400]
  expect(offsets.length).toBe(planned.length)
  for (const [index, offset] of offsets.entries()) {
    expect(offset).toBeGreaterThanOrEqual(planned[index] ?? 0)
    expect(offset).toBeLessThanOrEqual((planned[index] ?? 0) * 1.1 + 0.01)
  }
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(MAX_ATTEMPTS)
  const secret = notify.webhooks.jobSecret()
  expect(receiver.received.every((request) => isSigned(request, secret))).toBe(true)
  const last_attempt_at = isoTime(clock.now())
  await clock.advance(7 * 86_400_000)
  expect(receiver.received.length).toBe(MAX_ATTEMPTS)
  expect(attempts()).toMatchObject({ attempts: MAX_ATTEMPTS, last_status: 500, last_attempt_at })
  expect(attempts()?.next_attempt_at).toBeUndefined()
})

test.each([200, 201, 202, 204, 299])('a receiver that answers %i has taken it', async (status) => {
  const { notify } = createTestNotify()
  const receiver = await startReceiver((response) => response.writeHead(status).end())
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
})

test.each([300, 301, 302, 307, 400, 404, 429, 500, 503])(
  'a receiver that answers %i is asked again',
  async (status) => {
    const { notify } = createTestNotify()
    const elsewhere = await startReceiver()
    const receiver = await startReceiver((response) => response.writeHead(status, { location: elsewhere.url }).end())
    notify.start()
    happen(notify, { ...completed(), webhookUrl: receiver.url })
    await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
    expect(notify.deliveries.list({ limit: 1 })[0]).toMatchObject({ state: 'pending', last_status: status })
    expect(elsewhere.received.length).toBe(0)
  },
)

test('410 stops: the webhook is gone, what waits for it ends, and nothing is sent there again', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  let status = 500
  const receiver = await startReceiver((response) => response.writeHead(status).end())
  notify.webhooks.create(receiver.url)
  notify.start()
  happen(notify, completed())
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  status = 410
  happen(notify, completed('0191f3a0-1111-4222-8333-000000000002'))
  await eventually(() => notify.deliveries.list({ limit: 9 }).every(({ state }) => state === 'failed'))
  expect(notify.webhooks.list()[0]?.state).toBe('gone')
  // Its own attempt got the 410; the other was stopped.
  expect(notify.deliveries.list({ limit: 9 }).map(({ stop_reason }) => stop_reason)).toEqual([
    undefined,
    'receiver_gone',
  ])
  happen(notify, completed('0191f3a0-1111-4222-8333-000000000003'))
  await clock.advance(86_400_000)
  expect(receiver.received.length).toBe(2)
})

test('a receiver that is gone is back as soon as it takes a test, and only then', async () => {
  const { notify } = createTestNotify({ clock: createFakeClock() })
  let status = 410
  const receiver = await startReceiver((response) => response.writeHead(status).end())
  const { webhook_id } = notify.webhooks.create(receiver.url)
  const state = () => notify.webhooks.list()[0]?.state
  notify.start()
  happen(notify, completed())
  await eventually(() => state() === 'gone')
  expect((await notify.test(webhook_id)).state).toBe('failed')
  status = 500
  await notify.test(webhook_id)
  status = 204
  const [delivery] = notify.deliveries.list({ limit: 9 }).filter(({ event }) => event === 'job.completed')
  notify.redeliver(delivery?.delivery_id ?? '')
  await eventually(() => notify.deliveries.find(delivery?.delivery_id ?? '').state === 'delivered')
  expect(state()).toBe('gone')
  expect((await notify.test(webhook_id)).state).toBe('delivered')
  expect(state()).toBe('active')
  const before = receiver.received.length
  happen(notify, completed('0191f3a0-1111-4222-8333-000000000002'))
  await receiver.until(before + 1)
})

test('a receiver that takes a test stays gone while the plan has no room for it', async () => {
  const { notify, world } = createTestNotify({ clock: createFakeClock() })
  world.plan = 'pro'
  let status = 410
  const receiver = await startReceiver((response) => response.writeHead(status).end())
  const { webhook_id } = notify.webhooks.create(receiver.url)
  await notify.test(webhook_id)
  for (const port of [1, 2, 3]) notify.webhooks.create(`http://127.0.0.1:9/${port}`)
  status = 204
  expect((await notify.test(webhook_id)).state).toBe('delivered')
  const states = () => notify.webhooks.list().map(({ state }) => state)
  expect(states()).toEqual(['gone', 'active', 'active', 'active'])
  notify.webhooks.remove(notify.webhooks.list()[1]?.webhook_id ?? '')
  await notify.test(webhook_id)
  expect(states()).toEqual(['active', 'active', 'active'])
})

test('Retry-After in seconds or as a date is honoured when it asks for longer than the schedule', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  const receiver = await startReceiver((response) => response.writeHead(503, { 'retry-after': '120' }).end())
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  await clock.advance(119_000)
  expect(receiver.received.length).toBe(1)
  await clock.advance(1000)
  await receiver.until(2)
  const now = Date.parse('Sun, 01 Mar 2026 12:00:00 GMT')
  expect(retryAfterMs('Sun, 01 Mar 2026 12:01:00 GMT', now)).toBe(60_000)
  expect(retryAfterMs('Sun, 01 Mar 2026 11:00:00 GMT', now)).toBe(0)
  for (const header of [undefined, '', 'soon', '-5', '1.5']) expect(retryAfterMs(header, now)).toBeUndefined()
  expect(waitAfter(1, 0, 10 ** 12)).toBe(86_400_000)
  expect(waitAfter(1, 0, 1000)).toBe(5000)
})

test('the schedule survives a restart, also of deliveries that became due meanwhile', async () => {
  const file = newDatabaseFile()
  const receiver = await startReceiver((response) => response.writeHead(receiver.received.length < 2 ? 500 : 204).end())
  const before = createTestNotify({ file, clock: createFakeClock() })
  before.notify.start()
  happen(before.notify, { ...completed(), webhookUrl: receiver.url })
  await eventually(() => before.notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  await before.notify.close()
  before.db.close()

  const after = createTestNotify({ file, clock: createFakeClock(1_772_366_400_000 + 3_600_000) })
  after.notify.start()
  await eventually(() => after.notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
  expect(receiver.received[0]?.headers['webhook-id']).toBe(receiver.received[1]?.headers['webhook-id'])
  expect(after.notify.deliveries.list({ limit: 1 })[0]?.attempts).toBe(2)
})

test('a stop in the middle of an attempt does not count it; it is made again at the next start', async () => {
  const file = newDatabaseFile()
  let isHanging = true
  let isBrokenOff = false
  const receiver = await startReceiver((response) => {
    if (!isHanging) response.writeHead(204).end()
    else
      response.on('close', () => {
        isBrokenOff = true
      })
  })
  // Without its time limit.
  const before = createTestNotify({ file, clock: createFakeClock() })
  before.notify.start()
  happen(before.notify, { ...completed(), webhookUrl: receiver.url })
  await receiver.until(1)
  await before.notify.close()
  expect(before.notify.deliveries.list({ limit: 1 })[0]).toMatchObject({ state: 'pending', attempts: 0 })
  before.db.close()
  await eventually(() => isBrokenOff)
  isHanging = false
  const after = createTestNotify({ file })
  after.notify.start()
  await eventually(() => after.notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
})

test('attempts leave nothing in memory, however they end', async () => {
  const receivers = await Promise.all([
    startReceiver(),
    startReceiver((response) => response.writeHead(500).end()),
    startReceiver((response) => response.destroy()),
  ])
  const { notify } = createTestNotify()
  const webhooks = receivers.map(({ url }) => notify.webhooks.create(url).webhook_id)
  const attempt = async (times: number) => {
    for (let i = 0; i < times; i++) await Promise.all(webhooks.map((webhookId) => notify.test(webhookId)))
  }
  await attempt(2)
  // Collects the garbage first.
  const signals = () => queryObjects(AbortSignal, { format: 'count' })
  const before = signals()
  await attempt(10)
  // Sockets close a moment after the answer.
  await expect.poll(() => signals() - before).toBeLessThan(5)
})

test('a process killed with −9 in the middle of an attempt loses nothing: the next one delivers under the same id', async () => {
  const file = newDatabaseFile()
  let isHanging = true
  const receiver = await startReceiver((response) => {
    if (!isHanging) response.writeHead(204).end()
  })
  const child = spawn(process.execPath, [path.resolve('tests/server/notify/deliver-process.ts'), file, receiver.url])
  onTestFinished(() => void child.kill('SIGKILL'))
  await receiver.until(1)
  const died = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await died
  isHanging = false
  const { notify } = createTestNotify({ file })
  notify.start()
  await receiver.until(2)
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
  expect(receiver.received[1]?.headers['webhook-id']).toBe(receiver.received[0]?.headers['webhook-id'])
  expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
  expect(notify.deliveries.list({ limit: 9 }).length).toBe(1)
})

test('a clock that is turned back a year does not hold up a delivery, one turned forward only sends it early', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  const attempts = () => notify.deliveries.list({ limit: 1 })[0]?.attempts
  await eventually(() => attempts() === 1)
  clock.jump(-365 * 86_400_000)
  await clock.advance(5500)
  await eventually(() => attempts() === 2)
  clock.jump(3 * 86_400_000)
  await clock.advance(27_500)
  await eventually(() => attempts() === 3)
  await clock.advance(1000)
  expect(attempts()).toBe(3)
})

test('a receiver that never answers is given up after 15 s, one that cannot be reached at once, and both are tried again', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  const silent = await startReceiver(() => {})
  notify.start()
  happen(notify, { ...completed(), webhookUrl: silent.url })
  await silent.until(1)
  await clock.advance(14_900)
  expect(notify.deliveries.list({ limit: 1 })[0]?.attempts).toBe(0)
  await clock.advance(200)
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  expect(notify.deliveries.list({ limit: 1 })[0]).toMatchObject({
    state: 'pending',
    last_error: 'no answer within 15 s',
  })

  const gone = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => gone.once('listening', resolve))
  const { port } = gone.address() as net.AddressInfo
  await new Promise((resolve) => gone.close(resolve))
  happen(notify, { ...completed('0191f3a0-1111-4222-8333-000000000002'), webhookUrl: `http://127.0.0.1:${port}/` })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  expect(notify.deliveries.list({ limit: 1 })[0]?.last_error).toBe('nothing listens there')
})

test('a receiver that wants to speak another protocol has not taken it, and holds nothing up', async () => {
  const { notify } = createTestNotify()
  const server = net.createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  notify.start()
  happen(notify, { ...completed(), webhookUrl: `http://127.0.0.1:${(server.address() as net.AddressInfo).port}/` })
  const first = () => notify.deliveries.list({ limit: 1 })[0]
  await eventually(() => first()?.attempts === 1)
  expect(first()).toMatchObject({ state: 'pending', last_status: 101 })
})

test('a connection that does not stand after 5 s is given up', async () => {
  const clock = createFakeClock()
  // A TLS handshake that is never answered: connected, but no connection yet.
  const mute = net.createServer(() => {}).listen(0, '127.0.0.1')
  await new Promise((resolve) => mute.once('listening', resolve))
  onTestFinished(() => void mute.close())
  const { notify } = createTestNotify({ clock })
  notify.start()
  const url = `https://127.0.0.1:${(mute.address() as net.AddressInfo).port}/`
  let isConnected = false
  mute.on('connection', (socket) => {
    isConnected = true
    onTestFinished(() => void socket.destroy())
  })
  happen(notify, { ...completed(), webhookUrl: url })
  await eventually(() => isConnected)
  await clock.advance(5100)
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.last_error === 'no connection within 5 s')
})

test('over TLS a callback goes to nobody without a trusted certificate, and once connected the answer may take its time', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  let answer = () => {}
  const receiver = await startReceiver((response) => {
    answer = () => response.writeHead(204).end()
  }, TLS)
  const delivery = () => notify.deliveries.list({ limit: 1 })[0]
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await eventually(() => delivery()?.attempts === 1)
  expect(delivery()?.last_error).toBe('the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)')
  expect(receiver.received).toEqual([])

  const trusted = tls.getCACertificates()
  tls.setDefaultCACertificates([...trusted, TLS.cert])
  onTestFinished(() => tls.setDefaultCACertificates(trusted))
  notify.redeliver(delivery()?.delivery_id ?? '')
  await receiver.until(1)
  await clock.advance(6000)
  answer()
  await eventually(() => delivery()?.state === 'delivered')
})

test('one slow receiver does not hold up the others', async () => {
  const { notify } = createTestNotify()
  const slow = await startReceiver(() => {})
  const quick = await startReceiver()
  notify.start()
  for (let count = 10; count < 30; count++) {
    happen(notify, { ...completed(`0191f3a0-1111-4222-8333-0000000000${count}`), webhookUrl: slow.url })
  }
  happen(notify, { ...completed(), webhookUrl: quick.url })
  await quick.until(1)
  expect(slow.received.length).toBeLessThanOrEqual(2)
})

/** Receivers that take requests and never answer. */
const startHanging = (count: number) => Promise.all(Array.from({ length: count }, () => startReceiver(() => {})))
const jobNumber = (number: number) => `0191f3a0-1111-4222-8333-${String(number).padStart(12, '0')}`

test('a healthy receiver is told of every event while ten others hang, each with more events waiting', async () => {
  // No attempt comes to its time limit: nothing is told because a slot was given up.
  const { notify } = createTestNotify({ clock: createFakeClock() })
  const hanging = await startHanging(10)
  const healthy = await startReceiver()
  notify.start()
  for (let event = 1; event <= 10; event++) {
    for (const [index, { url }] of hanging.entries())
      happen(notify, { ...completed(jobNumber(event * 100 + index)), webhookUrl: `${url}?event=${event}` })
    happen(notify, { ...completed(jobNumber(event * 100 + 99)), webhookUrl: healthy.url })
    await healthy.until(event)
  }
  await Promise.all(hanging.map((one) => one.until(1)))
  expect(hanging.map(({ received }) => received.length)).toEqual(hanging.map(() => 1))
})

test('a receiver that answered last time is told while more receivers hang than there are slots for strangers', async () => {
  const { notify } = createTestNotify({ clock: createFakeClock() })
  const healthy = await startReceiver()
  notify.start()
  happen(notify, { ...completed(jobNumber(0)), webhookUrl: healthy.url })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
  const hanging = await startHanging(70)
  for (const [index, { url }] of hanging.entries())
    happen(notify, { ...completed(jobNumber(index + 1)), webhookUrl: url })
  happen(notify, { ...completed(jobNumber(99)), webhookUrl: healthy.url })
  await healthy.until(2)
})

test('receivers that hung last time leave room for a new one, also after a restart', async () => {
  const file = newDatabaseFile()
  const hanging = await startHanging(48)
  const clock = createFakeClock()
  const before = createTestNotify({ file, clock })
  before.notify.start()
  for (const [index, { url }] of hanging.entries())
    happen(before.notify, { ...completed(jobNumber(index)), webhookUrl: url })
  await Promise.all(hanging.map((one) => one.until(1)))
  await clock.advance(15_000)
  await eventually(() => before.notify.deliveries.list({ limit: 48 }).every(({ attempts }) => attempts === 1))
  await before.notify.close()
  before.db.close()

  const after = createTestNotify({ file, clock: createFakeClock(clock.now() + 3_600_000) })
  after.notify.start()
  const fresh = await startReceiver()
  happen(after.notify, { ...completed(jobNumber(99)), webhookUrl: fresh.url })
  await fresh.until(1)
})

test('callbacks that one receiver refused together come again spread over the next seconds, not all at once', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  const receiver = await startReceiver((response) => response.writeHead(503).end())
  notify.start()
  for (let job = 0; job < 30; job++) happen(notify, { ...completed(jobNumber(job)), webhookUrl: receiver.url })
  const deliveries = () => notify.deliveries.list({ limit: 30 })
  await eventually(() => deliveries().every(({ attempts }) => attempts === 1))
  const waits = deliveries().map(({ next_attempt_at = '' }) => Date.parse(next_attempt_at) - clock.now())
  // Drawn by chance from 256 moments within half a second: fewer than 15 different ones do not happen.
  expect(new Set(waits).size).toBeGreaterThanOrEqual(15)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(5000)
  expect(Math.max(...waits)).toBeLessThanOrEqual(5500)
})

test('a receiver that stays away meets no wave of callbacks: every wait of the schedule spreads them over a tenth of it', () => {
  // A hundred deliveries that failed at the same instant, as after an outage, and a draw of its own for each.
  const draws = Array.from({ length: 100 }, (_, index) => index / 100)
  for (let attempts = 1; attempts < MAX_ATTEMPTS; attempts++) {
    const waits = draws.map((draw) => waitAfter(attempts, draw, undefined) ?? Number.NaN)
    const [shortest, longest] = [Math.min(...waits), Math.max(...waits)]
    expect(new Set(waits).size).toBe(100)
    expect((longest - shortest) / shortest).toBeCloseTo(0.099, 3)
  }
})

test('deleting a job stops what waits for it and nothing else, in the transaction of the deletion, and the log says why', async () => {
  const clock = createFakeClock()
  const { notify, db } = createTestNotify({ clock })
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  notify.webhooks.create(receiver.url)
  notify.start()
  const [deleted, kept] = [jobNumber(1), jobNumber(2)]
  for (const job of [deleted, kept]) happen(notify, { ...completed(job), webhookUrl: receiver.url })
  await receiver.until(4)
  await eventually(() => notify.deliveries.list({ limit: 4 }).every(({ attempts }) => attempts === 1))
  const states = (jobId: string) =>
    notify.deliveries.list({ jobId, limit: 9 }).map(({ state, stop_reason }) => [state, stop_reason])
  const deletion = db.transaction(() => {
    notify.record({ event: 'job.deleted', jobId: deleted })
    throw new Error('the deletion failed')
  })
  expect(deletion).toThrow('the deletion failed')
  expect(states(deleted)).toEqual([
    ['pending', undefined],
    ['pending', undefined],
  ])
  happen(notify, { event: 'job.deleted', jobId: deleted })
  expect(states(deleted)).toEqual([
    ['failed', 'job_deleted'],
    ['failed', 'job_deleted'],
  ])
  expect(notify.deliveries.list({ jobId: deleted, limit: 1 })[0]?.last_error).toBe('the job was deleted')
  await clock.advance(6000)
  await receiver.until(6)
  await clock.advance(86_400_000)
  const jobs = receiver.received.map(({ body }) => (JSON.parse(body) as { job_id: string }).job_id)
  expect(jobs.filter((job) => job === deleted).length).toBe(2)
  expect(jobs.filter((job) => job === kept).length).toBeGreaterThan(2)
})

test('a callback that its receiver takes while the job is being deleted counts as delivered', async () => {
  const { notify } = createTestNotify({ clock: createFakeClock() })
  let take = () => {}
  const receiver = await startReceiver((response) => {
    take = () => response.writeHead(204).end()
  })
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await receiver.until(1)
  happen(notify, { event: 'job.deleted', jobId: JOB_ID })
  take()
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
  expect(notify.deliveries.list({ limit: 1 })[0]).toMatchObject({ attempts: 1, last_status: 204 })
  expect(notify.deliveries.list({ limit: 1 })[0]).not.toHaveProperty('stop_reason')
})

test('after a restart on another port a callback that never left leads there, and one that left keeps its bytes', async () => {
  const file = newDatabaseFile()
  const receiver = await startReceiver((response) => response.writeHead(receiver.received.length < 2 ? 500 : 204).end())
  const before = createTestNotify({ file, clock: createFakeClock() })
  before.notify.start()
  happen(before.notify, { ...completed(jobNumber(1)), webhookUrl: receiver.url })
  await eventually(() => before.notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  before.world.isOffline = true
  happen(before.notify, { ...completed(jobNumber(2)), webhookUrl: `http://hooks.example:${receiver.port}/hook` })
  await before.notify.close()
  before.db.close()

  const baseUrl = 'http://127.0.0.1:50123'
  const resolveName = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  const clock = createFakeClock(1_772_366_400_000 + 60_000)
  const after = createTestNotify({ file, clock, resolveName, baseUrl })
  after.notify.start()
  await receiver.until(3)
  const linksOf = (job: string) =>
    receiver.received
      .map(({ body }) => JSON.parse(body) as { job_id: string; download_url: string })
      .filter(({ job_id }) => job_id === job)
      .map(({ download_url }) => download_url)
  const old = `http://127.0.0.1:${OWN_PORT}/api/v1/jobs/${jobNumber(1)}/download`
  expect(linksOf(jobNumber(1))).toEqual([old, old])
  expect(linksOf(jobNumber(2))).toEqual([`${baseUrl}/api/v1/jobs/${jobNumber(2)}/download`])
  expect(receiver.received.every((request) => isSigned(request, after.notify.webhooks.jobSecret()))).toBe(true)
})

test('a name is resolved once, every address is checked, and the connection goes to a checked one', async () => {
  const asked: string[] = []
  const receiver = await startReceiver()
  let addresses = [{ address: '127.0.0.1', family: 4 }]
  const resolveName = (name: string) => {
    asked.push(name)
    return Promise.resolve(addresses)
  }
  const { notify } = createTestNotify({ resolveName })
  notify.start()
  const webhookUrl = `http://hooks.example:${receiver.port}/x`
  happen(notify, { ...completed(), webhookUrl })
  await receiver.until(1)
  expect(asked).toEqual(['hooks.example'])
  expect(receiver.received[0]?.headers.host).toBe(`hooks.example:${receiver.port}`)

  addresses = [
    { address: '127.0.0.1', family: 4 },
    { address: '169.254.169.254', family: 4 },
  ]
  happen(notify, { ...completed('0191f3a0-1111-4222-8333-000000000002'), webhookUrl })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  expect(notify.deliveries.list({ limit: 1 })[0]?.last_error).toBe('refused: it is a link-local address')
  addresses = [{ address: '::ffff:127.0.0.1', family: 6 }]
  happen(notify, {
    ...completed('0191f3a0-1111-4222-8333-000000000003'),
    webhookUrl: `http://rebound.example:${OWN_PORT}/`,
  })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  expect(notify.deliveries.list({ limit: 1 })[0]?.last_error).toBe('refused: it is Loudsmith itself')
  expect(receiver.received.length).toBe(1)
})

test('while offline, deliveries to this machine go out and the others wait, and go when the switch is turned', async () => {
  const receiver = await startReceiver()
  const resolveName = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }])
  const { notify, world } = createTestNotify({ resolveName })
  world.isOffline = true
  notify.start()
  happen(notify, { ...completed(), webhookUrl: `http://hooks.example:${receiver.port}/far` })
  happen(notify, { ...completed('0191f3a0-1111-4222-8333-000000000002'), webhookUrl: receiver.url })
  await receiver.until(1)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(receiver.received.map(({ url }) => url)).toEqual(['/hook'])
  world.isOffline = false
  notify.committed()
  await receiver.until(2)
  expect(receiver.received[1]?.url).toBe('/far')
})

test('the plan counts webhooks: creation is refused beyond it, a smaller plan suspends the youngest, a larger one brings them back', async () => {
  const { notify, world } = createTestNotify()
  world.plan = 'pro'
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  for (const { url } of receivers) notify.webhooks.create(url)
  expect(() => notify.webhooks.create('http://127.0.0.1:9/')).toThrow(
    new AppError('WEBHOOK_LIMIT', { plan: 'pro', limit: 3 }),
  )
  expect(notify.webhooks.count()).toBe(3)
  notify.start()
  world.plan = 'free'
  expect(notify.webhooks.list().map(({ state }) => state)).toEqual(['suspended', 'suspended', 'suspended'])
  happen(notify, completed())
  expect(notify.deliveries.list({ limit: 9 })).toEqual([])
  world.plan = 'pro'
  happen(notify, completed('0191f3a0-1111-4222-8333-000000000002'))
  await Promise.all(receivers.map((receiver) => receiver.until(1)))
})

test('the youngest webhook is the one made last, also when the clock was turned back before', () => {
  const clock = createFakeClock()
  const { notify, world } = createTestNotify({ clock })
  const urls = [1, 2, 3, 4].map((number) => `http://127.0.0.1:9/${number}`)
  for (const url of urls) {
    notify.webhooks.create(url)
    clock.jump(-3_600_000)
  }
  world.plan = 'pro'
  expect(notify.webhooks.list().map(({ url, state }) => [url, state])).toEqual(
    urls.map((url, index) => [url, index < 3 ? 'active' : 'suspended']),
  )
})

test('deliveries to a webhook that is suspended meanwhile keep waiting', async () => {
  const clock = createFakeClock()
  const { notify, world } = createTestNotify({ clock })
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  notify.webhooks.create(receiver.url)
  notify.start()
  happen(notify, completed())
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  world.plan = 'starter'
  await clock.advance(3_600_000)
  expect(receiver.received.length).toBe(1)
  world.plan = 'pro'
  notify.committed()
  await receiver.until(2)
})

test('removing a webhook stops what waits for it', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  const { webhook_id } = notify.webhooks.create(receiver.url)
  notify.start()
  happen(notify, completed())
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  notify.webhooks.remove(webhook_id)
  await clock.advance(86_400_000)
  expect(receiver.received.length).toBe(1)
  expect(notify.deliveries.list({ limit: 1 })[0]).toMatchObject({
    state: 'failed',
    last_error: 'the webhook was removed',
    stop_reason: 'webhook_removed',
  })
  expect(() => notify.webhooks.remove(webhook_id)).toThrow(new AppError('NOT_FOUND'))
})

test('an attempt that was under way when its webhook was removed is not made again, whatever came of it', async () => {
  const { notify } = createTestNotify()
  let refuse = () => {}
  const receiver = await startReceiver((response, { url }) => {
    if (url.endsWith('?account')) refuse = () => response.writeHead(500).end()
  })
  const { webhook_id } = notify.webhooks.create(`${receiver.url}?account`)
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await receiver.until(2)
  notify.webhooks.remove(webhook_id)
  happen(notify, { ...completed('0191f3a0-1111-4222-8333-000000000002'), webhookUrl: receiver.url })
  refuse()
  // Two go to one receiver at once: the third takes the place of the attempt that has ended.
  await receiver.until(3)
  expect(notify.deliveries.list({ webhookId: webhook_id, limit: 9 })).toMatchObject([
    { state: 'failed', last_error: 'the webhook was removed' },
  ])
})

test('a delivery sent again by hand to a removed webhook fails at once with the reason', async () => {
  const { notify } = createTestNotify()
  const receiver = await startReceiver()
  const { webhook_id } = notify.webhooks.create(receiver.url)
  notify.start()
  happen(notify, completed())
  const delivery = () => notify.deliveries.list({ limit: 1 })[0]
  await eventually(() => delivery()?.state === 'delivered')
  notify.webhooks.remove(webhook_id)
  notify.redeliver(delivery()?.delivery_id ?? '')
  await eventually(() => delivery()?.state !== 'pending')
  expect(delivery()).toMatchObject({
    state: 'failed',
    last_error: 'the webhook was removed',
    stop_reason: 'webhook_removed',
  })
  expect(receiver.received.length).toBe(1)
})

test('a replaced secret signs every attempt from then on', async () => {
  const { notify } = createTestNotify()
  const receiver = await startReceiver()
  const { webhook_id, secret } = notify.webhooks.create(receiver.url)
  notify.start()
  happen(notify, completed())
  await receiver.until(1)
  const replaced = notify.webhooks.replaceSecret(webhook_id)
  happen(notify, completed('0191f3a0-1111-4222-8333-000000000002'))
  await receiver.until(2)
  const [first, second] = receiver.received as [Received, Received]
  expect([isSigned(first, secret), isSigned(second, secret), isSigned(second, replaced)]).toEqual([true, false, true])
})

test('a test event is signed, sent once and reported as it went', async () => {
  const { notify } = createTestNotify()
  let status = 204
  const receiver = await startReceiver((response) => response.writeHead(status).end())
  const { webhook_id, secret } = notify.webhooks.create(receiver.url)
  notify.start()
  expect(await notify.test(webhook_id)).toMatchObject({ state: 'delivered', attempts: 1, event: 'webhook.test' })
  expect(isSigned(receiver.received[0], secret)).toBe(true)
  expect(Object.keys(JSON.parse(receiver.received[0]?.body ?? ''))).toEqual([
    'event',
    'job_id',
    'status',
    'download_url',
  ])
  status = 500
  expect(await notify.test(webhook_id)).toMatchObject({ state: 'failed', attempts: 1, last_status: 500 })
  expect(receiver.received.length).toBe(2)
  await expect(notify.test('unknown')).rejects.toThrow(new AppError('NOT_FOUND'))
})

test('a test event that a stop broke off is sent once more at the next start, and not on the schedule of events', async () => {
  const file = newDatabaseFile()
  let isHanging = true
  const receiver = await startReceiver((response) => void (isHanging || response.writeHead(500).end()))
  const before = createTestNotify({ file, clock: createFakeClock() })
  const { webhook_id } = before.notify.webhooks.create(receiver.url)
  before.notify.start()
  const broken = before.notify.test(webhook_id)
  await receiver.until(1)
  await before.notify.close()
  await broken
  before.db.close()
  isHanging = false
  const after = createTestNotify({ file })
  after.notify.start()
  await eventually(() => after.notify.deliveries.list({ limit: 1 })[0]?.attempts === 1)
  expect(after.notify.deliveries.list({ limit: 1 })[0]).toMatchObject({ state: 'failed', last_status: 500 })
})

test('redelivering sends the same bytes under the same id again, whatever became of them', async () => {
  const { notify } = createTestNotify()
  const receiver = await startReceiver()
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
  const [delivery] = notify.deliveries.list({ limit: 1 })
  expect(notify.redeliver(delivery?.delivery_id ?? '').state).toBe('pending')
  await receiver.until(2)
  const [first, second] = receiver.received as [Received, Received]
  expect(second.body).toBe(first.body)
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(() => notify.redeliver('unknown')).toThrow(new AppError('NOT_FOUND'))
})

test('redelivering while the last attempt is under way goes on when that one fails', async () => {
  const clock = createFakeClock()
  const { notify } = createTestNotify({ clock })
  let isHeld = false
  let letGo = () => {}
  const receiver = await startReceiver((response) => {
    letGo = () => response.writeHead(500).end()
    if (!isHeld) letGo()
  })
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  const delivery = () => notify.deliveries.list({ limit: 1 })[0]
  for (let attempt = 1; attempt < MAX_ATTEMPTS; attempt++) {
    await eventually(() => delivery()?.attempts === attempt)
    isHeld = attempt === MAX_ATTEMPTS - 1
    await clock.advance(Date.parse(delivery()?.next_attempt_at ?? '') - clock.now())
  }
  await receiver.until(MAX_ATTEMPTS)
  notify.redeliver(delivery()?.delivery_id ?? '')
  letGo()
  await eventually(() => delivery()?.attempts === 1)
  expect(delivery()).toMatchObject({ state: 'pending', last_status: 500 })
})

test('an address that policy refuses is refused with the field at fault', () => {
  const { notify } = createTestNotify()
  for (const url of [`http://localhost:${OWN_PORT}/`, 'http://169.254.169.254/', 'http://u:p@example.com/', 'hook']) {
    expect(() => notify.webhooks.create(url)).toThrow(
      expect.objectContaining({ code: 'INVALID_WEBHOOK_URL', param: 'url' }),
    )
    expect(() => notify.checkWebhookUrl(url)).toThrow(
      expect.objectContaining({ code: 'INVALID_WEBHOOK_URL', param: 'webhook_url' }),
    )
  }
})

test('events and finished deliveries are forgotten after 30 days, waiting ones are not, and ids go on', async () => {
  const clock = createFakeClock()
  const { notify, db } = createTestNotify({ clock })
  notify.record(completed())
  const receiver = await startReceiver()
  notify.start()
  happen(notify, { ...completed('0191f3a0-1111-4222-8333-000000000002'), webhookUrl: receiver.url })
  await eventually(() => notify.deliveries.list({ limit: 1 })[0]?.state === 'delivered')
  await clock.advance(29 * 86_400_000)
  notify.record({ ...completed('0191f3a0-1111-4222-8333-000000000003'), webhookUrl: 'http://far.example/' })
  await clock.advance(2 * 86_400_000)
  notify.prune()
  expect(db.prepare('SELECT seq FROM events').pluck().all()).toEqual([3])
  expect(notify.deliveries.list({ limit: 9 }).map(({ url }) => url)).toEqual(['http://far.example/'])
  db.exec('DELETE FROM events')
  expect(notify.record({ event: 'account.changed' })).toBe(4)
})

test('a database that refuses to be written holds a delivery up for seconds, not for ever, and takes no time from others', async () => {
  const clock = createFakeClock()
  const { notify, db } = createTestNotify({ clock })
  const receiver = await startReceiver()
  let tries = 0
  let isFull = true
  db.function('refuse', () => {
    // Without a pause each try would follow upon the last before anything else has its turn.
    if (isFull && ++tries < 1000) throw new Error('the disk is full')
    return 1
  })
  db.exec('CREATE TRIGGER full BEFORE INSERT ON job_signing_secret BEGIN SELECT refuse(); END')
  notify.start()
  happen(notify, { ...completed(), webhookUrl: receiver.url })
  await clock.advance(30_000)
  expect(tries).toBeGreaterThan(1)
  expect(tries).toBeLessThan(10)
  isFull = false
  await clock.advance(5000)
  await eventually(() => receiver.received.length === 1)
})

test('an event is recorded even when it cannot be published', async () => {
  const clock = createFakeClock()
  const { notify, db, lines } = createTestNotify({ clock })
  const receiver = await startReceiver()
  notify.start()
  notify.record({ ...completed(), webhookUrl: receiver.url })
  db.exec('ALTER TABLE events RENAME TO away; ALTER TABLE deliveries RENAME TO gone')
  expect(() => notify.committed()).not.toThrow()
  expect(lines.filter((line) => line.includes('"error"')).length).toBe(2)
  db.exec('ALTER TABLE away RENAME TO events; ALTER TABLE gone RENAME TO deliveries')
  await clock.advance(5000)
  await eventually(() => receiver.received.length === 1)
})

test('while offline, a test reaches this machine and no other', async () => {
  const asked: string[] = []
  const { notify, world } = createTestNotify({
    resolveName: async (name) => {
      asked.push(name)
      return [{ address: '127.0.0.1', family: 4 }]
    },
  })
  const receiver = await startReceiver()
  const here = notify.webhooks.create(receiver.url)
  const elsewhere = notify.webhooks.create(`http://receiver.example:${receiver.port}/hook`)
  world.isOffline = true
  expect(await notify.test(elsewhere.webhook_id)).toMatchObject({
    state: 'failed',
    last_error: expect.stringMatching(/offline/),
  })
  expect(await notify.test(here.webhook_id)).toMatchObject({ state: 'delivered' })
  expect([asked, receiver.received.length]).toEqual([[], 1])
  world.isOffline = false
  expect(await notify.test(elsewhere.webhook_id)).toMatchObject({ state: 'delivered' })
})
