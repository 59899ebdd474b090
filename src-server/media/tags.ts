import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { AudioFormat, SongTags } from './audio-facts.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, type FfmpegCall, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import { readAt } from './file-bytes.ts'
import { completeTag, type Id3Texts, id3TagBytes, isCrowded, readId3Texts } from './id3.ts'
import { cleanText, decodeText } from './tag-text.ts'

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

interface SongFile {
  readonly path: string
  readonly format: AudioFormat
}

/**
 * Returns the tags of a song and whether {@link readCover} finds a picture in it, read by ffmpeg. A file whose tags cannot be read has
 * none. Throws the reason of an aborted `signal`, or a {@link FfmpegError} when ffmpeg itself is missing or killed.
 */
export async function readTags(
  ffmpeg: Ffmpeg,
  song: SongFile,
  signal?: AbortSignal,
): Promise<{ tags: SongTags; hasCover: boolean }> {
  const id3Tag = await findId3Tag(song)
  const id3Texts = readId3Texts(id3Tag)
  const { tags, pictures } = await describeSong(ffmpeg, song, id3Texts, signal)
  const cover = await readPicture(ffmpeg, song, pictures, signal)
  const id3 = song.format === 'wav' ? await readId3OfWav(ffmpeg, id3Tag, id3Texts, signal) : {}
  const other = { ...tags.other, ...id3.other }
  const hasCover = cover !== undefined
  return { tags: { ...tags, ...id3, ...(Object.keys(other).length > 0 ? { other } : {}) }, hasCover }
}

/** The tags that ffmpeg finds in a song, and the streams of its pictures as {@link watchForPictures} orders them. */
async function describeSong(
  ffmpeg: Ffmpeg,
  song: SongFile,
  id3Texts: Id3Texts,
  signal: AbortSignal | undefined,
): Promise<{ tags: SongTags; pictures: string[] }> {
  const { onLine, pictures } = watchForPictures()
  const input = { from: song.path, format: song.format, options: await behindCrowdedTag(song) }
  const tags = await tagsOf(ffmpeg, { input, signal, onLine }, id3Texts)
  return { tags: song.format === 'flac' ? partValues(tags) : tags, pictures: pictures() }
}

/** Between the values of a Vorbis comment that is repeated, which may be several people's, ffmpeg puts a bare `;`. */
function partValues(tags: SongTags): SongTags {
  const listed = (['artist', 'albumArtist', 'composer', 'genre'] as const).filter((field) => tags[field] !== undefined)
  return { ...tags, ...Object.fromEntries(listed.map((field) => [field, tags[field]!.replace(/;(?=\S)/g, '; ')])) }
}

/**
 * Returns a receiver of the lines that ffmpeg prints, and the streams in which they list pictures in JPEG or PNG, front covers first.
 * The comment of a picture is its type (ID3v2.4 native frames, section 4.14; FLAC has the same).
 */
function watchForPictures() {
  const fronts: string[] = []
  const all: string[] = []
  let stream: string | undefined
  return {
    onLine(line: string) {
      if (/^\s*(Stream|Output) #/.test(line)) {
        stream = /^\s*Stream #(0:\d+).*Video: (?:mjpeg|png)\b.*\(attached pic\)/.exec(line)?.[1]
        if (stream) all.push(stream)
      } else if (stream && /^\s*comment\s*: Cover \(front\)$/.test(line)) {
        fronts.push(stream)
      }
    },
    pictures: () => [...new Set([...fronts, ...all])],
  }
}

/**
 * Returns the tags of the ID3 tag of a WAV. Beside a LIST chunk ffmpeg passes it over, although it alone can hold an ISRC or a
 * composer and says how its text is encoded: it is shown to ffmpeg in a WAV that has nothing else.
 */
async function readId3OfWav(
  ffmpeg: Ffmpeg,
  tag: Buffer,
  texts: Id3Texts,
  signal: AbortSignal | undefined,
): Promise<SongTags> {
  if (tag.length === 0) return {}
  const start = Buffer.from('RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x01\0', 'latin1')
  const format = Buffer.from('44ac0000885801000200100069643320', 'hex')
  const size = Buffer.alloc(4)
  size.writeUInt32LE(tag.length)
  const samples = Buffer.from('data\x04\0\0\0\0\0\0\0', 'latin1')
  const wav = [start, format, size, tag, Buffer.alloc(tag.length % 2), samples]
  return tagsOf(ffmpeg, { input: { from: Readable.from(wav), format: 'wav' }, signal }, texts)
}

/** The tags that ffmpeg finds in its input; none where they cannot be read. */
async function tagsOf(
  ffmpeg: Ffmpeg,
  call: Pick<FfmpegCall, 'input' | 'signal' | 'onLine'>,
  id3Texts: Id3Texts,
): Promise<SongTags> {
  const text = await collect(MAX_TAG_BYTES, (output) =>
    runFfmpeg(ffmpeg, {
      ...call,
      operation: 'read the tags',
      outputOptions: ['-map', '0:a:0', '-c', 'copy', '-t', '0', '-f', 'ffmetadata'],
      output,
      timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    }),
  )
  return parseTags(text ?? Buffer.alloc(0), id3Texts)
}

/** Longest ID3 tag that is read, bytes: with the cover and the tags that are kept. */
const MAX_ID3_BYTES = MAX_COVER_BYTES + MAX_TAG_BYTES

/** Chunks of a WAV that are looked at; a file that has more is not a song. */
const MAX_CHUNKS = 256

/** The ID3v2 tag of a WAV's chunk, or the one before an MP3 or FLAC; empty where there is none, or none that is read. */
async function findId3Tag({ path, format }: SongFile): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    if (format === 'wav') return await readId3Chunk(handle)
    const size = id3TagBytes(await readAt(handle, 0, 10))
    return await readAt(handle, 0, size > MAX_ID3_BYTES ? 0 : size)
  } finally {
    await handle.close()
  }
}

/**
 * Returns the input option with which ffmpeg begins behind the ID3v2 tag of an MP3 or FLAC that has 4096 frames and more, none for
 * any other song. Such a tag is not a song's, and ffmpeg holds each of its texts against all before it: 50 000 took 18 s, 200 000
 * minutes. Throws the system's error.
 */
export async function behindCrowdedTag(song: SongFile): Promise<readonly string[]> {
  if (song.format === 'wav') return []
  const tag = await findId3Tag(song)
  return isCrowded(tag) ? ['-skip_initial_bytes', String(tag.length)] : []
}

async function readId3Chunk(handle: FileHandle): Promise<Buffer> {
  for (let position = 12, chunks = 0; chunks < MAX_CHUNKS; chunks++) {
    const header = await readAt(handle, position, 8)
    if (header.length < 8) break
    const size = header.readUInt32LE(4)
    if (/^id3 $/i.test(header.toString('latin1', 0, 4))) {
      return readAt(handle, position + 8, size > MAX_ID3_BYTES ? 0 : size)
    }
    position += 8 + size + (size % 2)
  }
  return Buffer.alloc(0)
}

/**
 * Returns the picture of a song, its front cover where it has one, or undefined when it has none that can be kept: JPEG or PNG, at
 * most 16 MB. Throws as {@link readTags}.
 */
export async function readCover(ffmpeg: Ffmpeg, song: SongFile, signal?: AbortSignal): Promise<Cover | undefined> {
  const { pictures } = await describeSong(ffmpeg, song, new Map(), signal)
  return readPicture(ffmpeg, song, pictures, signal)
}

/** Pictures that are tried: a file can hold thousands that are not what they are called. */
const MAX_PICTURES = 4

/** The first of the pictures that can be kept. */
async function readPicture(
  ffmpeg: Ffmpeg,
  song: SongFile,
  pictures: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Cover | undefined> {
  const options = await behindCrowdedTag(song)
  for (const picture of pictures.slice(0, MAX_PICTURES)) {
    const bytes = await collect(MAX_COVER_BYTES, (output) =>
      runFfmpeg(ffmpeg, {
        operation: 'read the cover',
        input: { from: song.path, format: song.format, options },
        outputOptions: ['-map', picture, '-frames:v', '1', '-c', 'copy', '-f', 'image2pipe'],
        output,
        timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
        signal,
      }),
    )
    if (bytes?.[0] === 0xff && bytes[1] === 0xd8) return { mimeType: 'image/jpeg', bytes }
    if (bytes?.[0] === 0x89 && bytes[1] === 0x50) return { mimeType: 'image/png', bytes }
  }
  return undefined
}

/** Gathers what a call prints; undefined when the call failed or printed too much. Throws where that says nothing about the song. */
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
    if (error instanceof FfmpegError && error.fault !== 'missing' && error.fault !== 'killed') return undefined
    throw error
  }
  return Buffer.concat(chunks)
}

/**
 * Returns the tags in a text of ffmpeg's metadata format (ffmpeg-formats, "Metadata": `key=value`, `\` before `=`, `;`, `#`, `\` and
 * line ends; chapters and streams follow in sections). Each value is read in its own encoding: UTF-8, or else EUC-KR or windows-1252.
 * Values are NFC, trimmed, without control characters; the rest of a value beyond 20 000 characters is dropped. What came from ID3v2 is
 * completed by the texts of that tag. Never throws.
 */
export function parseTags(metadata: Buffer, id3Texts: Id3Texts = new Map()): SongTags {
  const named: Partial<Record<keyof Omit<SongTags, 'other'>, string>> = {}
  const other: Record<string, string> = {}
  for (const [rawKey, rawValue] of readEntries(metadata.toString('latin1'))) {
    const key = cleanText(decodeText(rawKey))
    const value = cleanText(decodeText(rawValue))
    if (!key || !value || NOT_OF_THE_SONG.test(key)) continue
    const lowerKey = key.toLowerCase()
    const field = Object.hasOwn(NAMED, lowerKey) ? NAMED[lowerKey] : undefined
    const { name, text } = completeTag({ name: key, field, text: value }, id3Texts)
    if (field) named[field] ??= text.slice(0, MAX_TAG_LENGTH)
    else other[name] = text.slice(0, MAX_TAG_LENGTH)
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
