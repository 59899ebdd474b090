/** Shell completion and the manual page, both made from the tree of commands. */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { manual } from '../../scripts/build-cli.ts'
import { allCommands, factsOf } from '../../src-cli/command-tree.ts'
import { loudsmithProgram } from '../../src-cli/commands.ts'
import { completionScript, SHELLS } from '../../src-cli/completion.ts'
import { EXIT_CODES } from '../../src-cli/exit-codes.ts'
import { terminalMessages } from '../../src-cli/messages.ts'
import { hasProgram } from '../support/programs.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const folder = temporaryFolder()

const program = factsOf(loudsmithProgram('~/data', terminalMessages({}, 'en'), false))
const commands = allCommands(program).slice(1)

/** Bash's suggestions for the last word of a command line. */
function offered(line: readonly string[]): string[] {
  const script = path.join(folder, 'bash')
  writeFileSync(script, completionScript('bash', program))
  const words = line.map((word) => `'${word}'`).join(' ')
  const call = `source '${script}'; COMP_WORDS=(${words}); COMP_CWORD=${line.length - 1}; _loudsmith; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', call], { encoding: 'utf8' }).split('\n').filter(Boolean)
}

test.skipIf(!hasProgram('bash'))(
  'bash completes commands, options and their values, and leaves files to itself',
  () => {
    expect(offered(['loudsmith', 'jo'])).toEqual(['jobs'])
    expect(offered(['loudsmith', ''])).toEqual(
      expect.arrayContaining(program.commands.map(({ words }) => words.slice(10))),
    )
    expect(offered(['loudsmith', 'jobs', 'li'])).toEqual(['list', 'link', 'links'])
    expect(offered(['loudsmith', 'jobs', 'list', '--st'])).toEqual(['--status'])
    expect(offered(['loudsmith', 'jobs', 'list', '--status', ''])).toEqual(['queued', 'done', 'failed'])
    expect(offered(['loudsmith', 'analyze', '--js'])).toEqual(['--json'])
    expect(offered(['loudsmith', 'master', 'song.wav', '--out', ''])).toEqual([])
    expect(offered(['loudsmith', 'master', 'song.wav', '--platforms', 'sp'])).toEqual(['spotify'])
    expect(offered(['loudsmith', 'batch', 'songs', '--genre', 'ed'])).toEqual(['edm'])
    expect(offered(['loudsmith', 'completion', 'z'])).toEqual(['zsh'])
  },
)

test.each(SHELLS)(
  'the script for %s knows every command and option, and that shell can read it (where it is installed)',
  (shell) => {
    const script = completionScript(shell, program)
    for (const { words, aliases, options } of commands) {
      for (const name of [words.slice(words.lastIndexOf(' ') + 1), ...aliases]) expect(script).toContain(name)
      for (const { long } of options) expect(script).toContain(shell === 'fish' ? `-l ${long.slice(2)}` : long)
    }
    const file = path.join(folder, `script.${shell}`)
    writeFileSync(file, script)
    if (hasProgram(shell)) execFileSync(shell, ['-n', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  },
)

test('the manual page names every command with its options, and every exit code; so does docs/cli.md with the codes', () => {
  const page = manual().replaceAll('\\-', '-').replaceAll('\\(dq', '"')
  for (const { words, options } of commands) {
    const [, section = ''] = page.split(`.SS "${words} `)
    expect(section, words).not.toBe('')
    for (const { flags } of options) expect(section.split('\n.SS ')[0], words).toContain(`.B ${flags}\n`)
  }
  const docs = readFileSync(path.join(import.meta.dirname, '../../docs/cli.md'), 'utf8')
  for (const [code, meaning] of EXIT_CODES) {
    expect(page).toContain(`.B ${code}\n${meaning}\n`)
    expect(docs).toContain(`| ${code} | ${meaning} |`)
  }
})

test.skipIf(!hasProgram('man'))('man can set the page without a warning (skipped where it is not installed)', () => {
  const file = path.join(folder, 'loudsmith.1')
  writeFileSync(file, manual())
  const set = execFileSync('man', ['--warnings', '-l', file], {
    encoding: 'utf8',
    env: { ...process.env, MANPAGER: 'cat', MANWIDTH: '80' },
  })
  expect(set).toContain('EXIT STATUS')
})
