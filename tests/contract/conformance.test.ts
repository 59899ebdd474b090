import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { ENDPOINTS } from '../../src-contract/endpoints.ts'
import { ERROR_CODES } from '../../src-contract/errors.ts'

/** Statements without a proof. Lower it when one gets its test; it is never raised. */
const OPEN_STATEMENTS = 0

const root = path.join(import.meta.dirname, '../..')
const page = readFileSync(path.join(root, 'docs/conformance.md'), 'utf8')
const statements = page
  .split('\n')
  .filter((line) => /^\| [SC]\d/.test(line))
  .map((line) => {
    const [, number = '', promise = '', proof = ''] = line.split('|').map((cell) => cell.trim())
    return { number, promise, proof }
  })

/** Returns whether a test file holds a test of this title as it is written there; `group › title` asks for the group too. */
function isWritten(file: string, proof: string): boolean {
  const at = path.join(root, file)
  if (!existsSync(at)) return false
  const titles = (callee: string) => {
    const calls = new RegExp(
      `(?:\\b(?:${callee})|\\))\\(\\s*(['\`])((?:\\\\.|(?!\\1)[^\\\\])*?)\\1,\\s*(?:async )?\\(`,
      'g',
    )
    return [...readFileSync(at, 'utf8').matchAll(calls)].map(([, , title]) => title)
  }
  const [title, group] = proof.split(' › ').reverse()
  return titles('test|it').includes(title) && (group === undefined || titles('describe').includes(group))
}

test('statements are numbered in their order, each once', () => {
  expect(statements.length).toBeGreaterThan(100)
  let [section, position] = ['', 0]
  for (const { number } of statements) {
    const [itsSection = '', itsPosition] = number.split('.')
    position = itsSection === section ? position + 1 : 1
    section = itsSection
    expect([number, Number(itsPosition)]).toEqual([number, position])
  }
})

test('every proof is a test that exists under this name', () => {
  const missing = statements.flatMap(({ number, proof }) =>
    proof === 'not yet proved'
      ? []
      : proof.split('<br>').flatMap((one) => {
          const [, file = '', title = ''] = /^`(tests\/[\w/-]+\.test\.ts)`: (.+)$/.exec(one) ?? []
          return isWritten(file, title) ? [] : [`${number}: ${one}`]
        }),
  )
  expect(missing).toEqual([])
})

test('the number of statements without a proof only falls', () => {
  expect(statements.filter(({ proof }) => proof === 'not yet proved').length).toBe(OPEN_STATEMENTS)
})

test('every code of the catalogue and every address of the API is spoken of', () => {
  const promises = statements.map(({ promise }) => promise).join('\n')
  expect(ERROR_CODES.filter((code) => !promises.includes(code))).toEqual([])
  const addresses = Object.values(ENDPOINTS).flatMap(({ path }) => (path.startsWith('/api/') ? [path] : []))
  expect(addresses.filter((address) => !promises.includes(address))).toEqual([])
})
