import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '../..')
/** Starts without a farm, and what they load later by themselves. */
const STARTS = ['src-cli/cli.ts', 'src-main/main.ts', 'src-server/server.ts', 'src-server/server/compose.ts']
/** Packages that only several machines together need. */
const ONLY_FARM = /^(bullmq|ioredis|@aws-sdk\/|@smithy\/)/

/** Returns the packages and files that a file loads with itself; those of types are gone at run time, and dynamic ones come later. */
function loadedWith(file: string): string[] {
  const text = readFileSync(path.join(ROOT, file), 'utf8')
  const statement = /^(?:import|export)\s+(?!type\b)(?:[^'"]*?\bfrom\s*)?['"]([^'"]+)['"]/gm
  return [...text.matchAll(statement)].map(([, target = '']) =>
    target.startsWith('.') ? path.posix.join(path.posix.dirname(file), target.split('?')[0] ?? '') : target,
  )
}

function allLoadedWith(starts: readonly string[]): Set<string> {
  const found = new Set(starts)
  for (const file of found) if (/^src-.*\.tsx?$/.test(file)) for (const other of loadedWith(file)) found.add(other)
  return found
}

test('what several machines need is loaded only where they are asked for', () => {
  const packages = (starts: readonly string[]) => [...allLoadedWith(starts)].filter((name) => ONLY_FARM.test(name))
  expect(packages(STARTS)).toEqual([])
  expect(allLoadedWith(STARTS)).toContain('src-server/jobs/scheduler.ts')
  expect(packages(['src-server/farm/farm.ts'])).toEqual(expect.arrayContaining(['bullmq', 'ioredis']))
  // A shared folder needs no S3.
  expect(
    packages(['src-server/farm/farm.ts', 'src-server/machine.ts']).filter((name) => name.startsWith('@aws')),
  ).toEqual([])
})
