import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hasMemoryKillSince, memoryKills } from '../../src-system/memory-kills.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

test('memory ran out only where the system counts another kill for it; what cannot be read says nothing', () => {
  const folder = temporaryFolder(onTestFinished)
  const counters = path.join(folder, 'vmstat')
  writeFileSync(counters, 'nr_free 5\noom_kill 2\n')
  const before = memoryKills(counters)
  expect([before, hasMemoryKillSince(before, counters)]).toEqual([2, false])
  writeFileSync(counters, 'nr_free 5\noom_kill 3\n')
  expect(hasMemoryKillSince(before, counters)).toBe(true)
  expect([memoryKills(folder), hasMemoryKillSince(undefined, counters), hasMemoryKillSince(2, folder)]).toEqual([
    undefined,
    false,
    false,
  ])
})
