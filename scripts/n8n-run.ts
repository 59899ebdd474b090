/** Runs of a real n8n on this machine: installation, commands and their results, and proxies that record its requests. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'

/** Tested version that `examples/README.md` names for the workflows. */
const VERSION = '2.41.1'
/** A host that does not exist; only the proxy sees requests to it. */
export const ELSEWHERE = 'http://loudsmith.invalid'

/**
 * Returns the command of the n8n in the folder N8N_PATH (without the variable, in `folder`), installing it if necessary. Throws if the
 * registry or the compiler fails.
 */
export function installN8n(folder: string): { readonly command: string; readonly version: string } {
  const home = process.env.N8N_PATH ?? path.join(folder, 'program')
  const place = path.join(home, 'node_modules', 'n8n')
  if (!existsSync(path.join(place, 'package.json'))) {
    console.log(`Installing n8n ${VERSION} into ${home}: this takes minutes and 2.9 GB`)
    mkdirSync(home, { recursive: true })
    const npm = (...words: string[]) =>
      execFileSync('npm', [...words, '--prefix', home, '--no-audit', '--no-fund'], { stdio: 'inherit' })
    // Install scripts of packages that the workflows do not need download from elsewhere; only the database must be built.
    npm('install', '--ignore-scripts', `n8n@${VERSION}`)
    npm('rebuild', 'sqlite3')
  }
  const { version } = JSON.parse(readFileSync(path.join(place, 'package.json'), 'utf8')) as { version: string }
  return { command: path.join(place, 'bin', 'n8n'), version }
}

/** Start options of n8n besides the variables of `examples/README.md`. */
export interface N8nOptions {
  /** Folder of its database, key and logs. */
  readonly folder: string
  readonly command: string
  readonly port: number
  readonly brokerPort: number
  /** Proxy for requests to hosts other than 127.0.0.1. */
  readonly proxyPort: number
  /** Folders it may read and write. */
  readonly allowed: readonly string[]
}

/** An n8n with its own database and only PATH from the environment. */
export class N8n {
  readonly #options: N8nOptions
  #child: ChildProcess | undefined

  constructor(options: N8nOptions) {
    this.#options = options
  }

  get logFile(): string {
    return path.join(this.#options.folder, 'n8n.log')
  }

  /** Runs a command to its end. Throws with its output if it fails. */
  run(...words: string[]): void {
    const { command } = this.#options
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...words], { env: this.#env() })
    if (status !== 0) throw new Error(`n8n ${words.join(' ')}: ${status}\n${stdout}${stderr}`)
  }

  start(): void {
    const log = openSync(this.logFile, 'a')
    const words = [this.#options.command, 'start']
    this.#child = spawn(process.execPath, words, { env: this.#env(), stdio: ['ignore', log, log], detached: true })
  }

  /** Throws if n8n has ended by itself. */
  assertRuns(): void {
    if (this.#child?.exitCode != null || this.#child?.signalCode) throw new Error(`n8n has ended: see ${this.logFile}`)
  }

  /** Ends it and its task runners. */
  async stop(): Promise<void> {
    const child = this.#child
    if (!child?.pid || child.exitCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await Promise.race([ended, sleep(20_000)])
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // All have ended.
    }
  }

  /** Returns the number of executions of a workflow in each state: `new`, `running`, `waiting`, `success`, `error`, …. */
  executions(workflowId: string): Readonly<Record<string, number>> {
    const rows = this.#read<{ status: string; count: number }>(
      'SELECT status, count(*) AS count FROM execution_entity WHERE workflowId = ? GROUP BY status',
      workflowId,
    )
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
  }

  /** Returns the errors of a workflow's failed executions, each sentence once. */
  reasons(workflowId: string): string[] {
    const rows = this.#read<{ data: string }>(
      "SELECT data FROM execution_data JOIN execution_entity ON id = executionId WHERE status = 'error' AND workflowId = ?",
      workflowId,
    )
    return [...new Set(rows.map(({ data }) => reasonIn(data)))]
  }

  #read<Row>(sql: string, workflowId: string): Row[] {
    const db = new Database(path.join(this.#options.folder, '.n8n', 'database.sqlite'), { readonly: true })
    try {
      return db.prepare(sql).all(workflowId) as Row[]
    } finally {
      db.close()
    }
  }

  #env(): NodeJS.ProcessEnv {
    const { folder, port, brokerPort, proxyPort, allowed } = this.#options
    const proxy = `http://127.0.0.1:${proxyPort}`
    return {
      // As in examples/README.md.
      NODES_EXCLUDE: '["n8n-nodes-base.executeCommand"]',
      N8N_RESTRICT_FILE_ACCESS_TO: allowed.join(';'),
      NODE_FUNCTION_ALLOW_BUILTIN: 'crypto',
      // Its own folders.
      PATH: process.env.PATH,
      HOME: folder,
      N8N_USER_FOLDER: folder,
      N8N_LISTEN_ADDRESS: '127.0.0.1',
      N8N_PORT: String(port),
      N8N_RUNNERS_BROKER_PORT: String(brokerPort),
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      NO_PROXY: '127.0.0.1',
      // Requests that n8n sends to its makers.
      N8N_DIAGNOSTICS_ENABLED: 'false',
      N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
      N8N_TEMPLATES_ENABLED: 'false',
    }
  }
}

/** Returns the error message in an execution's data, a list of values that refer to each other by index. */
function reasonIn(data: string): string {
  const values = JSON.parse(data) as unknown[]
  const at = (place: string | undefined) => (place === undefined ? undefined : values[Number(place)])
  const { resultData } = values[0] as { resultData?: string }
  const { error } = (at(resultData) ?? {}) as { error?: string }
  const { message } = (at(error) ?? {}) as { message?: string }
  return String(at(message) ?? 'no reason')
}

/** A recorded request and its answer. */
export interface Passage {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Code of the refusal. */
  readonly code?: string
}

/**
 * Opens a recording proxy to the service on a port of 127.0.0.1. Returns its port and the recorded requests; paths that begin with
 * /elsewhere are redirected to {@link ELSEWHERE}, as by a hijacked service.
 */
export async function openDoor(servicePort: number) {
  const passages: Passage[] = []
  const server = http.createServer((request, response) => {
    const { method = '', url = '', headers } = request
    const note = (status: number, code?: string) =>
      passages.push({ method, path: url, status, ...(code ? { code } : {}) })
    if (url.startsWith('/elsewhere')) {
      note(307)
      request.resume().on('end', () => response.writeHead(307, { location: `${ELSEWHERE}${url}` }).end())
      return
    }
    // The service only accepts its own address.
    const own = { ...headers, host: `127.0.0.1:${servicePort}` }
    const onward = http.request({ host: '127.0.0.1', port: servicePort, method, path: url, headers: own }, (answer) => {
      const status = answer.statusCode ?? 0
      response.writeHead(status, answer.rawHeaders)
      if (status < 400) {
        note(status)
        answer.pipe(response)
        return
      }
      const parts: Buffer[] = []
      answer.on('data', (part: Buffer) => parts.push(part))
      answer.on('end', () => {
        const body = Buffer.concat(parts)
        note(status, /"code":"(\w+)"/.exec(body.toString())?.[1])
        response.end(body)
      })
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  return { ...(await listening(server)), passages }
}

/** Opens a proxy that forwards nothing. Returns its port and the received requests with their content. */
export async function openProxy() {
  const asked: { readonly target: string; readonly told: string }[] = []
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const told = `${request.rawHeaders.join('\n')}\n${Buffer.concat(parts).toString('latin1')}`
      asked.push({ target: `${request.method} ${request.url}`, told })
      response.writeHead(502).end()
    })
  })
  server.on('connect', (request, socket) => {
    asked.push({ target: `CONNECT ${request.url}`, told: request.rawHeaders.join('\n') })
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  return { ...(await listening(server)), asked }
}

async function listening(server: http.Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { port: (server.address() as AddressInfo).port, close }
}

/** Returns a currently free port. */
export async function freePort(): Promise<number> {
  const { port, close } = await listening(http.createServer())
  close()
  return port
}
