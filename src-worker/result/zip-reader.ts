/** Lists a finished ZIP with another library than the writer's. */
import type { Readable } from 'node:stream'
import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import type { ZipEntry } from './zip-layout.ts'

/** Bytes of a ZIP that is open already. */
export interface ZipBytes {
  readonly sizeBytes: number
  readonly stream: (part: { readonly start: number; readonly sizeBytes: number }) => Readable
}

/** Most files in a ZIP that is listed: more than a record with every format and every master has. */
const MAX_ENTRIES = 10_000

/**
 * Returns the positions of all files in a ZIP, read from its directory. Throws an Error for anything else, for a compressed ZIP, and for
 * too many files.
 */
export async function listEntries(bytes: ZipBytes): Promise<ZipEntry[]> {
  const zip = await fromRandomAccessReaderPromise(new BytesReader(bytes), bytes.sizeBytes, { strictFileNames: true })
  if (zip.entryCount > MAX_ENTRIES) throw new Error(`${zip.entryCount} files`)
  return readDirectory(zip)
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

async function readDirectory(zip: ZipFile): Promise<ZipEntry[]> {
  const entries: ZipEntry[] = []
  for await (const entry of zip.eachEntry()) {
    // yauzl itself compares the sizes of a stored entry.
    if (entry.compressionMethod !== 0) throw new Error(`${entry.fileName} is compressed inside the ZIP`)
    const local = await zip.readLocalFileHeaderPromise(entry)
    if (!local.fileName.equals(entry.fileNameRaw)) throw new Error('the ZIP and its directory disagree')
    entries.push({ name: entry.fileName, offset: local.fileDataStart, sizeBytes: entry.uncompressedSize })
  }
  return entries
}
