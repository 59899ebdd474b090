import { execFileSync, spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, root, test } from './desktop-fixtures.ts'

const hasNamespaces = (() => {
  try {
    execFileSync('unshare', ['-rn', 'ip', 'link', 'add', 'probe', 'type', 'veth', 'peer', 'name', 'other'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
})()

test('an offline session masters songs and no packet leaves the machine; what waited is delivered when it ends', async () => {
  test.skip(!hasNamespaces, 'needs network namespaces with the program ip')
  const script = path.join(root, 'e2e', 'offline-session.ts')
  const run = spawnSync('unshare', ['-rn', process.execPath, script], { cwd: root, encoding: 'utf8', timeout: 380_000 })
  const last = run.stdout.trim().split('\n').at(-1) ?? ''
  expect(last, `${run.stdout}\n${run.stderr}`).toMatch(/^\{/)
  const { hooked, whileOffline, afterwards } = JSON.parse(last) as Record<string, number>
  expect(hooked).toBe(201)
  expect(whileOffline).toBe(0)
  expect(afterwards).toBeGreaterThan(0)
})
