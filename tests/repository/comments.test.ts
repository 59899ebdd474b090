import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

test('a comment of the engine begins with the name of a thing or a verb, never with a question word', () => {
  const opening = /(?:\/\*\*\s*(?:\n\s*\*)?|\/\/)\s*(?:What|Who|Where|Whether|Why|How)\b[^\n]*/g
  const files = globSync('{src-engine,tests/engine,src-contract/stages}/**/*.ts', { cwd: root })
  const found = files.flatMap((file) => readFileSync(path.join(root, file), 'utf8').match(opening) ?? [])
  expect(found).toEqual([])
})
