/** Latency of a health check while a watched folder holds many known songs. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { startServer } from '../src-server/server.ts'
import { createLog } from '../src-system/log.ts'
import { systemClock } from '../src-system/system.ts'
import type { BenchInput } from './table.ts'

const KNOWN_FILES = 20_000
/** Time of consecutive requests, long enough for ten scans of the folder. */
const MEASURED_MS = 20_000
/** Time for the first scans, which read everything once. */
const SETTLING_MS = 30_000

interface Waits {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
}

/** Measures `/healthz` of a service without a watched folder, and of a service that watches 20 000 known songs. */
export async function benchKnownFiles({ work, say }: Pick<BenchInput, 'work' | 'say'>) {
  say(
    `\nA health check while the service rests, ms: without a watched folder, and with one of ${KNOWN_FILES} known songs.\n`,
  )
  const folder = path.join(work, 'bounces')
  mkdirSync(folder)
  for (let number = 0; number < KNOWN_FILES; number++)
    writeFileSync(path.join(folder, `Song ${number} (final).wav`), '')
  const without = await measure(path.join(work, 'without'))
  const withKnown = await measure(path.join(work, 'with'), folder)
  const row = (name: string, { p50Ms, p99Ms, longestMs }: Waits) =>
    say(`${name.padEnd(12)} p50 ${p50Ms.toFixed(2)}  p99 ${p99Ms.toFixed(2)}  longest ${longestMs.toFixed(1)}`)
  row('none', without)
  row('known songs', withKnown)
  say(`p99 with known songs is ${(withKnown.p99Ms / without.p99Ms).toFixed(2)} times that without.`)
  return { without, withKnown }
}

async function measure(dataDir: string, watched?: string): Promise<Waits> {
  const log = createLog('silent', systemClock, () => {})
  const server = await startServer({ dataDir, port: 0, host: 'browser', log })
  try {
    if (watched !== undefined) {
      const answer = await fetch(`${server.baseUrl}/app/watch-folders`, {
        method: 'POST',
        headers: { authorization: `Bearer ${server.sessionCredential}`, 'content-type': 'application/json' },
        body: JSON.stringify({ path: watched }),
      })
      if (answer.status !== 201) throw new Error(await answer.text())
    }
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS))
    return await ask(`${server.baseUrl}/healthz`)
  } finally {
    await server.close()
  }
}

/** Sends the requests from a separate thread, so that only the service's own thread is measured. */
function ask(url: string): Promise<Waits> {
  const worker = new Worker(
    `const { parentPort, workerData: { url, forMs } } = require('node:worker_threads')
    const waits = []
    const ask = async () => {
      for (const end = performance.now() + forMs; performance.now() < end; ) {
        const start = performance.now()
        await (await fetch(url)).text()
        waits.push(performance.now() - start)
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      waits.sort((one, other) => one - other)
      const at = (part) => waits[Math.min(waits.length - 1, Math.floor(part * waits.length))]
      parentPort.postMessage({ p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) })
    }
    ask()`,
    { eval: true, workerData: { url, forMs: MEASURED_MS } },
  )
  return new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
}
