import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import type { ColorModel } from '../../src-contract/covers.ts'
import { isOtherContainer } from '../../src-contract/song-files.ts'
import { riffChunk } from '../../src-engine/dsp/riff.ts'
import { readApeItems } from './ape.ts'
import type { AudioFormat, SongTags, TagLosses } from './audio-facts.ts'
import { type Cover, chooseCover, type Picture } from './cover.ts'
import { DEFAULT_TIME_LIMIT_SECONDS, type Ffmpeg, FfmpegError, runFfmpeg } from './ffmpeg.ts'
import type { FfmpegCall } from './ffmpeg-arguments.ts'
import { readAt } from './file-bytes.ts'
import { readFlacMetadata } from './flac-metadata.ts'
import {
  completeTag,
  type Id3Texts,
  id3TagBytes,
  isCrowded,
  readId3Links,
  readId3Pictures,
  readId3Texts,
  readMislabelled,
} from './id3.ts'
import { findTags } from './mp3-layout.ts'
import { readContainerTags } from './other-containers.ts'
import { pictureFacts } from './picture.ts'
import { type CollectedTags, collectTags, mergeTags, type TagEntry, type TagSystem, VALUE_BREAK } from './tag-fields.ts'
import { cleanText, decodeText } from './tag-text.ts'
import { readWavTagChunks, wavAround } from './wav-tag-chunks.ts'

export type { Cover } from './cover.ts'

/** Largest metadata of a song that ffmpeg may print, bytes. */
const MAX_TAG_BYTES = 4_000_000

interface SongFile {
  readonly path: string
  readonly format: AudioFormat
}

/** All facts in a song's tags, and the losses when they are copied to a master. */
export interface FoundTags {
  readonly tags: SongTags
  readonly hasCover: boolean
  /** Absent for RGB. */
  readonly coverColorModel?: ColorModel
  /** Absent if no data is lost. */
  readonly tagLosses?: TagLosses
}

/**
 * Returns the tags of a song, whether {@link readCover} finds a picture in it, and the losses of both. A file with unreadable tags has
 * none.
 * Throws the reason of an aborted `signal`, or a {@link FfmpegError} when ffmpeg itself is missing or killed.
 */
export async function readTags(ffmpeg: Ffmpeg, song: SongFile, signal?: AbortSignal): Promise<FoundTags> {
  const found = await lookInto(song)
  const { tags, cut } = mergeTags(await tagsIn(ffmpeg, song, found, signal))
  const chosen = await chooseCover(ffmpeg, found.pictures, signal)
  const { cover } = chosen
  const colorModel = cover && pictureFacts(Buffer.from(cover.bytes))?.colorModel
  const fault = chosen.fault ?? (found.isTooLarge && !cover ? ('size' as const) : undefined)
  const otherPictures = cover ? found.pictures.length - 1 : 0
  const tagLosses: TagLosses = {
    ...(fault === undefined ? {} : { cover: fault }),
    ...(otherPictures > 0 ? { otherPictures } : {}),
    ...(cut.length > 0 ? { cutTags: cut } : {}),
  }
  return {
    tags,
    hasCover: cover !== undefined,
    ...(colorModel === undefined || colorModel === 'rgb' ? {} : { coverColorModel: colorModel }),
    ...(Object.keys(tagLosses).length > 0 ? { tagLosses } : {}),
  }
}

/**
 * Returns the picture of a song, its front cover if there is one, or undefined without a usable one: JPEG and PNG, or a format that can be
 * converted to JPEG. Throws as {@link readTags}.
 */
export async function readCover(ffmpeg: Ffmpeg, song: SongFile, signal?: AbortSignal): Promise<Cover | undefined> {
  return (await chooseCover(ffmpeg, (await lookInto(song)).pictures, signal)).cover
}

/** The tags of a file as bytes, or parsed if that needs no ffmpeg. */
interface TagsOfFile {
  /** ID3v2 tag in a WAV's chunk, or the first one before an MP3 or FLAC; empty if there is no such tag. */
  readonly id3: Buffer
  /** ID3v2 tags behind the sound. */
  readonly appendedId3: readonly Buffer[]
  /** Entries of APEv2 tags, Vorbis comments and Lyrics3, one list for each tag. */
  readonly plain: readonly (readonly TagEntry[])[]
  readonly pictures: readonly Picture[]
  /** True if a tag is too large to be read; only pictures can make it so. */
  readonly isTooLarge: boolean
  /** A WAV that has the tag chunks of this one and next to no sound; absent for a WAV without any and for other formats. */
  readonly tagsAlone?: Buffer
}

async function lookInto({ path, format }: SongFile): Promise<TagsOfFile> {
  const handle = await open(path, 'r')
  try {
    if (format === 'wav') {
      const { id3Tag: id3, plain, ...chunks } = await readWavTagChunks(handle, MAX_ID3_BYTES)
      return { id3, appendedId3: [], plain: [plain], pictures: readId3Pictures(id3), isTooLarge: false, ...chunks }
    }
    const inside = isOtherContainer(format) ? await readContainerTags(handle, format) : undefined
    if (!inside) return await lookAround(handle, format)
    const { id3 = Buffer.alloc(0), entries, pictures } = inside
    return { id3, appendedId3: [], plain: [entries], pictures, isTooLarge: false }
  } finally {
    await handle.close()
  }
}

/** The tags at both ends of an MP3, FLAC or WavPack, and those inside a FLAC. */
async function lookAround(handle: FileHandle, format: AudioFormat): Promise<TagsOfFile> {
  const { sound, tags } = await findTags(handle, (await handle.stat()).size)
  const appendedId3: Buffer[] = []
  const plain: (readonly TagEntry[])[] = []
  const pictures: Picture[] = []
  let id3: Buffer = Buffer.alloc(0)
  if (format === 'flac') {
    const flac = await readFlacMetadata(handle, sound.start)
    plain.push(flac.comments)
    pictures.push(...flac.pictures)
  }
  for (const { kind, start, end } of tags) {
    const bytes = await readAt(handle, start, end - start > MAX_ID3_BYTES ? 0 : end - start)
    if (kind === 'id3v2' && !isCrowded(bytes)) {
      pictures.push(...readId3Pictures(bytes))
      if (start === 0) id3 = bytes
      else if (start >= sound.end) appendedId3.push(bytes)
    }
    if (kind === 'ape') {
      const ape = readApe(bytes)
      plain.push(ape.entries)
      pictures.push(...ape.pictures)
    }
    if (kind === 'lyrics3') plain.push(readLyrics3(bytes))
  }
  const isTooLarge = tags.some(({ start, end }) => end - start > MAX_ID3_BYTES)
  return { id3, appendedId3, plain, pictures, isTooLarge }
}

/** Pictures among the items of an APEv2 tag, whether marked as binary or not. */
const APE_PICTURE = /^cover art \(/i

function readApe(tag: Buffer): { readonly entries: readonly TagEntry[]; readonly pictures: readonly Picture[] } {
  const items = readApeItems(tag)
  const entries = items
    .filter(({ name, isBinary }) => !isBinary && !APE_PICTURE.test(name))
    .flatMap(({ name, bytes }) =>
      decodeText(bytes.toString('latin1'))
        .split('\0')
        .map((text) => ({ name, text: cleanText(text) })),
    )
    .filter(({ text }) => text !== '')
  const pictures = items
    .filter(({ name }) => APE_PICTURE.test(name))
    // A file name comes before the picture.
    .map(({ name, bytes }) => ({ isFront: /\(front\)/i.test(name), bytes: bytes.subarray(bytes.indexOf(0) + 1) }))
  return { entries, pictures }
}

/** Fields of Lyrics3 version 2 (id3.org, "Lyrics3 v2.00"), behind their names of three letters and lengths of five digits. */
const LYRICS3_FIELDS: Readonly<Record<string, string>> = {
  LYR: 'lyrics',
  ETT: 'title',
  EAR: 'artist',
  EAL: 'album',
  AUT: 'lyricist',
  INF: 'comment',
}

const LYRICS3_START_BYTES = 'LYRICSBEGIN'.length

function readLyrics3(tag: Buffer): TagEntry[] {
  const raw = tag.toString('latin1')
  if (raw.endsWith('LYRICSEND')) {
    return [{ name: 'lyrics', text: cleanText(decodeText(raw.slice(LYRICS3_START_BYTES, -'LYRICSEND'.length))) }]
  }
  const entries: TagEntry[] = []
  for (let at = LYRICS3_START_BYTES; /^[A-Z]{3}\d{5}$/.test(raw.slice(at, at + 8)); ) {
    const end = at + 8 + Number(raw.slice(at + 3, at + 8))
    const name = LYRICS3_FIELDS[raw.slice(at, at + 3)]
    const text = cleanText(decodeText(raw.slice(at + 8, end)))
    if (name && text) entries.push({ name, text })
    at = end
  }
  return entries
}

/** Removes the ISRC of a WAV's ID3v2 tag from the suppliers of its INFO; ffmpeg from version 7 lists it there. */
function withoutSource({ tags, cut }: CollectedTags, isrc: string | undefined): CollectedTags {
  const { Source, ...others } = tags.other ?? {}
  const suppliers = Source?.split(VALUE_BREAK).filter((text) => text !== isrc) ?? []
  const other = { ...others, ...(suppliers.length > 0 ? { Source: suppliers.join(VALUE_BREAK) } : {}) }
  const { other: _, ...named } = tags
  return { tags: { ...named, ...(Object.keys(other).length > 0 ? { other } : {}) }, cut }
}

/** Returns the tags of each place in a file, the most detailed first. */
async function tagsIn(
  ffmpeg: Ffmpeg,
  song: SongFile,
  { id3, appendedId3, plain, tagsAlone }: TagsOfFile,
  signal: AbortSignal | undefined,
): Promise<CollectedTags[]> {
  const [ownId3, ...appended] = await Promise.all([id3, ...appendedId3].map((tag) => tagsOfId3(ffmpeg, tag, signal)))
  const others = [...plain.map((entries) => collectTags(entries, 'free')), ...appended]
  if (song.format === 'flac' || isOtherContainer(song.format)) return [...others, ownId3!]
  if (song.format === 'wav' && !tagsAlone) return others
  const input = tagsAlone
    ? { from: Readable.from([tagsAlone]), format: 'wav' }
    : { from: song.path, format: song.format, options: await behindCrowdedTag(song) }
  const system = song.format === 'wav' ? 'riff' : 'ffmpeg'
  const read = await tagsOf(ffmpeg, { input, signal }, id3, system)
  const ofFfmpeg = system === 'riff' ? withoutSource(read, ownId3!.tags.isrc) : read
  // Behind an ID3v2 tag ffmpeg reads no ID3v1 tag, whose texts are cut at 30 bytes.
  return id3.length > 0 ? [ownId3!, ofFfmpeg, ...others] : [...others, ofFfmpeg]
}

/**
 * Returns the tags of an ID3v2 tag. ffmpeg skips it beside a LIST chunk, behind the sound or before a FLAC, although only it can hold an
 * ISRC or a composer and declares its encoding: it is passed to ffmpeg in an otherwise empty WAV.
 */
async function tagsOfId3(ffmpeg: Ffmpeg, tag: Buffer, signal: AbortSignal | undefined): Promise<CollectedTags> {
  if (tag.length === 0) return { tags: {}, cut: [] }
  const input = { from: Readable.from([wavAround([riffChunk('id3 ', tag)])]), format: 'wav' }
  const read = await tagsOf(ffmpeg, { input, signal }, tag, 'ffmpeg')
  return mergeTags([read, collectTags(readId3Links(tag), 'ffmpeg')])
}

/** Returns the tags that ffmpeg finds in its input; empty if they cannot be read, all marked as cut if there are too many. */
async function tagsOf(
  ffmpeg: Ffmpeg,
  call: Pick<FfmpegCall, 'input' | 'signal'>,
  id3: Buffer,
  system: TagSystem,
): Promise<CollectedTags> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    await runFfmpeg(ffmpeg, {
      ...call,
      operation: 'read the tags',
      outputOptions: ['-map', '0:a:0', '-c', 'copy', '-t', '0', '-f', 'ffmetadata'],
      output: (chunk) => {
        size += chunk.length
        if (size <= MAX_TAG_BYTES) chunks.push(chunk)
      },
      timeLimitSeconds: DEFAULT_TIME_LIMIT_SECONDS,
    })
  } catch (error) {
    if (!(error instanceof FfmpegError) || error.fault !== 'failed') throw error
    return { tags: {}, cut: [] }
  }
  const read = parseTags(Buffer.concat(chunks), readId3Texts(id3), system, readMislabelled(id3))
  return size > MAX_TAG_BYTES ? { ...read, cut: [...read.cut, 'metadata'] } : read
}

/** Longest ID3 or APEv2 tag that is read, bytes: the largest picture plus the tags that are kept. */
const MAX_ID3_BYTES = 64_000_000 + MAX_TAG_BYTES

/** Returns the ID3v2 tag before an MP3 or FLAC; empty if it is missing or not read. */
async function findId3Tag({ path }: SongFile): Promise<Buffer> {
  const handle = await open(path, 'r')
  try {
    const size = id3TagBytes(await readAt(handle, 0, 10))
    return await readAt(handle, 0, size > MAX_ID3_BYTES ? 0 : size)
  } finally {
    await handle.close()
  }
}

/**
 * Returns the input option that makes ffmpeg skip the ID3v2 tag of an MP3 or FLAC with 4096 frames and more; empty for any other song. No
 * real song has such a tag, and ffmpeg compares each of its texts with all before it: 50 000 took 18 s, 200 000 minutes. Throws the
 * system's error.
 */
export async function behindCrowdedTag(song: SongFile): Promise<readonly string[]> {
  if (song.format === 'wav') return []
  const tag = await findId3Tag(song)
  return isCrowded(tag) ? ['-skip_initial_bytes', String(tag.length)] : []
}

/**
 * Returns the tags in a text of ffmpeg's metadata format (ffmpeg-formats, "Metadata": `key=value`, `\` before `=`, `;`, `#`, `\` and line
 * ends; chapters and streams follow in sections). Each value is decoded by {@link decodeText}; `mislabelled` are texts that ffmpeg reads in
 * the wrong encoding. Values are NFC, trimmed, without control characters. Values from ID3v2 are completed by the texts of that tag. Never
 * throws.
 */
export function parseTags(
  metadata: Buffer,
  id3Texts: Id3Texts = new Map(),
  system: TagSystem = 'ffmpeg',
  mislabelled: ReadonlyMap<string, string> = new Map(),
): CollectedTags {
  const read = (bytes: string) => {
    const text = cleanText(decodeText(bytes))
    return mislabelled.get(text) ?? text
  }
  const entries = [...readEntries(metadata.toString('latin1'))]
    .map(([name, text]) => ({ name: read(name), text: read(text) }))
    .filter(({ name, text }) => name !== '' && text !== '')
    .map((entry) => completeTag(entry, id3Texts))
  return collectTags(entries, system)
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
