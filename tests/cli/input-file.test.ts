/** Songs given to a command: files, pipes and standard input are read; anything else is refused by name. */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { withInputs } from '../../src-cli/input-file.ts'
import { terminalMessages } from '../../src-cli/messages.ts'
import { CLI } from '../support/built.ts'
import { createHeldEngine } from '../support/held-engine.ts'
import { type Service, startService } from '../support/service.ts'
import { wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const en = terminalMessages({}, 'en')
const ko = terminalMessages({}, 'ko')
const signal = new AbortController().signal

const folder = temporaryFolder()

const at = (name: string) => path.join(folder, name)
const refusal = (file: string, messages = en) =>
  withInputs([{ path: file }], { messages, signal }, async () => 'taken').catch((error: Error) => error.message)

describe.runIf(process.platform !== 'win32')('a song named on the command line', () => {
  test('is refused as what it is: nothing, a folder, a dangling link, a device, a socket', async () => {
    mkdirSync(at('album'))
    symlinkSync('gone.wav', at('link.wav'))
    const server = createServer().listen(at('socket'))
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    for (const [file, sentence, korean] of [
      [at('nothing.wav'), /^There is no file /, /파일이 없어요/],
      [path.join(at('link.wav'), 'x.wav'), /^There is no file /, /파일이 없어요/],
      [at('album'), /is a folder\. Name one song in it/, /폴더예요/],
      [at('link.wav'), /is a link to gone\.wav, which does not exist/, /gone\.wav.*링크/],
      ['/dev/null', /is a device, not a song/, /장치예요/],
      [at('socket'), /is a socket, not a song/, /소켓이에요/],
    ] as const) {
      expect(await refusal(file)).toMatch(sentence)
      expect(await refusal(file, ko)).toMatch(korean)
    }
  })

  test('that may not be read is refused with its cause (not as root, who may read everything)', async (context) => {
    writeFileSync(at('private.wav'), 'x')
    chmodSync(at('private.wav'), 0)
    if (process.getuid?.() === 0) return context.skip()
    expect(await refusal(at('private.wav'))).toMatch(/No permission to read/)
    expect(await refusal(at('private.wav'), ko)).toMatch(/읽을 권한이 없어요/)
  })

  test('may be a named pipe: it is read once, into a folder that others cannot enter and that is gone afterwards', async () => {
    execFileSync('mkfifo', [at('pipe.wav')])
    const bytes = wavSong()
    const writing = spawn('sh', ['-c', 'cat >"$0"', at('pipe.wav')], { stdio: ['pipe', 'ignore', 'ignore'] })
    writing.stdin.end(bytes)
    const seen = await withInputs([{ path: at('pipe.wav') }], { messages: en, signal }, async ([input]) => {
      const file = input?.path ?? ''
      const rights = [file, path.dirname(file)].map((one) => statSync(one).mode & 0o077)
      return { file, rights, name: input?.name, read: readFileSync(file).equals(Buffer.from(bytes)) }
    })
    expect(seen).toMatchObject({ rights: [0, 0], name: 'pipe.wav', read: true })
    expect(() => statSync(path.dirname(seen.file))).toThrow('ENOENT')
  })

  describe('as a named pipe', () => {
    const spooled = () => readdirSync(tmpdir()).filter((name) => name.startsWith('loudsmith-input-'))
    const bytesIn = (folders: readonly string[]) =>
      folders.flatMap((name) =>
        readdirSync(path.join(tmpdir(), name)).map((file) => statSync(path.join(tmpdir(), name, file)).size),
      )

    test.for([
      ['that nobody writes to yet', ':', []],
      ['whose writer says nothing for long', 'exec >"$0"; echo RIFF', [5]],
    ] as const)('%s can be broken off, and leaves nothing behind', async ([, write, sizes]) => {
      const pipe = at(`silent-${sizes.length}.wav`)
      execFileSync('mkfifo', [pipe])
      const writing = spawn('sh', ['-c', `${write}; exec tail -f /dev/null`, pipe], { stdio: 'ignore' })
      onTestFinished(() => void writing.kill('SIGKILL'))
      const before = spooled()
      const made = () => spooled().filter((name) => !before.includes(name))
      const stop = new AbortController()
      const reading = withInputs([{ path: pipe }], { messages: en, signal: stop.signal }, async () => 1)
      const outcome = expect(reading).rejects.toThrow()
      await expect.poll(made).toHaveLength(1)
      await expect.poll(() => bytesIn(made()).filter((size) => size > 0)).toEqual(sizes)
      stop.abort()
      await outcome
      expect(made()).toEqual([])
    })
  })

  test('is asked for once on standard input', async () => {
    const twice = withInputs([{ path: '-' }, { path: '-' }], { messages: en, signal }, async () => 1)
    await expect(twice).rejects.toThrow('Standard input can hold only one song')
  })

  describe('as -', () => {
    let service: Service
    const engine = createHeldEngine()
    beforeAll(async () => {
      service = await startService({ forkEngine: engine.fork })
    })
    afterAll(() => service.stop())

    test('is read from standard input and takes its name from --title', async () => {
      const messages = ['master', '-', '--platforms', 'spotify', '--out', at('out'), '--title', '밤기차', '--json']
      const command = spawn(process.execPath, [CLI, ...messages, '--data-dir', service.dataDir])
      command.stdin.end(wavSong())
      onTestFinished(() => void command.kill('SIGKILL'))
      const output = text(command.stdout)
      const jobs = async () => (await service.get('/api/v1/jobs')).body.jobs
      await expect.poll(jobs).toMatchObject([{ filename: '밤기차', title: '밤기차' }])
      command.kill('SIGTERM')
      expect(JSON.parse(await output).job.failure_code).toBe('CANCELLED')
    })

    test('that holds nothing is refused as a file that is empty would be', async () => {
      const messages = [
        'master',
        '-',
        '--platforms',
        'spotify',
        '--out',
        at('out'),
        '--json',
        '--data-dir',
        service.dataDir,
      ]
      const run = promisify(execFile)(process.execPath, [CLI, ...messages])
      run.child.stdin?.end()
      const { stdout } = await run.catch((error: { stdout: string }) => error)
      expect(JSON.parse(stdout).error.code).toMatch(/^(UNSUPPORTED_FORMAT|INVALID_REQUEST)$/)
    })
  })
})
