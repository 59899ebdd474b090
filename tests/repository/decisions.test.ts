import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { DECISION_CODES, STAGES_OF_CHAIN } from '../../src-contract/report.ts'

const root = path.join(import.meta.dirname, '../..')
/** A code that engines before 1.20.0 decided: stored reports of that time hold it. */
const earlierCode = 'TONE_LEANED'

test('the report declares no stage and no code of a decision that nothing decides', () => {
  const files = globSync('{src-engine,src-worker/mastering}/**/*.ts', { cwd: root })
  const source = files.map((file) => readFileSync(path.join(root, file), 'utf8')).join('\n')
  const stages = STAGES_OF_CHAIN.filter((stage) => !source.includes(`stage: '${stage}'`))
  const codes = DECISION_CODES.filter((code) => !source.includes(`'${code}'`) && code !== earlierCode)
  expect([...stages, ...codes]).toEqual([])
})
