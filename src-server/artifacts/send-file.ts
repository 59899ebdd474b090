/** Answers with a file, or with a slice of one, as downloads and players want it: lengths, ranges, entity tags, names. */
import { Readable } from 'node:stream'
import { openRegularFile, type RegularFile } from '../../src-system/regular-file.ts'
import { AppError } from '../http/app-error.ts'
import { type ByteRange, selectBytes } from './range.ts'

/** Bytes to send: a whole file, or `sizeBytes` of it from `offset` on. */
export interface SendableFile {
  /** Absolute path. */
  readonly path: string
  /** First byte within the file; 0 when absent. */
  readonly offset?: number
  /** Bytes from there on; to the end when absent. */
  readonly sizeBytes?: number
  /** The strong entity tag: SHA-256, lower-case hexadecimal, of the bytes or of all that they are made from. */
  readonly sha256: string
  readonly mediaType: string
  /** Name to save under. */
  readonly filename: string
  /** True if a browser should save the file rather than show or play it. */
  readonly isDownload?: boolean
}

/** Request headers used here. */
export interface FileRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** One of the answers 200, 206 and 304. */
export interface FileAnswer {
  readonly status: 200 | 206 | 304
  readonly bytes: Readable
  readonly headers: Readonly<Record<string, string | number>>
}

/**
 * Returns the answer to a GET of `file`, whole or a range, or to a HEAD, which ignores ranges. The file is opened before the answer starts,
 * so deleting it meanwhile is harmless. Throws PRECONDITION_FAILED if `If-Match` names another file, RANGE_NOT_SATISFIABLE for a range
 * outside, and `gone` when the file is missing or too short.
 */
export async function fileAnswer(file: SendableFile, request: FileRequest, gone: AppError): Promise<FileAnswer> {
  return bytesAnswer(await openBytes(file.path, gone), file, request, gone)
}

/** Open bytes, ready to read. */
export interface OpenBytes {
  readonly sizeBytes: number
  /** Returns `sizeBytes` bytes from `start` on as a stream. */
  stream(part: { readonly start: number; readonly sizeBytes: number }): Readable
  close(): Promise<void>
}

/** Opens a file of ours. Throws `gone` if it is missing, else as {@link openRegularFile} does. */
export function openBytes(path: string, gone: AppError): Promise<RegularFile> {
  return openRegularFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? gone : cause
  })
}

/** Returns the answer to a GET or HEAD of open bytes, which are closed when it has been sent. Throws as {@link fileAnswer} does. */
export async function bytesAnswer(
  opened: OpenBytes,
  file: Omit<SendableFile, 'path'>,
  request: FileRequest,
  gone: AppError,
): Promise<FileAnswer> {
  let stream: Readable | undefined
  try {
    const { offset = 0 } = file
    const available = opened.sizeBytes - offset
    const sizeBytes = file.sizeBytes ?? available
    if (sizeBytes > available || available < 0) throw gone
    const { status, range, headers } = selectionOf(request, { ...file, sizeBytes, tag: file.sha256 })
    if (range) {
      const { start, end } = range
      stream = opened.stream({ start: offset + start, sizeBytes: end - start + 1 })
      stream.once('close', () => void opened.close())
    }
    return { status, bytes: stream ?? Readable.from([]), headers }
  } finally {
    if (!stream) await opened.close()
  }
}

/** Bytes about to be sent, from any source. */
export interface SendableBytes extends Pick<SendableFile, 'mediaType' | 'filename' | 'isDownload'> {
  readonly sizeBytes: number
  /** Strong entity tag, without its quotes. */
  readonly tag: string
}

/**
 * Returns status and headers of the answer to a GET or HEAD, and the bytes to send; no bytes for an answer without a body. Throws
 * PRECONDITION_FAILED and RANGE_NOT_SATISFIABLE as {@link fileAnswer} does.
 */
export function selectionOf(
  { method, headers }: FileRequest,
  { sizeBytes, tag, mediaType, filename, isDownload }: SendableBytes,
): Pick<FileAnswer, 'status' | 'headers'> & { readonly range?: ByteRange } {
  const etag = `"${tag}"`
  const selection = selectBytes(sizeBytes, etag, {
    // Only GET has ranges (RFC 9110 section 14.2).
    range: method === 'GET' ? single(headers.range) : undefined,
    ifRange: single(headers['if-range']),
    ifMatch: single(headers['if-match']),
    ifNoneMatch: single(headers['if-none-match']),
  })
  const base = { etag, 'accept-ranges': 'bytes', 'cache-control': 'private, no-cache' }
  if (selection.kind === 'unchanged') return { status: 304, headers: base }
  if (selection.kind === 'another') throw new AppError('PRECONDITION_FAILED')
  if (selection.kind === 'outside') {
    throw new AppError('RANGE_NOT_SATISFIABLE', {}, { headers: { 'content-range': `bytes */${sizeBytes}` } })
  }
  const { start, end } = selection.kind === 'part' ? selection.range : { start: 0, end: sizeBytes - 1 }
  return {
    status: selection.kind === 'part' ? 206 : 200,
    ...(method !== 'HEAD' && end >= start ? { range: { start, end } } : {}),
    headers: {
      ...base,
      'content-type': mediaType,
      'content-length': end - start + 1,
      'content-disposition': disposition(filename, isDownload === true),
      ...(selection.kind === 'part' ? { 'content-range': `bytes ${start}-${end}/${sizeBytes}` } : {}),
    },
  }
}

const single = (header: string | string[] | undefined) => (Array.isArray(header) ? header.join(', ') : header)

/**
 * Returns a `Content-Disposition` (RFC 6266) with the name twice: as ASCII for old clients, every other character replaced by `_`,
 * and in full as `filename*` (RFC 8187). Never throws.
 */
export function disposition(filename: string, isDownload: boolean): string {
  const ascii = filename.normalize('NFC').replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const full = encodeURIComponent(filename.toWellFormed().normalize('NFC')).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${isDownload ? 'attachment' : 'inline'}; filename="${ascii}"; filename*=UTF-8''${full}`
}
