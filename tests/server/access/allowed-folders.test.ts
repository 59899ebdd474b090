/** The owner's list of folders against a program that exchanges files and links while it is asked. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { AllowedFolders } from '../../../src-server/access/allowed-folders.ts'

let root: string
let exchange: (() => void) | undefined
const inside = (...names: string[]) => path.join(root, 'inside', ...names)
const allowed = () => new AllowedFolders({ folders: listed, dataDir: path.join(root, 'data') })
/** The list, which is read after a path was resolved. */
function listed(): string[] {
  exchange?.()
  exchange = undefined
  return [inside()]
}
async function read(name: string): Promise<string> {
  const file = await allowed().open(name)
  try {
    return (await file.bytes({ maxBytes: 100 })).toString()
  } finally {
    await file.close()
  }
}

beforeEach(() => {
  root = realpathSync(mkdtempSync(path.join(tmpdir(), 'loudsmith-allowed-')))
  mkdirSync(inside('album'), { recursive: true })
  mkdirSync(path.join(root, 'outside'))
  writeFileSync(inside('album', 'song'), 'ours')
  writeFileSync(path.join(root, 'outside', 'song'), 'theirs')
})
afterEach(() => rmSync(root, { recursive: true }))

test('no file from outside is read over 250 exchanges of a file or its folder with a link', async () => {
  const exchanges = [
    () => {
      renameSync(inside('album', 'song'), inside('kept'))
      symlinkSync(path.join(root, 'outside', 'song'), inside('album', 'song'))
      return () => renameSync(inside('kept'), inside('album', 'song'))
    },
    () => {
      renameSync(inside('album'), inside('kept'))
      symlinkSync(path.join(root, 'outside'), inside('album'))
      return () => {
        rmSync(inside('album'))
        renameSync(inside('kept'), inside('album'))
      }
    },
  ]
  for (let round = 0; round < 250; round++) {
    let undo = () => {}
    exchange = () => {
      undo = exchanges[round % 2]!()
    }
    await expect(read(inside('album', 'song'))).rejects.toMatchObject({ code: 'PATH_NOT_ALLOWED' })
    undo()
    expect(await read(inside('album', 'song'))).toBe('ours')
  }
})

test('links that stay inside are followed, and pipes and devices refused at once', async () => {
  symlinkSync(inside('album'), inside('way'))
  symlinkSync(inside('way', 'song'), inside('link'))
  expect(await read(inside('link'))).toBe('ours')
  execFileSync('mkfifo', [inside('pipe')])
  symlinkSync('/dev/zero', inside('zero'))
  const refused = [inside('pipe'), inside('zero'), '/proc/version', inside('album'), inside('none')]
  for (const name of refused) await expect(read(name)).rejects.toMatchObject({ code: 'PATH_NOT_ALLOWED' })
})

test('names with decomposed letters are read inside a folder of such a name', async () => {
  for (const form of ['NFC', 'NFD'] as const) {
    const folder = inside('밤기차 é'.normalize(form))
    mkdirSync(folder, { recursive: true })
    writeFileSync(path.join(folder, '첫차.wav'.normalize(form)), form)
    const list = new AllowedFolders({ folders: () => [realpathSync(folder)], dataDir: path.join(root, 'data') })
    const file = await list.open(path.join(folder, '첫차.wav'.normalize(form)))
    expect((await file.bytes({ maxBytes: 3 })).toString()).toBe(form)
    await file.close()
  }
})
