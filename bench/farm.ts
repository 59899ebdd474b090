/**
 * Several machines compared with one: processor time per song, and speed-up by a second machine. FARM_SONGS songs (8) of FARM_SECONDS (60)
 * for one platform, on one machine without a queue, then through Redis and a folder with one machine and with two, of one slot and one core
 * each; the owner, Redis and the files are on the same two cores. Needs `npm run build`, redis-server and taskset; Linux.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type Client,
  clientOf,
  cpuSecondsOf,
  end,
  type Host,
  handOver,
  type RunFolders,
  startMachine,
  startOwner,
  untilEnded,
} from '../scripts/farm-run.ts'
import type { Machines } from '../src-contract/machines.ts'
import { hasRedis, startRedis } from '../tests/support/redis-server.ts'
import { wavSong } from '../tests/support/songs.ts'

const SONGS = Number(process.env.FARM_SONGS ?? 8)
const SECONDS = Number(process.env.FARM_SECONDS ?? 60)
/** Interval between two samples of the busy machines, ms. */
const LOOK_MS = 250

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-farm-'))
const folders: RunFolders = { folder, blobs: path.join(folder, 'blobs'), songs: path.join(folder, 'songs') }
const names = Array.from({ length: SONGS }, (_, at) => `song-${at}.wav`)

interface Figures {
  readonly seconds: number
  readonly ownerCpuSeconds: number
  readonly machineCpuSeconds: number
  readonly redisCpuSeconds: number
  /** Share of the time that a machine had a song, from the first until the queue is empty, by machine. */
  readonly busy: readonly number[]
}

/** Samples, until it is stopped, how often each machine has a song. */
function watchBusy(call: Client, hosts: readonly Host[]) {
  const looks = new Map(hosts.map(({ name }) => [name, { busy: 0, all: 0 }]))
  const timer = setInterval(async () => {
    const { machines, queue } = await call<Machines>('GET', '/app/machines')
    if (queue?.waiting === 0) return
    for (const { name, job_ids } of machines) {
      const seen = looks.get(name)
      if (!seen) continue
      seen.all++
      if (job_ids.length > 0) seen.busy++
    }
  }, LOOK_MS)
  return () => {
    clearInterval(timer)
    return [...looks.values()].map(({ busy, all }) => busy / Math.max(1, all))
  }
}

/** Masters all songs once; with 0 machines on this one, one song at a time. */
async function run(label: string, machines: number): Promise<Figures> {
  const redis = machines > 0 ? await startRedis() : undefined
  const dataDir = path.join(folder, label)
  const owner = startOwner(folders, dataDir, redis)
  const hosts: Host[] = Array.from({ length: machines }, (_, at) => ({
    name: `m${at}`,
    redisHost: '127.0.0.1',
    core: at,
  }))
  for (const host of hosts) startMachine(folders, host, redis?.port ?? 0)
  try {
    const call = await clientOf(dataDir)
    while ((await call<Machines>('GET', '/app/machines')).machines.length < machines)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const before = [owner, ...hosts.map(({ process }) => process!)].map(cpuSecondsOf)
    const startedAtMs = performance.now()
    const { batchId } = await handOver(folders, names, dataDir, { engine_workers: 1 })
    const stopWatching = watchBusy(call, hosts)
    await untilEnded(call, batchId, label)
    const seconds = (performance.now() - startedAtMs) / 1000
    const busy = stopWatching()
    const after = [owner, ...hosts.map(({ process }) => process!)].map(cpuSecondsOf)
    const [ownerCpuSeconds = 0, ...ofMachines] = after.map((value, at) => value - (before[at] ?? 0))
    const machineCpuSeconds = ofMachines.reduce((sum, value) => sum + value, 0)
    return { seconds, ownerCpuSeconds, machineCpuSeconds, busy, redisCpuSeconds: redis ? cpuSecondsOf(redis) : 0 }
  } finally {
    for (const host of hosts) if (host.process) await end(host.process)
    await end(owner)
    await redis?.stop()
  }
}

function shown(label: string, figures: Figures): string {
  const { seconds, ownerCpuSeconds, machineCpuSeconds, redisCpuSeconds, busy } = figures
  const perSong = (value: number) => (value / SONGS).toFixed(2)
  const all = perSong(ownerCpuSeconds + machineCpuSeconds + redisCpuSeconds)
  const shares = busy.map((share) => `${Math.round(100 * share)} %`).join(', ') || '-'
  return `| ${label} | ${seconds.toFixed(1)} | ${perSong(ownerCpuSeconds)} | ${perSong(machineCpuSeconds)} | ${perSong(redisCpuSeconds)} | ${all} | ${shares} |`
}

if (!hasRedis()) process.exit(0)
for (const made of [folders.blobs, folders.songs]) mkdirSync(made)
for (const [at, name] of names.entries())
  writeFileSync(path.join(folders.songs, name), wavSong({ seconds: SECONDS, sampleRateHz: 44_100, hertz: 110 + at }))
try {
  const local = await run('local', 0)
  const one = await run('one', 1)
  const two = await run('two', 2)
  console.log(`${SONGS} songs of ${SECONDS} s, one platform; processor seconds a song\n`)
  console.log('| | seconds for all | owner | machines | Redis | together | busy |\n|---|---|---|---|---|---|---|')
  console.log(shown('without a queue', local))
  console.log(shown('one machine', one))
  console.log(shown('two machines', two))
  const sum = ({ ownerCpuSeconds, machineCpuSeconds, redisCpuSeconds }: Figures) =>
    ownerCpuSeconds + machineCpuSeconds + redisCpuSeconds
  console.log(`\nprocessor time of a song against one machine without a queue: ${(sum(one) / sum(local)).toFixed(2)}`)
  console.log(`throughput of two machines against one: ${(one.seconds / two.seconds).toFixed(2)}`)
  console.log(readFileSync('/proc/loadavg', 'utf8').trim())
} finally {
  rmSync(folder, { recursive: true, force: true })
}
