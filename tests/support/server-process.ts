import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { CreatedJob, Job } from '../../src-contract/jobs.ts'
import { MAX_WAIT_SECONDS } from '../../src-contract/limits.ts'
import type { RunningServer } from '../../src-server/server.ts'
import { ENGINE, SERVER } from './built.ts'
import { type MasterFields, masterForm } from './service.ts'

export interface ServerProcess {
  readonly baseUrl: string
  readonly pid: number
  /** Its log so far. */
  log(): string
  /** Sends a request with JSON, a form or nothing; rejects for a refusal, and where the server goes before it answers. */
  send(method: string, address: string, body?: object): Promise<Response>
  /** Allows the files below a folder to be read and written, as the owner. */
  allow(folder: string): Promise<unknown>
  get<Body>(address: string): Promise<Body>
  /** Sends JSON, or nothing. */
  post<Body>(address: string, body?: object): Promise<Body>
  /** Sends a form. */
  put(address: string, form: FormData): Promise<unknown>
  download(address: string): Promise<Buffer>
  newJob(fields?: MasterFields): Promise<CreatedJob>
  /** Resolves once the job has ended or `isReached` holds. */
  until(jobId: string, isReached?: (job: Job) => boolean): Promise<Job>
  /** Bytes that are still in use after the garbage has been collected. */
  liveBytes(): Promise<number>
  /** Sends a signal and resolves with how the process ended. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

type Started = Pick<RunningServer, 'baseUrl' | 'sessionCredential' | 'controlCredential'>

/** Starts a server on `dataDir` in a process of its own and resolves when it listens. */
export async function spawnServer(dataDir: string): Promise<ServerProcess> {
  const child: ChildProcess = fork(SERVER, [dataDir, ENGINE], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: ['--expose-gc'],
  })
  let log = ''
  child.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? code)),
  )
  const { baseUrl, sessionCredential, controlCredential } = await new Promise<Started>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Started))
    exit.then(() => reject(new Error(log)))
  })
  const request = async (method: string, address: string, body?: FormData | string, credential = sessionCredential) => {
    // A connection kept for the next request would be an open handle of the server, some runs one more, some runs one less.
    const type = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
    const headers = { authorization: `Bearer ${credential}`, connection: 'close', ...type }
    const answer = await fetch(new URL(address, baseUrl), { method, headers, ...(body ? { body } : {}) })
    if (!answer.ok) throw new Error(`${method} ${address}: ${await answer.text()}`)
    return answer
  }
  const get = async <Body>(address: string) => (await (await request('GET', address)).json()) as Body
  return {
    baseUrl,
    pid: child.pid ?? 0,
    log: () => log,
    send: (method, address, body) =>
      request(method, address, body instanceof FormData ? body : body && JSON.stringify(body)),
    allow: (folder) =>
      request('PATCH', '/app/settings', JSON.stringify({ allowed_folders: [folder] }), controlCredential),
    get,
    post: async <Body>(address: string, body?: object) =>
      (await (await request('POST', address, body && JSON.stringify(body))).json()) as Body,
    put: async (address, form) => (await request('PUT', address, form)).json(),
    download: async (address) => Buffer.from(await (await request('GET', address)).arrayBuffer()),
    newJob: async (fields = {}) =>
      (await (await request('POST', '/api/v1/master', masterForm(fields))).json()) as CreatedJob,
    async until(jobId, isReached) {
      for (;;) {
        // Whoever only awaits the end takes no processor time from the engine.
        const job = await get<Job>(`/api/v1/jobs/${jobId}?wait=${isReached ? 0 : MAX_WAIT_SECONDS}`)
        if (job.status !== 'queued' || isReached?.(job)) return job
        if (isReached) await new Promise((resolve) => setTimeout(resolve, 10))
      }
    },
    async liveBytes() {
      const told = once(child, 'message')
      child.send('live bytes')
      const [bytes] = await told
      return bytes as number
    },
    async end(signal) {
      child.kill(signal)
      return exit
    },
  }
}
