import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { wordsOf } from '../../src-main/text.ts'
import { isProgramFolder } from '../../src-server/settings/chosen-folder.ts'

const electron = vi.hoisted(() => ({
  shell: { showItemInFolder: vi.fn(), openPath: vi.fn() },
  dialog: { showMessageBox: vi.fn() },
}))
vi.mock('electron', () => ({ ...electron, app: {}, nativeImage: {} }))
const { createLocalFiles } = await import('../../src-main/local-files.ts')

test('a folder that the page has set is shown, and never opened, which could start a program', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'Calculator.app-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const files = createLocalFiles({
    window: { owner: () => undefined },
    words: () => wordsOf('en'),
    service: { call: async () => ({ output_folder: folder }) },
    paths: { mastersDir: '/music', dataDir: '/data' },
  } as never)
  expect(await files.revealFolder('output')).toBe(true)
  rmSync(folder, { recursive: true })
  expect(await files.revealFolder('output')).toBe(false)
  expect(electron.shell.showItemInFolder.mock.calls).toEqual([[folder]])
  expect(electron.dialog.showMessageBox.mock.calls.flat()).toMatchObject([{ detail: folder }])
  expect(electron.shell.openPath).not.toHaveBeenCalled()
})

test.each([
  ['/Applications/Calculator.app', true],
  ['/Users/a/Music/Masters.APP/EP', true],
  ['/Users/a/Masters.workflow', true],
  ['/Users/a/Music/app', false],
  ['/Users/a/Music/happy.apple', false],
])('%s is a program of macOS: %s', (folder, isProgram) => {
  expect(isProgramFolder(folder, 'darwin')).toBe(isProgram)
  expect(isProgramFolder(folder, 'linux')).toBe(false)
})
