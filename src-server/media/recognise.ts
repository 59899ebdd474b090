import { type FileHandle, open } from 'node:fs/promises'
import type { FormatReason } from '../contract/text/format-reasons.ts'
import type { AudioFormat } from './audio-facts.ts'
import { isText, readAt } from './file-bytes.ts'
import { foreignByContent, foreignByMark, KNOWN_BY_BYTES } from './foreign-formats.ts'
import { findTags } from './mp3-layout.ts'
import { surveyMp3 } from './mpeg-frames.ts'

/** Why a file is not one of the three formats; the sentences are in contract/text. */
export type FormatFault = FormatReason

/** What the container says about its one audio stream; everything that matters is measured again by decoding. */
export interface StreamFacts {
  readonly format: AudioFormat
  readonly codec: string
  readonly sampleRateHz: number
  readonly channels: number
  readonly bitDepth?: number
  /** Mean of the frames of an MP3, bit/s. */
  readonly bitRate?: number
  /** Frames of which the container says that it holds them; absent where it does not say. */
  readonly claimedFrames?: number
  readonly hasProvenance: boolean
}

export type Recognition = { readonly stream: StreamFacts } | { readonly fault: FormatFault }

const LOWEST_RATE_HZ = 4000
const HIGHEST_RATE_HZ = 768_000

/**
 * Returns what a file is by its content: its name and what a client says about it are never looked at. MP3 counts only with several
 * consecutive frames, WAV (RIFF, RF64, extensible) only with PCM or float samples, FLAC only in its native container; an ID3v2 tag
 * may precede MP3 and FLAC. Throws only when the file cannot be read.
 */
export async function recogniseAudio(file: string): Promise<Recognition> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size === 0) return { fault: 'empty' }
    const start = await readAt(handle, 0, 64)
    if (isText(start, 8, 'WAVE') && (isText(start, 0, 'RIFF') || isText(start, 0, 'RF64'))) {
      return withinLimits(await readWave(handle, size))
    }
    const { sound } = await findTags(handle, size)
    const audio = await readAt(handle, sound.start, KNOWN_BY_BYTES)
    if (isText(audio, 0, 'fLaC')) return withinLimits(await readFlac(handle, sound.start))
    const foreign = foreignByMark(start) ?? foreignByMark(audio)
    if (foreign) return { fault: foreign }
    const mp3 = await surveyMp3(handle, sound)
    if (!mp3) return { fault: foreignByContent(audio) ?? 'unknown' }
    const hasProvenance = await mentionsManifest(handle, 0, sound.start)
    const { innerTags: _, ...facts } = mp3
    return withinLimits({ stream: { format: 'mp3', codec: 'mp3', ...facts, hasProvenance } })
  } finally {
    await handle.close()
  }
}

function withinLimits(found: Recognition): Recognition {
  if ('fault' in found) return found
  const { channels, sampleRateHz } = found.stream
  if (channels > 2) return { fault: 'channels' }
  const isSane = channels > 0 && sampleRateHz >= LOWEST_RATE_HZ && sampleRateHz <= HIGHEST_RATE_HZ
  return isSane ? found : { fault: 'damaged' }
}

/** STREAMINFO is always the first metadata block (RFC 9639, section 8.2). */
async function readFlac(handle: FileHandle, start: number): Promise<Recognition> {
  const bytes = await readAt(handle, start + 4, 38)
  if (bytes.length < 38 || (bytes[0]! & 0x7f) !== 0) return { fault: 'damaged' }
  const packed = bytes.readUInt32BE(14)
  const claimedFrames = (packed & 15) * 2 ** 32 + bytes.readUInt32BE(18)
  const hasProvenance = (await mentionsManifest(handle, 0, start)) || (await mentionsManifest(handle, start, 65_536))
  return {
    stream: {
      format: 'flac',
      codec: 'flac',
      sampleRateHz: packed >>> 12,
      channels: ((packed >>> 9) & 7) + 1,
      bitDepth: ((packed >>> 4) & 31) + 1,
      ...(claimedFrames === 0 ? {} : { claimedFrames }),
      hasProvenance,
    },
  }
}

/** Walks the chunks up to the samples (Microsoft RIFF; EBU Tech 3306 for RF64); JUNK, bext and the like are passed over. */
async function readWave(handle: FileHandle, fileBytes: number): Promise<Recognition> {
  let found: Recognition = { fault: 'damaged' }
  let sampleBytes: number | undefined
  let hasProvenance = false
  for (let position = 12, chunks = 0; position + 8 <= fileBytes && chunks < 256; chunks++) {
    const header = await readAt(handle, position, 8)
    if (header.length < 8) break
    const size = header.readUInt32LE(4)
    if (isText(header, 0, 'fmt ')) found = waveFormat(await readAt(handle, position + 8, Math.min(size, 40)))
    if (isText(header, 0, 'C2PA')) hasProvenance = true
    if (isText(header, 0, 'data')) {
      sampleBytes = size
      // A streamed file (size unknown) and RF64 end with the samples as far as this walk goes.
      if (size === 0 || size >= 0xffff_fff0) break
    }
    position += 8 + size + (size % 2)
  }
  if ('fault' in found) return found
  if (sampleBytes === undefined) return { fault: 'damaged' }
  const { channels, bitDepth = 0 } = found.stream
  const isCounted = sampleBytes > 0 && sampleBytes < LEAST_UNKNOWN_BYTES
  const claimedFrames = Math.floor((8 * sampleBytes) / (channels * bitDepth))
  return { stream: { ...found.stream, ...(isCounted ? { claimedFrames } : {}), hasProvenance } }
}

/** Programs that write into a pipe put 2³¹ or 2³² bytes, less a little, for a size that they cannot know. */
const LEAST_UNKNOWN_BYTES = 0x7fff_0000

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe
/** The last fourteen bytes of the sub-format GUID of every format tag (KSDATAFORMAT_SUBTYPE). */
const SUBTYPE_TAIL = Buffer.from('000000001000800000aa00389b71', 'hex')

function waveFormat(format: Buffer): Recognition {
  if (format.length < 16) return { fault: 'damaged' }
  let tag = format.readUInt16LE(0)
  const bitDepth = format.readUInt16LE(14)
  if (tag === EXTENSIBLE) {
    if (format.length < 40 || !format.subarray(26, 40).equals(SUBTYPE_TAIL)) return { fault: 'encoding' }
    tag = format.readUInt16LE(24)
  }
  const codec = waveCodec(tag, bitDepth)
  if (!codec || isPadded(format)) return { fault: 'encoding' }
  return {
    stream: {
      format: 'wav',
      codec,
      channels: format.readUInt16LE(2),
      sampleRateHz: format.readUInt32LE(4),
      bitDepth,
      hasProvenance: false,
    },
  }
}

/** Bytes of the largest samples in which smaller ones are padded. */
const PADDED_BYTES = 4

/**
 * Whether the samples lie farther apart than their size, or are not read where they lie. A block size of zero or without the channels
 * is the slip of a program, and one that the byte rate contradicts as well: such files are read right. Samples of 24 bits may lie in 32,
 * and are read from whole blocks: there the byte rate must say that they lie side by side.
 */
function isPadded(format: Buffer): boolean {
  const channels = format.readUInt16LE(2)
  const blockBytes = format.readUInt16LE(12)
  const bitDepth = format.readUInt16LE(14)
  const sampleBytes = bitDepth / 8
  const frameBytes = channels * sampleBytes
  const isByteRateOf = (bytes: number) => format.readUInt32LE(8) === format.readUInt32LE(4) * bytes
  if (bitDepth === 24) {
    const isSlip = (blockBytes === 0 || blockBytes === sampleBytes) && isByteRateOf(frameBytes)
    return blockBytes < frameBytes ? !isSlip : blockBytes % frameBytes > 0
  }
  return isByteRateOf(blockBytes) && blockBytes > frameBytes && blockBytes <= channels * PADDED_BYTES
}

function waveCodec(tag: number, bitDepth: number): string | undefined {
  if (tag === PCM && bitDepth === 8) return 'pcm_u8'
  if (tag === PCM && (bitDepth === 16 || bitDepth === 24 || bitDepth === 32)) return `pcm_s${bitDepth}`
  if (tag === FLOAT && (bitDepth === 32 || bitDepth === 64)) return `pcm_f${bitDepth}`
  return undefined
}

/** Whether a stretch of tags names a C2PA manifest store: its media type (C2PA 2.1, appendix A) stands in plain text. */
async function mentionsManifest(handle: FileHandle, start: number, length: number): Promise<boolean> {
  if (length === 0) return false
  const bytes = await readAt(handle, start, Math.min(length, 1 << 20))
  return bytes.includes('application/x-c2pa-manifest-store') || bytes.includes('application/c2pa')
}
