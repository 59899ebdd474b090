/** Starts the program headless for specs of the page: a data directory of its own, a free port, the real engine. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test as base, type Page } from 'playwright/test'
import { songBytes } from './desktop-songs.ts'

export { expect } from 'playwright/test'

const root = path.join(import.meta.dirname, '..')
const START_MS = 20_000

export interface Program {
  /** Address of the API, without a trailing slash. */
  readonly baseUrl: string
  /** The printed link of the page, with the credential in its fragment. */
  readonly link: string
  /** Calls the API as the page does and answers the JSON. */
  call<Answer>(method: string, address: string, body?: object): Promise<Answer>
  /** Kills the program without a word and starts it again on the same data and port. */
  killAndRestart(): Promise<void>
  stop(): Promise<void>
}

async function startProgram(home: string, port = 0): Promise<Program> {
  let child: ChildProcess
  let baseUrl = ''
  let link = ''
  const run = async (onPort: number) => {
    const words = ['serve', '--port', String(onPort), '--data-dir', path.join(home, 'data')]
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: path.join(home, '.config') }
    child = spawn(process.execPath, ['src-server/cli.ts', ...words], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let errors = ''
    child.stderr?.on('data', (bytes) => {
      errors += bytes
    })
    const printed = new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the program printed no link in time: ${errors}`)), START_MS)
      child.once('exit', (code) => reject(new Error(`the program ended with ${code}: ${errors}`)))
      if (!child.stdout) return reject(new Error('no stdout'))
      createInterface({ input: child.stdout }).on('line', (line) => {
        baseUrl = /^Loudsmith API listening on (\S+)$/.exec(line)?.[1] ?? baseUrl
        const found = /^Open (\S+)$/.exec(line)?.[1]
        if (!found) return
        link = found
        clearTimeout(late)
        resolve()
      })
    })
    await printed
    child.removeAllListeners('exit')
  }
  await run(port)
  return {
    get baseUrl() {
      return baseUrl
    },
    get link() {
      return link
    },
    async call(method, address, body) {
      const response = await fetch(baseUrl + address, {
        method,
        headers: {
          Authorization: `Bearer ${link.split('#session=')[1]}`,
          ...(body ? { 'Content-Type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${await response.text()}`)
      return response.status === 204 ? undefined : await response.json()
    },
    async killAndRestart() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await run(Number(new URL(baseUrl).port))
    },
    async stop() {
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

/** A short song under a name; `seed` moves its pitch so that no two are equal. */
export function song(name: string, seed = 1, seconds = 5): GivenFile {
  return { name, mimeType: 'audio/wav', buffer: songBytes(seconds, seed) }
}

/** A file that is no song, whatever it is called. */
export function noSong(name: string): GivenFile {
  return { name, mimeType: 'audio/mpeg', buffer: Buffer.from('This is a shopping list, not a song.\n'.repeat(40)) }
}

/** A song without a sound. */
export function silence(name: string): GivenFile {
  const buffer = songBytes(3, 1)
  buffer.fill(0, 44)
  return { name, mimeType: 'audio/wav', buffer }
}

/** Drops files on the window, as a hand does: over it first, then let go. */
export async function drop(page: Page, files: readonly GivenFile[]): Promise<void> {
  const given = files.map((file) => ({ ...file, buffer: file.buffer.toString('base64') }))
  await page.evaluate(async (list) => {
    const transfer = new DataTransfer()
    for (const { name, mimeType, buffer } of list) {
      const bytes = Uint8Array.from(atob(buffer), (letter) => letter.charCodeAt(0))
      transfer.items.add(new File([bytes], name, { type: mimeType }))
    }
    const send = (type: string) =>
      document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }))
    send('dragenter')
    send('dragover')
    send('drop')
  }, given)
}

/** The row of a song by its title. */
export const rowOf = (page: Page, title: string) => page.locator('.song').filter({ hasText: title })

export const test = base.extend<{ program: Program }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  program: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-web-'))
    const program = await startProgram(home)
    await use(program)
    await program.stop()
    rmSync(home, { recursive: true, force: true, maxRetries: 5 })
  },
  page: async ({ page, program }, use) => {
    const failures: string[] = []
    page.on('pageerror', (error) => failures.push(error.message))
    await page.goto(program.link)
    await use(page)
    if (failures.length > 0) throw new Error(`the page threw: ${failures.join('; ')}`)
  },
})
