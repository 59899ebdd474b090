/** The link of the page goes to its owner's browser, terminal or private file, and to nobody who can read a log or a process list. */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ticketIn } from '../../src-contract/session.ts'
import { CLI } from '../support/built.ts'
import { type Service, startService } from '../support/service.ts'

const LINK = /http:\/\/127\.0\.0\.1:\d+\/#ticket=[\w-]{43}/

let folder: string
let service: Service
beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-open-'))
  service = await startService({ dataDir: path.join(folder, 'data') })
})
afterAll(async () => {
  await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

interface Said {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs `open` with what an opener of the system does as a shell script, or without one; its output is no terminal. */
async function open(messages: readonly string[], opener?: string, language = 'C'): Promise<Said> {
  const bin = mkdtempSync(path.join(folder, 'bin-'))
  if (opener !== undefined) {
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(path.join(bin, name), `#!/bin/sh\n${opener}\n`)
      chmodSync(path.join(bin, name), 0o755)
    }
  }
  const env = { ...process.env, PATH: opener === undefined ? bin : `${bin}:/usr/bin:/bin`, LC_ALL: language }
  const run = promisify(execFile)(process.execPath, [CLI, 'open', '--data-dir', service.dataDir, ...messages], { env })
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: Said) => ({ code, stdout, stderr }),
  )
}

const exchange = (link: string) =>
  service.call('POST', '/app/session', {
    body: JSON.stringify({ ticket: ticketIn(new URL(link).hash) }),
    headers: { 'content-type': 'application/json' },
    credential: '',
  })

describe.runIf(process.platform !== 'win32')('the link of the page', () => {
  test('is in no output of a service that runs without a terminal, and in no argument: the log says how to open the page', async () => {
    const dataDir = path.join(folder, 'headless')
    const log = path.join(folder, 'loudsmith.log')
    const output = openSync(log, 'w', 0o644)
    const messages = [CLI, 'serve', '--stay', '--port', '0', '--data-dir', dataDir]
    const child = spawn(process.execPath, messages, {
      stdio: ['ignore', output, output],
      env: { ...process.env, LC_ALL: 'C' },
    })
    closeSync(output)
    const ended = once(child, 'exit')
    await expect.poll(() => readFileSync(log, 'utf8')).toContain('loudsmith open')
    const { controlToken } = JSON.parse(readFileSync(path.join(dataDir, 'owner.json'), 'utf8'))
    child.kill('SIGTERM')
    await ended
    const text = readFileSync(log, 'utf8')
    expect(text).toMatch(/^Loudsmith API listening on http:\/\/127\.0\.0\.1:\d+$/m)
    expect(text).not.toContain('#')
    expect(text).not.toContain(controlToken)
    expect(text, 'anything as long as a secret').not.toMatch(/[\w-]{40,}/)
  })

  test('reaches the browser through a file that its owner alone can read, and no process has it in its arguments', async () => {
    const seen = path.join(folder, 'seen')
    const { code, stdout } = await open([], `printf '%s\\n' "$@" >${seen}`)
    expect([code, stdout]).toEqual([0, 'The page opens in the browser.\n'])
    const [file = '', ...more] = readFileSync(seen, 'utf8').trimEnd().split('\n')
    expect(more).toEqual([])
    expect(path.isAbsolute(file)).toBe(true)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const html = readFileSync(file, 'utf8')
    expect(html).toContain('<meta name="referrer" content="no-referrer">')
    const [link = ''] = LINK.exec(html) ?? []
    expect((await exchange(link)).body).toEqual({ credential: service.sessionCredential })
    expect(existsSync(file), 'the link is spent').toBe(false)
    expect((await exchange(link)).status).toBe(410)
    expect(link, 'what a directory or a process list shows').not.toContain(path.basename(file))
  })

  test('goes on where the opener is the browser itself and runs on', async () => {
    const pid = path.join(folder, 'pid')
    const { code } = await open(['--json'], `echo $$ >${pid}; exec sleep 600`)
    process.kill(Number(readFileSync(pid, 'utf8')), 'SIGKILL')
    expect(code).toBe(0)
  })

  test.each([
    ['C', /^No browser could be opened here\./],
    ['ko_KR.UTF-8', /^여기서는 브라우저를 열 수 없어요\./],
  ])('that no browser takes is said (%s), with what to do instead, and is not shown', async (language, sentence) => {
    for (const opener of [undefined, 'exit 3']) {
      const { code, stdout, stderr } = await open([], opener, language)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(sentence)
      expect(stderr).not.toContain('#ticket')
      expect(existsSync(path.join(service.dataDir, 'open.html'))).toBe(false)
    }
  })

  test('is not printed where standard output is no terminal', async () => {
    const { code, stdout, stderr } = await open(['--print'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('on a terminal only')
    const json = await open(['--print', '--json'])
    expect([json.code, json.stdout.includes('#ticket')]).toEqual([1, false])
  })

  test('is printed on a terminal (needs script)', async (context) => {
    if (!existsSync('/usr/bin/script') || process.platform !== 'linux') return context.skip()
    const command = `'${process.execPath}' '${CLI}' open --print --data-dir '${service.dataDir}'`
    const { stdout } = await promisify(execFile)('script', ['-qec', command, '/dev/null'])
    const [link = ''] = LINK.exec(stdout) ?? []
    expect((await exchange(link)).status).toBe(200)
  })

  test('is written for a program into a file of mode 0600, which replaces one of an earlier call', async () => {
    const file = path.join(folder, 'link')
    const links: string[] = []
    for (const _ of [1, 2]) {
      const { code, stdout } = await open(['--link-file', file, '--json'])
      expect([code, JSON.parse(stdout)]).toEqual([0, { link_file: file }])
      expect(statSync(file).mode & 0o777).toBe(0o600)
      links.push(readFileSync(file, 'utf8').trimEnd())
      chmodSync(file, 0o644)
    }
    expect(links[0]).not.toBe(links[1])
    for (const link of links) expect((await exchange(link)).status).toBe(200)
  })

  test('takes the place of nothing else: of no file, folder, link or pipe of the user', async () => {
    const mine = path.join(folder, 'lyrics.txt')
    writeFileSync(mine, 'la la\n')
    const link = path.join(folder, 'to-lyrics')
    symlinkSync(mine, link)
    mkdirSync(path.join(folder, 'songs'))
    const taken = [mine, link, path.join(folder, 'songs'), '/dev/null', path.join(folder, 'nowhere', 'link')]
    const before = readdirSync(folder)
    const commands = taken.map((file) => ['open', '--data-dir', service.dataDir, '--link-file', file])
    const runner = path.join(import.meta.dirname, '../support/commands-in-turn.ts')
    const { stdout } = await promisify(execFile)(process.execPath, [runner, JSON.stringify(commands)])
    expect((JSON.parse(stdout) as Said[]).map(({ code }) => code)).toEqual(taken.map(() => 1))
    expect(readdirSync(folder)).toEqual(before)
    expect(readFileSync(mine, 'utf8')).toBe('la la\n')
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  test('of a service that does not run is none: open starts no service that would end with it', async () => {
    const { code, stderr } = await open(['--data-dir', path.join(folder, 'other')])
    expect([code, stderr]).toEqual([
      1,
      'Loudsmith is not running on this data folder. Start it with "npm start" or "loudsmith serve".\n',
    ])
  })
})
