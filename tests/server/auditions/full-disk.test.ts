/** Auditions on a full disk. */
import { execFileSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type AuditionService, startAuditionService, writeSong } from '../../support/audition-service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()
const filler = path.join(folder, 'filler')
let isMounted = false
let service: AuditionService
beforeAll(async () => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', folder], { stdio: 'ignore' })
    isMounted = true
  } catch {
    return
  }
  service = await startAuditionService({ dataDir: path.join(folder, 'data') })
})
afterAll(async () => {
  if (isMounted) {
    await service.stop()
    execFileSync('umount', [folder])
  }
})

test('can be heard as an estimate; the exact master says what it lacks, and is there once there is room', async (context) => {
  if (!isMounted) context.skip('a small file system cannot be mounted here')
  const song = await service.addSong(writeSong(temporaryFolder(onTestFinished)))
  const { bavail, bsize } = statfsSync(folder)
  writeFileSync(filler, Buffer.alloc(bavail * bsize - 8_000_000))
  const { body } = await service.hear(song.source_id)
  const failed = await service.until(body.audition_id, ({ state }) => state !== 'estimated')
  expect([failed.state, failed.error?.code]).toEqual(['failed', 'INSUFFICIENT_STORAGE'])
  const estimate = await service.bytes(`/app/auditions/${body.audition_id}/estimate.wav`, { range: 'bytes=0-9999' })
  expect([estimate.status, estimate.bytes.length]).toEqual([206, 10_000])
  const refused = await service.get(`/app/auditions/${body.audition_id}/exact.wav`)
  expect([refused.status, refused.body.error.code]).toEqual([507, 'INSUFFICIENT_STORAGE'])
  rmSync(filler)
  const again = (await service.hear(song.source_id)).body
  expect(again.error).toBe(undefined)
  expect((await service.until(again.audition_id, ({ state }) => state !== 'estimated')).state).toBe('exact')
})
