import { execFileSync } from 'node:child_process'
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, type TestContext, test, vi } from 'vitest'
import { masterFile } from '../../src-server/cli/master.ts'
import { createServiceClient } from '../../src-server/cli/service-client.ts'
import { wordsOfTerminal } from '../../src-server/cli/words.ts'
import { type RunningServer, startServer } from '../../src-server/server.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'
import { wavOfSize, wavSong } from '../support/songs.ts'

vi.setConfig({ testTimeout: 60_000 })

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-disk-'))
const filler = path.join(folder, 'filler')
const engine = createHeldEngine()
let isMounted = false
let service: Service
let key: string

beforeAll(async () => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder], { stdio: 'ignore' })
    isMounted = true
  } catch {
    return
  }
  service = await startService({ dataDir: path.join(folder, 'data'), forkEngine: engine.fork })
  key = await service.newKey()
})
afterAll(async () => {
  if (isMounted) {
    await service.stop()
    execFileSync('umount', [folder])
  }
  rmSync(folder, { recursive: true, force: true })
})

function needMount(context: TestContext): void {
  if (!isMounted) context.skip('a small file system cannot be mounted here')
}

/** Leaves no byte free. */
function fill(): void {
  const file = openSync(filler, 'a')
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 4)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch {
      // Full for pieces of this size.
    }
  }
  closeSync(file)
}

/** The least that a file of a tmpfs takes or gives back. */
const PAGE_BYTES = 4096

const free = () => rmSync(filler, { force: true })

test('an upload that fills the disk is answered 507 INSUFFICIENT_STORAGE, with nothing left and nothing charged', async (context) => {
  needMount(context)
  fill()
  const { status, body } = await service.master(
    { file: new Blob([new Uint8Array(wavOfSize(8_000_000))]) },
    { credential: key },
  )
  expect([status, body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
  free()
  expect(service.temporary()).toEqual([])
  expect(readdirSync(path.join(service.dataDir, 'jobs'))).toEqual([])
  expect((await service.get('/api/v1/account')).body.credits).toBe(500)
})

test('too little room for the masters is 507 before anything is charged', async (context) => {
  needMount(context)
  const file = openSync(filler, 'w')
  for (let written = 0; written < 110; written++) writeSync(file, Buffer.alloc(1_048_576))
  closeSync(file)
  expect((await service.master()).body.error.code).toBe('INSUFFICIENT_STORAGE')
  free()
  expect((await service.get('/api/v1/account')).body.credits).toBe(500)
})

test('how a job ended is not lost on a full disk: it is written as soon as there is room, and reading goes on meanwhile', async (context) => {
  needMount(context)
  const { job_id } = await service.newJob()
  await expect.poll(() => engine.processes.length).toBe(1)
  fill()
  service.expectFault('a job could not be settled')
  service.expectFault('a job failed')
  engine.processes[0]?.fail('DISK_FULL')
  await expect.poll(() => service.lines.some(({ message }) => message === 'a job could not be settled')).toBe(true)
  expect((await service.get(`/api/v1/jobs/${job_id}`, { credential: key })).body.status).toBe('queued')
  const refused = await service.call('DELETE', `/api/v1/jobs/${job_id}`)
  expect([refused.status, refused.body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
  free()
  expect(await service.ended(job_id)).toMatchObject({ failure_code: 'DISK_FULL', credits_refunded: 1 })
  expect((await service.get('/api/v1/account')).body.credits).toBe(500)
})

test('the command line leaves no half of a master where there is no room to unpack all of them', async (context) => {
  needMount(context)
  const elsewhere = await startService()
  const song = path.join(elsewhere.dataDir, 'song.wav')
  writeFileSync(song, wavSong())
  const words = wordsOfTerminal({}, 'en')
  const client = createServiceClient({ baseUrl: elsewhere.baseUrl, credential: elsewhere.sessionCredential }, words)
  const master = (out: string) => {
    const options = { platforms: 'spotify,melon', out, fields: {} }
    return masterFile(client, song, options, () => {}, new AbortController().signal, words)
  }
  const { files } = await master(path.join(folder, 'whole'))
  const sizes = files.map((file) => statSync(file).size)
  const [first = 0, second = 0] = sizes
  const zipBytes = sizes.reduce((sum, size) => sum + size)
  rmSync(path.join(folder, 'whole'), { recursive: true })
  fill()
  // The ZIP, the first master and half of the second; folders and the last pages of files take some.
  const roomBytes = zipBytes + first + Math.floor(second / 2) + 16 * PAGE_BYTES
  truncateSync(filler, statSync(filler).size - roomBytes)
  const out = path.join(folder, 'half')
  await expect(master(out)).rejects.toThrow(/^The masters are made, .*ENOSPC.*\. Save them from the History/)
  const left = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(left.map(({ parentPath, name }) => statSync(path.join(parentPath, name)).size)).toEqual([first])
  free()
  rmSync(out, { recursive: true })
  await elsewhere.stop()
})

test('a start on a full disk says so and what to do, wherever it runs out of room', async (context) => {
  needMount(context)
  fill()
  const options = { dataDir: path.join(folder, 'another'), port: 0, forkEngine: engine.fork }
  for (let refusals = 0; ; refusals++) {
    const started = await startServer(options).catch((error: unknown) => error)
    if (!(started instanceof Error)) {
      await (started as RunningServer).close()
      expect(refusals).toBeGreaterThan(3)
      break
    }
    expect(started).toMatchObject({ name: 'DatabaseError', fault: 'full' })
    truncateSync(filler, statSync(filler).size - PAGE_BYTES)
  }
  free()
})
