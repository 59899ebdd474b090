import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { isAlive } from '../../support/processes.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const hasPrlimit = (() => {
  try {
    execFileSync('prlimit', ['--version'])
    return true
  } catch {
    return false
  }
})()

/** Lets a process open `spare` more file descriptors: the limit is on their number, and each takes the lowest that is free. */
function leaveDescriptors(pid: number, spare: number): void {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  let limit = 0
  for (let free = 0; free < spare; limit++) if (!open.has(limit)) free++
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`])
}

/** Downloads at once, and the descriptors of the service: fewer than all their files. */
const [DOWNLOADS, DESCRIPTORS] = IS_CAMPAIGN ? [200, 1024] : [40, 240]

const restoreDescriptors = (pid: number) => void execFileSync('prlimit', [`--pid=${pid}`, '--nofile=4096:'])

describe.runIf(hasPrlimit)('a service without file descriptors (needs prlimit)', () => {
  const dataDir = temporaryFolder()
  let server: ServerProcess
  beforeAll(async () => {
    server = await spawnServer(dataDir)
  })
  afterAll(() => server.end('SIGKILL'))

  const take = () => server.newJob({ dry_run: 'true' })

  test.each(IS_CAMPAIGN ? [1, 3, 5, 7, 9] : [1, 5])(
    'that may open %i more answers 503 UNAVAILABLE or takes the song, and goes on',
    async (spare) => {
      // Opens everything that stays open after the first job.
      await take()
      leaveDescriptors(server.pid, spare)
      const answer = await take().catch((error: Error) => error)
      restoreDescriptors(server.pid)
      if (answer instanceof Error) expect(String(answer.cause ?? answer.message)).toMatch(/UNAVAILABLE|closed/)
      expect(isAlive(server.pid)).toBe(true)
      expect(await take()).toMatchObject({ would_charge: 1 })
    },
  )

  test(`${DOWNLOADS} clients at once that each load the masters of another job get them whole, or 503 UNAVAILABLE before the first byte`, async () => {
    const song = new Blob([new Uint8Array(wavSong({ seconds: 4 }))])
    const { job_id: first } = await server.newJob({ file: song, platforms: 'spotify,apple_music,melon' })
    const { download_size_bytes: sizeBytes } = await server.until(first)
    await server.end('SIGTERM')
    const ids = [first, ...copiesOfJob(dataDir, first, DOWNLOADS - 1)]
    server = await spawnServer(dataDir)
    execFileSync('prlimit', [`--pid=${server.pid}`, `--nofile=${DESCRIPTORS}:`])
    const asked = ids.map((id) => server.send('GET', `/api/v1/jobs/${id}/download`).catch((error: Error) => error))
    // All of them are under way before one is read: more bytes than the sockets hold.
    const answers = await Promise.all(asked)
    const sizes = await Promise.all(
      answers.map(async (answer) => (answer instanceof Error ? answer : (await answer.arrayBuffer()).byteLength)),
    )
    restoreDescriptors(server.pid)
    const refusals = sizes.filter((size) => size instanceof Error)
    for (const { message } of refusals) expect(message).toMatch(/"UNAVAILABLE"/)
    expect(new Set(sizes.filter((size) => !(size instanceof Error)))).toEqual(new Set([sizeBytes]))
    console.info(`${sizes.length - refusals.length} whole, ${refusals.length} refused`)
    expect(refusals.length).toBeLessThan(sizes.length)
  })
})

/** Copies a finished job of a stopped service, with its files, under new names and returns these. */
function copiesOfJob(dataDir: string, jobId: string, count: number): string[] {
  const database = new Database(path.join(dataDir, 'loudsmith.db'))
  const columns = database.pragma('table_info(jobs)') as readonly { readonly name: string }[]
  const others = columns.map(({ name }) => name).filter((name) => name !== 'serial' && name !== 'job_id')
  const copy = database.prepare(
    `INSERT INTO jobs (job_id, ${others.join()}) SELECT ?, ${others.join()} FROM jobs WHERE job_id = ?`,
  )
  const ids = Array.from({ length: count }, (_, at) => `${String(at).padStart(8, '0')}${jobId.slice(8)}`)
  for (const id of ids) {
    copy.run(id, jobId)
    cpSync(path.join(dataDir, 'jobs', jobId), path.join(dataDir, 'jobs', id), { recursive: true })
  }
  database.close()
  return ids
}
