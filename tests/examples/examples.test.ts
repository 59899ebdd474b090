import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, connect } from 'node:net'
import path from 'node:path'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import { DEFAULT_SETTINGS, jobSettings, shownSettings } from '../../src-contract/settings.ts'
import { STYLES } from '../../src-contract/styles.ts'
import { SNIPPETS, type SnippetLanguage } from '../../src-renderer/screens/automate/snippets.ts'
import { en } from '../../src-renderer/text/en.ts'
import { signedHeaders } from '../../src-server/notify/signature.ts'
import { eventually, startReceiver } from '../server/notify/fixture.ts'
import { IS_CAMPAIGN } from '../support/campaign.ts'
import { createHeldEngine, type HeldEngine } from '../support/held-engine.ts'
import { hasProgram, python3, whereInstalled } from '../support/programs.ts'
import { type Service, startService } from '../support/service.ts'
import { wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: string
let engine: HeldEngine
let service: Service
let key: string

beforeEach(async () => {
  folder = temporaryFolder(onTestFinished)
  engine = createHeldEngine({ isAutomatic: true })
  service = await startService({ forkEngine: engine.fork })
  key = await service.newKey('examples')
  writeFileSync(path.join(folder, '봄날 (demo).wav'), wavSong())
  writeFileSync(path.join(folder, 'notes.wav'), 'these are only notes')
})

afterEach(() => service.stop())

const example = (name: string) => path.resolve('examples', name)

/** Runs an example as a user would; what it prints is collected. */
function run(command: string, args: readonly string[], variables: Record<string, string> = {}) {
  const environment = {
    LOUDSMITH_URL: service.baseUrl,
    LOUDSMITH_KEY: key,
    LOUDSMITH_POLL_SECONDS: '0.1',
    ...variables,
  }
  const child: ChildProcess = spawn(command, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, LANG: 'C.UTF-8', ...environment },
  })
  onTestFinished(() => void child.kill())
  const state = { child, output: '', code: undefined as number | null | undefined }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (state.output += text))
  }
  child.once('close', (code) => (state.code = code))
  return state
}

async function finished(program: ReturnType<typeof run>): Promise<number | null> {
  if (program.code === undefined) await new Promise((resolve) => program.child.once('close', resolve))
  return program.code ?? null
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** The SHA-256 of a job's ZIP. */
async function sumOf(jobId: string): Promise<string> {
  const headers = { authorization: `Bearer ${service.sessionCredential}` }
  const response = await fetch(`${service.baseUrl}/api/v1/jobs/${jobId}/download`, { headers })
  return sha256(Buffer.from(await response.arrayBuffer()))
}

const hasTrace = (output: string) => /Traceback|^ +at .*:\d+/m.test(output)

function refuseByLimit(response: http.ServerResponse): void {
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
  response.end('{"error":{"code":"RATE_LIMIT","message":"Try again in 1 s."}}')
}

/**
 * The service behind another address, where `answerFirst` answers the first read, where that many downloads break off behind their
 * first byte, or where no caller hears of the job that it made. Returns the address.
 */
async function startDoor({
  port = 0,
  answerFirst = refuseByLimit,
  breaksDownloads = 0,
  losesJobs = false,
} = {}): Promise<string> {
  let isRefused = breaksDownloads > 0
  let broken = 0
  const door = http.createServer((request, response) => {
    if (request.method === 'GET' && !isRefused) {
      isRefused = true
      answerFirst(response)
      return
    }
    const { host } = new URL(service.baseUrl)
    const { method = '', headers, url = '' } = request
    const onward = http.request(service.baseUrl + url, { method, headers: { ...headers, host } }, (answer) => {
      if (losesJobs && method === 'POST') {
        response.destroy()
        return
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      if (url.endsWith('/download') && broken++ < breaksDownloads)
        answer.once('data', (bytes: Buffer) => response.write(bytes.subarray(0, 1), () => response.destroy()))
      else answer.pipe(response)
    })
    request.pipe(onward)
  })
  onTestFinished(() => void door.close())
  await new Promise<void>((resolve) => door.listen(port, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(door.address() as AddressInfo).port}`
}

/** An address at which nothing answers. */
async function deadAddress(): Promise<string> {
  const server = http.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

const programOf = ([name, command]: readonly [string, ...unknown[]]) => (name === 'curl' ? 'curl' : String(command))

const hasRequests = spawnSync(python3, ['-c', 'import requests']).status === 0
const ALL_CLIENTS: (readonly [name: string, command: string, args: readonly string[]])[] = [
  ['curl', 'sh', [example('curl/master.sh')]],
  ['Python', python3, [example('python/master.py')]],
  ['Node', process.execPath, [example('node/master.mjs')]],
  ...(hasRequests ? [['Python with requests', python3, [example('python/master_requests.py')]] as const] : []),
]
if (!hasRequests) test.skipIf(true)('what is tested with requests (skipped: it is not installed)', () => {})
const CLIENTS = whereInstalled(ALL_CLIENTS, programOf)

/** Programs of one kind that are told one behaviour of it: one of them, the one at `place`, and in `npm run campaign` all. */
const inTurn = <Program>(programs: readonly Program[], place: number): readonly Program[] =>
  IS_CAMPAIGN ? programs : programs.slice((place + 1) % programs.length).slice(0, 1)

test.each(CLIENTS)(
  'the %s example masters a song and saves exactly its ZIP beside it',
  async (_name, command, args) => {
    const program = run(command, [...args, '봄날 (demo).wav', 'melon,spotify'])
    expect([program.output, await finished(program)]).toEqual([expect.anything(), 0])
    const [jobId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(program.output) ?? []
    expect((await service.job(jobId)).platforms).toEqual(['melon', 'spotify'])
    expect(sha256(readFileSync(path.join(folder, '봄날 (demo)_masters.zip')))).toBe(await sumOf(jobId))
  },
)

test.skipIf(process.platform === 'win32').each(inTurn(CLIENTS, 0))(
  'the %s example sends a song whatever its name holds (names that Windows does not have)',
  async (_name, command, args) => {
    const title = `it's "봄; 날", a=b 100%41 @`
    writeFileSync(path.join(folder, `${title}.wav`), wavSong())
    const program = run(command, [...args, `${title}.wav`, 'melon'])
    expect([program.output, await finished(program)]).toEqual([expect.anything(), 0])
    const [jobId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(program.output) ?? []
    expect(sha256(readFileSync(path.join(folder, `${title}_masters.zip`)))).toBe(await sumOf(jobId))
    expect((await service.job(jobId)).filename).toBe(`${title}.wav`)
  },
)

const SAMPLES: [SnippetLanguage, string, isThere: boolean][] = [
  ['curl', 'sh', process.platform !== 'win32' && hasProgram('curl')],
  ['python', python3, hasRequests],
  ['node', process.execPath, true],
]

for (const [language, command, isThere] of SAMPLES)
  test.skipIf(!isThere)(
    `the ${language} sample of the page masters a song with all that is set and saves its ZIP (skipped where its program is not installed)`,
    async () => {
      const [filename, reference] = ["it's 봄; 날.wav", 'like this.wav']
      for (const name of [filename, reference]) writeFileSync(path.join(folder, name), wavSong({ seconds: 6 }))
      const settings = {
        ...DEFAULT_SETTINGS,
        ...STYLES.warm,
        style: 'warm',
        tilt_db: 0.5,
        skip_repairs: ['clicks', 'mud'] as RepairKind[],
        platforms: ['spotify', 'melon'] as const,
        genre: 'edm',
        ai_service: 'udio',
        tier: 'premium',
        intensity: 63,
        loudness: 'competitive',
        reference_amount: 41,
      } as const
      const { baseUrl } = service
      // With a key that was just made, the sample runs as it stands; without one it takes the key from the environment.
      const source = { baseUrl, filename, reference, settings, comments: en.automate.comments }
      const code = SNIPPETS[language]({ ...source, key })
      writeFileSync(path.join(folder, 'sample.mjs'), code)
      const program = run(command, ['sample.mjs'], { LOUDSMITH_KEY: '' })
      expect([program.output, await finished(program)]).toEqual([expect.anything(), 0])
      const [job] = (await service.get('/api/v1/jobs')).body.jobs
      expect(job).toMatchObject({
        ...shownSettings(jobSettings({ ...settings, platforms: [...settings.platforms] })),
        status: 'done',
        filename,
        reference_filename: reference,
      })
      const zip = path.join(folder, "it's 봄; 날_masters.zip")
      expect(sha256(readFileSync(zip))).toBe(await sumOf(job.job_id))
    },
  )

test('the MCP sample of the page is a configuration with which a client reaches the tools', async () => {
  const settings = { ...DEFAULT_SETTINGS, platforms: ['spotify'] as const }
  const source = { baseUrl: service.baseUrl, key, filename: 'song.wav', settings, comments: en.automate.comments }
  const { url, headers } = JSON.parse(SNIPPETS.mcp(source)).mcpServers.loudsmith
  const client = new McpClient({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }) as Transport)
  onTestFinished(() => client.close())
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('master')
})

test('the n8n sample of the page sends its key to the addresses of this service alone', () => {
  const settings = { ...DEFAULT_SETTINGS, platforms: ['spotify'] as const }
  const source = { baseUrl: service.baseUrl, filename: 'song.wav', settings, comments: en.automate.comments }
  const addresses = SNIPPETS.n8n(source).match(/^URL .*$/gm) ?? []
  expect(addresses.length).toBe(3)
  for (const address of addresses) expect(address).toContain(` ${service.baseUrl}/api/v1/`)
})

test.each(inTurn(CLIENTS, 1))('the %s example says why a song is refused, and fails', async (_name, command, args) => {
  const program = run(command, [...args, 'notes.wav'])
  expect(await finished(program)).toBe(1)
  expect(program.output).toContain('UNSUPPORTED_FORMAT')
  expect(program.output).not.toMatch(/Traceback|at .*\.mjs/)
})

test.each(inTurn(CLIENTS, 2))(
  'the %s example waits when the plan allows no further request, and says so',
  async (_name, command, args) => {
    await service.patch('/app/account', { plan: 'pro' })
    const account = { headers: { authorization: `Bearer ${key}` } }
    for (let count = 0; count < 30; count++) await fetch(`${service.baseUrl}/api/v1/account`, account)
    const program = run(command, [...args, '봄날 (demo).wav'])
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(program.code).toBeUndefined()
    await eventually(() => /RATE_LIMIT.*30 requests/.test(program.output))
    await service.patch('/app/account', { plan: 'studio' })
    program.child.kill()
  },
)

test.each(inTurn(CLIENTS, 3))(
  'the %s example puts the result of a second run in the place of the first',
  async (_name, command, args) => {
    for (const platforms of ['melon', 'melon,spotify,youtube', 'melon']) {
      const program = run(command, [...args, '봄날 (demo).wav', platforms])
      expect([program.output, await finished(program)]).toEqual([expect.anything(), 0])
      const [jobId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(program.output) ?? []
      expect(sha256(readFileSync(path.join(folder, '봄날 (demo)_masters.zip')))).toBe(await sumOf(jobId))
    }
  },
)

test.each(inTurn(CLIENTS, 4))(
  'the %s example that is run again goes on with the job of the song, unless that failed or is gone',
  async (_name, command, args) => {
    const jobs = async () => {
      const page = (await service.get('/api/v1/jobs?sort=oldest')).body.jobs as { job_id: string; status: string }[]
      return page.map(({ job_id }) => job_id)
    }
    const runAgain = (variables = {}) => run(command, [...args, '봄날 (demo).wav', 'melon'], variables)
    const cutOff = runAgain({ LOUDSMITH_URL: await startDoor({ losesJobs: true }) })
    expect(await finished(cutOff)).not.toBe(0)
    for (let again = 0; again < 2; again++) {
      const program = runAgain()
      expect([program.output, await finished(program)]).toEqual([expect.anything(), 0])
    }
    const [first = '', ...others] = await jobs()
    expect(others).toEqual([])

    await service.call('DELETE', `/api/v1/jobs/${first}`)
    engine.isAutomatic = false
    service.expectFault('a job failed')
    const failing = runAgain()
    await eventually(() => engine.processes.length === 2)
    engine.processes[1]?.fail('ENGINE_FAILED')
    expect(await finished(failing)).toBe(1)
    engine.isAutomatic = true
    for (let again = 0; again < 2; again++) {
      const program = runAgain()
      expect([program.output, await finished(program)]).toEqual([expect.anything(), 0])
    }
    const [failed = '', last = '', ...more] = await jobs()
    expect([(await service.job(failed)).status, (await service.job(last)).status, more]).toEqual(['failed', 'done', []])
    expect(sha256(readFileSync(path.join(folder, '봄날 (demo)_masters.zip')))).toBe(await sumOf(last))
  },
)

test.each(inTurn(CLIENTS, 5))('the %s example goes on when it has asked too often', async (_name, command, args) => {
  const program = run(command, [...args, '봄날 (demo).wav', 'melon'], { LOUDSMITH_URL: await startDoor() })
  expect([program.output, await finished(program)]).toEqual([expect.anything(), 0])
  expect(existsSync(path.join(folder, '봄날 (demo)_masters.zip'))).toBe(true)
})

test.each(inTurn(CLIENTS, 6))(
  'the %s example says that nothing answers, and that a song is not there',
  async (_name, command, args) => {
    const url = await deadAddress()
    const unanswered = run(command, [...args, '봄날 (demo).wav'], { LOUDSMITH_URL: url })
    const missing = run(command, [...args, 'missing.wav'])
    expect([await finished(unanswered), await finished(missing)]).not.toContain(0)
    expect(unanswered.output).toContain(new URL(url).port)
    expect(missing.output).toContain('missing.wav')
    expect([unanswered.output, missing.output].filter(hasTrace)).toEqual([])
  },
)

test.each(inTurn(CLIENTS, 7))(
  'the %s example fails when its download breaks off, and leaves what was there before',
  async (_name, command, args) => {
    const LOUDSMITH_URL = await startDoor({ breaksDownloads: Number.POSITIVE_INFINITY })
    const before = readdirSync(folder)
    const program = run(command, [...args, '봄날 (demo).wav', 'melon'], { LOUDSMITH_URL })
    expect(await finished(program)).not.toBe(0)
    expect(hasTrace(program.output)).toBe(false)
    expect(readdirSync(folder)).toEqual(before)
    writeFileSync(path.join(folder, '봄날 (demo)_masters.zip'), 'of an earlier run')
    expect(await finished(run(command, [...args, '봄날 (demo).wav', 'melon'], { LOUDSMITH_URL }))).not.toBe(0)
    expect(readFileSync(path.join(folder, '봄날 (demo)_masters.zip'), 'utf8')).toBe('of an earlier run')
  },
)

/** The lines of README.md below "The API in five lines" but for the key, which is given, and unzip: the held engine makes no real ZIP. */
function readmeLines(): string {
  const [, block = ''] = /The API in five lines.*?```sh\n(.*?)```/s.exec(readFileSync('README.md', 'utf8')) ?? []
  const [first = '', ...rest] = block.trimEnd().split('\n')
  const last = rest.at(-1) ?? ''
  expect([first, last]).toEqual([expect.stringMatching(/^KEY=.*; API=/), expect.stringMatching(/ && unzip -l \S+$/)])
  return rest.join('\n').replace(/ && unzip .*$/, '')
}

test.runIf(hasProgram('curl'))(
  'the five lines of the README lead to the result, and end with the reason when the song is refused',
  async () => {
    const variables = { KEY: key, API: `${await startDoor()}/api/v1` }
    const song = path.join(folder, 'song.flac')
    const result = path.join(folder, 'masters.zip')
    writeFileSync(song, wavSong())
    const program = run('sh', ['-c', readmeLines()], variables)
    expect([await finished(program), program.output]).toEqual([0, expect.stringContaining('"status":"queued"')])
    const [jobId = ''] = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(program.output) ?? []
    expect(sha256(readFileSync(result))).toBe(await sumOf(jobId))
    rmSync(result)
    writeFileSync(song, 'these are only notes')
    const refused = run('sh', ['-c', readmeLines()], variables)
    expect(await finished(refused)).not.toBe(0)
    expect(refused.output).toContain('UNSUPPORTED_FORMAT')
    expect(existsSync(result)).toBe(false)
  },
)

const ALL_RECEIVERS: [name: string, command: string, args: string[]][] = [
  ['Python', python3, [example('python/webhook_receiver.py'), '0']],
  ['Node', process.execPath, [example('node/webhook-receiver.mjs'), '0']],
]
const RECEIVERS = ALL_RECEIVERS.filter(([, command]) => hasProgram(command))

test.each(RECEIVERS)(
  'the %s receiver takes genuine callbacks once, downloads the result, and refuses the rest',
  async (_name, command, args) => {
    const { secret } = (await service.get('/app/webhook-secret')).body
    const receiver = run(command, args, { LOUDSMITH_WEBHOOK_SECRET: secret })
    await eventually(() => receiver.output.includes('listening'))
    const url = /http:\/\/\S+/.exec(receiver.output)?.[0] ?? ''
    const { job_id } = await service.newJob({
      webhook_url: url,
      file: new File([new Uint8Array(wavSong())], '봄날.wav'),
    })
    await eventually(() => receiver.output.includes(`completed ${job_id}`))
    expect(sha256(readFileSync(path.join(folder, `봄날_${job_id.slice(0, 8)}.zip`)))).toBe(await sumOf(job_id))

    const [delivery] = (await service.get(`/api/v1/webhooks/deliveries?job_id=${job_id}`)).body.deliveries
    await service.call('POST', `/api/v1/webhooks/deliveries/${delivery.delivery_id}/redeliver`)
    const again = async () => (await service.get(`/api/v1/webhooks/deliveries?job_id=${job_id}`)).body.deliveries[0]
    while ((await again()).state !== 'delivered') await new Promise((resolve) => setTimeout(resolve, 20))
    expect(receiver.output.match(/completed/g)?.length).toBe(1)

    const forged = JSON.stringify({ event: 'job.completed', job_id, status: 'done', download_url: service.baseUrl })
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    }
    expect((await fetch(url, { method: 'POST', body: forged, headers })).status).toBe(401)
    expect((await fetch(url, { method: 'POST', body: forged })).status).toBe(401)
    await eventually(() => (receiver.output.match(/refused/g)?.length ?? 0) === 2)
  },
)

test.each(inTurn(RECEIVERS, 0))(
  'the %s receiver goes on after a caller that breaks off',
  async (_name, command, args) => {
    const receiver = run(command, args, { LOUDSMITH_WEBHOOK_SECRET: 'whsec_AAAA' })
    await eventually(() => receiver.output.includes('listening'))
    const url = /http:\/\/\S+/.exec(receiver.output)?.[0] ?? ''
    const caller = connect(Number(new URL(url).port), '127.0.0.1')
    caller.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"event":', () => caller.destroy())
    await once(caller, 'close')
    for (let calls = 0; calls < 3; calls++) expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401)
  },
)

test.each(inTurn(RECEIVERS, 1))(
  'the %s receiver saves no ZIP where the service gives none',
  async (_name, command, args) => {
    const { secret } = (await service.get('/app/webhook-secret')).body
    const variables = { LOUDSMITH_WEBHOOK_SECRET: secret, LOUDSMITH_KEY: 'ams_live_wrong' }
    const receiver = run(command, args, variables)
    await eventually(() => receiver.output.includes('listening'))
    const url = /http:\/\/\S+/.exec(receiver.output)?.[0] ?? ''
    const { job_id } = await service.newJob({ webhook_url: url })
    await eventually(() => receiver.output.includes(job_id))
    expect(receiver.output).toContain(`not downloaded ${job_id}`)
    expect(receiver.output).toContain('401')
    expect(receiver.output).not.toContain('completed')
    expect(readdirSync(folder).filter((name) => name.endsWith('.zip'))).toEqual([])
  },
)

test.each(inTurn(RECEIVERS, 2))(
  'the %s receiver does not take a download that broke off for a result, and fetches it when the event is sent again',
  async (_name, command, args) => {
    const { secret } = (await service.get('/app/webhook-secret')).body
    const LOUDSMITH_URL = await startDoor({ breaksDownloads: 1 })
    const receiver = run(command, args, { LOUDSMITH_WEBHOOK_SECRET: secret, LOUDSMITH_URL })
    const { job_id } = await service.newJob()
    await service.ended(job_id)
    const send = await sender(receiver, secret)
    await send({ job_id })
    await eventually(() => receiver.output.includes(job_id))
    expect(receiver.output).toContain(`not downloaded ${job_id}`)
    expect(receiver.output).not.toContain('completed')
    expect(readdirSync(folder).filter((name) => name.includes(job_id.slice(0, 8)))).toEqual([])
    await send({ job_id })
    await eventually(() => receiver.output.includes(`completed ${job_id}`))
    expect(sha256(readFileSync(path.join(folder, `song_${job_id.slice(0, 8)}.zip`)))).toBe(await sumOf(job_id))
  },
)

/** Returns a function that sends a signed callback to a receiver, with what it is given in the place of the usual members. */
async function sender(receiver: ReturnType<typeof run>, secret: string) {
  await eventually(() => receiver.output.includes('listening'))
  const url = /http:\/\/\S+/.exec(receiver.output)?.[0] ?? ''
  return async (members: { job_id: string; download_url?: string }) => {
    const download_url = `${service.baseUrl}/api/v1/jobs/${members.job_id}/download`
    const body = JSON.stringify({ event: 'job.completed', status: 'done', download_url, ...members })
    const headers = { ...signedHeaders(secret, `msg_${randomUUID()}`, Math.floor(Date.now() / 1000), body) }
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(204)
  }
}

test.each(inTurn(RECEIVERS, 3))(
  'the %s receiver sends its key to its own service only, whatever address a callback names',
  async (_name, command, args) => {
    const { secret } = (await service.get('/app/webhook-secret')).body
    const stranger = await startReceiver()
    const receiver = run(command, args, { LOUDSMITH_WEBHOOK_SECRET: secret })
    const send = await sender(receiver, secret)
    const { job_id } = await service.newJob()
    await service.ended(job_id)
    await send({ job_id, download_url: stranger.url })
    await eventually(() => receiver.output.includes(`completed ${job_id}`))
    expect(sha256(readFileSync(path.join(folder, `song_${job_id.slice(0, 8)}.zip`)))).toBe(await sumOf(job_id))
    await send({ job_id: '../../../app/account?', download_url: stranger.url })
    await eventually(() => receiver.output.includes('names no job'))
    expect(stranger.received).toEqual([])
  },
)

test.each(inTurn(RECEIVERS, 4))(
  'the %s receiver waits for as long as the service asks before it downloads',
  async (_name, command, args) => {
    const { secret } = (await service.get('/app/webhook-secret')).body
    const receiver = run(command, args, { LOUDSMITH_WEBHOOK_SECRET: secret, LOUDSMITH_URL: await startDoor() })
    const send = await sender(receiver, secret)
    const { job_id } = await service.newJob()
    await service.ended(job_id)
    await send({ job_id })
    await eventually(() => receiver.output.includes(`completed ${job_id}`))
    expect(receiver.output).not.toContain('not downloaded')
  },
)

test.each(inTurn(RECEIVERS, 5))(
  'the %s receiver refuses what is no callback before it reads it, and goes on',
  async (_name, command, args) => {
    const receiver = run(command, args, { LOUDSMITH_WEBHOOK_SECRET: 'whsec_AAAA' })
    await eventually(() => receiver.output.includes('listening'))
    const url = /http:\/\/\S+/.exec(receiver.output)?.[0] ?? ''
    const post = (init: RequestInit) =>
      fetch(url, { method: 'POST', ...init }).then(
        ({ status }) => status,
        () => 'closed',
      )
    expect(['closed', 413]).toContain(await post({ body: 'x'.repeat(1_000_000) }))
    const now = String(Math.floor(Date.now() / 1000))
    const signed = { 'webhook-id': 'msg_é', 'webhook-timestamp': now, 'webhook-signature': 'v1,é v1,' }
    expect(await post({ body: '{}', headers: signed })).toBe(401)
    expect(hasTrace(receiver.output)).toBe(false)
  },
)

test.each([
  ...CLIENTS.map(([name, command, args]) => [`${name} client`, command, args] as const),
  ...RECEIVERS.map(([name, command, [file = '']]) => [`${name} receiver`, command, [file]] as const),
  ['watch folder', process.execPath, [example('watch-folder/watch.mjs')]] as const,
])('the %s that is called without what it needs says how to call it', async (_name, command, args) => {
  const program = run(command, args)
  expect(await finished(program)).not.toBe(0)
  expect(program.output).toContain('Usage')
  expect(hasTrace(program.output)).toBe(false)
})

test.runIf(IS_CAMPAIGN)(
  'the watch folder waits for a service that is not there yet (in npm run campaign)',
  async () => {
    const inbox = path.join(folder, 'inbox')
    mkdirSync(inbox)
    writeFileSync(path.join(inbox, 'one.wav'), wavSong())
    const url = await deadAddress()
    const args = [example('watch-folder/watch.mjs'), inbox, path.join(folder, 'outbox'), 'melon']
    const program = run(process.execPath, args, { LOUDSMITH_URL: url })
    await eventually(() => program.output.includes('not mastered one.wav'))
    await startDoor({ port: Number(new URL(url).port) })
    await eventually(() => /^mastered one.wav/m.test(program.output))
  },
)

test.runIf(IS_CAMPAIGN)(
  'the watch folder goes on with the job of a song when the service was away in between (in npm run campaign)',
  async () => {
    const inbox = path.join(folder, 'inbox')
    mkdirSync(inbox)
    writeFileSync(path.join(inbox, 'one.wav'), wavSong())
    const LOUDSMITH_URL = await startDoor({ answerFirst: (response) => void response.destroy() })
    const args = [example('watch-folder/watch.mjs'), inbox, path.join(folder, 'outbox'), 'melon']
    const program = run(process.execPath, args, { LOUDSMITH_URL })
    await eventually(() => /^mastered one.wav/m.test(program.output))
    expect(program.output).toContain('not mastered one.wav: no answer')
    expect((await service.get('/api/v1/jobs')).body.total).toBe(1)
  },
)

test('the watch folder takes up the job of a song that it never heard of, also when it is started for other platforms', async () => {
  const [inbox, outbox] = [path.join(folder, 'inbox'), path.join(folder, 'outbox')]
  mkdirSync(inbox)
  writeFileSync(path.join(inbox, 'one.wav'), wavSong())
  const args = [example('watch-folder/watch.mjs'), inbox, outbox]
  const first = run(process.execPath, [...args, 'melon'], { LOUDSMITH_URL: await startDoor({ losesJobs: true }) })
  await eventually(() => first.output.includes('not mastered one.wav: no answer'))
  first.child.kill()
  await finished(first)
  const second = run(process.execPath, [...args, 'spotify'])
  await eventually(() => /mastered one.wav/m.test(second.output))
  expect(second.output).not.toContain('not mastered')
  const { jobs } = (await service.get('/api/v1/jobs')).body
  expect(jobs.map(({ platforms }: { platforms: string[] }) => platforms)).toEqual([['melon']])
})

test('the watch folder fetches a song again whose download broke off, and after a restart too', async () => {
  const [inbox, outbox] = [path.join(folder, 'inbox'), path.join(folder, 'outbox')]
  mkdirSync(inbox)
  writeFileSync(path.join(inbox, 'one.wav'), wavSong())
  const args = [example('watch-folder/watch.mjs'), inbox, outbox, 'melon']
  const first = run(process.execPath, args, {
    LOUDSMITH_URL: await startDoor({ breaksDownloads: Number.POSITIVE_INFINITY }),
  })
  await eventually(() => (first.output.match(/^not mastered one.wav: no answer/gm)?.length ?? 0) > 1)
  first.child.kill()
  await finished(first)
  const second = run(process.execPath, args)
  await eventually(() => /^mastered one.wav/m.test(second.output))
  const { jobs, total } = (await service.get('/api/v1/jobs')).body
  expect(total).toBe(1)
  expect(sha256(readFileSync(path.join(outbox, 'one.wav.zip')))).toBe(await sumOf(jobs[0].job_id))
})

test('the watch folder makes nothing again when a ZIP was taken away, but what has changed', async () => {
  const [inbox, outbox] = [path.join(folder, 'inbox'), path.join(folder, 'outbox')]
  mkdirSync(inbox)
  writeFileSync(path.join(inbox, 'one.wav'), wavSong())
  const args = [example('watch-folder/watch.mjs'), inbox, outbox, 'melon']
  const first = run(process.execPath, args)
  await eventually(() => /^mastered one.wav/m.test(first.output))
  first.child.kill()
  await finished(first)
  rmSync(path.join(outbox, 'one.wav.zip'))
  const second = run(process.execPath, args)
  writeFileSync(path.join(inbox, 'two.wav'), wavSong({ hertz: 330 }))
  await eventually(() => /^mastered two.wav/m.test(second.output))
  expect(second.output).not.toContain('one.wav')
  writeFileSync(path.join(inbox, 'one.wav'), wavSong({ hertz: 550 }))
  await eventually(() => /^mastered one.wav/m.test(second.output))
  expect((await service.get('/api/v1/jobs')).body.total).toBe(3)
})

test.runIf(IS_CAMPAIGN)(
  'the watch folder that is started anew makes another job for a song whose job failed (in npm run campaign)',
  async () => {
    const [inbox, outbox] = [path.join(folder, 'inbox'), path.join(folder, 'outbox')]
    mkdirSync(inbox)
    writeFileSync(path.join(inbox, 'one.wav'), wavSong())
    const args = [example('watch-folder/watch.mjs'), inbox, outbox, 'melon']
    engine.isAutomatic = false
    service.expectFault('a job failed')
    const first = run(process.execPath, args)
    await eventually(() => engine.processes.length === 1)
    engine.processes[0]?.fail('ENGINE_FAILED')
    await eventually(() => first.output.includes('not mastered one.wav'))
    first.child.kill()
    await finished(first)
    engine.isAutomatic = true
    const second = run(process.execPath, args)
    await eventually(() => /mastered one.wav/.test(second.output))
    expect(second.output).not.toContain('not mastered')
    expect((await service.get('/api/v1/jobs')).body.total).toBe(2)
  },
)

test('the watch folder outlives a song that goes between two looks, a folder named like one, and its drive being away', async () => {
  const [inbox, away] = [path.join(folder, 'inbox'), path.join(folder, 'away')]
  mkdirSync(path.join(inbox, 'album.wav'), { recursive: true })
  if (process.platform !== 'win32') symlinkSync(path.join(folder, 'nowhere'), path.join(inbox, 'gone.wav'))
  const args = [example('watch-folder/watch.mjs'), inbox, path.join(folder, 'outbox'), 'melon']
  const program = run(process.execPath, args)
  await eventually(() => program.output.includes('watching'))
  renameSync(inbox, away)
  await eventually(() => program.output.includes('not looked into'))
  writeFileSync(path.join(away, 'one.wav'), wavSong())
  renameSync(away, inbox)
  await eventually(() => /^mastered one.wav/m.test(program.output))
  expect(program.output).not.toMatch(/not mastered/)
})

test('the watch folder masters each arriving song once, under its name, and goes on after one it cannot', async () => {
  const [inbox, outbox] = [path.join(folder, 'inbox'), path.join(folder, 'outbox')]
  mkdirSync(inbox)
  const program = run(process.execPath, [example('watch-folder/watch.mjs'), inbox, outbox, 'melon'])
  await eventually(() => program.output.includes('watching'))
  writeFileSync(path.join(inbox, 'notes.wav'), 'these are only notes')
  writeFileSync(path.join(inbox, 'cover.png'), 'no song at all')
  writeFileSync(path.join(inbox, 'one.wav'), wavSong())
  await eventually(() => existsSync(path.join(outbox, 'one.wav.zip')))
  writeFileSync(path.join(inbox, 'two.wav'), wavSong({ hertz: 330 }))
  await eventually(() => program.output.includes('mastered two.wav'))
  await new Promise((resolve) => setTimeout(resolve, 500))
  expect(readdirSync(outbox).sort()).toEqual(['.made.json', 'one.wav.zip', 'two.wav.zip'])
  expect(program.output.match(/^not mastered notes.wav/gm)?.length).toBe(1)
  expect((await service.get('/api/v1/jobs')).body.total).toBe(2)
})

interface Node {
  readonly name: string
  readonly type: string
  readonly credentials?: object
  readonly parameters: {
    readonly method?: string
    readonly url?: string
    readonly httpMethod?: string
    readonly jsCode?: string
    readonly fileName?: string
    readonly fileSelector?: string
    readonly amount?: string
    readonly headerParameters?: { parameters: { name: string; value: string }[] }
    readonly bodyParameters?: { parameters: { parameterType: string; name: string; value?: string }[] }
    readonly options?: { redirect?: { redirect: { followRedirects?: boolean } }; rawBody?: boolean }
  }
}

function readWorkflow(name: string) {
  const { nodes, connections } = JSON.parse(readFileSync(example(name), 'utf8')) as {
    nodes: Node[]
    connections: Record<string, { main: { node: string }[][] }>
  }
  const node = (wanted: string) => nodes.find((one) => one.name === wanted) as Node
  const next = (from: string, output = 0) => connections[from]?.main[output]?.map((to) => to.node) ?? []
  return { nodes, connections, node, next }
}

/** Evaluates what n8n would: the text of a parameter with its {{ expressions }} over `$json` and what other nodes gave. */
function evaluated(parameter: string, $json: unknown, given: Record<string, unknown> = {}): string {
  if (!parameter.startsWith('=')) return parameter
  const $ = (name: string) => ({ first: () => ({ json: given[name] }), last: () => ({ json: given[name] }) })
  const value = (expression: string) => new Function('$json', '$', `return (${expression})`)($json, $)
  return parameter.slice(1).replaceAll(/\{\{(.*?)\}\}/g, (_all, expression: string) => String(value(expression)))
}

const WORKFLOWS = ['n8n/loudsmith.json', 'n8n/loudsmith-polling.json']

test.each(WORKFLOWS)('%s is whole, and sends the key to its own service only', (name) => {
  const { nodes, connections, node } = readWorkflow(name)
  for (const [from, { main }] of Object.entries(connections)) {
    for (const one of [from, ...main.flat().map((to) => to.node)]) expect(node(one), one).toBeDefined()
  }
  const withKey = nodes.filter(({ credentials }) => credentials)
  expect(withKey.length).toBeGreaterThan(1)
  for (const { parameters } of withKey) {
    // Nothing before the path comes from outside.
    expect(parameters.url).toMatch(/^=?http:\/\/127\.0\.0\.1:47310\/api\/v1\//)
    expect(parameters.options?.redirect?.redirect.followRedirects).toBe(false)
  }
})

test.each(WORKFLOWS)(
  '%s reads the song that arrived, whatever signs its name has, not those that a pattern matches',
  (name) => {
    const { nodes } = readWorkflow(name)
    // Quotes belong to patterns too: braces between two of them are no braces.
    const path = `/in/(it's) [0] {"100%"} \`!\` *? +1 @ | \\ 봄날.wav`
    const selectors = nodes.flatMap(({ parameters }) => parameters.fileSelector ?? [])
    expect(selectors.length).toBe(2)
    for (const selector of selectors)
      expect(evaluatedWith(selector, path)).toBe(path.replace(/[^\p{L}\d/. %]/gu, (sign) => `\\${sign}`))
    // On Windows n8n takes a backslash before a quote for a separator.
    for (const selector of selectors) expect(evaluatedWith(selector, "C:/in/it's.wav")).toBe("C:/in/it's.wav")
  },
)

/** Evaluates a parameter, which is one expression, for a song that arrived. */
const evaluatedWith = (parameter: string, path: string) =>
  new Function('$', `return (${parameter.replace(/^=\{\{|\}\}$/g, '')})`)(() => ({ first: () => ({ json: { path } }) }))

/** The form that "Create job" sends, and the answer of the service. */
async function createAsIn({ node }: ReturnType<typeof readWorkflow>, song: Buffer, webhookUrl = '') {
  const { bodyParameters, headerParameters, url = '', method = '' } = node('Create job').parameters
  const form = new FormData()
  for (const { parameterType, name, value = '' } of bodyParameters?.parameters ?? []) {
    if (parameterType === 'formBinaryData') form.append(name, new Blob([new Uint8Array(song)]), 'song.wav')
    else form.append(name, name === 'webhook_url' ? webhookUrl : value)
  }
  const given = { 'Hash song': { sha256: sha256(song) } }
  const headers = (headerParameters?.parameters ?? []).map(({ name, value }) => [name, evaluated(value, {}, given)])
  const at = new URL(url).pathname
  return service.call(method, at, { body: form, headers: Object.fromEntries(headers), credential: key })
}

test.each(WORKFLOWS)(
  '%s that is executed again does not pay for the same song again, but for another',
  async (name) => {
    const workflow = readWorkflow(name)
    const receiver = await startReceiver()
    const [song, other] = [wavSong(), wavSong({ hertz: 330 })]
    const { status, body: job } = await createAsIn(workflow, song, receiver.url)
    expect(status).toBe(201)
    expect((await createAsIn(workflow, song, receiver.url)).body.job_id).toBe(job.job_id)
    expect((await createAsIn(workflow, other, receiver.url)).body.job_id).not.toBe(job.job_id)
  },
)

test.each(WORKFLOWS)('%s waits for as long as the service asks and sends the song again', (name) => {
  const { node, next } = readWorkflow(name)
  const asked = { statusCode: 429, headers: { 'retry-after': '7' } }
  expect(next('Accepted?', 1)).toEqual(['Asked to wait?'])
  expect(next('Asked to wait?', 0)).toEqual(['Wait for a slot'])
  expect(evaluated(node('Wait for a slot').parameters.amount ?? '', asked)).toBe('7')
  // The song is read again: an answer carries no file, and neither does what hashed it.
  expect(next('Wait for a slot')).toEqual(['Read it to send'])
  expect(next('Read it to send')).toEqual(['Create job'])
  expect(next('Hash song')).toEqual(['Read it to send'])
  expect(next('Download later?', 0)).toEqual(['Wait to download'])
  expect(next('Wait to download')).toEqual(['Download result'])
})

test('the n8n workflow is whole: its calls, made as it says, make a job whose callback leads to the result', async () => {
  const workflow = readWorkflow('n8n/loudsmith.json')
  const { node } = workflow
  const receiver = await startReceiver()
  expect(node('Job has ended').parameters).toMatchObject({ httpMethod: 'POST', options: { rawBody: true } })
  const { body: job } = await createAsIn(workflow, wavSong(), receiver.url)
  await receiver.until(1)
  const [callback] = receiver.received
  const { secret } = (await service.get('/app/webhook-secret')).body
  const code = (node('Verify signature').parameters.jsCode ?? '').replace("'whsec_…'", `'${secret}'`)
  /** Runs the code as n8n does, on a request. */
  const verify = async (body: string, headers: object) => {
    const AsyncFunction = (async () => {}).constructor as new (...text: string[]) => (...values: unknown[]) => unknown
    const run = new AsyncFunction('$input', 'require', code)
    const $input = { first: () => ({ json: { headers } }) }
    const helpers = { getBinaryDataBuffer: async () => Buffer.from(body) }
    return ((await run.call({ helpers }, $input, createRequire(import.meta.url))) as { json: object }[])[0]?.json
  }
  const genuine = await verify(callback?.body ?? '', callback?.headers ?? {})
  expect(genuine).toEqual({ is_genuine: true, event: 'job.completed', job_id: job.job_id, error_message: '' })
  expect(await verify(`${callback?.body} `, callback?.headers ?? {})).toEqual({ is_genuine: false })
  expect(await verify(callback?.body ?? '', {})).toEqual({ is_genuine: false })
  const old = { ...signedHeaders(secret, 'msg_1', Math.floor(Date.now() / 1000) - 301, callback?.body ?? '') }
  expect(await verify(callback?.body ?? '', old)).toEqual({ is_genuine: false })
  const astray = JSON.stringify({ event: 'job.completed', job_id: '../../app/account?' })
  const now = { ...signedHeaders(secret, 'msg_1', Math.floor(Date.now() / 1000), astray) }
  expect(await verify(astray, now)).toMatchObject({ is_genuine: false })

  const url = evaluated(node('Download result').parameters.url ?? '', {}, { 'Verify signature': genuine })
  const answer = await fetch(url.replace('http://127.0.0.1:47310', service.baseUrl), {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(sha256(Buffer.from(await answer.arrayBuffer()))).toBe(await sumOf(job.job_id))
  const { fileName = '' } = node('Save result').parameters
  const savedAs = (disposition: string | null) =>
    path.basename(evaluated(fileName, { headers: { 'content-disposition': disposition } }))
  expect(savedAs(answer.headers.get('content-disposition'))).toMatch(/^song_master_[0-9a-f]{8}\.zip$/)
  expect(savedAs(`attachment; filename="_.zip"; filename*=UTF-8''${encodeURIComponent("봄날 (it's).zip")}`)).toBe(
    "봄날 (it's).zip",
  )
})
