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

/** The service does not answer at all. */
export class Unreachable extends Error {}

/** Calls the service and waits as long as it asks for; throws an Error with its own code and message unless it succeeds. */
async function call(at, init = {}) {
  const headers = { authorization: `Bearer ${process.env.LOUDSMITH_KEY}`, ...init.headers }
  for (;;) {
    const response = await fetch(url + at, { ...init, headers }).catch((cause) => {
      throw new Unreachable(`no answer from ${url}. Is Loudsmith running?`, { cause })
    })
    if (response.ok) return response
    const { error } = await response.json()
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter === null) throw new Error(`${response.status} ${error.code}: ${error.message}`)
    await sleep(1000 * Number(retryAfter))
  }
}

/** Makes the job. A request repeated with the same key makes no second one. */
async function create(song, platforms, key) {
  const form = new FormData()
  form.append('platforms', platforms)
  form.append('file', await openAsBlob(song), path.basename(song))
  const response = await call('/api/v1/master', { method: 'POST', headers: { 'idempotency-key': key }, body: form })
  return (await response.json()).job_id
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

/** Masters `song` and writes the ZIP to `target`. With the key of an earlier call it goes on with the job of that one. */
export async function master(song, target, platforms = allPlatforms, key = randomUUID()) {
  const jobId = await create(song, platforms, key)
  console.log(`job ${jobId}`)
  await ended(jobId)
  const { body } = await call(`/api/v1/jobs/${jobId}/download`)
  await pipeline(Readable.fromWeb(body), createWriteStream(target))
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [song, platforms] = process.argv.slice(2)
  if (!song || !process.env.LOUDSMITH_KEY) {
    console.error('Usage: LOUDSMITH_KEY=ams_live_… node master.mjs SONG [PLATFORMS]')
    process.exit(2)
  }
  const { dir, name } = path.parse(song)
  const target = path.join(dir, `${name}_masters.zip`)
  await master(song, target, platforms).then(
    () => console.log(target),
    (error) => {
      console.error(`not mastered ${song}: ${error.message}`)
      process.exitCode = 1
    },
  )
}
