/**
 * Hostile messages between machines, on a real Redis: whoever writes into the queue, and a machine that lies, touch nothing beside the folder of
 * the attempt, and every attempt ends once. `npm run campaign` tries FARM_SHAPES of each.
 */
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Job, Queue, QueueEvents, Worker } from 'bullmq'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DEFAULT_SETTINGS, type JobSettings, jobSettings } from '../../../src-contract/settings.ts'
import { engineVersion } from '../../../src-engine/version.ts'
import type { Blobs } from '../../../src-server/farm/blobs.ts'
import { BullQueue, type BullQueueDeps } from '../../../src-server/farm/bull-queue.ts'
import { Machines } from '../../../src-server/farm/machines.ts'
import { MessageFault, type PackedEnd, PROTOCOL, readAttempt } from '../../../src-server/farm/messages.ts'
import { openBlobs } from '../../../src-server/farm/open-blobs.ts'
import { packOrder, packResult } from '../../../src-server/farm/packed-work.ts'
import { queuePlace } from '../../../src-server/farm/redis.ts'
import type { FarmTiming } from '../../../src-server/farm/timing.ts'
import type { AttemptEnd } from '../../../src-server/jobs/queue.ts'
import { startMachine } from '../../../src-server/machine.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import type { WorkOrder, WorkResult } from '../../../src-worker/mastering/work-order.ts'
import type { AudioFacts } from '../../../src-worker/media/audio-facts.ts'
import { keptFiles } from '../../../src-worker/result/result-zip.ts'
import { listing } from '../../support/folder-listing.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { shortFfmpeg } from '../../support/quick-ffmpeg.ts'
import { hasRedis, type RedisServer, startRedis } from '../../support/redis-server.ts'
import { resultFiles } from '../../support/result-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const SHAPES = Number(process.env.FARM_SHAPES ?? 20)
const SEED = Number(process.env.FARM_SEED ?? 11)
const TIMING: FarmTiming = { beatMs: 50, reconcileMs: 100, lockMs: 5000, retryMs: 1 }
const log = createLog('silent', systemClock, () => {})
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')

let redis: RedisServer
let client: Redis
let queue: Queue
let events: QueueEvents
let blobs: Blobs
/** Everything around the folders that may change. */
let folder: string
const inFolder = (...names: string[]) => path.join(folder, ...names)
const closing: (() => Promise<unknown>)[] = []

/** Files and folders beside the attempts, the store and the machines' own place. */
const surroundings = () => listing(folder, /^(attempts|store|tmp)\//)

const SONG = 'a song'

function orderOf(jobId: string, settings: Partial<JobSettings> = {}): WorkOrder {
  const attemptFolder = inFolder('attempts', `${jobId}-1`)
  mkdirSync(attemptFolder, { recursive: true })
  const facts: AudioFacts = {
    format: 'wav',
    ...{ codec: 'pcm_s16', sampleRateHz: 44_100, channels: 2, frames: 132_300, durationSeconds: 3 },
    ...{ bitDepth: 16, isLossy: false, tags: { title: 'Song', other: { made: 'with' } }, hasCover: false },
    hasProvenance: false,
  }
  return {
    ...{ jobId, createdAt: '2026-01-01T00:00:00.000Z', attemptFolder, seed: 0, threads: 1, title: 'song' },
    source: { path: inFolder('source'), filename: 'song.wav', sha256: sha256(SONG), facts },
    settings: jobSettings({ ...DEFAULT_SETTINGS, platforms: ['spotify', 'youtube'], ...settings }),
    ffmpeg: { path: 'ffmpeg', version: '0' } as WorkOrder['ffmpeg'],
  }
}

async function attemptOf(order: WorkOrder, id: string) {
  return { protocol: PROTOCOL, order: await packOrder(blobs, id, order), timeLimitMs: 60_000, memoryBytes: 1 }
}

/** Values put in place of a member: other types, paths out of a folder, and meaningless numbers. */
const hostileValue = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      null,
      '',
      '.',
      '..',
      '../../victim',
      '../victim',
      '/etc',
      'a/../../victim',
      '..\\victim',
      'victim\0',
      '~',
      'NUL',
    ],
    ...[-1, 0.5, 1e308, 2 ** 53, {}, [], [null], { __proto__: null, length: 1 }, true, 'constructor', 'x'.repeat(5000)],
  ),
  fc.string({ unit: 'binary' }),
  fc.jsonValue(),
)

/** A change of a value at some depth: a member replaced, removed or added. */
const change = fc.record({
  at: fc.array(fc.nat(), { minLength: 1, maxLength: 7 }),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add'),
  value: hostileValue,
})
type Change = typeof change extends fc.Arbitrary<infer Value> ? Value : never

function changed(value: unknown, { at: [first = 0, ...deeper], how, value: other }: Change): unknown {
  if (typeof value !== 'object' || value === null) return other
  const names = Object.keys(value)
  if (names.length === 0) return other
  const name = names[first % names.length]!
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
  if (deeper.length > 0) copy[name] = changed(copy[name], { at: deeper, how, value: other })
  else if (how === 'remove') delete copy[name]
  else copy[how === 'add' ? 'further' : name] = other
  return copy
}

const ownId = fc.uuid().map((id) => `${id}-1`)
const foreignId = fc.oneof(
  fc.constantFrom(
    '',
    '../../victim',
    '../victim',
    '..',
    '.',
    'victim',
    '/',
    'a/b',
    '../attempts',
    `${randomUUID()}-1/..`,
  ),
  fc.string().filter((id) => !id.includes(':') && !/^\d*$/.test(id)),
)

describe.skipIf(!hasRedis())('hostile messages', () => {
  beforeAll(async () => {
    redis = await startRedis()
    client = new Redis(redis.port)
    const options = { connection: { port: redis.port }, prefix: 'loudsmith' }
    queue = new Queue('attempts', options)
    events = new QueueEvents('attempts', options)
    queue.on('error', () => {})
    events.on('error', () => {})
  })
  afterAll(async () => {
    await Promise.all([queue.close(), events.close()])
    client.disconnect()
    await redis.stop()
  })
  beforeEach(async () => {
    await client.flushall()
    folder = temporaryFolder(onTestFinished)
    for (const name of ['victim', 'store', 'tmp', 'attempts', 'home']) mkdirSync(inFolder(name))
    for (const name of ['source', 'victim/kept', 'home/report.json', 'arrived.zip']) writeFileSync(inFolder(name), SONG)
    vi.stubEnv('TMPDIR', inFolder('tmp'))
    vi.stubEnv('MASTER_FFMPEG_PATH', shortFfmpeg(folder))
    blobs = await openBlobs(inFolder('store'), inFolder('tmp'))
  })
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
    vi.unstubAllEnvs()
  })

  async function machine(engine: HeldEngine, workers = 1) {
    const owner = {
      protocol: PROTOCOL,
      engineVersion,
      ffmpeg: '',
      simd: '',
      databaseId: 'one',
      allowsMixed: true,
      nowMs: Date.now(),
    }
    await new Machines(client, { beatMs: 600_000 }).announceOwner(owner)
    const places = { queue: redis.address, blobs: inFolder('store'), name: 'a', workers, timing: TIMING, log }
    const started = await startMachine({ ...places, forkEngine: engine.fork })
    closing.push(() => started.close())
  }

  test('a message makes no machine touch anything beside its own folder, and each ends', async () => {
    await machine(createHeldEngine({ isAutomatic: true }))
    const before = surroundings()
    const isDone = async (id: string, data: unknown) => {
      const job = await queue.add('master', data as object, { attempts: 1, ...(id === '' ? {} : { jobId: id }) })
      const end = await job.waitUntilFinished(events).catch((cause: Error) => cause)
      expect(surroundings()).toEqual(before)
      expect(globSync('tmp/loudsmith-machine-*/attempt-*', { cwd: folder })).toEqual([])
      return !(end instanceof Error) && end.end.kind === 'answered'
    }
    const id = `${randomUUID()}-1`
    const data = await attemptOf(orderOf(id.slice(0, -2)), id)
    expect(await isDone(id, data)).toBe(true)
    for (const end of ['/..', '/../../victim', '\n', '-1', 'x'])
      expect(() => readAttempt({ id: id + end, data }), end).toThrow('not one of an attempt')
    expect(() => readAttempt({ id: `${randomUUID()}-1`, data })).toThrow('another job')
    const order = { ...data.order, attemptFolder: '/' }
    const lies = [
      null,
      {},
      { ...data, further: 1 },
      { ...data, protocol: PROTOCOL - 1 },
      { ...data, timeLimitMs: 2 ** 31 },
    ]
    for (const lie of [...lies, { ...data, order }])
      expect(() => readAttempt({ id, data: lie }), JSON.stringify(lie)).toThrow(MessageFault)
    // With the song of another attempt.
    const other = randomUUID()
    expect(await isDone(`${other}-1`, { ...data, order: { ...data.order, jobId: other } })).toBe(false)
    await fc.assert(
      fc.asyncProperty(fc.oneof(ownId, foreignId), fc.option(change), async (id, change) => {
        const isOwn = /^[0-9a-f-]{36}-1$/.test(id)
        const ours = isOwn ? id : `${randomUUID()}-1`
        const message = await attemptOf(orderOf(ours.slice(0, -2)), ours)
        const done = await isDone(id, change ? changed(message, change) : message)
        if (!isOwn) expect(done).toBe(false)
        if (isOwn && !change) expect(done).toBe(true)
      }),
      {
        numRuns: SHAPES,
        seed: SEED,
        examples: [
          ['../../victim', null],
          ['../../home', null],
        ],
      },
    )
  })

  test('an attempt that comes a second time while it is worked on leaves the first its folder', async () => {
    const engine = createHeldEngine()
    await machine(engine, 2)
    const id = `${randomUUID()}-1`
    const job = await queue.add('master', await attemptOf(orderOf(id.slice(0, -2)), id), { jobId: id })
    await expect.poll(() => engine.processes.length).toBe(1)
    const ended = job.waitUntilFinished(events).catch((cause: Error) => cause.message)
    await client.multi().lpush('loudsmith:attempts:wait', id).zadd('loudsmith:attempts:marker', 0, '0').exec()
    expect(await ended).toMatch(/worked on already/)
    expect(engine.processes).toHaveLength(1)
    expect(existsSync(engine.processes[0]!.order!.attemptFolder)).toBe(true)
  })

  /** Answers every attempt as `answer` says, as a machine that lies. */
  function lyingMachine(answer: (job: Job) => Promise<unknown>) {
    const worker = new Worker('attempts', answer, {
      connection: { port: redis.port },
      prefix: 'loudsmith',
      concurrency: 4,
    })
    worker.on('error', () => {})
    closing.push(() => worker.close())
  }

  function owner(deps: Partial<BullQueueDeps> = {}) {
    const place = queuePlace(redis.address)
    const bull = new BullQueue({
      ...{ place, redis: client, blobs, timing: TIMING, clock: systemClock, log },
      machines: new Machines(client, TIMING),
      liveSlots: () => 1,
      onMade: () => {},
      ...deps,
    })
    closing.push(() => bull.close())
    return async (
      jobId: string,
      { onProgress = () => {}, ...settings }: Partial<JobSettings> & { onProgress?: () => void } = {},
    ): Promise<AttemptEnd & { order: WorkOrder }> => {
      const order = orderOf(jobId, settings)
      const attempt = { id: `${jobId}-1`, order, timeLimitMs: 60_000, memoryBytes: 1 }
      return { ...(await bull.offer(attempt, { signal: new AbortController().signal, onProgress })), order }
    }
  }

  /** Returns the result of an engine, and its files. */
  async function madeBy(id: string): Promise<{ result: WorkResult; files: Map<string, Buffer> }> {
    const order = orderOf(id.slice(0, -2))
    const result = await new Promise<WorkResult>((resolve) => {
      const listeners = {
        onMessage: (message: unknown) => resolve((message as { result: WorkResult }).result),
        onExit: () => {},
      }
      createHeldEngine({ isAutomatic: true }).fork(listeners).send({ type: 'work', order })
    })
    const files = resultFiles(order.attemptFolder, result.zip)
    await packResult(blobs, id, result, order.attemptFolder)
    // The folder of the machine is another than the owner's.
    for (const name of readdirSync(order.attemptFolder)) rmSync(path.join(order.attemptFolder, name))
    return { result, files }
  }

  /** Returns the result of an engine, whose files are in the store. */
  const resultOf = async (id: string) => (await madeBy(id)).result

  const doneWith = (result: unknown) =>
    ({ protocol: PROTOCOL, machine: 'liar', end: { kind: 'answered', message: { type: 'done', result } } }) as PackedEnd

  /** Checks that a result, where it was taken, lies in the folder of the attempt alone, under names of its own. */
  function checkTaken(end: AttemptEnd & { order: WorkOrder }) {
    if (end.kind !== 'answered' || end.message.type !== 'done') return
    const { zip, reportJsonFile, reportHtmlFile } = end.message.result
    const names = globSync('**/*', { cwd: end.order.attemptFolder }).sort()
    expect(
      keptFiles(zip)
        .map(({ file }) => file)
        .sort(),
    ).toEqual(names)
    expect(names).toEqual(expect.arrayContaining([reportHtmlFile, reportJsonFile]))
    expect(zip.entries.map(({ name }) => path.normalize(path.join('/x', name)))).toEqual(
      zip.entries.map(({ name }) => `/x/${zip.folderName}/${path.basename(name)}`),
    )
    const [[, first] = []] = resultFiles(end.order.attemptFolder, zip)
    expect(first?.toString()).toBe('RIFF spotify')
  }

  test('an answer makes the owner touch nothing beside the folder of the attempt, and each attempt ends once', async () => {
    let answer: (id: string) => Promise<unknown> = async () => null
    lyingMachine((job) => answer(job.id ?? ''))
    const offer = owner()
    const before = surroundings()
    const endOf = async (change: Change | null) => {
      answer = async (id) => {
        const end = doneWith(await resultOf(id))
        return change ? changed(end, change) : end
      }
      const end = await offer(randomUUID())
      checkTaken(end)
      expect(surroundings()).toEqual(before)
      rmSync(end.order.attemptFolder, { recursive: true, force: true })
      return end.kind
    }
    await fc.assert(
      fc.asyncProperty(fc.option(change), async (change) => {
        const kind = await endOf(change)
        expect(kind).toMatch(change ? /^(lost|answered|crashed|timed_out)$/ : /^answered$/)
      }),
      { numRuns: SHAPES, seed: SEED, examples: [[null]] },
    )
    // Well formed, but not the order.
    answer = async (id) => doneWith(await resultOf(id))
    const others: Partial<JobSettings>[] = [{ platforms: ['youtube', 'spotify'] }, { formats: ['flac24'] }]
    for (const settings of others)
      expect(await offer(randomUUID(), settings)).toMatchObject({ kind: 'lost', reason: 'files' })
    answer = async (id) => doneWith({ ...(await resultOf(id)), loudnessSteps: { melon: 'AAAA' } })
    expect(await offer(randomUUID())).toMatchObject({ kind: 'lost', reason: 'files' })
    // Names and places of our own are taken instead of those of the machine.
    answer = async (id) => {
      const result = await resultOf(id)
      const entries = result.zip.entries.map(({ kept, ...entry }) => ({
        ...{ ...entry, offset: 7 },
        kept: { ...kept!, file: '../../pwned' },
      }))
      const zip = { ...result.zip, fileName: '../../pwned.zip', folderName: '../../pwned', entries, headers: 'AAAA' }
      return doneWith({ ...result, zip, reportJsonFile: '../../pwned.json', reportHtmlFile: '../../pwned.html' })
    }
    const renamed = await offer(randomUUID())
    expect(renamed.kind).toBe('answered')
    checkTaken(renamed)
    // Words that only the owner says, and answers without a meaning.
    const failed = (failureCode: string) => ({
      ...doneWith({}),
      end: { kind: 'answered', message: { type: 'failed', failureCode, params: {}, message: '' } },
    })
    const ends = [
      { kind: 'stopped' },
      { kind: 'left' },
      { kind: 'crashed', detail: '', fault: 'not_started' },
      {},
      null,
    ]
    const lies = [
      null,
      7,
      'done',
      [],
      failed('CANCELLED'),
      failed('NO_SUCH'),
      ...ends.map((end) => ({ ...doneWith({}), end })),
    ]
    for (const lie of [...lies, { ...doneWith({}), protocol: PROTOCOL + 1 }]) {
      answer = async () => lie
      expect(await offer(randomUUID())).toMatchObject({ kind: 'lost', reason: 'files' })
    }
    answer = async () => failed('TOO_SHORT')
    expect(await offer(randomUUID())).toMatchObject({ kind: 'answered', message: { failureCode: 'TOO_SHORT' } })
  })

  test('other files than the ordered ones are not taken, whatever the result says of them', async () => {
    const before = surroundings()
    const offer = owner()
    interface Told {
      readonly name: string
      readonly bytes: Buffer
      readonly claim?: { readonly sizeBytes?: number; readonly sha256?: string }
    }
    let lie: (files: Told[], folderName: string) => Told[]
    let everywhere = (text: string) => text
    lyingMachine(async ({ id = '' }) => {
      const { result, files } = await madeBy(id)
      const { folderName } = result.zip
      const made = [...files].map(([file, bytes]) => ({
        name: everywhere(`${folderName}/${file}`),
        bytes: Buffer.from(everywhere(bytes.toString('latin1')), 'latin1'),
      }))
      await blobs.delete(id)
      const entries = []
      for (const { name, bytes, claim } of lie(made, folderName)) {
        const { sizeBytes = bytes.length, sha256: sum = sha256(bytes) } = claim ?? {}
        const file = path.join(inFolder('attempts', id), 'told')
        writeFileSync(file, bytes)
        await blobs.put(id, { path: file, sha256: sum })
        rmSync(file)
        entries.push({ name, offset: 0, sizeBytes, kept: { file: name, sha256: sum } })
      }
      const told = JSON.parse(everywhere(JSON.stringify(result)))
      return doneWith({ ...told, zip: { ...result.zip, entries } })
    })
    const renamed = (from: RegExp | string, to: string) =>
      (lie = (files) => files.map((one) => ({ ...one, name: one.name.replace(from, to) })))
    const lies: (() => unknown)[] = [
      () => renamed(/^/, '../../'),
      () => renamed(/^[^/]*/, '../../victim'),
      () => renamed(/^[^/]*/, 'pwned'),
      () => renamed('song_', '../song_'),
      () => renamed('song_master_', 'sub/song_master_'),
      () => renamed('report.html', 'report.exe'),
      () => (lie = (files, name) => [...files, { name: `${name}/autorun.inf`, bytes: Buffer.from('x') }]),
      () => (lie = (files) => [...files, files[0]!]),
      () => (lie = (files) => files.slice(1)),
      () =>
        (lie = (files) =>
          files.map((one) => (one.name.endsWith('json') ? { ...one, bytes: Buffer.from('{"job_id":1}') } : one))),
      () =>
        (lie = (files) =>
          files.map((one) => (one.name.endsWith('wav') ? { ...one, bytes: Buffer.from('short') } : one))),
      // Fewer bytes than it says, more, and others under the checksum of the master.
      ...[-1, 1].map((more) => () => {
        lie = (files) => files.map((one) => ({ ...one, claim: { sizeBytes: one.bytes.length + more } }))
      }),
      () =>
        (lie = (files) =>
          files.map(({ name, bytes }) => {
            const other = Buffer.from(bytes.toString('latin1').replace('RIFF spotify', 'RIFF spotifx'), 'latin1')
            return { name, bytes: other, claim: { sha256: sha256(bytes) } }
          })),
      () => (lie = () => []),
      () =>
        (lie = (files) =>
          files.map(({ name, bytes }) => {
            const text = bytes.toString('latin1').replaceAll('"gain_db":1,', '"gain_db":2,')
            return { name, bytes: Buffer.from(text, 'latin1') }
          })),
      () => {
        lie = (files) => files
        everywhere = (text) => text.replaceAll('song_spotify.wav', 'NUL.wav')
      },
    ]
    lie = (files) => files
    expect(await offer(randomUUID())).toMatchObject({ kind: 'answered' })
    for (const set of lies) {
      set()
      expect(await offer(randomUUID()), String(set)).toMatchObject({ kind: 'lost', reason: 'files' })
      expect(surroundings()).toEqual(before)
    }
  })

  test('events that cannot be read stop no other, without any comparison', async () => {
    const offer = owner({ timing: { ...TIMING, reconcileMs: 600_000 } })
    let isTold = false
    let isOver = false
    lyingMachine(async (job) => {
      while (!isTold && !isOver) await job.updateProgress({ type: 'progress', stage: 'rendering', fraction: 0.5 })
      return { ...doneWith({}), end: { kind: 'timed_out' } }
    })
    closing.push(async () => {
      isOver = true
    })
    const onProgress = () => {
      isTold = true
    }
    for (const bad of ['completed', 'progress', 'error']) {
      isTold = false
      expect(await offer(randomUUID(), { onProgress })).toMatchObject({ kind: 'timed_out' })
      await client.xadd('loudsmith:attempts:events', '*', 'event', bad, 'jobId', 'x', 'returnvalue', '{', 'data', '{')
    }
    isTold = false
    expect(await offer(randomUUID(), { onProgress })).toMatchObject({ kind: 'timed_out' })
  })

  test('attempts are taken in the order of their offers, however long their files take', async () => {
    const [first, second] = [randomUUID(), randomUUID()]
    let comparisons = 0
    const clock: typeof systemClock = {
      ...systemClock,
      async sleep(ms, signal) {
        await systemClock.sleep(ms, signal)
        if (ms === TIMING.reconcileMs) comparisons++
      },
    }
    const slow: Blobs = {
      ...blobs,
      async put(attemptId, file) {
        if (attemptId === `${first}-1`) await expect.poll(() => comparisons).toBeGreaterThan(2)
        return blobs.put(attemptId, file)
      },
    }
    const offer = owner({ blobs: slow, clock })
    void offer(first)
    void offer(second)
    await expect.poll(() => client.lrange('loudsmith:attempts:wait', 0, -1)).toEqual([`${second}-1`, `${first}-1`])
  })

  test('an attempt whose place in the queue or the store holds something else is lost, once', async () => {
    const offer = owner()
    const spoil: ((key: string, id: string) => Promise<unknown>)[] = [
      (key) => client.hset(key, 'data', '{'),
      async (key) => [await client.del(key), await client.set(key, 'text')],
      (_, id) => client.lrem('loudsmith:attempts:wait', 0, id),
    ]
    for (const one of spoil) {
      const jobId = randomUUID()
      const ended = offer(jobId)
      const key = `loudsmith:attempts:${jobId}-1`
      await expect.poll(() => client.exists(key)).toBe(1)
      await one(key, `${jobId}-1`)
      expect(await ended).toMatchObject({ kind: 'lost', reason: 'gone' })
    }
    const before = surroundings()
    const jobId = randomUUID()
    symlinkSync(inFolder('victim'), inFolder('store', 'loudsmith-blobs', `${jobId}-1`))
    expect(await offer(jobId)).toMatchObject({ kind: 'lost', reason: 'files' })
    expect(surroundings()).toEqual(before)
  })
})
