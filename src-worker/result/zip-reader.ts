/** Reads a finished ZIP back with another library than the writer's. */
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { fromRandomAccessReaderPromise, openPromise, RandomAccessReader, type ZipFile } from 'yauzl'

/** One file in a ZIP: stored uncompressed, so its bytes can be served by range. */
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

/** Bytes of a ZIP that is open already. */
export interface ZipBytes {
  readonly sizeBytes: number
  readonly stream: (part: { readonly start: number; readonly sizeBytes: number }) => Readable
}

/** Bytes that are read at once. */
const CHUNK_BYTES = 1 << 20
/** Most files in a ZIP that is listed: more than a record with every format and every master has. */
const MAX_ENTRIES = 10_000

/**
 * Reads a whole ZIP, checks every checksum, and returns the positions of all files and its SHA-256. Throws an Error that names the problem
 * if the ZIP is cut short, compressed or damaged.
 */
export async function readWholeZip(path: string, signal?: AbortSignal): Promise<WholeZip> {
  const entries = await readDirectory(await openPromise(path, { strictFileNames: true }))
  const contents = await readContents(path, entries, signal)
  return { entries: entries.map(({ name, offset, sizeBytes }) => ({ name, offset, sizeBytes })), ...contents }
}

/**
 * Returns the positions of all files in a ZIP, only from its directory. Throws an Error for anything else, for a compressed ZIP, and for
 * too many files.
 */
export async function listEntries(bytes: ZipBytes): Promise<StoredEntry[]> {
  const zip = await fromRandomAccessReaderPromise(new BytesReader(bytes), bytes.sizeBytes, { strictFileNames: true })
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`${zip.entryCount} files`)
  return (await readDirectory(zip)).map(({ name, offset, sizeBytes }) => ({ name, offset, sizeBytes }))
}

interface CheckedEntry extends StoredEntry {
  readonly checksum: number
}

/** yauzl's access to bytes that are open already. */
class BytesReader extends RandomAccessReader {
  readonly #bytes: ZipBytes

  constructor(bytes: ZipBytes) {
    super()
    this.#bytes = bytes
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return this.#bytes.stream({ start, sizeBytes: end - start })
  }
}

async function readDirectory(zip: ZipFile): Promise<CheckedEntry[]> {
  const entries: CheckedEntry[] = []
  for await (const entry of zip.eachEntry()) {
    // yauzl itself compares the sizes of a stored entry.
    if (entry.compressionMethod !== 0) throw new Error(`${entry.fileName} is compressed inside the ZIP`)
    const local = await zip.readLocalFileHeaderPromise(entry)
    if (!local.fileName.equals(entry.fileNameRaw)) throw new Error('the ZIP and its directory disagree')
    entries.push({
      name: entry.fileName,
      offset: local.fileDataStart,
      sizeBytes: entry.uncompressedSize,
      checksum: entry.crc32,
    })
  }
  return entries
}

/** Reads the file once for its whole hash and the checksum of each entry. */
async function readContents(
  path: string,
  entries: readonly CheckedEntry[],
  signal: AbortSignal | undefined,
): Promise<{ readonly sizeBytes: number; readonly sha256: string }> {
  const hash = createHash('sha256')
  const checksums = new Map<CheckedEntry, number>(entries.map((entry) => [entry, 0]))
  const buffer = Buffer.alloc(CHUNK_BYTES)
  let position = 0
  const handle = await open(path, 'r')
  try {
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position)
      if (bytesRead === 0) break
      hash.update(buffer.subarray(0, bytesRead))
      for (const [entry, sum] of checksums) {
        const from = Math.max(0, entry.offset - position)
        const to = Math.min(bytesRead, entry.offset + entry.sizeBytes - position)
        if (to > from) checksums.set(entry, crc32(buffer.subarray(from, to), sum))
      }
      position += bytesRead
    }
  } finally {
    await handle.close()
  }
  for (const [entry, sum] of checksums) {
    if (sum !== entry.checksum) throw new Error(`${entry.name} is damaged inside the ZIP`)
  }
  return { sizeBytes: position, sha256: hash.digest('hex') }
}
