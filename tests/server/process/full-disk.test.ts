import { execFileSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { masterFile } from '../../../src-cli/master.ts'
import { terminalMessages } from '../../../src-cli/messages.ts'
import { createServiceClient } from '../../../src-cli/service-client.ts'
import type { CreatedJob } from '../../../src-contract/jobs.ts'
import type { ForkEngine } from '../../../src-server/jobs/worker-pool.ts'
import { type RunningServer, startServer } from '../../../src-server/server.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { INTACT } from '../../support/exports.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { type Answer, masterForm, type Service, startService } from '../../support/service.ts'
import { wavOfSize, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { warmEngine } from '../../support/warm-engine.ts'

const folder = temporaryFolder()
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

/** Leaves so many bytes free, whatever else is on the disk. */
function leaveOnly(bytes: number): void {
  fill()
  truncateSync(filler, statSync(filler).size - bytes)
}

/** The least that a file of a tmpfs takes or gives back. */
const PAGE_BYTES = 4096

const free = () => rmSync(filler, { force: true })

/** Sends a form without its length, and tells before each piece which part of it is sent. */
async function sendInPieces(address: string, form: FormData, onPiece: (part: number) => void): Promise<Answer> {
  const request = new Request('http://localhost', { method: 'POST', body: form })
  const bytes = new Uint8Array(await request.arrayBuffer())
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      onPiece(sent / bytes.length)
      if (sent >= bytes.length) return controller.close()
      controller.enqueue(bytes.subarray(sent, sent + 65_536))
      sent += 65_536
    },
  })
  const headers = { 'content-type': request.headers.get('content-type') ?? '' }
  return service.call('POST', address, { body, headers, duplex: 'half' } as RequestInit)
}

test('an upload during which the disk fills is answered 507 INSUFFICIENT_STORAGE, with nothing left and nothing charged', async (context) => {
  needMount(context)
  const form = masterForm({ file: new Blob([new Uint8Array(wavOfSize(8_000_000))]) })
  const { status, body } = await sendInPieces('/api/v1/master', form, (part) => {
    if (part > 0.5 && freeBytes() > 0) fill()
  })
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

test('the end of a job is not lost on a full disk: it is written as soon as there is room, and reading goes on meanwhile', async (context) => {
  needMount(context)
  const { job_id } = await service.newJob()
  await expect.poll(() => engine.processes.length).toBe(1)
  fill()
  service.expectFault('a job could not be settled')
  service.expectFault('a job failed')
  engine.processes[0]?.fail('DISK_FULL')
  await expect.poll(() => service.lines.some(({ message }) => message === 'a job could not be settled')).toBe(true)
  expect((await service.get(`/api/v1/jobs/${job_id}`, { credential: key })).body.status).toBe('queued')
  free()
  expect(await service.ended(job_id)).toMatchObject({ failure_code: 'DISK_FULL', credits_refunded: 1 })
  expect((await service.get('/api/v1/account')).body.credits).toBe(500)
})

describe('on a full disk', () => {
  let full: Service

  /** A service with room kept aside, and `count` jobs that are done. */
  async function openFull(context: TestContext, count = 0): Promise<string[]> {
    needMount(context)
    engine.isAutomatic = true
    const dataDir = path.join(folder, 'full')
    full = await startService({ dataDir, forkEngine: engine.fork })
    await expect.poll(() => statSync(spareRoom(), { throwIfNoEntry: false })?.size).toBe(8 * 1_048_576)
    const jobs: string[] = []
    for (let made = 0; made < count; made++) jobs.push((await full.newJob()).job_id)
    for (const jobId of jobs) await full.ended(jobId)
    engine.isAutomatic = false
    return jobs
  }
  const spareRoom = () => path.join(full.dataDir, 'spare-room')
  afterEach(async () => {
    free()
    await full?.stop()
  })

  async function expectRemoved(jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds) {
      expect((await full.call('DELETE', `/api/v1/jobs/${jobId}`)).status).toBe(204)
      expect((await full.get(`/api/v1/jobs/${jobId}`)).body.error.code).toBe('JOB_NOT_FOUND')
      expect(existsSync(path.join(full.dataDir, 'jobs', jobId))).toBe(false)
    }
  }

  test('jobs can be deleted, many in a row', async (context) => {
    const jobs = await openFull(context, 5)
    fill()
    await expectRemoved(jobs)
  })

  test.runIf(IS_CAMPAIGN)('jobs can be deleted where no room could be kept aside', async (context) => {
    const jobs = await openFull(context, 3)
    rmSync(spareRoom())
    fill()
    await expectRemoved(jobs)
  })

  test('a job whose files went and whose row could not follow says that its result is gone, and can be deleted later', async (context) => {
    const [jobId = ''] = await openFull(context, 1)
    rmSync(spareRoom())
    // Something else took the room that its files had made.
    rmSync(path.join(full.dataDir, 'jobs', jobId), { recursive: true })
    fill()
    const refused = await full.call('DELETE', `/api/v1/jobs/${jobId}`)
    expect([refused.status, refused.body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
    for (const address of ['/download', '/files/spotify', '/files/source', '/report']) {
      const { status, body } = await full.get(`/api/v1/jobs/${jobId}${address}`)
      expect([address, status, body.error.code]).toEqual([address, 410, 'RESULT_EXPIRED'])
    }
    free()
    expect((await full.call('POST', `/api/v1/jobs/${jobId}/retry`)).body.error.code).toBe('RESULT_EXPIRED')
    await expectRemoved([jobId])
  })

  test('a job that runs can be cancelled, and what it has written goes', async (context) => {
    await openFull(context)
    const started = engine.processes.length
    const { job_id } = await full.newJob()
    await expect.poll(() => engine.processes.length).toBe(started + 1)
    const attempt = engine.processes[started]?.order?.attemptFolder ?? ''
    writeFileSync(path.join(attempt, 'half.wav'), Buffer.alloc(1_048_576))
    fill()
    const { status, body } = await full.call('DELETE', `/api/v1/jobs/${job_id}`)
    expect([status, body.failure_code, body.credits_refunded]).toEqual([200, 'CANCELLED', 1])
    await expect.poll(() => existsSync(attempt)).toBe(false)
  })

  test('files of a failed job are removed before its end is recorded, which needs that room', async (context) => {
    await openFull(context)
    rmSync(spareRoom())
    const started = engine.processes.length
    const { job_id } = await full.newJob()
    await expect.poll(() => engine.processes.length).toBe(started + 1)
    const attempt = engine.processes[started]?.order?.attemptFolder ?? ''
    writeFileSync(path.join(attempt, 'half.wav'), Buffer.alloc(1_048_576))
    fill()
    full.expectFault('a job failed')
    engine.processes[started]?.fail('DISK_FULL')
    expect(await full.ended(job_id)).toMatchObject({ failure_code: 'DISK_FULL', credits_refunded: 1 })
    expect(existsSync(attempt)).toBe(false)
  })

  test.runIf(IS_CAMPAIGN)(
    'songs can be taken off the batch, and the retention can be made shorter',
    async (context) => {
      await openFull(context)
      await full.patch('/app/desk', { is_paused: true })
      const sources: string[] = []
      for (let pitch = 1; pitch <= 4; pitch++) {
        const form = new FormData()
        form.append('file', new Blob([new Uint8Array(wavSong({ hertz: 110 * pitch }))]), 'song.wav')
        sources.push((await full.call('POST', '/app/sources', { body: form })).body.source_id)
      }
      await full.post('/app/desk/start', { source_ids: sources })
      fill()
      for (const source_id of sources) {
        expect((await full.post('/app/desk/stop', { source_ids: [source_id] })).status).toBe(200)
        expect((await full.post('/app/desk/remove', { source_ids: [source_id] })).status).toBe(200)
      }
      expect((await full.get('/app/desk')).body.songs).toEqual([])
      for (const retention_days of [20, 10, 5, 1])
        expect((await full.patch('/app/settings', { retention_days })).body.retention_days).toBe(retention_days)
    },
  )
})

describe('a second writer that fills the disk in the middle of', () => {
  /** Called when an engine process is given its work, and when it has answered: what the second writer does then. */
  let atOrder = () => {}
  let atAnswer = () => {}
  let lastStage = ''
  const fork = warmEngine(createLog('silent', systemClock, () => {}))
  const forkEngine: ForkEngine = ({ onMessage, ...listeners }, options) => {
    const process = fork(
      {
        ...listeners,
        onMessage(message) {
          if (message.type === 'progress') lastStage = message.stage
          else atAnswer()
          onMessage(message)
        },
      },
      options,
    )
    return {
      ...process,
      send(command) {
        atOrder()
        process.send(command)
      },
    }
  }
  const song = path.join(folder, 'song.wav')
  const inside = (name: string) => path.join(folder, name)
  let own: Service
  let done: CreatedJob
  let masterBytes: number
  let reportBytes: number
  const credits = async () => (await own.get('/api/v1/account')).body.credits

  beforeAll(async () => {
    if (!isMounted) return
    own = await startService({ dataDir: inside('own'), forkEngine })
    const request = { file: new Blob([new Uint8Array(wavSong({ seconds: 1, sampleRateHz: 44_100 }))]) }
    done = await own.newJob(request)
    await own.ended(done.job_id)
    const result = path.join(own.dataDir, 'jobs', done.job_id, 'result')
    const reports = readdirSync(result).filter((name) => !name.endsWith('.wav'))
    reportBytes = reports.reduce((sum, name) => sum + statSync(path.join(result, name)).size, 0)
    masterBytes = (await fetchMaster()).length
  })
  const fetchMaster = async () => (await own.get(`/api/v1/jobs/${done.job_id}/files/spotify`)).body as string
  afterEach(() => {
    atOrder = () => {}
    atAnswer = () => {}
    free()
  })
  afterAll(() => own?.stop())

  test('an import of releases: none of them is made, and all of them once there is room', async (context) => {
    needMount(context)
    const make = () => {
      const form = new FormData()
      const rows = Array.from({ length: 400 }, (_, row) => `Record ${row % 8},Band,Song ${row}`)
      form.append('file', new Blob([['release_title,release_artist,title', ...rows].join('\n')]), 'table.csv')
      return own.call('POST', '/api/v1/releases/csv', { body: form })
    }
    leaveOnly(4 * PAGE_BYTES)
    expect((await make()).body.error.code).toBe('INSUFFICIENT_STORAGE')
    free()
    expect((await own.get('/api/v1/releases')).body.total).toBe(0)
    expect((await make()).status).toBe(201)
    expect((await own.get('/api/v1/releases')).body.total).toBe(8)
  })

  test.for([
    ['rendering', () => masterBytes / 2],
    ['packaging', () => masterBytes + reportBytes / 2],
  ] as const)(
    '%s: the job ends with DISK_FULL, without a charge and with nothing left',
    async ([stage, room], context) => {
      needMount(context)
      const before = await credits()
      atOrder = () => leaveOnly(Math.floor(room()))
      own.expectFault('a job failed')
      const { job_id } = await own.newJob({
        file: new Blob([new Uint8Array(wavSong({ seconds: 1, sampleRateHz: 44_100 }))]),
      })
      const ended = await own.ended(job_id)
      free()
      expect([ended.failure_code, ended.credits_refunded, lastStage]).toEqual(['DISK_FULL', 1, stage])
      expect(await credits()).toBe(before)
      expect(readdirSync(path.join(own.dataDir, 'jobs', job_id))).toEqual(['source'])
    },
  )

  test('a delivery to another drive: the batch pauses, and resumes with the finished masters, for one credit', async (context) => {
    needMount(context)
    const other = await startService({ forkEngine })
    context.onTestFinished(() => other.stop())
    const before = (await other.get('/api/v1/account')).body.credits
    writeFileSync(song, wavSong({ seconds: 1, sampleRateHz: 44_100 }))
    await other.patch('/app/settings', { allowed_folders: [folder] }, { credential: other.controlCredential })
    const lines = [{ delivery: 'folder', folder: inside('out'), platforms: ['spotify'] }, { path: song }]
    const form = new FormData()
    form.append('manifest', new Blob([lines.map((line) => JSON.stringify(line)).join('\n')]))
    atAnswer = () => leaveOnly(Math.floor(masterBytes / 2))
    const { batch_id } = (await other.call('POST', '/api/v1/batches', { body: form })).body
    const batch = async () => (await other.get(`/api/v1/batches/${batch_id}`)).body
    await expect.poll(batch).toMatchObject({ status: 'paused', paused_because: 'folder' })
    atAnswer = () => {}
    free()
    expect(existsSync(inside('out')) ? readdirSync(inside('out'), { recursive: true }) : []).toEqual([])
    await other.post(`/api/v1/batches/${batch_id}/resume`, {})
    await expect.poll(batch).toMatchObject({ status: 'ended', songs: { done: 1 } })
    expect(readdirSync(inside('out'))).toHaveLength(1)
    expect((await other.get('/api/v1/account')).body.credits).toBe(before - 1)
  })

  test('an export: it is answered 507, and goes on with the next call', async (context) => {
    needMount(context)
    const { release_id } = (
      await own.post('/api/v1/releases', {
        title: 'Record',
        artist: 'Band',
        kind: 'single',
        tracks: [{ job_id: done.job_id }],
      })
    ).body
    const make = () =>
      own.post(`/api/v1/releases/${release_id}/export`, { folder, formats: ['wav24', 'flac16_44'], zip: true })
    atOrder = () => leaveOnly(Math.floor(masterBytes / 2))
    const refused = await make()
    atOrder = () => {}
    free()
    expect([refused.status, refused.body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
    expect((await make()).status).toBe(200)
    const verified = await own.post('/api/v1/releases/verify', { folder: inside('Band - Record') })
    expect(verified.body).toMatchObject(INTACT)
    expect(
      readdirSync(inside('Band - Record')).filter((name) => name.startsWith('.') || name.endsWith('.part')),
    ).toEqual([])
  })
})

const RESERVE_BYTES = 64 * 1_048_576
const freeBytes = () => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Leaves the reserve and so many bytes free. */
function leaveRoom(bytes: number): void {
  const file = openSync(filler, 'w')
  while (freeBytes() > RESERVE_BYTES + bytes)
    writeSync(file, Buffer.alloc(Math.min(65_536, freeBytes() - RESERVE_BYTES - bytes)))
  closeSync(file)
}

describe.each([
  ['a song', '/api/v1/master', 'file'],
  ['a reference', '/api/v1/master', 'reference_file'],
  ['a song to look at', '/api/v1/analyze', 'file'],
  ['a song of the batch', '/app/sources', 'file'],
])('%s that the disk has no room for beside the reserve', (_what, address, field) => {
  const song = new Blob([new Uint8Array(wavOfSize(6_000_000))])
  const formOf = () => {
    const form = new FormData()
    form.append(field, song, 'song.wav')
    return form
  }

  test('is refused before it is sent where its length is declared', async (context) => {
    needMount(context)
    leaveRoom(2 * 1_048_576)
    const request = new Request('http://localhost', { method: 'POST', body: formOf() })
    const { byteLength } = await request.arrayBuffer()
    const socket = connect(service.port, '127.0.0.1')
    const head = [
      `POST ${address} HTTP/1.1`,
      `Host: 127.0.0.1:${service.port}`,
      `Authorization: Bearer ${service.sessionCredential}`,
      `Content-Type: ${request.headers.get('content-type')}`,
      `Content-Length: ${byteLength}`,
      'Expect: 100-continue',
      'Connection: close',
      '\r\n',
    ]
    socket.write(head.join('\r\n'))
    const answer = await text(socket)
    expect(answer).toMatch(/^HTTP\/1.1 507 /)
    expect(answer).toContain('INSUFFICIENT_STORAGE')
    free()
  })

  test('is refused while it comes where its length is not, with the reserve untouched and nothing left', async (context) => {
    needMount(context)
    leaveRoom(2 * 1_048_576)
    let least = freeBytes()
    const answer = await sendInPieces(address, formOf(), () => {
      least = Math.min(least, freeBytes())
    })
    expect([answer.status, answer.body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
    // Allows for bytes written between two checks, and for a page of the folder.
    expect(least).toBeGreaterThan(RESERVE_BYTES - 4 * 1_048_576)
    expect(service.temporary()).toEqual([])
    free()
  })
})

test.runIf(IS_CAMPAIGN)(
  'a song of a watched folder waits outside while the disk has no room for it beside the reserve',
  async (context) => {
    needMount(context)
    const watched = mkdtempSync(path.join(tmpdir(), 'loudsmith-bounces-'))
    const { folder_id } = (await service.post('/app/watch-folders', { path: watched })).body
    writeFileSync(path.join(watched, 'song.wav'), wavOfSize(6_000_000))
    leaveRoom(2 * 1_048_576)
    const waiting = async () => (await service.get('/app/watch-folders')).body.folders[0].waiting
    await expect.poll(waiting).toMatchObject([{ code: 'INSUFFICIENT_STORAGE' }])
    expect(service.temporary()).toEqual([])
    free()
    await service.call('DELETE', `/app/watch-folders/${folder_id}`)
    rmSync(watched, { recursive: true })
  },
)

test('the command line leaves no half of a master where there is no room to unpack all of them', async (context) => {
  needMount(context)
  const elsewhere = await startService()
  const song = path.join(elsewhere.dataDir, 'song.wav')
  writeFileSync(song, wavSong())
  const words = terminalMessages({}, 'en')
  const client = createServiceClient({ baseUrl: elsewhere.baseUrl, credential: elsewhere.sessionCredential }, words)
  const master = (out: string) => {
    const options = { platforms: 'spotify,melon', out, fields: {} }
    return masterFile(
      client,
      { path: song, name: path.basename(song) },
      options,
      () => {},
      new AbortController().signal,
      words,
    )
  }
  const { files } = await master(path.join(folder, 'whole'))
  const sizes = files.map((file) => statSync(file).size)
  const [first = 0, second = 0] = sizes
  const zipBytes = sizes.reduce((sum, size) => sum + size)
  rmSync(path.join(folder, 'whole'), { recursive: true })
  // The ZIP, the first master and half of the second; folders and the last pages of files take some.
  leaveOnly(zipBytes + first + Math.floor(second / 2) + 16 * PAGE_BYTES)
  const out = path.join(folder, 'half')
  await expect(master(out)).rejects.toThrow(
    /^The masters are ready but could not be written to .*ENOSPC.*\. Save them from the History/,
  )
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
