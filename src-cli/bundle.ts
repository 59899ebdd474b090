/** The bundle of `doctor`: data for reproducing a job without its song, free of secrets. */
import { createWriteStream } from 'node:fs'
import { open, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../src-contract/client.ts'
import type { Job } from '../src-contract/jobs.ts'
import { type Redaction, redact } from '../src-system/redact.ts'
import type { ServiceClient } from './service-client.ts'

/** One file of the bundle, its text redacted. */
export interface Entry {
  readonly name: string
  readonly text: string
}

export interface BundleOrder {
  /** Jobs to describe; the newest if empty. */
  readonly jobs: readonly string[]
  /** Data directory; the application keeps its logs beside it. */
  readonly dataDir: string
  /** A further log. */
  readonly log?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly redaction: Redaction
}

/** Number of the newest jobs described by default. */
const NEWEST_JOBS = 5
/** Bytes kept from the end of a log. */
const TAIL_BYTES = 256_000
/** Variables that describe the service's environment; for secrets only whether they are set. */
const TELLING = /^(?:MASTER_|LC_|LANG$|NODE_OPTIONS$|NODE_USE_ENV_PROXY$)/
const SECRET_NAME = /PASSWORD|SECRET|TOKEN|KEY/
/** Client-defined texts and texts irrelevant to the sound. */
const OWN_TEXTS = ['metadata', 'client_reference', 'lyrics', 'comment'] as const

/** Returns the files of the bundle, in order; a read error takes the place of its file. Throws if the service is not available. */
export async function bundleEntries(client: ServiceClient, order: BundleOrder): Promise<Entry[]> {
  const entries: Entry[] = []
  const add = (name: string, text: string) => entries.push({ name, text: redact(text, order.redaction) })
  const addJson = (name: string, value: unknown) => add(name, `${JSON.stringify(value, null, 2)}\n`)
  addJson('system.json', await client.call('readSystem'))
  addJson('machine.json', machine(order.environment))
  addJson('settings.json', await client.call('readSettings'))
  addJson('account.json', await client.call('readAccount'))
  for (const id of order.jobs.length > 0 ? order.jobs : await newestJobs(client)) {
    addJson(
      `jobs/${path.basename(id)}/job.json`,
      withoutOwnTexts(await client.call('readJob', { params: { job_id: id } })),
    )
    addJson(
      `jobs/${path.basename(id)}/report.json`,
      await readOr(() => client.call('readReport', { params: { job_id: id } })),
    )
  }
  addJson('deliveries.json', await client.call('listDeliveries', { query: { limit: 20 } }))
  for (const log of await logsOf(order)) add(`logs/${path.basename(log)}`, await tailOf(log))
  return entries
}

const newestJobs = async (client: ServiceClient) =>
  (await client.call('listJobs', { query: { limit: NEWEST_JOBS } })).jobs.map((job) => job.job_id)

function withoutOwnTexts(job: Job): Partial<Job> {
  const shown: Record<string, unknown> = { ...job }
  for (const name of OWN_TEXTS) delete shown[name]
  return shown as Partial<Job>
}

/** Returns the result of `read`, or the error envelope, as for a job without a report. */
async function readOr(read: () => Promise<object>): Promise<object> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ApiError && error.envelope) return error.envelope
    throw error
  }
}

function machine(environment: BundleOrder['environment']) {
  const told = Object.entries(environment).filter(([name]) => TELLING.test(name))
  return {
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    processor: os.cpus()[0]?.model,
    cores: os.availableParallelism(),
    memory_bytes: os.totalmem(),
    free_memory_bytes: os.freemem(),
    node: process.version,
    environment: Object.fromEntries(told.map(([name, value]) => [name, SECRET_NAME.test(name) ? '[redacted]' : value])),
  }
}

async function logsOf({ dataDir, log }: BundleOrder): Promise<string[]> {
  const folder = path.join(path.dirname(dataDir), 'logs')
  const names = await readdir(folder).catch(() => [])
  const own = names.filter((name) => /^loudsmith(\.\d+)?\.log$/.test(name)).map((name) => path.join(folder, name))
  return [...own.sort(), ...(log === undefined ? [] : [log])]
}

/** Returns the last whole lines of a file. */
async function tailOf(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - start), position: start })
    const text = buffer.subarray(0, bytesRead).toString('utf8')
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await handle.close()
  }
}

/** Writes the bundle as a new ZIP readable only by the user. Throws the file system's error, also if the file exists. */
export async function writeBundle(file: string, entries: readonly Entry[]): Promise<void> {
  const { ZipArchive } = await import('archiver')
  const archive = new ZipArchive({ zlib: { level: 6 } })
  const stream = createWriteStream(file, { mode: 0o600, flags: 'wx' })
  let isOurs = false
  stream.once('open', () => {
    isOurs = true
  })
  for (const { name, text } of entries) archive.append(text, { name })
  try {
    await Promise.all([archive.finalize(), pipeline(archive, stream)])
  } catch (cause) {
    if (isOurs) await rm(file, { force: true })
    throw cause
  }
}
