import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'

const root = path.join(import.meta.dirname, '../..')
const folder = 'src-contract/platforms/'

test('every platform has its file and stands in the list once', () => {
  const files = globSync(`${folder}*.ts`, { cwd: root }).map((file) => path.basename(file, '.ts'))
  const named = files.filter((name) => name !== 'index' && name !== 'platform')
  expect([...PLATFORMS].sort()).toEqual(named.sort())
})

test('no source file outside the folder of the platforms compares or switches on a platform', () => {
  const names = PLATFORMS.join('|')
  const literal = new RegExp(`(['"\`])(?:${names})\\1|\\b(?:${names}):`)
  const files = globSync(['src-*/**/*.{ts,tsx}', 'scripts/*.ts'], { cwd: root }).map((file) =>
    file.split(path.sep).join('/'),
  )
  const naming = files.filter(
    (file) => !file.startsWith(folder) && literal.test(readFileSync(path.join(root, file), 'utf8')),
  )
  expect(files.length).toBeGreaterThan(100)
  expect(naming).toEqual([])
})
