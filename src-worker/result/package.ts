import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { close, closeSync, openSync, readSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { ZipArchive } from 'archiver'
import archiverCrc32 from 'crc-32'
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

/** A master as it goes into the ZIP. */
export interface PackedMaster {
  /** Name inside the folder. */
  readonly file: string
  /** Where it lies now; several masters may share one file. */
  readonly path: string
  readonly sha256: string
}

/** A text that goes into the ZIP beside the masters. */
export interface PackedText {
  readonly file: string
  readonly text: string
}

/** Earliest date a ZIP can say; the ZIP does not depend on the clock. */
const FIXED_DATE = '1980-01-01T00:00:00Z'

// The archiver adds up checksums in JavaScript, which takes half a second for five masters and Node's own function a quarter of that.
// It begins with a buffer in place of a number.
archiverCrc32.buf = (bytes, seed) =>
  crc32(bytes instanceof Uint8Array ? bytes : Uint8Array.from(bytes), typeof seed === 'number' ? seed : 0)

/** Large pieces: the archiver's cost is per piece. */
const PIECE_BYTES = 1 << 20

/**
 * Writes `<folderName>.zip` into `folder`: the masters, the texts and SHA256SUMS in one folder, stored, then reads it back to its
 * last byte. Returns where every file lies in it. Throws the system's error (`ENOSPC` when the disk is full), an Error when the
 * ZIP is not whole, or the reason of an aborted `signal`.
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
  if (whole.entries.length !== content.masters.length + content.texts.length + 1)
    throw new Error('the ZIP lacks a file')
  return { fileName, folderName, ...whole }
}

async function writeZip(
  target: string,
  folderName: string,
  { masters, texts }: { readonly masters: readonly PackedMaster[]; readonly texts: readonly PackedText[] },
  signal: AbortSignal | undefined,
): Promise<void> {
  const archive = new ZipArchive({ store: true, highWaterMark: PIECE_BYTES })
  const entry = (file: string) => ({ name: `${folderName}/${file}`, date: FIXED_DATE, mode: 0o644 })
  const output = createOutput(target)
  const written = pipeline(archive, output.stream, signal ? { signal } : {})
  const buffer = Buffer.allocUnsafe(PIECE_BYTES)
  for (const { file, path: source } of masters) {
    const bytes = Readable.from(readInPieces(source, buffer, output), { objectMode: false, highWaterMark: PIECE_BYTES })
    bytes.on('error', (error) => archive.destroy(error))
    archive.append(bytes, entry(file))
    // One after the other, so that no more than one file is open; an error of either end must not be waited past.
    await Promise.race([once(archive, 'entry'), written])
  }
  for (const { file, text } of texts) archive.append(Buffer.from(text, 'utf8'), entry(file))
  archive.append(Buffer.from(checksums(masters, texts), 'utf8'), entry('SHA256SUMS'))
  await Promise.all([archive.finalize(), written])
}

/**
 * Yields the bytes of a file, every piece in the same buffer, which is filled again when the ZIP has taken the last piece. New
 * memory for each, as Node's own streams take it, costs a twelfth of a whole job.
 */
async function* readInPieces(
  source: string,
  buffer: Buffer,
  output: ReturnType<typeof createOutput>,
): AsyncGenerator<Buffer> {
  const file = openSync(source, 'r')
  try {
    for (;;) {
      const length = readSync(file, buffer)
      if (length === 0 || output.stream.destroyed) return
      const taken = output.bytesWritten + length
      yield buffer.subarray(0, length)
      // A turn of the event loop is enough to bring a piece to its end, and lets in what else there is to hear.
      do await setImmediate()
      while (output.bytesWritten < taken && !output.stream.destroyed)
    }
  } finally {
    closeSync(file)
  }
}

/** The file that the ZIP goes to: what it was given is written when it asks for more. */
function createOutput(target: string) {
  const file = openSync(target, 'w', 0o600)
  let bytesWritten = 0
  const stream = new Writable({
    highWaterMark: PIECE_BYTES,
    write(bytes: Buffer, _encoding, done) {
      let failure: Error | null = null
      try {
        writeFileSync(file, bytes)
        bytesWritten += bytes.length
      } catch (error) {
        failure = error as Error
      }
      done(failure)
    },
    destroy: (cause, done) => close(file, (error) => done(cause ?? error)),
  })
  return {
    stream,
    get bytesWritten() {
      return bytesWritten
    },
  }
}

/** The format of `sha256sum`: hash, two spaces, name. */
function checksums(masters: readonly PackedMaster[], texts: readonly PackedText[]): string {
  const lines = [
    ...masters.map(({ sha256, file }) => `${sha256}  ${file}`),
    ...texts.map(({ text, file }) => `${createHash('sha256').update(text, 'utf8').digest('hex')}  ${file}`),
  ]
  return `${lines.join('\n')}\n`
}
