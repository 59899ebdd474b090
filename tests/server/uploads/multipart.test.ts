import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MultipartError, readParts } from '../../../src-server/uploads/multipart.ts'

async function* chunksOf(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces
}

/** Reads a body that comes in the given pieces. */
async function read(pieces: readonly Buffer[], boundary = 'b') {
  const parts: { headers: Record<string, string>; content: Buffer }[] = []
  for await (const { headers, content } of readParts(chunksOf(pieces), boundary)) {
    const chunks: Buffer[] = []
    for await (const chunk of content) chunks.push(chunk)
    parts.push({ headers: Object.fromEntries(headers), content: Buffer.concat(chunks) })
  }
  return parts
}

/** Cuts a body at the given places. */
function cut(body: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...new Set([...places.map((place) => place % (body.length + 1)), body.length])].sort((a, b) => a - b)
  return ends.map((end, i) => body.subarray(ends[i - 1] ?? 0, end))
}

const head = 'Content-Disposition: form-data; name="x"'
const whole = (text: string) => [Buffer.from(text, 'latin1')]
const contents = async (text: string) => (await read(whole(text))).map(({ content }) => content.toString('latin1'))

test('whatever the contents are, and wherever the body is cut on its way, the parts come out as they were', async () => {
  // Content that is nearly a delimiter is what a parser mistakes.
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
    fc
      .constantFrom('\r', '\n', '\r\n', '\r\n-', '\r\n--', '\r\n--bo', '--bound', '\r\n--boundaryX', ' ')
      .map((text) => Buffer.from(text)),
  )
  const content = fc.array(piece, { maxLength: 8 }).map((pieces) => Buffer.concat(pieces))
  const isOurs = (bytes: Buffer) => /\n--boundary([ \t]*\r?\n|--)/.test(`\n${bytes.toString('latin1')}`)
  const form = fc.record({
    contents: fc.array(
      content.filter((bytes) => !isOurs(bytes)),
      { minLength: 1, maxLength: 4 },
    ),
    lineEnd: fc.constantFrom('\r\n', '\n'),
    padding: fc.constantFrom('', ' ', '\t  '),
    preamble: fc.constantFrom('', '\r\n', 'This is a message in MIME format.\r\n'),
    epilogue: fc.constantFrom('', '\r\n', ' \r\nthe end'),
    places: fc.array(fc.nat(), { maxLength: 12 }),
  })
  await fc.assert(
    fc.asyncProperty(form, async ({ contents, lineEnd, padding, preamble, epilogue, places }) => {
      const body = Buffer.concat([
        Buffer.from(preamble),
        ...contents.flatMap((bytes) => [
          Buffer.from(`--boundary${padding}${lineEnd}${head}${lineEnd}${lineEnd}`),
          bytes,
          Buffer.from(lineEnd),
        ]),
        Buffer.from(`--boundary--${epilogue}`),
      ])
      const parts = await read(cut(body, places), 'boundary')
      expect(parts.map((part) => part.content)).toEqual(contents)
      expect(parts.map(({ headers }) => headers['content-disposition'])).toEqual(
        contents.map(() => 'form-data; name="x"'),
      )
    }),
    { numRuns: 500 },
  )
})

test('white space may follow a boundary (RFC 2046 section 5.1.1), anything else makes it content', async () => {
  expect(await contents(`--b \t\r\n${head}\r\n\r\none\r\n--b  \r\n${head}\r\n\r\ntwo\r\n--b--  \r\n`)).toEqual([
    'one',
    'two',
  ])
  expect(await contents(`--b\r\n${head}\r\n\r\none\r\n--bc\r\ntwo\r\n--b-\r\n--b--`)).toEqual([
    'one\r\n--bc\r\ntwo\r\n--b-',
  ])
})

test('in a body of bare line feeds a carriage return is content', async () => {
  expect(await contents(`--b\n${head}\n\none\r\n--b--\n`)).toEqual(['one\r'])
})

test('a bare line feed in a body of whole line ends makes no boundary', async () => {
  expect(await contents(`--b\r\n${head}\r\n\r\none\n--b\nx\r\n--b--\r\n`)).toEqual(['one\n--b\nx'])
})

test('a part may have neither head nor content', async () => {
  expect(await contents('--b\r\n\r\n--b\r\n\r\n\r\n--b--')).toEqual(['', ''])
  expect(await contents(`--b\r\n${head}\r\n\r\n--b--`)).toEqual([''])
})

test('a folded head is one line, and a line that is none spoils no other', async () => {
  const [part] = await read(whole('--b\r\nX-A: one\r\n\ttwo\r\nnonsense\r\nX-B:three\r\n\r\n\r\n--b--'))
  expect(part?.headers).toEqual({ 'x-a': 'one\ttwo', 'x-b': 'three' })
})

test.each([
  ['nothing at all', ''],
  ['no boundary', 'a song'],
  ['no end of the head', `--b\r\n${head}`],
  ['no last boundary', `--b\r\n${head}\r\n\r\none`],
  ['half of the last boundary', `--b\r\n${head}\r\n\r\none\r\n--b-`],
  ['a head beyond all bounds', `--b\r\nX: ${'x'.repeat(20_000)}\r\n\r\n\r\n--b--`],
])('a body with %s is refused', async (_what, body) => {
  await expect(read(whole(body))).rejects.toThrow(MultipartError)
})

test('a part that nobody reads is skipped', async () => {
  const body = whole(`--b\r\nX: 1\r\n\r\none\r\n--b\r\nX: 2\r\n\r\ntwo\r\n--b--`)
  const heads: (string | undefined)[] = []
  for await (const { headers } of readParts(chunksOf(body), 'b')) heads.push(headers.get('x'))
  expect(heads).toEqual(['1', '2'])
})
