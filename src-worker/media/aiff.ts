/** Sound and tags of an AIFF or AIFF-C file. Source: Apple, "Audio Interchange File Format: AIFF-C", draft of 26 August 1991. */
import type { FileHandle } from 'node:fs/promises'
import {
  type ContainerSound,
  type ContainerTags,
  MAX_CONTAINER_TAG_BYTES,
  MAX_TAG_ENTRIES,
  NO_TAGS,
  type SoundFault,
} from './container-sound.ts'
import { readAt } from './file-bytes.ts'
import { readId3Pictures } from './id3.ts'
import type { TagEntry } from './tag-fields.ts'
import { cleanText, decodeText } from './tag-text.ts'

const FORM_BYTES = 12
const HEAD_BYTES = 8

interface Chunk {
  readonly name: string
  readonly start: number
  readonly length: number
}

/** Yields the chunks of a file, {@link MAX_TAG_ENTRIES} and one more at most. Throws the system's error. */
async function* chunksIn(handle: FileHandle): AsyncGenerator<Chunk> {
  let at = FORM_BYTES
  for (let chunks = 0; chunks <= MAX_TAG_ENTRIES; chunks++) {
    const head = await readAt(handle, at, HEAD_BYTES)
    if (head.length < HEAD_BYTES) return
    const length = head.readUInt32BE(4)
    yield { name: head.toString('latin1', 0, 4), start: at + HEAD_BYTES, length }
    at += HEAD_BYTES + length + (length % 2)
  }
}

/** Sample formats by the compression type of AIFF-C; a function of the bits where the type leaves them open. */
const CODECS: Readonly<Record<string, (bytes: number) => string>> = {
  NONE: (bytes) => `pcm_s${8 * bytes}`,
  twos: (bytes) => `pcm_s${8 * bytes}`,
  sowt: (bytes) => `pcm_s${8 * bytes}`,
  'raw ': () => 'pcm_u8',
  in24: () => 'pcm_s24',
  in32: () => 'pcm_s32',
  fl32: () => 'pcm_f32',
  FL32: () => 'pcm_f32',
  fl64: () => 'pcm_f64',
  FL64: () => 'pcm_f64',
}

/** Returns the sound of a file by its common chunk. Throws the system's error. */
export async function readAiffSound(handle: FileHandle): Promise<ContainerSound | SoundFault> {
  const isCompressed = (await readAt(handle, 8, 4)).toString('latin1') === 'AIFC'
  for await (const { name, start } of chunksIn(handle)) {
    if (name !== 'COMM') continue
    const common = await readAt(handle, start, 22)
    if (common.length < (isCompressed ? 22 : 18)) break
    const bits = common.readUInt16BE(6)
    const bytes = Math.ceil(bits / 8)
    const codec = CODECS[isCompressed ? common.toString('latin1', 18, 22) : 'NONE']?.(bytes)
    if (codec === undefined || bytes < 1 || bytes > 8) return { fault: 'inner_codec' }
    return {
      codec,
      isLossy: false,
      sampleRateHz: Math.round(readExtended(common.subarray(8))),
      channels: common.readUInt16BE(0),
      bitDepth: codec.startsWith('pcm_f') ? Number(codec.slice('pcm_f'.length)) : bits,
      claimedFrames: common.readUInt32BE(2),
    }
  }
  return { fault: 'damaged' }
}

/** Returns a number of 80 bits: sign and exponent in 16, and the significand with its integer bit (IEEE 754, extended). */
function readExtended(bytes: Buffer): number {
  const exponent = (bytes.readUInt16BE(0) & 0x7fff) - 16_383 - 63
  return (bytes.readUInt32BE(2) * 2 ** 32 + bytes.readUInt32BE(6)) * 2 ** exponent
}

/** Text chunks by name. */
const TEXTS: Readonly<Record<string, string>> = { NAME: 'title', AUTH: 'artist', '(c) ': 'copyright', ANNO: 'comment' }

/** Returns the tags of a file: its text chunks and its ID3v2 tag. Throws the system's error. */
export async function readAiffTags(handle: FileHandle): Promise<ContainerTags> {
  const entries: TagEntry[] = []
  let found = NO_TAGS
  for await (const { name, start, length } of chunksIn(handle)) {
    const field = TEXTS[name]
    if (length > MAX_CONTAINER_TAG_BYTES) continue
    if (field) {
      const text = cleanText(decodeText((await readAt(handle, start, length)).toString('latin1').replace(/\0.*$/s, '')))
      if (text !== '') entries.push({ name: field, text })
    } else if (/^id3 $/i.test(name)) {
      const id3 = await readAt(handle, start, length)
      found = { entries, pictures: readId3Pictures(id3), id3 }
    }
  }
  return { ...found, entries }
}

/** Returns the number of chunks of a file. */
export async function countAiffChunks(handle: FileHandle): Promise<number> {
  let chunks = 0
  for await (const _ of chunksIn(handle)) chunks++
  return chunks
}
