/**
 * Fault run of a farm, part of `npm run campaign`: an owner and two machines in network namespaces of their own (on this host if root is
 * not available) master FARM_JOBS songs of 3 s while a machine is killed every FARM_KILL_SECONDS, links are cut, Redis is killed and wiped,
 * and hostile messages arrive. Every song must end once, for one credit, with masters byte-identical to a single machine's; nothing may
 * change outside the machines' folders, and the folders of killed machines must be gone within a minute. Figures go to standard output.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream, globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { Queue } from 'bullmq'
import { filesIn, placeOf, type ResultZip } from '../src-worker/result/result-zip.ts'
import { listing } from '../tests/support/folder-listing.ts'
import { hasRedis, type RedisServer, startRedis } from '../tests/support/redis-server.ts'
import { wavSong } from '../tests/support/songs.ts'
import {
  cpuSecondsOf,
  end,
  type Host,
  handOver,
  homeOf,
  kill,
  makeHost,
  type RunFolders,
  startMachine,
  startOwner,
  stateOf,
  untilEnded,
} from './farm-run.ts'

const JOBS = Number(process.env.FARM_JOBS ?? 200)
const KILL_MS = Number(process.env.FARM_KILL_SECONDS ?? 20) * 1000

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-faults-'))
const folders: RunFolders = { folder, blobs: path.join(folder, 'blobs'), songs: path.join(folder, 'songs') }
const songNames = Array.from({ length: JOBS }, (_, at) => `song-${String(at).padStart(4, '0')}.wav`)

/** Names of machines. */
const HOSTS = ['a', 'b'] as const

/** Time limit after a start for removing the folders of killed machines, ms. */
const FOLDERS_LIMIT_MS = 60_000

/** Makes files that must not change, in each machine's home and temporary folder and beside the shared folder. */
function makeDecoys(): void {
  const homes = [...HOSTS, 'farm', 'alone'].map((name) => homeOf(folder, name))
  const others = homes.map((home) => path.join(home, 'tmp', 'loudsmith-machine-0123456789abcdef'))
  for (const place of [...homes, ...others, path.join(folder, 'victim'), folders.blobs]) {
    mkdirSync(place, { recursive: true })
    writeFileSync(path.join(place, 'kept'), place)
  }
}

/** Name pattern of a machine's own folder. */
const OWN_FOLDER = 'tmp/loudsmith-machine-??????'
const ownFolders = () => HOSTS.map((name) => globSync(OWN_FOLDER, { cwd: homeOf(folder, name) }).length)

/** Returns all files except the owners' data, the store, the logs, the machines' folders and Node's compile cache. */
const surroundings = () =>
  listing(
    folder,
    /^((farm|alone)$|[^/]+\.log$|blobs\/loudsmith-blobs$|homes\/\w+\/tmp\/(loudsmith-machine-.{6}|node-compile-cache)$)/,
  )

const redisCli = (port: number, ...words: string[]) => execFileSync('redis-cli', ['-p', String(port), ...words])

/** Writes hostile messages into the queue that would remove folders if they were trusted. */
async function offerLies(port: number): Promise<void> {
  const queue = new Queue('attempts', { connection: { port }, prefix: 'loudsmith' })
  queue.on('error', () => {})
  for (const jobId of ['..', '../..', '../../victim', '../../../victim', `../homes/${HOSTS[0]}`])
    await queue.add('master', { order: {} }, { jobId, attempts: 1 })
  await queue.close()
  redisCli(port, 'SET', 'loudsmith:machine:liar', '{')
}

/** Returns the outcome of every song in a finished data directory, by file name. */
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
    if (result)
      masters.set(filename, await soundOf(path.join(dataDir, 'jobs', job_id, 'result'), JSON.parse(result).zip))
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

/** Returns the SHA-256 of the WAVs of a result, in order. */
async function soundOf(folder: string, zip: ResultZip): Promise<string> {
  const hash = createHash('sha256')
  for (const name of filesIn(zip).filter((file) => file.endsWith('.wav')))
    for await (const chunk of createReadStream(path.join(folder, placeOf(zip, name)!.file))) hash.update(chunk)
  return hash.digest('hex')
}

/**
 * Causes faults in turn until it is stopped, and counts them. Each waits until another song has ended: on a busy host a song may take
 * longer than a machine lives, and a song is given up after ten losses.
 */
async function causeFaults(
  hosts: readonly Host[],
  redis: { current: RedisServer },
  ended: () => Promise<number>,
  signal: AbortSignal,
) {
  const faults = { kills: 0, cuts: 0, redisKills: 0, wipes: 0, lies: 0 }
  const port = redis.current.port
  for (let round = 0; ; round++) {
    const before = await ended()
    do if (await sleep(KILL_MS, false, { signal }).catch(() => true)) return faults
    while ((await ended()) === before)
    const host = hosts[round % hosts.length]
    if (!host) return faults
    kill(host.process)
    faults.kills++
    startMachine(folders, host, port)
    await offerLies(port)
    faults.lies++
    if (round % 4 === 1) {
      const { folder: kept } = redis.current
      await redis.current.stop({ keepsFolder: true })
      await sleep(1000)
      redis.current = await startRedis({ folder: kept, port, isReachable: true })
      faults.redisKills++
    }
    if (round % 4 === 3) {
      redisCli(port, 'FLUSHALL')
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
  const hosts = HOSTS.map((name, at) => makeHost(name, at + 1))
  const dataDir = path.join(folder, 'farm')
  const owner = startOwner(folders, dataDir, redis.current)
  const stop = new AbortController()
  try {
    const { call, batchId } = await handOver(folders, songNames, dataDir)
    for (const host of hosts) startMachine(folders, host, redis.current.port)
    const startedMs = Date.now()
    const ended = async () => {
      const { done, failed } = (await stateOf(call, batchId)).songs
      return done + failed
    }
    const faults = causeFaults(hosts, redis, ended, stop.signal)
    await untilEnded(call, batchId, 'farm')
    const seconds = (Date.now() - startedMs) / 1000
    stop.abort()
    const ownerCpuMs = 1000 * cpuSecondsOf(owner)
    const caused = await faults
    const foldersLeft = await untilSwept()
    return { dataDir, seconds, faults: caused, foldersLeft, ownerCpuMsPerJob: Math.round(ownerCpuMs / JOBS) }
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

/** Waits until each machine has one folder, a minute at most. Returns the number of folders left by killed machines. */
async function untilSwept(): Promise<number> {
  const left = () => ownFolders().reduce((sum, count) => sum + count - 1, 0)
  for (const since = Date.now(); left() > 0 && Date.now() - since < FOLDERS_LIMIT_MS; ) await sleep(500)
  return left()
}

async function runAlone(): Promise<string> {
  const dataDir = path.join(folder, 'alone')
  const owner = startOwner(folders, dataDir)
  try {
    const { call, batchId } = await handOver(folders, songNames, dataDir)
    await untilEnded(call, batchId, 'alone')
  } finally {
    await end(owner)
  }
  return dataDir
}

if (!hasRedis()) process.exit(0)
for (const made of [folders.blobs, folders.songs]) mkdirSync(made)
for (const [at, name] of songNames.entries())
  writeFileSync(path.join(folders.songs, name), wavSong({ seconds: 3, sampleRateHz: 44_100, hertz: 110 + at }))
makeDecoys()
const before = surroundings()
const farm = await runFarm()
const after = surroundings()
const touched = [...before.filter((line) => !after.includes(line)), ...after.filter((line) => !before.includes(line))]
for (const line of touched) console.error(`touched: ${line}`)
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
    touched: touched.length,
  }),
)
const isWhole = found.count === JOBS && expected.masters.size === JOBS && found.odd === 0 && different === 0
const isRight = isWhole && touched.length === 0 && farm.foldersLeft === 0
if (isRight) rmSync(folder, { recursive: true, force: true })
else console.error(`Not as it must be: see ${folder}`)
process.exit(isRight ? 0 : 1)
