/** Multipart requests, streamed to disk: counted and hashed on the way, refused by our own count, gone when they are not wanted. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import type { Detail } from '../contract/text/details.ts'
import { discardFolder } from '../disk.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { askForBody } from '../http/held-body.ts'
import { cleanName } from '../http/person-name.ts'
import { type Storage, watchRoom } from './storage.ts'

/** One received file. */
export interface ReceivedFile {
  readonly path: string
  /** What the client called it: display text only. */
  readonly filename: string
  readonly sizeBytes: number
  /** Lower-case hexadecimal. */
  readonly sha256: string
}

/** A whole request. */
export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly files: ReadonlyMap<string, ReceivedFile>
  /** Removes what was stored and not moved away; the next start removes what the system holds back. Never rejects. */
  discard(): Promise<void>
}

export interface ReceiveOptions {
  /** A folder of this request alone; it is made here. */
  readonly folder: string
  /** Names of the file parts that may come, each once. */
  readonly files: readonly string[]
  /** Largest size of one file, inclusive. */
  readonly maxFileBytes: number
  /** Throws INSUFFICIENT_STORAGE unless the disk has room for so many bytes more. */
  readonly requireDisk: Storage['requireDisk']
  readonly signal: AbortSignal
}

const MAX_FIELDS = 100
const MAX_FIELD_BYTES = 65_536
/** Room for the fields and the headers of the parts. */
const MAX_TEXT_BYTES = 1_048_576
const WRITE_AHEAD_BYTES = 1_048_576
const MAX_FILENAME_LENGTH = 255

/**
 * Reads a multipart request to its end. Throws FILE_TOO_LARGE with the part's name as soon as one file is over `maxFileBytes`, and
 * before anything is stored where the declared length leaves no doubt; INSUFFICIENT_STORAGE likewise, before the disk is full; INVALID_REQUEST
 * for an unknown or repeated file part and for a body that is not multipart, and the reason of `signal` when the client is gone. Whatever
 * it throws, nothing is left on the disk; the rest of the body is unread.
 */
export async function receiveForm(request: IncomingMessage, options: ReceiveOptions): Promise<ReceivedForm> {
  const discard = () => discardFolder(options.folder)
  const bodyBytes = Number(request.headers['content-length'] ?? 0)
  if (bodyBytes > maxBodyBytes(options)) {
    throw tooLarge(options.maxFileBytes, options.files.length === 1 ? options.files[0] : undefined)
  }
  // A smaller one may hold fields alone, of which nothing is stored.
  if (bodyBytes > MAX_TEXT_BYTES) options.requireDisk(bodyBytes)
  askForBody(request)
  // On a read-only disk a recursive mkdir says ENOENT; the plain one says why.
  await mkdir(options.folder, { recursive: true, mode: 0o700 }).catch(() => mkdir(options.folder, { mode: 0o700 }))
  try {
    const { fields, files } = await parse(request, options)
    return { fields, files, discard }
  } catch (error) {
    await discard()
    options.signal.throwIfAborted()
    throw error
  }
}

async function parse(request: IncomingMessage, options: ReceiveOptions) {
  const fields = new Map<string, string[]>()
  const files = new Map<string, ReceivedFile>()
  const writes: Promise<void>[] = []
  const contents: Readable[] = []
  const failure = Promise.withResolvers<never>()
  // A failure may come while nobody waits for it yet.
  failure.promise.catch(() => {})
  let problem: AppError | undefined
  const seen = new Set<string>()

  const parser = createParser(request)
  parser.on('field', (name, value, isNameCut, isValueCut) => {
    // A song without a file name is a text: whoever reads the form says how it is sent.
    if (isNameCut || (isValueCut && !options.files.includes(name)))
      problem ??= invalidRequest('field_too_long', { param: name.slice(0, 100) })
    fields.set(name, [...(fields.get(name) ?? []), value])
  })
  parser.on('fieldsLimit', () => {
    problem ??= invalidRequest('too_many_fields')
  })
  parser.on('file', (name, content, filename) => {
    // An empty file input of a page is a part without a name.
    const isKnown = options.files.includes(name)
    if (!isKnown || seen.has(name)) {
      const detail: Detail = isKnown ? { rule: 'once' } : { rule: 'file_part', names: options.files }
      problem ??= new AppError('INVALID_REQUEST', {}, { param: name.slice(0, 100), details: [detail] })
      content.on('error', failure.reject).resume()
      return
    }
    seen.add(name)
    contents.push(content)
    const stored = storeFile(content, name, options)
    writes.push(
      stored.then(({ sizeBytes, sha256 }) => {
        const isEmptyInput = sizeBytes === 0 && !filename
        if (!isEmptyInput) {
          files.set(name, { path: path.join(options.folder, name), filename: shownName(filename), sizeBytes, sha256 })
        }
      }),
    )
    stored.catch(failure.reject)
  })
  const gone = () => failure.reject(options.signal.reason)
  if (options.signal.aborted) gone()
  options.signal.addEventListener('abort', gone, { once: true })
  request.once('error', failure.reject)
  limitBody(request, maxBodyBytes(options), failure.reject)
  const parsed = finished(parser).catch((cause: unknown) => {
    throw invalidRequest('not_multipart', { cause })
  })
  parsed.catch(() => {})
  try {
    request.pipe(parser)
    await Promise.race([parsed, failure.promise])
    await Promise.race([Promise.all(writes), failure.promise])
  } catch (error) {
    request.unpipe(parser)
    parser.destroy()
    for (const content of contents) content.destroy(error as Error)
    await Promise.allSettled(writes)
    throw error
  } finally {
    options.signal.removeEventListener('abort', gone)
    request.off('error', failure.reject)
  }
  if (problem) throw problem
  return { fields, files }
}

function createParser(request: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { fields: MAX_FIELDS, fieldSize: MAX_FIELD_BYTES, fieldNameSize: 200, headerPairs: 50 },
    })
  } catch (cause) {
    throw invalidRequest('no_boundary', { cause })
  }
}

async function storeFile(
  content: Readable,
  field: string,
  { folder, maxFileBytes, requireDisk }: Pick<ReceiveOptions, 'folder' | 'maxFileBytes' | 'requireDisk'>,
) {
  const file = path.join(folder, field)
  const requireRoom = watchRoom(requireDisk)
  const hash = createHash('sha256')
  const target = createWriteStream(file, { flags: 'wx', mode: 0o600, highWaterMark: WRITE_AHEAD_BYTES })
  const written = finished(target)
  // An error of the disk surfaces below, wherever the loop happens to be.
  written.catch(() => {})
  let sizeBytes = 0
  try {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length
      if (sizeBytes > maxFileBytes) throw tooLarge(maxFileBytes, field)
      requireRoom(chunk.length)
      hash.update(chunk)
      if (!target.write(chunk)) await Promise.race([once(target, 'drain'), written])
    }
    target.end()
    await written
    return { sizeBytes, sha256: hash.digest('hex') }
  } catch (error) {
    target.destroy()
    throw error
  }
}

/** Largest body in which no file is too large. */
function maxBodyBytes({ files, maxFileBytes }: ReceiveOptions): number {
  return files.length * maxFileBytes + MAX_TEXT_BYTES
}

/** Returns FILE_TOO_LARGE for a file of more than `maxBytes`. */
export function tooLarge(maxBytes: number, field: string | undefined): AppError {
  const maxMegabytes = Math.floor(maxBytes / 1_048_576)
  return new AppError('FILE_TOO_LARGE', { maxMegabytes }, field === undefined ? {} : { param: field })
}

function limitBody(request: IncomingMessage, maxBytes: number, fail: (error: AppError) => void): void {
  let sizeBytes = 0
  request.on('data', (chunk: Buffer) => {
    sizeBytes += chunk.length
    if (sizeBytes > maxBytes && sizeBytes - chunk.length <= maxBytes) fail(invalidRequest('body_too_large'))
  })
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
