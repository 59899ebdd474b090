import { expect, test } from 'vitest'
import { cycles, importsOf, violations } from '../../scripts/import-table.ts'

test('a file in no room is an error', () => {
  expect(violations([{ file: 'src-server/helpers/x.ts', text: '' }])).toEqual([
    expect.stringContaining('belongs to no room'),
  ])
})

test('the engine may name types of the contract, but may run nothing of it', () => {
  const file = 'src-engine/plan.ts'
  expect(violations([{ file, text: "import type { Recipe } from '../src-contract/recipe.ts'\n" }])).toEqual([])
  expect(violations([{ file, text: "import { Recipe } from '../src-contract/recipe.ts'\n" }])).toHaveLength(1)
})

test('the renderer reaches the contract and nothing else of the server', () => {
  const file = 'src-renderer/api/client.ts'
  expect(violations([{ file, text: "import { ENDPOINTS } from '../../src-contract/endpoints.ts'\n" }])).toEqual([])
  expect(violations([{ file, text: "import { open } from '../../src-server/db/open.ts'\n" }])).toHaveLength(1)
})

test('every way to write an import is seen', () => {
  const text = [
    "import {\n  a,\n  b,\n} from './many-lines.ts'",
    "import './effect.css'",
    "export * from './again.ts'",
    "const late = await import('./late.ts')",
    "import package_ from 'package'",
  ].join('\n')
  expect(importsOf('src-main/main.ts', text).map(({ to }) => to)).toEqual([
    'src-main/many-lines.ts',
    'src-main/effect.css',
    'src-main/again.ts',
    'src-main/late.ts',
  ])
})

test('the queue may name what crosses to the engine process, but runs nothing of it', () => {
  const file = 'src-server/jobs/scheduler.ts'
  expect(
    violations([{ file, text: "import type { WorkOrder } from '../../src-worker/mastering/work-order.ts'\n" }]),
  ).toEqual([])
  expect(
    violations([{ file, text: "import { masterSong } from '../../src-worker/mastering/pipeline.ts'\n" }]),
  ).toHaveLength(1)
})

test('files that import each other in a circle are named as a chain', () => {
  const circle = [
    { file: 'src-main/a.ts', text: "import './b.ts'\n" },
    { file: 'src-main/b.ts', text: "import type { C } from './c.ts'\n" },
    { file: 'src-main/c.ts', text: "export * from './a.ts'\n" },
    { file: 'src-main/d.ts', text: "import './a.ts'\n" },
  ]
  expect(cycles(circle)).toEqual(['src-main/a.ts → src-main/b.ts → src-main/c.ts → src-main/a.ts'])
  expect(cycles(circle.slice(1))).toEqual([])
})
