/** The command line as it is handed on: packed, unpacked beside the packages that it names and no others, and called. */
import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { buildCli } from '../../scripts/build-cli.ts'
import { filesBelow, nodeOf, pack } from '../support/packed.ts'
import { wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = path.join(import.meta.dirname, '../..')
const folder = temporaryFolder()
const unpacked = path.join(folder, 'package')
const program = path.join(unpacked, 'bin/loudsmith.cjs')
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const isBuilt = existsSync(path.join(root, 'dist/main/cli.js'))

beforeAll(() => {
  if (!isBuilt) return
  buildCli(path.join(folder, 'source'))
  const tarball = pack(path.join(folder, 'source'), folder)
  execFileSync('tar', ['-xzf', path.basename(tarball)], { cwd: folder })
  const { dependencies } = read(path.join(unpacked, 'package.json'))
  for (const name of Object.keys(dependencies)) {
    const place = path.join(unpacked, 'node_modules', name)
    mkdirSync(path.dirname(place), { recursive: true })
    symlinkSync(path.join(root, 'node_modules', name), place, 'junction')
  }
})

/** Calls the packed program as a shell does, in a folder of its own. */
const call = (node: string, words: readonly string[], environment: Record<string, string> = {}) =>
  promisify(execFile)(node, [program, ...words], {
    cwd: folder,
    env: { ...process.env, LC_ALL: 'C', INIT_CWD: '', ...environment },
  }).then(
    ({ stdout }) => ({ code: 0, out: stdout, problem: '' }),
    ({ code, stdout, stderr }) => ({ code, out: stdout, problem: stderr }),
  )

test.skipIf(!isBuilt)(
  'the packed command line masters a song with nothing but the packages that it names (skipped before `npm run build`)',
  async () => {
    writeFileSync(path.join(folder, 'song.wav'), wavSong())
    const data = path.join(folder, 'data')
    const mastered = await call(process.execPath, ['master', 'song.wav', '--data-dir', data])
    expect([mastered.problem, mastered.code]).toEqual([expect.not.stringContaining('rror'), 0])
    const [job = ''] = readdirSync(path.join(folder, 'masters'))
    const masters = readdirSync(path.join(folder, 'masters', job)).filter((name) => name.endsWith('.wav'))
    expect(masters.sort()).toEqual(
      ['apple_music', 'melon', 'soundcloud', 'spotify', 'youtube'].map((name) => `song_${name}.wav`),
    )
  },
)

test.skipIf(!isBuilt)(
  'it holds the service, its page and its migrations, and nothing of the desktop shell or of the sources',
  () => {
    const files = filesBelow(unpacked).filter((file) => !file.startsWith('node_modules/'))
    for (const file of [
      'README.md',
      'bin/loudsmith.cjs',
      'dist/main/worker.js',
      'dist/main/render-thread.js',
      'dist/renderer/index.html',
      'dist/main/third-party-licences.txt',
      'dist/renderer/third-party-licences.txt',
    ])
      expect(files).toContain(file)
    const migrations = readdirSync(path.join(root, 'src-server/db/migrations')).map(
      (name) => `dist/main/migrations/${name}`,
    )
    expect(files).toEqual(expect.arrayContaining(migrations))
    expect(files.filter((file) => /(^|\/)(main\.js|preload\.cjs)$|\.ts$|\.map$/.test(file))).toEqual([])
    const { version, engines } = read(path.join(root, 'package.json'))
    expect(read(path.join(unpacked, 'package.json'))).toMatchObject({ version, engines })
  },
)

test.skipIf(!isBuilt)('its version is that of the application', async () => {
  const { version } = read(path.join(root, 'package.json'))
  expect(await call(process.execPath, ['--version'])).toMatchObject({ code: 0, out: `${version}\n` })
})

const node20 = nodeOf(20)
test.skipIf(!node20)(
  'an older Node gets one sentence, in English or Korean, and the exit code 1 (skipped where Node 20 is not installed)',
  async () => {
    const place = path.join(folder, 'old')
    cpSync(path.join(root, 'packages/cli/bin'), path.join(place, 'bin'), { recursive: true })
    cpSync(path.join(root, 'package.json'), path.join(place, 'package.json'))
    mkdirSync(path.join(place, 'dist/main'), { recursive: true })
    const launcher = readFileSync(path.join(root, 'src-cli/launcher.ts'), 'utf8')
    writeFileSync(path.join(place, 'dist/main/cli.js'), stripTypeScriptTypes(launcher))
    const oldest = read(path.join(root, 'package.json')).engines.node.replace('>=', '')
    const say = (LC_ALL: string) =>
      promisify(execFile)(node20 ?? '', [path.join(place, 'bin/loudsmith.cjs'), 'master', 'song.wav'], {
        env: { LC_ALL },
      }).catch(({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }))
    expect(await say('C')).toMatchObject({
      ...{
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(`^Loudsmith needs Node ${oldest} or newer, and this is 20\\.\\S+\\. [^\\n]+\n$`),
      },
    })
    expect(await say('ko_KR.UTF-8')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`^Loudsmith에는 Node ${oldest} 이상이 [^\\n]+\n$`),
    })
  },
)
