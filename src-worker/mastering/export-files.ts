/** Makes the files of a release from a track's job files: each with the labels of the release, read back and measured. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { gatedLufs } from '../../src-engine/dsp/meters/gating.ts'
import { createLoudnessMeter } from '../../src-engine/dsp/meters/loudness.ts'
import { createTruePeakVerifier } from '../../src-engine/dsp/meters/true-peak.ts'
import { copyPart } from '../../src-system/copy-part.ts'
import { type LossyCodec, platformCodecs } from '../media/encode.ts'
import { demuxerOf, fileEncoder, readBack, type SoundFile, samplesIn } from '../media/encode-file.ts'
import { FfmpegError, listEncoders } from '../media/ffmpeg.ts'
import type { Labels, PlayedLevel } from '../media/label-file.ts'
import { truePeakAtRate } from '../media/rate-peak.ts'
import { createPlanes } from '../media/samples.ts'
import { createEdgeMeter, type EdgeMeter, readSoundForm } from '../media/sound-delivery.ts'
import { type Cover, readCover } from '../media/tags.ts'
import { joinWavs } from '../media/wav.ts'
import { readWavDelivery } from '../media/wav-delivery.ts'
import { readCopyPeakDbtp } from './codec-proof.ts'
import { ceilingBroken } from './deliver.ts'
import { type Bare, createFileMaker, type FloatWav, label, type MadeFile, missingCodecs } from './format-files.ts'
import type { FrameRange } from './prepare-song.ts'
import { CeilingBrokenError } from './render-master.ts'
import { WorkFailure } from './work-failure.ts'
import type { ExportedSound, ExportOrder, RecordOrder } from './work-order.ts'

/** Playback rate of most services; files at this rate are not resampled. */
const SERVICE_RATE_HZ = 44_100

/** A WAV of the job, cut out of its ZIP. */
type GivenWav = FloatWav & { readonly format: Format }

/**
 * Writes the files of one track into the folder of the order, in the order of its `files`, and nothing else. A format that the job already
 * has is relabelled; any other is made from the best WAV among the sources, float first. Throws a WorkFailure, ENCODER_MISSING among them,
 * a FfmpegError, the system's error, the reason of `signal`, or an Error if a file reads back differently.
 */
export async function makeExportFiles(order: ExportOrder, signal: AbortSignal): Promise<ExportedSound[]> {
  const { ffmpeg, folder, files, seed, edges } = order
  const encoders = await listEncoders(ffmpeg)
  const formats = [...new Set(files.map(({ format }) => format))]
  const has = (format: Format) => order.sources.some((source) => source.format === format)
  const missing = missingCodecs(
    formats.filter((format) => !has(format)),
    encoders,
  )
  if (missing.length > 0) throw new WorkFailure('ENCODER_MISSING', { codec: missing.join(', ') })
  const cut = await cutOut(order, signal)
  const wavs = await Promise.all(order.sources.flatMap(({ format }) => wavOf(format, cut)))
  const best = wavs.find(({ format }) => format === 'wav32f') ?? wavs.find(({ format }) => format === 'wav24')
  const given = Object.fromEntries(wavs.map((wav) => [wav.format, wav]))
  const at = (name: string) => path.join(folder, name)
  const common = { ffmpeg, encoders, folder, signal, seed, edges }
  const alone = createFileMaker(best ?? wavs[0]!, at, { ...common, given })
  const whole = best && (await joinedWav(order, best, signal))
  const joined = whole && createFileMaker(whole, at, { ...common, own: whole.own })
  // A format whose samples already exist as a file needs no joined conversion.
  const makerOf = (format: Format) =>
    joined && format !== 'flac24' && !(format === 'flac16_44' && given.wav16_44) ? joined : alone
  const measure = createMeasure(order, { encoders, signal })
  const labels = await labelsOf(order, signal)
  const made: ExportedSound[] = []
  for (const format of formats) {
    const found = order.sources.find((source) => source.format === format)
    const bare = found
      ? await bareOf(found, cut.get(format)!, { ffmpeg, encoders, signal })
      : await makerOf(format)
          .make(format, given.wav24?.path ?? '', order.ceilingDbtp)
          .catch((error: unknown) => {
            throw error instanceof CeilingBrokenError ? ceilingBroken('release', error) : error
          })
    for (const { isTagged } of files.filter((file) => file.format === format)) {
      const target = at(`${format}-${isTagged ? 'tagged' : 'bare'}.${formatFacts(format).container}`)
      const edgeMeter = createEdgeMeter()
      const own = isTagged ? labels : { tags: {} }
      const file = await label(format, bare, target, own, { ffmpeg, signal, onSamples: edgeMeter.push })
      made.push({ ...(await measure(file, bare, edgeMeter.read())), format, isTagged })
    }
  }
  const left = [...alone.files, ...(joined?.files ?? []), ...(whole ? [whole.path] : []), ...cut.values()]
  for (const file of left) await rm(file, { force: true })
  return files.map(({ format, isTagged }) => made.find((one) => one.format === format && one.isTagged === isTagged)!)
}

/** Copies the sources and returns their paths, beside which further files may be written. */
async function cutOut({ sources, folder }: ExportOrder, signal: AbortSignal): Promise<Map<Format, string>> {
  const files = new Map<Format, string>()
  for (const source of sources) {
    const file = path.join(folder, `${source.format}-source.${formatFacts(source.format).container}`)
    await copyPart(source, file, signal)
    files.set(source.format, file)
  }
  return files
}

/** Writes a WAV of a track together with its joined tracks; undefined for a single track. */
async function joinedWav(
  { sources, folder }: ExportOrder,
  { format, path: own, sampleRateHz }: GivenWav,
  signal: AbortSignal,
): Promise<(FloatWav & { readonly own: FrameRange }) | undefined> {
  const { before = [], after = [] } = sources.find((source) => source.format === format)?.joined ?? {}
  if (before.length + after.length === 0) return undefined
  const others: string[] = []
  for (const [i, range] of [...before, ...after].entries()) {
    const file = path.join(folder, `joined-${i}.wav`)
    await copyPart(range, file, signal)
    others.push(file)
  }
  const target = path.join(folder, 'joined.wav')
  const starts = joinWavs([...others.slice(0, before.length), own, ...others.slice(before.length)], target)
  for (const file of others) await rm(file)
  const [first, end] = starts.slice(before.length, before.length + 2)
  return { path: target, sampleRateHz, frames: starts.at(-1)!, own: { first: first!, end: end! } }
}

function wavOf(format: Format, cut: ReadonlyMap<Format, string>): Promise<GivenWav>[] {
  const file = cut.get(format)!
  return formatFacts(format).container === 'wav' ? [givenWav(format, file)] : []
}

async function givenWav(format: Format, file: string): Promise<GivenWav> {
  const wav = await readWavDelivery(file)
  if (!wav) throw new Error('a master is no WAV')
  const { sampleRateHz, durationSeconds } = wav
  return { format, path: file, sampleRateHz, frames: Math.round(durationSeconds * sampleRateHz) }
}

/** Returns a file of the job as a newly made file; its labels are replaced when a copy is written. */
async function bareOf(
  { format, gainDb }: ExportOrder['sources'][number],
  file: string,
  { ffmpeg, encoders, signal }: Pick<ExportOrder, 'ffmpeg'> & { encoders: ReadonlySet<string>; signal: AbortSignal },
): Promise<Bare> {
  const { container, bitDepth } = formatFacts(format)
  const { sampleRateHz } = await readSoundForm(container, file)
  const encoder = container === 'wav' ? undefined : fileEncoder(container, encoders)
  return {
    path: file,
    sampleRateHz,
    gainDb,
    ...(bitDepth === undefined ? {} : { bitDepth }),
    ...(encoder === undefined ? {} : { encoder }),
    reading: await readBack(ffmpeg, { path: file, container, sampleRateHz }, { signal }),
  }
}

async function labelsOf({ ffmpeg, tags, cover, album }: ExportOrder, signal: AbortSignal): Promise<Labels> {
  return { tags, cover: await coverOf(ffmpeg, cover, signal), ...(album ? { album } : {}) }
}

async function coverOf(
  ffmpeg: ExportOrder['ffmpeg'],
  cover: ExportOrder['cover'],
  signal: AbortSignal,
): Promise<Cover | undefined> {
  if (!cover || 'bytes' in cover) return cover ?? undefined
  const { path: file, facts } = cover
  return facts.hasCover ? readCover(ffmpeg, { path: file, format: facts.format }, signal) : undefined
}

/** Returns the function that measures written files; measurements of the samples are made once for all files that share them. */
function createMeasure(
  { ffmpeg, folder, copyPeakDbtp }: ExportOrder,
  { encoders, signal }: { encoders: ReadonlySet<string>; signal: AbortSignal },
) {
  const known = new Map<string, ReturnType<typeof ofSamples>>()
  const ofSamples = async (file: SoundFile, bare: Bare) => {
    const { truePeakDbtp, frames } = bare.reading
    const isLossy = bare.bitDepth === undefined
    return {
      truePeakAfterRateDbtp: file.sampleRateHz === SERVICE_RATE_HZ ? truePeakDbtp : await atServiceRate(file),
      truePeakAfterCodecDbtp: isLossy ? truePeakDbtp : await afterCodecs(bare, frames / file.sampleRateHz),
    }
  }
  const atServiceRate = (file: SoundFile) =>
    truePeakAtRate(ffmpeg, file, SERVICE_RATE_HZ, signal).catch((cause: unknown) => {
      signal.throwIfAborted()
      // An ffmpeg without that meter.
      if (cause instanceof FfmpegError && cause.fault === 'failed') return null
      throw cause
    })
  // Copies are made from the master: its lossless files differ only in dither and rate and encode alike.
  let copies: Promise<number | null> | undefined
  const afterCodecs = (bare: Bare, durationSeconds: number) => {
    copies ??= copyPeakDbtp === null ? readCopies(bare, durationSeconds) : Promise.resolve(copyPeakDbtp)
    return copies
  }
  const readCopies = async ({ path: file, encoder }: Bare, durationSeconds: number): Promise<number | null> => {
    const demuxer = demuxerOf(encoder === undefined ? 'wav' : 'flac')
    const peaks: number[] = []
    for (const codec of strictCodecs(encoders))
      peaks.push(await readCopyPeakDbtp({ path: file, durationSeconds, demuxer }, codec, { ffmpeg, folder, signal }))
    return peaks.length === 0 ? null : Math.max(...peaks)
  }

  return async (
    { path: file, sha256, format }: MadeFile,
    bare: Bare,
    edges: ReturnType<EdgeMeter['read']>,
  ): Promise<Omit<ExportedSound, 'format' | 'isTagged'>> => {
    const { container } = formatFacts(format)
    const { samplesSha256, integratedLufs, truePeakDbtp, frames } = bare.reading
    const form = await readSoundForm(container, file)
    const { sampleRateHz } = form
    const measured = known.get(samplesSha256) ?? ofSamples({ path: file, container, sampleRateHz }, bare)
    known.set(samplesSha256, measured)
    return {
      ...form,
      ...(await measured),
      ...{ path: file, sha256, samplesSha256, integratedLufs, truePeakDbtp, gainDb: bare.gainDb },
      durationSeconds: frames / sampleRateHz,
      silenceStartSeconds: edges.startFrames / sampleRateHz,
      silenceEndSeconds: edges.endFrames / sampleRateHz,
    }
  }
}

/** Returns the codec of each platform whose copies rise highest. */
function strictCodecs(encoders: ReadonlySet<string>): LossyCodec[] {
  const all = PLATFORMS.flatMap((platform) => platformCodecs(platform, encoders).slice(0, 1))
  return [...new Map(all.map((codec) => [codec.name, codec])).values()]
}

/**
 * Returns the loudness of a record, of the gating blocks of all its tracks together (BS.1770-5, Annex 1), and its highest true peak;
 * −Infinity for silence. Throws as {@link makeExportFiles}.
 */
export async function measureRecord(
  { ffmpeg, folder, tracks }: RecordOrder,
  signal: AbortSignal,
): Promise<PlayedLevel> {
  const blocks: Float64Array[] = []
  const peaks: number[] = []
  for (const [index, track] of tracks.entries()) {
    const file = path.join(folder, `track-${index}.wav`)
    await copyPart(track, file, signal)
    const { sampleRateHz } = await givenWav('wav24', file)
    const loudness = createLoudnessMeter(sampleRateHz)
    const peak = createTruePeakVerifier()
    const planesOf = createPlanes()
    const onSamples = (samples: Float32Array) => {
      const block = planesOf(samples)
      loudness.push(block)
      peak.push(block)
    }
    await samplesIn(ffmpeg, { path: file, container: 'wav', sampleRateHz }, { signal, onSamples })
    blocks.push(loudness.blockMeanSquares())
    peaks.push(peak.read().truePeakDbtp)
    await rm(file)
  }
  const all = new Float64Array(blocks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const one of blocks) {
    all.set(one, at)
    at += one.length
  }
  return { integratedLufs: gatedLufs(all), truePeakDbtp: Math.max(...peaks) }
}
