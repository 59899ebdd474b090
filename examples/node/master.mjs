#!/usr/bin/env node
/**
 * Masters one song: create the job, wait for its end, download the ZIP beside the song.
 * Usage: LOUDSMITH_KEY=ams_live_… node master.mjs song.wav [spotify,melon]
 */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const url = process.env.LOUDSMITH_URL ?? 'http://127.0.0.1:47310'
/** The service answers when the job has ended, or after so many seconds. */
const waitSeconds = 30
export const allPlatforms = 'spotify,apple_music,youtube,melon,soundcloud'

/** The service does not answer, or stops in the middle of its answer. */
export class Unreachable extends Error {}

function unreachable(cause) {
  throw new Unreachable(`no answer from ${url}. Is Loudsmith running?`, { cause })
}

/** The job ended without a result, and its credit was returned. */
export class JobFailed extends Error {}

/** The service says no. */
class Refused extends Error {
  constructor(status, { code, message }) {
    super(`${status} ${code}: ${message}`)
    this.code = code
  }
}

/** Calls the service and waits as long as it asks for, saying why; throws Refused unless it succeeds. */
async function call(at, init = {}) {
  const headers = { authorization: `Bearer ${process.env.LOUDSMITH_KEY}`, ...init.headers }
  for (;;) {
    const response = await fetch(url + at, { ...init, headers }).catch(unreachable)
    if (response.ok) return response
    const { error } = await json(response)
    const retryAfter = response.headers.get('retry-after')
    const refused = new Refused(response.status, error)
    if (retryAfter === null) throw refused
    console.error(`waiting: ${refused.message}`)
    await sleep(1000 * Number(retryAfter))
  }
}

const json = (response) => response.json().catch(unreachable)

/** Makes the job of a song. A request repeated with the same key within a day makes no second one, but finds the first. */
export async function create(song, platforms, key) {
  const form = new FormData()
  form.append('platforms', platforms)
  form.append('file', await openAsBlob(song), path.basename(song))
  const response = await call('/api/v1/master', { method: 'POST', headers: { 'idempotency-key': key }, body: form })
  const { job_id } = await json(response)
  return { jobId: job_id, isFound: response.headers.has('idempotent-replayed') }
}

/**
 * Returns the id of the job of a song for some platforms. Run again within a day, this finds the one that it made, and makes another
 * only when that failed or was deleted.
 */
async function createOnce(song, platforms) {
  const hash = createHash('sha256').update(platforms)
  await pipeline(createReadStream(song), hash)
  const key = hash.digest('hex')
  for (let attempt = 1; ; attempt++) {
    const { jobId, isFound } = await create(song, platforms, `${key}-${attempt}`)
    if (!isFound || (await isOfUse(jobId))) return jobId
  }
}

async function isOfUse(jobId) {
  try {
    const { status } = await json(await call(`/api/v1/jobs/${jobId}`))
    return status !== 'failed'
  } catch (error) {
    if (error.code !== 'JOB_NOT_FOUND') throw error
    return false
  }
}

/** Waits until the job has ended; throws JobFailed with the reason when it failed. */
async function ended(jobId) {
  for (;;) {
    const job = await json(await call(`/api/v1/jobs/${jobId}?wait=${waitSeconds}`))
    if (job.status === 'done') return
    if (job.status === 'failed') throw new JobFailed(job.error_message)
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
  const [song, platforms = allPlatforms] = process.argv.slice(2)
  if (!song || !process.env.LOUDSMITH_KEY) {
    console.error('Usage: LOUDSMITH_KEY=ams_live_… node master.mjs SONG [PLATFORMS]')
    process.exit(2)
  }
  const { dir, name } = path.parse(song)
  const target = path.join(dir, `${name}_masters.zip`)
  try {
    const jobId = await createOnce(song, platforms)
    console.log(`job ${jobId}`)
    await fetchMasters(jobId, target)
    console.log(target)
  } catch (error) {
    console.error(`not mastered ${song}: ${error.message}`)
    process.exitCode = 1
  }
}
