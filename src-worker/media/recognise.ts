import { type FileHandle, open } from 'node:fs/promises'
import type { Accept, OtherContainer } from '../../src-contract/song-files.ts'
import type { FormatReason } from '../../src-contract/text/format-reasons.ts'
import { inFrames } from '../../src-engine/dsp/riff.ts'
import type { AudioFormat, Excerpt, SoundTrack } from './audio-facts.ts'
import { isText, readAt } from './file-bytes.ts'
import { foreignByContent, foreignByMark, KNOWN_BY_BYTES } from './foreign-formats.ts'
import { findTags } from './mp3-layout.ts'
import { surveyMp3 } from './mpeg-frames.ts'
import { containerOf, readContainerSound } from './other-containers.ts'
import { hasPaddedSamples, pcmLayout } from './pcm-layout.ts'
import { readWaveFile } from './wav-sound.ts'

/** Reason that a file is not one of the accepted formats; the sentences are in src-contract/text. */
export type FormatFault = FormatReason

/** Facts of the audio stream according to the container; important ones are measured again by decoding. */
export interface StreamFacts {
  readonly format: AudioFormat
  readonly codec: string
  readonly sampleRateHz: number
  readonly channels: number
  readonly isLossy: boolean
  readonly bitDepth?: number
  /** Mean of the frames of an MP3, bit/s. */
  readonly bitRate?: number
  /** Size of the coded sound of other lossy files, bytes. */
  readonly soundBytes?: number
  readonly excerpt?: Excerpt
  readonly track?: SoundTrack
  /** Number of frames that the container claims; absent if it claims none. */
  readonly claimedFrames?: number
  /** Frames in a WAV. */
  readonly frames?: number
  /** Likely sound in a WAV that its headers do not cover, frames; above 0. */
  readonly strayFrames?: number
  readonly hasProvenance: boolean
}

export type Recognition = { readonly stream: StreamFacts } | { readonly fault: FormatFault }

const LOWEST_RATE_HZ = 4000
const HIGHEST_RATE_HZ = 768_000

/**
 * Recognises a file by its content, never by its name or the client's claims. MP3 counts only with several consecutive frames, WAV (RIFF,
 * RF64, BW64, extensible) only with PCM or float samples, FLAC only in its native container; an ID3v2 tag may precede MP3 and FLAC. With
 * `accept`, files in other containers count as well. Throws only if the file cannot be read.
 */
export async function recogniseAudio(file: string, accept?: Accept): Promise<Recognition> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size === 0) return { fault: 'empty' }
    const start = await readAt(handle, 0, 64)
    const wave = await recogniseWave(handle)
    if (wave) return withinLimits(wave)
    const container = accept && containerOf(start)
    if (container) return withinLimits(await recogniseContainer(handle, container))
    const { sound } = await findTags(handle, size)
    const audio = await readAt(handle, sound.start, KNOWN_BY_BYTES)
    if (isText(audio, 0, 'fLaC')) return withinLimits(await readFlac(handle, sound.start))
    const foreign = foreignByMark(start) ?? foreignByMark(audio)
    if (foreign) return { fault: foreign }
    const mp3 = await surveyMp3(handle, sound)
    if (!mp3) return { fault: foreignByContent(audio) ?? 'unknown' }
    const hasProvenance = await mentionsManifest(handle, 0, sound.start)
    const { start: _start, innerTags: _tags, ...facts } = mp3
    return withinLimits({ stream: { format: 'mp3', codec: 'mp3', isLossy: true, ...facts, hasProvenance } })
  } finally {
    await handle.close()
  }
}

/** Returns a recognised file, or the fault of a rate or a number of channels that is not accepted. Pure. */
export function withinLimits(found: Recognition): Recognition {
  if ('fault' in found) return found
  const { channels, sampleRateHz } = found.stream
  if (channels > 2) return { fault: 'channels' }
  const isSane = channels > 0 && sampleRateHz >= LOWEST_RATE_HZ && sampleRateHz <= HIGHEST_RATE_HZ
  return isSane ? found : { fault: 'damaged' }
}

async function recogniseContainer(handle: FileHandle, format: OtherContainer): Promise<Recognition> {
  const sound = await readContainerSound(handle, format)
  if ('fault' in sound) return sound
  const known = Object.entries(sound).filter(([, value]) => value !== undefined)
  return { stream: { hasProvenance: false, ...(Object.fromEntries(known) as typeof sound), format } as StreamFacts }
}

/** STREAMINFO is always the first metadata block (RFC 9639, section 8.2). */
async function readFlac(handle: FileHandle, start: number): Promise<Recognition> {
  const bytes = await readAt(handle, start + 4, 38)
  if (bytes.length < 38 || (bytes[0]! & 0x7f) !== 0) return { fault: 'damaged' }
  if (await hasSecondFlac(handle, start)) return { fault: 'joined_flac' }
  const packed = bytes.readUInt32BE(14)
  const claimedFrames = (packed & 15) * 2 ** 32 + bytes.readUInt32BE(18)
  const hasProvenance = (await mentionsManifest(handle, 0, start)) || (await mentionsManifest(handle, start, 65_536))
  return {
    stream: {
      format: 'flac',
      codec: 'flac',
      isLossy: false,
      sampleRateHz: packed >>> 12,
      channels: ((packed >>> 9) & 7) + 1,
      bitDepth: ((packed >>> 4) & 31) + 1,
      ...(claimedFrames === 0 ? {} : { claimedFrames }),
      hasProvenance,
    },
  }
}

/** The first bytes of a FLAC, up to the length of its STREAMINFO (RFC 9639, section 8), which may be the last metadata block. */
const FLAC_STARTS = ['\x00', '\x80'].map((block) => Buffer.from(`fLaC${block}\0\0\x22`, 'latin1'))
const PIECE_BYTES = 1 << 20

/** Returns whether a FLAC contains the start of another: decoders stop there, or take its frames for the first one's. */
async function hasSecondFlac(handle: FileHandle, start: number): Promise<boolean> {
  const overlap = FLAC_STARTS[0]!.length - 1
  for (let at = start + 1; ; at += PIECE_BYTES) {
    const bytes = await readAt(handle, at, PIECE_BYTES + overlap)
    if (FLAC_STARTS.some((begin) => bytes.includes(begin))) return true
    if (bytes.length < PIECE_BYTES) return false
  }
}

/** Recognises a WAV; undefined for any other file. */
async function recogniseWave(handle: FileHandle): Promise<Recognition | undefined> {
  const wave = await readWaveFile(handle)
  if (!wave) return undefined
  if (!wave.format) return { fault: 'damaged' }
  const layout = pcmLayout(wave.format)
  if (!layout) return { fault: hasPaddedSamples(wave.format) ? 'padded' : 'encoding' }
  const { codec, channels, sampleRateHz, bitDepth, frameBytes } = layout
  const framesIn = (bytes: number) => (frameBytes === 0 ? 0 : Math.floor(bytes / frameBytes))
  const ranges = frameBytes === 0 ? [] : inFrames(wave.sound, frameBytes)
  const frames = framesIn(ranges.reduce((sum, { length }) => sum + length, 0))
  const strayFrames = framesIn(wave.strayBytes)
  if (frames === 0) return { fault: 'damaged' }
  const { claimedSoundBytes } = wave
  return {
    stream: {
      format: 'wav',
      codec,
      isLossy: false,
      channels,
      sampleRateHz,
      bitDepth,
      frames,
      ...(claimedSoundBytes === undefined ? {} : { claimedFrames: framesIn(claimedSoundBytes) }),
      ...(strayFrames > 0 ? { strayFrames } : {}),
      hasProvenance: wave.chunks.some(({ name }) => name === 'C2PA'),
    },
  }
}

/** Returns whether a part of the tags names a C2PA manifest store by its media type (C2PA 2.1, appendix A) in plain text. */
async function mentionsManifest(handle: FileHandle, start: number, length: number): Promise<boolean> {
  if (length === 0) return false
  const bytes = await readAt(handle, start, Math.min(length, 1 << 20))
  return bytes.includes('application/x-c2pa-manifest-store') || bytes.includes('application/c2pa')
}
