/** Streaming parser of multipart bodies (RFC 2046 section 5.1). */

/** One part. Its content is read to its end, or not at all: it is then skipped when the next part is asked for. */
export interface Part {
  /** Header fields by name in lower case, unfolded, a character a byte. */
  readonly headers: ReadonlyMap<string, string>
  readonly content: AsyncIterable<Buffer>
}

/** Error for a body that ends before its last boundary, or a part whose head is larger than 16 KiB. */
export class MultipartError extends Error {}

/** Largest head of one part, bytes. */
const MAX_HEAD_BYTES = 16_384
/** Most white space between a boundary and the end of its line (RFC 2046 calls it transport padding). */
const MAX_PADDING_BYTES = 1024

/**
 * Returns the parts of a body in their order; preamble and epilogue are skipped. The first boundary determines the line ends: CRLF or, in
 * hand-written scripts, LF. Throws a {@link MultipartError}, or as `chunks` does.
 */
export async function* readParts(chunks: AsyncIterator<Buffer>, boundary: string): AsyncGenerator<Part, void> {
  // A boundary at the very beginning has no line before it.
  const body = new Body(chunks, Buffer.from('\n'))
  for await (const _ of body.readContent(`\n--${boundary}`));
  const { lineEnd } = body.boundaryLine
  while (!body.boundaryLine.isLast) {
    const headers = parseHead(await body.readHead(lineEnd), lineEnd)
    const content = body.readContent(`${lineEnd}--${boundary}`, lineEnd.length)
    yield { headers, content }
    for await (const _ of content);
  }
  while (!(await chunks.next()).done);
}

/** Rest of a boundary's line: two hyphens, or white space and the end of the line. */
interface BoundaryLine {
  readonly isLast: boolean
  readonly lineEnd: '\r\n' | '\n'
  readonly paddingBytes: number
}

class Body {
  /** The line of the boundary that ended the last content. */
  boundaryLine: BoundaryLine = { isLast: true, lineEnd: '\n', paddingBytes: 0 }
  readonly #chunks: AsyncIterator<Buffer>
  /** Received bytes that are not consumed yet. */
  #bytes: Buffer

  constructor(chunks: AsyncIterator<Buffer>, bytes: Buffer) {
    this.#chunks = chunks
    this.#bytes = bytes
  }

  /**
   * Yields the bytes before the next delimiter without the first `omitted`, which may be the beginning of the delimiter itself, and
   * consumes the delimiter up to the end of its line. The same bytes followed by anything else are content.
   */
  async *readContent(delimiter: string, omitted = 0): AsyncGenerator<Buffer, void> {
    let left = omitted
    const cut = (piece: Buffer) => {
      const rest = piece.subarray(Math.min(left, piece.length))
      left -= piece.length - rest.length
      return rest
    }
    for (;;) {
      const at = this.#bytes.indexOf(delimiter, 0, 'latin1')
      const line = at === -1 ? undefined : await this.#lineAt(at + delimiter.length)
      const isContentOnly = line === undefined
      const end = at === -1 ? this.#bytes.length - delimiter.length + 1 : isContentOnly ? at + 1 : at
      const piece = cut(this.#take(Math.max(0, end)))
      if (line) {
        this.#take(delimiter.length + line.paddingBytes)
        this.boundaryLine = line
      }
      if (piece.length > 0) yield piece
      if (line) return
      if (at === -1) await this.#more()
    }
  }

  /** Returns the lines between a boundary and the empty line; the line end of the latter stays, as a boundary may follow it directly. */
  async readHead(lineEnd: string): Promise<string> {
    for (;;) {
      const end = this.#bytes.indexOf(lineEnd + lineEnd, 0, 'latin1')
      if (end > MAX_HEAD_BYTES || (end === -1 && this.#bytes.length > MAX_HEAD_BYTES)) {
        throw new MultipartError('the head of a part is too large')
      }
      if (end !== -1) return this.#take(end + lineEnd.length).toString('latin1')
      await this.#more()
    }
  }

  async #lineAt(start: number): Promise<BoundaryLine | undefined> {
    for (;;) {
      const rest = this.#bytes.toString('latin1', start, start + MAX_PADDING_BYTES)
      if (rest.startsWith('--')) return { isLast: true, lineEnd: '\n', paddingBytes: 0 }
      const [, padding = '', lineEnd] = /^([ \t]*)(\r?\n)/.exec(rest) ?? []
      if (lineEnd !== undefined) {
        return { isLast: false, lineEnd: lineEnd as BoundaryLine['lineEnd'], paddingBytes: padding.length }
      }
      const mayGoOn = rest.length < MAX_PADDING_BYTES && /^(-|[ \t]*\r?)$/.test(rest)
      if (!mayGoOn) return undefined
      await this.#more()
    }
  }

  #take(length: number): Buffer {
    const taken = this.#bytes.subarray(0, length)
    this.#bytes = this.#bytes.subarray(length)
    return taken
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw new MultipartError('the body ends before its last boundary')
    this.#bytes = this.#bytes.length === 0 ? value : Buffer.concat([this.#bytes, value])
  }
}

/** Returns the fields of a head, the first of each name; malformed lines are left out. */
function parseHead(head: string, lineEnd: string): Map<string, string> {
  const headers = new Map<string, string>()
  const unfolded = head.replace(/\r?\n(?=[ \t])/g, '')
  for (const line of unfolded.split(lineEnd)) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (name !== '' && !headers.has(name)) headers.set(name, line.slice(colon + 1).trim())
  }
  return headers
}
