import type { FileHandle } from 'node:fs/promises'
import { APE_MARK_BYTES, apeHeaderBytes } from './ape.ts'
import { isText, readAt } from './file-bytes.ts'
import { id3TagBytes } from './id3.ts'

/** The header of one MPEG audio frame, layer III: ISO/IEC 11172-3 section 2.4.2.3 and 13818-3. */
interface FrameHeader {
  readonly version: 1 | 2 | 2.5
  readonly sampleRateHz: number
  readonly channels: 1 | 2
  readonly lengthBytes: number
  readonly durationSeconds: number
}

const HEADER_BYTES = 4

const RATES_HZ = [44_100, 48_000, 32_000]
const KILOBITS_V1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const KILOBITS_V2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]

/** Bytes after the tags that are searched for the first frame: encoders leave padding, recovered disks megabytes of garbage. */
const SEARCHED_BYTES = 1 << 24
/** Bytes that are read at once. */
const PIECE_BYTES = 1 << 20
/** Bytes that hold {@link CONSECUTIVE_FRAMES} of the longest frames, with a margin. */
const STREAM_BYTES = 16_384
/** Four consistent headers exactly one frame apart do not occur in text or noise (1 in 10^20). */
const CONSECUTIVE_FRAMES = 4

/** A stretch of a file, from its first byte up to the one behind its last. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The sound of an MP3, from the headers of all its frames. */
export interface Mp3Stream {
  /** Place of the first frame in the file. */
  readonly start: number
  /** Rate of the longest part at 44.1 kHz or above, or the highest rate if there is no such part. */
  readonly sampleRateHz: number
  /** 2 if most of the song, or a second of it, is stereo. */
  readonly channels: 1 | 2
  /** Mean of the frames, bit/s. */
  readonly bitRate: number
  /** Decoded frames, at `sampleRateHz`, counted by the encoder (Xing or Info header); absent if it did not count. */
  readonly claimedFrames?: number
  /** Tags between the frames, such as in concatenated files. */
  readonly innerTags: readonly ByteRange[]
}

/**
 * Returns the sound of the MP3 frames between two positions of a file, or undefined if the first 16 MB contain no four consecutive,
 * consistent frames of layer III (two that reach the end are enough for a very short file). Every frame header is read, since a single
 * frame of another kind in front says nothing about the song. Throws the system's error.
 */
export async function surveyMp3(handle: FileHandle, { start, end }: ByteRange): Promise<Mp3Stream | undefined> {
  const first = await findFirstFrame(handle, { start, end })
  if (!first) return undefined
  const { parts, innerTags } = await readAllFrames(handle, { start: first.at, end })
  const sampleRateHz = songRateHz(parts)
  const claimedFrames = first.claimedSeconds === undefined ? undefined : Math.round(first.claimedSeconds * sampleRateHz)
  const seconds = sumOf(parts, (part) => part.seconds)
  return {
    start: first.at,
    sampleRateHz,
    channels: songChannels(parts),
    bitRate: sumOf(parts, (part) => part.bits) / seconds,
    ...(claimedFrames === undefined ? {} : { claimedFrames }),
    innerTags,
  }
}

async function findFirstFrame(
  handle: FileHandle,
  { start, end }: ByteRange,
): Promise<{ readonly at: number; readonly claimedSeconds?: number } | undefined> {
  for (let from = start; from < Math.min(end, start + SEARCHED_BYTES); from += PIECE_BYTES) {
    const bytes = await readAt(handle, from, Math.min(PIECE_BYTES + STREAM_BYTES, end - from))
    const endOfSound = from + bytes.length === end ? bytes.length : Number.POSITIVE_INFINITY
    for (let at = bytes.indexOf(0xff); at >= 0 && at < PIECE_BYTES; at = bytes.indexOf(0xff, at + 1)) {
      const first = readHeader(bytes, at)
      if (!first || !isStream(bytes, at, first, endOfSound)) continue
      const claimedSeconds = countedByEncoder(bytes, at, first)
      return { at: from + at, ...(claimedSeconds === undefined ? {} : { claimedSeconds }) }
    }
  }
  return undefined
}

/**
 * Returns the seconds that the encoder recorded behind the header and the side information of the first frame, which then contains no sound.
 */
function countedByEncoder(bytes: Buffer, at: number, first: FrameHeader): number | undefined {
  const isMono = first.channels === 1
  const sideBytes = first.version === 1 ? (isMono ? 17 : 32) : isMono ? 9 : 17
  const tag = at + HEADER_BYTES + sideBytes
  const isCounted = isText(bytes, tag, 'Xing') || isText(bytes, tag, 'Info')
  if (!isCounted || tag + 12 > bytes.length || (bytes[tag + 7]! & 1) === 0) return undefined
  return bytes.readUInt32BE(tag + 8) * first.durationSeconds
}

/** All frames of one rate and one number of channels. */
interface Part {
  readonly sampleRateHz: number
  readonly channels: 1 | 2
  seconds: number
  bits: number
}

/** Adds up the frames and finds the tags between them; other bytes are skipped. */
async function readAllFrames(
  handle: FileHandle,
  { start, end }: ByteRange,
): Promise<{ readonly parts: readonly Part[]; readonly innerTags: readonly ByteRange[] }> {
  const parts = new Map<number, Part>()
  const innerTags: ByteRange[] = []
  let version: FrameHeader['version'] | undefined
  for (let position = start; position + HEADER_BYTES <= end; ) {
    const bytes = await readAt(handle, position, Math.min(PIECE_BYTES, end - position))
    const isLast = position + bytes.length >= end || bytes.length === 0
    let at = 0
    while (at + HEADER_BYTES <= bytes.length) {
      const header = readHeader(bytes, at)
      // The bytes after it distinguish a frame from a stray sync pattern.
      const isFrame =
        header &&
        (header.version === version || isStream(bytes, at, header, isLast ? bytes.length : Number.POSITIVE_INFINITY))
      const candidateBytes = isFrame ? 0 : leadingTagBytes(bytes, at)
      const tagBytes = position + at + candidateBytes <= end ? candidateBytes : 0
      if (isFrame) addFrame(parts, header)
      if (tagBytes > 0) innerTags.push({ start: position + at, end: position + at + tagBytes })
      version = isFrame ? header.version : undefined
      at += isFrame ? header.lengthBytes : Math.max(1, tagBytes)
    }
    if (isLast) break
    position += at
  }
  return { parts: [...parts.values()], innerTags }
}

function addFrame(
  parts: Map<number, Part>,
  { sampleRateHz, channels, durationSeconds, lengthBytes }: FrameHeader,
): void {
  const key = sampleRateHz * 2 + channels
  const part = parts.get(key) ?? { sampleRateHz, channels, seconds: 0, bits: 0 }
  part.seconds += durationSeconds
  part.bits += lengthBytes * 8
  parts.set(key, part)
}

/** Returns the length of an ID3v2 tag, or of an APEv2 tag with a header, at a position without a frame; 0 without a tag. */
function leadingTagBytes(bytes: Buffer, at: number): number {
  if (bytes[at] === LETTER_I) return id3TagBytes(bytes.subarray(at, at + 10))
  return bytes[at] === LETTER_A ? apeHeaderBytes(bytes.subarray(at, at + APE_MARK_BYTES)) : 0
}

const LETTER_I = 0x49
const LETTER_A = 0x41

/** Shortest part that counts as part of the song, s; shorter ones are remainders of a cut or jingles of an encoder. */
const HEARD_SECONDS = 1
/** Lowest sample rate that covers all audible frequencies, Hz. */
const FULL_RATE_HZ = 44_100

function songRateHz(parts: readonly Part[]): number {
  const seconds = new Map<number, number>()
  for (const part of parts) seconds.set(part.sampleRateHz, (seconds.get(part.sampleRateHz) ?? 0) + part.seconds)
  const longestFirst = [...seconds].sort((a, b) => b[1] - a[1])
  const heard = longestFirst.filter(([, length], i) => i === 0 || length >= HEARD_SECONDS).map(([rateHz]) => rateHz)
  return heard.find((rateHz) => rateHz >= FULL_RATE_HZ) ?? Math.max(...heard)
}

function songChannels(parts: readonly Part[]): 1 | 2 {
  const stereoSeconds = sumOf(parts, (part) => (part.channels === 2 ? part.seconds : 0))
  const isMostly = stereoSeconds * 2 >= sumOf(parts, (part) => part.seconds)
  return isMostly || stereoSeconds >= HEARD_SECONDS ? 2 : 1
}

function sumOf(parts: readonly Part[], amount: (part: Part) => number): number {
  return parts.reduce((sum, part) => sum + amount(part), 0)
}

/** MPEG audio that ffmpeg cannot decode as layer III, or that no song should be sent in. */
export type OtherMpeg = 'mp1' | 'mp2' | 'mp3_free_format'

/** Bit rates of layers I and II of MPEG 1, kbit/s; in MPEG 2, layer II shares layer III's. */
const KILOBITS_LAYER_1 = [0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
const KILOBITS_LAYER_2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
const KILOBITS_LAYER_1_V2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]

/**
 * Returns the related format in a file that is not an MP3, or undefined: four consecutive frames of layer I or II, or of layer III without
 * a bit rate (free format), whose length is just the distance between two headers.
 */
export function findOtherMpeg(bytes: Buffer): OtherMpeg | undefined {
  for (let at = 0; at + HEADER_BYTES <= bytes.length; at++) {
    if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xe0) !== 0xe0) continue
    const layer = LAYERS[(bytes[at + 1]! >> 1) & 3]
    const isFreeFormat = bytes[at + 2]! >> 4 === 0
    if (layer === 3 && isFreeFormat && hasFreeFrames(bytes, at)) return 'mp3_free_format'
    if ((layer === 1 || layer === 2) && hasFramesOf(bytes, at, layer)) return layer === 1 ? 'mp1' : 'mp2'
  }
  return undefined
}

const LAYERS = [undefined, 3, 2, 1] as const

/** Longest free-format frame, bytes: at 640 kbit/s and 32 kHz. */
const LONGEST_FREE_FRAME_BYTES = 2881

function hasFreeFrames(bytes: Buffer, at: number): boolean {
  const isAlike = (place: number) =>
    place + HEADER_BYTES <= bytes.length &&
    bytes[place] === 0xff &&
    bytes[place + 1] === bytes[at + 1] &&
    (bytes[place + 2]! & 0xfc) === (bytes[at + 2]! & 0xfc)
  if (((bytes[at + 2]! >> 2) & 3) === 3) return false
  for (let length = 32; length <= LONGEST_FREE_FRAME_BYTES; length++) {
    let place = at
    let frames = 0
    // A padded frame is one byte longer.
    while (frames < CONSECUTIVE_FRAMES && isAlike(place)) {
      place += length + ((bytes[place + 2]! >> 1) & 1)
      frames++
    }
    if (frames === CONSECUTIVE_FRAMES) return true
  }
  return false
}

function hasFramesOf(bytes: Buffer, at: number, layer: 1 | 2): boolean {
  for (let place = at, frames = 0; ; frames++) {
    if (frames === CONSECUTIVE_FRAMES) return true
    const isAlike = place + HEADER_BYTES <= bytes.length && bytes[place] === 0xff && bytes[place + 1] === bytes[at + 1]
    const length = isAlike ? frameBytesOf(bytes, place, layer) : 0
    if (length === 0) return false
    place += length
  }
}

function frameBytesOf(bytes: Buffer, at: number, layer: 1 | 2): number {
  const isVersion1 = ((bytes[at + 1]! >> 3) & 3) === 3
  const rateIndex = (bytes[at + 2]! >> 2) & 3
  const rates =
    layer === 1 ? (isVersion1 ? KILOBITS_LAYER_1 : KILOBITS_LAYER_1_V2) : isVersion1 ? KILOBITS_LAYER_2 : KILOBITS_V2
  const kilobits = rates[bytes[at + 2]! >> 4]
  if (rateIndex === 3 || !kilobits) return 0
  const sampleRateHz = RATES_HZ[rateIndex]! / (isVersion1 ? 1 : 2)
  const padding = (bytes[at + 2]! >> 1) & 1
  const slots = (kilobits * 1000) / sampleRateHz
  return layer === 1 ? 4 * (Math.floor(12 * slots) + padding) : Math.floor(144 * slots) + padding
}

function isStream(bytes: Buffer, at: number, first: FrameHeader, end: number): boolean {
  let position = at
  for (let frames = 0; frames < CONSECUTIVE_FRAMES; frames++) {
    const isAtEnd = position >= end || isText(bytes, position, 'TAG') || isText(bytes, position, 'APETAGEX')
    if (isAtEnd) return frames >= 2
    const header = readHeader(bytes, position)
    if (!header || header.version !== first.version || header.sampleRateHz !== first.sampleRateHz) return false
    position += header.lengthBytes
  }
  return true
}

function readHeader(bytes: Buffer, at: number): FrameHeader | undefined {
  if (at + HEADER_BYTES > bytes.length || bytes[at] !== 0xff || (bytes[at + 1]! & 0xe6) !== 0xe2) return undefined
  const version = ([2.5, undefined, 2, 1] as const)[(bytes[at + 1]! >> 3) & 3]
  const rateIndex = (bytes[at + 2]! >> 2) & 3
  const kilobits = (version === 1 ? KILOBITS_V1 : KILOBITS_V2)[bytes[at + 2]! >> 4]
  if (!version || rateIndex === 3 || !kilobits) return undefined
  const sampleRateHz = RATES_HZ[rateIndex]! / (version === 1 ? 1 : version === 2 ? 2 : 4)
  const samplesPerFrame = version === 1 ? 1152 : 576
  const padding = (bytes[at + 2]! >> 1) & 1
  const lengthBytes = Math.floor((samplesPerFrame / 8) * ((kilobits * 1000) / sampleRateHz)) + padding
  const durationSeconds = samplesPerFrame / sampleRateHz
  return { version, sampleRateHz, channels: bytes[at + 3]! >> 6 === 3 ? 1 : 2, lengthBytes, durationSeconds }
}
