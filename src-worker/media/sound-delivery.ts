/** Facts of a written sound file of any kind that recipients ask for: its format, its tags, and the silence at its edges. */
import { open } from 'node:fs/promises'
import type { SoundForm } from '../../src-contract/distributors/rules.ts'
import type { Container } from '../../src-contract/formats.ts'
import { readAt } from './file-bytes.ts'
import { readFlacMetadata } from './flac-metadata.ts'
import { findTags } from './mp3-layout.ts'
import { readM4aFacts } from './mp4-tags.ts'
import { surveyMp3 } from './mpeg-frames.ts'
import { readWavDelivery, SILENCE } from './wav-delivery.ts'

/** Returns the format of a sound file. Throws an Error for a file of another kind, and the system's error. */
export async function readSoundForm(container: Container, path: string): Promise<SoundForm> {
  if (container === 'wav') {
    const wav = await readWavDelivery(path)
    if (!wav) throw new Error('not a WAV with samples')
    return wav
  }
  const handle = await open(path, 'r')
  try {
    const { size: sizeBytes } = await handle.stat()
    if (container === 'm4a') {
      // The tables of an M4A may follow its sound: they are no tags.
      return { formatCode: null, hasBytesAfterAudio: false, bitDepth: null, sizeBytes, ...(await readM4aFacts(path)) }
    }
    const { sound, tags } = await findTags(handle, sizeBytes)
    const common = { formatCode: null, hasBytesAfterAudio: sound.end < sizeBytes, sizeBytes }
    if (container === 'mp3') {
      const mp3 = await surveyMp3(handle, sound)
      if (!mp3) throw new Error('not an MP3')
      const { sampleRateHz, channels } = mp3
      return { ...common, sampleRateHz, channels, bitDepth: null, hasTags: tags.length + mp3.innerTags.length > 0 }
    }
    const info = await readAt(handle, sound.start, STREAM_INFO_END)
    if (info.toString('latin1', 0, 4) !== 'fLaC' || info.length < STREAM_INFO_END) throw new Error('not a FLAC')
    const { comments, pictures } = await readFlacMetadata(handle, sound.start)
    return {
      ...common,
      ...streamInfo(info.readUInt32BE(18)),
      hasTags: tags.length + comments.length + pictures.length > 0,
    }
  } finally {
    await handle.close()
  }
}

/** End of rate, channels and bits in a FLAC: mark, head of the first block, sizes of blocks and frames before them (RFC 9639, section 8.2). */
const STREAM_INFO_END = 22

/** Rate, channels and bits of a FLAC, packed: 20 bits, 3 bits, 5 bits. */
function streamInfo(packed: number): Pick<SoundForm, 'sampleRateHz' | 'channels' | 'bitDepth'> {
  return {
    sampleRateHz: packed >>> 12,
    channels: ((packed >>> 9) & 7) + 1,
    bitDepth: ((packed >>> 4) & 31) + 1,
  }
}

/** A meter of the silence at both ends of a sound of two interleaved channels. */
export interface EdgeMeter {
  push(samples: Float32Array): void
  /** Returns the silence in frames before the first and behind the last audible sample; both are the whole length of a silent file. */
  read(): { readonly startFrames: number; readonly endFrames: number }
}

/** Returns a meter without any input yet. */
export function createEdgeMeter(): EdgeMeter {
  let frames = 0
  let first: number | undefined
  let last = -1
  return {
    push(samples) {
      const count = samples.length / 2
      for (let frame = 0; frame < count; frame++) {
        if (Math.abs(samples[2 * frame]!) < SILENCE && Math.abs(samples[2 * frame + 1]!) < SILENCE) continue
        first ??= frames + frame
        last = frames + frame
      }
      frames += count
    },
    read: () => ({ startFrames: first ?? frames, endFrames: frames - 1 - last }),
  }
}
