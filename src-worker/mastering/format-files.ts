/** Files of further formats, each made from a master or from its samples before dither. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { Edges } from '../../src-contract/edges.ts'
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { paddingOf, withSilentPadding } from '../../src-engine/edges.ts'
import { createQuantiser } from '../../src-engine/finalise/dither.ts'
import {
  CODEC_NAMES,
  type CodedContainer,
  convertWav,
  encodeFile,
  type FileReading,
  fileEncoder,
  readBack,
  samplesIn,
} from '../media/encode-file.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { type Labels, withReplayGain, writeLabelled } from '../media/label-file.ts'
import { stateMp3Length } from '../media/mp3-length.ts'
import { createPlanes } from '../media/samples.ts'
import { createWavWriter, cutWav } from '../media/wav.ts'
import type { WrittenFile } from '../media/written-file.ts'
import { ceilingBroken, type FloatMaster } from './deliver.ts'
import type { FrameRange } from './prepare-song.ts'
import { CeilingBrokenError } from './render-master.ts'

export interface FormatDeps {
  readonly ffmpeg: Ffmpeg
  /** Names of the encoders that this ffmpeg has. */
  readonly encoders: ReadonlySet<string>
  /** Folder of the files and of temporary files. */
  readonly folder: string
  readonly signal?: AbortSignal | undefined
}

/** A finished file of one format. */
export interface MadeFile extends WrittenFile {
  readonly format: Format
  readonly path: string
  readonly encoder?: string
  readonly sampleRateHz: number
  readonly bitDepth?: number
  readonly reading: FileReading
  /** Gain against the master, dB: 0 or less. */
  readonly gainDb: number
}

/** A sound file without tags, and its measurements. */
export interface Bare extends Pick<MadeFile, 'encoder' | 'sampleRateHz' | 'bitDepth' | 'reading' | 'gainDb'> {
  readonly path: string
}

/** A WAV that serves as a source for other files. */
export interface FloatWav {
  readonly path: string
  readonly sampleRateHz: number
  readonly frames: number
}

/** Highest true peak of a lossy copy, dBTP, and the most it is turned down to get there. */
const COPY_CEILING_DBTP = 0
const MOST_TURNED_DOWN_DB = 1.5
/** A copy is turned down in whole steps of this size: encoders differ in their last bits from machine to machine. */
const STEP_DB = 0.1
/** Tries for a copy that is turned down: the second starts from the measurement of the first. */
const MAX_COPIES = 3
/** Room for the dither of 16 bit, whose shaped noise reaches 15 steps, dB at −1 dBTP. */
const DITHER_ROOM_DB = 0.005
/** Most trims of a conversion; the second try usually holds the ceiling. */
const MAX_TRIMS = 4

/** Returns the codecs whose formats this ffmpeg cannot write for lack of an encoder, by name; empty if it can write all. Pure. */
export function missingCodecs(formats: readonly Format[], encoders: ReadonlySet<string>): string[] {
  const containers = formats.map((format) => formatFacts(format).container).filter((one) => one !== 'wav')
  return [...new Set(containers.filter((one) => fileEncoder(one, encoders) === undefined))].map(
    (one) => CODEC_NAMES[one],
  )
}

/**
 * Writes a master in these formats, each with the song's tags and its own loudness, and reads every file back. No file depends on the
 * choice of the others. Returns them in the order of `formats`. Throws a FfmpegError, the system's error, a WorkFailure if a ceiling cannot
 * be kept, or an Error if a file reads back differently.
 */
export async function writeFormats(
  { master, floatPath, name }: FloatMaster,
  order: {
    readonly formats: readonly Format[]
    readonly seed: number
    readonly labels: Labels
    readonly edges: Pick<Edges, 'pad_start_seconds' | 'pad_end_seconds'>
    readonly own?: FrameRange | undefined
  },
  deps: FormatDeps & { readonly onFile: () => void },
): Promise<MadeFile[]> {
  const at = (name: string) => path.join(deps.folder, `${path.basename(master.path, '.wav')}-${name}`)
  const { sampleRateHz } = master
  const frames = Math.round(master.durationSeconds * sampleRateHz)
  const maker = createFileMaker({ path: floatPath, sampleRateHz, frames }, at, { ...order, ...deps })
  const ceilingDbtp = master.plan.promisedCeilingDbtp
  const made: MadeFile[] = []
  try {
    for (const format of order.formats) {
      const bare = await maker.make(format, master.path, ceilingDbtp).catch((error: unknown) => {
        if (!(error instanceof CeilingBrokenError)) throw error
        throw ceilingBroken(name, error)
      })
      made.push(await label(format, bare, at(`${format}.${formatFacts(format).container}`), order.labels, deps))
      deps.onFile()
    }
  } finally {
    for (const file of maker.files) await rm(file, { force: true })
  }
  return made
}

/**
 * Writes the tagged copy of a sound file, with its own ReplayGain if it has tags, reads its samples back and passes them to `onSamples`.
 * Throws the system's error, a FfmpegError, or an Error if the samples of the copy differ from the original's.
 */
export async function label(
  format: Format,
  bare: Bare,
  target: string,
  { tags, cover, album }: Labels,
  {
    ffmpeg,
    signal,
    onSamples,
  }: Pick<FormatDeps, 'ffmpeg' | 'signal'> & { readonly onSamples?: (samples: Float32Array) => void },
): Promise<MadeFile> {
  const { container } = formatFacts(format)
  const isTagged = Object.keys(tags).length > 0
  const labelled = isTagged ? withReplayGain(tags, bare.reading, album) : tags
  const written = await writeLabelled(container, bare.path, target, { tags: labelled, cover })
  const { samplesSha256 } = await samplesIn(
    ffmpeg,
    { ...bare, path: target, container },
    { signal, ...(onSamples ? { onSamples } : {}) },
  )
  if (samplesSha256 !== bare.reading.samplesSha256) throw new Error(`the ${format} file is not what was written`)
  return { ...bare, ...written, format, path: target }
}

/** Dither parameters of a file: padding is not dithered. */
interface Dithering {
  readonly seed: number
  readonly edges: Pick<Edges, 'pad_start_seconds' | 'pad_end_seconds'>
}

/** WAVs that exist already, by format: files with the same samples are made from them. */
export type GivenWavs = Readonly<Partial<Record<Format, FloatWav>>>

/**
 * Returns a maker of sound files for one master, given as a WAV, preferably float. Intermediate files for several formats are made once,
 * under names of `at` that `files` lists. For a master that runs into others, the files contain only the frames of `own`, but the whole is
 * converted and dithered as one.
 */
export function createFileMaker(
  float: FloatWav,
  at: (name: string) => string,
  deps: FormatDeps & Dithering & { readonly given?: GivenWavs; readonly own?: FrameRange | undefined },
) {
  const { ffmpeg, signal, own } = deps
  const files: string[] = []
  const known = new Map<string, Promise<unknown>>()
  const once = <Result>(key: string, make: () => Promise<Result>): Promise<Result> => {
    const result = (known.get(key) as Promise<Result> | undefined) ?? make()
    known.set(key, result)
    return result
  }
  const named = (name: string) => {
    files.push(at(name))
    return at(name)
  }
  const atRate = (rateHz: number) =>
    once(`rate ${rateHz}`, async (): Promise<FloatWav> => {
      if (rateHz === float.sampleRateHz) return float
      const converted = {
        path: named(`${rateHz}.wav`),
        sampleRateHz: rateHz,
        frames: Math.round((float.frames * rateHz) / float.sampleRateHz),
      }
      await convertWav(ffmpeg, float.path, converted.path, converted, { signal })
      return converted
    })
  const measured = (file: string, container: 'wav' | CodedContainer, sampleRateHz: number) =>
    once(`read ${file}`, () => readBack(ffmpeg, { path: file, container, sampleRateHz }, { signal }))
  const ownOf = async (wav: FloatWav): Promise<FloatWav> =>
    own
      ? once(`own ${wav.path}`, async () => {
          const target = { ...wav, path: named(`own-${path.basename(wav.path)}`) }
          const range = rangeAt(own, float, wav)
          cutWav(wav.path, target.path, range, { tags: {} })
          return { ...target, frames: range.end - range.first }
        })
      : wav
  const whole = async (wav: FloatWav, bitDepth: number): Promise<Bare> => {
    const file = await ownOf(wav)
    return { ...file, bitDepth, reading: await measured(file.path, 'wav', file.sampleRateHz), gainDb: 0 }
  }
  const sixteen = (rateHz: number, ceilingDbtp: number) =>
    once('16 bit', async () => {
      const wav = await atRate(rateHz)
      const trimmed = await trimmedTo16Bit(wav, named('16.wav'), { ...deps, ceilingDbtp })
      return own
        ? { ...trimmed, ...(await whole({ ...wav, path: trimmed.path }, 16)), gainDb: trimmed.gainDb }
        : trimmed
    })
  const lossless = async (source: Bare, encoder: string, file: string): Promise<Bare> => {
    const { path: wav, sampleRateHz } = source
    await encodeFile(ffmpeg, { container: 'flac', encoder }, { path: wav, sampleRateHz }, file, { signal })
    const reading = await measured(file, 'flac', source.sampleRateHz)
    if (reading.samplesSha256 !== source.reading.samplesSha256) throw new Error('the FLAC has other samples')
    return { ...source, path: file, encoder, reading }
  }

  return {
    files,
    async make(format: Format, masterPath: string, ceilingDbtp: number): Promise<Bare> {
      const { container, bitDepth, rateHz, highestRateHz = Number.POSITIVE_INFINITY, kilobits } = formatFacts(format)
      if (bitDepth === 32) return whole(float, 32)
      const encoder = container === 'wav' ? undefined : fileEncoder(container, deps.encoders)
      if (bitDepth !== undefined) {
        const own = deps.given?.[bitDepth === 24 ? 'wav24' : 'wav16_44']
        const inFull = own ?? (rateHz === undefined ? { ...float, path: masterPath } : undefined)
        const wav = inFull ? whole(inFull, bitDepth) : sixteen(rateHz!, ceilingDbtp)
        return container === 'flac' ? lossless(await wav, encoder!, named(`${format}.bare`)) : wav
      }
      const wav = await ownOf(await atRate(Math.min(float.sampleRateHz, highestRateHz)))
      const codec = { container: container as CodedContainer, encoder: encoder!, kilobits: kilobits! }
      return lossyCopy(wav, codec, (copy) => named(`${format}-${copy}.bare`), deps)
    },
  }
}

/** Converts a frame range at one WAV's rate to the rate of another. */
function rangeAt({ first, end }: FrameRange, at: FloatWav, { frames, sampleRateHz }: FloatWav): FrameRange {
  const frameAt = (frame: number) => Math.round((frame * sampleRateHz) / at.sampleRateHz)
  return { first: frameAt(first), end: end === at.frames ? frames : frameAt(end) }
}

/**
 * Quantises a float WAV to 16 bit, dithered once. If the rate conversion raises a peak above the ceiling, the whole is turned down by the
 * excess. Throws a CeilingBrokenError if that does not help.
 */
async function trimmedTo16Bit(
  wav: FloatWav,
  target: string,
  { ceilingDbtp, ...deps }: FormatDeps & Dithering & { readonly ceilingDbtp: number },
): Promise<Bare> {
  const { ffmpeg, signal } = deps
  const { sampleRateHz, frames } = wav
  const before = await readBack(ffmpeg, { ...wav, container: 'wav' }, { signal })
  let gainDb = before.truePeakDbtp > ceilingDbtp ? ceilingDbtp - DITHER_ROOM_DB - before.truePeakDbtp : 0
  for (let trims = 0; ; trims++) {
    await quantise(wav, target, { ...deps, gainDb })
    const reading = await readBack(ffmpeg, { path: target, sampleRateHz, container: 'wav' }, { signal })
    if (reading.frames !== frames) throw new Error(`the file has ${reading.frames} of ${frames} frames`)
    const excessDb = reading.truePeakDbtp - ceilingDbtp
    if (excessDb <= 0) return { path: target, sampleRateHz, bitDepth: 16, reading, gainDb }
    if (trims === MAX_TRIMS) throw new CeilingBrokenError(`the file of 16 bit is ${excessDb.toFixed(3)} dB too high`)
    gainDb -= excessDb + DITHER_ROOM_DB
  }
}

async function quantise(
  wav: FloatWav,
  target: string,
  { gainDb, seed, edges, ffmpeg, signal }: FormatDeps & Dithering & { readonly gainDb: number },
): Promise<void> {
  const { sampleRateHz, frames } = wav
  const dithered = createQuantiser({ bitDepth: 16, sampleRateHz, seed })
  const quantiser = withSilentPadding(dithered, paddingOf(edges, sampleRateHz), { frames })
  const writer = createWavWriter(target, { sampleRateHz, bitDepth: 16, frames }, { tags: {} })
  const planesOf = createPlanes(dbToGain(gainDb))
  let bytes = new Uint8Array(0)
  const write = (samples: Float32Array) => {
    const block = planesOf(samples)
    if (bytes.length < block.frames * quantiser.bytesPerFrame)
      bytes = new Uint8Array(block.frames * quantiser.bytesPerFrame)
    writer.write(bytes.subarray(0, quantiser.write(block, bytes)))
  }
  try {
    await samplesIn(ffmpeg, { ...wav, container: 'wav' }, { signal, onSamples: write })
    writer.finish()
  } catch (error) {
    writer.abandon()
    throw error
  }
}

/**
 * Encodes a float WAV. A copy with peaks above 0 dBTP is turned down by the excess, by 1.5 dB at most; if no copy holds, the one with the
 * lowest peak is returned.
 */
async function lossyCopy(
  wav: FloatWav,
  codec: { readonly container: CodedContainer; readonly encoder: string; readonly kilobits: number },
  file: (copy: number) => string,
  { ffmpeg, signal }: Pick<FormatDeps, 'ffmpeg' | 'signal'>,
): Promise<Bare> {
  const { sampleRateHz, frames } = wav
  const copies: Bare[] = []
  let gainDb = 0
  do {
    const target = file(copies.length)
    await encodeFile(ffmpeg, codec, { ...wav, gainDb }, target, { signal })
    if (codec.container === 'mp3') await stateMp3Length(target, frames)
    const reading = await readBack(ffmpeg, { path: target, container: codec.container, sampleRateHz }, { signal })
    if (reading.frames !== frames) throw new Error(`the copy has ${reading.frames} of ${frames} frames`)
    copies.push({ path: target, encoder: codec.encoder, sampleRateHz, reading, gainDb })
    const excessDb = reading.truePeakDbtp - COPY_CEILING_DBTP
    if (excessDb <= 0) break
    const steps = Math.ceil((excessDb + STEP_DB) / STEP_DB)
    gainDb = Math.max(-MOST_TURNED_DOWN_DB, gainDb - STEP_DB * steps)
  } while (copies.length < MAX_COPIES && copies.at(-1)!.gainDb > -MOST_TURNED_DOWN_DB)
  return copies.reduce((best, one) => (one.reading.truePeakDbtp < best.reading.truePeakDbtp ? one : best))
}
