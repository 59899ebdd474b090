import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { packageResult } from '../../../src-worker/result/package.ts'
import type { PackedFile, ResultZip } from '../../../src-worker/result/result-zip.ts'
import { listEntries } from '../../../src-worker/result/zip-reader.ts'
import { hasProgram, python3 } from '../../support/programs.ts'
import { resultFiles, zipBytes } from '../../support/result-files.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const contents = { spotify: randomBytes(5_300_001), melon: randomBytes(77_777) }
const folderName = '등불 아래_master_12345678'
let zip: ResultZip

const master = (platform: string, kept: string, bytes: Buffer): PackedFile => {
  writeFileSync(path.join(folder, kept), bytes)
  return {
    file: `등불 아래_${platform}.wav`,
    kept,
    sizeBytes: bytes.length,
    sha256: sha256(bytes),
    crc32: crc32(bytes),
  }
}
const texts = [{ file: 'report.json', text: '{"title":"등불"}\n' }]

beforeAll(async () => {
  const masters = [
    master('spotify', 'a.wav', contents.spotify),
    // The same bytes, written twice.
    master('youtube', 'b.wav', contents.spotify),
    master('melon', 'c.wav', contents.melon),
  ]
  zip = await packageResult(folder, folderName, { masters, texts })
})

describe('the ZIP of a job', () => {
  it('holds every master, the report and the checksums in one folder, and refers to equal masters once', () => {
    const files = resultFiles(folder, zip)
    expect([...files.keys()]).toEqual([
      ...['등불 아래_spotify.wav', '등불 아래_youtube.wav', '등불 아래_melon.wav', 'report.json', 'SHA256SUMS'],
    ])
    expect(files.get('등불 아래_youtube.wav')!.equals(contents.spotify)).toBe(true)
    expect(zip.entries.map(({ kept }) => kept?.file)).toEqual(['a.wav', 'a.wav', 'c.wav', 'report.json', 'SHA256SUMS'])
    const textBytes = files.get('report.json')!.length + files.get('SHA256SUMS')!.length
    expect(zip.keptBytes).toBe(contents.spotify.length + contents.melon.length + textBytes)
    expect(
      readdirSync(folder)
        .filter((name) => !name.startsWith('tag'))
        .sort(),
    ).toEqual(['SHA256SUMS', 'a.wav', 'b.wav', 'c.wav', 'report.json'])
  })

  it('has checksums that sha256sum agrees with', () => {
    const files = resultFiles(folder, zip)
    const lines = files.get('SHA256SUMS')!.toString('utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) {
      const [hash, name] = line.split('  ')
      expect(hash).toBe(sha256(files.get(name!)!))
    }
  })

  it('has another tag as soon as a byte of a file or a name is another, and the same in every run', async () => {
    const tagOf = async (name: string, bytes: Buffer) =>
      (
        await packageResult(mkdtempSync(path.join(folder, 'tag-')), name, {
          masters: [master('melon', 'tag.wav', bytes)],
          texts,
        })
      ).sha256
    const [bytes, other] = [randomBytes(100), randomBytes(100)]
    expect(await tagOf(folderName, bytes)).toBe(await tagOf(folderName, bytes))
    expect(await tagOf(folderName, other)).not.toBe(await tagOf(folderName, bytes))
    expect(await tagOf('other', bytes)).not.toBe(await tagOf(folderName, bytes))
  })

  it.runIf(hasProgram('python3'))('is whole for Python, and tells no time', () => {
    const script =
      'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nprint(z.testzip(), {i.date_time for i in z.infolist()}, {i.compress_type for i in z.infolist()})'
    const whole = path.join(folder, zip.fileName)
    writeFileSync(whole, zipBytes(folder, zip))
    expect(execFileSync(python3, ['-c', script, whole], { encoding: 'utf8' }).trim()).toBe(
      'None {(1980, 1, 1, 0, 0, 0)} {0}',
    )
  })
})

/** Bytes before the name of an entry (PKWARE APPNOTE, section 4.3.7). */
const LOCAL_HEADER_BYTES = 30
/** Bytes of the end record; the place of the directory is its member at 16 (PKWARE APPNOTE, section 4.3.16). */
const END_RECORD_BYTES = 22

describe('listing a ZIP', () => {
  const listed = (change: (bytes: Buffer) => Buffer = (bytes) => bytes) => {
    const bytes = change(zipBytes(folder, zip))
    return listEntries({
      sizeBytes: bytes.length,
      stream: ({ start, sizeBytes }) => Readable.from(bytes.subarray(start, start + sizeBytes)),
    })
  }

  it('gives the place of every file', async () => {
    expect(await listed()).toEqual(zip.entries.map(({ kept: _, ...entry }) => entry))
  })

  it('detects an entry that is not the one in the directory', async () => {
    await expect(
      listed((bytes) => {
        bytes[LOCAL_HEADER_BYTES]! ^= 1
        return bytes
      }),
    ).rejects.toThrow(/disagree/)
  })

  it('detects a ZIP that was cut short', async () => {
    for (const end of [-100, 10]) await expect(listed((bytes) => bytes.subarray(0, end))).rejects.toThrow(/truncated/)
  })

  it.each([
    ['method', 10],
    ['compressed size', 20],
  ])('detects a compressed entry by its %s alone', async (_name, at) => {
    await expect(
      listed((bytes) => {
        const directory = bytes.readUInt32LE(bytes.length - END_RECORD_BYTES + 16)
        bytes[directory + at]! ^= 8
        return bytes
      }),
    ).rejects.toThrow(/compressed/)
  })
})
