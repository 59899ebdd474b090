/** The owner's list of folders against a program that exchanges files and links while it is asked, and while there is written. */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { AllowedFolders } from '../../../src-server/access/allowed-folders.ts'
import { copyMasters } from '../../../src-server/batch/output-folder.ts'
import { toolFiles } from '../../../src-server/mcp/files.ts'
import { ExportFolder, textFile } from '../../../src-server/releases/export-folder.ts'
import { writeExportZip } from '../../../src-server/releases/export-zip.ts'
import { systemClock, systemRandom } from '../../../src-system/system.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A hook before each call of the file system, numbered from 0. */
const calls = vi.hoisted(() => ({ made: 0, before: (_call: number) => {} }))
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>()
  const counted =
    (call: (...given: never[]) => unknown) =>
    (...given: never[]) => {
      calls.before(calls.made++)
      return call(...given)
    }
  const members = Object.entries(fs).map(([name, value]) => [
    name,
    typeof value === 'function' ? counted(value) : value,
  ])
  return Object.fromEntries(members) as typeof fs
})

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
  root = temporaryFolder(onTestFinished)
  mkdirSync(inside('album'), { recursive: true })
  mkdirSync(path.join(root, 'outside'))
  writeFileSync(inside('album', 'song'), 'ours')
  writeFileSync(path.join(root, 'outside', 'song'), 'theirs')
})

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

describe('files written to allowed folders', () => {
  const signal = new AbortController().signal
  const masters = () => {
    writeFileSync(path.join(root, 'song.zip'), 'MELONspotify')
    const entries = [
      { name: 'song/melon.wav', offset: 0, sizeBytes: 5 },
      { name: 'song/spotify.wav', offset: 5, sizeBytes: 7 },
    ]
    const zip = { fileName: 'song.zip', folderName: 'song', sizeBytes: 12, sha256: '', entries }
    return { folder: root, zip, files: ['melon.wav', 'spotify.wav'] }
  }
  const writers: Readonly<Record<string, (folder: string) => Promise<unknown>>> = {
    'the masters of a batch': async (folder) =>
      copyMasters(await allowed().folder(folder), masters(), systemClock, signal),
    'the preview of an agent': async (folder) => {
      const deps = { folders: allowed(), copy: async () => {}, tmp: root, newUuid: systemRandom.newUuid }
      const write = await toolFiles(deps).openFolder(folder, 'folder')
      await write('preview.wav', new Uint8Array(5))
    },
    'an exported release': async (folder) => {
      const release = new ExportFolder(path.join(await allowed().folder(folder), 'release'), systemClock)
      await release.take('one', undefined)
      const files = [textFile('flac/01.flac', 'sound'), textFile('cover.png', 'cover')]
      await release.plan(files.map(({ name, sizeBytes, sha256 }) => ({ name, size_bytes: sizeBytes, sha256 })))
      for (const file of files) await release.write(file)
      const names = files.map(({ name }) => name)
      await writeExportZip(release.path, names, { clock: systemClock, isOurs: async () => false, signal })
      await release.finish()
    },
  }

  /** Names below a folder. */
  const below = (folder: string) => readdirSync(folder, { recursive: true }).sort()

  // Elsewhere the system does not tell where an open folder lies.
  describe.runIf(process.platform === 'linux').each(Object.entries(writers))('%s', (what, write) => {
    test.each(['album', path.join('album', 'new')])(
      'never gets outside, whenever a link comes into the place of the folder: %s',
      async (name) => {
        const outside = path.join(root, 'outside')
        rmSync(inside('album', 'song'))
        rmSync(path.join(outside, 'song'))
        mkdirSync(path.join(outside, 'new', 'release'), { recursive: true })
        // Before each third call of an export: it makes some hundred.
        for (let at = 0, isOver = false; !isOver; at += what === 'an exported release' ? 3 : 1) {
          isOver = true
          calls.made = 0
          calls.before = (call) => {
            if (call !== at) return
            isOver = false
            renameSync(inside('album'), inside('kept'))
            symlinkSync(outside, inside('album'))
          }
          const outcome = await write(inside(name)).then(
            () => 'written',
            (error) => error.code ?? error.reason,
          )
          calls.before = () => {}
          expect(below(outside), `exchanged before call ${at}`).toEqual(['new', path.join('new', 'release')])
          const refusals = ['PATH_NOT_ALLOWED', 'moved', 'INVALID_REQUEST', 'FOLDER_TAKEN']
          expect(['written', ...(isOver ? [] : refusals)]).toContain(outcome)
          rmSync(inside('album'), { recursive: true })
          if (existsSync(inside('kept'))) renameSync(inside('kept'), inside('album'))
          rmSync(inside('album'), { recursive: true, force: true })
          mkdirSync(inside('album'))
        }
      },
    )
  })
})
