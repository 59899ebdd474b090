/** Stems in a ZIP, which may be hostile: its directory is judged whole before anything is written, and names never become paths. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { cleanName } from '../../src-contract/clean-name.ts'
import { type Accept, isFolderSongName, isSongName } from '../../src-contract/song-files.ts'
import { MAX_STEM_SET_BYTES, MAX_STEMS, MIN_STEMS } from '../../src-contract/stem-limits.ts'
import type { StemReason } from '../../src-contract/text/stem-reasons.ts'
import { decodeCp949 } from '../../src-worker/media/cp949.ts'
import { AppError } from '../http/app-error.ts'
import type { ReceivedFile } from '../uploads/receive.ts'
import { type Storage, watchRoom } from '../uploads/storage.ts'

/** Most entries of a ZIP: a session has some hundred files besides its stems. */
const MAX_ENTRIES = 1000
/** Largest ratio of all unpacked files to the ZIP, beyond {@link FREE_BYTES}: a set with many silent stems reaches 30. */
const MAX_RATIO = 200
/** Unpacked size that is allowed at any ratio, bytes. */
const FREE_BYTES = 67_108_864

/** Flags of an entry (PKWARE APPNOTE 4.4.4): encrypted, strongly encrypted, names in UTF-8. */
const ENCRYPTED = 0x1
const STRONGLY_ENCRYPTED = 0x40
const IN_UTF8 = 0x800
const STORED = 0
const DEFLATED = 8
/** Compression method of files encrypted with AES (WinZip, AE-1 and AE-2). */
const AES = 99
/** Extra field with the name in UTF-8 (Info-ZIP, "Unicode Path"): version and CRC-32 of the plain name come first. */
const UNICODE_PATH = 0x7075
const UNICODE_PATH_HEAD_BYTES = 5
/** File types in the upper half of the attributes, as Unix stores them; 0 if the packer stored none. */
const FILE_TYPE = 0xf000
const REGULAR = 0x8000
const FOLDER = 0x4000
/** Packers whose attributes hold Unix modes: Unix, and OS X. */
const UNIX_HOSTS = [3, 19]
/** Bytes of a local header before its name (PKWARE APPNOTE 4.3.7). */
const LOCAL_HEADER_BYTES = 30

export function unusableStems(reason: StemReason, values: Readonly<Record<string, string | number>> = {}): AppError {
  return new AppError('UNUSABLE_STEMS', { ...values, reason })
}

export interface UnzipOptions extends Pick<Storage, 'requireDisk'> {
  /** Existing folder for the stems, which are named by numbers. */
  readonly folder: string
  readonly accept?: Accept
  readonly signal: AbortSignal
}

/** A file in a ZIP by its name there. */
interface NamedEntry {
  readonly name: string
  readonly entry: Entry
}

/**
 * Unpacks the stems of a ZIP: its song files in the order of its directory, whatever folders they are in; others are left out. Throws
 * UNUSABLE_STEMS, INSUFFICIENT_STORAGE, the system's error, or the reason of an aborted `signal`; no stem is then left.
 */
export async function unzipStems(zipPath: string, zipBytes: number, options: UnzipOptions): Promise<ReceivedFile[]> {
  const zip = await yauzl
    .openPromise(zipPath, {
      ...{ decodeStrings: false, autoClose: false },
      // Sizes are compared here, where the refusal can say so.
      validateEntrySizes: false,
    })
    .catch((cause: unknown) => {
      throw systemError(cause) ?? unusableStems('no_zip')
    })
  const written: string[] = []
  try {
    const entries = await listStems(zip, zipBytes, options.accept)
    options.requireDisk(entries.reduce((sum, { entry }) => sum + entry.uncompressedSize, 0))
    const stems: ReceivedFile[] = []
    for (const [index, one] of entries.entries()) {
      const file = path.join(options.folder, `stem-${index}`)
      written.push(file)
      stems.push(await unzip(zip, one, file, options))
    }
    return stems
  } catch (error) {
    await Promise.all(written.map((file) => rm(file, { force: true })))
    options.signal.throwIfAborted()
    throw error
  } finally {
    zip.close()
  }
}

/** Returns the song files of a directory that is harmless as a whole. */
async function listStems(zip: ZipFile, zipBytes: number, accept: Accept): Promise<NamedEntry[]> {
  if (zip.entryCount > MAX_ENTRIES) throw unusableStems('too_many_entries', { limit: MAX_ENTRIES })
  const files: NamedEntry[] = []
  try {
    for await (const entry of zip.eachEntry()) {
      const name = nameOf(entry)
      requireHarmless(name, entry)
      if (!name.endsWith('/')) files.push({ name, entry })
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : (systemError(cause) ?? unusableStems('no_zip'))
  }
  requireApart(files, zipBytes)
  const isStem = accept ? isFolderSongName : isSongName
  const stems = files.filter(({ name }) => !name.startsWith('__MACOSX/') && isStem(path.posix.basename(name)))
  requireCount(stems.length)
  for (const { name, entry } of stems) requireReadable(name, entry)
  return stems
}

/** Throws UNUSABLE_STEMS unless a set may have so many stems. */
export function requireCount(count: number): void {
  if (count < MIN_STEMS) throw unusableStems('too_few', { count })
  if (count > MAX_STEMS) throw unusableStems('too_many', { count, limit: MAX_STEMS })
}

/** Throws UNUSABLE_STEMS if stems are too large together. */
export function requireSetSize(bytes: number): void {
  const gigabytes = MAX_STEM_SET_BYTES / 2 ** 30
  if (bytes > MAX_STEM_SET_BYTES) throw unusableStems('too_large', { gigabytes })
}

function requireHarmless(name: string, { versionMadeBy, externalFileAttributes }: Entry): void {
  const isOutside =
    name.startsWith('/') || /^[a-z]:/i.test(name) || name.split('/').includes('..') || name.includes('\0')
  if (name === '' || isOutside) throw unusableStems('outside', { name: shown(name) })
  const type = UNIX_HOSTS.includes(versionMadeBy >>> 8) ? (externalFileAttributes >>> 16) & FILE_TYPE : 0
  if (![0, REGULAR, FOLDER].includes(type)) throw unusableStems('not_a_file', { name: shown(name) })
}

/** Throws UNUSABLE_STEMS for files of one name, files that share bytes, and files that are too large or expand too much together. */
function requireApart(files: readonly NamedEntry[], zipBytes: number): void {
  const names = new Set<string>()
  let unpackedBytes = 0
  for (const { name, entry } of files) {
    if (names.has(name)) throw unusableStems('name_twice', { name: shown(name) })
    names.add(name)
    unpackedBytes += entry.uncompressedSize
  }
  requireSetSize(unpackedBytes)
  if (unpackedBytes > Math.max(FREE_BYTES, MAX_RATIO * zipBytes)) throw unusableStems('expands', { ratio: MAX_RATIO })
  const inPlace = files
    .map(({ entry }) => entry)
    .sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)
  let end = 0
  for (const { relativeOffsetOfLocalHeader: start, compressedSize } of inPlace) {
    if (start < end) throw unusableStems('overlap')
    end = start + LOCAL_HEADER_BYTES + compressedSize
  }
  if (end > zipBytes) throw unusableStems('no_zip')
}

function requireReadable(name: string, { generalPurposeBitFlag: flags, compressionMethod: method }: Entry): void {
  if ((flags & (ENCRYPTED | STRONGLY_ENCRYPTED)) !== 0 || method === AES) throw unusableStems('encrypted')
  if (method !== STORED && method !== DEFLATED) throw unusableStems('compression', { name: shown(name) })
}

async function unzip(
  zip: ZipFile,
  { name, entry }: NamedEntry,
  file: string,
  { requireDisk, signal }: UnzipOptions,
): Promise<ReceivedFile> {
  const hash = createHash('sha256')
  const requireRoom = watchRoom(requireDisk)
  const damaged = () => unusableStems('wrong_size', { name: shown(name) })
  let sizeBytes = 0
  let sum = 0
  /** Counts and hashes on the way; a generator, to distinguish faults of the ZIP from errors of the disk. */
  async function* checked(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
        sizeBytes += chunk.length
        if (sizeBytes > entry.uncompressedSize) throw damaged()
        requireRoom(chunk.length)
        hash.update(chunk)
        sum = crc32(chunk, sum)
        yield chunk
      }
    } catch (cause) {
      throw cause instanceof AppError ? cause : (systemError(cause) ?? damaged())
    }
  }
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(checked, out, { signal })
  } finally {
    // A file that is still being opened would come after its removal.
    if (!out.closed) await once(out, 'close')
  }
  if (sizeBytes !== entry.uncompressedSize || sum !== entry.crc32) throw damaged()
  return { path: file, filename: cleanName(path.posix.basename(name)) || 'stem', sizeBytes, sha256: hash.digest('hex') }
}

/** Returns the name of an entry with slashes: UTF-8 where the entry says so or its bytes are, else the code page of Korean or Western Windows. */
function nameOf({ fileNameRaw, generalPurposeBitFlag, extraFields }: Entry): string {
  const own = extraFields?.find(({ id, data }) => id === UNICODE_PATH && data.length > UNICODE_PATH_HEAD_BYTES)
  const isOwn = own !== undefined && own.data.readUInt32LE(1) === crc32(fileNameRaw)
  const bytes = isOwn ? own.data.subarray(UNICODE_PATH_HEAD_BYTES) : fileNameRaw
  const isUtf8 = isOwn || (generalPurposeBitFlag & IN_UTF8) !== 0 || isValidUtf8(bytes)
  const name = isUtf8 ? bytes.toString('utf8') : (decodeCp949(bytes) ?? bytes.toString('latin1'))
  return name.replaceAll('\\', '/').normalize('NFC')
}

function isValidUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

const shown = (name: string) => cleanName(name).slice(0, 100)

/** Returns an error of the system, such as of a disk that cannot be read; undefined for a fault of the ZIP. */
function systemError(cause: unknown): unknown {
  const { code, syscall } = cause as NodeJS.ErrnoException
  return code !== undefined && syscall !== undefined ? cause : undefined
}
