import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

test('a comment of the source begins with the name of a thing or a verb, never with a question word', () => {
  const opening = /(?:\/\*\*\s*(?:\n\s*\*)?|\/\/)\s*(?:What|Who|Where|Whether|Why|How)\b[^\n]*/g
  const files = globSync('{src-*,packages/*/src,bench,scripts,tests,e2e}/**/*.{ts,tsx}', { cwd: root })
  const found = files.flatMap((file) => readFileSync(path.join(root, file), 'utf8').match(opening) ?? [])
  expect(found).toEqual([])
})

test('no sentence that the page shows sends its reader to the documentation of the API', () => {
  const files = globSync('{src-contract/text,src-contract/stages,src-renderer/text}/**/*.ts', { cwd: root })
  const found = files.flatMap((file) => readFileSync(path.join(root, file), 'utf8').match(/^.*\/docs.*$/gm) ?? [])
  // The page has a sentence of its own for NOT_FOUND.
  expect(found.map((line) => line.trim())).toEqual([
    expect.stringContaining('Nothing exists at this address.'),
    expect.stringContaining('없는 주소예요.'),
  ])
})
