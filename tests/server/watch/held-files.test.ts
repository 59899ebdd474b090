/** New files that another program on Windows, mostly one that looks for viruses, holds for a moment. */
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHeldEngine } from '../../support/held-engine.ts'
import { startService } from '../../support/service.ts'
import { wavSong } from '../../support/songs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Renames that will still fail, by the new name of the file or folder. */
const scanner = vi.hoisted(() => ({ holds: {} as Record<string, number> }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const renameSync: typeof fs.renameSync = (from, to) => {
    const place = Object.keys(scanner.holds).find((name) => String(to).split(/[\\/]/).includes(name))
    if (place !== undefined && scanner.holds[place]!-- > 0) throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
    fs.renameSync(from, to)
  }
  return { ...fs, renameSync }
})

test('keep neither the program from starting nor a song from being taken', async () => {
  const folder = temporaryFolder(onTestFinished)
  scanner.holds = { 'owner.json': 2, sources: 2 }
  const service = await startService({ forkEngine: createHeldEngine().fork, dataDir: path.join(folder, 'data') })
  onTestFinished(() => service.stop())
  const body = new FormData()
  body.append('file', new Blob([new Uint8Array(wavSong({ hertz: 220 }))]), 'song.wav')
  expect((await service.call('POST', '/app/sources', { body })).status).toBe(201)
  expect(Object.values(scanner.holds).every((left) => left < 0)).toBe(true)
})
