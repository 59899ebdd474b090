import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../src-server/app-session/make-folder.ts'
import { copyMasters, type Masters } from '../../src-server/app-session/output-folder.ts'

let folder: string
let masters: Masters
const signal = new AbortController().signal

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'loudsmith-output-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(path.join(folder, 'a.zip'), 'headMELONspotifytail')
  masters = {
    zipPath: path.join(folder, 'a.zip'),
    zip: {
      fileName: 'a.zip',
      folderName: '봄날_master_1',
      sizeBytes: 20,
      sha256: '',
      entries: [
        { name: '봄날_master_1/봄날_melon.wav', offset: 4, sizeBytes: 5 },
        { name: '봄날_master_1/봄날_spotify.wav', offset: 9, sizeBytes: 7 },
      ],
    },
    files: ['봄날_melon.wav', '봄날_spotify.wav'],
  }
})

test('the masters are cut out of the ZIP byte for byte, and nothing else is left beside them', async () => {
  const made = await copyMasters(path.join(folder, 'new', 'Music'), masters, signal)
  expect(made).toBe(path.join(folder, 'new', 'Music', '봄날_master_1'))
  expect(readdirSync(made).sort()).toEqual(['봄날_melon.wav', '봄날_spotify.wav'])
  expect(readFileSync(path.join(made, '봄날_melon.wav'), 'utf8')).toBe('MELON')
  expect(readFileSync(path.join(made, '봄날_spotify.wav'), 'utf8')).toBe('spotify')
})

test('what is there already is never touched: the next delivery gets a name of its own', async () => {
  const first = await copyMasters(folder, masters, signal)
  writeFileSync(path.join(first, '봄날_melon.wav'), 'edited by the user')
  const second = await copyMasters(folder, masters, signal)
  expect(second).toBe(`${first} (2)`)
  expect(await copyMasters(folder, masters, signal)).toBe(`${first} (3)`)
  expect(readFileSync(path.join(first, '봄날_melon.wav'), 'utf8')).toBe('edited by the user')
})

test('a delivery that fails or is broken off leaves no half folder', async () => {
  const parent = path.join(folder, 'out')
  mkdirSync(parent)
  await expect(copyMasters(parent, { ...masters, files: ['봄날_melon.wav', 'other.wav'] }, signal)).rejects.toThrow()
  await expect(copyMasters(parent, { ...masters, zipPath: path.join(folder, 'gone') }, signal)).rejects.toThrow()
  await expect(copyMasters(parent, masters, AbortSignal.abort(new Error('stop')))).rejects.toThrow()
  expect(readdirSync(parent)).toEqual([])
})

test('a folder where nothing can be made is an error at once', () => {
  makeFolder(path.join(folder, 'a', 'b', 'c'))
  makeFolder(path.join(folder, 'a', 'b', 'c'))
  expect(() => makeFolder(path.join(folder, 'a.zip', 'x'))).toThrow()
  if (process.platform === 'linux') expect(() => makeFolder('/proc/no/such')).toThrow()
})
