/** A whole service on a real port, a real database and a folder of its own. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import type { CreatedKey } from '../../src-contract/account.ts'
import type { Endpoint } from '../../src-contract/endpoint.ts'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { ErrorEnvelope } from '../../src-contract/errors.ts'
import type { CreatedJob, Job } from '../../src-contract/jobs.ts'
import { MAX_WAIT_SECONDS } from '../../src-contract/limits.ts'
import { type ServerOptions, startServer } from '../../src-server/server.ts'
import { createLog } from '../../src-system/log.ts'
import { systemClock } from '../../src-system/system.ts'
import { wavSong } from './songs.ts'
import { warmEngine } from './warm-engine.ts'

/** One answer, its body read. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a client gets is only known once it is looked at.
  readonly body: any
}

export type MasterFields = Readonly<Record<string, string | Blob | readonly string[]>>

const patterns = Object.values(ENDPOINTS).map((endpoint: Endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/\{[^}]+\}/g, '[^/]+')}$`),
}))

/** Throws unless an answer is what the table or the envelope promises. */
export function checkAgainstContract(method: string, url: string, answer: Answer): void {
  const { pathname } = new URL(url)
  if (answer.status >= 400) {
    if (!Value.Check(ErrorEnvelope, answer.body))
      throw new Error(`no envelope: ${method} ${pathname} ${JSON.stringify(answer.body)}`)
    return
  }
  const { endpoint } = patterns.find((known) => known.endpoint.method === method && known.pattern.test(pathname)) ?? {}
  if (!endpoint) return
  const declared = endpoint.answers[answer.status]
  if (!declared) throw new Error(`${answer.status} is not an answer of ${method} ${pathname}`)
  const schema: TSchema | undefined = declared.schema
  const mediaTypes = [...(schema ? ['application/json'] : []), ...(declared.mediaTypes ?? [])]
  const [mediaType = ''] = (answer.headers.get('content-type') ?? '').split(';')
  if (mediaTypes.length > 0 && !mediaTypes.some((one) => new RegExp(`^${one.replaceAll('*', '.*')}$`).test(mediaType)))
    throw new Error(`${mediaType} is not a media type of ${method} ${pathname}`)
  if (!schema || mediaType !== 'application/json' || Value.Check(schema, answer.body)) return
  const [first] = Value.Errors(schema, answer.body)
  throw new Error(`${method} ${pathname} ${answer.status}: ${first?.instancePath} ${first?.message}`)
}

/** Starts a service; `stop` ends it, removes its folder and fails when the log holds a fault that no test announced. */
export async function startService(options: Partial<ServerOptions> & { readonly keepsData?: boolean } = {}) {
  const { keepsData = false, ...given } = options
  const dataDir = given.dataDir ?? mkdtempSync(path.join(tmpdir(), 'loudsmith-test-'))
  const lines: { level: string; message: string; code?: string }[] = []
  const log = createLog('info', systemClock, (line) => lines.push(JSON.parse(line)))
  const forkEngine = warmEngine(log)
  const server = await startServer({ port: 0, host: 'browser', log, cores: 8, forkEngine, ...given, dataDir })
  const expectedFaults = new Set<string>()

  const call = async (
    method: string,
    address: string,
    init: RequestInit & { credential?: string } = {},
  ): Promise<Answer> => {
    const { credential = server.sessionCredential, ...rest } = init
    const url = new URL(address, server.baseUrl).href
    const headers = new Headers(rest.headers)
    if (credential !== '' && !headers.has('authorization')) headers.set('authorization', `Bearer ${credential}`)
    const response = await fetch(url, { ...rest, method, headers })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
    checkAgainstContract(method, url, answer)
    return answer
  }
  const json = (body: unknown): RequestInit => ({
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  })

  return {
    ...server,
    dataDir,
    lines,
    call,
    get: (address: string, init?: RequestInit & { credential?: string }) => call('GET', address, init),
    post: (address: string, body: unknown, init: { credential?: string } = {}) =>
      call('POST', address, { ...json(body), ...init }),
    patch: (address: string, body: unknown, init: { credential?: string } = {}) =>
      call('PATCH', address, { ...json(body), ...init }),
    /** Makes a key and returns it. */
    async newKey(name = 'test'): Promise<string> {
      const { body } = await call('POST', '/app/keys', json({ name }))
      return (body as CreatedKey).key
    },
    /** Sends `POST /api/v1/master` with a short song to spotify unless `fields` say otherwise. */
    master: (fields: MasterFields = {}, init: RequestInit & { credential?: string } = {}): Promise<Answer> =>
      call('POST', '/api/v1/master', { ...init, body: masterForm(fields) }),
    /** Makes a job that must be accepted. */
    async newJob(fields: MasterFields = {}, init: RequestInit & { credential?: string } = {}): Promise<CreatedJob> {
      const answer = await call('POST', '/api/v1/master', { ...init, body: masterForm(fields) })
      if (answer.status !== 201) throw new Error(`not accepted: ${JSON.stringify(answer.body)}`)
      return answer.body
    },
    job: async (jobId: string): Promise<Job> => (await call('GET', `/api/v1/jobs/${jobId}`)).body,
    /** Waits until a job is no longer queued, however busy the machine is: the test's own limit ends what hangs. */
    async ended(jobId: string): Promise<Job> {
      for (;;) {
        const { body } = await call('GET', `/api/v1/jobs/${jobId}?wait=${MAX_WAIT_SECONDS}`)
        if (body.status !== 'queued') return body
      }
    },
    /** Allows log lines of this message. */
    expectFault: (message: string) => void expectedFaults.add(message),
    /** Names in the folder of uploads on their way. */
    temporary: () => readdirSync(path.join(dataDir, 'tmp')),
    async stop(): Promise<void> {
      await server.close()
      if (!keepsData) rmSync(dataDir, { recursive: true, force: true })
      const faults = lines.filter(({ level, message }) => level === 'error' && !expectedFaults.has(message))
      if (faults.length > 0) throw new Error(`the log holds faults: ${JSON.stringify(faults)}`)
    },
  }
}

export type Service = Awaited<ReturnType<typeof startService>>

/** Returns a multipart body with a short song for spotify; a member of `fields` takes the place of the standard one. */
export function masterForm(fields: MasterFields = {}): FormData {
  const form = new FormData()
  const all: MasterFields = { platforms: 'spotify', file: new Blob([new Uint8Array(wavSong())]), ...fields }
  for (const [name, given] of Object.entries(all)) {
    if (Array.isArray(given)) for (const value of given as string[]) form.append(name, value)
    else if (given instanceof Blob) {
      if (given.size > 0 || !('absent' in given))
        form.append(name, given, given instanceof File ? given.name : 'song.wav')
    } else form.append(name, given as string)
  }
  return form
}

/** Stands for a file that is not sent. */
export const noFile: Blob = Object.assign(new Blob([]), { absent: true })
