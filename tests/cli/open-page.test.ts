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
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ticketIn } from '../../src-contract/session.ts'
import { CLI } from '../support/built.ts'
import { type Ended, runCommand } from '../support/commands.ts'
import { type Service, startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const LINK = /http:\/\/127\.0\.0\.1:\d+\/#ticket=[\w-]{43}/

const folder = temporaryFolder()
let service: Service
beforeAll(async () => {
  service = await startService({ dataDir: path.join(folder, 'data') })
})
afterAll(() => service.stop())

/** Runs `open` with what an opener of the system does as a shell script, or without one; its output is no terminal. */
async function open(messages: readonly string[], opener?: string, language = 'C'): Promise<Ended> {
  const bin = mkdtempSync(path.join(folder, 'bin-'))
  if (opener !== undefined) {
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(path.join(bin, name), `#!/bin/sh\n${opener}\n`)
      chmodSync(path.join(bin, name), 0o755)
    }
  }
  vi.stubEnv('PATH', opener === undefined ? bin : `${bin}:/usr/bin:/bin`)
  vi.stubEnv('LC_ALL', language)
  try {
    return await runCommand('open', '--data-dir', service.dataDir, ...messages)
  } finally {
    vi.unstubAllEnvs()
  }
}

const exchange = (link: string) =>
  service.call('POST', '/app/session', {
    body: JSON.stringify({ ticket: ticketIn(new URL(link).hash) }),
    headers: { 'content-type': 'application/json' },
    credential: '',
  })

const isNoOpener = (name: string) => !name.startsWith('bin-')

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
    const { code, out } = await open([], `printf '%s\\n' "$@" >${seen}`)
    expect([code, out]).toEqual([0, 'The page opens in the browser.\n'])
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
      const { code, out, problem } = await open([], opener, language)
      expect([code, out]).toEqual([1, ''])
      expect(problem).toMatch(sentence)
      expect(problem).not.toContain('#ticket')
      expect(existsSync(path.join(service.dataDir, 'open.html'))).toBe(false)
    }
  })

  test('is not printed where standard output is no terminal', async () => {
    const { code, out, problem } = await open(['--print'])
    expect([code, out]).toEqual([1, ''])
    expect(problem).toContain('only shown on a terminal')
    const json = await open(['--print', '--json'])
    expect([json.code, json.out.includes('#ticket')]).toEqual([1, false])
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
      const { code, out } = await open(['--link-file', file, '--json'])
      expect([code, JSON.parse(out)]).toEqual([0, { link_file: file }])
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
    const before = readdirSync(folder).filter(isNoOpener)
    for (const file of taken) expect(await open(['--link-file', file])).toMatchObject({ code: 1 })
    expect(readdirSync(folder).filter(isNoOpener)).toEqual(before)
    expect(readFileSync(mine, 'utf8')).toBe('la la\n')
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  test('of a service that does not run is none: open starts no service that would end with it', async () => {
    const { code, problem } = await open(['--data-dir', path.join(folder, 'other')])
    expect([code, problem]).toEqual([
      1,
      'Loudsmith is not running on this data folder. Start it with "npm start" or "loudsmith serve".\n',
    ])
  })
})
