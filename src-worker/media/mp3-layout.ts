/** Layout of an MP3: its sound among its tags. */
import { createReadStream } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { APE_MARK_BYTES, apeFooterBytes, apeHeaderBytes } from './ape.ts'
import { readAt } from './file-bytes.ts'
import { id3TagBytes } from './id3.ts'
import { type ByteRange, surveyMp3 } from './mpeg-frames.ts'

/** A tag before or behind the sound of a file. */
export interface TagRange extends ByteRange {
  readonly kind: 'id3v1' | 'id3v2' | 'ape' | 'lyrics3'
}

/** The parts of an MP3 or FLAC file: the tags and the sound between them. */
export interface TaggedFile {
  readonly sound: ByteRange
  /** Those before the sound in their order, then those behind it from the last one on. */
  readonly tags: readonly TagRange[]
}

/** Most tags at each end; a file with more is not a song. */
const MAX_TAGS = 8

/** Returns the tags at both ends of a file of `fileBytes`. Throws the system's error. */
export async function findTags(handle: FileHandle, fileBytes: number): Promise<TaggedFile> {
  const tags: TagRange[] = []
  let start = 0
  while (tags.length < MAX_TAGS) {
    const head = await readAt(handle, start, APE_MARK_BYTES)
    const [id3Bytes, apeBytes] = [id3TagBytes(head), apeHeaderBytes(head)]
    const bytes = id3Bytes || apeBytes
    if (bytes === 0) break
    tags.push({ kind: id3Bytes > 0 ? 'id3v2' : 'ape', start, end: Math.min(fileBytes, start + bytes) })
    // A tag may claim to be longer than the file.
    start = Math.min(fileBytes, start + bytes)
  }
  let end = fileBytes
  for (let trailers = 0; trailers < MAX_TAGS; trailers++) {
    const tag = await trailingTag(handle, { start, end })
    if (!tag) break
    tags.push(tag)
    end = tag.start
  }
  return { sound: { start: Math.min(start, end), end }, tags }
}

/** Zeros that programs leave behind the last tag, at most. */
const MAX_PADDING_BYTES = 65_536

const ID3V1_BYTES = 128
/** ID3v1 with the longer texts of its extension before it. */
const ID3V1_EXTENDED_BYTES = 227
/** Longest Lyrics3 version 1, which does not state its length. */
const MAX_LYRICS3_V1_BYTES = 5120
const LYRICS3_START = 'LYRICSBEGIN'
/** The end of Lyrics3 version 2: six digits for its length, and `LYRICS200`. */
const LYRICS3_END_BYTES = 15

async function trailingTag(handle: FileHandle, { start, end }: ByteRange): Promise<TagRange | undefined> {
  const tailStart = Math.max(start, end - MAX_PADDING_BYTES - MAX_LYRICS3_V1_BYTES)
  const tail = await readAt(handle, tailStart, end - tailStart)
  for (const tailEnd of possibleEnds(tail)) {
    const found = tagBefore(tail.subarray(0, tailEnd))
    const tag = found && { kind: found.kind, start: tailStart + tailEnd - found.bytes, end: tailStart + tailEnd }
    if (tag && tag.start >= start) return tag
  }
  return undefined
}

/** The marks near the end of each kind of tag, and the bytes from the mark to that end. */
const END_MARKS = [
  ['TAG', ID3V1_BYTES],
  ['APETAGEX', APE_MARK_BYTES],
  ['3DI', 10],
  ['LYRICS200', 9],
  ['LYRICSEND', 9],
] as const

/** Returns the positions with only zeros, or nothing, behind them. */
function possibleEnds(tail: Buffer): number[] {
  const marked = END_MARKS.map(([mark, bytes]) => {
    const at = tail.lastIndexOf(mark, undefined, 'latin1')
    return at < 0 ? tail.length : at + bytes
  })
  const isPadding = (end: number) => end <= tail.length && tail.subarray(end).every((byte) => byte === 0)
  return [...new Set([tail.length, ...marked])].filter(isPadding)
}

/** The tag that ends with these bytes. */
function tagBefore(tail: Buffer): { readonly kind: TagRange['kind']; readonly bytes: number } | undefined {
  const isAt = (fromEnd: number, text: string) =>
    tail.length >= fromEnd &&
    tail.toString('latin1', tail.length - fromEnd, tail.length - fromEnd + text.length) === text
  if (isAt(ID3V1_BYTES, 'TAG') && !isAt(ID3V1_BYTES + 3, 'APETAGEX')) {
    const isExtended = isAt(ID3V1_BYTES + ID3V1_EXTENDED_BYTES, 'TAG+')
    return { kind: 'id3v1', bytes: ID3V1_BYTES + (isExtended ? ID3V1_EXTENDED_BYTES : 0) }
  }
  const apeBytes = apeFooterBytes(tail.subarray(Math.max(0, tail.length - APE_MARK_BYTES)))
  if (apeBytes > 0) return { kind: 'ape', bytes: apeBytes }
  if (isAt(10, '3DI')) {
    const footer = Buffer.from(tail.subarray(tail.length - 10))
    footer.write('ID3', 'latin1')
    const bytes = id3TagBytes(footer)
    if (bytes > 0) return { kind: 'id3v2', bytes }
  }
  if (isAt(9, 'LYRICS200')) {
    const size = Number(tail.toString('latin1', tail.length - LYRICS3_END_BYTES, tail.length - 9))
    return Number.isInteger(size) ? { kind: 'lyrics3', bytes: size + LYRICS3_END_BYTES } : undefined
  }
  if (isAt(9, 'LYRICSEND')) {
    const at = tail.lastIndexOf(LYRICS3_START, undefined, 'latin1')
    if (at >= 0) return { kind: 'lyrics3', bytes: tail.length - at }
  }
  return undefined
}

/** Bytes before the first frame that ffmpeg skips on its own. */
const PASSED_OVER_BYTES = 262_144

/** Input of ffmpeg and its input options. */
export interface SoundInput {
  readonly from: string | Readable
  readonly options: readonly string[]
}

/**
 * Returns ffmpeg's input for the sound of an MP3: the file, or a part of it without the tags that ffmpeg would take for sound; it handles
 * an ID3v2 tag in front and an ID3v1 tag at the end. Bytes before the first frame are cut if they exceed ffmpeg's search range. A file with
 * tags in the middle becomes a stream without them; ffmpeg cannot seek in it and so keeps the padding of the encoder. Throws the system's
 * error.
 */
export async function mp3Sound(path: string): Promise<SoundInput> {
  const handle = await open(path, 'r')
  try {
    const { size } = await handle.stat()
    const { sound: between, tags } = await findTags(handle, size)
    const { start, innerTags } = (await surveyMp3(handle, between)) ?? { start: between.start, innerTags: [] }
    const isFar = start - between.start > PASSED_OVER_BYTES
    const sound = isFar ? { ...between, start } : between
    if (innerTags.length > 0) return { from: Readable.from(bytesBetween(path, sound, innerTags)), options: [] }
    const isPlain = tags.every((tag) => (tag.start === 0 ? tag.kind === 'id3v2' : tag.kind === 'id3v1'))
    if (isPlain && !isFar) return { from: path, options: [] }
    // Only from a file (ffmpeg-protocols, "subfile").
    const options = ['-protocol_whitelist', 'file,subfile']
    return { from: `subfile,,start,${sound.start},end,${sound.end},,:${path}`, options }
  } finally {
    await handle.close()
  }
}

async function* bytesBetween(path: string, sound: ByteRange, left: readonly ByteRange[]): AsyncGenerator<Buffer> {
  let start = sound.start
  for (const { start: end, end: next } of [...left, { start: sound.end, end: sound.end }]) {
    if (end > start) yield* createReadStream(path, { start, end: end - 1 })
    start = next
  }
}
