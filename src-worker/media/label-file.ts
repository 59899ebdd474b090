/** Writes tags and cover onto a finished sound file: its loudness tags are only known then. */
import { type FileHandle, open } from 'node:fs/promises'
import type { Container } from '../../src-contract/formats.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import type { SongTags } from './audio-facts.ts'
import type { Cover } from './cover.ts'
import { readAt } from './file-bytes.ts'
import { flacTagBlocks } from './flac-tags.ts'
import { id3TagBytes, writeId3Tag } from './id3.ts'
import { fileBoxes } from './mp4-boxes.ts'
import { taggedMoov } from './mp4-tags.ts'
import { labelledHead } from './wav.ts'
import { readWaveFile } from './wav-sound.ts'
import { createFileSums, type WrittenFile } from './written-file.ts'

/** A stretch of a file, bytes. */
interface Stretch {
  readonly start: number
  readonly end: number
}

/** Tags and cover of a song, and its album's measurement if known. */
export interface Labels {
  readonly tags: SongTags
  readonly cover?: Cover | undefined
  readonly album?: PlayedLevel | undefined
}

const COPIED_BYTES = 1 << 20
/** Loudness that ReplayGain 2.0 refers to, LUFS (wiki.hydrogenaud.io, "ReplayGain 2.0 specification"). */
const REPLAY_GAIN_LUFS = -18

/** Measurement of a file or a whole record for its ReplayGain. */
export interface PlayedLevel {
  readonly integratedLufs: number
  readonly truePeakDbtp: number
}

/**
 * Returns the tags with the ReplayGain of a file, and of its album if measured. A source's ReplayGain does not apply to its master and is
 * never carried over. Silence gets none.
 */
export function withReplayGain(tags: SongTags, track: PlayedLevel, album?: PlayedLevel): SongTags {
  const levels = { ...replayGain('TRACK', track), ...(album ? replayGain('ALBUM', album) : {}) }
  return Object.keys(levels).length === 0 ? tags : { ...tags, other: { ...tags.other, ...levels } }
}

function replayGain(of: 'TRACK' | 'ALBUM', { integratedLufs, truePeakDbtp }: PlayedLevel): Record<string, string> {
  if (!Number.isFinite(integratedLufs)) return {}
  return {
    [`REPLAYGAIN_${of}_GAIN`]: `${(REPLAY_GAIN_LUFS - integratedLufs).toFixed(2)} dB`,
    [`REPLAYGAIN_${of}_PEAK`]: dbToGain(truePeakDbtp).toFixed(6),
  }
}

/**
 * Writes a copy of a sound file with only these tags to `target`: a WAV with all of them before the samples, a FLAC with Vorbis comments,
 * an MP3 with ID3v2.3, an M4A with the atoms of iTunes. The coded sound stays as it is. Throws the system's error, or an Error for a file
 * of another kind.
 */
export async function writeLabelled(
  container: Container,
  bare: string,
  target: string,
  labels: Labels,
): Promise<WrittenFile> {
  const handle = await open(bare, 'r')
  try {
    const parts = await PARTS[container](handle, labels)
    return await writeParts(handle, parts, target)
  } finally {
    await handle.close()
  }
}

type Part = Uint8Array | Stretch

const PARTS: Readonly<Record<Container, (bare: FileHandle, labels: Labels) => Promise<Part[]>>> = {
  wav: wavParts,
  flac: flacParts,
  mp3: mp3Parts,
  m4a: m4aParts,
}

async function wavParts(bare: FileHandle, labels: Labels): Promise<Part[]> {
  const wave = await readWaveFile(bare)
  const range = wave?.sound[0]?.[0]
  if (!wave?.format || !range) throw new Error('not a WAV')
  const head = labelledHead(wave.format, range.length, labels)
  const { offset, length } = range
  return [head, { start: offset, end: offset + length }, new Uint8Array(length % 2)]
}

/** Length of a FLAC's mark and its STREAMINFO block with header, bytes. */
const STREAM_INFO_BYTES = 4 + 4 + 34

async function flacParts(bare: FileHandle, { tags, cover }: Labels): Promise<Part[]> {
  const start = await readAt(bare, 0, STREAM_INFO_BYTES)
  if (start.toString('latin1', 0, 4) !== 'fLaC') throw new Error('not a FLAC')
  const head = Buffer.from(start)
  // The comments follow it.
  head[4] = head[4]! & 0x7f
  let at = 4
  for (let isLast = false; !isLast; ) {
    const block = await readAt(bare, at, 4)
    if (block.length < 4) throw new Error('the FLAC has no sound')
    isLast = (block[0]! & 0x80) > 0
    at += 4 + block.readUIntBE(1, 3)
  }
  return [head, flacTagBlocks(tags, cover), { start: at, end: (await bare.stat()).size }]
}

async function mp3Parts(bare: FileHandle, { tags, cover }: Labels): Promise<Part[]> {
  const start = id3TagBytes(await readAt(bare, 0, 10))
  return [writeId3Tag(tags, cover, 3), { start, end: (await bare.stat()).size }]
}

async function m4aParts(bare: FileHandle, { tags, cover }: Labels): Promise<Part[]> {
  const { size } = await bare.stat()
  const parts: Part[] = []
  for await (const { name, start, contentStart, end } of fileBoxes(bare)) {
    const isMovie = name === 'moov'
    // Everything before it keeps its position, since the movie's tables refer to it.
    if (isMovie && end !== size) throw new Error('the M4A does not end with its tables')
    parts.push(isMovie ? taggedMoov(await readAt(bare, contentStart, end - contentStart), tags, cover) : { start, end })
  }
  return parts
}

async function writeParts(from: FileHandle, parts: readonly Part[], target: string): Promise<WrittenFile> {
  const sums = createFileSums()
  const file = await open(target, 'w', 0o600)
  const write = async (bytes: Uint8Array) => {
    sums.add(bytes)
    await file.writeFile(bytes)
  }
  try {
    for (const part of parts) {
      if (part instanceof Uint8Array) {
        await write(part)
        continue
      }
      for (let at = part.start; at < part.end; at += COPIED_BYTES) {
        await write(await readAt(from, at, Math.min(COPIED_BYTES, part.end - at)))
      }
    }
  } finally {
    await file.close()
  }
  return sums.finish()
}
