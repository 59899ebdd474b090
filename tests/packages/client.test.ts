/** The client package as it is handed on: packed, installed into an empty folder, and used as its README says. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type * as Package from '../../packages/client/src/index.ts'
import { buildClient } from '../../scripts/build-client.ts'
import { callableNames } from '../../scripts/client-types.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { newSecret, signedHeaders } from '../../src-server/notify/signature.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { fenced, filesBelow, installAlone, nodeOf, pack } from '../support/packed.ts'
import { type Service, startService } from '../support/service.ts'
import { wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = path.join(import.meta.dirname, '../..')
const readme = path.join(root, 'packages/client/README.md')
const folder = temporaryFolder()
const installed = path.join(folder, 'empty')
const inPackage = path.join(installed, 'node_modules/loudsmith-client')
const engine = createHeldEngine({ isAutomatic: true })
let service: Service
let client: typeof Package

beforeAll(async () => {
  const source = path.join(folder, 'source')
  cpSync(path.join(root, 'packages/client/package.json'), path.join(source, 'package.json'))
  cpSync(readme, path.join(source, 'README.md'))
  await buildClient(path.join(source, 'dist'))
  installAlone(pack(source, folder), installed)
  service = await startService({ forkEngine: engine.fork })
  client = await import(pathToFileURL(path.join(inPackage, 'dist/index.js')).href)
})
afterAll(() => service.stop())

const connect = async () => client.createLoudsmith({ key: await service.newKey(), baseUrl: service.baseUrl })
const song = (seconds = 3) => new Blob([new Uint8Array(wavSong({ seconds }))])

test('the package holds its JavaScript, its types and its README, needs no other, and has the version of the application', () => {
  expect(filesBelow(inPackage).filter((file) => !/^dist\/types\/[a-z-]+\.d\.ts$/.test(file))).toEqual([
    'README.md',
    'dist/index.js',
    'package.json',
  ])
  const facts = JSON.parse(readFileSync(path.join(inPackage, 'package.json'), 'utf8'))
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  expect(facts).toMatchObject({ version, type: 'module', engines: { node: '>=20' } })
  expect([facts.dependencies, facts.optionalDependencies, facts.peerDependencies]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(readFileSync(path.join(inPackage, 'dist/index.js'), 'utf8')).not.toMatch(
    /^\s*import\b|\bimport\(|\brequire\(/m,
  )
})

test('it can call every endpoint that a key may call, and none of the application alone', () => {
  const ofKeys = Object.entries(ENDPOINTS).filter(([, { access }]) => access === 'caller')
  expect(callableNames()).toEqual(expect.arrayContaining(ofKeys.map(([name]) => name)))
  const others = callableNames().filter((name) => ENDPOINTS[name as keyof typeof ENDPOINTS].access !== 'caller')
  expect(others.map((name) => ENDPOINTS[name as keyof typeof ENDPOINTS].access)).toEqual(others.map(() => 'open'))
})

const NODES: [name: string, node: string | undefined][] = [
  ['this Node', process.execPath],
  ['Node 20', nodeOf(20)],
]
for (const [name, node] of NODES)
  test.skipIf(!node)(
    `the five lines of the README give a master on ${name} (skipped where it is not installed)`,
    async () => {
      writeFileSync(path.join(installed, 'song.wav'), wavSong())
      writeFileSync(path.join(installed, 'five.js'), fenced(readme, 'js', 'createLoudsmith'))
      rmSync(path.join(installed, 'masters.zip'), { force: true })
      const env = { PATH: process.env.PATH, LOUDSMITH_KEY: await service.newKey(), LOUDSMITH_URL: service.baseUrl }
      await promisify(execFile)(node ?? '', ['five.js'], { cwd: installed, env })
      const { jobs } = (await service.get('/api/v1/jobs')).body
      expect(jobs[0]).toMatchObject({ status: 'done', platforms: ['spotify', 'youtube'] })
      const { headers } = await service.call('GET', `/api/v1/jobs/${jobs[0].job_id}/download`)
      expect(readFileSync(path.join(installed, 'masters.zip')).length).toBe(Number(headers.get('content-length')))
    },
  )

test('its types are those of the contract: what one takes and gives the other takes and gives, endpoint by endpoint', () => {
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  const check = path.join(folder, 'check.ts')
  writeFileSync(
    check,
    [
      `import type * as Own from ${JSON.stringify(path.join(root, 'src-contract/endpoints.ts'))}`,
      `import type * as Packed from ${JSON.stringify(path.join(inPackage, 'dist/types/endpoints.d.ts'))}`,
      'type Both<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false',
      'type Same<N extends Packed.EndpointName> = { ',
      '  params: Both<Own.ParamsOf<N>, Packed.ParamsOf<N>>; query: Both<Own.QueryOf<N>, Packed.QueryOf<N>>; body: Both<Own.BodyOf<N>, Packed.BodyOf<N>>; fields: Both<Own.FieldsOf<N>, Packed.FieldsOf<N>>; answer: Both<Own.AnswerOf<N>, Packed.AnswerOf<N>>',
      '}',
      'type AllSame = { [N in Packed.EndpointName]: Same<N> }',
      ...callableNames().map(
        (name) =>
          `export const ${name}: AllSame['${name}'] = { params: true, query: true, body: true, fields: true, answer: true }`,
      ),
    ].join('\n'),
  )
  expect(compiled(check)).toBe('')
})

test('a strict program compiles against it without types of Node or of other packages, and a misspelt field does not', () => {
  const program = (field: string) =>
    [
      `import { createLoudsmith, type Job, verifyWebhook } from 'loudsmith-client'`,
      `const loudsmith = createLoudsmith({ key: 'k' })`,
      'export async function run(): Promise<Job> {',
      `  const { job_id } = await loudsmith.master(new Blob([]), { platforms: ['spotify'], ${field}: 1 })`,
      "  for await (const { event } of loudsmith.events()) if (event.event === 'job.completed') break",
      "  const { event } = await verifyWebhook('{}', new Headers(), 'whsec_')",
      "  if (event.event === 'job.failed') throw new Error(event.error_message)",
      "  await loudsmith.call('listJobs', { query: { limit: 3 } })",
      '  return loudsmith.wait(job_id)',
      '}',
    ].join('\n')
  writeFileSync(path.join(installed, 'right.ts'), program('air_db'))
  writeFileSync(path.join(installed, 'wrong.ts'), program('airdb'))
  expect(compiled(path.join(installed, 'right.ts'), '--skipLibCheck', 'false', '--types', '')).toBe('')
  expect(compiled(path.join(installed, 'wrong.ts'), '--types', '')).toContain("'airdb' does not exist")
})

/** Returns what the compiler finds in a file. */
function compiled(file: string, ...words: string[]): string {
  const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const options =
    '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --module nodenext --target esnext'.split(' ')
  const lib = [
    '--lib',
    'esnext,dom,dom.iterable',
    '--allowImportingTsExtensions',
    '--resolveJsonModule',
    '--skipLibCheck',
  ]
  try {
    return execFileSync(process.execPath, [compiler, ...options, ...lib, ...words, file], {
      encoding: 'utf8',
      cwd: folder,
    })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

test('a song is sent with progress up to its last byte, in one request that the service counts as it is', async () => {
  const seen: [number, number][] = []
  const loudsmith = await connect()
  const content = song(20)
  const { job_id } = await loudsmith.master(content, {
    platforms: ['melon', 'spotify'],
    name: '봄날.wav',
    air_db: 1,
    idempotencyKey: 'once',
    onSent: (sent, total) => seen.push([sent, total]),
  })
  expect(seen.length).toBeGreaterThan(2)
  expect(seen.map(([sent]) => sent)).toEqual(seen.map(([sent]) => sent).sort((a, b) => a - b))
  expect(seen.at(-1)).toEqual([content.size, content.size])
  const job = await loudsmith.wait(job_id)
  expect(job).toMatchObject({ status: 'done', filename: '봄날.wav', air_db: 1, platforms: ['melon', 'spotify'] })
  const again = await loudsmith.master(content, {
    ...{ platforms: ['melon', 'spotify'], name: '봄날.wav', air_db: 1, idempotencyKey: 'once' },
  })
  expect(again.job_id).toBe(job_id)
})

test('a refusal is an ApiError with its code, a service that is away another, and a stopped call ends with its reason', async () => {
  const loudsmith = await connect()
  const notes = new Blob(['these are only notes'])
  for (const onSent of [undefined, () => {}]) {
    const refused = loudsmith.master(notes, { platforms: 'spotify', ...(onSent ? { onSent } : {}) })
    await expect(refused).rejects.toMatchObject({ name: 'ApiError', code: 'UNSUPPORTED_FORMAT', status: 400 })
  }
  const nobody = client.createLoudsmith({ key: 'k', baseUrl: 'http://127.0.0.1:1' })
  await expect(nobody.call('readAccount')).rejects.toMatchObject({ code: 'UNREACHABLE' })
  const stop = new AbortController()
  const waiting = nobody.wait('x', { signal: stop.signal })
  stop.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
})

test('waiting goes on over a limit of the plan and a restart, and ends with what the job became', async () => {
  const answers = [
    { status: 429, headers: { 'retry-after': '0' }, body: { error: { code: 'RATE_LIMIT', message: 'later' } } },
    { status: 503, headers: { 'retry-after': '0' }, body: { error: { code: 'UNAVAILABLE', message: 'ending' } } },
    undefined,
    { status: 200, headers: {}, body: { job_id: 'j', status: 'queued' } },
    { status: 200, headers: {}, body: { job_id: 'j', status: 'failed', error_message: 'silence' } },
  ]
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const answer = answers.shift()
    if (!answer) return void request.socket.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    response.end(JSON.stringify(answer.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const job = await client.createLoudsmith({ key: 'k', baseUrl }).wait('j')
  expect(job).toMatchObject({ status: 'failed', error_message: 'silence' })
  expect(asked).toEqual(Array(5).fill('/api/v1/jobs/j?wait=30'))
})

test('events come as they happen, and after a lost connection those that were missed', async () => {
  const loudsmith = await connect()
  const stop = new AbortController()
  const seen: Package.FollowedEvent[] = []
  const { job_id: first } = await loudsmith.master(song(), { platforms: 'melon' })
  await loudsmith.wait(first)
  for await (const followed of loudsmith.events({ lastId: '0', signal: stop.signal })) {
    seen.push(followed)
    if (followed.event.job_id === first && followed.event.event === 'job.completed') break
  }
  const lastId = seen.at(-1)?.id
  const { job_id: second } = await loudsmith.master(song(), { platforms: 'melon' })
  await loudsmith.wait(second)
  const later: string[] = []
  for await (const { event } of loudsmith.events({ lastId })) {
    if (event.job_id === second) later.push(event.event)
    if (event.event === 'job.completed') break
  }
  expect(later.filter((name) => name !== 'job.progress')).toEqual(['job.created', 'job.completed'])
})

test('a callback that the service signed is believed, and none that was changed, is old, or is signed with another secret', async () => {
  const secret = newSecret((count) => Buffer.alloc(count, 7))
  const nowMs = Date.parse('2026-03-01T12:00:00Z')
  const body = JSON.stringify({ event: 'job.completed', job_id: 'j', status: 'done', download_url: 'http://x/' })
  const headers = { ...signedHeaders(secret, 'evt_1', nowMs / 1000, body) }
  const verify = (changes: { body?: string; headers?: object; secret?: string; nowMs?: number }) =>
    client.verifyWebhook(changes.body ?? body, { ...headers, ...changes.headers }, changes.secret ?? secret, {
      nowMs: changes.nowMs ?? nowMs,
    })
  expect(await verify({})).toEqual({ id: 'evt_1', event: JSON.parse(body) })
  expect(
    await client.verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret, { nowMs }),
  ).toMatchObject({ id: 'evt_1' })
  const rotated = { 'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}` }
  expect(await verify({ headers: rotated })).toMatchObject({ id: 'evt_1' })
  const refused: [object, Package.WebhookError['reason']][] = [
    [{ body: body.replace('done', 'dead') }, 'signature'],
    [{ headers: { 'webhook-id': 'evt_2' } }, 'signature'],
    [{ headers: { 'webhook-signature': 'v1,*' } }, 'signature'],
    [{ secret: newSecret((count) => Buffer.alloc(count, 8)) }, 'signature'],
    [{ secret: 'secret' }, 'secret'],
    [{ headers: { 'webhook-signature': undefined } }, 'headers'],
    [{ headers: { 'webhook-timestamp': '' } }, 'headers'],
    [{ nowMs: nowMs + 301_000 }, 'time'],
    [{ nowMs: nowMs - 301_000 }, 'time'],
    [{ headers: { 'webhook-timestamp': 'NaN' } }, 'time'],
  ]
  for (const [changes, reason] of refused)
    await expect(verify(changes), JSON.stringify(changes)).rejects.toMatchObject({ name: 'WebhookError', reason })
})
