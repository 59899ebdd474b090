import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { Delivery, Webhook } from '../../../src-contract/webhooks.ts'
import { type Clock, systemClock } from '../../../src-system/system.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { type Service, startService } from '../../support/service.ts'
import { eventually, isSigned, startReceiver } from './fixture.ts'

/** With a heartbeat a stream also tells what nobody has told it of. */
const withoutHeartbeats: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms === 15_000 ? 600_000 : ms, signal),
}

let engine: HeldEngine
let service: Service
let credential: string

beforeEach(async () => {
  engine = createHeldEngine()
  service = await startService({ forkEngine: engine.fork, clock: withoutHeartbeats })
  credential = await service.newKey()
})
afterEach(() => service.stop())

const create = (body: object) => service.post('/api/v1/webhooks', body, { credential })
const deliveries = async (filter = ''): Promise<Delivery[]> =>
  (await service.get(`/api/v1/webhooks/deliveries${filter}`, { credential })).body.deliveries

test('a job with a webhook_url ends with exactly one signed callback, and so does every account webhook', async () => {
  const [own, account] = await Promise.all([startReceiver(), startReceiver()])
  await create({ url: account.url })
  const job = await service.newJob({ webhook_url: own.url }, { credential })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.finish()
  await Promise.all([own.until(1), account.until(1)])
  expect(JSON.parse(own.received[0]?.body ?? '')).toEqual({
    event: 'job.completed',
    job_id: job.job_id,
    status: 'done',
    download_url: `${service.baseUrl}/api/v1/jobs/${job.job_id}/download`,
  })
  expect(account.received[0]?.body).toBe(own.received[0]?.body)
  expect(own.received[0]?.headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/)
  expect((await deliveries(`?job_id=${job.job_id}`)).length).toBe(2)
})

test('the log of deliveries is that of one job, of one receiver, or of both', async () => {
  engine.isAutomatic = true
  const [own, account] = await Promise.all([startReceiver(), startReceiver()])
  const { webhook_id }: Webhook = (await create({ url: account.url })).body
  const first = await service.newJob({ webhook_url: own.url })
  const second = await service.newJob({ webhook_url: own.url })
  await Promise.all([own.until(2), account.until(2)])
  const found = async (filter: string) =>
    (await deliveries(filter)).map((one) => [one.job_id === second.job_id, one.webhook_id === webhook_id]).sort()
  expect((await deliveries(`?job_id=${first.job_id}`)).map(({ job_id }) => job_id)).toEqual(Array(2).fill(first.job_id))
  expect(await found(`?job_id=${second.job_id}`)).toEqual([
    [true, false],
    [true, true],
  ])
  expect(await found(`?webhook_id=${webhook_id}`)).toEqual([
    [false, true],
    [true, true],
  ])
  expect(await found(`?job_id=${second.job_id}&webhook_id=${webhook_id}`)).toEqual([[true, true]])
})

test('whose turn it is stands in the live stream before its engine process has said a word', async () => {
  const aborted = new AbortController()
  onTestFinished(() => aborted.abort())
  const headers = { Authorization: `Bearer ${credential}` }
  const stream = await fetch(`${service.baseUrl}/api/v1/events`, { headers, signal: aborted.signal })
  const { job_id } = await service.newJob()
  let text = ''
  for await (const bytes of stream.body ?? []) {
    text += Buffer.from(bytes).toString('utf8')
    if (text.includes('event: job.progress')) break
  }
  const [, data = ''] = /event: job\.progress\ndata: (.*)/.exec(text) ?? []
  expect(JSON.parse(data)).toMatchObject({ job_id, progress: 0, stage: 'decoding' })
})

test('the app is told that the settings have changed, and a key is not', async () => {
  const aborted = new AbortController()
  onTestFinished(() => aborted.abort())
  const [ofApp, ofKey] = await Promise.all(
    [service.sessionCredential, credential].map((bearer) => {
      const headers = { Authorization: `Bearer ${bearer}` }
      return fetch(`${service.baseUrl}/api/v1/events`, { headers, signal: aborted.signal })
    }),
  )
  await service.patch('/app/settings', { is_offline: true })
  await service.post('/app/account/credits', { amount: 1 })
  const heard = async (stream: Response | undefined) => {
    let text = ''
    for await (const bytes of stream?.body ?? []) {
      text += Buffer.from(bytes).toString('utf8')
      if (text.includes('account.changed')) break
    }
    return [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
  }
  expect(await heard(ofApp)).toEqual(['settings.changed', 'account.changed'])
  expect(await heard(ofKey)).toEqual(['account.changed'])
})

test('a failed and a cancelled job send job.failed with the reason', async () => {
  service.expectFault('a job failed')
  const receiver = await startReceiver()
  const failed = await service.newJob({ webhook_url: receiver.url })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.fail('DIGITAL_SILENCE')
  await receiver.until(1)
  const cancelled = await service.newJob({ webhook_url: receiver.url })
  await service.call('DELETE', `/api/v1/jobs/${cancelled.job_id}`)
  await receiver.until(2)
  expect(receiver.received.map(({ body }) => JSON.parse(body))).toEqual([
    {
      event: 'job.failed',
      job_id: failed.job_id,
      status: 'failed',
      error_message: 'The song is silent or nearly silent. Export it again with sound.',
    },
    { event: 'job.failed', job_id: cancelled.job_id, status: 'failed', error_message: 'cancelled' },
  ])
})

test('after DELETE of a job nothing more is sent for it, and the log says why', async () => {
  engine.isAutomatic = true
  const receiver = await startReceiver((response) => response.writeHead(500).end())
  const { job_id } = await service.newJob({ webhook_url: receiver.url })
  const log = () => deliveries(`?job_id=${job_id}`)
  while ((await log())[0]?.last_status !== 500) await new Promise((resolve) => setTimeout(resolve, 20))
  expect((await log())[0]).toMatchObject({ state: 'pending' })
  expect((await service.call('DELETE', `/api/v1/jobs/${job_id}`)).status).toBe(204)
  expect(await log()).toMatchObject([{ state: 'failed', attempts: 1, last_status: 500, stop_reason: 'job_deleted' }])
  expect((await log())[0]).not.toHaveProperty('next_attempt_at')
})

test('the whole life of a webhook: made with a secret shown once, listed, tested, its secret replaced, removed', async () => {
  const receiver = await startReceiver()
  const { status, body: made } = await create({ url: receiver.url, events: ['job.failed'] })
  expect([status, made.state, made.events]).toEqual([201, 'active', ['job.failed']])
  expect(made.secret).toMatch(/^whsec_/)
  const { body: list } = await service.get('/api/v1/webhooks', { credential })
  const { secret: _secret, ...shown } = made
  expect(list.webhooks).toEqual([shown])
  const at = `/api/v1/webhooks/${made.webhook_id}`
  const tested = await service.call('POST', `${at}/test`, { credential })
  expect(tested.body).toMatchObject({ state: 'delivered', last_status: 204, webhook_id: made.webhook_id })
  const replaced = await service.call('POST', `${at}/secret`, { credential })
  expect(replaced.body).toEqual({ webhook_id: made.webhook_id, secret: expect.stringMatching(/^whsec_/) })
  expect(replaced.body.secret).not.toBe(made.secret)
  expect((await service.call('DELETE', at, { credential })).status).toBe(204)
  expect((await service.call('DELETE', at, { credential })).status).toBe(404)
  expect((await service.call('POST', `${at}/test`, { credential })).status).toBe(404)
  expect((await service.get('/api/v1/account')).body.usage.webhooks).toBe(0)
})

test('the secret of the jobs’ own callbacks is for the app alone, and a new one signs from then on', async () => {
  engine.isAutomatic = true
  const receiver = await startReceiver()
  const { secret: before } = (await service.get('/app/webhook-secret')).body
  const { secret } = (await service.call('POST', '/app/webhook-secret')).body
  expect([secret === before, (await service.get('/app/webhook-secret')).body]).toEqual([false, { secret }])
  expect((await service.call('POST', '/app/webhook-secret', { credential })).status).toBe(403)
  await service.newJob({ webhook_url: receiver.url })
  await receiver.until(1)
  expect([before, secret].map((each) => isSigned(receiver.received[0], each))).toEqual([false, true])
})

test('redelivery is queued and sends the same bytes under the same id', async () => {
  const receiver = await startReceiver()
  const job = await service.newJob({ webhook_url: receiver.url })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.finish()
  await receiver.until(1)
  const [delivery] = await deliveries(`?job_id=${job.job_id}`)
  const again = await service.call('POST', `/api/v1/webhooks/deliveries/${delivery?.delivery_id}/redeliver`, {
    credential,
  })
  expect(again.status).toBe(202)
  await receiver.until(2)
  expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body)
  expect(receiver.received[1]?.headers['webhook-id']).toBe(delivery?.event_id)
  expect((await service.call('POST', '/api/v1/webhooks/deliveries/unknown/redeliver', { credential })).status).toBe(404)
})

test('webhooks are counted by the plan: the fourth on pro is 409, free suspends them all and studio brings them back', async () => {
  await service.patch('/app/account', { plan: 'pro' })
  for (let count = 1; count <= 3; count++)
    expect((await create({ url: `http://127.0.0.1:9/${count}` })).status).toBe(201)
  const fourth = await create({ url: 'http://127.0.0.1:9/4' })
  expect([fourth.status, fourth.body.error.code]).toEqual([409, 'WEBHOOK_LIMIT'])
  const states = async () => (await service.get('/api/v1/webhooks')).body.webhooks.map(({ state }: Webhook) => state)
  await service.patch('/app/account', { plan: 'free' })
  expect(await states()).toEqual(['suspended', 'suspended', 'suspended'])
  await service.patch('/app/account', { plan: 'studio' })
  expect(await states()).toEqual(['active', 'active', 'active'])
})

test('addresses that policy refuses are 400 in both places, with the field at fault, and cost nothing', async () => {
  const before = (await service.get('/api/v1/account')).body.credits
  for (const url of [
    'http://169.254.169.254/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://[::ffff:169.254.169.254]/',
    'http://0.0.0.0/',
    'http://224.0.0.1/',
    `http://localhost:${service.port}/`,
    `http://[::1]:${service.port}/`,
    'http://user:secret@example.com/',
    'ftp://example.com/',
    'not an address',
    `http://example.com/${'a'.repeat(2048)}`,
  ]) {
    const webhook = await create({ url })
    const job = await service.master({ webhook_url: url }, { credential })
    const isTooLong = url.length > 2048
    expect([webhook.status, job.status, job.body.error.code, job.body.error.param]).toEqual([
      400,
      400,
      'INVALID_WEBHOOK_URL',
      'webhook_url',
    ])
    expect(webhook.body.error.code).toBe(isTooLong ? 'INVALID_REQUEST' : 'INVALID_WEBHOOK_URL')
  }
  expect((await service.get('/api/v1/account')).body.credits).toBe(before)
})

/** A reader of the live events; `text` is what has come so far. */
async function follow(): Promise<{ text: () => string }> {
  const aborted = new AbortController()
  const headers = { authorization: `Bearer ${credential}` }
  const response = await fetch(`${service.baseUrl}/api/v1/events`, { headers, signal: aborted.signal })
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('utf8')
  })().catch(() => undefined)
  onTestFinished(async () => {
    aborted.abort()
    await reading
  })
  return { text: () => text }
}

test('a live stream tells a job’s life in order: created, progress, completed', async () => {
  const stream = await follow()
  const job = await service.newJob({}, { credential })
  await eventually(() => engine.processes.length === 1)
  engine.processes[0]?.progress('rendering', 0.5)
  await eventually(() => stream.text().includes('job.progress'))
  engine.processes[0]?.finish()
  await eventually(() => stream.text().includes('job.completed'))
  const names = [...stream.text().matchAll(/^event: (job\.\S+)$/gm)].map(([, name]) => name)
  expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
    'job.created',
    'job.progress',
    'job.completed',
  ])
  expect(stream.text()).toContain(`"job_id":"${job.job_id}"`)
})

test('a job that was cancelled and one that was removed are told of at once', async () => {
  const { job_id } = await service.newJob({}, { credential })
  const stream = await follow()
  await service.call('DELETE', `/api/v1/jobs/${job_id}`)
  await eventually(() => stream.text().includes('event: job.failed'))
  await service.call('DELETE', `/api/v1/jobs/${job_id}`)
  await eventually(() => stream.text().includes('event: job.deleted'))
})

test('the stream of a revoked key is refused at once, and the service stops while streams are open', async () => {
  const { body } = await service.get('/app/keys')
  const headers = { authorization: `Bearer ${credential}` }
  const open = await fetch(`${service.baseUrl}/api/v1/events`, {
    headers: { authorization: `Bearer ${service.sessionCredential}` },
  })
  await service.call('DELETE', `/app/keys/${body.keys[0].key_id}`)
  expect((await fetch(`${service.baseUrl}/api/v1/events`, { headers })).status).toBe(401)
  await service.close()
  // It was ended; one that is only broken off when the grace of the stop is over rejects.
  await open.text()
})
