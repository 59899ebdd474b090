import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { RepairKind } from '../../src-contract/repair-kinds.ts'
import { SETTING_NAMES } from '../../src-contract/settings.ts'
import { chain } from '../../src-engine/stages/index.ts'

const root = path.join(import.meta.dirname, '../..')

/** Words that name a repair as well: a report says which repair was made, and the page shows it. */
const REPAIRS: readonly RepairKind[] = ['mono_bass']

test('nothing outside the folders of the stages decides by the kind of a stage', () => {
  // A stage that does what one setting says has its name.
  const others: readonly string[] = [...REPAIRS, ...SETTING_NAMES]
  const kinds = chain.map(({ kind }) => kind).filter((kind) => !others.includes(kind))
  const decision = new RegExp(
    `(?:case|[!=]==|includes\\()\\s*'(?:${kinds.join('|')})'|'(?:${kinds.join('|')})'\\s*[!=]==`,
  )
  const isStages = (file: string) => /^src-(engine|contract)\/stages\//.test(file)
  const files = globSync('src-*/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !isStages(file))
  const found = files.filter((file) => decision.test(readFileSync(path.join(root, file), 'utf8')))
  expect(found).toEqual([])
})

test('the engine names no kind of stage outside the folder of the stages', () => {
  const names = chain.map(({ kind }) => `'${kind}'`)
  const files = globSync('src-engine/**/*.ts', { cwd: root })
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => !file.startsWith('src-engine/stages/'))
  const found = files.filter((file) => {
    const text = readFileSync(path.join(root, file), 'utf8')
    return names.some((name) => text.includes(name))
  })
  expect(found).toEqual([])
})
