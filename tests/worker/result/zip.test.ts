import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as yauzl from 'yauzl'
import { packageResult, type ResultZip } from '../../../src-worker/result/package.ts'
import { readWholeZip } from '../../../src-worker/result/zip-reader.ts'
import { hasProgram } from '../../support/programs.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'loudsmith-zip-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Longer than what is read and written at once, and nowhere the same. */
const contents = { spotify: randomBytes(5_300_001), melon: randomBytes(77_777) }
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest('hex')
const folderName = '등불 아래_master_12345678'
let zip: ResultZip

beforeAll(async () => {
  for (const [name, bytes] of Object.entries(contents)) writeFileSync(path.join(folder, `${name}.raw`), bytes)
  const master = (platform: 'spotify' | 'melon' | 'youtube', file: 'spotify' | 'melon') => ({
    file: `등불 아래_${platform}.wav`,
    path: path.join(folder, `${file}.raw`),
    sha256: sha256(contents[file]),
  })
  zip = await packageResult(folder, folderName, {
    masters: [master('spotify', 'spotify'), master('youtube', 'spotify'), master('melon', 'melon')],
    texts: [{ file: 'report.json', text: '{"title":"등불"}\n' }],
  })
})

/** Every file of a ZIP as another reader sees it. */
function openElsewhere(file: string): Promise<Map<string, Buffer>> {
  return new Promise((resolve, reject) => {
    const found = new Map<string, Buffer>()
    yauzl.open(file, { lazyEntries: true, strictFileNames: true }, (error, archive) => {
      if (error || !archive) return reject(error)
      archive.on('error', reject)
      archive.on('end', () => resolve(found))
      archive.on('entry', (entry) => {
        archive.openReadStream(entry, (failed, stream) => {
          if (failed || !stream) return reject(failed)
          const chunks: Buffer[] = []
          stream.on('data', (chunk: Buffer) => chunks.push(chunk))
          stream.on('end', () => {
            found.set(entry.fileName, Buffer.concat(chunks))
            archive.readEntry()
          })
        })
      })
      archive.readEntry()
    })
  })
}

describe('the ZIP of a job', () => {
  it('opens elsewhere and holds every master, the report and the checksums in one folder', async () => {
    const files = await openElsewhere(path.join(folder, zip.fileName))
    expect([...files.keys()].sort()).toEqual(
      ['SHA256SUMS', 'report.json', '등불 아래_melon.wav', '등불 아래_spotify.wav', '등불 아래_youtube.wav'].map(
        (name) => `${folderName}/${name}`,
      ),
    )
    expect(files.get(`${folderName}/등불 아래_youtube.wav`)!.equals(contents.spotify)).toBe(true)
  })

  it('has checksums that sha256sum agrees with', async () => {
    const files = await openElsewhere(path.join(folder, zip.fileName))
    const lines = files.get(`${folderName}/SHA256SUMS`)!.toString('utf8').trimEnd().split('\n')
    expect(lines).toHaveLength(4)
    for (const line of lines) {
      const [hash, name] = line.split('  ')
      expect(hash).toBe(sha256(files.get(`${folderName}/${name}`)!))
    }
  })

  it('reports the offset of each file, so that one master can be sliced out of it', () => {
    const handle = openSync(path.join(folder, zip.fileName), 'r')
    for (const [platform, file] of [
      ['melon', 'melon'],
      ['youtube', 'spotify'],
    ] as const) {
      const entry = zip.entries.find(({ name }) => name === `${folderName}/등불 아래_${platform}.wav`)!
      const bytes = Buffer.alloc(entry.sizeBytes)
      readSync(handle, bytes, 0, bytes.length, entry.offset)
      expect(bytes.equals(contents[file])).toBe(true)
    }
    expect(zip.entries).toHaveLength(5)
  })

  it('has the reported size and hash', () => {
    const bytes = readFileSync(path.join(folder, zip.fileName))
    expect(zip).toMatchObject({ fileName: `${folderName}.zip`, sizeBytes: bytes.length, sha256: sha256(bytes) })
  })

  it.runIf(hasProgram('python3'))('is whole for Python, too, and tells no time', () => {
    const script =
      'import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nprint(z.testzip(), {i.date_time for i in z.infolist()}, {i.compress_type for i in z.infolist()})'
    const said = execFileSync('python3', ['-c', script, path.join(folder, zip.fileName)], { encoding: 'utf8' })
    expect(said.trim()).toBe('None {(1980, 1, 1, 0, 0, 0)} {0}')
  })
})

/** What comes before the name of an entry (PKWARE APPNOTE, section 4.3.7). */
const LOCAL_HEADER_BYTES = 30
/** What ends the file; the place of the directory is its member at 16 (PKWARE APPNOTE, section 4.3.16). */
const END_RECORD_BYTES = 22

describe('reading a ZIP back', () => {
  const damaged = (name: string, change: (bytes: Buffer) => Buffer) => {
    const file = path.join(folder, name)
    writeFileSync(file, change(readFileSync(path.join(folder, zip.fileName))))
    return file
  }

  it('detects one changed byte in a master', async () => {
    const entry = zip.entries.find(({ name }) => name.endsWith('_melon.wav'))!
    const file = damaged('flipped.zip', (bytes) => {
      bytes[entry.offset + 5]! ^= 1
      return bytes
    })
    await expect(readWholeZip(file)).rejects.toThrow(/damaged/)
  })

  it('detects an entry that is not the one in the directory', async () => {
    const file = damaged('misnamed.zip', (bytes) => {
      bytes[LOCAL_HEADER_BYTES]! ^= 1
      return bytes
    })
    await expect(readWholeZip(file)).rejects.toThrow(/disagree/)
  })

  it('detects a ZIP that was cut short', async () => {
    await expect(readWholeZip(damaged('cut.zip', (bytes) => bytes.subarray(0, -100)))).rejects.toThrow(/truncated/)
    await expect(readWholeZip(damaged('tiny.zip', (bytes) => bytes.subarray(0, 10)))).rejects.toThrow(/truncated/)
  })

  it.each([
    ['method', 10],
    ['compressed size', 20],
  ])('detects a compressed entry by its %s alone', async (_name, at) => {
    const file = damaged('compressed.zip', (bytes) => {
      const directory = bytes.readUInt32LE(bytes.length - END_RECORD_BYTES + 16)
      bytes[directory + at]! ^= 8
      return bytes
    })
    await expect(readWholeZip(file)).rejects.toThrow(/compressed/)
  })

  it('fails if a master is missing, instead of leaving it out', async () => {
    const masters = [{ file: 'a.wav', path: path.join(folder, 'gone.raw'), sha256: '' }] as const
    await expect(packageResult(folder, 'gone', { masters, texts: [] })).rejects.toThrow()
  })
})
