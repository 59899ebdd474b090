/** Reader of the tags of a WAV, from all chunks that can contain them. */
import type { FileHandle } from 'node:fs/promises'
import { riffChunk, waveHead } from '../../src-engine/dsp/riff.ts'
import { readAt } from './file-bytes.ts'
import { isrcInAxml } from './isrc.ts'
import type { TagEntry } from './tag-fields.ts'
import { cleanText, decodeText } from './tag-text.ts'
import { readWaveFile } from './wav-sound.ts'

/** Tag chunks of a WAV. */
export interface WavTagChunks {
  /**
   * A WAV of the chunks that ffmpeg reads and two samples, where it finds them whatever their position and size in the file; absent without
   * such chunks.
   */
  readonly tagsAlone?: Buffer
  /** The ID3v2 tag; empty without one. */
  readonly id3Tag: Buffer
  /** Tags that ffmpeg does not find: the ISRC of an `axml` chunk and the originator of a `bext` chunk. */
  readonly plain: readonly TagEntry[]
}

const ID3_NAMES: readonly string[] = ['id3 ', 'ID3 ']
/** Chunks with tags that ffmpeg reads. */
const TAG_NAMES: readonly string[] = ['LIST', 'bext', ...ID3_NAMES]
/** Largest number of tag chunks that are read of one file. */
const MAX_TAG_CHUNKS = 64
/** Largest chunk of texts that is read, bytes. */
const MAX_TEXT_BYTES = 4_000_000

/** Returns the tag chunks of a WAV, those beyond 4 MB left out, and an ID3 tag beyond `maxId3Bytes`. Throws the system's error. */
export async function readWavTagChunks(handle: FileHandle, maxId3Bytes: number): Promise<WavTagChunks> {
  const wave = await readWaveFile(handle)
  const wanted = (wave?.chunks ?? []).filter(
    ({ name, length }) =>
      (TAG_NAMES.includes(name) || name === 'axml') &&
      length <= (ID3_NAMES.includes(name) ? maxId3Bytes : MAX_TEXT_BYTES),
  )
  const found: { name: string; content: Buffer }[] = []
  for (const { name, offset, length } of wanted.slice(0, MAX_TAG_CHUNKS)) {
    found.push({ name, content: await readAt(handle, offset, length) })
  }
  const contentOf = (...names: string[]) => found.find(({ name }) => names.includes(name))?.content ?? Buffer.alloc(0)
  const axmlIsrc = isrcInAxml(textOfXml(contentOf('axml')))
  const originator = originatorOf(contentOf('bext'))
  const ofFfmpeg = found.filter(({ name }) => TAG_NAMES.includes(name))
  return {
    ...(ofFfmpeg.length > 0
      ? { tagsAlone: wavAround(ofFfmpeg.map(({ name, content }) => riffChunk(name, content))) }
      : {}),
    id3Tag: contentOf(...ID3_NAMES),
    plain: [
      ...(axmlIsrc ? [{ name: 'isrc', text: axmlIsrc }] : []),
      ...(originator ? [{ name: 'originator', text: originator }] : []),
    ],
  }
}

/** Returns a WAV of two samples of silence behind these chunks. */
export function wavAround(chunks: readonly Uint8Array[]): Buffer {
  const samples = Buffer.alloc(4)
  const format = { channels: 1, sampleRateHz: 44_100, bitsPerSample: 16 }
  return Buffer.concat([waveHead(format, samples.length, chunks), samples])
}

function textOfXml(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8')
}

/** EBU Tech 3285, section 2.3: description of 256 bytes, originator of 32. */
function originatorOf(bext: Buffer): string {
  return cleanText(decodeText(bext.toString('latin1', 256, 288).replace(/\0.*$/s, '')))
}
