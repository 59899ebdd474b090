/** The commands of README, docs, examples and packages: those in blocks are run as they stand, those in sentences exist. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { allCommands, factsOf } from '../../src-cli/command-tree.ts'
import { loudsmithProgram } from '../../src-cli/commands.ts'
import { terminalMessages } from '../../src-cli/messages.ts'
import { DEFAULT_PORT } from '../../src-contract/limits.ts'
import { CLI } from '../support/built.ts'
import { hasProgram } from '../support/programs.ts'
import { type Service, startService } from '../support/service.ts'
import { wavSong } from '../support/songs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const root = path.join(import.meta.dirname, '../..')
const PAGES = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'examples/README.md'],
  ...globSync('{docs/**,packages/*}/*.md', { cwd: root, exclude: (name) => name.includes('node_modules') }),
].map((page) => page.split(path.sep).join('/'))
const read = (page: string) => readFileSync(path.join(root, page), 'utf8')

interface Block {
  readonly page: string
  readonly lines: readonly string[]
}

const BLOCKS: Block[] = PAGES.flatMap((page) =>
  [...read(page).matchAll(/^ *```(?:sh|bash)\n([\s\S]*?)^ *```/gm)].map(([, text = '']) => ({
    page,
    lines: text.trimEnd().replaceAll('\\\n', '').split('\n'),
  })),
)

/** Beginnings of lines that are not run here, each with its reason. */
const NOT_RUN: readonly (readonly [beginning: string, reason: string])[] = [
  [
    'curl -H "Authorization: Bearer $LOUDSMITH_API_KEY" -F',
    'tests/server/sources sends stems, for which the IDs of answers are needed',
  ],
  ['npm install', 'it installs, which tests/packages does from the tarballs'],
  ['npm start', 'it opens a window'],
  ['npm run check', 'it is what runs this test'],
  ['npm run build', 'it needs minutes, and is the step before the tests of what is built'],
  ['node scripts/stage-ffmpeg.ts mac', 'it downloads'],
  ['npx electron-builder', 'it makes installers'],
  ['loudsmith serve', 'it is the service that the other commands are run against'],
  ['export LOUDSMITH_', 'it has no key in it; tests/examples/examples.test.ts sets both'],
  ['NODES_EXCLUDE=', 'it starts n8n'],
  ['source <(loudsmith completion zsh)', 'tests/cli/completion.test.ts lets each shell read its script'],
  ['loudsmith completion fish', 'tests/cli/completion.test.ts lets each shell read its script'],
]
const reasonFor = (line: string) => NOT_RUN.find(([beginning]) => line.trim().startsWith(beginning))
const run = BLOCKS.map(({ page, lines }) => ({ page, lines: lines.filter((line) => !reasonFor(line)) })).filter(
  ({ lines }) => lines.length > 0,
)

const isPossible = process.platform !== 'win32' && ['bash', 'curl', 'unzip'].every(hasProgram)
const home = temporaryFolder()
const project = path.join(home, 'project')
let service: Service

beforeAll(async () => {
  if (!isPossible) return
  // The project as a user has it, with songs in it and nothing of this one's own data.
  mkdirSync(path.join(home, 'bin'))
  mkdirSync(project)
  for (const name of readdirSync(root).filter((one) => /^(src-.*|scripts|examples|node_modules|dist)$/.test(one)))
    symlinkSync(path.join(root, name), path.join(project, name))
  cpSync(path.join(root, 'package.json'), path.join(project, 'package.json'))
  const program = `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`
  writeFileSync(path.join(home, 'bin/loudsmith'), program, { mode: 0o755 })
  for (const name of ['song.wav', 'song.flac']) writeFileSync(path.join(project, name), wavSong())
  service = await startService({ dataDir: path.join(home, '.config/Loudsmith/data') })
})
afterAll(() => service?.stop())

for (const { page, lines } of run)
  test.skipIf(!isPossible)(
    `the commands of ${page} that begin with “${lines[0]?.slice(0, 40).trim()}” do what they say (skipped without bash, curl or unzip)`,
    async () => {
      // The port alone is another, so that a running Loudsmith is left alone.
      const script = lines.join('\n').replaceAll(String(DEFAULT_PORT), new URL(service.baseUrl).port)
      const { PATH = '' } = process.env
      const env = { HOME: home, PATH: `${path.join(home, 'bin')}:${PATH}`, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' }
      const ended = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], {
        cwd: project,
        env,
      }).then(
        ({ stdout }) => ({ code: 0, said: stdout }),
        ({ code, stdout, stderr }) => ({ code, said: `${stdout}${stderr}` }),
      )
      expect(ended).toEqual({ code: 0, said: expect.anything() })
    },
  )

test.skipIf(!isPossible)('after them there are masters of every kind: in a folder and in a ZIP', () => {
  expect(readdirSync(path.join(project, 'masters')).length).toBeGreaterThan(0)
  expect(existsSync(path.join(project, 'masters.zip'))).toBe(true)
})

test('every line of a block that is not run is one that a reason is given for, and each reason is still needed', () => {
  const all = BLOCKS.flatMap(({ lines }) => lines)
  expect(NOT_RUN.filter(([beginning]) => !all.some((line) => line.trim().startsWith(beginning)))).toEqual([])
  expect(run.map(({ page }) => page)).toEqual(
    expect.arrayContaining(['README.md', 'docs/cli.md', 'packages/cli/README.md']),
  )
})

test('every command that a sentence or a table names exists, with its options', () => {
  const commands = allCommands(factsOf(loudsmithProgram('~/data', terminalMessages({}, 'en'), false)))
  const named = PAGES.flatMap((page) =>
    [...read(page).matchAll(/`(?:npm run (?:-s )?cli -- |loudsmith )([^`]*)`((?: · `[^`]*`)*)/g)].flatMap(
      ([, first = '', others = '']) =>
        [first, ...[...others.matchAll(/`([^`]*)`/g)].map(([, text = '']) => text)].map((text) => ({ page, text })),
    ),
  ).filter(({ text }) => /^[a-z]/.test(text))
  expect(named.length).toBeGreaterThan(40)
  const wrong = named.filter(({ text }) => {
    const words = text.split(/\s+/)
    const found = commands
      .filter((command) =>
        [command.words, ...command.aliases.map((alias) => `loudsmith ${alias}`)].some((at) =>
          `loudsmith ${text} `.startsWith(`${at} `),
        ),
      )
      .at(-1)
    // A group is not called by itself, except for its help.
    if (!found || found.words === 'loudsmith') return true
    const isGroup = found.commands.length > 0
    if (isGroup && /^[a-z]/.test(`loudsmith ${text}`.slice(found.words.length + 1))) return true
    const known = found.options.map(({ long }) => long)
    return words
      .filter((word) => /^\W?--[a-z]/.test(word))
      .some((word) => !known.includes(word.replace(/^\W?(--[a-z-]+).*/, '$1')) && word !== '--help')
  })
  expect(wrong).toEqual([])
})
