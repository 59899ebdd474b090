import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { IS_CAMPAIGN } from '../../support/campaign.ts'
import { isAlive } from '../../support/processes.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'

const hasPrlimit = (() => {
  try {
    execFileSync('prlimit', ['--version'])
    return true
  } catch {
    return false
  }
})()

/** Lets a process open `spare` more file descriptors: the limit is on their number, and each takes the lowest that is free. */
function leaveDescriptors(pid: number, spare: number): void {
  const open = new Set(readdirSync(`/proc/${pid}/fd`).map(Number))
  let limit = 0
  for (let free = 0; free < spare; limit++) if (!open.has(limit)) free++
  execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`])
}

const restoreDescriptors = (pid: number) => void execFileSync('prlimit', [`--pid=${pid}`, '--nofile=4096:'])

describe.runIf(hasPrlimit)('a service without file descriptors (needs prlimit)', () => {
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

  test.each(IS_CAMPAIGN ? [1, 3, 5, 7, 9] : [1, 5])(
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
