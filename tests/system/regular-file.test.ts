import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openFolder, withFolder } from '../../src-system/open-folder.ts'
import {
  type FileRefusedError,
  isDeviceName,
  type OpenOptions,
  openRegularFile,
  readRegularFile,
} from '../../src-system/regular-file.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder = ''
const place = (...names: string[]) => path.join(folder, ...names)

beforeEach(async () => {
  folder = temporaryFolder(onTestFinished)
  mkdirSync(place('inside'))
  mkdirSync(place('outside'))
  writeFileSync(place('inside', 'song'), 'ours')
  writeFileSync(place('outside', 'song'), 'theirs')
})

const text = async (name: string, options: OpenOptions = {}) =>
  (await readRegularFile(name, { maxBytes: 100, ...options })).toString()
const refusal = (name: string, options: OpenOptions & { maxBytes?: number } = {}) =>
  readRegularFile(name, { maxBytes: 100, ...options }).then(
    () => 'read',
    (error: FileRefusedError) => error.reason,
  )

/** Allows what lies in `inside`, and runs `exchange` when that has been said of the path for the first time. */
function insideThen(exchange: () => void): OpenOptions {
  let asked = 0
  return {
    requireAllowed(real) {
      if (!real.startsWith(place('inside') + path.sep)) throw Object.assign(new Error(real), { reason: 'outside' })
      if (asked++ === 0) exchange()
    },
  }
}

test('a file and a link to it are read', async () => {
  symlinkSync(place('inside', 'song'), place('link'))
  expect(await text(place('inside', 'song'))).toBe('ours')
  expect(
    await text(
      place('link'),
      insideThen(() => {}),
    ),
  ).toBe('ours')
  expect(await refusal(place('link'), { followsLink: false })).toBe('not_regular')
})

describe('what is exchanged between the check of a path and its opening', () => {
  test('is refused where a link comes into the place of the file', async () => {
    const exchange = () => {
      rmSync(place('inside', 'song'))
      symlinkSync(place('outside', 'song'), place('inside', 'song'))
    }
    expect(await refusal(place('inside', 'song'), insideThen(exchange))).toBe('moved')
  })

  test('is refused where a link comes into the place of a folder', async () => {
    mkdirSync(place('inside', 'album'))
    writeFileSync(place('inside', 'album', 'song'), 'ours')
    const exchange = () => {
      renameSync(place('inside', 'album'), place('inside', 'album before'))
      symlinkSync(place('outside'), place('inside', 'album'))
    }
    expect(await refusal(place('inside', 'album', 'song'), insideThen(exchange))).toBe('outside')
  })

  test('is not waited for where a pipe comes into the place of the file', async () => {
    const exchange = () => {
      rmSync(place('inside', 'song'))
      execFileSync('mkfifo', [place('inside', 'song')])
    }
    expect(await refusal(place('inside', 'song'), insideThen(exchange))).toBe('not_regular')
  })

  test('is refused where another file lies there once the opened one was found', async () => {
    const exchange = () => {
      rmSync(place('inside', 'song'))
      writeFileSync(place('inside', 'song'), 'another')
    }
    let asked = 0
    const requireAllowed = () => void (asked++ === 1 && exchange())
    expect(await refusal(place('inside', 'song'), { requireAllowed })).toBe('moved')
  })

  test('is read where another file of the folder comes into its place', async () => {
    writeFileSync(place('inside', 'other'), 'ours too')
    const exchange = () => renameSync(place('inside', 'other'), place('inside', 'song'))
    expect(await text(place('inside', 'song'), insideThen(exchange))).toBe('ours too')
  })
})

describe('an open folder for new files', () => {
  test('is made with those above it, and is not one behind a link', async () => {
    await withFolder(place('inside', 'a', 'b'), () => {}, { makesMissing: true })
    expect(readdirSync(place('inside'), { recursive: true })).toContain(path.join('a', 'b'))
    symlinkSync(place('outside'), place('inside', 'way'))
    for (const names of [['way'], ['way', 'deeper']])
      await expect(openFolder(place('inside', ...names), { makesMissing: true })).rejects.toMatchObject({
        reason: 'moved',
      })
    expect(readdirSync(place('outside'))).toEqual(['song'])
    await expect(openFolder(place('inside', 'song'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  test('takes no file once it was moved, nor one over another, behind a link or by a name that leads elsewhere', async () => {
    const inside = await openFolder(place('inside'))
    try {
      await expect(inside.create('song')).rejects.toMatchObject({ code: 'EEXIST' })
      symlinkSync(place('outside', 'new'), place('inside', 'link'))
      await expect(inside.create('link')).rejects.toMatchObject({ code: 'EEXIST' })
      for (const name of ['..', path.join('..', 'outside', 'new')])
        await expect(inside.create(name)).rejects.toMatchObject({ reason: 'moved' })
      renameSync(place('inside'), place('outside', 'inside'))
      symlinkSync(place('outside'), place('inside'))
      await expect(inside.create('new')).rejects.toMatchObject({ reason: 'moved' })
    } finally {
      await inside.close()
    }
    expect(readdirSync(place('outside'), { recursive: true }).filter((name) => `${name}`.endsWith('new'))).toEqual([])
  })
})

describe.runIf(process.platform === 'linux')('what is no regular file', () => {
  test.each([
    '/dev/zero',
    '/dev/null',
    '/proc/version',
    '/proc/kmsg',
    '/sys/kernel/mm/transparent_hugepage/enabled',
    '/',
  ])('%s is refused', async (name) => {
    expect(await refusal(name)).toBe('not_regular')
  })

  test('a pipe is refused without waiting for its writer, more often than there are threads for files', async () => {
    execFileSync('mkfifo', [place('pipe')])
    const refusals = await Promise.all(Array.from({ length: 8 }, () => refusal(place('pipe'))))
    expect(new Set(refusals)).toEqual(new Set(['not_regular']))
  })
})

describe('reading', () => {
  test('stops at the bound before the first byte', async () => {
    writeFileSync(place('long'), Buffer.alloc(101))
    expect(await refusal(place('long'))).toBe('too_large')
  })

  test('takes the bytes that the file had when it was opened, and tells of a change', async () => {
    const file = await openRegularFile(place('inside', 'song'))
    try {
      expect(await file.isUnchanged()).toBe(true)
      appendFileSync(place('inside', 'song'), ' and more')
      expect((await file.bytes({ maxBytes: 4 })).toString()).toBe('ours')
      expect(await file.isUnchanged()).toBe(false)
      truncateSync(place('inside', 'song'), 2)
      expect((await file.bytes({ maxBytes: 4 })).toString()).toBe('ou')
    } finally {
      await file.close()
    }
  })

  test('gives any part, and the SHA-256 of all', async () => {
    const bytes = Buffer.from(Uint32Array.from({ length: 200_000 }, (_, index) => index * 2_654_435_761).buffer)
    writeFileSync(place('long'), bytes)
    const file = await openRegularFile(place('long'))
    try {
      expect(await file.sha256()).toBe(createHash('sha256').update(bytes).digest('hex'))
      const part = Buffer.concat(await file.stream({ start: 5, sizeBytes: 500_000 }).toArray())
      expect(part.equals(bytes.subarray(5, 500_005))).toBe(true)
      expect(await file.stream({ start: 5, sizeBytes: 0 }).toArray()).toEqual([])
    } finally {
      await file.close()
    }
  })

  test('ends with the reason of the signal', async () => {
    const reason = new Error('enough')
    const file = await openRegularFile(place('inside', 'song'))
    try {
      await expect(file.bytes({ maxBytes: 4, signal: AbortSignal.abort(reason) })).rejects.toMatchObject({
        cause: reason,
      })
      await expect(file.sha256(AbortSignal.abort(reason))).rejects.toThrow()
    } finally {
      await file.close()
    }
  })
})

describe('names of Windows', () => {
  test.each([
    String.raw`\\.\PhysicalDrive0`,
    String.raw`\\?\C:\Music\a.wav`,
    '//./pipe/x',
    '//?/UNC/server/share/a.wav',
    String.raw`\??\C:\a.wav`,
    String.raw`C:\Music\NUL`,
    String.raw`C:\Music\nul.wav`,
    String.raw`C:\Music\com1.tar.gz`,
    String.raw`C:\Music\COM².wav`,
    String.raw`C:\Music\aux .wav`,
    String.raw`C:\con. .\a.wav`,
    String.raw`C:\Music\CONOUT$`,
    'C:PRN',
    'C:/Music/LPT9...',
    String.raw`C:\Music\a.wav:hidden`,
    String.raw`C:\Music\a.wav::$DATA`,
  ])('%s names a device or a stream', (name) => {
    expect(isDeviceName(name, 'win32')).toBe(true)
    expect(isDeviceName(name, 'linux')).toBe(false)
  })

  test.each([
    String.raw`C:\Music\console.wav`,
    String.raw`C:\Music\nulls\com10.wav`,
    String.raw`C:\Music\.nul.wav`,
    String.raw`\\server\share\a.wav`,
    'D:/밤기차.wav',
    'C:relative.wav',
  ])('%s names a file', (name) => {
    expect(isDeviceName(name, 'win32')).toBe(false)
  })
})
