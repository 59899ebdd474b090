import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '../..')

test('every file that docs/standards.md and the pages about the engine name exists', () => {
  const pages = ['docs/standards.md', 'docs/engine.md', ...globSync('docs/engine/*.md', { cwd: root })]
  const missing = pages.flatMap((page) => {
    const text = readFileSync(path.join(root, page), 'utf8')
    const named = [...text.matchAll(/`((?:src-|tests|bench|scripts)[\w./-]*)(?: [^`]*)?`/g)].map(([, name]) => name!)
    const linked = [...text.matchAll(/\]\(([^)#:]+\.md)(?:#[^)]*)?\)/g)].map(([, name]) =>
      path.join(path.dirname(page), name!),
    )
    return [...named, ...linked].filter((name) => !existsSync(path.join(root, name)))
  })
  expect(missing).toEqual([])
})

test('no page about the engine is longer than 300 lines', () => {
  const pages = ['docs/engine.md', ...globSync('docs/engine/*.md', { cwd: root })]
  const long = pages.filter((page) => readFileSync(path.join(root, page), 'utf8').split('\n').length > 301)
  expect(long).toEqual([])
})
