import type { FileHandle } from 'node:fs/promises'
import { isText } from './file-bytes.ts'

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

/** Bytes after the tags in which the first frame must start: encoders leave padding, streams begin inside a frame. */
const SEARCHED_BYTES = 262_144
/** Four headers that agree and lie exactly a frame apart do not occur in text or noise (1 in 10^20). */
const CONSECUTIVE_FRAMES = 4

/** What the start of an MP3 says. */
export interface Mp3Stream {
  readonly sampleRateHz: number
  readonly channels: number
  /** Decoded frames that the encoder counted (Xing or Info header); absent where it did not. */
  readonly claimedFrames?: number
}

/**
 * Returns what the MP3 stream says that starts after `start` bytes of a file of `fileBytes`, or undefined when there are
 * no four consecutive frames of layer III that agree (two that reach the end of the file are enough for a very short one).
 */
export async function findMp3Stream(
  handle: FileHandle,
  start: number,
  fileBytes: number,
): Promise<Mp3Stream | undefined> {
  const bytes = Buffer.alloc(Math.max(0, Math.min(SEARCHED_BYTES + 16_384, fileBytes - start)))
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, start)
  const end = start + bytesRead === fileBytes ? bytesRead : Number.POSITIVE_INFINITY
  for (let at = 0; at < Math.min(bytesRead, SEARCHED_BYTES); at++) {
    const first = readHeader(bytes, at)
    if (first && isStream(bytes, at, first, end)) {
      const { sampleRateHz, channels } = first
      const claimed = countedByEncoder(bytes, at, first)
      return { sampleRateHz, channels, ...(claimed === undefined ? {} : { claimedFrames: claimed }) }
    }
  }
  return undefined
}

/** Behind the header and the side information of the first frame, which then holds no sound (LAME's Xing header). */
function countedByEncoder(bytes: Buffer, at: number, first: FrameHeader): number | undefined {
  const isMono = first.channels === 1
  const sideBytes = first.version === 1 ? (isMono ? 17 : 32) : isMono ? 9 : 17
  const tag = at + HEADER_BYTES + sideBytes
  const isCounted = isText(bytes, tag, 'Xing') || isText(bytes, tag, 'Info')
  if (!isCounted || tag + 12 > bytes.length || (bytes[tag + 7]! & 1) === 0) return undefined
  return Math.round(bytes.readUInt32BE(tag + 8) * first.durationSeconds * first.sampleRateHz)
}

/** Read at once while frames are counted. */
const PIECE_BYTES = 1 << 20

/**
 * Returns the mean bit rate of the MPEG frames of a file, bit/s: frames alone, since a cover or other tags can be larger than the
 * sound. Looks from `start` to the end and passes over what is no frame; undefined when there is none.
 */
export async function meanBitRate(handle: FileHandle, start: number): Promise<number | undefined> {
  const bytes = Buffer.alloc(PIECE_BYTES)
  let bits = 0
  let seconds = 0
  let version: FrameHeader['version'] | undefined
  for (let position = start; ; ) {
    const { bytesRead } = await handle.read(bytes, 0, PIECE_BYTES, position)
    const piece = bytes.subarray(0, bytesRead)
    const isLast = bytesRead < PIECE_BYTES
    const end = isLast ? bytesRead : Number.POSITIVE_INFINITY
    let at = 0
    while (at + HEADER_BYTES <= bytesRead) {
      const header = readHeader(piece, at)
      // A lonely sync in rubbish is told from a frame by what stands behind it.
      const isFrame = header && (header.version === version || isStream(piece, at, header, end))
      if (isFrame) {
        version = header.version
        bits += header.lengthBytes * 8
        seconds += header.durationSeconds
      } else version = undefined
      at += isFrame ? header.lengthBytes : 1
    }
    if (isLast) return seconds > 0 ? bits / seconds : undefined
    position += at
  }
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
