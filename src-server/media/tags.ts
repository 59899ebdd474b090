import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { AudioFormat, SongTags } from './audio-facts.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, type FfmpegCall, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { readAt } from './file-bytes.ts'

/** The picture of a song, as the file carries it. */
export interface Cover {
  readonly mimeType: 'image/jpeg' | 'image/png'
  readonly bytes: Uint8Array
}

/** Largest tag kept, characters, and largest cover kept, bytes: a song's tags are not a place for a film. */
const MAX_TAG_LENGTH = 20_000
const MAX_TAG_BYTES = 4_000_000
const MAX_COVER_BYTES = 16_000_000

/** Tags that describe the old file, not the song. */
const NOT_OF_THE_SONG =
  /^(encoder|encoded_by|tsse|tenc|tlen|length|duration|itun|replaygain|r128_|metadata_block_picture)/i

const NAMED: Readonly<Record<string, keyof Omit<SongTags, 'other'>>> = {
  title: 'title',
  artist: 'artist',
  album: 'album',
  album_artist: 'albumArtist',
  albumartist: 'albumArtist',
  composer: 'composer',
  genre: 'genre',
  date: 'date',
  year: 'date',
  track: 'track',
  copyright: 'copyright',
  comment: 'comment',
  isrc: 'isrc',
  tsrc: 'isrc',
}

/**
 * Returns the tags of a song and whether it carries a picture, read by ffmpeg. A file whose tags cannot be read has none. Throws
 * the reason of an aborted `signal`, or a {@link FfmpegError} when ffmpeg itself is missing.
 */
export async function readTags(
  ffmpeg: Ffmpeg,
  song: { readonly path: string; readonly format: AudioFormat },
  signal?: AbortSignal,
): Promise<{ tags: SongTags; hasCover: boolean }> {
  let hasCover = false
  const onLine = (line: string) => {
    if (/^\s*Stream #0:\d+.*Video: (mjpeg|png)\b.*\(attached pic\)/.test(line)) hasCover = true
  }
  const tags = await tagsOf(ffmpeg, { input: { from: song.path, format: song.format }, signal, onLine })
  const id3 = song.format === 'wav' ? await readId3OfWav(ffmpeg, song.path, signal) : {}
  const other = { ...tags.other, ...id3.other }
  return { tags: { ...tags, ...id3, ...(Object.keys(other).length > 0 ? { other } : {}) }, hasCover }
}

/**
 * Returns the tags of the ID3 chunk of a WAV. Beside a LIST chunk ffmpeg passes it over, although it alone can hold an ISRC or a composer and
 * says how its text is encoded: it is shown to ffmpeg in a WAV that has nothing else.
 */
async function readId3OfWav(ffmpeg: Ffmpeg, path: string, signal: AbortSignal | undefined): Promise<SongTags> {
  const chunk = await findId3Chunk(path)
  if (!chunk) return {}
  const start = Buffer.from('RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1')
  const format = Buffer.from('44ac0000885801000200100069643320', 'hex')
  const size = Buffer.alloc(4)
  size.writeUInt32LE(chunk.length)
  const samples = Buffer.from('data\x04\0\0\0\0\0\0\0', 'latin1')
  const wav = [start, format, size, chunk, Buffer.alloc(chunk.length % 2), samples]
  return tagsOf(ffmpeg, { input: { from: Readable.from(wav), format: 'wav' }, signal })
}

/** The tags that ffmpeg finds in its input; none where they cannot be read. */
async function tagsOf(ffmpeg: Ffmpeg, call: Pick<FfmpegCall, 'input' | 'signal' | 'onLine'>): Promise<SongTags> {
  const text = await collect(MAX_TAG_BYTES, (output) =>
    runFfmpeg(ffmpeg, {
      ...call,
      operation: 'read the tags',
      outputOptions: ['-map', '0:a:0', '-c', 'copy', '-t', '0', '-f', 'ffmetadata'],
      output,
      timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    }),
  )
  return parseTags(text?.toString('utf8') ?? '')
}

/** Chunks of a WAV that are looked at; a file that has more is not a song. */
const MAX_CHUNKS = 256

async function findId3Chunk(path: string): Promise<Buffer | undefined> {
  const handle = await open(path, 'r')
  try {
    for (let position = 12, chunks = 0; chunks < MAX_CHUNKS; chunks++) {
      const header = await readAt(handle, position, 8)
      if (header.length < 8) return undefined
      const size = header.readUInt32LE(4)
      if (/^id3 $/i.test(header.toString('latin1', 0, 4))) {
        return size > MAX_COVER_BYTES + MAX_TAG_BYTES ? undefined : await readAt(handle, position + 8, size)
      }
      position += 8 + size + (size % 2)
    }
    return undefined
  } finally {
    await handle.close()
  }
}

/** Returns the picture of a song, or undefined when it has none that can be kept: JPEG or PNG, at most 16 MB. Throws as {@link readTags}. */
export async function readCover(
  ffmpeg: Ffmpeg,
  song: { readonly path: string; readonly format: AudioFormat },
  signal?: AbortSignal,
): Promise<Cover | undefined> {
  const bytes = await collect(MAX_COVER_BYTES, (output) =>
    runFfmpeg(ffmpeg, {
      operation: 'read the cover',
      input: { from: song.path, format: song.format },
      outputOptions: ['-map', '0:v:0', '-frames:v', '1', '-c', 'copy', '-f', 'image2pipe'],
      output,
      timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
      signal,
    }),
  )
  if (bytes?.[0] === 0xff && bytes[1] === 0xd8) return { mimeType: 'image/jpeg', bytes }
  if (bytes?.[0] === 0x89 && bytes[1] === 0x50) return { mimeType: 'image/png', bytes }
  return undefined
}

/** Gathers what a call prints; undefined when the call failed or printed too much. */
async function collect(
  maxBytes: number,
  call: (output: (chunk: Uint8Array) => void) => Promise<void>,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    await call((chunk) => {
      size += chunk.length
      if (size > maxBytes) throw new FfmpegError('read the tags', 'failed', ['too much'])
      chunks.push(chunk)
    })
  } catch (error) {
    if (error instanceof FfmpegError && error.fault !== 'missing') return undefined
    throw error
  }
  return Buffer.concat(chunks)
}

/**
 * Returns the tags in a text of ffmpeg's metadata format (ffmpeg-formats, "Metadata": `key=value`, `\` before `=`, `;`, `#`, `\` and
 * line ends; chapters and streams follow in sections). Values are NFC, trimmed, without control characters; the rest of a value
 * beyond 20 000 characters is dropped. Never throws.
 */
export function parseTags(text: string): SongTags {
  const named: Partial<Record<keyof Omit<SongTags, 'other'>, string>> = {}
  const other: Record<string, string> = {}
  for (const [rawKey, rawValue] of readEntries(text)) {
    const key = cleanText(rawKey)
    const value = cleanText(rawValue).slice(0, MAX_TAG_LENGTH)
    if (!key || !value || NOT_OF_THE_SONG.test(key)) continue
    const field = NAMED[key.toLowerCase()]
    if (!field) other[key] = value
    else named[field] ??= value
  }
  return { ...named, ...(Object.keys(other).length > 0 ? { other } : {}) }
}

function* readEntries(text: string): Generator<[string, string]> {
  let key: string | undefined
  let part = ''
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (character === '\\' && i + 1 < text.length) {
      part += text[++i]!
    } else if (character === '=' && key === undefined) {
      key = part
      part = ''
    } else if (character === '\n') {
      if (key !== undefined) yield [key, part]
      else if (part.startsWith('[')) return
      key = undefined
      part = ''
    } else {
      part += character
    }
  }
  if (key !== undefined) yield [key, part]
}

/** Line ends and tabs stay; other control characters and what was not UTF-8 go. */
function cleanText(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\P{Cc}\n\t]|\ufffd/gu, '')
    .trim()
}
