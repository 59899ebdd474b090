/** Several machines through one real Redis: what is lost on the way costs nobody a song or a credit. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { engineVersion } from '../../../src-engine/version.ts'
import { Machines, type OwnerAnnouncement } from '../../../src-server/farm/machines.ts'
import { PROTOCOL } from '../../../src-server/farm/messages.ts'
import { openOwnFolder } from '../../../src-server/farm/own-folder.ts'
import { connectionFault, openRedis, queuePlace } from '../../../src-server/farm/redis.ts'
import type { FarmTiming } from '../../../src-server/farm/timing.ts'
import { type MachineOptions, type RunningMachine, startMachine } from '../../../src-server/machine.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'
import { createHeldEngine, type HeldEngine } from '../../support/held-engine.ts'
import { shortFfmpeg } from '../../support/quick-ffmpeg.ts'
import { hasRedis, type RedisServer, startRedis } from '../../support/redis-server.ts'
import { type Service, startService } from '../../support/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const TIMING: FarmTiming = { beatMs: 100, reconcileMs: 200, lockMs: 5000, retryMs: 100 }
const log = createLog('silent', systemClock, () => {})

let redis: RedisServer
let client: Redis
let folder: string
let service: Service | undefined
const machines: RunningMachine[] = []
const processes: ChildProcess[] = []

const blobs = () => path.join(folder, 'blobs')
const tmp = (...names: string[]) => path.join(folder, 'tmp', ...names)
const stored = () => readdirSync(path.join(blobs(), 'loudsmith-blobs'))
const own = createHeldEngine()

async function owner({ auditEvery = 0 } = {}): Promise<Service> {
  const farm = { queue: redis.address, blobs: blobs(), timing: TIMING, auditEvery }
  const options = { farm, forkEngine: own.fork, dataDir: path.join(folder, 'data'), keepsData: true }
  service = await startService(options)
  return service
}
async function machine(name: string, engine: HeldEngine, options: MachineOptions = {}): Promise<RunningMachine> {
  const places = { queue: redis.address, blobs: blobs(), timing: TIMING, log, workers: 1 }
  const started = await startMachine({ ...places, name, forkEngine: engine.fork, ...options })
  machines.push(started)
  return started
}
async function machineProcess(name: string): Promise<ChildProcess> {
  const file = path.join(import.meta.dirname, '../../support/machine-process.ts')
  const child = fork(file, [redis.address, blobs(), name, JSON.stringify(TIMING)])
  processes.push(child)
  await once(child, 'message')
  return child
}
const credits = async (): Promise<number> => (await service!.get('/api/v1/account')).body.credits
const started = (engine: HeldEngine, count: number) => expect.poll(() => engine.processes.length).toBe(count)
const attemptsInQueue = async () =>
  (await client.keys('loudsmith:attempts:*-*-*-*-*-*')).filter((key) => !key.endsWith(':lock'))

describe.skipIf(!hasRedis())('several machines', () => {
  beforeAll(async () => {
    redis = await startRedis()
    client = new Redis(redis.port)
  })
  afterAll(async () => {
    client.disconnect()
    await redis.stop()
  })
  beforeEach(async () => {
    folder = temporaryFolder(onTestFinished)
    for (const made of [blobs(), tmp()]) mkdirSync(made)
    vi.stubEnv('TMPDIR', tmp())
    vi.stubEnv('MASTER_FFMPEG_PATH', shortFfmpeg(folder))
    await client.flushall()
  })
  afterEach(async () => {
    for (const child of processes.splice(0)) child.kill('SIGKILL')
    await Promise.all(machines.splice(0).map((one) => one.close()))
    await service?.stop()
    service = undefined
    vi.unstubAllEnvs()
  })

  test('a machine masters a song; the order holds no path, secret or callback, and nothing is left between the machines', async () => {
    const engine = createHeldEngine()
    const { newJob, job, ended, call } = await owner()
    const before = await credits()
    await machine('a', engine)
    const { job_id } = await newJob({ webhook_url: 'https://example.com/secret-hook', title: 'One' })
    await started(engine, 1)
    const [key = ''] = await attemptsInQueue()
    const order = await client.hget(key, 'data')
    expect(order).toContain('"title":"One"')
    expect(order).not.toMatch(/secret-hook|credential|loudsmith-farm-/)
    engine.processes[0]?.progress('rendering', 0.5)
    await expect.poll(async () => (await job(job_id)).progress).toBe(50)
    engine.processes[0]?.finish()
    expect(await ended(job_id)).toMatchObject({ status: 'done', credits_refunded: 0 })
    const download = await call('GET', `/api/v1/jobs/${job_id}/download`)
    expect(download.body).toContain('RIFF spotify')
    expect(before - (await credits())).toBe(1)
    expect(own.processes).toHaveLength(0)
    await expect.poll(attemptsInQueue).toEqual([])
    await expect.poll(stored).toEqual([])
  })

  test('a song whose machine is killed is mastered by another, for one credit and no crash of its own', async () => {
    const { newJob, ended } = await owner()
    const before = await credits()
    const killed = await machineProcess('killed')
    const { job_id } = await newJob()
    const locked = async () => (await client.keys('loudsmith:attempts:*:lock')).length
    await expect.poll(locked).toBe(1)
    const other = createHeldEngine({ isAutomatic: true })
    await machine('other', other)
    killed.kill('SIGKILL')
    expect(await ended(job_id)).toMatchObject({ status: 'done', credits_refunded: 0 })
    expect(other.processes).toHaveLength(1)
    expect(before - (await credits())).toBe(1)
    await expect.poll(() => readdirSync(tmp()).length).toBe(1)
  })

  test('the folder of a killed machine goes at the next start; that of a running one stays, and all that lacks our marker or lies behind a link', async () => {
    const open = () => openOwnFolder({ clock: systemClock, log, sweepMs: TIMING.reconcileMs })
    const running = await open()
    const marker = 'loudsmith-machine.json'
    const aside = path.join(folder, 'aside')
    const named = (name: string) => `loudsmith-machine-${name}`
    const [left, bare, other, locked, link] = [
      named('left'),
      named('bare'),
      named('other'),
      named('locked'),
      named('link'),
    ]
    const kept = [tmp(bare), tmp(other), tmp(locked), aside]
    for (const made of [tmp(left), ...kept]) {
      mkdirSync(made)
      writeFileSync(path.join(made, 'kept'), '')
      if (made !== tmp(bare)) copyFileSync(path.join(running.path, marker), path.join(made, marker))
    }
    writeFileSync(tmp(left, 'owner.lock'), '')
    writeFileSync(tmp(other, marker), 'another program')
    symlinkSync(path.join(aside, 'kept'), tmp(locked, 'owner.lock'))
    symlinkSync(aside, tmp(link))
    symlinkSync(aside, tmp(left, 'link'))
    const own = await open()
    const found = () => readdirSync(tmp()).sort()
    await expect
      .poll(found)
      .toEqual([bare, other, locked, link, path.basename(running.path), path.basename(own.path)].sort())
    await own.close()
    await running.close()
    expect(found()).toEqual([bare, other, locked, link].sort())
    for (const made of kept) expect(readdirSync(made)).toContain('kept')
  })

  test('a queue that is wiped costs no song: what runs and what waits is offered again', async () => {
    const engine = createHeldEngine()
    const { newJob, ended } = await owner()
    await machine('a', engine)
    const jobs = [await newJob(), await newJob()]
    await started(engine, 1)
    // Seen by the owner, as the wipe comes.
    engine.processes[0]?.progress('rendering', 0.5)
    const running = engine.processes[0]!.order!.jobId
    await expect.poll(async () => (await service!.job(running)).progress).toBe(50)
    await client.flushall()
    engine.isAutomatic = true
    await expect.poll(() => engine.processes[0]?.isAborted).toBe(true)
    for (const { job_id } of jobs) expect(await ended(job_id)).toMatchObject({ status: 'done' })
  })

  test('an attempt goes on while its owner is away, and its result is taken when the owner is back', async () => {
    const engine = createHeldEngine()
    const first = await owner()
    await machine('a', engine)
    const before = await credits()
    const { job_id } = await first.newJob()
    await started(engine, 1)
    await first.stop()
    engine.processes[0]?.finish()
    const second = await owner()
    expect(await second.ended(job_id)).toMatchObject({ status: 'done' })
    expect(engine.processes).toHaveLength(1)
    expect(before - (await credits())).toBe(1)
  })

  test('a cancelled song is stopped on its machine, and its credit comes back', async () => {
    const engine = createHeldEngine()
    const { newJob, call } = await owner()
    await machine('a', engine)
    const before = await credits()
    const { job_id } = await newJob()
    await started(engine, 1)
    expect((await call('DELETE', `/api/v1/jobs/${job_id}?status=queued`)).status).toBe(200)
    await expect.poll(() => engine.processes[0]?.isAborted).toBe(true)
    expect(await credits()).toBe(before)
    await expect.poll(stored).toEqual([])
  })

  test('the page sees who is there and at what, a machine finishes without taking more, goes on, and leaves when it is removed', async () => {
    const engine = createHeldEngine()
    const { newJob, ended, get, patch } = await owner()
    const list = async () => (await get('/app/machines')).body
    await expect
      .poll(list)
      .toEqual({ machines: [], queue: { waiting: 0, active: 0 }, troubles: [], audits: { compared: 0, different: 0 } })
    const { removed } = await machine('a', engine)
    const [first, second] = [await newJob(), await newJob()]
    await started(engine, 1)
    const seen = { name: 'a', state: 'working', job_ids: [first.job_id], slots: 1, engine_version: engineVersion }
    await expect.poll(list).toMatchObject({ machines: [seen], queue: { waiting: 1, active: 1 } })
    expect((await patch('/app/machines/a', { wish: 'drain' })).status).toBe(200)
    await expect.poll(list).toMatchObject({ machines: [{ state: 'draining' }] })
    engine.processes[0]?.finish()
    expect((await ended(first.job_id)).status).toBe('done')
    await expect.poll(list).toMatchObject({ machines: [{ job_ids: [] }], queue: { waiting: 1, active: 0 } })
    await patch('/app/machines/a', { wish: 'work' })
    await started(engine, 2)
    engine.processes[1]?.finish()
    expect((await ended(second.job_id)).status).toBe('done')
    await patch('/app/machines/a', { wish: 'remove' })
    await removed
    expect((await patch('/app/machines/nobody', { wish: 'drain' })).status).toBe(404)
  })

  test('a machine that would make other bytes is refused and says in which facts it differs, unless mixed ones are allowed', async () => {
    const board = new Machines(client, { beatMs: 600_000 })
    const seen: string[] = []
    const told = async (name: string, facts: Partial<OwnerAnnouncement>) => {
      const own = {
        protocol: PROTOCOL,
        engineVersion,
        ffmpeg: 'other',
        simd: process.arch,
        databaseId: 'one',
        allowsMixed: false,
        nowMs: Date.now(),
        ...facts,
      }
      await board.announceOwner(own)
      const onState: MachineOptions['onState'] = ({ state, differs }) => seen.push(`${name} ${state} ${differs}`)
      await machine(name, createHeldEngine(), { onState })
    }
    await told('a', { engineVersion: '0.0.1' })
    await expect.poll(() => seen).toEqual(['a refused engineVersion,ffmpeg'])
    await told('b', { allowsMixed: true })
    await expect.poll(() => seen).toContain('b working ')
  })

  test('what stands in the place of a machine and is none is left out and named, and the farm goes on', async () => {
    const key = (name: string) => `loudsmith:machine:${name}`
    const lies = ['{', 'null', '[]', '{"name":"x3"}', JSON.stringify({ protocol: PROTOCOL + 1, name: 'x4' })]
    for (const [at, text] of lies.entries()) await client.set(key(`x${at}`), text)
    await client.hset(key('hash'), 'a', 'b')
    await client.set('loudsmith:owner', '{')
    const { newJob, ended, get } = await owner()
    service?.expectFault('an announcement of a machine is left out')
    await machine('a', createHeldEngine({ isAutomatic: true }))
    // With the name of another.
    await client.copy(key('a'), key('b'))
    expect((await ended((await newJob()).job_id)).status).toBe('done')
    const { machines: seen, troubles } = (await get('/app/machines')).body
    expect(seen).toMatchObject([{ name: 'a' }])
    expect(troubles).toMatchObject([{ code: 'machine_unreadable' }])
    await client.del(key('hash'), key('b'), ...lies.map((_, at) => key(`x${at}`)))
    await expect.poll(async () => (await get('/app/machines')).body.troubles).toEqual([])
  })

  test('addresses that the owner has set are used by the next start that names none, and take no password', async () => {
    const dataDir = path.join(folder, 'data')
    const first = await startService({ dataDir, keepsData: true, forkEngine: own.fork, farm: { timing: TIMING } })
    const set = (farm: object | null, credential = first.controlCredential) =>
      first.patch('/app/settings', { farm }, { credential })
    const places = { queue: redis.address, blobs: blobs() }
    expect((await first.get('/app/machines')).body.queue).toBeNull()
    expect((await set(places, first.sessionCredential)).body.error.code).toBe('OWNER_REQUIRED')
    expect((await set({ ...places, queue: 'redis://:secret@studio:6379' })).body.error.param).toBe('farm.queue')
    expect((await set({ ...places, blobs: 'relative' })).body.error.param).toBe('farm.blobs')
    expect((await set(places)).body.farm).toEqual(places)
    await first.stop()
    service = await startService({ dataDir, keepsData: true, forkEngine: own.fork, farm: { timing: TIMING } })
    await expect.poll(async () => (await service!.get('/app/machines')).body.queue).toEqual({ waiting: 0, active: 0 })
  })

  test('what keeps the machines from working is told while it lasts, by the service and by the machine, and costs no song', async () => {
    const engine = createHeldEngine()
    engine.isAutomatic = true
    const { newJob, ended, get } = await owner()
    const list = async (language = 'en') =>
      (await get('/app/machines', { headers: { 'accept-language': language } })).body
    const codes = async () => (await list()).troubles.map(({ code }: { code: string }) => code)
    const told: string[] = []
    await machine('a', engine, { onState: ({ troubles }) => told.push(troubles.join()) })
    // The place of the files goes away, and comes back.
    const [at, aside] = [path.join(blobs(), 'loudsmith-blobs'), path.join(folder, 'aside')]
    renameSync(at, aside)
    writeFileSync(at, 'in the way')
    service?.expectFault('the store of files between machines cannot be used')
    const job = await newJob()
    await expect.poll(codes).toEqual(['files_away'])
    expect((await list('ko')).troubles[0].message).toMatch(/파일/)
    rmSync(at)
    renameSync(aside, at)
    expect((await ended(job.job_id)).status).toBe('done')
    await expect.poll(codes).toEqual([])
    // A queue that does not answer.
    await client.client('PAUSE', 2000)
    await expect.poll(codes).toEqual(['queue_away'])
    await expect.poll(codes).toEqual([])
    // Clocks ten minutes apart.
    const board = new Machines(client, { beatMs: 600_000 })
    const [found] = (await board.list()).machines.filter(({ name }) => name === 'a')
    await board.announce({ ...found!, name: 'late', nowMs: Date.now() - 600_000 })
    const ofLate = async () => (await list()).machines.find(({ name }: { name: string }) => name === 'late')?.troubles
    await expect.poll(ofLate).toMatchObject([{ code: 'clock', message: expect.stringContaining('clock') }])
    await service?.stop()
    service = undefined
    const own = { protocol: PROTOCOL, engineVersion, ffmpeg: 'x', simd: 'x', databaseId: 'one', allowsMixed: true }
    await board.announceOwner({ ...own, nowMs: Date.now() + 600_000 })
    await expect.poll(() => told).toContain('clock')
  })

  test('one song in N is made by another machine too: equal bytes are counted, other ones are told', async () => {
    const engines = [createHeldEngine({ isAutomatic: true }), createHeldEngine({ isAutomatic: true })]
    const { newJob, ended, get } = await owner({ auditEvery: 2 })
    const list = async () => (await get('/app/machines')).body
    const audits = async () => (await list()).audits
    for (const [at, engine] of engines.entries()) await machine(`m${at}`, engine)
    await expect.poll(async () => (await list()).machines.length).toBe(2)
    const masterNext = async () => expect((await ended((await newJob()).job_id)).status).toBe('done')
    await masterNext()
    await masterNext()
    await expect.poll(audits).toEqual({ compared: 1, different: 0 })
    // Each machine made one of the two, and no file of the comparison is left.
    for (const engine of engines) expect(engine.processes.some(({ order }) => order)).toBe(true)
    await expect.poll(stored).toEqual([])
    engines[1]!.masterBytes = Buffer.alloc(100, 1)
    service?.expectFault('two machines made other bytes of one song')
    await masterNext()
    await masterNext()
    await expect.poll(audits).toEqual({ compared: 2, different: 1 })
    expect((await list()).troubles).toMatchObject([{ code: 'bytes_differ' }])
  })

  test('the owner ends with every part of it although its queue is gone', async () => {
    const gone = await startRedis()
    const lines: string[] = []
    const farm = { queue: gone.address, blobs: blobs(), timing: TIMING }
    const log = createLog('warn', systemClock, (line) => lines.push(line))
    service = await startService({ farm, forkEngine: own.fork, dataDir: path.join(folder, 'data'), log })
    await gone.stop()
    await service.stop()
    service = undefined
    expect(lines.join()).not.toContain('is left behind')
  })

  test('a queue that could lose songs is refused at the start, each reason by its name', async () => {
    const opened = (address = redis.address) =>
      openRedis(queuePlace(address)).then(
        (open) => open.disconnect(),
        (error: { fault?: string }) => error.fault,
      )
    expect(await opened()).toBeUndefined()
    await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
    expect(await opened()).toBe('queue_evicts')
    await client.config('SET', 'maxmemory-policy', 'noeviction')
    await client.config('SET', 'appendonly', 'no')
    expect(await opened()).toBe('queue_forgets')
    await client.config('SET', 'appendonly', 'yes')
    await client.config('SET', 'requirepass', 'right')
    expect(await opened()).toBe('queue_password')
    expect(await opened(redis.address.replace('//', '//:wrong@'))).toBe('queue_password')
    expect(await opened(redis.address.replace('//', '//:right@'))).toBeUndefined()
    await client.config('SET', 'requirepass', '')
    expect(await opened('redis://127.0.0.1:1')).toBe('queue_unreachable')
    for (const code of ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      expect(connectionFault(Object.assign(new Error(), { code }))).toBe('queue_certificate')
  })
})
