/** Sound and tags of an Ogg file. Sources: RFC 3533 (pages), RFC 7845 (Opus), Xiph.Org, "Vorbis I specification", section 4.2. */
import type { FileHandle } from 'node:fs/promises'
import {
  type ContainerSound,
  type ContainerTags,
  MAX_CONTAINER_TAG_BYTES,
  NO_TAGS,
  type SoundFault,
} from './container-sound.ts'
import { isText, readAt } from './file-bytes.ts'
import { commentCount, commentTags } from './flac-metadata.ts'

const HEAD_BYTES = 27
/** Flag of the first page of a stream. */
const BEGINS = 2
/** First pages that are read; a song has one. */
const MAX_STREAMS = 64
/** Opus is always decoded at this rate. */
const OPUS_RATE_HZ = 48_000

interface Page {
  readonly serial: number
  readonly isFirst: boolean
  /** Sizes of its parts of packets, bytes; a packet ends with the first below 255. */
  readonly lacing: Buffer
  readonly start: number
  readonly end: number
}

async function readPage(handle: FileHandle, at: number): Promise<Page | undefined> {
  const head = await readAt(handle, at, HEAD_BYTES + 255)
  if (head.length < HEAD_BYTES || !isText(head, 0, 'OggS')) return undefined
  const lacing = head.subarray(HEAD_BYTES, HEAD_BYTES + head[26]!)
  const start = at + HEAD_BYTES + head[26]!
  const end = start + lacing.reduce((sum, size) => sum + size, 0)
  return { serial: head.readUInt32LE(14), isFirst: (head[5]! & BEGINS) > 0, lacing, start, end }
}

interface Stream {
  readonly serial: number
  readonly codec: 'vorbis' | 'opus' | 'other'
  readonly head: Buffer
}

/** Returns the streams of sound: their first pages come before all else. */
async function streamsOf(handle: FileHandle): Promise<Stream[]> {
  const streams: Stream[] = []
  let at = 0
  for (let pages = 0; pages < MAX_STREAMS; pages++) {
    const page = await readPage(handle, at)
    if (!page?.isFirst) break
    const head = await readAt(handle, page.start, page.end - page.start)
    const codec = codecOf(head)
    if (codec) streams.push({ serial: page.serial, codec, head })
    at = page.end
  }
  return streams
}

function codecOf(head: Buffer): Stream['codec'] | undefined {
  if (isText(head, 0, '\x01vorbis') && head.length >= 30) return 'vorbis'
  if (isText(head, 0, 'OpusHead') && head.length >= 19) return 'opus'
  return isText(head, 0, '\x7fFLAC') || isText(head, 0, 'Speex   ') ? 'other' : undefined
}

/** Returns the sound of a file: its first stream of sound. Throws the system's error. */
export async function readOggSound(handle: FileHandle): Promise<ContainerSound | SoundFault> {
  const streams = await streamsOf(handle)
  const [first] = streams
  if (!first) return { fault: 'no_sound' }
  const { codec, head } = first
  if (codec === 'other') return { fault: 'inner_codec' }
  const isOpus = codec === 'opus'
  return {
    codec,
    isLossy: true,
    sampleRateHz: isOpus ? OPUS_RATE_HZ : head.readUInt32LE(12),
    channels: head[isOpus ? 9 : 11]!,
    soundBytes: (await handle.stat()).size,
    track: streams.length > 1 ? { index: 0, count: streams.length } : undefined,
  }
}

/** Marks before the comments of both codecs. */
const COMMENT_MARKS = { vorbis: '\x03vorbis', opus: 'OpusTags' } as const

/** Returns the comments of the first stream, its second packet, as far as `mostBytes`; undefined without any. Throws the system's error. */
async function readComments(handle: FileHandle, mostBytes: number): Promise<Buffer | undefined> {
  const [stream] = await streamsOf(handle)
  if (!stream || stream.codec === 'other') return undefined
  const parts: Buffer[] = []
  let bytes = 0
  for (let at = 0; bytes < mostBytes; ) {
    const page = await readPage(handle, at)
    if (!page) break
    at = page.end
    if (page.isFirst || page.serial !== stream.serial) continue
    const last = page.lacing.findIndex((size) => size < 255)
    const lacing = last < 0 ? page.lacing : page.lacing.subarray(0, last + 1)
    const part = await readAt(
      handle,
      page.start,
      lacing.reduce((sum, size) => sum + size, 0),
    )
    parts.push(part)
    bytes += part.length
    if (last >= 0) break
  }
  const packet = Buffer.concat(parts)
  const mark = COMMENT_MARKS[stream.codec]
  return isText(packet, 0, mark) ? packet.subarray(mark.length) : undefined
}

/** Returns the tags of a file. Throws the system's error. */
export async function readOggTags(handle: FileHandle): Promise<ContainerTags> {
  const comments = await readComments(handle, MAX_CONTAINER_TAG_BYTES)
  if (!comments) return NO_TAGS
  const { comments: entries, pictures } = commentTags(comments)
  return { entries, pictures }
}

/** Returns the number of comments that a file claims to have. Throws the system's error. */
export async function countOggTags(handle: FileHandle): Promise<number> {
  const comments = await readComments(handle, 65_536)
  return comments ? commentCount(comments) : 0
}
