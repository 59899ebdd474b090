/** Reads a finished ZIP back, without the code that wrote it: PKWARE APPNOTE 6.3.10, stored entries, sizes below 4 GB. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'

/** One file in a ZIP: stored, so its bytes lie there as they are and can be served by range. */
export interface StoredEntry {
  /** Full name inside the ZIP: `<folder>/<file>`. */
  readonly name: string
  /** Place of the first byte of the file's content in the ZIP. */
  readonly offset: number
  readonly sizeBytes: number
}

/** A ZIP that has been read to its last byte and found whole. */
export interface WholeZip {
  readonly entries: readonly StoredEntry[]
  readonly sizeBytes: number
  readonly sha256: string
}

const END_BYTES = 22
const CENTRAL_BYTES = 46
const LOCAL_BYTES = 30
const UTF8_NAMES = 0x0800
const CHUNK_BYTES = 1 << 20

/**
 * Returns the places of all files in a ZIP and its SHA-256 after every byte has been read and every checksum compared. Throws an Error
 * that says what is wrong when the ZIP is cut short, compressed or damaged.
 */
export async function readWholeZip(path: string, signal?: AbortSignal): Promise<WholeZip> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const entries = await readDirectory(handle, size)
    const sha256 = await readContents(handle, size, entries, signal)
    return {
      entries: entries.map(({ name, offset, sizeBytes }) => ({ name, offset, sizeBytes })),
      sizeBytes: size,
      sha256,
    }
  } finally {
    await handle.close()
  }
}

interface CheckedEntry extends StoredEntry {
  readonly checksum: number
}

async function readDirectory(handle: FileHandle, size: number): Promise<CheckedEntry[]> {
  // Our ZIPs carry no comment, so the end record is the last thing in the file.
  const end = await readExactly(handle, size - END_BYTES, END_BYTES)
  if (end.readUInt32LE(0) !== 0x0605_4b50) throw new Error('the ZIP has no end')
  const count = end.readUInt16LE(10)
  const directory = await readExactly(handle, end.readUInt32LE(16), end.readUInt32LE(12))
  const entries: CheckedEntry[] = []
  for (let at = 0; entries.length < count; ) {
    if (directory.readUInt32LE(at) !== 0x0201_4b50) throw new Error('the directory of the ZIP is damaged')
    const nameBytes = directory.readUInt16LE(at + 28)
    const name = directory.subarray(at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameBytes)
    entries.push(await locateEntry(handle, directory.subarray(at, at + CENTRAL_BYTES), name))
    at += CENTRAL_BYTES + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  return entries
}

async function locateEntry(handle: FileHandle, central: Buffer, name: Buffer): Promise<CheckedEntry> {
  const isAscii = name.every((byte) => byte < 0x80)
  if (!isAscii && !(central.readUInt16LE(8) & UTF8_NAMES)) throw new Error('a name in the ZIP is not marked as UTF-8')
  const sizeBytes = central.readUInt32LE(24)
  const isStored = central.readUInt16LE(10) === 0 && central.readUInt32LE(20) === sizeBytes
  if (!isStored) throw new Error('an entry of the ZIP is compressed')
  const start = central.readUInt32LE(42)
  const local = await readExactly(handle, start, LOCAL_BYTES + name.length)
  if (local.readUInt32LE(0) !== 0x0403_4b50 || !local.subarray(LOCAL_BYTES).equals(name)) {
    throw new Error('the ZIP and its directory disagree')
  }
  const offset = start + LOCAL_BYTES + name.length + local.readUInt16LE(28)
  return { name: name.toString('utf8'), offset, sizeBytes, checksum: central.readUInt32LE(16) }
}

/** One pass over the file: the hash of all of it, the checksum of each entry. */
async function readContents(
  handle: FileHandle,
  size: number,
  entries: readonly CheckedEntry[],
  signal: AbortSignal | undefined,
): Promise<string> {
  const hash = createHash('sha256')
  const checksums = new Map<CheckedEntry, number>(entries.map((entry) => [entry, 0]))
  const buffer = Buffer.alloc(CHUNK_BYTES)
  for (let position = 0; position < size; ) {
    signal?.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position)
    if (bytesRead === 0) throw new Error('the ZIP ends too early')
    hash.update(buffer.subarray(0, bytesRead))
    for (const [entry, sum] of checksums) {
      const from = Math.max(0, entry.offset - position)
      const to = Math.min(bytesRead, entry.offset + entry.sizeBytes - position)
      if (to > from) checksums.set(entry, crc32(buffer.subarray(from, to), sum))
    }
    position += bytesRead
  }
  for (const [entry, sum] of checksums) {
    if (sum !== entry.checksum) throw new Error(`${entry.name} is damaged inside the ZIP`)
  }
  return hash.digest('hex')
}

async function readExactly(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0) throw new Error('the ZIP is cut short')
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await handle.read(bytes, 0, length, position)
  if (bytesRead < length) throw new Error('the ZIP is cut short')
  return bytes
}
