import { existsSync, readFileSync } from 'node:fs'
import { constants, getPriority } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { childrenOf } from '../../support/processes.ts'
import { type ServerProcess, spawnServer } from '../../support/server-process.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const dataDir = temporaryFolder()
let server: ServerProcess
beforeAll(async () => {
  server = await spawnServer(dataDir)
})
afterAll(() => server.end('SIGKILL'))

const autogroup = (pid: number) => `/proc/${pid}/autogroup`

describe.runIf(process.platform === 'linux')('the processor (only where /proc tells who is whose child)', () => {
  test('is left to everybody else by engine processes and their ffmpeg, and not by the service', async () => {
    const hasGroups = existsSync(autogroup(server.pid))
    // Empty in the session that the machine started with, which has no such group.
    const groupOfService = () => hasGroups && readFileSync(autogroup(server.pid), 'utf8')
    const groupBefore = groupOfService()
    const file = new Blob([new Uint8Array(wavSong({ seconds: 30, sampleRateHz: 44_100 }))])
    const { job_id } = await server.newJob({ file, platforms: 'spotify,youtube', tier: 'premium' })
    const ofSession = constants.priority.PRIORITY_BELOW_NORMAL
    const below = Math.max(getPriority(), ofSession)
    const priorities = (pids: number[]) => [...new Set(pids.map((pid) => getPriority(pid)))]
    await expect.poll(() => priorities(childrenOf(server.pid))).toEqual([below])
    const [engine = 0] = childrenOf(server.pid)
    await expect.poll(() => priorities(childrenOf(engine)), { interval: 5 }).toEqual([below])
    expect(getPriority(server.pid)).toBe(getPriority(process.pid))
    expect(groupOfService()).toBe(groupBefore)
    if (hasGroups) expect(readFileSync(autogroup(engine), 'utf8')).toMatch(new RegExp(` nice ${ofSession}\n$`))
    await server.send('DELETE', `/api/v1/jobs/${job_id}`)
  })
})
