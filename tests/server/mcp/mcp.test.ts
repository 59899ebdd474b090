import { execFile } from 'node:child_process'
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TaskId } from '@modelcontextprotocol/ext-tasks/core'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CLI } from '../../support/built.ts'
import { createHeldEngine } from '../../support/held-engine.ts'
import {
  connect,
  connectTasks,
  ERAS,
  type Era,
  type McpClient,
  type RequestOptions,
  TRANSPORTS,
  type Transport,
} from '../../support/mcp-clients.ts'
import { type Service, startService } from '../../support/service.ts'
import { shiftedClock } from '../../support/shifted-clock.ts'
import { in24Bits, inAiff, wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const dataDir = temporaryFolder()
const music = temporaryFolder()
const song = path.join(music, 'song.wav')
const held = createHeldEngine({ answersLooks: true })
held.rendersAlone = in24Bits(wavSong({ seconds: 2 }))
held.masterBytes = in24Bits(wavSong({ seconds: 2, sampleRateHz: 44_100 }))
const clock = shiftedClock()
let service: Service
let key: string

const start = async (port = 0) => {
  service = await startService({
    ...{ dataDir, keepsData: true, port, clock, forkEngine: held.fork },
  })
}

beforeAll(async () => {
  writeFileSync(song, wavSong({ seconds: 2 }))
  await start()
  await service.patch('/app/account', { plan: 'studio' })
  await service.patch('/app/settings', { engine_workers: 1 })
  const owner = { credential: service.controlCredential }
  await service.patch('/app/settings', { allowed_folders: [music] }, owner)
  key = await service.newKey('agent')
})
beforeEach(() => {
  // The plan's requests per minute are not the question here.
  clock.shiftMs += 61_000
})
afterAll(async () => {
  await service.stop()
  for (const folder of [dataDir, music]) rmSync(folder, { recursive: true, force: true })
})

const connected = (era: Era, transport: Transport, as = key): Promise<McpClient> =>
  connect(era, transport, { baseUrl: service.baseUrl, key: as, dataDir })

interface Called {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: what a client gets is only known once it is looked at.
  readonly value: any
  readonly links: readonly string[]
}

async function call(client: McpClient, name: string, args: object = {}, options?: RequestOptions): Promise<Called> {
  const answer = await client.callTool({ name, arguments: { ...args } }, options)
  const content = answer.content as { type: string; text: string; uri: string }[]
  return {
    isError: answer.isError === true,
    value: JSON.parse(content[0]?.text ?? ''),
    links: content.slice(1).map(({ uri }) => uri),
  }
}

const credits = async () => (await service.get('/api/v1/account')).body.credits

describe.each(ERAS.flatMap((era) => TRANSPORTS.map((transport) => [era, transport] as const)))(
  'as a client of %s over %s',
  (era, transport) => {
    const kind = `${era} ${transport}`
    let client: McpClient
    beforeAll(async () => {
      client = await connected(era, transport)
    })
    afterAll(() => client.close())

    // Each transport and each era once: the bridge forwards, and the table of tools is the same.
    test.runIf((era === '2025-11-25') === (transport === 'Streamable HTTP'))(
      'every tool does its work by the API, and asks for a confirmation of what it costs',
      async () => {
        const { tools } = await client.listTools()
        const used = new Set<string>()
        const use = async (name: string, args: object = {}, options: RequestOptions = {}) => {
          used.add(name)
          const called = await call(client, name, args, options)
          expect([name, called.isError, called.isError && called.value]).toEqual([name, false, false])
          return called
        }
        const before = await credits()
        expect((await use('settings')).value.platforms).toContain('spotify')
        expect((await use('words', { words: 'warmer' })).value.settings).toEqual({ warmth: 25 })
        expect((await use('account')).value.credits).toBe(before)
        const { value: analysis } = await use('analyse', { file: song })
        expect(analysis).toMatchObject({ measurement: { integrated_lufs: expect.any(Number) } })
        expect(analysis).not.toHaveProperty('waveform')
        expect(analysis).not.toHaveProperty('suggestion.price')
        expect((await use('analyse', { file: song, price: true })).value).toHaveProperty('suggestion.price.targets')
        const aiff = path.join(music, 'song.aiff')
        writeFileSync(aiff, inAiff(wavSong()))
        expect(await call(client, 'analyse', { file: aiff })).toMatchObject({ isError: true })
        expect((await use('analyse', { file: aiff, accept: 'any' })).value.codec).toBe('pcm_s16')
        const preview = { file: song, platform: 'spotify', folder: music, settings: { tilt_db: 1 } }
        const first = (await use('preview', preview)).value.file
        expect(readFileSync(first).subarray(0, 4).toString()).toBe('RIFF')
        expect(path.basename(first)).toMatch(/^song preview spotify( \d)?\.wav$/)
        expect((await use('preview', preview)).value.file).not.toBe(first)

        const request = { file: song, platforms: ['spotify'], title: '밤', settings: { target_lufs: -12 } }
        const { value: dry } = await use('master', request)
        // From −20 LUFS, at which this engine hears every song.
        const summary = expect.stringMatching(/^Only the level: Spotify \+8\.0.dB\. No fault was found\.$/)
        expect(dry).toMatchObject({ dry_run: true, would_charge: 1, credits_remaining: before, summary })
        const progress: number[] = []
        const onprogress = ({ progress: percent }: { progress: number }) => void progress.push(percent)
        const begun = held.processes.length
        const mastering = use('master', { ...request, confirm: true }, { onprogress })
        await expect.poll(() => held.processes[begun]?.order?.title).toBe('밤')
        held.processes[begun]?.progress('rendering', 0.5)
        await expect.poll(() => progress.at(-1)).toBe(50)
        held.processes[begun]?.finish()
        const { value: job, links } = await mastering
        expect(job).toMatchObject({
          status: 'done',
          title: '밤',
          credits_used: 1,
          target_lufs: -12,
          summary: expect.any(String),
        })
        expect(links).toEqual([job.download_url, `loudsmith://jobs/${job.job_id}/report`])
        expect(await credits()).toBe(before - 1)

        const { job_id } = job
        expect((await use('list_jobs', { q: '밤' })).value.jobs.map((one: { job_id: string }) => one.job_id)).toContain(
          job_id,
        )
        expect((await use('read_job', { job_id, wait: 30 })).value).toEqual(job)
        // The engine of this test writes a report without figures.
        const [reportFile = ''] = globSync(`jobs/${job_id}/**/report.json`, { cwd: dataDir })
        const reportPath = path.join(dataDir, reportFile)
        const kept = readFileSync(reportPath)
        const recipe = { version: 2, stages: [] }
        writeFileSync(reportPath, JSON.stringify({ job_id, source: { codec: 'flac', curves: [1, 2] }, recipe }))
        expect((await use('read_report', { job_id })).value).toEqual({ job_id, source: { codec: 'flac' } })
        expect((await use('read_report', { job_id, recipe: true })).value).toMatchObject({ recipe })
        const { contents } = await client.readResource({ uri: `loudsmith://jobs/${job_id}/report` })
        expect(JSON.parse((contents[0] as { text: string }).text).source).toHaveProperty('curves')
        // The ZIP has the report as it was written.
        writeFileSync(reportPath, kept)

        expect((await use('link_job', { job_id })).value).toMatchObject({
          dry_run: true,
          title: '밤',
          expires_in: 86_400,
        })
        const linked = await use('link_job', { job_id, expires_in: 60, confirm: true })
        expect(linked.links).toEqual([linked.value.url])
        expect((await fetch(linked.value.url)).headers.get('content-type')).toBe('application/zip')

        expect((await use('retry_job', { job_id })).value).toMatchObject({ dry_run: true, would_charge: 1 })
        const retry = { job_id, changes: { tilt_db: 2 }, confirm: true, idempotency_key: `${kind} again` }
        const { value: again } = await use('retry_job', retry)
        expect((await use('retry_job', retry)).value.job_id).toBe(again.job_id)
        expect(await credits()).toBe(before - 2)
        await use('cancel_job', { job_id: again.job_id })
        await service.ended(again.job_id)

        const versions = [
          { job_id, master: 'spotify' },
          { job_id, master: 'spotify' },
        ]
        const test = { versions, seconds: 2, folder: music }
        const { value: made } = await use('create_listening_test', test)
        const { test_id } = made
        const [a = '', b = ''] = new Set(readFileSync(made.file, 'utf8').match(/\b[0-9a-f]{32}\b/g))
        const result = {
          ...{ loudsmith_listening_test: 1, test_id, result_id: 'f'.repeat(32), voter: 'A' },
          trials: [{ a, b, answer: a }],
        }
        await use('add_listening_result', { test_id, result })
        expect((await use('read_listening_test', { test_id })).value.results).toHaveLength(1)

        const preset = { name: `${kind} preset`, settings: { air_db: 1 } }
        expect((await use('save_preset', preset)).value).toMatchObject({ dry_run: true, replaces: false })
        expect((await use('save_preset', { ...preset, confirm: true })).value).toMatchObject(preset)
        expect((await use('presets')).value.presets).toMatchObject([preset])
        const { target } = (await use('analyse', { file: song, target: true })).value
        const started = { file: song, platforms: ['spotify'], preset: preset.name, targets: [{ ...target, weight: 2 }] }
        expect((await use('master', started)).value).toMatchObject({ dry_run: true })
        await use('delete_preset', { name: preset.name, confirm: true })
        expect((await use('presets')).value.presets).toEqual([])

        const many = { songs: [{ path: song }], title: '많이', platforms: ['spotify'] }
        const balance = await credits()
        expect((await use('create_batch', many)).value).toMatchObject({ dry_run: true, songs: 1, would_charge: 1 })
        const { batch_id } = (await use('create_batch', { ...many, confirm: true })).value
        await expect.poll(() => held.processes.at(-1)?.order?.title).toBe('많이')
        expect((await use('pause_batch', { batch_id })).value.status).toBe('paused')
        expect((await use('resume_batch', { batch_id })).value).toMatchObject({ dry_run: true, would_charge: 0 })
        expect((await use('resume_batch', { batch_id, confirm: true })).value.status).toBe('running')
        expect((await use('cancel_batch', { batch_id })).value.status).toBe('ended')
        expect((await use('retry_batch', { batch_id })).value).toMatchObject({ dry_run: true, would_charge: 0 })
        await use('retry_batch', { batch_id, confirm: true })
        await use('cancel_batch', { batch_id })
        expect((await use('list_batches', { limit: 1 })).value.batches[0].batch_id).toBe(batch_id)
        expect((await use('read_batch', { batch_id })).value).toMatchObject({
          batch: { batch_id },
          songs: [{ path: song }],
        })
        expect(await credits()).toBe(balance)

        const album = { title: kind, artist: 'A', kind: 'single', tracks: [{ job_id }] }
        const { release_id } = (await use('create_release', album)).value
        await use('change_release', { release_id, changes: { label: 'L' } })
        expect((await use('list_releases')).value.releases[0]).toMatchObject({ release_id, label: 'L' })
        expect((await use('master_release', { release_id })).value).toMatchObject({ dry_run: true, credits_needed: 1 })
        await use('master_release', { release_id, confirm: true })
        await use('cancel_release', { release_id })
        expect((await use('read_release', { release_id })).value.tracks).toHaveLength(1)

        await use('change_release', { release_id, changes: { receivers: ['distrokid'] } })
        expect((await use('check_release', { release_id })).value).toMatchObject({
          ...{ chosen: ['distrokid'], receivers: [{ receiver: 'distrokid', verdicts: { release: 'not_ready' } }] },
        })

        const singing = { title: `${kind} out`, artist: 'A', kind: 'single', tracks: [{ job_id }] }
        const { release_id: finished } = (await use('create_release', singing)).value
        const into = { release_id: finished, folder: music }
        const names = (await use('export_release', into)).value
        expect(names).toMatchObject({ dry_run: true, folder: `A - ${kind} out` })
        expect(readdirSync(music)).not.toContain(names.folder)
        const { value: exported } = await use('export_release', {
          ...into,
          receivers: ['apple_music_delivery'],
          confirm: true,
        })
        expect(exported).toMatchObject({
          folder: path.join(music, names.folder),
          receivers: [{ outcome: expect.any(String) }],
        })
        expect(exported.files).toEqual(expect.arrayContaining([...names.files, 'certificate.html']))
        expect((await use('verify_release', { folder: exported.folder })).value).toMatchObject({ is_intact: true })
        for (const [name, args] of [
          ['export_release', { ...into, folder: tmpdir(), confirm: true }],
          ['export_release', { ...into, folder: tmpdir() }],
          ['verify_release', { folder: tmpdir() }],
        ] as const) {
          const refused = await call(client, name, args)
          expect([refused.isError, refused.value.error.code]).toEqual([true, 'PATH_NOT_ALLOWED'])
        }
        expect([...used].sort()).toEqual(tools.map(({ name }) => name).sort())
      },
    )

    test('tells what spends, what ends, and what only reads', async () => {
      const { tools } = await client.listTools()
      const having = (hint: 'readOnlyHint' | 'destructiveHint') =>
        tools.filter(({ annotations }) => annotations?.[hint]).map(({ name }) => name)
      expect(having('destructiveHint')).toEqual([
        ...[
          'delete_preset',
          'master',
          'cancel_job',
          'retry_job',
          'create_batch',
          'resume_batch',
          'cancel_batch',
          'retry_batch',
        ],
        ...['master_release', 'cancel_release'],
      ])
      expect(having('readOnlyHint')).toEqual([
        'presets',
        'settings',
        'words',
        'analyse',
        'account',
        'list_jobs',
        'read_job',
        'read_report',
        'read_listening_test',
        'list_batches',
        'read_batch',
        'list_releases',
        'read_release',
        'check_release',
        'verify_release',
      ])
      const { resources } = await client.listResources()
      expect(resources.map(({ uri }) => uri)).toContain('loudsmith://openapi.json')
      const viewOf = ({ _meta }: (typeof tools)[number]) => (_meta as { ui?: { resourceUri: string } })?.ui?.resourceUri
      const shown = tools.filter(viewOf)
      expect(shown.map(({ name }) => name)).toEqual(['master', 'read_job', 'retry_job'])
      const view = await client.readResource({ uri: viewOf(shown[0]!)! })
      expect(view.contents[0]).toMatchObject({ mimeType: 'text/html;profile=mcp-app', _meta: { ui: {} } })
      expect((view.contents[0] as { text: string }).text).toMatch(/^<!doctype html>/)
      const { contents } = await client.readResource({ uri: 'loudsmith://openapi.json' })
      expect(JSON.parse((contents[0] as { text: string }).text).openapi).toMatch(/^3\.1/)
      const { messages } = await client.getPrompt({ name: 'master_album', arguments: { songs: '/a' } })
      expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('songs: "/a"') })
    })

    test('a key sees the tools that its scope permits, and is refused the others as the API refuses it', async () => {
      const { key: reader } = (await service.post('/app/keys', { name: 'reader', scope: 'read' })).body
      const reading = await connected(era, transport, reader)
      const { tools } = await reading.listTools()
      expect(tools.map(({ name }) => name).sort()).toEqual(
        [
          ...['account', 'analyse', 'check_release', 'list_batches', 'list_jobs', 'list_releases', 'read_batch'],
          ...['presets', 'read_job', 'read_listening_test', 'read_release', 'read_report', 'settings'],
          ...['verify_release', 'words'],
        ].sort(),
      )
      expect((await reading.listPrompts()).prompts).toEqual([])
      expect((await call(reading, 'account')).isError).toBe(false)
      const refused = await call(reading, 'master', { file: song, platforms: ['spotify'] })
      const byApi = await service.call('POST', '/api/v1/master', { credential: reader })
      expect([refused.isError, refused.value.error.code]).toEqual([true, 'FORBIDDEN'])
      expect(refused.value.error.message).toBe(byApi.body.error.message)
      await reading.close()
    })

    test('a repeated call gets the job that has ended meanwhile, at once and with progress asked for', async () => {
      const args = { file: song, platforms: ['melon'], confirm: true, idempotency_key: `${kind} once` }
      const before = await credits()
      const begun = held.processes.length
      const { value: queued } = await call(client, 'master', { ...args, wait: 0 })
      expect(queued.status).toBe('queued')
      await expect.poll(() => held.processes.length).toBe(begun + 1)
      held.processes[begun]?.finish()
      await service.ended(queued.job_id)
      for (const options of [{}, { onprogress: () => undefined }]) {
        const { value } = await call(client, 'master', args, options)
        expect(value).toMatchObject({ job_id: queued.job_id, status: 'done' })
      }
      expect(await credits()).toBe(before - 1)
    })

    test('what belongs to the client stays with its job, and a failed job says why', async () => {
      const own = { client_reference: `${kind} 7`, metadata: { order: 7 } }
      const args = { file: song, platforms: ['melon'], album: 'B-side', ...own, confirm: true, wait: 0 }
      const { job_id } = (await call(client, 'master', args)).value
      await call(client, 'cancel_job', { job_id })
      await service.ended(job_id)
      expect((await call(client, 'read_job', { job_id })).value).toMatchObject({ album: 'B-side', ...own })
      const { jobs } = (await call(client, 'list_jobs', { q: `${kind} 7` })).value
      expect(jobs).toMatchObject([{ job_id, ...own, failure_code: 'CANCELLED', error_message: expect.any(String) }])
    })

    test('calls for free work on songs wait for one another', async () => {
      const calls = Array.from({ length: 4 }, (_, index) =>
        index === 3
          ? call(client, 'master', { file: song, platforms: ['melon'] })
          : call(client, 'analyse', { file: song }),
      )
      expect((await Promise.all(calls)).map(({ isError }) => isError)).toEqual([false, false, false, false])
    })

    test('arguments come as JSON in strings, nulls and file URLs; what is none is a sentence', async () => {
      const listed = await call(client, 'list_jobs', { limit: '1', status: null, q: null })
      expect([listed.isError, listed.value.jobs.length]).toEqual([false, 1])
      const settings = JSON.stringify({ tilt_db: '1.5', target_lufs: null })
      const file = pathToFileURL(song).href
      const dry = await call(client, 'master', { file, platforms: '["melon"]', settings, title: '5', artist: null })
      expect(dry.value).toMatchObject({ dry_run: true, platforms: ['melon'] })
      for (const [name, args, param] of [
        ['master', { file: 'song.wav', platforms: ['melon'] }, 'file'],
        ['analyse', { file: 'file://elsewhere/song.wav' }, 'file'],
        ['verify_release', { folder: './out' }, 'folder'],
        ['master', { file: song, platforms: ['melon'], confirm: 'true' }, 'confirm'],
        ['master', { file: song, platforms: ['melon'], confirm: null }, 'confirm'],
      ] as const) {
        const { isError, value } = await call(client, name, args)
        expect([name, args, isError, value.error.param]).toEqual([name, args, true, param])
      }
      for (const args of [null, undefined, [], 'x', 5]) {
        const sent = { name: 'analyse', arguments: args } as unknown as { name: string }
        const { content, isError } = await client.callTool(sent)
        const { message } = JSON.parse((content as { text: string }[])[0]?.text ?? '').error
        expect([isError, message]).toEqual([
          true,
          expect.stringMatching(/^The value of "(file|arguments)" cannot be used/),
        ])
      }
      const rejected = async (method: string, params: Record<string, unknown>) => client.request(method, params)
      for (const [method, params] of [
        ['tools/call', { name: 5 }],
        ['resources/read', { uri: null }],
        ['prompts/get', { name: 'master_album', arguments: 5 }],
        ['initialize', { protocolVersion: 5 }],
      ] as const)
        expect([method, await rejected(method, params).catch(({ message }: Error) => message)]).toEqual([
          method,
          expect.not.stringMatching(/invalid_type|"path"/),
        ])
    })

    test('a call that is cancelled cancels its job', async () => {
      const cancel = new AbortController()
      const begun = held.processes.length
      const before = await credits()
      const args = { file: song, platforms: ['melon'], confirm: true }
      const called = call(client, 'master', args, { signal: cancel.signal }).catch((error: unknown) => error)
      await expect.poll(() => held.processes.length).toBe(begun + 1)
      cancel.abort('enough')
      await called
      await expect
        .poll(async () => (await service.get('/api/v1/jobs?limit=1')).body.jobs[0].failure_code)
        .toBe('CANCELLED')
      expect(await credits()).toBe(before)
    })

    test('refuses as the API does: bad arguments, a file outside, no credits', async () => {
      for (const [name, args, code] of [
        ['read_job', { job_id: '\ud800' }, 'JOB_NOT_FOUND'],
        ['retry_job', { job_id: 'x', confirm: true, idempotency_key: '밤' }, 'INVALID_REQUEST'],
        ['delete_preset', { name: 'None', confirm: true }, 'NOT_FOUND'],
      ] as const) {
        const refused = await call(client, name, args)
        expect([name, refused.isError, refused.value.error.code]).toEqual([name, true, code])
      }
      const refusal = async (name: string, args: object) => {
        const { isError, value } = await call(client, name, args)
        return [isError, value.error?.code, value.error?.param]
      }
      const master = { file: song, platforms: ['spotify'], confirm: true }
      expect(await refusal('master', { platforms: ['spotify'] })).toEqual([true, 'INVALID_REQUEST', 'file'])
      expect(await refusal('master', { ...master, platforms: ['gramophone'] })).toEqual([
        true,
        'INVALID_REQUEST',
        'platforms[0]',
      ])
      expect(await refusal('read_job', { job_id: 'none' })).toEqual([true, 'JOB_NOT_FOUND', undefined])
      const outside = path.join(dataDir, '..', `outside-${process.pid}.wav`)
      writeFileSync(outside, wavSong({ seconds: 1 }))
      for (const file of [outside, path.join(music, 'missing.wav'), path.join(music, '..', path.basename(outside))])
        expect(await refusal('analyse', { file })).toEqual([true, 'PATH_NOT_ALLOWED', undefined])
      rmSync(outside)
      const preview = { file: song, platform: 'melon', folder: tmpdir() }
      expect(await refusal('preview', preview)).toEqual([true, 'PATH_NOT_ALLOWED', undefined])
      await expect(client.callTool({ name: 'format_disk', arguments: {} })).rejects.toThrow('No tool')

      const balance = await credits()
      const db = new Database(path.join(dataDir, 'loudsmith.db'))
      db.prepare("INSERT INTO ledger (kind, amount, created_at_ms) VALUES ('charge', ?, 0)").run(-balance)
      db.close()
      expect(await refusal('master', master)).toEqual([true, 'INSUFFICIENT_CREDITS', undefined])
      await service.post('/app/account/credits', { amount: balance })
    })
  },
)

const INITIALIZE = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

/** Sends a request with headers that fetch does not let anybody set. */
function send(
  headers: Record<string, string>,
  body = INITIALIZE,
): Promise<{ status: number; text: string; session: string }> {
  return new Promise((resolve, reject) => {
    const own = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const sent = request(`${service.baseUrl}/mcp`, { method: 'POST', headers: { ...own, ...headers } }, (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, text, session: String(answer.headers['mcp-session-id']) }),
      )
    })
    sent.on('error', reject).end(body)
  })
}

test('a page of another site, a rebound name, and everybody without an API key get nothing', async () => {
  const bearer = { authorization: `Bearer ${key}` }
  const refused = async (headers: Record<string, string>, body?: string) => {
    const { status, text } = await send(headers, body)
    return [status, JSON.parse(text).error.code]
  }
  expect(await refused({ ...bearer, origin: 'http://evil.example' })).toEqual([403, 'FORBIDDEN'])
  expect(await refused({ ...bearer, host: `evil.example:${service.port}` })).toEqual([403, 'FORBIDDEN'])
  expect(await refused({})).toEqual([401, 'INVALID_API_KEY'])
  for (const credential of [service.sessionCredential, service.controlCredential])
    expect(await refused({ authorization: `Bearer ${credential}` })).toEqual([401, 'INVALID_API_KEY'])
  for (const [body, code] of [
    ['{"jsonrpc":"2.0","id":2,"method":"tools/list"}', 'INVALID_REQUEST'],
    ['[]', 'INVALID_REQUEST'],
    ['{}', 'INVALID_REQUEST'],
    ['{', 'INVALID_REQUEST'],
  ] as const) {
    expect([body, ...(await refused(bearer, body))]).toEqual([body, 400, code])
  }
  expect(await refused({ ...bearer, accept: 'text/html' })).toEqual([400, 'INVALID_REQUEST'])
  expect(await refused({ ...bearer, 'content-type': 'text/plain' })).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  const { status, session } = await send(bearer)
  expect(status).toBe(200)
  const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' })
  const other = { authorization: `Bearer ${await service.newKey('other')}` }
  expect(await refused({ ...other, 'mcp-session-id': session }, list)).toEqual([404, 'NOT_FOUND'])
  expect((await send({ ...bearer, 'mcp-session-id': session }, list)).text).toContain('"analyse"')
  expect(await refused({ ...bearer, 'mcp-session-id': 'none' }, list)).toEqual([404, 'NOT_FOUND'])
})

/** Parameters of a request of 2026, which names its revision and its client. */
const claimed = (params: object = {}, version = '2026-07-28') => ({
  ...params,
  _meta: {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  },
})

test('a request of 2026 needs no session; its refusals are those of the protocol, without a dump', async () => {
  const rpc = async (method: string, params: object, headers: Record<string, string> = {}) => {
    const own = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...headers }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method, params })
    const { status, text, session } = await send({ authorization: `Bearer ${key}`, ...own }, body)
    expect([method, text.includes('invalid_type'), session]).toEqual([method, false, 'undefined'])
    return { status, ...JSON.parse(text.split('data: ').at(-1) ?? '') }
  }
  const { result } = await rpc('server/discover', claimed())
  expect(result).toMatchObject({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
  })
  const account = claimed({ name: 'account' })
  expect((await rpc('tools/call', account, { 'mcp-name': 'account' })).result.resultType).toBe('complete')
  for (const [method, params, headers, status, code] of [
    ['tools/call', account, { 'mcp-name': 'master' }, 400, -32020],
    ['tools/list', claimed({}, '2027-01-01'), { 'mcp-protocol-version': '2027-01-01' }, 400, -32022],
    ['tools/list', {}, {}, 400, -32602],
    ['tools/list', { _meta: { ...claimed()._meta, 'io.modelcontextprotocol/clientCapabilities': 5 } }, {}, 400, -32602],
    ['tools/call', claimed({ name: 5 }), {}, 200, -32602],
    ['tasks/get', claimed({ taskId: 'none' }), { 'mcp-name': 'none' }, 200, -32602],
    ['tasks/get', claimed({ taskId: 5 }), {}, 200, -32602],
    ['tasks/update', claimed({ taskId: 'none' }), { 'mcp-name': 'none' }, 200, -32602],
    ['ping', claimed(), {}, 404, -32601],
    ['format/disk', claimed(), {}, 200, -32601],
  ] as const) {
    const { status: got, error, id } = await rpc(method, params, headers)
    expect([method, got, error?.code, id]).toEqual([method, status, code, 7])
  }
})

test('a session that has ended, as with the service, is 404 and says to begin a new one, in the language of the caller', async () => {
  const inLanguage = async (language: string) => {
    const headers = { authorization: `Bearer ${key}`, 'mcp-session-id': 'of-before', 'accept-language': language }
    const { status, text } = await send(headers, JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }))
    return `${status} ${JSON.parse(text).error.message}`
  }
  expect(await inLanguage('en')).toMatch(/^404 This MCP session has ended.* Send "initialize" without Mcp-Session-Id/)
  expect(await inLanguage('ko')).toMatch(/^404 이 MCP 세션은 끝났어요.*"initialize"/)
})

test.each(ERAS)(
  'a restart answers what waited; a client of %s goes on over stdio, and over HTTP unless it had a session',
  async (era) => {
    const [http, stdio] = [await connected(era, 'Streamable HTTP'), await connected(era, 'stdio')]
    const begun = held.processes.length
    const lost = call(stdio, 'master', { file: song, platforms: ['melon'], confirm: true }).catch(String)
    await expect.poll(() => held.processes.length).toBe(begun + 1)
    await service.stop()
    await start(service.port)
    expect(await lost).toContain('Loudsmith was restarted')
    const [job] = (await call(stdio, 'list_jobs', { limit: 1 })).value.jobs
    expect(job.status).toBe('queued')
    const again = call(http, 'account').then(({ isError }) => isError)
    if (era === '2026-07-28') expect(await again).toBe(false)
    else await expect(again).rejects.toThrow()
    const fresh = await connected(era, 'Streamable HTTP')
    expect((await call(fresh, 'account')).value.plan).toBe('studio')
    await call(fresh, 'cancel_job', { job_id: job.job_id })
    await service.ended(job.job_id)
    for (const client of [http, stdio, fresh]) await client.close()
  },
)

test('a master is a task of its job for clients that follow tasks, and outlives a restart of the service', async () => {
  const host = { baseUrl: service.baseUrl, key, dataDir }
  const before = await connectTasks(host)
  const args = { file: song, platforms: ['melon'], title: 'Task', confirm: true }
  const attempts = () => held.processes.filter(({ order }) => order?.title === 'Task')
  const execution = await before.session.callTool('master', args)
  if (execution.kind !== 'task') throw new Error('answered at once')
  const { taskId } = execution.handle
  expect((await service.get(`/api/v1/jobs/${taskId}`)).body.status).toBe('queued')
  expect(await before.session.task(taskId).snapshot()).toMatchObject({ status: 'working', retentionMs: null })
  const reference = execution.serializeReference()
  await execution.detach()
  await before.close()
  await expect.poll(() => attempts().length).toBe(1)
  await service.stop()
  await start(service.port)

  const after = await connectTasks(host)
  const resumed = await after.session.resumeTask(reference)
  await expect.poll(() => attempts().length).toBe(2)
  attempts()[1]?.finish()
  await service.ended(taskId)
  const settled = await after.session.task(taskId).result()
  expect(settled).toMatchObject({ status: 'completed', result: { content: [{ type: 'text' }, {}, {}] } })
  const { content } = (settled as { result: { content: { text: string }[] } }).result
  expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ job_id: taskId, status: 'done' })
  await resumed.close()

  // A call that names a time to wait, or that makes no job, is answered itself.
  const waited = await after.session.callTool('master', { ...args, wait: 0 })
  expect(waited.kind).toBe('immediate')
  expect((await after.session.callTool('account')).kind).toBe('immediate')
  const ended = await after.session.callTool('master', args)
  if (ended.kind !== 'task') throw new Error('answered at once')
  await after.session.task(ended.handle.taskId).cancel()
  expect(await after.session.task(ended.handle.taskId).snapshot()).toMatchObject({ status: 'cancelled' })
  expect(
    await after.session
      .task('none' as TaskId)
      .snapshot()
      .catch(String),
  ).toContain('job')
  await after.close()
})

test('without a key the command says in one sentence where one comes from', async () => {
  const saidIn = (language: string) =>
    new Promise<unknown[]>((resolve) => {
      const env = { ...process.env, LOUDSMITH_API_KEY: '', LC_ALL: language }
      execFile(process.execPath, [CLI, 'mcp', '--data-dir', dataDir], { env }, (error, stdout, stderr) =>
        resolve([
          error?.code,
          stdout,
          stderr.trim().split('\n').length,
          stderr.includes('loudsmith keys create agent'),
        ]),
      )
    })
  expect(await saidIn('C.UTF-8')).toEqual([1, '', 1, true])
  expect(await saidIn('ko_KR.UTF-8')).toEqual([1, '', 1, true])
})
