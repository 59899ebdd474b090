import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { childrenOf } from '../../support/processes.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A small part of a campaign; `npm run campaign` sets the whole number. At most the credits of a fresh account. */
const JOBS = Number(process.env.JOBS_ROUNDS ?? 6)
/** The first jobs load code, statements and pools once; that is not growth. */
const WARM_UP_JOBS = Math.max(4, Math.round(JOBS / 10))
const JOBS_AT_ONCE = 3
/** Room for caches that fill. A leak of 20 kB a job shows in a campaign. */
const MAX_LIVE_GROWTH_BYTES = 8 * 1024 * 1024
/** Room for the collector of garbage and the allocator, which are in no hurry to give anything back. */
const MAX_RESIDENT_GROWTH_BYTES = 96 * 1024 * 1024

let dataDir: string
let server: ServerProcess
beforeEach(async () => {
  dataDir = temporaryFolder(onTestFinished)
  server = await spawnServer(dataDir)
})
afterEach(() => server.end('SIGKILL'))

const residentBytes = () =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024
const openHandles = () => readdirSync(`/proc/${server.pid}/fd`).length

/** Masters `count` short songs of different length, a few at once. */
async function master(count: number): Promise<void> {
  let next = 0
  const lane = async () => {
    while (next < count) {
      const file = new Blob([new Uint8Array(wavSong({ seconds: 1.2 + (next++ % 7) / 10 }))])
      const { job_id } = await server.newJob({ file })
      expect(await server.until(job_id)).toMatchObject({ status: 'done' })
    }
  }
  await Promise.all(Array.from({ length: JOBS_AT_ONCE }, lane))
}

describe.runIf(process.platform === 'linux')(
  'many short jobs in one server (only where /proc tells its handles)',
  () => {
    test(`${JOBS} jobs: memory and open handles stay flat, no process and no temporary file is left`, async () => {
      await master(WARM_UP_JOBS)
      await expect.poll(() => childrenOf(server.pid)).toEqual([])
      const before = { live: await server.liveBytes(), resident: residentBytes(), handles: openHandles() }
      await master(JOBS - WARM_UP_JOBS)
      await expect.poll(() => childrenOf(server.pid)).toEqual([])
      await expect.poll(openHandles).toBeLessThanOrEqual(before.handles)
      const after = { live: await server.liveBytes(), resident: residentBytes(), handles: openHandles() }
      const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)
      console.log(
        `${JOBS} jobs: memory in use ${megabytes(before.live)} → ${megabytes(after.live)} MB, resident ${megabytes(before.resident)} → ${megabytes(after.resident)} MB, handles ${before.handles} → ${after.handles}`,
      )
      expect(after.live - before.live).toBeLessThan(MAX_LIVE_GROWTH_BYTES)
      expect(after.resident - before.resident).toBeLessThan(MAX_RESIDENT_GROWTH_BYTES)
      expect(readdirSync(path.join(dataDir, 'tmp'))).toEqual([])
      expect(await server.get('/api/v1/account')).toMatchObject({ credits: 500 - JOBS })
    })
  },
)
