/**
 * One version of a song in the form the playback engine needs: stereo, at the context's rate, readable in any piece.
 * Masters are WAV and are never decoded as a whole: a piece is a byte range of the file. Ten minutes of seven versions
 * thus cost only the pieces around the playhead (about 6 MB each), not 1.6 GB. A file that byte ranges cannot read
 * (MP3, FLAC) is decoded once and kept in 16 bits: 115 MB for ten minutes, half of the decoder's output.
 */
import { type ByteRange, readLater, readWave } from '../../src-engine/dsp/riff.ts'
import { findLag } from './align.ts'
import { createResampler } from './resample.ts'
import { rangesOfSound, readWavFrames, type Stereo, type WavLayout, wavLayout } from './wav.ts'

export interface Track {
  /** Length at the context's rate. */
  readonly frames: number
  /** True if the start of this file is exact; a decoder may leave an encoder's delay in it. */
  readonly isExact: boolean
  /** Reads `count` frames from `start`; frames outside the file are silent. */
  readonly read: (start: number, count: number) => Promise<Stereo>
}

/** Opens the file, or the byte range `[from, to)` of it. */
export type OpenFile = (range?: { readonly from: number; readonly to: number }) => Promise<Response>

/** Bytes of the first request: the head of nearly every file. */
const FIRST_BYTES = 65_536

/**
 * Reads byte ranges; a server that answers a range with the whole file is asked only once. `fileBytes` is known after
 * the first.
 */
function createRangeReader(open: OpenFile) {
  let whole: Uint8Array | undefined
  let fileBytes = 0
  return {
    fileBytes: () => fileBytes,
    async read(from: number, to: number): Promise<Uint8Array> {
      if (!whole) {
        const response = await open({ from, to })
        const bytes = new Uint8Array(await response.arrayBuffer())
        fileBytes = Number(response.headers.get('content-range')?.split('/')[1] ?? bytes.length)
        if (response.status === 206) return bytes
        whole = bytes
      }
      return whole.subarray(from, to)
    },
  }
}

/** Copies the existing frames, `[start + placed...)`, into silence of `count` frames. */
function pad(samples: Float32Array, placed: number, count: number): Float32Array {
  if (placed === 0 && samples.length === count) return samples
  const padded = new Float32Array(count)
  padded.set(samples, placed)
  return padded
}

/** Reads and joins parts of a file. */
async function readSound(
  ranges: readonly ByteRange[],
  readBytes: (from: number, to: number) => Promise<Uint8Array>,
): Promise<Uint8Array> {
  const pieces = await Promise.all(ranges.map(({ offset, length }) => readBytes(offset, offset + length)))
  if (pieces.length === 1) return pieces[0]!
  const joined = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}

function wavTrack(
  layout: WavLayout,
  readBytes: (from: number, to: number) => Promise<Uint8Array>,
  rateHz: number,
): Track {
  const frameBytes = (layout.channels * layout.bitsPerSample) / 8
  async function readFrames(from: number, to: number): Promise<Stereo> {
    const start = Math.max(0, Math.min(layout.frames, from))
    const end = Math.max(start, Math.min(layout.frames, to))
    const none = new Float32Array(0)
    const { left, right } =
      end === start
        ? { left: none, right: none }
        : readWavFrames(
            await readSound(rangesOfSound(layout.sound, start * frameBytes, end * frameBytes), readBytes),
            layout,
          )
    const place = Math.max(0, Math.min(to - from, start - from))
    return { left: pad(left, place, to - from), right: pad(right, place, to - from) }
  }
  if (layout.sampleRateHz === rateHz) {
    return { frames: layout.frames, isExact: true, read: (start, count) => readFrames(start, start + count) }
  }
  const resampler = createResampler(layout.sampleRateHz, rateHz)
  return {
    frames: Math.ceil((layout.frames * rateHz) / layout.sampleRateHz),
    isExact: true,
    async read(start, count) {
      const before = Math.max(0, -start)
      const { from, to } = resampler.inputRange(start + before, count - before)
      const { left, right } = await readFrames(from, to)
      const convert = (samples: Float32Array) =>
        pad(resampler.convert(samples, start + before, count - before), before, count)
      return { left: convert(left), right: right === left ? convert(left) : convert(right) }
    },
  }
}

const FULL_SCALE_16 = 0x8000
/** Frames packed at a time: ten minutes at once would block the page for a quarter of a second. */
const PACK_FRAMES = 1 << 20

/** A channel in 16 bits, with the factor that restores full scale 1. */
interface Packed {
  readonly values: Int16Array
  readonly factor: number
}

/**
 * Packs a decoded channel: exact for a 16-bit file that was not resampled, otherwise with an error 98 dB below full scale, or
 * below the highest peak where a decoder answers with peaks above it.
 */
async function pack(samples: Float32Array): Promise<Packed> {
  const inPieces = async (work: (from: number, to: number) => void) => {
    for (let from = 0; from < samples.length; from += PACK_FRAMES) {
      work(from, Math.min(samples.length, from + PACK_FRAMES))
      await new Promise((resolve) => setTimeout(resolve))
    }
  }
  let peak = 0
  await inPieces((from, to) => {
    for (let i = from; i < to; i++) peak = Math.max(peak, Math.abs(samples[i] as number))
  })
  const factor = peak > 1 ? peak / (FULL_SCALE_16 - 1) : 1 / FULL_SCALE_16
  const values = new Int16Array(samples.length)
  await inPieces((from, to) => {
    for (let i = from; i < to; i++) {
      values[i] = Math.min(FULL_SCALE_16 - 1, Math.round((samples[i] as number) / factor))
    }
  })
  return { values, factor }
}

async function decodedTrack(buffer: AudioBuffer): Promise<Track> {
  const left = await pack(buffer.getChannelData(0))
  const right = buffer.numberOfChannels > 1 ? await pack(buffer.getChannelData(1)) : left
  return {
    frames: buffer.length,
    isExact: false,
    async read(start, count) {
      const before = Math.max(0, Math.min(count, -start))
      const piece = ({ values, factor }: Packed) => {
        const samples = Float32Array.from(values.subarray(Math.max(0, start), Math.max(0, start + count)))
        return pad(
          samples.map((value) => value * factor),
          before,
          count,
        )
      }
      return { left: piece(left), right: piece(right) }
    },
  }
}

/** A file with its head read, which yields a track at any rate. Decoding is deferred until a track is needed. */
export interface SoundFile {
  /** Rate of the file, Hz; undefined if its head does not state it. */
  readonly rateHz: number | undefined
  /** Length at a rate: exact for a WAV, from the given duration for other files. */
  readonly frames: (rateHz: number) => number
  readonly track: (rateHz: number) => Promise<Track>
}

export interface SoundFileOptions {
  /** Known layout of a WAV, which makes reading its head unnecessary. */
  readonly layout?: WavLayout | undefined
  readonly durationSeconds?: number | undefined
  /** Decodes a whole file at a rate; by default in the browser. */
  readonly decode?: (bytes: ArrayBuffer, rateHz: number) => Promise<AudioBuffer>
}

const decodeHere = (bytes: ArrayBuffer, rateHz: number) => new OfflineAudioContext(2, 1, rateHz).decodeAudioData(bytes)

/** Reads the head of a file. Rejects with the error of `open`; its tracks reject with that of `decode`. */
export async function openSoundFile(open: OpenFile, options: SoundFileOptions = {}): Promise<SoundFile> {
  const { durationSeconds = 0, decode = decodeHere } = options
  const file = createRangeReader(open)
  const layout = options.layout ?? (await readLayout(file))
  if (!layout)
    return {
      rateHz: undefined,
      frames: (rateHz) => Math.round(durationSeconds * rateHz),
      track: async (rateHz) => decodedTrack(await decode(await (await open()).arrayBuffer(), rateHz)),
    }
  const trackAt = (rateHz: number) => wavTrack(layout, file.read, rateHz)
  return {
    rateHz: layout.sampleRateHz,
    frames: (rateHz) => trackAt(rateHz).frames,
    track: async (rateHz) => trackAt(rateHz),
  }
}

/** Reads the layout of a WAV; null if the file cannot be read in pieces. */
async function readLayout(file: ReturnType<typeof createRangeReader>): Promise<WavLayout | null> {
  const first = await file.read(0, FIRST_BYTES)
  const wave = await readLater(readWave(file.fileBytes()), async (offset, length) =>
    offset + length <= first.length ? first.subarray(offset, offset + length) : file.read(offset, offset + length),
  )
  return wavLayout(wave)
}

/** Returns `track` moved `lagFrames` earlier: its frame n becomes frame n − lagFrames. */
export function shiftTrack(track: Track, lagFrames: number): Track {
  if (lagFrames === 0) return track
  return {
    frames: Math.max(0, track.frames - lagFrames),
    isExact: true,
    read: (start, count) => track.read(start + lagFrames, count),
  }
}

/** Returns a track whose file begins at a frame of the song, which may lie before its start. */
export function placeTrack(track: Track, startFrame: number): Track {
  return { ...shiftTrack(track, -startFrame), isExact: track.isExact }
}

/** Length of the compared excerpt, and the largest delay searched: MP3 encoders leave 529 to about 2 300 frames. */
const EXCERPT_FRAMES = 32_768
const MOST_LAG_FRAMES = 4096
/** Below this the two may be different recordings, and nothing is moved. */
const LEAST_LIKENESS = 0.5

const mono = ({ left, right }: Stereo) => left.map((value, i) => (value + (right[i] as number)) / 2)
const energy = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0)

/**
 * Returns the delay of `track` against `exact`, another version of the same song, in frames, measured at the louder of
 * three places; 0 when they are not similar enough.
 */
export async function measureLag(track: Track, exact: Track): Promise<number> {
  let loudest: { frame: number; samples: Float32Array; energy: number } | undefined
  for (const part of [0.2, 0.45, 0.7]) {
    const frame = Math.floor(exact.frames * part)
    const samples = mono(await exact.read(frame, EXCERPT_FRAMES))
    const found = { frame, samples, energy: energy(samples) }
    if (!loudest || found.energy > loudest.energy) loudest = found
  }
  if (!loudest) return 0
  const late = mono(await track.read(loudest.frame, EXCERPT_FRAMES))
  const { frames, likeness } = findLag(loudest.samples, late, MOST_LAG_FRAMES)
  return likeness >= LEAST_LIKENESS ? frames : 0
}
