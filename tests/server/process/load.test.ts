import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import path from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const isCampaign = process.env.LOAD_ROUNDS !== undefined && process.platform === 'linux'
const READS = Number(process.env.LOAD_ROUNDS ?? 0)
const MEGABYTE = 1024 * 1024
const PLATFORMS = 'spotify,apple_music,youtube,melon,soundcloud'

let dataDir: string
let server: ServerProcess
beforeEach(async () => {
  dataDir = temporaryFolder(onTestFinished)
  server = await spawnServer(dataDir)
})
afterEach(() => server.end('SIGKILL'))

const memoryBytes = (name: 'VmRSS' | 'VmHWM') =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) *
  1024

/** One client with one connection that stays open, as a program that polls has it. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

/** Resolves with the answer and how long it took, milliseconds. */
function timed(
  method: string,
  address: string,
  body?: Buffer,
  type = 'multipart/form-data; boundary=b',
): Promise<{ status: number; text: string; tookMs: number }> {
  const { controlToken } = JSON.parse(readFileSync(path.join(dataDir, 'owner.json'), 'utf8'))
  const headers = { authorization: `Bearer ${controlToken}`, 'content-type': type }
  const begin = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request(new URL(address, server.baseUrl), { agent, method, headers }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, tookMs: performance.now() - begin }))
    })
    sent.on('error', reject).end(body)
  })
}

/** A form whose file is not audio, so that nothing but receiving is measured. */
const form = (sizeBytes: number) =>
  Buffer.concat([
    Buffer.from('--b\r\nContent-Disposition: form-data; name="platforms"\r\n\r\nspotify\r\n'),
    Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
    Buffer.alloc(sizeBytes, 7),
    Buffer.from('\r\n--b--\r\n'),
  ])

describe.runIf(isCampaign)('under load (measures time, so in npm run campaign and on Linux only)', () => {
  test(`up to ${READS} reads of a job while two jobs are mastered: 99 of 100 within 25 ms`, async () => {
    await timed('PATCH', '/app/settings', Buffer.from('{"engine_workers":2}'), 'application/json')
    const jobIds: string[] = []
    for (const hertz of [220, 330]) {
      const file = new Blob([new Uint8Array(wavSong({ seconds: 150, sampleRateHz: 44_100, hertz }))])
      jobIds.push((await server.newJob({ file, platforms: PLATFORMS, tier: 'premium' })).job_id)
    }
    for (const jobId of jobIds) await server.until(jobId, ({ started_at }) => started_at !== undefined)
    const timesMs: number[] = []
    for (let isRunning = true; isRunning && timesMs.length < READS; ) {
      const { text, tookMs } = await timed('GET', `/api/v1/jobs/${jobIds[timesMs.length % 2]}`)
      timesMs.push(tookMs)
      isRunning = JSON.parse(text).status === 'queued'
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    timesMs.sort((a, b) => a - b)
    const quantileMs = (part: number) => timesMs[Math.floor(timesMs.length * part)] ?? Number.POSITIVE_INFINITY
    console.log(
      `${timesMs.length} reads of a job: median ${quantileMs(0.5).toFixed(2)} ms, p99 ${quantileMs(0.99).toFixed(2)} ms`,
    )
    expect(timesMs.length).toBeGreaterThan(READS / 5)
    expect(quantileMs(0.99)).toBeLessThanOrEqual(25)
  })

  test('uploads of 50 MB come in at 100 MB/s or more, and the server grows by 80 MB at most', async () => {
    await timed('POST', '/api/v1/master', form(MEGABYTE))
    const beforeBytes = memoryBytes('VmRSS')
    const body = form(50 * MEGABYTE)
    const speeds: number[] = []
    for (let sent = 0; sent < 5; sent++) {
      const { status, text, tookMs } = await timed('POST', '/api/v1/master', body)
      expect([status, JSON.parse(text).error.code]).toEqual([400, 'UNSUPPORTED_FORMAT'])
      speeds.push(body.length / 1e3 / tookMs)
    }
    const [, , median = 0] = speeds.sort((a, b) => a - b)
    const grownBytes = memoryBytes('VmHWM') - beforeBytes
    console.log(
      `uploads: median ${median.toFixed(0)} MB/s, ${(grownBytes / MEGABYTE).toFixed(0)} MB more memory at most`,
    )
    expect(median).toBeGreaterThanOrEqual(100)
    expect(grownBytes).toBeLessThanOrEqual(80 * MEGABYTE)
  })
})
