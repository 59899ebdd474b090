/** Starts the built program headless, as from a terminal: its own data directory, a free port, the real engine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { linkOf } from '../src-contract/session.ts'
import { songBytes } from './desktop-songs.ts'

const root = path.join(import.meta.dirname, '..')
const START_MS = 60_000

export interface Program {
  /** Address of the API, without a trailing slash. */
  readonly baseUrl: string
  /** Page credential of this start. */
  readonly credential: string
  /** Returns a link that opens the page once, like that of `open`. */
  newLink(): Promise<string>
  /** Calls the API as the page does and returns the JSON. */
  call<Answer>(method: string, address: string, body?: object): Promise<Answer>
  /** Calls the API with the control credential, as the command line does. */
  callAsOwner(method: string, address: string, body?: object): Promise<unknown>
  /** Kills the program and starts it again on the same data and port. */
  killAndRestart(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts the program with `home` as the user's home and `environment` added to the current one. Throws with its output
 * if it does not start.
 */
export async function startProgram(home: string, environment: NodeJS.ProcessEnv = {}): Promise<Program> {
  let child: ChildProcess
  let baseUrl = ''
  let credential = ''
  const ask = async <Answer>(method: string, address: string, body?: object, bearer = credential): Promise<Answer> => {
    const response = await fetch(baseUrl + address, {
      method,
      headers: { Authorization: `Bearer ${bearer}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`)
    return (response.status === 204 ? undefined : await response.json()) as Answer
  }
  const askAsOwner = <Answer>(method: string, address: string, body?: object) => {
    const owner = JSON.parse(readFileSync(path.join(home, 'data', 'owner.json'), 'utf8')) as { controlToken: string }
    return ask<Answer>(method, address, body, owner.controlToken)
  }
  const newTicket = async () => (await askAsOwner<{ ticket: string }>('POST', '/app/tickets')).ticket
  const run = async (onPort: number) => {
    const words = ['serve', '--port', String(onPort), '--data-dir', path.join(home, 'data')]
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, '.config'), ...environment }
    child = spawn(process.execPath, ['dist/main/cli.js', ...words], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stderr?.on('data', (bytes) => {
      errors += bytes
    })
    const printed = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the program printed no address in time: ${errors}`)), START_MS)
      child.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${errors}`)))
      if (!child.stdout) return reject(new Error('no stdout'))
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /^Loudsmith API .*(http:\S+)$/.exec(line)?.[1]
        if (!found) return
        baseUrl = found
        clearTimeout(late)
        resolve()
      })
    })
    await printed
    child.removeAllListeners('exit')
    const opened = await ask<{ credential: string }>('POST', '/app/session', { ticket: await newTicket() })
    credential = opened.credential
  }
  await run(0)
  return {
    get baseUrl() {
      return baseUrl
    },
    get credential() {
      return credential
    },
    newLink: async () => linkOf(baseUrl, await newTicket()),
    call: (method, address, body) => ask(method, address, body),
    callAsOwner: askAsOwner,
    async killAndRestart() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await run(Number(new URL(baseUrl).port))
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 5000))])
      child.kill('SIGKILL')
    },
  }
}

export interface GivenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

/** A short song under a name; `seed` changes its pitch, which makes each different. */
export function song(name: string, seed = 1, seconds = 5): GivenFile {
  return { name, mimeType: 'audio/wav', buffer: songBytes(seconds, seed) }
}

/** A file that is not a song, whatever its name. */
export function noSong(name: string): GivenFile {
  return { name, mimeType: 'audio/mpeg', buffer: Buffer.from('This is a shopping list, not a song.\n'.repeat(40)) }
}

/** A song with a silent channel, which is started only after the user's confirmation. */
export function oneSided(name: string, seed = 1, seconds = 3): GivenFile {
  const made = song(name, seed, seconds)
  for (let at = 44; at < made.buffer.length; at += 4) made.buffer.writeInt16LE(0, at)
  return made
}

/** A silent song. */
export function silence(name: string, seconds = 3): GivenFile {
  const buffer = songBytes(seconds, 1)
  buffer.fill(0, 44)
  return { name, mimeType: 'audio/wav', buffer }
}
