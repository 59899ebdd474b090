#!/usr/bin/env node
/**
 * Takes Loudsmith's callbacks, verifies their signature and downloads the result under the name of the song.
 * Usage: LOUDSMITH_WEBHOOK_SECRET=whsec_… LOUDSMITH_KEY=ams_live_… node webhook-receiver.mjs 8099
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import http from 'node:http'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'

const { LOUDSMITH_WEBHOOK_SECRET, LOUDSMITH_KEY: key, LOUDSMITH_URL: url = 'http://127.0.0.1:47310' } = process.env
const [port] = process.argv.slice(2)
if (!LOUDSMITH_WEBHOOK_SECRET || !port) {
  console.error('Usage: LOUDSMITH_WEBHOOK_SECRET=whsec_… LOUDSMITH_KEY=ams_live_… node webhook-receiver.mjs PORT')
  process.exit(2)
}
const secret = Buffer.from(LOUDSMITH_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
const toleranceSeconds = 300
/** A callback has about 250 bytes. */
const maxBytes = 65_536
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const seen = new Set()

/** Whether the body was signed with our secret, not long ago (Standard Webhooks 1.0). */
function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures = '' } = headers
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false
  const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest('base64')
  const expected = Buffer.from(`v1,${digest}`)
  // The header may hold several signatures, separated by spaces.
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** What to do about an event; it runs after the answer, so that the service need not wait. */
async function act({ event, job_id, error_message }) {
  if (event === 'job.failed') console.log('failed', job_id, error_message)
  if (event !== 'job.completed') return
  if (key) {
    // The key goes to our own service and nowhere else, so the address of the callback is not used.
    if (!uuid.test(job_id)) throw new Error('the callback names no job')
    const { filename } = await (await get(`/api/v1/jobs/${job_id}`)).json()
    const { body } = await get(`/api/v1/jobs/${job_id}/download`)
    await save(Readable.fromWeb(body), nameOf(filename, job_id))
  }
  console.log('completed', job_id)
}

/** Reads from the service and waits for as long as it asks. */
async function get(at) {
  for (;;) {
    const response = await fetch(url + at, { headers: { authorization: `Bearer ${key}` }, redirect: 'error' })
    if (response.ok) return response
    const retryAfter = Number(response.headers.get('retry-after'))
    if (!(retryAfter > 0)) throw new Error(`${response.status} ${(await response.json()).error.message}`)
    await response.body?.cancel()
    await sleep(1000 * retryAfter)
  }
}

/** Returns the name of a result: that of the song without what file systems refuse, and enough of the job to be the only one. */
function nameOf(filename, jobId) {
  const { name } = path.parse(filename.replaceAll(/[\\/:*?"<>|\p{Cc}]/gu, '_'))
  return `${name}_${jobId.slice(0, 8)}.zip`
}

/** Writes a file whole or not at all. */
async function save(bytes, file) {
  const part = `${file}.part`
  try {
    await pipeline(bytes, createWriteStream(part))
    await rename(part, file)
  } finally {
    await rm(part, { force: true })
  }
}

async function readAll(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const server = http.createServer(async (request, response) => {
  // A callback says its length.
  if (!(Number(request.headers['content-length']) <= maxBytes)) {
    response.writeHead(413, { connection: 'close' }).end()
    return
  }
  const body = await readAll(request).catch(() => undefined)
  // Broken off: nobody waits for an answer.
  if (!body) return
  const genuine = isGenuine(request.headers, body)
  response.writeHead(genuine ? 204 : 401).end()
  const id = request.headers['webhook-id']
  if (!genuine) return console.log('refused')
  // The same event can come again; it is handled once.
  if (seen.has(id)) return
  seen.add(id)
  const event = JSON.parse(body)
  act(event).catch((error) => {
    // Sent again from the settings, it is another try.
    seen.delete(id)
    console.error(`not downloaded ${event.job_id}: ${error.message}`)
  })
})
server.listen(Number(port), '127.0.0.1', () => {
  console.log(`listening http://127.0.0.1:${server.address().port}/`)
})
