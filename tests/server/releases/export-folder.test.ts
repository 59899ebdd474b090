import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { ExportFolder, refusalOf, textFile } from '../../../src-server/releases/export-folder.ts'
import { createFakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PART = '.song.wav.part'

/** Happens as soon as a file has been copied. */
const drive = vi.hoisted(() => ({ happen: () => {} }))
beforeEach(() => {
  drive.happen = () => {}
})
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const copyFile: typeof fs.copyFile = async (...names) => {
    await fs.copyFile(...names)
    drive.happen()
  }
  return { ...fs, copyFile }
})

/** A folder, and a file during whose writing something happens to it. */
async function setUp(happen: (part: string) => void) {
  const parent = temporaryFolder(onTestFinished)
  const folder = new ExportFolder(path.join(parent, 'release'), createFakeClock())
  await folder.take('one', undefined)
  const part = path.join(folder.path, PART)
  const file = textFile('song.wav', 'sound')
  const made = path.join(temporaryFolder(onTestFinished), 'song.wav')
  writeFileSync(made, 'sound')
  drive.happen = () => happen(part)
  return { folder, parent, file, slow: { ...file, content: made } }
}

test('a drive that goes while a file is written ends the export with a sentence, and the file is written when it is back', async () => {
  const { folder, parent, file, slow } = await setUp(() => {
    rmSync(parent, { recursive: true })
    mkdirSync(parent)
  })
  await expect(folder.write(slow)).rejects.toMatchObject({ code: 'INVALID_REQUEST', param: 'folder' })
  await folder.take('one', undefined)
  await folder.write(file)
  expect(readdirSync(folder.path)).toContain('song.wav')
})

test('a drive that gives back other bytes than were written ends it as well, and leaves no such file', async () => {
  const { folder, slow } = await setUp((part) => {
    rmSync(part)
    writeFileSync(part, 'noise')
  })
  await expect(folder.write(slow)).rejects.toMatchObject({ code: 'INVALID_REQUEST', param: 'folder' })
  expect(readdirSync(folder.path)).toEqual(['.loudsmith-export'])
})

test('a drive whose file system is damaged is told like one that is gone; a fault of the program is not', () => {
  const failed = (code: string) => Object.assign(new Error(code), { code })
  for (const code of ['EIO', 'Unknown system error -74', 'Unknown system error -117'])
    expect(refusalOf(failed(code)), code).toMatchObject({ code: 'INVALID_REQUEST', param: 'folder' })
  const fault = new TypeError('x is not a function')
  expect(refusalOf(fault)).toBe(fault)
})
