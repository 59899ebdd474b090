import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, isRealElectron, root, runToEnd, test } from './desktop-fixtures.ts'
import { writeSong } from './desktop-songs.ts'

const MAX_START_MS = 4000
const MORE_STARTS = 5
const MAX_IDLE_BYTES = 150_000_000

test(
  'the window is there and answers within four seconds, and quitting ends the program in order',
  {
    tag: '@alone',
  },
  async ({ user }, info) => {
    // The best of a few starts: other work on the machine does not count.
    let desktop = await user.launch()
    let startMs = Math.round(desktop.startMs)
    for (let again = 0; again < MORE_STARTS && (again === 0 || startMs >= MAX_START_MS); again++) {
      await desktop.quit()
      desktop = await user.launch()
      startMs = Math.min(startMs, Math.round(desktop.startMs))
    }
    info.annotations.push({ type: 'start', description: `${startMs} ms, real Electron: ${isRealElectron}` })
    console.log(`start to interactive window: ${startMs} ms`)
    expect(startMs).toBeLessThan(MAX_START_MS)
    expect(await desktop.page.evaluate(() => location.origin)).toBe(desktop.baseUrl)
    expect(await desktop.quit()).toBe(0)
    expect(existsSync(path.join(user.userData, 'data', 'owner.json'))).toBe(false)
  },
)

test('the main process with the server in it stays small while nothing is to be done', async ({ desktop }) => {
  await desktop.call('GET', '/api/v1/account')
  await desktop.app.evaluate(() => (globalThis as { gc?: () => void }).gc?.())
  const bytes = await desktop.app.evaluate(() => process.memoryUsage().rss)
  console.log(`idle memory of the main process with the server: ${Math.round(bytes / 1e6)} MB`)
  expect(bytes).toBeLessThan(MAX_IDLE_BYTES)
})

test('what is stored is for this user alone', async ({ user, desktop }) => {
  expect(desktop.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  const dataDir = path.join(user.userData, 'data')
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(dataDir).filter((entry) => statSync(path.join(dataDir, entry)).isFile()))
    expect(statSync(path.join(dataDir, name)).mode & 0o077, name).toBe(0)
})

test('a second start hands its songs to the first and ends', async ({ user, desktop }) => {
  const song = writeSong(user.music, 'Second start.wav', 2)
  const { code } = await user.startAgain([song])
  expect(code).toBe(0)
  await expect
    .poll(async () =>
      (await desktop.call<{ songs: { source: { title: string } }[] }>('GET', '/app/desk')).songs.map(
        (one) => one.source.title,
      ),
    )
    .toEqual(['Second start'])
})

test('a second start shows the window of a hidden one that is still coming up', async ({ user }) => {
  const other = http.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  try {
    // It waits for the answer to its question about the port, which the second start gives.
    const first = user.launch({
      args: ['--hidden', `--port=${port}`],
      env: { PROBE_ANSWER: '1', PROBE_ANSWER_AFTER: 'second-instance' },
    })
    await expect.poll(() => existsSync(path.join(user.userData, 'logs'))).toBe(true)
    expect((await user.startAgain([])).code).toBe(0)
    const { app } = await first
    await expect
      .poll(() => app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().map((one) => one.isVisible())))
      .toEqual([true])
  } finally {
    other.close()
  }
})

test('the window comes back where it was, with the size that it had', async ({ user }) => {
  const first = await user.launch()
  await first.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.setBounds({ x: 220, y: 130, width: 1100, height: 700 }),
  )
  await first.quit()
  const second = await user.launch()
  const bounds = await second.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds())
  expect(bounds).toEqual({ x: 220, y: 130, width: 1100, height: 700 })
})

test('a page that dies is brought back', async ({ desktop }) => {
  await desktop.app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    window?.webContents.once('did-finish-load', () => {
      Object.assign(globalThis, { __cameBack: true })
    })
    window?.webContents.forcefullyCrashRenderer()
  })
  await expect.poll(() => desktop.app.evaluate(() => (globalThis as { __cameBack?: boolean }).__cameBack)).toBe(true)
  const title = await desktop.app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript('document.title'),
  )
  expect(title).toMatch(/Loudsmith/)
})

test('a taken port is a question, never a silent other port', async ({ user }) => {
  const other = http.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => other.once('listening', resolve))
  const { port } = other.address() as AddressInfo
  try {
    const quitting = await runToEnd(user.home, user.userData, { args: [`--port=${port}`], env: { PROBE_ANSWER: '2' } })
    expect(quitting.code).toBe(1)
    expect(quitting.output).toContain(`QUESTION Another program is using port ${port}.`)
    const elsewhere = await user.launch({ args: [`--port=${port}`], env: { PROBE_ANSWER: '1' } })
    expect(elsewhere.baseUrl).not.toContain(`:${port}`)
  } finally {
    other.close()
  }
})

test('a database of a newer version is left as it is, and the message says what to do', async ({ user }) => {
  const first = await user.launch()
  await first.quit()
  const file = path.join(user.userData, 'data', 'loudsmith.db')
  const database = new Database(file)
  database.prepare("INSERT INTO migrations (version, name, checksum) VALUES (9999, 'later.sql', 'x')").run()
  database.pragma('wal_checkpoint(TRUNCATE)')
  database.close()
  const before = readFileSync(file)
  const { code, output } = await runToEnd(user.home, user.userData, { args: ['--port=0'] })
  expect(code).toBe(1)
  expect(output).toMatch(/ERROR BOX Loudsmith cannot start: .*newer/i)
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a data directory that another Loudsmith uses is named, and that one is not disturbed', async ({
  user,
  desktop,
}) => {
  const dataDir = path.join(user.userData, 'data')
  const other = path.join(user.home, 'other')
  const { code, output } = await runToEnd(user.home, other, { args: ['--port=0', `--data-dir=${dataDir}`] })
  expect(code).toBe(1)
  expect(output).toMatch(/ERROR BOX .*Another Loudsmith uses this data folder \(port \d+\)/)
  await desktop.call('GET', '/api/v1/account')
})

/** Runs the program in its own mount namespace, with a small tmpfs with `options` over its data directory. */
function startOnDisk(user: { home: string; userData: string }, options: string, prepare = 'true') {
  const dataDir = path.join(user.home, 'small-disk')
  mkdirSync(dataDir)
  const command = `mount -t tmpfs -o size=256k tmpfs '${dataDir}' && cd '${dataDir}' && ${prepare} && cd '${root}' && mount -o remount,${options} '${dataDir}' && exec "$@"`
  const wrapper = ['unshare', '-rm', 'sh', '-c', command, 'sh']
  return runToEnd(user.home, user.userData, { args: ['--port=0', `--data-dir=${dataDir}`], wrapper })
}
const hasNamespaces = (() => {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

test('a full disk is said in one sentence', async ({ user }) => {
  test.skip(!hasNamespaces, 'needs mount namespaces to make a full disk')
  const { code, output } = await startOnDisk(
    user,
    'size=256k',
    'dd if=/dev/zero of=.Trash-0 bs=1k count=400 2>/dev/null || true',
  )
  expect(code).toBe(1)
  expect(output).toMatch(/ERROR BOX Loudsmith cannot start: .*disk is full/i)
  expect(output).not.toMatch(/ERROR BOX .*(ENOSPC|SQLITE)/)
})

test('a data directory that cannot be written is said in one sentence', async ({ user }) => {
  test.skip(!hasNamespaces, 'needs mount namespaces to make a read-only disk')
  const { code, output } = await startOnDisk(user, 'ro')
  expect(code).toBe(1)
  expect(output).toMatch(/ERROR BOX Loudsmith cannot start: .*(read-only|writ)/i)
  expect(output).not.toMatch(/ERROR BOX .*(EROFS|EACCES|SQLITE)/)
})
