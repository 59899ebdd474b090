/** `--json`, which every command takes but those whose output is for programs anyway. */
import { execFile, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { allCommands, factsOf } from '../../src-cli/command-tree.ts'
import { loudsmithProgram } from '../../src-cli/commands.ts'
import { terminalMessages } from '../../src-cli/messages.ts'
import { CLI } from '../support/built.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

test('every command that is called by itself takes --json, but mcp and completion', () => {
  const program = factsOf(loudsmithProgram('~/data', terminalMessages({}, 'en'), false))
  const without = allCommands(program)
    .filter(({ commands, options }) => commands.length === 0 && !options.some(({ long }) => long === '--json'))
    .map(({ words }) => words)
  expect(without).toEqual(['loudsmith mcp', 'loudsmith completion'])
})

test('serve --json tells its address in one line, and what keeps it or a machine from starting in an envelope', async () => {
  const service = spawn(process.execPath, [
    CLI,
    'serve',
    '--json',
    '--port',
    '0',
    '--data-dir',
    path.join(folder, 'data'),
  ])
  onTestFinished(() => void service.kill())
  const lines = createInterface({ input: service.stdout })[Symbol.asyncIterator]()
  const { base_url } = JSON.parse((await lines.next()).value ?? '')
  expect(await (await fetch(`${base_url}/healthz`)).json()).toMatchObject({ status: 'ok' })
  service.kill('SIGTERM')
  expect(await lines.next()).toMatchObject({ done: true })
  writeFileSync(path.join(folder, 'file'), '')
  for (const words of [
    ['serve', '--data-dir', path.join(folder, 'file')],
    ['worker', '--queue', 'nowhere', '--blobs', folder],
  ]) {
    const failed = await promisify(execFile)(process.execPath, [CLI, ...words, '--json']).catch((error) => error)
    expect([failed.code, JSON.parse(failed.stdout)]).toEqual([
      1,
      { error: expect.objectContaining({ code: expect.any(String) }) },
    ])
  }
})
