#!/usr/bin/env node
/**
 * Masters one song: create the job, poll it, download the ZIP beside the song.
 * Usage: LOUDSMITH_KEY=ams_live_… node master.mjs song.wav [spotify,melon]
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const url = process.env.LOUDSMITH_URL ?? 'http://127.0.0.1:47310'
const pollMs = 1000 * Number(process.env.LOUDSMITH_POLL_SECONDS ?? 2)
export const allPlatforms = 'spotify,apple_music,youtube,melon,soundcloud'

/** The service does not answer, or stops in the middle of its answer. */
export class Unreachable extends Error {}

function unreachable(cause) {
  throw new Unreachable(`no answer from ${url}. Is Loudsmith running?`, { cause })
}

/** Calls the service and waits as long as it asks for; throws an Error with its own code and message unless it succeeds. */
async function call(at, init = {}) {
  const headers = { authorization: `Bearer ${process.env.LOUDSMITH_KEY}`, ...init.headers }
  for (;;) {
    const response = await fetch(url + at, { ...init, headers }).catch(unreachable)
    if (response.ok) return response
    const { error } = await json(response)
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter === null) throw new Error(`${response.status} ${error.code}: ${error.message}`)
    await sleep(1000 * Number(retryAfter))
  }
}

const json = (response) => response.json().catch(unreachable)

/** Makes the job of a song and returns its id. A request repeated with the same key within a day makes no second one. */
export async function create(song, platforms = allPlatforms, key = randomUUID()) {
  const form = new FormData()
  form.append('platforms', platforms)
  form.append('file', await openAsBlob(song), path.basename(song))
  const response = await call('/api/v1/master', { method: 'POST', headers: { 'idempotency-key': key }, body: form })
  const { job_id } = await json(response)
  console.log(`job ${job_id}`)
  return job_id
}

/** Polls until the job has ended; throws the reason when it failed. */
async function ended(jobId) {
  for (;;) {
    const job = await json(await call(`/api/v1/jobs/${jobId}`))
    if (job.status === 'done') return
    if (job.status === 'failed') throw new Error(job.error_message)
    await sleep(pollMs)
  }
}

/** Waits until the job has ended and writes its ZIP to `target`, whole or not at all. Broken off, it can be called again. */
export async function fetchMasters(jobId, target) {
  await ended(jobId)
  const { body } = await call(`/api/v1/jobs/${jobId}/download`)
  const part = `${target}.part`
  try {
    await pipeline(arriving(body), createWriteStream(part))
    await rename(part, target)
  } finally {
    await rm(part, { force: true })
  }
}

async function* arriving(body) {
  try {
    yield* body
  } catch (cause) {
    unreachable(cause)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [song, platforms] = process.argv.slice(2)
  if (!song || !process.env.LOUDSMITH_KEY) {
    console.error('Usage: LOUDSMITH_KEY=ams_live_… node master.mjs SONG [PLATFORMS]')
    process.exit(2)
  }
  const { dir, name } = path.parse(song)
  const target = path.join(dir, `${name}_masters.zip`)
  try {
    await fetchMasters(await create(song, platforms), target)
    console.log(target)
  } catch (error) {
    console.error(`not mastered ${song}: ${error.message}`)
    process.exitCode = 1
  }
}
