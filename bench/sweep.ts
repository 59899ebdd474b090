/**
 * `node bench/sweep.ts [results] [folder]`: waiting times of requests while a start sweeps that many expired results. Prints the longest
 * wait and the 99th percentile, and the same figures of the service at rest as a baseline of this machine.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jobSettings } from '../src-contract/settings.ts'
import { readMigrations } from '../src-server/db/migrate.ts'
import { openDatabase } from '../src-server/db/open.ts'
import { JobStore } from '../src-server/jobs/store.ts'
import { startServer } from '../src-server/server.ts'
import { createLog } from '../src-system/log.ts'
import { systemClock, systemRandom } from '../src-system/system.ts'

const [count = '20000', base = tmpdir()] = process.argv.slice(2)
const dataDir = mkdtempSync(path.join(base, 'loudsmith-sweep-'))
const EVERY_MS = 10
const REST_MS = 5000
const DAY_MS = 86_400_000

/** Stores ended jobs that expired long ago, each with its song, a ZIP and two reports. */
function layDown(results: number): void {
  const db = openDatabase(
    path.join(dataDir, 'loudsmith.db'),
    readMigrations(path.join(import.meta.dirname, '../src-server/db/migrations')),
  )
  const store = new JobStore(db)
  const facts = {
    format: 'wav' as const,
    codec: 'pcm_s16',
    sampleRateHz: 44_100,
    channels: 2,
    frames: 1,
    durationSeconds: 1,
  }
  const end = { failure: { code: 'CANCELLED' as const, values: { padding: 'x'.repeat(8000) } }, warnings: [] }
  db.transaction(() => {
    for (let index = 0; index <= results; index++) {
      const jobId = systemRandom.newUuid()
      const request = {
        settings: jobSettings({ platforms: ['spotify'], genre: 'pop', ai_service: 'suno' }),
      }
      const song = {
        filename: `${index}.wav`,
        sha256: '0'.repeat(64),
        facts: { ...facts, isLossy: false, tags: {}, hasCover: false, hasProvenance: false },
      }
      // The last job is current: otherwise the clock would seem to have jumped, and nothing would be swept for a day.
      const at = systemClock.now() - (index < results ? 60 * DAY_MS : 0)
      store.add({
        jobId,
        request,
        song,
        creditsUsed: 1,
        creditsRemaining: 1,
        warnings: [],
        storedBytes: 1,
        createdAtMs: at,
      })
      store.finish(
        jobId,
        { state: 'failed', starts: 1, losses: 0, interruptions: 0 },
        { ...end, creditsRefunded: 1, storedBytes: 1, completedAtMs: at, expiresAtMs: at + 30 * DAY_MS },
      )
      const folder = path.join(dataDir, 'jobs', jobId, 'result')
      mkdirSync(folder, { recursive: true })
      for (const name of ['a.zip', 'report.json', 'report.html']) writeFileSync(path.join(folder, name), name)
      writeFileSync(path.join(folder, '../source'), 'song')
    }
  })()
  db.close()
}

/** Repeats a request while `isOn` holds and returns the response times, ms. */
async function waits(ask: () => Promise<unknown>, isOn: () => boolean): Promise<number[]> {
  const took: number[] = []
  while (isOn()) {
    const start = performance.now()
    await ask()
    took.push(performance.now() - start)
    await sleep(EVERY_MS)
  }
  return took.sort((a, b) => a - b)
}

/**
 * Watches the event-loop turns of the service's thread; the returned function stops and returns the longest in ms of its own processor
 * time, which excludes other work on the machine.
 */
function watchTurns(): () => number {
  let isOn = true
  let longestMs = 0
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let before = usedMs()
  const turn = () => {
    const now = usedMs()
    longestMs = Math.max(longestMs, now - before)
    before = now
    if (isOn) setImmediate(turn)
  }
  turn()
  return () => {
    isOn = false
    return longestMs
  }
}

const shown = (took: readonly number[]) =>
  `longest ${took.at(-1)?.toFixed(0)} ms, p99 ${took[Math.floor(took.length * 0.99)]?.toFixed(0)} ms of ${took.length}`

layDown(Number(count))
let isSwept = false
const log = createLog('info', systemClock, (line) => {
  if (line.includes('"results expired"')) isSwept = true
})
const start = performance.now()
const server = await startServer({ dataDir, port: 0, log })
const headers = { authorization: `Bearer ${server.sessionCredential}` }
const ask = (address: string) => () =>
  fetch(`${server.baseUrl}${address}`, { headers }).then((answer) => answer.arrayBuffer())
const stopWatching = watchTurns()
const during = await Promise.all(['/healthz', '/api/v1/account'].map((one) => waits(ask(one), () => !isSwept)))
const sweptMs = performance.now() - start
const longestTurnMs = stopWatching()
const restUntil = performance.now() + REST_MS
const atRest = await waits(ask('/healthz'), () => performance.now() < restUntil)
console.log(`${count} results swept in ${(sweptMs / 1000).toFixed(1)} s`)
console.log(`longest turn of the thread: ${longestTurnMs.toFixed(0)} ms of its processor time`)
console.log(`healthz while sweeping: ${shown(during[0] ?? [])}`)
console.log(`account while sweeping: ${shown(during[1] ?? [])}`)
console.log(`healthz at rest:        ${shown(atRest)}`)
await server.close()
rmSync(dataDir, { recursive: true, force: true })
