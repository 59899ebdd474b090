/** Mixing of stems into one song: each stem is decoded, brought to one rate and kept on disk, and all are added. */
import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { MixLikeness } from '../../src-contract/stem-likeness.ts'
import { isTreated } from '../../src-contract/stem-mix.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import { mixLikeness } from '../../src-engine/analysis/mix-likeness.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { waveformOf } from '../mastering/analyse-song.ts'
import { checkStoredSong, readingSong, SOURCE_CODES } from '../mastering/stored-song.ts'
import type { StemMixDone, StemMixOrder, StemRepairs } from '../mastering/work-order.ts'
import { decodeSong, engineRateHz } from '../media/decode.ts'
import { audioOfBlocks, blocksOf, sumBlocks, writeDecodedStem, writeMix } from '../media/decoded-stems.ts'
import { lowerRate, raiseRate } from '../media/resample.ts'
import { allocateOwn, giveBack } from '../media/samples.ts'
import { type DecodedStem, keptName, keptStem, lanesOf, missingName, mixRateHz } from '../media/stem-lanes.ts'
import type { StoredStem } from '../media/stored-stem.ts'
import { type Cover, readCover } from '../media/tags.ts'
import { treatStem } from './treat-stem.ts'
import { planVoice, voicedBlocks } from './voice-forward.ts'

/** Share of the work that is done when all stems are decoded. */
const DECODED_PART = 0.8

/** Returns whether a mix treats any stem beyond level and place. */
const hasTreatment = (mix: StemMix | undefined): boolean => mix?.stems?.some(isTreated) ?? false

/**
 * Mixes stems into a WAV of 32 bit float, and compares the stereo mix of the song with their sum. One stem at a time is in memory. Throws a
 * WorkFailure for a stem that is missing, changed or unreadable, a FfmpegError, the system's error, and the reason of an aborted `signal`;
 * decoded files are then gone.
 */
export async function mixStems(
  order: StemMixOrder,
  signal: AbortSignal,
  onProgress?: (part: number) => void,
): Promise<StemMixDone['mix']> {
  const { folder, tags, original } = order
  const rateHz = rateOfMix(order)
  const written: string[] = []
  try {
    const onDecoded = (part: number) => onProgress?.(DECODED_PART * part)
    const { decoded, silent, repairs, waveforms } = await decodeStems(order, { rateHz, written }, signal, onDecoded)
    const longest = Math.max(...decoded.map(({ heard }) => heard.frames))
    const missing = await missingPart(order, decoded, { rateHz, frames: longest, written }, signal)
    const lanes = [...decoded.map(({ heard }) => heard), ...(missing ? [missing] : [])]
    const frames = Math.max(...lanes.map((lane) => lane.frames))
    const file = path.join(folder, 'mix.wav')
    const onSum = (part: number) => onProgress?.(DECODED_PART + (1 - DECODED_PART) * part)
    const blocks = mixedBlocks(order, lanes, { sampleRateHz: rateHz, frames })
    const labels = { tags, cover: await coverOf(order, signal) }
    const sum = await writeMix(file, blocks, { sampleRateHz: rateHz, frames }, labels, { signal, onProgress: onSum })
    const likeness =
      original && !original.likeness
        ? await compare(order, original.file, () => sumBlocks(lanes, frames), { rateHz, frames, written }, signal)
        : undefined
    return {
      path: file,
      sampleRateHz: rateHz,
      silent,
      repairs,
      waveforms,
      frames,
      ...(likeness ? { likeness } : {}),
      ...sum,
    }
  } finally {
    for (const file of written) rmSync(file, { force: true })
  }
}

async function coverOf({ ffmpeg, cover }: StemMixOrder, signal: AbortSignal): Promise<Cover | undefined> {
  if (!cover?.facts.hasCover) return undefined
  return readCover(ffmpeg, { path: cover.path, format: cover.facts.format }, signal)
}

/** Returns the rate of a mix, Hz; the engine treats stems only at its own rates. */
function rateOfMix({ stems, mix }: StemMixOrder): number {
  const rateHz = mixRateHz(stems)
  return hasTreatment(mix) ? engineRateHz(rateHz) : rateHz
}

/** A decoded stem as mixed, and untreated if the mix needs that too. */
interface DecodedPair {
  readonly heard: DecodedStem
  readonly plain: DecodedStem
}

/** Decodes stems and treats them as the settings of the mix ask. */
async function decodeStems(
  order: StemMixOrder,
  { rateHz, written }: Pick<Whole, 'rateHz' | 'written'>,
  signal: AbortSignal,
  onProgress: (part: number) => void,
) {
  const { mix, kept } = order
  const decoded: DecodedPair[] = []
  const waveforms: number[][] = order.stems.map(() => [])
  const repairs: StemRepairs[] = []
  for (const [index, { file, place, settings, gains }] of lanesOf(order.stems, order.mix).entries()) {
    const isOther = gains !== null && isTreated(settings)
    const names = [keptName(file, rateHz), keptName(file, rateHz, gains ? settings : undefined)].map((name) =>
      path.join(kept ?? order.folder, kept === undefined ? `${index}-${name}` : name),
    ) as [string, string]
    const known = kept === undefined ? [] : names.map((name) => keptStem(name, [1, 1]))
    let [plain, heard] = known
    if (!plain || !heard) {
      const onStem = (part: number) => onProgress((index + part) / order.stems.length)
      const audio = plain
        ? audioOfBlocks(sumBlocks([plain], plain.frames), { ...plain, sampleRateHz: rateHz }, allocateOwn)
        : await decodeStem(order, file, rateHz, signal, onStem)
      // A set is described once, when its stems are added up.
      if (!mix) waveforms[place] = waveformOf(audio)
      // The untreated stem is needed if it has no treatment, and to find what the stems lack.
      if (!isOther || mix?.restore_missing || kept !== undefined)
        plain ??= keep(order, names[0], blocksOf(audio), audio.frames, written)
      const made = isOther ? treatStem(audio, settings, file.facts.isLossy) : []
      if (made.length > 0) repairs.push({ stem: place + 1, repairs: made })
      heard = isOther ? keep(order, names[1], blocksOf(audio), audio.frames, written) : plain!
      audio.channels.forEach(giveBack)
    }
    decoded.push({ heard: { ...heard, gains }, plain: { ...(plain ?? heard), gains: [1, 1] } })
  }
  const silent = [...waveforms.keys()].filter(
    (place) => waveforms[place]!.length > 0 && Math.max(...waveforms[place]!) === 0,
  )
  return { decoded, silent, repairs, waveforms }
}

/** Writes decoded sound, for the caller to remove unless the order keeps it. */
function keep(
  { kept }: Pick<StemMixOrder, 'kept'>,
  file: string,
  blocks: Iterable<Float64Array>,
  frames: number,
  written: string[],
): DecodedStem {
  const part = `${file}.part`
  written.push(part)
  const decoded = writeDecodedStem(part, blocks, frames)
  if (kept === undefined) return decoded
  // Kept files are always complete.
  renameSync(part, file)
  return { ...decoded, path: file }
}

interface Whole {
  readonly rateHz: number
  /** Frames of the longest stem. */
  readonly frames: number
  /** Files to remove in the end. */
  readonly written: string[]
}

/**
 * Writes what the stems lack as a stem: the stereo mix, aligned in time and level, less their sum. Undefined unless the mix restores it.
 */
async function missingPart(
  order: StemMixOrder,
  decoded: readonly DecodedPair[],
  { rateHz, frames, written }: Whole,
  signal: AbortSignal,
): Promise<DecodedStem | undefined> {
  const { folder, mix, original } = order
  if (!mix?.restore_missing || !original?.likeness) return undefined
  const { gainDb, isInverted, offsetFrames, sampleRateHz } = original.likeness
  const gain = (isInverted ? -1 : 1) * dbToGain(gainDb)
  const offset = Math.round((offsetFrames * rateHz) / sampleRateHz)
  const file = path.join(order.kept ?? folder, missingName(order, rateHz))
  // It counts as one more stem: soloing others mutes it.
  const gains = mix.stems?.some(({ solo }) => solo) ? null : ([1, 1] as const)
  const known = order.kept === undefined ? undefined : keptStem(file, gains)
  if (known) return known
  const audio = await decodeStem(order, original.file, rateHz, signal)
  const all = Math.max(frames, audio.frames - offset)
  const plain = decoded.map((pair) => pair.plain)
  const lacking = keep(order, file, lackingBlocks(audio, sumBlocks(plain, all), { gain, offset }), all, written)
  audio.channels.forEach(giveBack)
  return { ...lacking, gains }
}

/** Yields a stereo mix, aligned in time and level with the sum of its stems, less that sum, over the sum's length. */
function* lackingBlocks(
  { channels: [left, right] }: Audio,
  sum: Iterable<Float64Array>,
  { gain, offset }: { readonly gain: number; readonly offset: number },
): Generator<Float64Array> {
  let at = offset
  for (const block of sum) {
    for (let i = 0; i < block.length; i += 2, at++) {
      block[i] = (left![at] ?? 0) / gain - block[i]!
      block[i + 1] = (right![at] ?? 0) / gain - block[i + 1]!
    }
    yield block
  }
}

/** Compares the stereo mix of a song with the sum of its stems; undefined if nothing can be compared. */
async function compare(
  order: StemMixOrder,
  original: StoredStem,
  sum: () => Iterable<Float64Array>,
  { rateHz, frames, written }: Whole,
  signal: AbortSignal,
): Promise<MixLikeness | undefined> {
  const decoded = await decodeStem(order, original, rateHz, signal)
  // Decoding takes more memory than its result, so the sum comes afterwards.
  const file = path.join(order.folder, 'original')
  written.push(file)
  const stored = writeDecodedStem(file, blocksOf(decoded), decoded.frames)
  decoded.channels.forEach(giveBack)
  const one = audioOfBlocks(sum(), { frames, sampleRateHz: rateHz }, allocateOwn)
  const other = audioOfBlocks(sumBlocks([stored], stored.frames), { ...stored, sampleRateHz: rateHz }, allocateOwn)
  const likeness = mixLikeness(one, other)
  for (const { channels } of [one, other]) channels.forEach(giveBack)
  return likeness
}

/** Returns the blocks of the mix: the sum, or with the voice brought forward where voice and rest sound. */
function mixedBlocks(
  order: StemMixOrder,
  decoded: readonly DecodedStem[],
  { sampleRateHz, frames }: { readonly sampleRateHz: number; readonly frames: number },
): Iterable<Float64Array> {
  const { voice_forward_db: forwardDb = 0 } = order.mix ?? {}
  if (forwardDb === 0) return sumBlocks(decoded, frames)
  const lanes = lanesOf(order.stems, order.mix)
  // The missing part comes after the stems.
  const isVoice = (_: DecodedStem, index: number) => lanes[index]?.isVoice ?? false
  const [voice, rest] = [decoded.filter(isVoice), decoded.filter((stem, index) => !isVoice(stem, index))]
  const sound = {
    voice: () => sumBlocks(voice, frames),
    rest: () => sumBlocks(rest, frames),
    sampleRateHz,
  }
  const plan = planVoice(sound, forwardDb)
  return plan ? voicedBlocks(sound, plan) : sumBlocks(decoded, frames)
}

async function decodeStem(
  { ffmpeg, folder }: StemMixOrder,
  stem: StoredStem,
  rateHz: number,
  signal: AbortSignal,
  onProgress?: (part: number) => void,
): Promise<Audio> {
  await checkStoredSong(stem, SOURCE_CODES, signal)
  const { audio } = await readingSong({ ffmpeg, folder, signal }, stem, SOURCE_CODES, () =>
    decodeSong(ffmpeg, stem.path, stem.facts, { signal, ...(onProgress ? { onProgress } : {}), allocate: allocateOwn }),
  )
  if (audio.sampleRateHz === rateHz) return audio
  return audio.sampleRateHz > rateHz
    ? lowerRate(ffmpeg, audio, rateHz, { signal })
    : raiseRate(ffmpeg, audio, rateHz, allocateOwn, { signal })
}
