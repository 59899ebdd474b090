/** Layout of a ZIP of stored files (APPNOTE.TXT 6.3.10): its headers, and the places of the files between them. Pure. */

/** A file that is to be in a ZIP. */
export interface ZipFile {
  /** Full name inside the ZIP, with slashes. */
  readonly name: string
  readonly sizeBytes: number
  readonly crc32: number
}

/** Place of a file's bytes in a ZIP. */
export interface ZipEntry {
  readonly name: string
  /** First byte of its content. */
  readonly offset: number
  readonly sizeBytes: number
}

/** A ZIP without the bytes of its files. */
export interface ZipLayout<Entry extends ZipEntry = ZipEntry> {
  readonly sizeBytes: number
  /** In the order of their bytes. */
  readonly entries: readonly Entry[]
  /** All bytes outside the files, in order. */
  readonly headers: Uint8Array
}

/** Bytes of a ZIP: of its headers, or `sizeBytes` bytes of a file from `start` on. */
export type ZipPart<Entry> = Uint8Array | { readonly entry: Entry; readonly start: number; readonly sizeBytes: number }

/** Highest value of a member of 32 bits, which stands for a value in the ZIP64 record (section 4.4.1.4). */
const MAX_32 = 0xffffffff
/** Versions needed to read a plain file and ZIP64, tenths. */
const PLAIN_VERSION = 20
const ZIP64_VERSION = 45
/** Host system of the access rights: Unix. */
const MADE_BY = (3 << 8) | ZIP64_VERSION
/** Names are UTF-8. Size and checksum stand in the local header, not behind the bytes: streaming readers need them. */
const UTF8_FLAG = 0x800
/** The first day of the format, 1980-01-01, 0:00, as time and date of MS-DOS: a ZIP does not depend on the clock. */
const FIXED_DATE = 0x0021_0000
/** A regular file with mode 0644, and the archive attribute of MS-DOS. */
const ATTRIBUTES = 0o100644 * 0x10000 + 0x20
const ZIP64_ID = 1
const END64_BYTES = 56

/** Returns the layout of a ZIP with these files in this order. Throws a RangeError for more than 65 535 files. */
export function layOutZip(files: readonly ZipFile[]): ZipLayout {
  const headers: Buffer[] = []
  const directory: Buffer[] = []
  const entries: ZipEntry[] = []
  let at = 0
  for (const file of files) {
    const local = localHeader(file)
    directory.push(directoryHeader(file, at))
    headers.push(local)
    const offset = at + local.length
    entries.push({ name: file.name, offset, sizeBytes: file.sizeBytes })
    at = offset + file.sizeBytes
  }
  const whole = Buffer.concat(directory)
  const end = endRecords(files.length, whole.length, at)
  return { sizeBytes: at + whole.length + end.length, entries, headers: Buffer.concat([...headers, whole, end]) }
}

/** Returns the bytes of a ZIP from `start` to before `end`, in order. */
export function* zipParts<Entry extends ZipEntry>(
  { sizeBytes, entries, headers }: ZipLayout<Entry>,
  start = 0,
  end = sizeBytes,
): Generator<ZipPart<Entry>> {
  let [at, read] = [0, 0]
  const headersTo = function* (next: number) {
    const [from, to] = [Math.max(start, at), Math.min(end, next)]
    if (from < to) yield headers.subarray(read + from - at, read + to - at)
    read += next - at
  }
  for (const entry of entries) {
    yield* headersTo(entry.offset)
    at = entry.offset + entry.sizeBytes
    const [from, to] = [Math.max(start, entry.offset), Math.min(end, at)]
    if (from < to) yield { entry, start: from - entry.offset, sizeBytes: to - from }
  }
  yield* headersTo(sizeBytes)
}

/** Sections 4.3.7 and 4.5.3. */
function localHeader({ name, sizeBytes, crc32 }: ZipFile): Buffer {
  const extra = sizeBytes >= MAX_32 ? zip64Extra([sizeBytes, sizeBytes]) : Buffer.alloc(0)
  return Buffer.concat([
    Buffer.from('PK\x03\x04'),
    commonMembers(name, { crc32, sizeBytes: Math.min(sizeBytes, MAX_32), extra }),
    Buffer.from(name),
    extra,
  ])
}

/** Section 4.3.12. */
function directoryHeader({ name, sizeBytes, crc32 }: ZipFile, offset: number): Buffer {
  // All three values or none: UnZip 6 misreads fewer behind a file of exactly 4 GiB − 1.
  const isLarge = sizeBytes >= MAX_32 || offset >= MAX_32
  const extra = isLarge ? zip64Extra([sizeBytes, sizeBytes, offset]) : Buffer.alloc(0)
  const size = isLarge ? MAX_32 : sizeBytes
  return Buffer.concat([
    Buffer.from('PK\x01\x02'),
    numbers([2, MADE_BY]),
    commonMembers(name, { crc32, sizeBytes: size, extra }),
    // No comment; the first disk; no internal attributes.
    numbers([2, 0], [2, 0], [2, 0], [4, ATTRIBUTES], [4, isLarge ? MAX_32 : offset]),
    Buffer.from(name),
    extra,
  ])
}

/** Returns the members that both headers of a file have. */
function commonMembers(
  name: string,
  { crc32, sizeBytes: size, extra }: Omit<ZipFile, 'name'> & { readonly extra: Buffer },
): Buffer {
  const version = extra.length > 0 ? ZIP64_VERSION : PLAIN_VERSION
  // Method 0: stored.
  const facts = numbers([2, version], [2, UTF8_FLAG], [2, 0], [4, FIXED_DATE], [4, crc32], [4, size], [4, size])
  return Buffer.concat([facts, numbers([2, Buffer.byteLength(name)], [2, extra.length])])
}

function zip64Extra(values: readonly number[]): Buffer {
  return numbers([2, ZIP64_ID], [2, 8 * values.length], ...values.map((value) => [8, value] as const))
}

/** Sections 4.3.14 to 4.3.16. */
function endRecords(count: number, directoryBytes: number, offset: number): Buffer {
  const isLarge = directoryBytes >= MAX_32 || offset >= MAX_32
  const end64 = numbers(
    ...([
      [8, END64_BYTES - 12],
      [2, MADE_BY],
      [2, ZIP64_VERSION],
      [4, 0],
      [4, 0],
    ] as const),
    ...([
      [8, count],
      [8, count],
      [8, directoryBytes],
      [8, offset],
    ] as const),
  )
  const locator = numbers([4, 0], [8, offset + directoryBytes], [4, 1])
  const entries = [2, count] as const
  const end = numbers(
    ...([[2, 0], [2, 0], entries, entries] as const),
    ...([
      [4, Math.min(directoryBytes, MAX_32)],
      [4, Math.min(offset, MAX_32)],
      [2, 0],
    ] as const),
  )
  const large = [Buffer.from('PK\x06\x06'), end64, Buffer.from('PK\x06\x07'), locator]
  return Buffer.concat([...(isLarge ? large : []), Buffer.from('PK\x05\x06'), end])
}

/** Returns unsigned numbers, each of so many bytes, the lowest first. */
function numbers(...members: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Buffer {
  const buffer = Buffer.alloc(members.reduce((sum, [bytes]) => sum + bytes, 0))
  let at = 0
  for (const [bytes, value] of members) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}
