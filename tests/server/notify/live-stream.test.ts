import net from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import type { LiveEvent } from '../../../src-contract/events.ts'
import { notifyRoutes } from '../../../src-server/notify/routes.ts'
import { systemClock } from '../../../src-system/system.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { completed, createTestNotify, eventually, JOB_ID } from './fixture.ts'
import { asKey, asSession, listen } from './listen.ts'

interface Message {
  id: string | undefined
  event: string
  data: LiveEvent
}

/** Reads a stream into messages as a browser would. */
function follow(response: Response) {
  const messages: Message[] = []
  let text = ''
  const state = { messages, comments: 0, isEnded: false }
  const read = async () => {
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        if (block === ':') state.comments += 1
        const data = field('data')
        if (data) messages.push({ id: field('id'), event: field('event') ?? '', data: JSON.parse(data) as LiveEvent })
      }
    }
    state.isEnded = true
  }
  read().catch(() => (state.isEnded = true))
  return state
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Memory in use, without what only awaits collection: when that happens is the engine's own affair. */
function heldBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

async function start(options: { clock?: typeof systemClock; allowed?: { is: boolean } } = {}) {
  const clock = options.clock ?? systemClock
  const { notify, db } = createTestNotify({ clock })
  const { baseUrl } = await listen((app) =>
    notifyRoutes(app, { notify, clock, isStillAllowed: () => options.allowed?.is ?? true }),
  )
  const open = async (headers: Record<string, string>) => {
    const aborted = new AbortController()
    onTestFinished(() => aborted.abort())
    const response = await fetch(`${baseUrl}/api/v1/events`, { headers, signal: aborted.signal })
    return { response, ...{ stop: () => aborted.abort() }, stream: follow(response) }
  }
  const happen = (newEvent: Parameters<typeof notify.record>[0]) => {
    const seq = notify.record(newEvent)
    notify.committed()
    return seq
  }
  return { notify, db, baseUrl, open, happen }
}

test('an event during a connection arrives with its id, its name and its job', async () => {
  const { open, happen } = await start()
  const { response, stream } = await open(asKey)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const seq = happen({ event: 'job.created', jobId: JOB_ID })
  await eventually(() => stream.messages.length === 1)
  expect(stream.messages[0]).toEqual({
    id: String(seq),
    event: 'job.created',
    data: { event: 'job.created', seq, job_id: JOB_ID },
  })
})

test('a client that names no Last-Event-ID gets nothing of the past', async () => {
  const { open, happen } = await start()
  happen({ event: 'job.created', jobId: JOB_ID })
  const { stream } = await open(asKey)
  happen(completed())
  await eventually(() => stream.messages.length > 0)
  expect(stream.messages.map(({ event }) => event)).toEqual(['job.completed'])
})

test('a client that comes back with Last-Event-ID gets everything stored since, once and in order', async () => {
  const { open, happen } = await start()
  const first = happen({ event: 'job.created', jobId: JOB_ID })
  for (let count = 0; count < 250; count++) happen({ event: 'account.changed' })
  happen(completed())
  const { stream } = await open({ ...asKey, 'last-event-id': String(first) })
  await eventually(() => stream.messages.length === 251)
  happen({ event: 'job.deleted', jobId: JOB_ID })
  await eventually(() => stream.messages.length === 252)
  const seqs = stream.messages.map(({ data }) => data.seq)
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  expect(new Set(seqs).size).toBe(252)
  expect(stream.messages[250]?.event).toBe('job.completed')
})

test('a key that comes back after more news of the app than are read at once gets its own behind them', async () => {
  const { open, happen } = await start()
  const first = happen({ event: 'job.created', jobId: JOB_ID })
  for (let count = 0; count < 250; count++) happen({ event: 'desk.changed' })
  happen(completed())
  const { stream } = await open({ ...asKey, 'last-event-id': String(first) })
  await eventually(() => stream.messages.length > 0)
  expect(stream.messages.map(({ event }) => event)).toEqual(['job.completed'])
})

test('a Last-Event-ID that is no number, or that this database never gave, counts as absent', async () => {
  const { open, happen } = await start()
  happen({ event: 'job.created', jobId: JOB_ID })
  for (const id of ['abc', '-1', '999999', '1e3']) {
    const { stream, stop } = await open({ ...asKey, 'last-event-id': id })
    happen({ event: 'account.changed' })
    await eventually(() => stream.messages.length > 0)
    expect(stream.messages[0]?.event).toBe('account.changed')
    stop()
  }
})

test('progress arrives without an id, only the latest of each job, and never after the end of its job', async () => {
  const { open, happen, notify } = await start()
  const { stream } = await open(asKey)
  for (let progress = 0; progress <= 50; progress++) {
    notify.progress({ jobId: JOB_ID, progress, stage: 'rendering' })
  }
  await eventually(() => stream.messages.length > 0)
  // A request that is repeated commits nothing new.
  notify.committed()
  notify.progress({ jobId: JOB_ID, progress: 99, stage: 'packaging' })
  happen(completed())
  await eventually(() => stream.messages.some(({ event }) => event === 'job.completed'))
  await new Promise((resolve) => setTimeout(resolve, 250))
  expect(stream.messages.map(({ event, data, id }) => [event, data.progress, id === undefined])).toEqual([
    ['job.progress', 50, true],
    ['job.completed', undefined, false],
  ])
  expect(stream.messages[0]?.data).toMatchObject({ job_id: JOB_ID, stage: 'rendering' })
})

test('progress arrives every tenth of a second at most, whenever it comes', async () => {
  const clock = createFakeClock()
  const { open, notify } = await start({ clock })
  const { stream } = await open(asKey)
  const tell = (progress: number) => notify.progress({ jobId: JOB_ID, progress, stage: 'rendering' })
  tell(1)
  await clock.advance(99)
  tell(2)
  await clock.advance(1)
  await eventually(() => stream.messages.length === 1)
  await clock.advance(50)
  tell(3)
  await clock.advance(99)
  tell(4)
  await clock.advance(1)
  await eventually(() => stream.messages.at(-1)?.data.progress === 4)
  expect(stream.messages.map(({ data }) => data.progress)).toEqual([2, 4])
})

test('the batch is told of to the app and to no key', async () => {
  const { open, happen } = await start()
  const app = await open(asSession)
  const key = await open(asKey)
  happen({ event: 'desk.changed' })
  happen({ event: 'account.changed' })
  await eventually(() => app.stream.messages.length === 2 && key.stream.messages.length === 1)
  expect(key.stream.messages[0]?.event).toBe('account.changed')
})

test('a comment comes every 15 s, and the stream of a revoked key ends by the next', async () => {
  const clock = createFakeClock()
  const allowed = { is: true }
  const { open } = await start({ clock, allowed })
  const { stream } = await open(asKey)
  await clock.advance(15_000)
  await eventually(() => stream.comments === 1)
  allowed.is = false
  await clock.advance(15_000)
  await eventually(() => stream.isEnded)
  expect(stream.comments).toBe(1)
})

test('a reader that has gone is no longer asked about', async () => {
  const clock = createFakeClock()
  let asked = 0
  const allowed = {
    get is() {
      asked++
      return true
    },
  }
  const { open } = await start({ clock, allowed })
  const { stop } = await open(asKey)
  const askedInOneBeat = async () => {
    const before = asked
    await clock.advance(15_000)
    return asked - before
  }
  expect(await askedInOneBeat()).toBeGreaterThan(0)
  stop()
  await expect.poll(askedInOneBeat).toBe(0)
})

test('a revoked key hears nothing that happens after its revocation', async () => {
  const allowed = { is: true }
  const { open, happen } = await start({ allowed })
  const { stream } = await open(asKey)
  allowed.is = false
  happen({ event: 'job.created', jobId: JOB_ID })
  await eventually(() => stream.isEnded)
  expect(stream.messages).toEqual([])
})

test('a reader that does not read costs no memory and is disconnected after two heartbeats', async () => {
  const clock = createFakeClock()
  const { baseUrl, db, happen } = await start({ clock })
  const { hostname, port } = new URL(baseUrl)
  const socket = net.connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  socket.write('GET /api/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-1\r\n\r\n')
  await new Promise<void>((resolve) => socket.once('readable', resolve))
  socket.pause()
  // More than every buffer between the two programs holds.
  db.transaction(() => {
    const insert = db.prepare(
      "INSERT INTO events (event_id, name, job_id, created_at_ms) VALUES (?, 'job.created', ?, 0)",
    )
    for (let count = 0; count < 150_000; count++) insert.run(`msg_${count}`, JOB_ID)
  })()
  const before = heldBytes()
  happen({ event: 'account.changed' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(heldBytes() - before).toBeLessThan(5_000_000)
  let isClosed = false
  socket.on('close', () => (isClosed = true))
  socket.on('error', () => (isClosed = true))
  for (let beat = 0; beat < 3; beat++) await clock.advance(15_000)
  socket.resume()
  await eventually(() => isClosed)
})

test('every stream ends when the service stops', async () => {
  const { open, notify } = await start()
  const streams = await Promise.all([open(asKey), open(asSession)])
  await notify.close()
  await eventually(() => streams.every(({ stream }) => stream.isEnded))
})

test('HEAD answers at once', async () => {
  const { baseUrl } = await start()
  const response = await fetch(`${baseUrl}/api/v1/events`, { method: 'HEAD', headers: asKey })
  expect(response.status).toBe(200)
})

test('without a credential there is no stream', async () => {
  const { open } = await start()
  expect((await open({})).response.status).toBe(401)
})

test('a key has at most 32 streams open, those of others do not count, and one that closes makes room', async () => {
  const { open, baseUrl } = await start()
  const opened = await Promise.all(Array.from({ length: 32 }, () => open(asKey)))
  expect(opened.map(({ response }) => response.status)).toEqual(Array(32).fill(200))
  const refused = await fetch(`${baseUrl}/api/v1/events`, { headers: asKey })
  const { error } = (await refused.json()) as { error: { code: string; message: string } }
  expect([refused.status, error.code]).toEqual([429, 'CONCURRENT_LIMIT'])
  expect(error.message).toMatch(/32 open event streams.*Close one.*Last-Event-ID/)
  for (const other of [{ authorization: 'Bearer key-2' }, asSession])
    expect((await open(other)).response.status).toBe(200)
  opened[0]?.stop()
  await expect.poll(async () => (await open(asKey)).response.status).toBe(200)
})
