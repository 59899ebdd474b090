import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { defaultDataDir } from '../../src-server/cli/data-dir.ts'
import { isAlive, spawnServer } from '../support/server-process.ts'

const CLI = path.join(import.meta.dirname, '../../src-server/cli.ts')

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'loudsmith-cli-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const owner = 'owner.json'
const run = async (...words: string[]) =>
  JSON.parse(
    (
      await promisify(execFile)(process.execPath, [CLI, ...words, '--json', '--data-dir', dataDir], {
        encoding: 'utf8',
      })
    ).stdout,
  )

test('the data are where the application has them; a folder of settings that is empty or relative counts as not set', () => {
  const of = (platform: NodeJS.Platform, environment: Record<string, string> = {}) =>
    defaultDataDir(platform, environment, path.resolve('/home/ana'))
  const inHome = (...parts: string[]) => path.join(path.resolve('/home/ana'), ...parts, 'Loudsmith', 'data')
  expect(of('linux')).toBe(inHome('.config'))
  expect(of('linux', { XDG_CONFIG_HOME: path.resolve('/etc/ana') })).toBe(path.resolve('/etc/ana/Loudsmith/data'))
  expect(of('linux', { XDG_CONFIG_HOME: '' })).toBe(inHome('.config'))
  expect(of('linux', { XDG_CONFIG_HOME: 'settings' })).toBe(inHome('.config'))
  expect(of('darwin', { XDG_CONFIG_HOME: '/etc/ana' })).toBe(inHome('Library', 'Application Support'))
  expect(of('win32', { APPDATA: path.resolve('/roaming') })).toBe(path.resolve('/roaming/Loudsmith/data'))
  expect(of('win32', { APPDATA: '' })).toBe(inHome('AppData', 'Roaming'))
})

test('without a running service a command starts it for itself and leaves nothing running', async () => {
  expect(await run('account', 'show')).toMatchObject({ plan: 'studio', credits: 500 })
  expect(existsSync(path.join(dataDir, owner))).toBe(false)
  expect(await run('account', 'show')).toMatchObject({ plan: 'studio', credits: 500 })
})

test('with a running service a command goes to it', async () => {
  const server = await spawnServer(dataDir)
  await run('account', 'grant', '5')
  expect(await server.get('/api/v1/account')).toMatchObject({ credits: 505 })
  expect(await server.end('SIGTERM')).toBe(0)
})

test.runIf(process.platform === 'linux')(
  'a service whose parent was killed stops in order and gives its data folder up (where /proc tells who lives)',
  async () => {
    const command = `"${process.execPath}" "${CLI}" serve --port 0 --data-dir "${dataDir}"; true`
    const parent = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'ignore'] })
    await new Promise((resolve) => parent.stdout.once('data', resolve))
    const { pid } = JSON.parse(readFileSync(path.join(dataDir, owner), 'utf8')) as { pid: number }
    onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
    expect(existsSync(path.join(dataDir, owner))).toBe(false)
  },
)
