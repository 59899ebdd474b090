/** Sound and tags of a Core Audio file. Source: Apple, "Core Audio Format Specification 1.0". */
import type { FileHandle } from 'node:fs/promises'
import {
  type ContainerSound,
  type ContainerTags,
  isLossyCodec,
  MAX_CONTAINER_TAG_BYTES,
  MAX_TAG_ENTRIES,
  NO_TAGS,
  type SoundFault,
} from './container-sound.ts'
import { readAt } from './file-bytes.ts'
import type { TagEntry } from './tag-fields.ts'
import { cleanText } from './tag-text.ts'

const FILE_HEAD_BYTES = 8
const HEAD_BYTES = 12
/** Chunks of a file; more are not read. */
const MAX_CHUNKS = 256
/** Size of a last chunk whose writer did not know it. */
const UNKNOWN = -1

interface Chunk {
  readonly start: number
  readonly length: number
}

/** Returns the chunks of a file, the first of each name. Throws the system's error. */
async function chunksOf(handle: FileHandle): Promise<ReadonlyMap<string, Chunk>> {
  const { size } = await handle.stat()
  const chunks = new Map<string, Chunk>()
  let at = FILE_HEAD_BYTES
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const head = await readAt(handle, at, HEAD_BYTES)
    if (head.length < HEAD_BYTES) break
    const start = at + HEAD_BYTES
    const stated = Number(head.readBigInt64BE(4))
    const length = stated === UNKNOWN ? size - start : stated
    if (length < 0) break
    const name = head.toString('latin1', 0, 4)
    if (!chunks.has(name)) chunks.set(name, { start, length })
    at = start + length
  }
  return chunks
}

async function readChunk(handle: FileHandle, chunk: Chunk | undefined, mostBytes: number): Promise<Buffer> {
  return chunk ? readAt(handle, chunk.start, Math.min(chunk.length, mostBytes)) : Buffer.alloc(0)
}

const CODECS: Readonly<Record<string, string>> = {
  alac: 'alac',
  'aac ': 'aac',
  aach: 'aac',
  aacp: 'aac',
  opus: 'opus',
  flac: 'flac',
  '.mp3': 'mp3',
}
/** Flags of linear PCM. */
const IS_FLOAT = 1

/** Returns the sound of a file by its description and packet table. Throws the system's error. */
export async function readCafSound(handle: FileHandle): Promise<ContainerSound | SoundFault> {
  const chunks = await chunksOf(handle)
  const description = await readChunk(handle, chunks.get('desc'), 32)
  const data = chunks.get('data')
  if (description.length < 32 || !data) return { fault: 'damaged' }
  const [id, flags, bits] = [
    description.toString('latin1', 8, 12),
    description.readUInt32BE(12),
    description.readUInt32BE(28),
  ]
  const codec = id === 'lpcm' ? pcmCodec(flags, bits) : CODECS[id]
  if (codec === undefined) return { fault: 'inner_codec' }
  const packetBytes = description.readUInt32BE(16)
  // An edit count comes before the sound.
  const soundBytes = data.length - 4
  const table = await readChunk(handle, chunks.get('pakt'), 24)
  const shown = table.length < 24 ? undefined : excerptOf(table)
  return {
    codec,
    isLossy: isLossyCodec(codec),
    sampleRateHz: Math.round(description.readDoubleBE(0)),
    channels: description.readUInt32BE(24),
    bitDepth:
      id === 'lpcm' ? bits : codec === 'alac' ? alacBits(await readChunk(handle, chunks.get('kuki'), 64)) : undefined,
    claimedFrames: shown?.frames ?? (packetBytes > 0 ? Math.floor(soundBytes / packetBytes) : undefined),
    excerpt: shown,
    soundBytes,
  }
}

/** Returns the bits of a sample in the decoder's description of ALAC: the sixth byte, or that behind an atom's head. */
function alacBits(cookie: Buffer): number | undefined {
  const atom = cookie.lastIndexOf('alac', undefined, 'latin1')
  return cookie[atom < 0 ? 5 : atom + 8 + 5]
}

/** Returns the frames between priming and remainder; undefined without any. */
function excerptOf(table: Buffer) {
  const frames = Number(table.readBigInt64BE(8))
  return frames > 0 ? { startFrame: Math.max(0, table.readInt32BE(16)), frames } : undefined
}

function pcmCodec(flags: number, bits: number): string | undefined {
  if ((flags & IS_FLOAT) > 0) return bits === 32 || bits === 64 ? `pcm_f${bits}` : undefined
  return [8, 16, 24, 32].includes(bits) ? `pcm_s${bits}` : undefined
}

/** Returns the texts of the information chunk: a count, then keys and values that end with a zero each. Throws the system's error. */
export async function readCafTags(handle: FileHandle): Promise<ContainerTags> {
  const info = await readChunk(handle, (await chunksOf(handle)).get('info'), MAX_CONTAINER_TAG_BYTES)
  if (info.length < 4) return NO_TAGS
  const texts = info.toString('utf8', 4).split('\0', 2 * MAX_TAG_ENTRIES)
  const entries: TagEntry[] = []
  for (let i = 0; i + 1 < texts.length; i += 2) {
    const [name, text] = [cleanText(texts[i]!), cleanText(texts[i + 1]!)]
    if (name !== '' && text !== '') entries.push({ name: FIELDS[name.toLowerCase()] ?? name, text })
  }
  return { entries, pictures: [] }
}

/** Keys whose names differ from those of other systems. */
const FIELDS: Readonly<Record<string, string>> = {
  comments: 'comment',
  'track number': 'track',
  'recorded date': 'date',
  'key signature': 'initialkey',
  'encoding application': 'encoder',
  'nominal bit rate': 'encodersettings',
  'channel layout': 'encodersettings',
  'approximate duration in seconds': 'duration',
}

/** Returns the number of texts that a file claims to have. Throws the system's error. */
export async function countCafTags(handle: FileHandle): Promise<number> {
  const info = await readChunk(handle, (await chunksOf(handle)).get('info'), 4)
  return info.length < 4 ? 0 : info.readUInt32BE(0)
}
