#!/usr/bin/env node
/**
 * Takes Loudsmith's callbacks, verifies their signature and downloads the result.
 * Usage: LOUDSMITH_WEBHOOK_SECRET=whsec_… LOUDSMITH_KEY=ams_live_… node webhook-receiver.mjs 8099
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import http from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const { LOUDSMITH_WEBHOOK_SECRET, LOUDSMITH_KEY: key } = process.env
const [port] = process.argv.slice(2)
if (!LOUDSMITH_WEBHOOK_SECRET || !port) {
  console.error('Usage: LOUDSMITH_WEBHOOK_SECRET=whsec_… LOUDSMITH_KEY=ams_live_… node webhook-receiver.mjs PORT')
  process.exit(2)
}
const secret = Buffer.from(LOUDSMITH_WEBHOOK_SECRET.replace(/^whsec_/, ''), 'base64')
const toleranceSeconds = 300
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
async function act({ event, job_id, download_url, error_message }) {
  if (event === 'job.failed') console.log('failed', job_id, error_message)
  if (event !== 'job.completed') return
  if (key) {
    const response = await fetch(download_url, { headers: { authorization: `Bearer ${key}` } })
    if (!response.ok) throw new Error(`${response.status} ${(await response.json()).error.message}`)
    await save(Readable.fromWeb(response.body), `${job_id}.zip`)
  }
  console.log('completed', job_id)
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
