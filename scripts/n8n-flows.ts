/**
 * `node scripts/n8n-flows.ts`: runs the workflows of examples/n8n in a real n8n with a service of their own; part of `npm run campaign` if
 * N8N_PATH is set. N8N_SONGS songs with Korean names, more than the plan takes at once, arrive in the folder of each workflow, the first of
 * them twice. Each must be mastered once, for one credit, and be stored under the service's name for it; the key must reach no other host.
 * Songs of workflow copies with a wrong or redirecting address must not arrive. N8N_PATH names the folder of an installed n8n, or the
 * folder to install it into. Needs `npm run build`. Figures go to standard output.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownerOf } from '../src-server/db/data-directory.ts'
import { wavSong } from '../tests/support/songs.ts'
import { type Client, clientOf, end, start } from './farm-run.ts'
import { ELSEWHERE, freePort, installN8n, N8n, openDoor, openProxy } from './n8n-run.ts'

const SONGS = Number(process.env.N8N_SONGS ?? 6)
/** Quiet time that means n8n has finished, ms. */
const QUIET_MS = 20_000

const root = path.join(import.meta.dirname, '..')
const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-n8n-'))

/** A workflow of examples/n8n, or a misdirected copy. */
interface Flow {
  readonly id: string
  readonly file: string
  readonly service: string
  readonly inbox: string
  readonly outbox: string
}

function makeFlow(id: string, file: string, service: string): Flow {
  const [inbox, outbox] = [path.join(folder, id, 'inbox'), path.join(folder, id, 'outbox')]
  for (const made of [inbox, outbox]) mkdirSync(made, { recursive: true })
  return { id, file, service, inbox, outbox }
}

/** Writes a copy of a workflow for this run. Returns its file; throws if the example lacks a text to be replaced. */
function copyOf({ id, file, service, inbox, outbox }: Flow, n8nPort: number, secret: string): string {
  let text = readFileSync(path.join(root, 'examples', 'n8n', file), 'utf8')
  const replace = (old: string, by: string) => {
    if (!text.includes(old)) throw new Error(`${file} has no ${old}`)
    text = text.replaceAll(old, by)
  }
  replace('http://127.0.0.1:47310', service)
  replace('/home/node/inbox', inbox)
  replace('/home/node/outbox', outbox)
  if (file === 'loudsmith.json') {
    replace('http://127.0.0.1:5678', `http://127.0.0.1:${n8nPort}`)
    replace("'whsec_…'", `'${secret}'`)
  }
  const copy = path.join(folder, `${id}.json`)
  writeFileSync(copy, JSON.stringify({ ...JSON.parse(text), id }))
  return copy
}

/** Writes the credential as described in examples/README.md. Returns its file. */
function writeCredential(key: string): string {
  const data = {
    name: 'Authorization',
    value: `Bearer ${key}`,
    allowedHttpRequestDomains: 'domains',
    allowedDomains: '127.0.0.1',
  }
  const file = path.join(folder, 'credential.json')
  const credential = { id: 'loudsmithApiKey1', name: 'Loudsmith API key', type: 'httpHeaderAuth', data }
  writeFileSync(file, JSON.stringify([credential]), { mode: 0o600 })
  return file
}

const sum = (counts: Readonly<Record<string, number>>, states: readonly string[]) =>
  states.reduce((total, state) => total + (counts[state] ?? 0), 0)
const UNFINISHED = ['new', 'running', 'waiting']

/** Puts files other than songs into the folder of a workflow until it, having begun to watch at an unknown time, has run and ended. */
async function untilAwake(n8n: N8n, { id, inbox }: Flow): Promise<void> {
  for (let round = 0; sum(n8n.executions(id), ['error', 'success', 'crashed']) === 0; round++) {
    n8n.assertRuns()
    if (round % 5 === 0) writeFileSync(path.join(inbox, `notes-${round}.wav`), 'these are only notes')
    await sleep(1000)
  }
}

/** Resolves when nothing has run for a while: no execution, no job, no pending callback. */
async function untilQuiet(n8n: N8n, flows: readonly Flow[], call: Client): Promise<void> {
  for (let quietSince = Date.now(), last = ''; Date.now() - quietSince < QUIET_MS; await sleep(1000)) {
    n8n.assertRuns()
    const counts = flows.map(({ id }) => n8n.executions(id))
    const { usage } = await call<{ usage: { unfinished_jobs: number } }>('GET', '/api/v1/account')
    const state = JSON.stringify([counts, usage])
    if (state !== last) console.error(state)
    if (state !== last || usage.unfinished_jobs > 0 || counts.some((count) => sum(count, UNFINISHED) > 0))
      quietSince = Date.now()
    last = state
  }
}

/** Names of a workflow's songs, with characters special to globs, URLs and shells. */
const songsOf = ({ id }: Flow) =>
  Array.from({ length: SONGS }, (_, at) =>
    `봄날 (it's) [${at}] {100%} ! +1 ${id}.wav`.normalize(at % 2 ? 'NFD' : 'NFC'),
  )

function putSongs(flow: Flow, at: number): void {
  for (const [number, name] of songsOf(flow).entries()) {
    const hertz = 110 + 100 * at + number
    writeFileSync(path.join(flow.inbox, name), wavSong({ seconds: 5, sampleRateHz: 44_100, hertz }))
  }
}

/** Removes the first song from a workflow's folder and puts it back. */
async function putAgain(flow: Flow): Promise<void> {
  const song = path.join(flow.inbox, songsOf(flow)[0] ?? '')
  const bytes = readFileSync(song)
  rmSync(song)
  // The watcher must notice that it is gone before it can notice its return.
  await sleep(2000)
  writeFileSync(song, bytes)
}

interface Job {
  readonly job_id: string
  readonly filename: string
  readonly status: string
}

/** Returns the faults of a workflow's songs, one sentence each. */
async function faultsOf(flow: Flow, jobs: readonly Job[], charges: readonly string[], service: Service) {
  const faults: string[] = []
  const expected: string[] = []
  for (const name of songsOf(flow)) {
    const found = jobs.filter(({ filename }) => filename.normalize('NFC') === name.normalize('NFC'))
    const [job] = found
    if (!job || found.length !== 1 || job.status !== 'done') {
      faults.push(`${name}: ${found.map(({ status }) => status).join(', ') || 'no job'}`)
      continue
    }
    const paid = charges.filter((jobId) => jobId === job.job_id).length
    if (paid !== 1) faults.push(`${name}: ${paid} charges`)
    const answer = await service.get(`/api/v1/jobs/${job.job_id}/download`)
    const zip = decodeURIComponent(answer.headers.get('content-disposition')?.split("filename*=UTF-8''")[1] ?? '')
    if (!zip.startsWith(path.parse(name.normalize('NFC')).name)) faults.push(`${name}: the service calls it ${zip}`)
    expected.push(zip)
    const file = path.join(flow.outbox, zip)
    if (!readdirSync(flow.outbox).includes(zip)) faults.push(`${name}: no ${zip}`)
    else if (!readFileSync(file).equals(Buffer.from(await answer.arrayBuffer())))
      faults.push(`${name}: ${zip} is not what the service has`)
  }
  for (const file of readdirSync(flow.outbox)) if (!expected.includes(file)) faults.push(`nobody's ${file}`)
  return faults
}

/** A service of this run, with the rights of its owner. */
interface Service {
  readonly port: number
  readonly call: Client
  readonly get: (address: string) => Promise<Response>
}

async function openService(dataDir: string): Promise<Service> {
  const call = await clientOf(dataDir)
  const owner = ownerOf(dataDir)
  if (!owner) throw new Error('the service has ended')
  await call('PATCH', '/app/account', { plan: 'pro' })
  // One song at a time, so that the plan's limit is still reached when the next arrives.
  await call('PATCH', '/app/settings', { engine_workers: 1 })
  const headers = { authorization: `Bearer ${owner.controlToken}` }
  const get = (address: string) => fetch(`http://127.0.0.1:${owner.port}${address}`, { headers })
  return { port: owner.port, call, get }
}

/** Prepares an n8n with the imported workflows, not yet started, and the recording proxies to the service and to all other hosts. */
async function prepare(service: Service, command: string) {
  const [door, proxy, port] = [await openDoor(service.port), await openProxy(), await freePort()]
  const address = `http://127.0.0.1:${door.port}`
  const flows = [
    makeFlow('callback', 'loudsmith.json', address),
    makeFlow('polling', 'loudsmith-polling.json', address),
  ]
  const astray = [
    makeFlow('mistyped', 'loudsmith-polling.json', ELSEWHERE),
    makeFlow('redirected', 'loudsmith-polling.json', `${address}/elsewhere`),
  ]
  const all = [...flows, ...astray]
  const allowed = all.flatMap(({ inbox, outbox }) => [inbox, outbox])
  const n8n = new N8n({ folder, command, port, brokerPort: await freePort(), proxyPort: proxy.port, allowed })
  const { key } = await service.call<{ key: string }>('POST', '/app/keys', { name: 'n8n', scope: 'master' })
  const { secret } = await service.call<{ secret: string }>('GET', '/app/webhook-secret')
  n8n.run('import:credentials', `--input=${writeCredential(key)}`)
  for (const flow of all) {
    n8n.run('import:workflow', `--input=${copyOf(flow, port, secret)}`)
    n8n.run('publish:workflow', `--id=${flow.id}`)
  }
  return { n8n, flows, all, door, proxy, key }
}
type Run = Awaited<ReturnType<typeof prepare>>

/** Lets the songs arrive, the first of each workflow twice. Resolves when all is done. */
async function letSongsArrive({ n8n, flows, all }: Run, { call }: Service): Promise<void> {
  n8n.start()
  await Promise.all(all.map((flow) => untilAwake(n8n, flow)))
  for (const [at, flow] of flows.entries()) putSongs(flow, at)
  await untilQuiet(n8n, all, call)
  for (const flow of flows) await putAgain(flow)
  await untilQuiet(n8n, all, call)
}

/** Returns the figures and the faults of a run. */
async function judge({ n8n, flows, all, door, proxy, key }: Run, service: Service) {
  const { jobs } = await service.call<{ jobs: Job[] }>('GET', '/api/v1/jobs?limit=100')
  const ledger = await service.call<{ entries: { kind: string; job_id?: string }[] }>('GET', '/api/v1/account/ledger')
  const charges = ledger.entries.flatMap(({ kind, job_id }) => (kind === 'charge' && job_id ? [job_id] : []))
  const faults = (await Promise.all(flows.map((flow) => faultsOf(flow, jobs, charges, service)))).flat()
  const must = (is: boolean, fault: string) => (is ? undefined : faults.push(fault))
  must(jobs.length === flows.length * SONGS, `${jobs.length} jobs, ${charges.length} charges`)
  for (const { id, file } of flows) {
    const succeeded = n8n.executions(id).success ?? 0
    // One for each arrival, and one for each callback.
    const expected = (file === 'loudsmith.json' ? 2 : 1) * SONGS + 1
    must(succeeded === expected, `${id}: ${succeeded} executions have succeeded, not ${expected}`)
    for (const reason of n8n.reasons(id)) must(reason.startsWith('UNSUPPORTED_FORMAT: '), `${id}: ${reason}`)
  }
  const codes = door.passages.flatMap(({ code }) => code ?? [])
  must(codes.includes('CONCURRENT_LIMIT'), 'the limit of the plan was not reached')
  must(
    door.passages.some(({ status }) => status === 307),
    'nothing was redirected',
  )
  for (const { target, told } of proxy.asked) {
    must(!target.includes(ELSEWHERE), `asked elsewhere: ${target}`)
    must(!told.includes(key), `the key was told to ${target}`)
  }
  const figures = {
    songs: flows.length * SONGS,
    jobs: jobs.length,
    charges: charges.length,
    requests: door.passages.length,
    refusals: Object.fromEntries([...new Set(codes)].map((code) => [code, codes.filter((one) => one === code).length])),
    executions: Object.fromEntries(all.map(({ id }) => [id, n8n.executions(id)])),
    reasons: Object.fromEntries(all.map(({ id }) => [id, n8n.reasons(id)])),
    otherHosts: [...new Set(proxy.asked.map(({ target }) => target))],
  }
  return { figures, faults }
}

async function runFlows(service: Service, command: string) {
  const run = await prepare(service, command)
  try {
    await letSongsArrive(run, service)
    return await judge(run, service)
  } finally {
    await run.n8n.stop()
    run.door.close()
    run.proxy.close()
  }
}

const { command, version } = installN8n(folder)
const owner = start(
  folder,
  undefined,
  'service',
  'serve',
  '--stay',
  '--port',
  '0',
  '--data-dir',
  path.join(folder, 'data'),
)
let isRight = false
try {
  const { figures, faults } = await runFlows(await openService(path.join(folder, 'data')), command)
  console.log(JSON.stringify({ n8n: version, node: process.versions.node, ...figures }, null, 2))
  for (const fault of faults) console.error(fault)
  isRight = faults.length === 0
} finally {
  await end(owner)
  if (isRight) rmSync(folder, { recursive: true, force: true })
  else console.error(`Not as it must be: see ${folder}`)
}
process.exitCode = isRight ? 0 : 1
