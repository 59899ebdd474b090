/**
 * Runs of a farm on this machine, for campaigns and benchmarks: an owner and machines as programs, in network namespaces if root is
 * available.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { PLATFORMS } from '../src-contract/platforms/index.ts'
import { ownerOf } from '../src-server/db/data-directory.ts'

/** Network of the namespaces, reserved for these runs. */
const NETWORK = '10.231'
const root = path.join(import.meta.dirname, '..')
/** The built program, which starts twice as fast as its sources. */
const CLI = path.join(root, 'dist/main/cli.js')

/** Folders of a run: for logs and data, for the files between machines, and with the songs. */
export interface RunFolders {
  readonly folder: string
  readonly blobs: string
  readonly songs: string
}

export interface Host {
  readonly name: string
  /** Address of the Redis host as seen from it. */
  readonly redisHost: string
  readonly namespace?: string
  /** Its only core, from 0; all cores if absent. */
  readonly core?: number
  process?: ChildProcess
}

/** Makes a host with its own network, or returns this one if that is not possible. */
export function makeHost(name: string, number: number): Host {
  const namespace = `loudsmith-${name}`
  const link = `ls-${name}`
  const ip = (...words: string[]) => spawnSync('ip', words, { stdio: 'ignore' }).status === 0
  // Leftovers of a killed run.
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

/** Returns the folder that holds the home and the temporary folder of a run's program. */
export const homeOf = (folder: string, name: string) => path.join(folder, 'homes', name)

/** Starts a command of the command line with its output in `NAME.log` in the folder. */
export function start(folder: string, host: Host | undefined, name: string, ...words: string[]): ChildProcess {
  const log = openSync(path.join(folder, `${name}.log`), 'a')
  const command = [
    ...(host?.namespace ? ['ip', 'netns', 'exec', host.namespace] : []),
    ...(host?.core === undefined ? [] : ['taskset', '--cpu-list', String(host.core)]),
    ...[process.execPath, CLI, ...words],
  ]
  const [program = '', ...rest] = command
  const home = homeOf(folder, name)
  const env = { ...process.env, HOME: home, TMPDIR: path.join(home, 'tmp') }
  mkdirSync(env.TMPDIR, { recursive: true })
  return spawn(program, rest, { cwd: root, env, stdio: ['ignore', log, log], detached: true })
}

/** Starts a machine of one slot on a host. */
export function startMachine({ folder, blobs }: RunFolders, host: Host, port: number): void {
  const queue = `redis://${host.redisHost}:${port}`
  const words = ['--queue', queue, '--blobs', blobs, '--name', host.name, '--workers', '1']
  host.process = start(folder, host, host.name, 'worker', ...words)
}

/** Starts an owner; `farm` makes it offer its songs to a farm. */
export function startOwner(folders: RunFolders, dataDir: string, farm?: { readonly port: number }): ChildProcess {
  const words = ['serve', '--stay', '--port', '0', '--data-dir', dataDir]
  const places = farm ? ['--queue', `redis://127.0.0.1:${farm.port}`, '--blobs', folders.blobs] : []
  return start(folders.folder, undefined, path.basename(dataDir), ...words, ...places)
}

/** Kills a process and all its descendants. */
export function kill(child: ChildProcess | undefined): void {
  try {
    if (child?.pid) process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

/** Returns a client of the service on a data directory, with owner rights. */
export async function clientOf(dataDir: string) {
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

/** Submits songs as one batch, for one platform unless its head says otherwise. Returns the client, and the identifier of the batch. */
export async function handOver(
  { songs }: RunFolders,
  names: readonly string[],
  dataDir: string,
  settings: { readonly engine_workers?: number } = {},
  head: object = { platforms: [PLATFORMS[0]] },
) {
  const call = await clientOf(dataDir)
  await call('PATCH', '/app/settings', { allowed_folders: [songs], ...settings })
  const before = (await call<{ credits: number }>('GET', '/api/v1/account')).credits
  if (before < names.length) await call('POST', '/app/account/credits', { amount: names.length })
  const lines = [head, ...names.map((name) => ({ path: path.join(songs, name) }))]
  const manifest = lines.map((line) => JSON.stringify(line)).join('\n')
  const { batch_id } = await call<{ batch_id: string }>('POST', '/api/v1/batches', manifest, 'application/x-ndjson')
  return { call, batchId: batch_id }
}

export type Client = Awaited<ReturnType<typeof clientOf>>

/** Returns the progress of a batch. */
export const stateOf = (call: Client, batchId: string) =>
  call<{ status: string; songs: Readonly<Record<'done' | 'failed', number>> }>('GET', `/api/v1/batches/${batchId}`)

/** Resolves when a batch has ended; reports its progress every 30 s. */
export async function untilEnded(call: Client, batchId: string, label: string): Promise<void> {
  for (let told = 0; ; ) {
    const { status, songs: counts } = await stateOf(call, batchId)
    if (status === 'ended') return
    if (Date.now() - told > 30_000) {
      told = Date.now()
      console.log(`${label}: ${JSON.stringify(counts)}`)
    }
    await sleep(500)
  }
}

/** Ends a program gracefully. */
export async function end(owner: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => owner.once('exit', resolve))
  owner.kill('SIGTERM')
  await ended
}

/** Returns the processor time of a program and of its ended children, seconds. Linux. */
export function cpuSecondsOf({ pid }: { readonly pid?: number | undefined }): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) / 100, 0)
}
