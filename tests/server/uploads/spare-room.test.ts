import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { SpareRoom } from '../../../src-server/uploads/spare-room.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemRandom } from '../../../src-system/system.ts'
import { createFakeClock } from '../../support/fake-clock.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function open() {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'loudsmith-spare-'))
  folders.push(dataDir)
  const clock = createFakeClock()
  const log = createLog('silent', clock, () => {})
  const spareRoom = new SpareRoom({ dataDir, clock, random: systemRandom, log })
  const megabytes = () => (statSync(path.join(dataDir, 'spare-room'), { throwIfNoEntry: false })?.size ?? 0) / 1_048_576
  spareRoom.start()
  await expect.poll(megabytes).toBe(8)
  return { spareRoom, megabytes, clock }
}

/** A transaction that fails with each of these codes of SQLite before it goes through. */
function failing(...codes: string[]) {
  return () => {
    const code = codes.shift()
    if (code !== undefined) throw Object.assign(new Error(code), { code })
    return 'written'
  }
}

test('room is given up only for a transaction that a full disk stops, and is set aside again afterwards', async () => {
  const { spareRoom, megabytes, clock } = await open()
  expect(spareRoom.use(failing())).toBe('written')
  expect(() => spareRoom.use(failing('SQLITE_BUSY'))).toThrow('SQLITE_BUSY')
  expect(megabytes()).toBe(8)
  expect(spareRoom.use(failing('SQLITE_FULL'))).toBe('written')
  expect(megabytes()).toBe(0)
  await expect.poll(() => clock.advance(60_000).then(megabytes)).toBe(8)
  await spareRoom.close()
})

test('further files are removed only where the reserved room does not suffice', async () => {
  const { spareRoom } = await open()
  let isMade = false
  const makeRoom = () => {
    isMade = true
  }
  expect(spareRoom.use(failing('SQLITE_FULL'), makeRoom)).toBe('written')
  expect(isMade).toBe(false)
  expect(spareRoom.use(failing('SQLITE_FULL', 'SQLITE_FULL'), makeRoom)).toBe('written')
  expect(isMade).toBe(true)
  expect(() => spareRoom.use(failing('SQLITE_FULL', 'SQLITE_FULL', 'SQLITE_FULL'), makeRoom)).toThrow('SQLITE_FULL')
  await spareRoom.close()
})
