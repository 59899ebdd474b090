#!/usr/bin/env node
/**
 * Masters one song: create the job, poll it, download the ZIP beside the song.
 * Usage: LOUDSMITH_KEY=ams_live_… node master.mjs song.wav [spotify,melon]
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

const url = process.env.LOUDSMITH_URL ?? 'http://127.0.0.1:47310'
const pollMs = 1000 * Number(process.env.LOUDSMITH_POLL_SECONDS ?? 2)
export const allPlatforms = 'spotify,apple_music,youtube,melon,soundcloud'

/** Calls the service; throws an Error with the service's own code and message unless it succeeds. */
async function call(at, init = {}) {
  const headers = { authorization: `Bearer ${process.env.LOUDSMITH_KEY}`, ...init.headers }
  const response = await fetch(url + at, { ...init, headers })
  if (response.ok) return response
  const { error } = await response.json()
  const retryAfter = response.headers.get('retry-after')
  throw Object.assign(new Error(`${response.status} ${error.code}: ${error.message}`), { code: error.code, retryAfter })
}

/** Makes the job; waits as long as the service asks for when it is busy. The key makes a repeated request harmless. */
async function create(song, platforms) {
  const key = randomUUID()
  for (;;) {
    const form = new FormData()
    form.append('platforms', platforms)
    form.append('file', await openAsBlob(song), path.basename(song))
    try {
      const response = await call('/api/v1/master', { method: 'POST', headers: { 'idempotency-key': key }, body: form })
      return (await response.json()).job_id
    } catch (error) {
      if (!error.retryAfter) throw error
      await sleep(1000 * Number(error.retryAfter))
    }
  }
}

/** Polls until the job has ended; throws the reason when it failed. */
async function ended(jobId) {
  for (;;) {
    const job = await (await call(`/api/v1/jobs/${jobId}`)).json()
    if (job.status === 'done') return
    if (job.status === 'failed') throw new Error(job.error_message)
    await sleep(pollMs)
  }
}

/** Masters `song` and writes the ZIP to `target`. */
export async function master(song, target, platforms = allPlatforms) {
  const jobId = await create(song, platforms)
  console.log(`job ${jobId}`)
  await ended(jobId)
  const { body } = await call(`/api/v1/jobs/${jobId}/download`)
  await pipeline(Readable.fromWeb(body), createWriteStream(target))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [song, platforms] = process.argv.slice(2)
  const { dir, name } = path.parse(song)
  const target = path.join(dir, `${name}_masters.zip`)
  await master(song, target, platforms).then(
    () => console.log(target),
    (error) => {
      console.error(`not mastered: ${error.message}`)
      process.exitCode = 1
    },
  )
}
