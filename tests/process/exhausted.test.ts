import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isAlive, type ServerProcess, spawnServer } from '../support/server-process.ts'

const hasPrlimit = (() => {
  try {
    execFileSync('prlimit', ['--version'])
    return true
  } catch {
    return false
  }
})()

/** File descriptors that a process may open in all from now on, beside those that it has. */
function leaveDescriptors(pid: number, spare: number): void {
  const open = readdirSync(`/proc/${pid}/fd`).map(Number)
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${Math.max(...open) + 1 + spare}:`])
}

const restoreDescriptors = (pid: number) => void execFileSync('prlimit', [`--pid=${pid}`, '--nofile=4096:'])

describe.runIf(hasPrlimit)('a service without file descriptors (needs prlimit)', { timeout: 120_000 }, () => {
  let dataDir: string
  let server: ServerProcess
  beforeAll(async () => {
    dataDir = mkdtempSync(path.join(tmpdir(), 'loudsmith-exhausted-'))
    server = await spawnServer(dataDir)
  })
  afterAll(async () => {
    await server.end('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  })

  const take = () => server.newJob({ dry_run: 'true' })

  test.each([2, 4, 6, 8])(
    'that may open %i more answers 503 UNAVAILABLE or takes the song, and goes on',
    async (spare) => {
      // What is opened once is open from here on.
      await take()
      leaveDescriptors(server.pid, spare)
      const answer = await take().catch((error: Error) => error)
      restoreDescriptors(server.pid)
      if (answer instanceof Error) expect(String(answer.cause ?? answer.message)).toMatch(/UNAVAILABLE|closed/)
      expect(isAlive(server.pid)).toBe(true)
      expect(await take()).toMatchObject({ would_charge: 1 })
    },
  )
})
