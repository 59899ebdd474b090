/**
 * Fault run of a farm, part of `npm run campaign`: an owner and two machines in network namespaces of their own (on this one where no root may
 * make them) master FARM_JOBS songs of 3 s while a machine is killed every FARM_KILL_SECONDS, links are cut, and Redis is killed and wiped.
 * Every song must end once, for one credit, with masters equal to those of one machine, byte for byte. Figures go to standard output.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { ownerOf } from '../src-server/db/data-directory.ts'
import { readWholeZip } from '../src-worker/result/zip-reader.ts'
import { hasRedis, type RedisServer, startRedis } from '../tests/support/redis-server.ts'
import { wavSong } from '../tests/support/songs.ts'

const JOBS = Number(process.env.FARM_JOBS ?? 200)
const KILL_MS = Number(process.env.FARM_KILL_SECONDS ?? 20) * 1000
/** Addresses of the namespaces: a network of this run alone. */
const NETWORK = '10.231'

const root = path.join(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-faults-'))
const blobs = path.join(folder, 'blobs')
const songs = path.join(folder, 'songs')

interface Host {
  readonly name: string
  /** Address under which it sees the host of Redis. */
  readonly redisHost: string
  readonly namespace?: string
  process?: ChildProcess
}

function makeHost(name: string, number: number): Host {
  const namespace = `loudsmith-${name}`
  const link = `ls-${name}`
  const ip = (...words: string[]) => spawnSync('ip', words, { stdio: 'ignore' }).status === 0
  // Of a run that was killed.
  ip('netns', 'del', namespace)
  ip('link', 'del', link)
  const isMade =
    ip('netns', 'add', namespace) &&
    ip('link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace) &&
    ip('addr', 'add', `${NETWORK}.${number}.1/30`, 'dev', link) &&
    ip('link', 'set', link, 'up') &&
    ip('-n', namespace, 'addr', 'add', `${NETWORK}.${number}.2/30`, 'dev', 'eth0') &&
    ip('-n', namespace, 'link', 'set', 'eth0', 'up') &&
    ip('-n', namespace, 'link', 'set', 'lo', 'up')
  if (isMade) return { name, namespace, redisHost: `${NETWORK}.${number}.1` }
  ip('netns', 'del', namespace)
  console.warn(`SKIPPED: no network namespace for ${name}; it runs on this host, and its link is not cut`)
  return { name, redisHost: '127.0.0.1' }
}

/** Starts a command of the command line; what it prints goes to a file. */
function start(host: Host | undefined, name: string, ...words: string[]): ChildProcess {
  const log = openSync(path.join(folder, `${name}.log`), 'a')
  const command = [process.execPath, path.join(root, 'src-cli/cli.ts'), ...words]
  const [program = '', ...rest] = host?.namespace ? ['ip', 'netns', 'exec', host.namespace, ...command] : command
  return spawn(program, rest, { cwd: root, stdio: ['ignore', log, log], detached: true })
}

const startMachine = (host: Host, port: number) => {
  const queue = `redis://${host.redisHost}:${port}`
  host.process = start(
    host,
    host.name,
    'worker',
    '--queue',
    queue,
    '--blobs',
    blobs,
    '--name',
    host.name,
    '--workers',
    '1',
  )
}

/** Ends a process and all that it has started, at once. */
function kill(child: ChildProcess | undefined): void {
  try {
    if (child?.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Client of the owner of a data directory, with the rights of its owner. */
async function clientOf(dataDir: string) {
  for (;;) {
    const owner = existsSync(dataDir) ? ownerOf(dataDir) : undefined
    const answer =
      owner &&
      (await fetch(`http://127.0.0.1:${owner.port}/api/v1/account`, { headers: bearer(owner) }).catch(() => undefined))
    if (owner && answer?.ok)
      return async <Body>(
        method: string,
        address: string,
        body?: unknown,
        type = 'application/json',
      ): Promise<Body> => {
        const headers = { ...bearer(owner), ...(body === undefined ? {} : { 'content-type': type }) }
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        const url = `http://127.0.0.1:${owner.port}${address}`
        const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body: text }) })
        if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${await answer.text()}`)
        return (await answer.json()) as Body
      }
    await sleep(300)
  }
}
const bearer = ({ controlToken }: { controlToken: string }) => ({ authorization: `Bearer ${controlToken}` })

/** Hands all songs over as one batch. Returns the client, and the identifier of the batch. */
async function handOver(dataDir: string) {
  const call = await clientOf(dataDir)
  await call('PATCH', '/app/settings', { allowed_folders: [songs] })
  const before = (await call<{ credits: number }>('GET', '/api/v1/account')).credits
  if (before < JOBS) await call('POST', '/app/account/credits', { amount: JOBS })
  const lines = [{ platforms: [PLATFORMS[0]] }, ...songNames().map((name) => ({ path: path.join(songs, name) }))]
  const manifest = lines.map((line) => JSON.stringify(line)).join('\n')
  const { batch_id } = await call<{ batch_id: string }>('POST', '/api/v1/batches', manifest, 'application/x-ndjson')
  return { call, batchId: batch_id }
}
const songNames = () => Array.from({ length: JOBS }, (_, at) => `song-${String(at).padStart(4, '0')}.wav`)

type Client = Awaited<ReturnType<typeof clientOf>>

async function untilEnded(call: Client, batchId: string, label: string): Promise<void> {
  for (let told = 0; ; ) {
    const { status, songs: counts } = await call<{ status: string; songs: Record<string, number> }>(
      'GET',
      `/api/v1/batches/${batchId}`,
    )
    if (status === 'ended') return
    if (Date.now() - told > 30_000) {
      told = Date.now()
      console.log(`${label}: ${JSON.stringify(counts)}`)
    }
    await sleep(500)
  }
}

/** Facts of every song of a finished data directory, by the name of its file. */
async function outcome(dataDir: string) {
  const db = new Database(path.join(dataDir, 'loudsmith.db'), { readonly: true })
  const jobs = db.prepare('SELECT job_id, state, starts, losses, filename, result FROM jobs').all() as {
    job_id: string
    state: string
    starts: number
    losses: number
    filename: string
    result: string | null
  }[]
  const count = (sql: string, jobId: string) => db.prepare(sql).pluck().get(jobId) as number
  const masters = new Map<string, string>()
  let odd = 0
  for (const { job_id, state, filename, result } of jobs) {
    const charges = count("SELECT count(*) FROM ledger WHERE kind = 'charge' AND job_id = ?", job_id)
    const refunds = count("SELECT count(*) FROM ledger WHERE kind = 'refund' AND job_id = ?", job_id)
    const ends = count(
      "SELECT count(*) FROM events WHERE name IN ('job.completed', 'job.failed') AND job_id = ?",
      job_id,
    )
    if (state !== 'done' || charges !== 1 || refunds !== 0 || ends !== 1) {
      odd++
      console.error(`${filename}: ${state}, ${charges} charges, ${refunds} refunds, ${ends} ends`)
    }
    if (result) masters.set(filename, await soundOf(dataDir, job_id, JSON.parse(result).zip.fileName))
  }
  db.close()
  const most = Math.max(...jobs.map(({ losses }) => losses))
  return {
    count: jobs.length,
    odd,
    masters,
    losses: jobs.reduce((sum, { losses }) => sum + losses, 0),
    mostLosses: most,
  }
}

/** Returns the SHA-256 of the WAVs in the ZIP of a job, which is read to its last byte. */
async function soundOf(dataDir: string, jobId: string, fileName: string): Promise<string> {
  const file = path.join(dataDir, 'jobs', jobId, 'result', fileName)
  const { entries } = await readWholeZip(file)
  const hash = createHash('sha256')
  for (const { offset, sizeBytes } of entries.filter(({ name }) => name.endsWith('.wav')))
    for await (const chunk of createReadStream(file, { start: offset, end: offset + sizeBytes - 1 })) hash.update(chunk)
  return hash.digest('hex')
}

/** Causes faults in turn until it is stopped; counts them. */
async function causeFaults(hosts: readonly Host[], redis: { current: RedisServer }, signal: AbortSignal) {
  const faults = { kills: 0, cuts: 0, redisKills: 0, wipes: 0 }
  const port = redis.current.port
  for (let round = 0; ; round++) {
    if (await sleep(KILL_MS, false, { signal }).catch(() => true)) return faults
    const host = hosts[round % hosts.length]
    if (!host) return faults
    kill(host.process)
    faults.kills++
    startMachine(host, port)
    if (round % 4 === 1) {
      const { folder: kept } = redis.current
      await redis.current.stop({ keepsFolder: true })
      await sleep(1000)
      redis.current = await startRedis({ folder: kept, port, isReachable: true })
      faults.redisKills++
    }
    if (round % 4 === 3) {
      execFileSync('redis-cli', ['-p', String(port), 'FLUSHALL'])
      faults.wipes++
    }
    const other = hosts[(round + 1) % hosts.length]
    if (round % 3 === 2 && other?.namespace) {
      spawnSync('ip', ['link', 'set', `ls-${other.name}`, 'down'])
      await sleep(Math.min(30_000, KILL_MS))
      spawnSync('ip', ['link', 'set', `ls-${other.name}`, 'up'])
      faults.cuts++
    }
  }
}

async function runFarm() {
  const redis = { current: await startRedis({ isReachable: true }) }
  const hosts = [makeHost('a', 1), makeHost('b', 2)]
  const dataDir = path.join(folder, 'farm')
  const queue = `redis://127.0.0.1:${redis.current.port}`
  const owner = start(
    undefined,
    'owner',
    'serve',
    '--stay',
    '--port',
    '0',
    '--data-dir',
    dataDir,
    '--queue',
    queue,
    '--blobs',
    blobs,
  )
  const stop = new AbortController()
  try {
    const { call, batchId } = await handOver(dataDir)
    for (const host of hosts) startMachine(host, redis.current.port)
    const startedMs = Date.now()
    const faults = causeFaults(hosts, redis, stop.signal)
    await untilEnded(call, batchId, 'farm')
    const seconds = (Date.now() - startedMs) / 1000
    stop.abort()
    const cpuTicks = readFileSync(`/proc/${owner.pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? []
    const ownerCpuMs = cpuTicks.reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
    return { dataDir, seconds, faults: await faults, ownerCpuMsPerJob: Math.round(ownerCpuMs / JOBS) }
  } finally {
    stop.abort()
    for (const host of hosts) {
      kill(host.process)
      if (host.namespace) spawnSync('ip', ['netns', 'del', host.namespace])
    }
    await end(owner)
    await redis.current.stop()
  }
}

async function runAlone(): Promise<string> {
  const dataDir = path.join(folder, 'alone')
  const owner = start(undefined, 'alone', 'serve', '--stay', '--port', '0', '--data-dir', dataDir)
  try {
    const { call, batchId } = await handOver(dataDir)
    await untilEnded(call, batchId, 'alone')
  } finally {
    await end(owner)
  }
  return dataDir
}

async function end(owner: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => owner.once('exit', resolve))
  owner.kill('SIGTERM')
  await ended
}

if (!hasRedis()) process.exit(0)
mkdirSync(blobs)
mkdirSync(songs)
for (const [at, name] of songNames().entries())
  writeFileSync(path.join(songs, name), wavSong({ seconds: 3, sampleRateHz: 44_100, hertz: 110 + at }))
const farm = await runFarm()
const [found, expected] = [await outcome(farm.dataDir), await outcome(await runAlone())]
const different = [...expected.masters].filter(([name, sha256]) => found.masters.get(name) !== sha256).length
const { dataDir: _, ...figures } = farm
console.log(
  JSON.stringify({
    jobs: found.count,
    ...figures,
    losses: found.losses,
    mostLosses: found.mostLosses,
    odd: found.odd,
    different,
  }),
)
const isRight = found.count === JOBS && expected.masters.size === JOBS && found.odd === 0 && different === 0
if (isRight) rmSync(folder, { recursive: true, force: true })
else console.error(`Not as it must be: see ${folder}`)
process.exit(isRight ? 0 : 1)
