/** Multipart requests, streamed to disk: counted and hashed on the way, limited by our own count, removed if they are refused. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { cleanName } from '../../src-contract/clean-name.ts'
import type { Detail } from '../../src-contract/text/details.ts'
import { discardFolder } from '../../src-system/disk.ts'
import { AppError, invalidRequest, unusable } from '../http/app-error.ts'
import { type BodyReading, bodyChunks } from '../http/body.ts'
import { askForBody } from '../http/expect-continue.ts'
import { MultipartError, type Part, readParts } from './multipart.ts'
import { decodeBytes, filenameOf, fromBase64, fromQuotedPrintable, type HeaderValue, parseHeader } from './part-head.ts'
import { type Storage, watchRoom } from './storage.ts'

/** One received file. */
export interface ReceivedFile {
  readonly path: string
  /** The client's name for it: only for display. */
  readonly filename: string
  readonly sizeBytes: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
}

/** A whole request. */
export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly files: ReadonlyMap<string, ReceivedFile>
  /** Files of the part that may be repeated, in the order of the request. */
  readonly repeated: readonly ReceivedFile[]
  /** Removes stored files that were not moved away; the next start removes locked ones. Never rejects. */
  discard(): Promise<void>
}

export interface ReceiveDeps extends BodyReading {
  /** A folder reserved for this request; it is created here. */
  readonly folder: string
  /** Accepted names of file parts, each once. */
  readonly files: readonly string[]
  /** Name of one more part, which may come several times, and the most that they may be. */
  readonly repeated?: { readonly name: string; readonly most: number }
  /** Name of a file part that may come as a text instead, and its largest size then, bytes. */
  readonly longText?: { readonly name: string; readonly maxBytes: number }
  /** Largest size of one file, inclusive. */
  readonly maxFileBytes: number
  /** Largest size of all files, if the request may not have the largest of each. */
  readonly maxTotalBytes?: number
  /** Throws INSUFFICIENT_STORAGE unless the disk has room for this many more bytes. */
  readonly requireDisk: Storage['requireDisk']
}

/** Most text fields of one form. */
const MAX_FIELDS = 100
/** Longest text field, bytes. */
const MAX_FIELD_BYTES = 65_536
/** Longest name of a field, characters. */
const MAX_FIELD_NAME_LENGTH = 200
/** Room for the fields and the headers of the parts. */
const MAX_TEXT_BYTES = 1_048_576
/** Buffer between network and disk, bytes. */
const WRITE_AHEAD_BYTES = 1_048_576
/** Longest stored file name, characters: as long as file systems allow. */
const MAX_FILENAME_LENGTH = 255

/**
 * Reads a multipart request to its end. Throws FILE_TOO_LARGE with the part's name as soon as one file exceeds `maxFileBytes`, or before
 * anything is stored if the declared length is conclusive; INSUFFICIENT_STORAGE likewise, before the disk is full; INVALID_REQUEST for an
 * unknown or repeated file part and for a body that is not multipart, UNSUPPORTED_MEDIA_TYPE for a compressed part, REQUEST_TIMEOUT for a
 * body that stops coming, and the reason of `signal` when the client is gone. After an error nothing is left on the disk, and the rest of
 * the body is unread.
 */
export async function receiveForm(request: IncomingMessage, options: ReceiveDeps): Promise<ReceivedForm> {
  const discard = () => discardFolder(options.folder)
  const bodyBytes = Number(request.headers['content-length'] ?? 0)
  if (bodyBytes > maxBodyBytes(options)) {
    throw tooLarge(
      options.maxTotalBytes ?? options.maxFileBytes,
      options.files.length === 1 ? options.files[0] : undefined,
    )
  }
  const boundary = parseHeader(request.headers['content-type'] ?? '').params.get('boundary')
  if (!boundary) throw invalidRequest('no_boundary')
  // A smaller one may contain only fields, which are not stored.
  if (bodyBytes > MAX_TEXT_BYTES) options.requireDisk(bodyBytes)
  askForBody(request)
  // On a read-only disk a recursive mkdir reports ENOENT; the plain one reports the cause.
  await mkdir(options.folder, { recursive: true, mode: 0o700 }).catch(() => mkdir(options.folder, { mode: 0o700 }))
  try {
    return { ...(await readForm(request, boundary, options)), discard }
  } catch (error) {
    await discard()
    options.signal.throwIfAborted()
    throw error instanceof MultipartError ? invalidRequest('not_multipart', { cause: error }) : error
  }
}

/** A text field as it came. */
interface RawText {
  readonly name: string
  readonly raw: string
  readonly charset: string | undefined
}

/** A stored file with its name still undecoded. */
type RawFile = Omit<ReceivedFile, 'filename'> & { readonly disposition: HeaderValue }

async function readForm(request: IncomingMessage, boundary: string, options: ReceiveDeps) {
  const texts: RawText[] = []
  const files = new Map<string, RawFile>()
  const repeated: RawFile[] = []
  const seen = new Set<string>()
  const known = [...options.files, ...(options.repeated ? [options.repeated.name] : [])]
  // A fault of one part does not end the reading: a file over the limit, which takes precedence, may still come.
  let fault: AppError | undefined
  const chunks = limited(bodyChunks(request, options), maxBodyBytes(options))
  for await (const { headers, content } of readParts(chunks, boundary)) {
    const disposition = parseHeader(headers.get('content-disposition') ?? '')
    const type = parseHeader(headers.get('content-type') ?? '')
    const rawName = disposition.value === 'form-data' ? disposition.params.get('name') : undefined
    if (rawName === undefined) continue
    const name = decodeBytes(rawName)
    const encoding = headers.get('content-encoding')?.toLowerCase()
    if (encoding !== undefined && encoding !== 'identity') {
      fault ??= new AppError('UNSUPPORTED_MEDIA_TYPE', { encoding }, { param: shortened(name) })
    } else if (isFile(name, disposition, type, known)) {
      const isRepeated = name === options.repeated?.name
      const misplaced =
        isRepeated && repeated.length < options.repeated.most
          ? undefined
          : misplacedFile(name, seen, known, isRepeated ? options.repeated.most : 1)
      fault ??= misplaced
      if (misplaced) continue
      seen.add(name)
      const place = path.join(options.folder, isRepeated ? `${name}-${repeated.length}` : name)
      const stored = await storeFile(content, place, name, options)
      // An empty file input of a page is sent as a part with an empty name.
      if (stored.sizeBytes === 0 && !filenameOf(disposition)) continue
      if (isRepeated) repeated.push({ ...stored, disposition })
      else files.set(name, { ...stored, disposition })
    } else {
      const { longText } = options
      const isLong = name === longText?.name
      const limit = isLong ? longText.maxBytes : MAX_FIELD_BYTES
      const { raw, isCut } = await readText(content, limit)
      // A song sent as a text is refused when the form is validated, with advice on how to send it.
      if (isCut && (isLong || !known.includes(name))) fault ??= tooManyBytes(shortened(name), limit)
      if (name.length > MAX_FIELD_NAME_LENGTH)
        fault ??= invalidRequest('field_name_too_long', { param: shortened(name) })
      if (texts.length === MAX_FIELDS) fault ??= invalidRequest('too_many_fields')
      else texts.push({ name, raw: transferred(raw, headers), charset: type.params.get('charset') })
    }
  }
  if (fault) throw fault
  return named(texts, files, repeated)
}

const shortened = (name: string) => name.slice(0, 100)

/**
 * Returns whether a part is a file: it has a file name, or its type is binary or sound. Some clients send a file without a name, and then
 * at least a type other than text.
 */
function isFile(
  name: string,
  { params }: HeaderValue,
  { value: type }: HeaderValue,
  known: readonly string[],
): boolean {
  if (filenameOf({ value: '', params }) !== undefined || type === 'application/octet-stream') return true
  return type.startsWith('audio/') || (known.includes(name) && type !== '' && !type.startsWith('text/'))
}

/** Returns why a file part is not wanted: under this name, or more often than `most` times. */
function misplacedFile(
  name: string,
  seen: ReadonlySet<string>,
  known: readonly string[],
  most: number,
): AppError | undefined {
  const isKnown = known.includes(name)
  if (isKnown && !seen.has(name)) return undefined
  const tooMany: Detail = most === 1 ? { rule: 'once' } : { rule: 'items_at_most', limit: most }
  const detail: Detail = isKnown ? tooMany : { rule: 'file_part', names: known }
  return unusable(shortened(name), detail)
}

/** Reads a text up to the longest allowed length; one character per byte. */
async function readText(
  content: AsyncIterable<Buffer>,
  maxBytes: number,
): Promise<{ readonly raw: string; readonly isCut: boolean }> {
  let raw = ''
  let isCut = false
  for await (const chunk of content) {
    const left = maxBytes - raw.length
    raw += chunk.toString('latin1', 0, left)
    isCut ||= chunk.length > left
  }
  return { raw, isCut }
}

/** Undoes the transfer encoding of mail programs (RFC 2045 section 6). */
function transferred(raw: string, headers: Part['headers']): string {
  switch (headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return fromBase64(raw)
    case 'quoted-printable':
      return fromQuotedPrintable(raw)
    default:
      return raw
  }
}

/** Decodes texts and names: a field `_charset_` sets the default encoding of parts that declare none (HTML, "multipart/form-data"). */
function named(
  texts: readonly RawText[],
  rawFiles: ReadonlyMap<string, RawFile>,
  rawRepeated: readonly RawFile[],
): Omit<ReceivedForm, 'discard'> {
  const standard = texts.find(({ name }) => name === '_charset_')?.raw.trim()
  const fields = new Map<string, string[]>()
  for (const { name, raw, charset = standard } of texts) {
    fields.set(name, [...(fields.get(name) ?? []), decodeBytes(raw, charset)])
  }
  fields.delete('_charset_')
  const shown = ({ disposition, ...file }: RawFile): ReceivedFile => ({
    ...file,
    filename: shownName(filenameOf(disposition, standard)),
  })
  const files = new Map([...rawFiles].map(([name, file]) => [name, shown(file)]))
  return { fields, files, repeated: rawRepeated.map(shown) }
}

async function storeFile(
  content: AsyncIterable<Buffer>,
  file: string,
  field: string,
  { maxFileBytes, requireDisk }: Pick<ReceiveDeps, 'maxFileBytes' | 'requireDisk'>,
) {
  const requireRoom = watchRoom(requireDisk)
  const hash = createHash('sha256')
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: WRITE_AHEAD_BYTES })
  const written = finished(target)
  // A disk error surfaces below, at any point of the loop.
  written.catch(() => {})
  let sizeBytes = 0
  try {
    for await (const chunk of content) {
      sizeBytes += chunk.length
      if (sizeBytes > maxFileBytes) throw tooLarge(maxFileBytes, field)
      requireRoom(chunk.length)
      hash.update(chunk)
      if (!target.write(chunk)) await Promise.race([once(target, 'drain'), written])
    }
    target.end()
    await written
    return { path: file, sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    target.destroy()
    throw error
  }
}

/** Largest body whose files can all be within the limit. */
function maxBodyBytes({ files, maxFileBytes, maxTotalBytes = files.length * maxFileBytes }: ReceiveDeps): number {
  return maxTotalBytes + MAX_TEXT_BYTES
}

/** Returns INVALID_REQUEST for a field of more than `limit` bytes. */
export function tooManyBytes(param: string, limit: number): AppError {
  return unusable(param, { rule: 'bytes_at_most', limit })
}

/** Returns FILE_TOO_LARGE for a file of more than `maxBytes`. */
export function tooLarge(maxBytes: number, field: string | undefined): AppError {
  const maxMegabytes = Math.floor(maxBytes / 1_048_576)
  return new AppError('FILE_TOO_LARGE', { maxMegabytes }, field === undefined ? {} : { param: field })
}

/** Yields chunks; throws INVALID_REQUEST when they are more than `maxBytes` together. */
async function* limited(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer, void> {
  let sizeBytes = 0
  for await (const chunk of chunks) {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes) throw invalidRequest('body_too_large')
    yield chunk
  }
}

/**
 * The client's file name without folders and control characters, composed, of bounded length. Clients write a quotation mark as %22
 * (WHATWG HTML, "multipart/form-data encoding algorithm").
 */
function shownName(filename: string | undefined): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? ''
  const clean = cleanName(last.replaceAll('%22', '"'))
  return [...clean].slice(0, MAX_FILENAME_LENGTH).join('') || 'audio'
}
