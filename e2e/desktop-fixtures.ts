/**
 * Starts the desktop application for specs: on the real Electron if its binary is installed, else on the stand-in. The
 * same specs run on both; `needsRealElectron` marks those that only the real binary can judge.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { _electron, test as base, type ElectronApplication, type Page } from 'playwright/test'

export { expect } from 'playwright/test'

export const root = path.join(import.meta.dirname, '..')
const standinFolder = path.join(root, 'tools', 'electron-standin')

/** True if the real binary runs these specs. `E2E_ELECTRON=real` forces it; `standin` forces the stand-in. */
export const isRealElectron = (() => {
  if (process.env.E2E_ELECTRON) return process.env.E2E_ELECTRON === 'real'
  const folder = path.join(root, 'node_modules', 'electron')
  const named = path.join(folder, 'path.txt')
  return existsSync(named) && existsSync(path.join(folder, 'dist', readFileSync(named, 'utf8')))
})()

/** Marks a spec as undecided on the stand-in: the run lists it with this reason, never as passed. */
export function needsRealElectron(reason: string): void {
  base.skip(!isRealElectron, `needs real Electron: ${reason}`)
}

/** Output to the desktop, as recorded by e2e/desktop-probe.cjs. */
export interface Noted {
  questions: { message: string; detail: string; buttons: string[] }[]
  notifications: { title: string; body: string }[]
  opened: string[]
  revealed: string[]
  drags: string[][]
  progress: number[]
  blockers: string[]
}

export interface Desktop {
  readonly app: ElectronApplication
  readonly page: Page
  /** API address of this start. */
  readonly baseUrl: string
  /** Milliseconds from launch to a responsive page. */
  readonly startMs: number
  noted(): Promise<Noted>
  /** The program's output so far. */
  output(): string
  /** Answers the next questions with the numbers of their buttons. */
  answer(...buttons: number[]): Promise<void>
  /** Clicks an item of the application menu, or of the tray's. */
  choose(menu: 'application' | 'tray', itemId: string): Promise<void>
  /** Calls the API as the page does. */
  call<Answer>(method: string, address: string, body?: object): Promise<Answer>
  /** Quits like a user and returns the exit code. */
  quit(): Promise<number | null>
}

/** A user of the machine: a home folder kept across starts of the application. */
export interface User {
  readonly home: string
  readonly userData: string
  readonly music: string
  launch(options?: LaunchOptions): Promise<Desktop>
  /** Starts a second instance beside a running one; returns its exit code and output. */
  startAgain(args: readonly string[]): Promise<{ code: number | null; output: string }>
}

export interface LaunchOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Entry point to start instead of the project. */
  readonly entry?: string
  /** A command to run, for starts that never show a window. */
  readonly wrapper?: readonly string[]
}

/** The name on a German system. */
const musicOf = (home: string) => path.join(home, 'Musik')

function environment(home: string, extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
  // Playwright looks for the binary in its own process too.
  if (!isRealElectron) process.env.ELECTRON_OVERRIDE_DIST_PATH = env.ELECTRON_OVERRIDE_DIST_PATH = standinFolder
  const folders = { HOME: home, XDG_CONFIG_HOME: path.join(home, '.config'), PROBE_MUSIC: musicOf(home) }
  return { ...env, ...folders, LANG: 'en_US.UTF-8', ...extra }
}

const chromiumArguments = () => (process.getuid?.() === 0 && isRealElectron ? ['--no-sandbox'] : [])

/** Starts the program and waits for its window. */
async function openWindow(home: string, userData: string, { args = [], env, entry = '.' }: LaunchOptions) {
  const app = await _electron.launch({
    cwd: root,
    env: environment(home, env),
    args: [
      '-r',
      path.join(import.meta.dirname, 'desktop-probe.cjs'),
      ...chromiumArguments(),
      `--user-data-dir=${userData}`,
      entry,
      ...(args.some((word) => word.startsWith('--port')) ? [] : ['--port=0']),
      ...args,
    ],
  })
  const child = app.process()
  let text = ''
  child.stderr?.on('data', (bytes) => {
    text += bytes
  })
  const page = await app.firstWindow().catch((cause: unknown) => {
    const said = `exit ${child.exitCode ?? child.signalCode}; it printed:\n${text.slice(-4000)}`
    throw new Error(`No window came, ${said}`, { cause })
  })
  return { app, page, output: () => text }
}

/** Starts the program for a user with that home folder and waits for a responsive page. */
export async function launch(home: string, userData: string, options: LaunchOptions = {}): Promise<Desktop> {
  const begun = performance.now()
  const { app, page, output } = await openWindow(home, userData, options).catch((cause: Error) => {
    if (isRealElectron) throw cause
    // One start of the stand-in in some 500 ends before its window appears, for an unknown reason.
    console.log(cause.message)
    return openWindow(home, userData, options)
  })
  // The address shows that it is loaded; a load event may come before anything listens.
  await page.waitForURL(/^http/, { waitUntil: 'commit' })
  // As in the browser (playwright.config.ts).
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.waitForFunction(() => document.querySelector('#root > *') !== null)
  const startMs = performance.now() - begun
  const baseUrl = new URL(page.url()).origin
  return {
    app,
    page,
    baseUrl,
    startMs,
    output,
    noted: () => app.evaluate(() => (globalThis as unknown as { __noted: Noted }).__noted),
    answer: (...buttons) =>
      app.evaluate((_electronModule, given) => {
        ;(globalThis as unknown as { __answers: number[] }).__answers.push(...given)
      }, buttons),
    choose: (menu, itemId) =>
      app.evaluate(
        ({ Menu }, [which, id]) => {
          const tray = (globalThis as unknown as { __tray: { menu: Electron.Menu } }).__tray
          const item = (which === 'tray' ? tray.menu : Menu.getApplicationMenu())?.getMenuItemById(id ?? '')
          if (!item) throw new Error(`no menu item ${id}`)
          item.click()
        },
        [menu, itemId],
      ),
    call: (method, address, body) =>
      page.evaluate(
        async ([verb, target, text]) => {
          const response = await fetch(target ?? '', {
            method: verb ?? 'GET',
            ...(text ? { body: text, headers: { 'Content-Type': 'application/json' } } : {}),
          })
          const answer = response.status === 204 ? undefined : await response.json()
          if (!response.ok) throw new Error(`${verb} ${target}: ${response.status} ${JSON.stringify(answer)}`)
          return answer
        },
        [method, address, body ? JSON.stringify(body) : undefined],
      ),
    async quit() {
      const child = app.process()
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
      await app.evaluate(({ app: running }) => running.quit()).catch(() => {})
      return ended
    },
  }
}

/** Ends a program left running by a spec, without the question before quitting. */
async function endNow(app: ElectronApplication, child: ChildProcess): Promise<void> {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  if (hasEnded()) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const tooLong = new Promise((resolve) => setTimeout(resolve, 5000))
  void app.evaluate(({ app: running }) => running.exit(0)).catch(() => {})
  await Promise.race([ended, tooLong])
  if (!hasEnded()) child.kill('SIGKILL')
}

/** Runs the program until it exits, for starts that never show a window. */
export function runToEnd(
  home: string,
  userData: string,
  options: LaunchOptions = {},
): Promise<{ code: number | null; output: string }> {
  const env = environment(home, options.env)
  const executable = createRequire(import.meta.url)('electron') as unknown as string
  const [command = '', ...words] = [
    ...(options.wrapper ?? []),
    executable,
    '-r',
    path.join(import.meta.dirname, 'desktop-probe.cjs'),
    ...chromiumArguments(),
    `--user-data-dir=${userData}`,
    options.entry ?? '.',
    ...(options.args ?? []),
  ]
  const child = spawn(command, words, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      output += bytes
    })
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })))
}

type Use<Value> = (value: Value) => Promise<void>

/**
 * Provides a user with a home folder and ends the processes it left running; prints their output if `hasFailed` in the
 * end.
 */
async function keepUser(use: Use<User>, hasFailed: () => boolean): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'loudsmith-home-'))
  const userData = path.join(home, '.config', 'Loudsmith')
  const music = musicOf(home)
  mkdirSync(music)
  const running: { desktop: Desktop; child: ChildProcess }[] = []
  await use({
    home,
    userData,
    music,
    async launch(options) {
      const desktop = await launch(home, userData, options)
      running.push({ desktop, child: desktop.app.process() })
      return desktop
    },
    startAgain: (args) => runToEnd(home, userData, { args }),
  })
  for (const { desktop, child } of running) {
    if (hasFailed())
      console.log(`exit ${child.exitCode ?? child.signalCode}; it printed:\n${desktop.output().slice(-4000)}`)
    await endNow(desktop.app, child)
  }
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}

export const test = base.extend<{ user: User; desktop: Desktop }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
  user: ({}, use, info) => keepUser(use, () => info.status !== info.expectedStatus),
  desktop: async ({ user }, use) => use(await user.launch()),
})

/**
 * For tests that leave the program unchanged: they share one start, with the recorded output separate for each test.
 */
export const lookingTest = base.extend<{ notesOfOneTest: undefined }, { user: User; desktop: Desktop }>({
  user: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern
    ({}, use) => keepUser(use, () => false),
    { scope: 'worker' },
  ],
  desktop: [async ({ user }, use) => use(await user.launch()), { scope: 'worker' }],
  notesOfOneTest: [
    async ({ desktop }, use, info) => {
      await desktop.app.evaluate(() => {
        for (const list of Object.values((globalThis as unknown as { __noted: Noted }).__noted)) list.length = 0
      })
      await use(undefined)
      if (info.status !== info.expectedStatus) console.log(`it printed:\n${desktop.output().slice(-4000)}`)
    },
    { auto: true },
  ],
})
