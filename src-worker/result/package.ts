import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { ZipArchive } from 'archiver'
import { RESULT_TEXTS } from './names.ts'
import { readWholeZip, type StoredEntry } from './zip-reader.ts'

/** The finished, verified ZIP. */
export interface ResultZip {
  /** Name of the ZIP in the attempt folder, safe as a download name: `<folderName>.zip`. */
  readonly fileName: string
  /** The one folder inside: `<title>_master_<first 8 of job id>`. */
  readonly folderName: string
  readonly sizeBytes: number
  /** SHA-256, lower-case hexadecimal. */
  readonly sha256: string
  /** Every file in it, in the order of writing. */
  readonly entries: readonly StoredEntry[]
}

/** A master and its place in the ZIP. */
export interface PackedMaster {
  /** Name inside the folder. */
  readonly file: string
  /** Path of the written file; several masters may share it. */
  readonly path: string
  readonly sha256: string
}

/** A text for the ZIP, beside the masters. */
export interface PackedText {
  readonly file: string
  readonly text: string
}

/** Earliest date of the ZIP format; the ZIP does not depend on the clock. */
const FIXED_DATE = '1980-01-01T00:00:00Z'

/** Bytes that go through the archiver at once; its cost is per piece. */
const PIECE_BYTES = 1 << 20

/**
 * Writes `<folderName>.zip` into `folder`: the masters, the texts and SHA256SUMS in one folder, stored, then reads it back to its last
 * byte. Returns the position of every file in it. Throws the system's error (`ENOSPC` when the disk is full), an Error if the ZIP is
 * incomplete, or the reason of an aborted `signal`.
 */
export async function packageResult(
  folder: string,
  folderName: string,
  content: { readonly masters: readonly PackedMaster[]; readonly texts: readonly PackedText[] },
  signal?: AbortSignal,
): Promise<ResultZip> {
  const fileName = `${folderName}.zip`
  const target = path.join(folder, fileName)
  await writeZip(target, folderName, content, signal)
  const whole = await readWholeZip(target, signal)
  const expected = [...content.masters, ...content.texts, { file: RESULT_TEXTS.sums }].map(
    ({ file }) => `${folderName}/${file}`,
  )
  if (
    !isDeepStrictEqual(
      whole.entries.map(({ name }) => name),
      expected,
    )
  )
    throw new Error('the ZIP lacks a file')
  return { fileName, folderName, ...whole }
}

async function writeZip(
  target: string,
  folderName: string,
  { masters, texts }: { readonly masters: readonly PackedMaster[]; readonly texts: readonly PackedText[] },
  signal: AbortSignal | undefined,
): Promise<void> {
  const sums = { file: RESULT_TEXTS.sums, text: checksums(masters, texts) }
  const parts = [
    ...masters.map(({ file, path: source }) => ({
      file,
      open: () => createReadStream(source, { highWaterMark: PIECE_BYTES }),
    })),
    ...[...texts, sums].map(({ file, text }) => ({ file, open: () => Buffer.from(text, 'utf8') })),
  ]
  const output = createWriteStream(target, { mode: 0o600, highWaterMark: PIECE_BYTES })
  await pipeline(zipStream(folderName, parts), output, signal ? { signal } : {})
}

/** A file of a ZIP. A stream's length is written behind its bytes and a buffer's before them: masters are streams, texts are buffers. */
export interface ZipPart {
  readonly file: string
  readonly open: () => Readable | Buffer | Promise<Buffer>
}

/** Returns the ZIP of a result as a stream: the same parts give the same bytes. Fails as its parts do. */
export function zipStream(folderName: string, parts: readonly ZipPart[]): Readable {
  const archive = new ZipArchive({ store: true, highWaterMark: PIECE_BYTES })
  const closed = new AbortController()
  archive.once('close', () => closed.abort())
  feed(archive, folderName, parts, closed.signal).catch((error: Error) => archive.destroy(error))
  return archive
}

async function feed(
  archive: ZipArchive,
  folderName: string,
  parts: readonly ZipPart[],
  closed: AbortSignal,
): Promise<void> {
  for (const { file, open } of parts) {
    const bytes = await open()
    if (bytes instanceof Readable) bytes.on('error', (error) => archive.destroy(error))
    try {
      // One at a time, to have only one file open.
      const written = once(archive, 'entry', { signal: closed })
      archive.append(bytes, { name: `${folderName}/${file}`, date: FIXED_DATE, mode: 0o644 })
      await written
    } finally {
      if (bytes instanceof Readable) bytes.destroy()
    }
  }
  await archive.finalize()
}

/** The format of `sha256sum`: hash, two spaces, name. */
function checksums(masters: readonly PackedMaster[], texts: readonly PackedText[]): string {
  const lines = [
    ...masters.map(({ sha256, file }) => `${sha256}  ${file}`),
    ...texts.map(({ text, file }) => `${createHash('sha256').update(text, 'utf8').digest('hex')}  ${file}`),
  ]
  return `${lines.join('\n')}\n`
}
