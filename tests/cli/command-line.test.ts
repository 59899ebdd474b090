import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { absolutePath, defaultDataDir } from '../../src-cli/data-dir.ts'
import { masterFile } from '../../src-cli/master.ts'
import { terminalMessages } from '../../src-cli/messages.ts'
import { createServiceClient } from '../../src-cli/service-client.ts'
import { createProgressLine, formatBytes, table } from '../../src-cli/text-output.ts'
import type { Job } from '../../src-contract/jobs.ts'
import { MAX_UPLOAD_BYTES } from '../../src-contract/limits.ts'
import type { Report } from '../../src-contract/report.ts'
import { STYLES } from '../../src-contract/styles.ts'
import { startFailureText } from '../../src-contract/text/start-failure.ts'
import { DatabaseError } from '../../src-server/db/fault.ts'
import { CLI } from '../support/built.ts'
import { IS_CAMPAIGN } from '../support/campaign.ts'
import { runCommand } from '../support/commands.ts'
import { markDirectory } from '../support/data-directory.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { isAlive } from '../support/processes.ts'
import { spawnServer } from '../support/server-process.ts'
import { startService } from '../support/service.ts'
import { wavOfSize, wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let dataDir: string
beforeEach(() => {
  dataDir = temporaryFolder(onTestFinished)
  markDirectory(dataDir)
  vi.stubEnv('LC_ALL', 'C')
})
afterEach(() => vi.unstubAllEnvs())

const owner = 'owner.json'
const run = async (...messages: string[]) =>
  JSON.parse(
    (
      await promisify(execFile)(process.execPath, [CLI, ...messages, '--json', '--data-dir', dataDir], {
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

test('a relative path begins where the command was called, which npm tells of where it runs it elsewhere', () => {
  const read = absolutePath(terminalMessages({}, 'en'))
  vi.stubEnv('INIT_CWD', undefined)
  expect(read('masters')).toBe(path.resolve('masters'))
  vi.stubEnv('INIT_CWD', path.resolve('/home/ana'))
  expect(read('masters')).toBe(path.resolve('/home/ana/masters'))
  expect(read(path.resolve('/mnt/masters'))).toBe(path.resolve('/mnt/masters'))
})

test.each([
  [{ LC_ALL: 'ko_KR.UTF-8', LANG: 'en_US.UTF-8' }, 'ko'],
  [{ LC_ALL: '', LC_MESSAGES: 'ko', LANG: 'en_US.UTF-8' }, 'ko'],
  [{ LANG: 'ko_KR.eucKR' }, 'ko'],
  [{ LC_ALL: 'C', LANG: 'ko_KR.UTF-8' }, 'en'],
  [{ LANG: 'kok_IN' }, 'en'],
  [{}, 'ko'],
])('in a terminal of %o on a Korean system, %s is spoken', (environment, language) => {
  expect(terminalMessages(environment, 'ko-KR').language).toBe(language)
})

test('the columns of a table stand under each other where characters are two columns wide', () => {
  expect(
    table([
      ['플랜', 'pro'],
      ['API', '2'],
    ]),
  ).toBe('플랜  pro\nAPI   2')
})

/** Output and exit code of a command; the error output if it failed. */
const say = (...messages: string[]) =>
  promisify(execFile)(process.execPath, [CLI, ...messages]).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, text: stderr }),
  )

/** As {@link say}, for a command against a running service, in the test's own command process. */
const sayThere = async (...words: string[]) => {
  const { code, out, problem } = await runCommand(...words, '--data-dir', dataDir)
  return { code, text: code === 0 ? out : problem }
}

/** A service on the data of the test. */
async function startedService(options: Parameters<typeof startService>[0] = {}) {
  const service = await startService({ dataDir, keepsData: true, ...options })
  onTestFinished(() => service.stop())
  return service
}

/** As {@link sayThere}, for several commands in turn, without a service. */
async function sayInTurn(commands: readonly (readonly string[])[]): Promise<{ code: number; text: string }[]> {
  const said: { code: number; text: string }[] = []
  for (const words of commands) {
    const { code, out, problem } = await runCommand(...words)
    said.push({ code, text: code === 0 ? out : problem })
  }
  return said
}

test('sizes are in the largest unit that keeps them at 1 or more', () => {
  expect([0, 999, 1000, 999_940, 999_960, 3_400_000, 51e9, 2e12, 5e15].map(formatBytes)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '999.9 kB',
    '1.0 MB',
    '3.4 MB',
    '51.0 GB',
    '2.0 TB',
    '5000.0 TB',
  ])
})

test('progress is one line that is drawn over on a terminal, and a line for each stage elsewhere', () => {
  const shownOn = (isTTY: boolean) => {
    const written: string[] = []
    const line = createProgressLine({ isTTY, write: (part: string) => written.push(part) } as never)
    for (const percent of [0, 50, 51]) line.show(percent, 'rendering')
    line.show(100, 'done')
    line.end()
    line.end()
    return written.join('')
  }
  const bars = shownOn(true).split('\r\x1b[2K')
  expect(bars.slice(1)).toEqual([
    `[${'-'.repeat(28)}]   0 %  rendering`,
    `[${'#'.repeat(14)}${'-'.repeat(14)}]  50 %  rendering`,
    `[${'#'.repeat(14)}${'-'.repeat(14)}]  51 %  rendering`,
    `[${'#'.repeat(28)}] 100 %  done\n`,
  ])
  expect(shownOn(false)).toBe('rendering\ndone\n')
})

test('help names how a command is used, its arguments, options and commands', async () => {
  const titles = (await sayInTurn([['--help'], ['keys', 'revoke', '--help']])).map(({ text }) => {
    expect(text).toMatch(/^Usage: loudsmith /)
    return text.match(/^\w+:$/gm)
  })
  expect(titles).toEqual([
    ['Options:', 'Commands:'],
    ['Arguments:', 'Options:'],
  ])
})

test('a Korean terminal gets Korean: help and mistakes', async () => {
  vi.stubEnv('LC_ALL', 'ko_KR.UTF-8')
  const helped = [[], ['serve'], ['keys'], ['keys', 'revoke'], ['account'], ['account', 'plan'], ['doctor'], ['master']]
  for (const { code, text } of await sayInTurn(helped.map((messages) => [...messages, '--help']))) {
    expect(code).toBe(0)
    // Only names stay English: of commands, options, values and programs.
    const [, ...below] = text.split('\n')
    const prose = below
      .join('\n')
      .replace(/"[^"]*"|<[^>]*>|\[[^\]]*\]/g, '')
      .match(/\b[a-z]+ [a-z]+ [a-z]+\b/g)
    expect(prose).toEqual(null)
    expect(text).toMatch(/^사용법: /)
    expect(text).not.toMatch(/^\w+:$/m)
  }
  const mistakes: [command: string[], said: string | RegExp][] = [
    [['mastr'], "오류: 'mastr' 명령은 없어요.\n(master인가요?)"],
    [['serve', '--prt'], "오류: '--prt' 옵션은 없어요.\n(--port인가요?)"],
    [['serve', '--port'], "오류: '--port <n>' 옵션에 값이 없어요."],
    [['serve', '--port', 'x'], /^오류: '--port <n>' 옵션에 'x'을\(를\) 쓸 수 없어요. 포트는/],
    [['serve', '--port', '65536'], /^오류: '--port <n>' 옵션에 '65536'을\(를\) 쓸 수 없어요. 포트는/],
    [['serve', '--port', ''], /^오류: '--port <n>' 옵션에 ''을\(를\) 쓸 수 없어요. 포트는/],
    [['account', 'grant', '1e3'], /^오류: 'credits' 인자에 '1e3'을\(를\) 쓸 수 없어요. 크레딧은/],
    [['account', 'plan', 'x'], /^오류: 'plan' 인자에 .*쓸 수 있는 값: free, starter/],
    [['account', 'grant'], "오류: 'credits' 인자가 없어요."],
    [['keys', 'list', 'x'], /^오류: 인자가 너무 많아요/],
    [['batch', 'x'], "오류: '--platforms <list>' 옵션이 필요해요."],
  ]
  const answers = await sayInTurn(mistakes.map(([command]) => command))
  for (const [index, [, said]] of mistakes.entries()) {
    const { code, text } = answers[index]!
    expect(code).toBe(1)
    const [sentence = ''] = text.split('\n\n')
    if (typeof said === 'string') expect(sentence).toBe(said)
    else expect(sentence).toMatch(said)
  }
  expect([await say('master', '--help'), await say('mastr')]).toEqual(
    await sayInTurn([['master', '--help'], ['mastr']]),
  )
})

test('a Korean terminal gets Korean: refusals of the service and outcomes; JSON and exit codes stay', async () => {
  vi.stubEnv('LC_ALL', 'ko_KR.UTF-8')
  const service = await startedService()
  service.expectFault('a job failed')
  expect(await sayThere('account', 'show')).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^플랜.*studio\n/),
  })
  expect(await sayThere('keys', 'revoke', 'x')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^x라는 키가 없어요/),
  })
  const song = path.join(dataDir, 'song.wav')
  writeFileSync(song, wavSong({ seconds: 0.5 }))
  const master = ['master', song, '--out', path.join(dataDir, 'out'), '--data-dir', dataDir, '--platforms']
  expect(await sayThere(...master, 'nowhere')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/^"nowhere"은\(는\) 플랫폼이 아니에요/),
  })
  expect(await runCommand(...master, 'melon')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^실패: 곡이 1초보다 짧아요.*크레딧은 환불됐어요\.$/m),
    problem: expect.stringMatching(/실패\n$/),
  })
  expect(await runCommand(...master, 'nowhere', '--json')).toMatchObject({
    code: 1,
    out: expect.stringContaining('is not a platform'),
  })
  writeFileSync(path.join(dataDir, 'file'), '')
  expect(await say('serve', '--data-dir', path.join(dataDir, 'file'))).toEqual({
    code: 1,
    text: '데이터 폴더에 쓸 수 없어요. 쓰기 권한을 주거나 --data-dir로 다른 폴더를 고르세요.\n',
  })
})

test.each(['C', 'ko_KR.UTF-8'])(
  'with --json a mistake in the messages of a command is an error envelope in English too, in a terminal of %s',
  async (locale) => {
    vi.stubEnv('LC_ALL', locale)
    const json = runCommand
    const refusal = (message: string) => ({
      code: 1,
      out: `${JSON.stringify({ error: { code: 'INVALID_REQUEST', message } })}\n`,
      problem: '',
    })
    expect(await json('keys', 'create', '--json')).toMatchObject(refusal("missing required argument 'name'"))
    expect(await json('account', 'grant', '0', '--json')).toMatchObject(
      refusal("command-argument value '0' is invalid for argument 'credits'. The number of credits must be 1 or more."),
    )
    expect(await json('keys', 'lst', '--json')).toMatchObject(refusal("unknown command 'lst' (Did you mean list?)"))
    // Behind -- a word is no option.
    expect(await json('keys', 'list', '--', '--json')).toMatchObject({ code: 1, out: '' })
  },
  60_000,
)

test('without a running service a command starts it for itself and leaves nothing running', async () => {
  expect(await run('account', 'show')).toMatchObject({ plan: 'studio', credits: 500 })
  expect(existsSync(path.join(dataDir, owner))).toBe(false)
  expect(await run('account', 'show')).toMatchObject({ plan: 'studio', credits: 500 })
})

test.skipIf(process.platform === 'win32')(
  'the masters have the rights that the user gives his files, and the data are for him alone (Windows has no such rights)',
  async () => {
    const song = path.join(dataDir, 'song.wav')
    writeFileSync(song, wavSong({ seconds: 1 }))
    const out = path.join(dataDir, 'music', 'masters')
    const data = path.join(dataDir, 'data')
    const command = [CLI, 'master', song, '--platforms', 'melon', '--out', out, '--data-dir', data, '--json']
    const inShell = ['-c', 'umask 027; exec "$0" "$@"', process.execPath, ...command]
    const { stdout } = await promisify(execFile)('sh', inShell)
    const [master = ''] = JSON.parse(stdout).files as string[]
    const rights = (file: string) => (statSync(file).mode & 0o777).toString(8)
    expect([master, path.dirname(master), out, path.dirname(out)].map(rights)).toEqual(['640', '750', '750', '750'])
    expect(['', 'loudsmith.db', 'jobs'].map((name) => rights(path.join(data, name)))).toEqual(['700', '600', '700'])
  },
)

test('with a running service a command goes to it, and doctor says where it is; without one that there is none', async () => {
  const asJson = async () => JSON.parse((await sayThere('doctor', '--json')).text)
  expect(await asJson()).toMatchObject({ data_dir: dataDir, has_simd: true, base_url: null })
  expect((await sayThere('doctor')).text).toMatch(/^Service +not running$/m)
  const service = await startedService()
  await sayThere('account', 'grant', '5')
  expect((await service.get('/api/v1/account')).body).toMatchObject({ credits: 505 })
  expect(await asJson()).toMatchObject({ base_url: service.baseUrl })
})

test('doctor says which ffmpeg is used, and what to do where there is none', async () => {
  const row = async () => /^ffmpeg +(.+)$/m.exec((await sayThere('doctor')).text)?.[1]
  const { ffmpeg } = await run('doctor')
  expect(await row()).toBe(`${ffmpeg.version} (${ffmpeg.origin}) ${ffmpeg.path}`)
  vi.stubEnv('MASTER_FFMPEG_PATH', path.join(dataDir, 'nowhere'))
  expect(await row()).toMatch(/^none found: install ffmpeg/)
})

test('a command that a dying service may have begun is not repeated at another service, and a reading one is', async () => {
  const service = await startService({ dataDir })
  onTestFinished(() => service.stop())
  const dying = createServer((request) => request.socket.destroy()).listen(0, '127.0.0.1')
  await once(dying, 'listening')
  onTestFinished(() => void dying.close())
  const lost = { baseUrl: `http://127.0.0.1:${(dying.address() as AddressInfo).port}`, credential: 'lost' }
  const another = { baseUrl: service.baseUrl, credential: service.sessionCredential }
  const messages = terminalMessages({}, 'en')
  const client = createServiceClient(lost, messages, async () => another)
  await expect(client.call('grantCredits', { body: { amount: 5 } })).rejects.toThrow('stopped answering')
  const song = path.join(dataDir, 'large.wav')
  writeFileSync(song, wavOfSize(MAX_UPLOAD_BYTES + 8))
  const options = { platforms: 'spotify', out: path.join(dataDir, 'out'), fields: {} }
  const mastering = masterFile(
    client,
    { path: song, name: path.basename(song) },
    options,
    () => {},
    new AbortController().signal,
    messages,
  )
  await expect(mastering).rejects.toThrow('stopped answering')
  expect(await client.call('readAccount')).toMatchObject({ credits: 500 })
})

test('a key is shown once, alone on the last line, and works until it is revoked by what the list shows', async () => {
  const service = await startedService()
  const keys = async (...messages: string[]) => {
    const { code, text } = await sayThere('keys', ...messages)
    expect(code).toBe(0)
    return text.trimEnd().split('\n')
  }
  expect(await keys('list')).toEqual(['There are no keys.'])
  const key = (await keys('create', 'night script')).at(-1) ?? ''
  const use = async () => {
    const headers = { authorization: `Bearer ${key}` }
    return (await fetch(`${service.baseUrl}/api/v1/jobs`, { headers })).status
  }
  const listed = async () => (await keys('list')).map((line) => line.split(/ {2,}/))
  const [id = '', ...unused] = (await listed())[0] ?? []
  const shown = expect.toSatisfy((short: string) => short.length < 20 && short.endsWith(key.slice(-4)))
  expect(unused).toEqual(['active', 'all', shown, 'no expiry', 'never used', 'night script'])
  expect(await use()).toBe(200)
  expect(await listed()).toEqual([
    [id, 'active', 'all', shown, 'no expiry', expect.stringMatching(/^used 20\d\d-/), 'night script'],
  ])
  expect(await keys('revoke', id)).toEqual(['Key "night script" is revoked.'])
  expect(await use()).toBe(401)
  expect(await listed()).toEqual([[id, 'revoked', 'all', shown, 'no expiry', expect.anything(), 'night script']])
})

test('the plan and the credits that a command sets are those of the account, and each says what has become of it', async () => {
  const service = await startedService()
  const rows = async (...messages: string[]) => {
    const { text } = await sayThere('account', ...messages)
    return Object.fromEntries(text.split('\n').map((line) => line.split(/ {2,}/)))
  }
  const pro = {
    Plan: 'pro',
    'API keys': '0 of 5',
    Webhooks: '0 of 3',
    'Unfinished jobs': '0 of 5',
    Requests: '30 a minute',
  }
  expect(await rows('plan', 'pro')).toMatchObject(pro)
  const granted = await rows('grant', '7')
  expect(granted).toMatchObject({
    ...pro,
    Credits: expect.stringMatching(/^507 \(topped up to 100 on 20\d\d-\d\d-01\)$/),
  })
  expect((await service.get('/api/v1/account')).body).toMatchObject({ plan: 'pro', credits: 507 })
  expect(await rows('show')).toEqual(granted)
})

test('a master is made as its options say, and told with what was measured and what was written', async () => {
  const service = await startedService()
  const [song, reference] = [path.join(dataDir, 'song.wav'), path.join(dataDir, 'reference.wav')]
  writeFileSync(song, wavSong({ seconds: 1 }))
  writeFileSync(reference, wavSong({ seconds: 5, hertz: 440 }))
  const out = path.join(dataDir, 'out')
  const asked = {
    genre: 'edm',
    ai_service: 'suno',
    tier: 'premium',
    loudness: 'competitive',
    intensity: 30,
    reference_amount: 70,
    style: 'bright',
    tilt_db: -1.5,
    width_percent: 90,
    skip_repairs: ['clicks', 'mud'],
    target_lufs: -9.5,
    title: 'Night',
    artist: 'Ana',
  }
  const options = Object.entries(asked).flatMap(([name, value]) => [`--${name.replaceAll('_', '-')}`, String(value)])
  const messages = ['--platforms', 'melon,spotify', '--reference', reference, '--out', out, ...options]
  const { code, text } = await sayThere('master', song, ...messages)
  expect(code, text).toBe(0)
  const jobs: Job[] = (await service.get('/api/v1/jobs')).body.jobs
  expect(jobs).toMatchObject([
    {
      ...STYLES.bright,
      ...asked,
      filename: 'song.wav',
      reference_filename: 'reference.wav',
      platforms: ['melon', 'spotify'],
    },
  ])
  const lines = text.trimEnd().split('\n')
  for (const [i, result] of jobs[0]!.results.entries()) {
    const { integrated_lufs, platform, target_lufs, true_peak_dbtp, verdict } = result
    const end = verdict === 'on_target' ? 'on target' : `below its target of ${target_lufs} LUFS`
    expect(lines[i]?.split(/ {2,}/)).toEqual([
      platform,
      `${integrated_lufs.toFixed(2)} LUFS`,
      `${true_peak_dbtp.toFixed(2)} dBTP`,
      end,
    ])
  }
  const written = lines.slice(lines.indexOf(`Written to ${out}:`) + 1).map((line) => line.trim())
  const report = written.find((name) => name.endsWith('report.json'))!
  const { summary } = JSON.parse(readFileSync(path.join(out, report), 'utf8')) as Report
  expect(lines.filter((line) => line === summary?.en)).toHaveLength(1)
  expect(written.sort()).toEqual(
    readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(out, path.join(entry.parentPath, entry.name)))
      .sort(),
  )
  expect(written.filter((name) => name.endsWith('.wav'))).toHaveLength(2)

  const again = path.join(dataDir, 'again')
  const download = ['jobs', 'download', jobs[0]!.job_id, '--out', again]
  const unpacked = (await sayThere(...download)).text.trimEnd().split('\n')
  expect(unpacked.map((file) => path.relative(again, file)).sort()).toEqual(written)
})

test('a job is followed by waiting for its end, and one that has ended when its command is broken off is not deleted', async () => {
  const engine = createHeldEngine()
  const service = await startService({ forkEngine: engine.fork, dataDir })
  onTestFinished(() => service.stop())
  const song = path.join(dataDir, 'song.wav')
  writeFileSync(song, wavSong())
  const stop = new AbortController()
  const real = createServiceClient(
    { baseUrl: service.baseUrl, credential: service.sessionCredential },
    terminalMessages({}, 'en'),
  )
  const readings: unknown[] = []
  const client: typeof real = {
    ...real,
    async call(name, ...args) {
      if (name === 'readJob') readings.push(args[0])
      if (stop.signal.aborted) {
        engine.processes[0]?.finish()
        await service.ended((args[0] as { params: { job_id: string } }).params.job_id)
      }
      return await real.call(name, ...args)
    },
  }
  const breakOff = () => {
    if (engine.processes[0]?.order) setImmediate(() => stop.abort())
  }
  const options = { platforms: 'spotify', out: path.join(dataDir, 'out'), fields: {} }
  // The held engine's ZIP cannot be unpacked, which is not the question here.
  await masterFile(
    client,
    { path: song, name: path.basename(song) },
    options,
    breakOff,
    stop.signal,
    terminalMessages({}, 'en'),
  ).catch(() => undefined)
  expect((await service.get('/api/v1/jobs')).body.jobs).toMatchObject([{ status: 'done' }])
  expect(readings.length).toBeGreaterThan(1)
  for (const reading of readings) expect(reading).toMatchObject({ query: { wait: 1 } })
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

/** Starts `serve` below a shell, in a process group as a terminal has one, and resolves once it listens. */
async function serveInTerminal(...messages: string[]) {
  const command = `"${process.execPath}" "${CLI}" serve --port 0 --data-dir "${dataDir}" ${messages.join(' ')}; true`
  const shell = spawn('sh', ['-c', command], { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let log = ''
  shell.stderr.on('data', (text) => (log += String(text)))
  await new Promise((resolve) => shell.stdout.once('data', resolve))
  const { pid, port, controlToken } = JSON.parse(readFileSync(path.join(dataDir, owner), 'utf8'))
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')))
  const headers = { authorization: `Bearer ${controlToken}` }
  const call = async (address: string, init?: RequestInit) =>
    (await fetch(`http://127.0.0.1:${port}/api/v1${address}`, { ...init, headers })).json()
  return {
    pid,
    log: () => log,
    /** Sends a signal to all that runs in the terminal. */
    signal: (name: NodeJS.Signals) => process.kill(-(shell.pid ?? 0), name),
    call,
    /** Makes a job that takes a while and resolves with its identifier when an engine process has it. */
    async runningJob(): Promise<string> {
      const form = new FormData()
      form.append('platforms', 'melon')
      form.append('file', new Blob([new Uint8Array(wavSong({ seconds: 40 }))]), 'long.wav')
      const { job_id } = await call('/master', { method: 'POST', body: form })
      const stage = async () => (await call(`/jobs/${job_id}`)).stage
      await expect.poll(stage).toMatch(/analysing|rendering/)
      return job_id
    },
  }
}

test.runIf(process.platform === 'linux')(
  'a service that is to stay goes on with its job when the terminal is closed and its parent is gone (where /proc tells who lives)',
  async () => {
    const { call, log, pid, runningJob, signal } = await serveInTerminal('--stay')
    const jobId = await runningJob()
    signal('SIGHUP')
    const job = () => call(`/jobs/${jobId}`)
    await expect.poll(async () => (await job()).status).toBe('done')
    expect(log()).not.toContain('an engine process died')
    process.kill(pid, 'SIGTERM')
    await expect.poll(() => isAlive(pid)).toBe(false)
    expect(existsSync(path.join(dataDir, owner))).toBe(false)
  },
)

test.runIf(IS_CAMPAIGN && process.platform === 'linux')(
  'a signal that comes twice, as from a terminal and from npm, still stops the service in order (in npm run campaign, where /proc tells who lives)',
  async () => {
    const { pid, runningJob, signal } = await serveInTerminal()
    const jobId = await runningJob()
    signal('SIGINT')
    const again = () => isAlive(pid) && process.kill(pid, 'SIGINT')
    await expect.poll(again, { interval: 5 }).toBe(false)
    expect(existsSync(path.join(dataDir, owner))).toBe(false)
    const db = new Database(path.join(dataDir, 'loudsmith.db'), { readonly: true })
    onTestFinished(() => void db.close())
    // Given back: the start does not count.
    expect(db.prepare('SELECT state, starts FROM jobs WHERE job_id = ?').get(jobId)).toEqual({
      state: 'waiting',
      starts: 0,
    })
  },
)

test.each([
  ['en_US.UTF-8', 'en'],
  ['ko_KR.UTF-8', 'ko'],
] as const)('a service that cannot start says why in the messages of the window: %s', async (locale, language) => {
  vi.stubEnv('LC_ALL', locale)
  writeFileSync(path.join(dataDir, 'loudsmith.db'), 'this is not a database, it is a text of some length'.repeat(100))
  const sentence = startFailureText(
    new DatabaseError('corrupt', undefined, { file: path.join(dataDir, 'loudsmith.db') }),
    language,
  )
  for (const messages of language === 'en'
    ? [
        ['serve', '--port', '0'],
        ['account', 'show'],
      ]
    : [['account', 'show']]) {
    expect(await say(...messages, '--data-dir', dataDir)).toEqual({ code: 1, text: `${sentence}\n` })
  }
})

test('a command that cannot be run says what to do instead', async () => {
  const song = path.join(dataDir, 'song.wav')
  writeFileSync(song, wavSong())
  await startedService({ forkEngine: createHeldEngine().fork })
  const refused = async (...messages: string[]) => (await runCommand(...messages, '--data-dir', dataDir)).problem.trim()
  const master = (...messages: string[]) => refused('master', song, '--platforms', 'spotify', ...messages)
  expect(await master('--out', path.join(dataDir, 'out'), '--intensity', '200')).toMatch(
    / --intensity .*from 0 to 100\.$/,
  )
  expect(await master('--out', path.join(song, 'out'))).toBe(
    `${path.join(song, 'out')} is not writable. Choose another folder with --out.`,
  )
  const codeOf = async (...messages: string[]) => {
    const { out } = await runCommand(...messages, '--json', '--data-dir', dataDir)
    return JSON.parse(out).error.code
  }
  const wherever = ['--platforms', 'spotify', '--out']
  expect(await codeOf('master', path.join(dataDir, 'missing.wav'), ...wherever, dataDir)).toBe('INVALID_REQUEST')
  expect(await codeOf('master', song, ...wherever, path.join(song, 'out'))).toBe('INVALID_REQUEST')
  expect(await refused('account', 'show', '--data-dir', '')).toMatch(/^error: option '--data-dir <dir>'.*It is empty\./)
  expect(await refused('account', 'plan', 'gold')).toMatch(
    /^error: .*Allowed choices are free, .*\n\nRun the same command with --help/,
  )
  expect(await refused('keys', 'revoke', 'nobody')).toBe('There is no key nobody. See its identifier in "keys list".')
})

test('a song that is too large to be sent with its job is stored for it alone, and does not wait in the batch', async () => {
  const engine = createHeldEngine({ isAutomatic: true })
  const service = await startService({ forkEngine: engine.fork, dataDir })
  onTestFinished(() => service.stop())
  const song = path.join(dataDir, 'large.wav')
  writeFileSync(song, wavOfSize(MAX_UPLOAD_BYTES + 8))
  const messages = terminalMessages({}, 'en')
  const client = createServiceClient({ baseUrl: service.baseUrl, credential: service.sessionCredential }, messages)
  const options = { platforms: 'spotify', out: path.join(dataDir, 'out'), fields: {} }
  // The held engine's ZIP cannot be unpacked, which is not the question here.
  await masterFile(
    client,
    { path: song, name: path.basename(song) },
    options,
    () => {},
    new AbortController().signal,
    messages,
  ).catch(() => undefined)
  expect((await service.get('/api/v1/jobs')).body.jobs).toMatchObject([{ status: 'done', filename: 'large.wav' }])
  expect((await service.get('/app/desk')).body.songs).toEqual([])
})

test.runIf(IS_CAMPAIGN)(
  'a song and a reference that are too large to be sent with the job (in npm run campaign) are refused as what they are',
  async () => {
    const long = path.join(dataDir, 'long.wav')
    writeFileSync(long, wavSong({ seconds: 601, sampleRateHz: 22_050 }))
    const song = path.join(dataDir, 'song.wav')
    writeFileSync(song, wavSong())
    await startedService({ forkEngine: createHeldEngine().fork })
    const refused = async (...files: string[]) => {
      const messages = ['master', ...files, '--platforms', 'spotify', '--out', dataDir, '--data-dir', dataDir, '--json']
      return JSON.parse((await runCommand(...messages)).out).error
    }
    const tooLong = { code: 'FILE_TOO_LONG', param: 'file', message: expect.stringMatching(/^The file is 10:01 long/) }
    expect(await refused(long)).toMatchObject(tooLong)
    expect(await refused(song, '--reference', long)).toMatchObject({
      code: 'FILE_TOO_LONG',
      param: 'reference_file',
      message: expect.stringMatching(/^The reference is 10:01 long/),
    })
  },
)

test.runIf(existsSync('/proc/self'))(
  'an output folder that cannot be made is refused at once, even where Node would try for ever (in /proc, so on Linux only)',
  async () => {
    const song = path.join(dataDir, 'song.wav')
    writeFileSync(song, wavSong())
    const messages = ['master', song, '--platforms', 'spotify', '--out', '/proc/masters', '--data-dir', dataDir]
    const command = promisify(execFile)(process.execPath, [CLI, ...messages], {
      timeout: 600_000,
      killSignal: 'SIGKILL',
    })
    await expect(command).rejects.toMatchObject({
      code: 1,
      stderr: '/proc/masters is not writable. Choose another folder with --out.\n',
    })
  },
)

test.skipIf(process.platform === 'win32')(
  'a command whose reader has seen enough ends quietly, and one whose outcome is lost says so (by pipes of bash, so not on Windows)',
  async () => {
    await startedService()
    const shell = (line: string) =>
      promisify(execFile)('bash', [
        '-c',
        `set -o pipefail; "$0" "$@" ${line}`,
        process.execPath,
        CLI,
        'account',
        'show',
        '--data-dir',
        dataDir,
      ])
    expect(await shell('| true')).toEqual({ stdout: '', stderr: '' })
    if (existsSync('/dev/full')) {
      await expect(shell('> /dev/full')).rejects.toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^The output could not be written: .*\n$/),
      })
    }
  },
)

test('the service goes on when nobody reads what it says any more', async () => {
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--data-dir', dataDir])
  onTestFinished(() => void child.kill('SIGKILL'))
  const said = await new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text))))
  child.stdout.destroy()
  child.stderr.destroy()
  const url = /http:\/\/\S+/.exec(said)?.[0] ?? ''
  const { controlToken } = JSON.parse(readFileSync(path.join(dataDir, owner), 'utf8'))
  // It says something about each of these: the log has a line for a job that fails.
  const form = new FormData()
  form.append('platforms', 'melon')
  form.append('file', new Blob([new Uint8Array(wavSong({ seconds: 0.5 }))]), 'short.wav')
  const headers = { authorization: `Bearer ${controlToken}` }
  const { job_id } = await (await fetch(`${url}/api/v1/master`, { method: 'POST', headers, body: form })).json()
  const status = async () => (await (await fetch(`${url}/api/v1/jobs/${job_id}`, { headers })).json()).status
  await expect.poll(status).toBe('failed')
  expect(await status()).toBe('failed')
  expect(child.exitCode).toBe(null)
})

test('a note on one master says which it is of', async () => {
  const song = path.join(dataDir, 'song.wav')
  const bytes = wavSong({ seconds: 3 })
  // Knocks in a whisper: bringing it to the target would cost too much.
  for (let at = 44; at < bytes.length; at += 2) {
    const frame = ((at - 44) >> 2) % 4000
    const knock = frame < 200 ? 28_000 * Math.exp(-frame / 40) * Math.sin(frame * 0.5) : 0
    bytes.writeInt16LE(Math.round(bytes.readInt16LE(at) / 400 + knock), at)
  }
  writeFileSync(song, bytes)
  await startedService()
  const words = ['master', song, '--platforms', 'spotify,melon', '--out', path.join(dataDir, 'out')]
  const { text } = await sayThere(...words)
  const notes = text.split('\n').filter((line) => line.includes('The master is'))
  expect(notes).toEqual([
    expect.stringMatching(/^Note: spotify: The master is [\d.]+ LU below/),
    expect.stringMatching(/^Note: melon: The master is [\d.]+ LU below/),
  ])
})

test('a command whose service goes away in the middle goes on with its song by itself, and can be broken off', async () => {
  const server = await spawnServer(dataDir)
  const song = path.join(dataDir, 'song.wav')
  writeFileSync(song, wavSong({ seconds: 300 }))
  const messages = ['master', song, '--platforms', 'spotify', '--out', path.join(dataDir, 'out'), '--data-dir', dataDir]
  const begin = async () => {
    const command = spawn(process.execPath, [CLI, ...messages])
    onTestFinished(() => void command.kill('SIGKILL'))
    const said = { text: '' }
    for (const stream of [command.stdout, command.stderr]) stream.on('data', (text) => (said.text += String(text)))
    const ended = new Promise((resolve) => command.once('close', resolve))
    await expect.poll(() => said.text).toMatch(/waiting|decoding|analysing|rendering/)
    return { command, said, ended }
  }
  const first = await begin()
  await server.end('SIGKILL')
  expect(await first.ended).toBe(0)
  expect(first.said.text).toContain('song_master')
  expect(await run('account', 'show')).toMatchObject({ credits: 499 })
  const second = await begin()
  second.command.kill('SIGINT')
  expect(await second.ended).toBe(130)
  expect(second.said.text).toMatch(/^Cancelled\. The credit was refunded\.$/m)
})

test.runIf(IS_CAMPAIGN)(
  'commands that run side by side share the service of the first, and go on when it ends',
  async () => {
    const master = async (seconds: number) => {
      const song = path.join(dataDir, `song-${seconds}.wav`)
      writeFileSync(song, wavSong({ seconds }))
      const { job, files } = await run('master', song, '--platforms', 'spotify', '--out', path.join(dataDir, 'out'))
      return [job.status, files.length > 0]
    }
    expect(await Promise.all([1, 4, 8].map(master))).toEqual(Array(3).fill(['done', true]))
    expect(existsSync(path.join(dataDir, owner))).toBe(false)
  },
)
