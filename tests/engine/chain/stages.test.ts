import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { chain, type EveryKindOnce } from '../../../src-engine/stages/index.ts'

it('the stages run in the order that docs/engine.md describes', () => {
  const page = readFileSync(path.join(import.meta.dirname, '../../../docs/engine.md'), 'utf8')
  const table = page.slice(page.indexOf('| stage, in this order |')).split('\n\n')[0]!
  const described = [...table.matchAll(/^\|[^|]*\| `(\w+)` \|/gm)].map(([, kind]) => kind)
  expect(chain.map(({ kind }) => kind)).toEqual(described)
})

it('a chain without a kind of stage, or with one twice, does not compile', () => {
  const none: EveryKindOnce<readonly []> = { missing: 'density', repeated: undefined as never }
  type Twice = readonly [{ readonly kind: 'match' }, { readonly kind: 'declip' }, { readonly kind: 'match' }]
  const twice: EveryKindOnce<Twice> = { missing: 'density', repeated: 'match' }
  expect([none.missing, twice.missing, twice.repeated]).toEqual(['density', 'density', 'match'])
})
