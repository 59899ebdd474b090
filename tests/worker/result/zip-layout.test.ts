/** ZIPs made of headers and files, as programs of another hand read them. */
import { execFileSync } from 'node:child_process'
import { ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { ZipArchive } from 'archiver'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Entry, fromBufferPromise, openPromise, type ZipFile } from 'yauzl'
import { layOutZip, zipParts } from '../../../src-worker/result/zip-layout.ts'
import { hasProgram, python3, whereInstalled } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const folder = temporaryFolder()

interface Content {
  readonly name: string
  readonly bytes: Uint8Array
}

const layoutOf = (contents: readonly Content[]) =>
  layOutZip(contents.map(({ name, bytes }) => ({ name, sizeBytes: bytes.length, crc32: crc32(bytes) })))

/** Bytes of a ZIP from `start` to before `end`, as an answer sends them. */
function bytesOf(contents: readonly Content[], start?: number, end?: number): Buffer {
  const layout = layoutOf(contents)
  const parts = [...zipParts(layout, start, end)].map((part) =>
    part instanceof Uint8Array
      ? part
      : contents[layout.entries.indexOf(part.entry)]!.bytes.subarray(part.start, part.start + part.sizeBytes),
  )
  return Buffer.concat(parts)
}

/** Reads a ZIP with yauzl, which compares headers with the directory and checks every checksum. */
async function readAll(zip: ZipFile) {
  const files: unknown[] = []
  for await (const entry of zip.eachEntry()) {
    const { fileName, generalPurposeBitFlag: flags, compressionMethod, externalFileAttributes, versionMadeBy } = entry
    const local = await zip.readLocalFileHeaderPromise(entry)
    const bytes = await buffer(await zip.openReadStreamPromise(entry))
    files.push({
      ...{ fileName, compressionMethod, externalFileAttributes, versionMadeBy, date: dateOf(entry) },
      ...{ localDate: local.lastModFileDate, localTime: local.lastModFileTime, bytes: bytes.toString('hex') },
      ...{ sizeBytes: entry.uncompressedSize, crc32: entry.crc32, encryption: flags & 1 },
    })
  }
  return files
}

const dateOf = (entry: Entry) => entry.getLastModDate({ timezone: 'UTC' }).toISOString()

function archived(contents: readonly Content[]): Promise<Buffer> {
  const archive = new ZipArchive({ store: true })
  for (const { name, bytes } of contents)
    archive.append(Buffer.from(bytes), { name, date: '1980-01-01T00:00:00Z', mode: 0o644 })
  void archive.finalize()
  return buffer(archive)
}

const name = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'aZ0 -_.등불é🎵') })
const contents = fc
  .uniqueArray(fc.record({ name: name.map((text) => `폴더/${text}.wav`), bytes: fc.uint8Array({ maxLength: 300 }) }), {
    selector: (one) => one.name,
    maxLength: 8,
  })
  .filter((files) => files.every((one) => !one.name.includes('..')))

test('the same files give the ZIP that archiver writes: same names, order, dates, rights and bytes', async () => {
  await fc.assert(
    fc.asyncProperty(contents, async (files) => {
      const [ours, theirs] = [bytesOf(files), await archived(files)]
      expect(await readAll(await fromBufferPromise(ours))).toEqual(await readAll(await fromBufferPromise(theirs)))
    }),
    { numRuns: 100 },
  )
})

test('any parts of a ZIP, put together, are its bytes', () => {
  fc.assert(
    fc.property(contents, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }), (files, cuts) => {
      const whole = bytesOf(files)
      expect(whole.length).toBe(layoutOf(files).sizeBytes)
      const at = [0, ...cuts.map((cut) => Math.floor(cut * whole.length)).sort((a, b) => a - b), whole.length]
      for (const [i, start] of at.slice(0, -1).entries())
        expect(bytesOf(files, start, at[i + 1]).equals(whole.subarray(start, at[i + 1]))).toBe(true)
    }),
    { numRuns: 300 },
  )
})

const SMALL = [
  { name: '등불 아래_master/등불 아래_melon.wav', bytes: Buffer.from('melon'.repeat(50_000)) },
  { name: '등불 아래_master/empty.txt', bytes: Buffer.alloc(0) },
  { name: '등불 아래_master/SHA256SUMS', bytes: Buffer.from('00  a\n') },
]

/** Reads every file without the directory, as a program that receives the ZIP as a stream must. */
const JAVA = `import java.io.*; import java.util.zip.*;
class Read { public static void main(String[] args) throws IOException {
  try (var zip = new ZipInputStream(new FileInputStream(args[0]))) {
    for (ZipEntry entry; (entry = zip.getNextEntry()) != null; )
      System.out.println(entry.getName().codePointAt(0) + " " + zip.readAllBytes().length);
  } } }`
const PYTHON = `import sys, zipfile
zip = zipfile.ZipFile(sys.argv[1])
print(zip.testzip(), [(ord(one.filename[0]), one.file_size, one.date_time) for one in zip.infolist()])`

const READERS = [
  { program: 'unzip', args: (zip: string) => ['-tqq', zip], says: '' },
  { program: '7z', args: (zip: string) => ['t', '-bso0', zip], says: '' },
  {
    program: 'python3',
    args: (zip: string) => ['-c', PYTHON, zip],
    says: `None [${SMALL.map(({ bytes }) => `(46321, ${bytes.length}, (1980, 1, 1, 0, 0, 0))`).join(', ')}]\n`,
  },
  {
    program: 'java',
    args: (zip: string) => {
      const source = path.join(folder, 'Read.java')
      writeFileSync(source, JAVA)
      return ['-XX:TieredStopAtLevel=1', source, zip]
    },
    says: SMALL.map(({ bytes }) => `46321 ${bytes.length}\n`).join(''),
  },
]

const commandOf = (program: string) => (program === 'python3' ? python3 : program)

test.each(whereInstalled(READERS, ({ program }) => program))(
  '$program reads a ZIP whole',
  ({ program, args, says }) => {
    const zip = path.join(folder, 'small.zip')
    writeFileSync(zip, bytesOf(SMALL))
    expect(execFileSync(commandOf(program), args(zip), { encoding: 'utf8' })).toBe(says)
  },
)

describe('a ZIP above 4 GiB', () => {
  const large = path.join(folder, 'large.zip')
  const tail = Buffer.from('behind 4 GiB')

  /** Writes a ZIP whose first file is a hole of `sizeBytes`. */
  function writeSparse(sizeBytes: number) {
    const layout = layOutZip([
      { name: 'hole.wav', sizeBytes, crc32: 0 },
      { name: 'tail.txt', sizeBytes: tail.length, crc32: crc32(tail) },
    ])
    const file = openSync(large, 'w')
    ftruncateSync(file, layout.sizeBytes)
    let at = 0
    for (const part of zipParts(layout)) {
      if (part instanceof Uint8Array) writeSync(file, part, 0, part.length, at)
      else if (part.entry === layout.entries[1]) writeSync(file, tail, 0, tail.length, at)
      at += part instanceof Uint8Array ? part.length : part.sizeBytes
    }
    expect(at).toBe(layout.sizeBytes)
  }

  // On both sides of what 32 bits hold: the size of the file, and the place of the next.
  test.each([-45, -38, -1, 0, 1, 5000])('is read by others, 4 GiB − 1 and %i bytes', async (more) => {
    const sizeBytes = 0xffffffff + more
    writeSparse(sizeBytes)
    const zip = await openPromise(large)
    const read: [string, number][] = []
    for await (const entry of zip.eachEntry()) {
      await zip.readLocalFileHeaderPromise(entry)
      read.push([entry.fileName, entry.uncompressedSize])
      if (entry.fileName === 'tail.txt') expect(await buffer(await zip.openReadStreamPromise(entry))).toEqual(tail)
    }
    zip.close()
    expect(read).toEqual([
      ['hole.wav', sizeBytes],
      ['tail.txt', tail.length],
    ])
    if (hasProgram('unzip')) expect(execFileSync('unzip', ['-p', large, 'tail.txt'])).toEqual(tail)
  })
})
