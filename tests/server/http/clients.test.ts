/** Every error of the catalogue, read by the clients that people really use, each with an upload on its way where the error has one. */

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ERRORS, type ErrorCode } from '../../../src-contract/errors.ts'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import { python3, whereInstalled } from '../../support/programs.ts'
import { type Service, startService } from '../../support/service.ts'
import { wavOfSize, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { eventually } from '../notify/fixture.ts'

const run = promisify(execFile)
const folder = temporaryFolder()
const engine = createHeldEngine()
let service: Service
let key: string

/** One request as plain as it can be told to any client. */
interface Told {
  readonly method: string
  readonly address: string
  readonly headers: Readonly<Record<string, string>>
  /** File that holds the body. */
  readonly bodyFile?: string
}

/** Reads a request per line and prints what came back of it, each over a connection of its own, as both libraries do by themselves. */
const PYTHON = `
import http.client, json, sys, traceback, urllib.error, urllib.parse, urllib.request
def ask(how, url, told):
    body = open(told['bodyFile'], 'rb').read() if 'bodyFile' in told else None
    if how == 'urllib':
        try:
            answer = urllib.request.urlopen(urllib.request.Request(url, data=body, headers=told['headers'], method=told['method']))
        except urllib.error.HTTPError as error:
            answer = error
    else:
        place = urllib.parse.urlsplit(url)
        connection = http.client.HTTPConnection(place.netloc)
        connection.request(told['method'], url[len('http://' + place.netloc):], body, told['headers'])
        answer = connection.getresponse()
    return [answer.status, json.load(answer)]
for line in sys.stdin:
    try:
        print(json.dumps(ask(*json.loads(line))), flush=True)
    except Exception:
        print(json.dumps(traceback.format_exc()), flush=True)
`

type Read = [status: number, body: { error?: { code: string; message: string } }, headers?: Headers]
type Client = (told: Told) => Promise<Read>

const urlOf = ({ address }: Told) => `${service.baseUrl}${address}`
let pythonProcess: ChildProcess | undefined
let pythonAnswers: AsyncIterator<string> | undefined
const python =
  (how: string): Client =>
  async (told) => {
    pythonProcess ??= spawn(python3, ['-c', PYTHON], { stdio: ['pipe', 'pipe', 'inherit'] })
    if (!pythonProcess.stdin || !pythonProcess.stdout) throw new Error('no pipe')
    pythonAnswers ??= createInterface({ input: pythonProcess.stdout })[Symbol.asyncIterator]()
    pythonProcess.stdin.write(`${JSON.stringify([how, urlOf(told), told])}\n`)
    const { value } = await pythonAnswers.next()
    const answer: unknown = JSON.parse(value)
    if (typeof answer === 'string') throw new Error(answer)
    return answer as Read
  }

const CLIENTS: Record<string, { program: string; send: Client }> = {
  curl: {
    program: 'curl',
    async send(told) {
      const { stdout } = await run('curl', [
        ...['-s', '-w', '\n%{http_code}', '-X', told.method],
        ...Object.entries(told.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
        ...(told.bodyFile ? ['--data-binary', `@${told.bodyFile}`] : []),
        urlOf(told),
      ])
      const [body = '', status] = stdout.split('\n')
      return [Number(status), JSON.parse(body)]
    },
  },
  'Python urllib': { program: python3, send: python('urllib') },
  'Python http.client': { program: python3, send: python('http.client') },
  'Node fetch': {
    program: process.execPath,
    async send(told) {
      const body = told.bodyFile ? { body: new Uint8Array(readFileSync(told.bodyFile)) } : {}
      const answer = await fetch(urlOf(told), { method: told.method, headers: told.headers, ...body })
      return [answer.status, (await answer.json()) as Read[1], answer.headers]
    },
  },
  'Node http': {
    program: process.execPath,
    send: (told) =>
      new Promise((resolve, reject) => {
        const outgoing = httpRequest(urlOf(told), { method: told.method, headers: told.headers }, (answer) => {
          let text = ''
          answer.setEncoding('utf8').on('data', (chunk) => {
            text += chunk
          })
          answer.on('end', () => resolve([answer.statusCode ?? 0, JSON.parse(text)]))
        })
        outgoing.on('error', reject).end(told.bodyFile ? readFileSync(told.bodyFile) : undefined)
      }),
  },
}

const at = (name: string) => path.join(folder, name)
const FORM = 'multipart/form-data; boundary=b'

/** Writes a form to a file and returns its name. */
function form(name: string, fields: Readonly<Record<string, string>>, song?: Buffer): string {
  const text = Object.entries(fields).map(
    ([field, value]) => `--b\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  )
  const file = song
    ? [Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'), song, '\r\n']
    : []
  const parts = [...text, ...file, '--b--\r\n'].map((part) => Buffer.from(part as string))
  writeFileSync(at(name), Buffer.concat(parts))
  return at(name)
}

// The app’s own credential, so that a minute’s requests are enough for all of this.
const asApp = (more: Record<string, string> = {}) => ({
  authorization: `Bearer ${service.sessionCredential}`,
  ...more,
})
const upload = (bodyFile: string, headers: Told['headers'] = asApp()): Told => ({
  method: 'POST',
  address: '/api/v1/master',
  headers: { ...headers, 'content-type': FORM },
  bodyFile,
})
const get = (address: string, more: Record<string, string> = {}): Told => ({
  method: 'GET',
  address,
  headers: asApp(more),
})
function post(address: string, body: unknown, headers = asApp()): Told {
  writeFileSync(at('body.json'), JSON.stringify(body))
  return {
    method: 'POST',
    address,
    headers: { ...headers, 'content-type': 'application/json' },
    bodyFile: at('body.json'),
  }
}

/** Stores a song, hears it, and returns its audition, whose master is held. */
async function auditionId(): Promise<string> {
  const song = new FormData()
  song.append('file', new Blob([new Uint8Array(wavSong())]), 'song.wav')
  const { source_id } = (await service.call('POST', '/app/sources', { body: song })).body
  const { settings } = (await service.get('/app/desk')).body
  return (await service.post('/app/auditions', { source_id, platform: 'spotify', settings })).body.audition_id
}

let goodForm: string
const jobs = { waiting: '', done: '', failed: '', expired: '' }
const undo: (() => unknown)[] = []
const openDatabase = () => new Database(path.join(service.dataDir, 'loudsmith.db'))

beforeAll(async () => {
  service = await startService({ forkEngine: engine.fork })
  key = await service.newKey()
  goodForm = form('good', { platforms: 'spotify' }, wavOfSize(8_000_000))
  await service.patch('/app/settings', { engine_workers: 4 })
  for (const name of ['done', 'failed', 'expired', 'waiting'] as const) jobs[name] = (await service.newJob()).job_id
  await eventually(() => engine.processes.length === 4)
  const process = (jobId: string) => engine.processes.find(({ order }) => order?.jobId === jobId)
  service.expectFault('a job failed')
  process(jobs.failed)?.fail('UNREADABLE_AUDIO')
  process(jobs.done)?.finish()
  process(jobs.expired)?.finish()
  for (const jobId of [jobs.done, jobs.failed, jobs.expired]) await service.ended(jobId)
  const db = openDatabase()
  db.prepare('UPDATE jobs SET is_expired = 1 WHERE job_id = ?').run(jobs.expired)
  db.close()
})
afterAll(async () => {
  pythonProcess?.kill()
  await service.stop()
})

/** A whole request cannot stop coming. */
type Situation = Exclude<ErrorCode, 'REQUEST_TIMEOUT'>

/** A request that causes each error; anything it changes is undone afterwards. They work in any order. */
const SITUATIONS: Record<Situation, () => Told | Promise<Told>> = {
  FILE_TOO_LARGE: () => upload(form('large', { platforms: 'spotify' }, wavOfSize(53_000_000))),
  UNSUPPORTED_FORMAT: () => upload(form('text', { platforms: 'spotify' }, Buffer.alloc(8_000_000, 'notes '))),
  FILE_TOO_LONG: () => upload(form('long', { platforms: 'spotify' }, wavSong({ seconds: 601, channels: 1 }))),
  INVALID_PLATFORM: () => upload(form('platform', { platforms: 'nowhere' }, wavOfSize(8_000_000))),
  INVALID_API_KEY: () => upload(goodForm, { authorization: 'Bearer ams_live_wrong' }),
  async INSUFFICIENT_CREDITS() {
    const { credits } = (await service.get('/api/v1/account')).body
    const db = openDatabase()
    db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', ?, 0)").run(-credits)
    db.close()
    undo.push(() => service.post('/app/account/credits', { amount: credits }))
    return upload(goodForm)
  },
  async CONCURRENT_LIMIT() {
    await service.patch('/app/account', { plan: 'free' })
    undo.push(() => service.patch('/app/account', { plan: 'studio' }))
    return upload(goodForm, asApp())
  },
  async RATE_LIMIT() {
    await service.patch('/app/account', { plan: 'pro' })
    undo.push(() => service.patch('/app/account', { plan: 'studio' }))
    while ((await service.get('/api/v1/jobs', { credential: key })).status === 200);
    return upload(goodForm, { authorization: `Bearer ${key}` })
  },
  INVALID_REQUEST: () => upload(form('genre', { platforms: 'spotify', genre: 'polka' }, wavOfSize(8_000_000))),
  INVALID_WEBHOOK_URL: () =>
    upload(form('hook', { platforms: 'spotify', webhook_url: 'http://169.254.169.254/' }, wavSong())),
  UNUSABLE_STEMS: () => ({
    ...upload(form('stems', { kind: 'stems' }, Buffer.alloc(8_000_000, 'notes '))),
    address: '/api/v1/sources',
  }),
  STEM_SET_LIMIT() {
    const db = openDatabase()
    const add = db.prepare(
      `INSERT INTO sources (source_id, purpose, filename, title, sha256, size_bytes, facts, created_at_ms)
       VALUES (?, 'song', '', '', ?, 0, '{"tags":{}}', 0)`,
    )
    for (const set of ['one', 'two']) {
      add.run(set, set)
      add.run(`stem of ${set}`, set)
      db.prepare('INSERT INTO stem_sets (source_id, is_of_key) VALUES (?, 1)').run(set)
      db.prepare("INSERT INTO stems (set_id, number, source_id, role, is_silent) VALUES (?, 1, ?, 'other', 0)").run(
        set,
        `stem of ${set}`,
      )
    }
    db.close()
    undo.push(() => {
      const again = openDatabase()
      again.exec('DELETE FROM stem_sets; DELETE FROM sources WHERE created_at_ms = 0')
      again.close()
    })
    const told = upload(form('set', { kind: 'stems' }, Buffer.alloc(8_000_000)), { authorization: `Bearer ${key}` })
    return { ...told, address: '/api/v1/sources' }
  },
  TRIMMED_AWAY: () => upload(form('trim', { platforms: 'spotify', trim_end_seconds: '600' }, wavOfSize(8_000_000))),
  FADES_OVERLAP: () =>
    upload(form('fade', { platforms: 'spotify', fade_in_seconds: '60', fade_out_seconds: '60' }, wavSong())),
  FORBIDDEN: () => ({
    ...upload(goodForm),
    headers: { ...upload(goodForm).headers, origin: 'http://evil.example' },
  }),
  OWNER_REQUIRED: () => post('/app/tickets', {}),
  NOT_FOUND: () => ({ ...upload(goodForm), address: '/api/v1/masters' }),
  JOB_NOT_FOUND: () => get('/api/v1/jobs/nobody/download'),
  PATH_NOT_ALLOWED() {
    const lines = [{ platforms: ['spotify'], delivery: 'folder', folder: '/nowhere' }, { path: '/nowhere/song.wav' }]
    writeFileSync(at('manifest'), lines.map((line) => JSON.stringify(line)).join('\n'))
    const headers = asApp({ 'content-type': 'application/x-ndjson' })
    return { ...upload(at('manifest'), headers), headers, address: '/api/v1/batches' }
  },
  BATCH_NOT_FOUND: () => get('/api/v1/batches/nobody'),
  LINK_NOT_FOUND: () => get('/l/nothing'),
  RELEASE_NOT_FOUND: () => get('/api/v1/releases/nobody'),
  async TRACK_LIMIT() {
    const tracks = Array.from({ length: 100 }, () => ({ title: 'One' }))
    const { body } = await service.post('/api/v1/releases', { title: 'Full', artist: 'Band', kind: 'album', tracks })
    return post(`/api/v1/releases/${body.release_id}/tracks`, { tracks: [{ title: 'One more' }] })
  },
  async RELEASE_NOT_READY() {
    const { body } = await service.post('/api/v1/releases', { title: 'Empty', artist: 'Band', kind: 'album' })
    return post(`/api/v1/releases/${body.release_id}/export`, { folder })
  },
  async TRACKS_NOT_CONTINUOUS() {
    const tracks = [
      { job_id: jobs.done, continuous_with_next: true },
      { job_id: jobs.done, gap_before_seconds: 1 },
    ]
    const { body } = await service.post('/api/v1/releases', { title: 'Mix', artist: 'Band', kind: 'ep', tracks })
    return get(`/api/v1/releases/${body.release_id}/plan`)
  },
  async RELEASE_BUSY() {
    const tracks = [{ job_id: jobs.done }]
    const { body } = await service.post('/api/v1/releases', { title: 'Busy', artist: 'Band', kind: 'single', tracks })
    const address = `/api/v1/releases/${body.release_id}/master`
    await service.call('POST', address)
    undo.push(() => service.call('POST', `${address}/cancel`))
    return post(address, {})
  },
  async FOLDER_TAKEN() {
    writeFileSync(at('Band - Taken'), 'a file')
    const tracks = [{ job_id: jobs.done }]
    const { body } = await service.post('/api/v1/releases', { title: 'Taken', artist: 'Band', kind: 'single', tracks })
    return post(`/api/v1/releases/${body.release_id}/export`, { folder })
  },
  METHOD_NOT_ALLOWED: () => ({ ...upload(goodForm), method: 'PUT' }),
  JOB_NOT_READY: () => get(`/api/v1/jobs/${jobs.waiting}/download`),
  JOB_FAILED: () => get(`/api/v1/jobs/${jobs.failed}/download`),
  AUDITION_NOT_READY: async () => get(`/app/auditions/${await auditionId()}/exact.wav`),
  CEILING_NOT_HELD() {
    engine.failsRenders = 'CEILING_BROKEN'
    undo.push(() => delete engine.failsRenders)
    return { ...upload(goodForm), address: '/api/v1/preview' }
  },
  async AUDITION_ENDED() {
    engine.crashesPassages = true
    undo.push(() => delete engine.crashesPassages)
    return get(`/app/auditions/${await auditionId()}/estimate.wav`)
  },
  async IDEMPOTENCY_IN_PROGRESS() {
    const first = connect(service.port, '127.0.0.1')
    first.on('error', () => {})
    const lines = [
      ...[
        'POST /api/v1/master HTTP/1.1',
        `Host: 127.0.0.1:${service.port}`,
        `Authorization: Bearer ${service.sessionCredential}`,
      ],
      ...[`Content-Type: ${FORM}`, 'Content-Length: 900', 'Idempotency-Key: slow'],
      ...['Expect: 100-continue', '', '--b\r\n'],
    ]
    first.write(lines.join('\r\n'))
    undo.push(() => first.destroy())
    // It is in the service's hands once that bids it go on.
    await once(first, 'data')
    return upload(goodForm, asApp({ 'idempotency-key': 'slow' }))
  },
  async KEY_LIMIT() {
    await service.patch('/app/account', { plan: 'free' })
    undo.push(() => service.patch('/app/account', { plan: 'studio' }))
    return post('/app/keys', { name: 'one more' })
  },
  async WEBHOOK_LIMIT() {
    await service.patch('/app/account', { plan: 'free' })
    undo.push(() => service.patch('/app/account', { plan: 'studio' }))
    return post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/' })
  },
  async PRESET_NAME_TAKEN() {
    const { settings } = (await service.get('/app/desk')).body
    const preset = { name: 'Night', settings }
    return { ...post('/app/desk', { presets: [preset, preset] }), method: 'PATCH' }
  },
  RESULT_EXPIRED: () => get(`/api/v1/jobs/${jobs.expired}/download`),
  FILE_GONE() {
    const db = openDatabase()
    const move = db.prepare('UPDATE jobs SET delivered_sums = ?, output_folder = ? WHERE job_id = ?')
    move.run('{}', '/no/folder', jobs.done)
    undo.push(async () => {
      move.run(null, null, jobs.done)
      db.close()
    })
    return get(`/api/v1/jobs/${jobs.done}/download`)
  },
  TICKET_SPENT: () => post('/app/session', { ticket: 'of-another-start' }),
  UNSUPPORTED_MEDIA_TYPE: () => ({
    ...upload(goodForm),
    headers: asApp({ 'content-type': 'application/octet-stream' }),
  }),
  PRECONDITION_FAILED: () => get(`/api/v1/jobs/${jobs.done}/download`, { 'if-match': '"another"' }),
  RANGE_NOT_SATISFIABLE: () => get(`/api/v1/jobs/${jobs.done}/download`, { range: 'bytes=99999999-' }),
  async IDEMPOTENCY_MISMATCH() {
    await service.newJob({}, { headers: { 'idempotency-key': 'used' } })
    return upload(goodForm, asApp({ 'idempotency-key': 'used' }))
  },
  INTERNAL_ERROR() {
    const db = openDatabase()
    db.exec('ALTER TABLE webhooks RENAME TO gone')
    undo.push(() => {
      db.exec('ALTER TABLE gone RENAME TO webhooks')
      db.close()
    })
    service.expectFault('INTERNAL_ERROR')
    return post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/' }, asApp())
  },
  UNAVAILABLE() {
    const db = openDatabase()
    db.exec('BEGIN IMMEDIATE')
    undo.push(() => {
      db.exec('ROLLBACK')
      db.close()
    })
    return post('/api/v1/webhooks', { url: 'http://127.0.0.1:9/' })
  },
  async INSUFFICIENT_STORAGE() {
    await service.patch('/app/settings', { disk_quota_bytes: 1_073_741_824 })
    const db = openDatabase()
    db.prepare('UPDATE jobs SET stored_bytes = 2000000000 WHERE job_id = ?').run(jobs.done)
    undo.push(() => {
      db.prepare('UPDATE jobs SET stored_bytes = 0 WHERE job_id = ?').run(jobs.done)
      db.close()
    })
    return upload(goodForm)
  },
}

const clients = whereInstalled(Object.keys(CLIENTS), (name) => CLIENTS[name]?.program ?? name)

/** Clients that read the error at `place` of the list: Node's and one of the others in turn, in `npm run campaign` all of them. */
function readersOf(place: number): readonly string[] {
  if (IS_CAMPAIGN) return clients
  const others = clients.filter((name) => name !== 'Node fetch')
  return ['Node fetch', ...others.slice(place % others.length).slice(0, 1)]
}

describe('every client reads each error as JSON, while it is sending or afterwards', () => {
  // The one that uses a minute up comes last.
  const codes = [
    ...(Object.keys(SITUATIONS) as Situation[]).filter((code) => code !== 'RATE_LIMIT'),
    'RATE_LIMIT' as const,
  ]
  test.each(codes)('%s', async (code) => {
    const told = await SITUATIONS[code]()
    try {
      for (const name of readersOf(codes.indexOf(code))) {
        const [status, body, headers] = await (CLIENTS[name]?.send(told) ?? Promise.reject(new Error(name)))
        expect([name, status, body.error?.code]).toEqual([name, ERRORS[code].status, code])
        expect(body.error?.message).toBeTruthy()
        const isTimed = ERRORS[code].retryAfterSeconds !== undefined
        if (headers) expect([code, Number(headers.get('retry-after')) > 0]).toEqual([code, isTimed])
      }
    } finally {
      for (const step of undo.splice(0)) await step()
    }
  })
})

test('a script that asks every minute finds its connection still open', async () => {
  const agent = new Agent({ keepAlive: true })
  const headers = await new Promise<IncomingHttpHeaders>((resolve, reject) => {
    httpRequest(`${service.baseUrl}/healthz`, { agent }, (answer) => resolve(answer.resume().headers))
      .on('error', reject)
      .end()
  })
  agent.destroy()
  expect(Number(/timeout=(\d+)/.exec(String(headers['keep-alive']))?.[1])).toBeGreaterThan(60)
})
