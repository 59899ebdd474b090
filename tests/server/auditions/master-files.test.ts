import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { MasterFiles } from '../../../src-server/auditions/master-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function filesOf(mostBytes: number) {
  const files = new MasterFiles(path.join(temporaryFolder(onTestFinished), 'masters'), mostBytes)
  const keep = (id: string, sizeBytes: number) => {
    const folder = files.newFolder()
    mkdirSync(folder, { recursive: true })
    return { folder, gone: files.keep(id, { folder, sizeBytes }) }
  }
  return { files, keep }
}

it('masters of auditions take no more than their share of the disk: the oldest go, but never the newest', async () => {
  const { files, keep } = filesOf(100)
  const first = keep('first', 40)
  const second = keep('second', 40)
  expect([first.gone, second.gone]).toEqual([[], []])
  files.touch('first')
  expect(keep('third', 40).gone).toEqual(['second'])
  await expect.poll(() => existsSync(second.folder)).toBe(false)
  expect(existsSync(first.folder)).toBe(true)
  expect(keep('huge', 200).gone).toEqual(['first', 'third'])
})

it('a master that is rendered again takes the place of the first', async () => {
  const { files, keep } = filesOf(100)
  const first = keep('one', 60)
  const again = keep('one', 60)
  expect(again.gone).toEqual([])
  await expect.poll(() => existsSync(first.folder)).toBe(false)
  expect(existsSync(again.folder)).toBe(true)
  await files.clear()
  expect(existsSync(files.folder)).toBe(false)
})
