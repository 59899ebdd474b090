/** Mixing of stems into one song: each stem is decoded, brought to one rate and added. */
import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { MixLikeness } from '../../src-contract/stem-likeness.ts'
import { isTreated } from '../../src-contract/stem-mix.ts'
import type { StemSettings } from '../../src-contract/stem-mix-schemas.ts'
import { mixLikeness } from '../../src-engine/analysis/mix-likeness.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { dbToGain } from '../../src-engine/dsp/units.ts'
import { waveformOf } from '../mastering/analyse-song.ts'
import { checkStoredSong, readingSong, SOURCE_CODES } from '../mastering/stored-song.ts'
import type { StemMixDone, StemMixOrder, StemRepairs } from '../mastering/work-order.ts'
import { decodeSong, engineRateHz } from '../media/decode.ts'
import {
  audioOfBlocks,
  blocksOf,
  StemSum,
  sumBlocks,
  sumFileBytes,
  writeDecodedStem,
  writeMix,
} from '../media/decoded-stems.ts'
import { lowerRate, raiseRate } from '../media/resample.ts'
import { allocateOwn, giveBack } from '../media/samples.ts'
import { type DecodedStem, keptName, keptStem, lanesOf, missingName, mixRateHz } from '../media/stem-lanes.ts'
import type { StoredStem } from '../media/stored-stem.ts'
import { type Cover, readCover } from '../media/tags.ts'
import { treatStem } from './treat-stem.ts'
import { bringForward, movedBlocks } from './voice-forward.ts'

/** Share of the work that is done when all stems are decoded. */
const DECODED_PART = 0.8

/**
 * Mixes stems into a WAV of 32 bit float, and compares the stereo mix of the song with their sum. One stem at a time is in memory, beside the
 * sums. Throws a WorkFailure for a stem that is missing, changed or unreadable, a FfmpegError, the system's error, and the reason of an
 * aborted `signal`; nothing but kept stems is left then.
 */
export async function mixStems(
  order: StemMixOrder,
  signal: AbortSignal,
  onProgress?: (part: number) => void,
): Promise<StemMixDone['mix']> {
  const made = await tryMix(order, signal, onProgress)
  // With voice or rest inaudible, the mix is the sum of all stems in their order, from which that of two sums may differ in a bit.
  return made ?? (await tryMix({ ...order, mix: { ...order.mix, voice_forward_db: 0 } }, signal))!
}

/** Mixes stems as {@link mixStems} does; undefined if the voice or the rest is inaudible and one is to be moved. */
async function tryMix(
  order: StemMixOrder,
  signal: AbortSignal,
  onProgress?: (part: number) => void,
): Promise<StemMixDone['mix'] | undefined> {
  const { folder, tags, original } = order
  const work = createWork(order)
  const { voice, rest, sampleRateHz } = work
  try {
    const onAdded = (part: number) => onProgress?.(DECODED_PART * part)
    const { longest, ...found } = await addStems(order, work, signal, onAdded)
    const frames = await addMissing(order, work, longest, signal)
    let blocks: Iterable<Float64Array> = rest.blocks(frames)
    if (voice !== rest) {
      const sound = { voice, rest, frames, sampleRateHz }
      const gains = bringForward(sound, order.mix!.voice_forward_db!)
      if (!gains) return undefined
      blocks = movedBlocks(sound, gains)
    }
    const file = path.join(folder, 'mix.wav')
    const onSum = (part: number) => onProgress?.(DECODED_PART + (1 - DECODED_PART) * part)
    const labels = { tags, cover: await coverOf(order, signal) }
    const sum = await writeMix(file, blocks, { sampleRateHz, frames }, labels, { signal, onProgress: onSum })
    const likeness =
      original && !original.likeness ? await compare(order, original.file, { ...work, frames }, signal) : undefined
    return { path: file, sampleRateHz, frames, ...found, ...(likeness ? { likeness } : {}), ...sum }
  } finally {
    for (const one of new Set([voice, rest, work.plain])) one?.close()
    for (const file of work.written) rmSync(file, { force: true })
  }
}

async function coverOf({ ffmpeg, cover }: StemMixOrder, signal: AbortSignal): Promise<Cover | undefined> {
  if (!cover?.facts.hasCover) return undefined
  return readCover(ffmpeg, { path: cover.path, format: cover.facts.format }, signal)
}

/** Sums of a mix, and its temporary files. */
interface Work {
  /** Voice and backing; the sum of all stems unless these are moved. */
  readonly voice: StemSum
  readonly rest: StemSum
  /** Sum of the untreated stems at their own levels, if what they lack is to be found. */
  readonly plain: StemSum | undefined
  readonly sampleRateHz: number
  /** Files to remove in the end. */
  readonly written: string[]
}

function createWork(order: StemMixOrder): Work {
  const { stems, original, mix, kept, folder } = order
  // The engine treats stems only at its own rates.
  const sampleRateHz = mix?.stems?.some(isTreated) ? engineRateHz(mixRateHz(stems)) : mixRateHz(stems)
  const heard = lanesOf(stems, mix).filter(({ gains }) => gains)
  const isRestored = isMissingRestored(order)
  const isRestHeard = isRestored || heard.some(({ isVoice }) => !isVoice)
  const isVoiceMoved = (mix?.voice_forward_db ?? 0) !== 0 && isRestHeard && heard.some(({ isVoice }) => isVoice)
  const isMissingKept = kept !== undefined && keptStem(path.join(kept, missingName(order, sampleRateHz)), null)
  const files = [...stems, ...(original ? [original.file] : [])]
  const isOnDisk = sumFileBytes(sampleRateHz * Math.max(...files.map(({ facts }) => facts.durationSeconds))) > 0
  const written: string[] = []
  const createSum = () => {
    if (isOnDisk) written.push(path.join(folder, `sum-${written.length}`))
    return new StemSum(written.at(-1))
  }
  const rest = createSum()
  return {
    ...{ rest, voice: isVoiceMoved ? createSum() : rest },
    ...{ plain: isRestored && !isMissingKept ? createSum() : undefined, sampleRateHz, written },
  }
}

const isMissingRestored = ({ mix, original }: StemMixOrder): boolean =>
  (mix?.restore_missing ?? false) && original?.likeness !== undefined

/** Decodes stems, treats them as the settings of the mix ask, and adds them. */
async function addStems(order: StemMixOrder, work: Work, signal: AbortSignal, onProgress: (part: number) => void) {
  const { stems, mix, kept } = order
  const { voice, rest, plain, sampleRateHz } = work
  const onDisk: { readonly sum: StemSum; readonly stem: DecodedStem }[] = []
  const waveforms: number[][] = stems.map(() => [])
  const repairs: StemRepairs[] = []
  let longest = 0
  for (const [index, { file, place, settings, gains, isVoice }] of lanesOf(stems, mix).entries()) {
    const sum = isVoice ? voice : rest
    const isOther = gains !== null && isTreated(settings)
    const nameOf = (one?: StemSettings) => kept && path.join(kept, keptName(file, sampleRateHz, one))
    const [plainFile, heardFile] = [nameOf(), nameOf(isOther ? settings : undefined)]
    const known = plainFile && keptStem(plainFile, [1, 1])
    if (!known || !keptStem(heardFile!, gains)) {
      const onStem = (part: number) => onProgress((index + part) / stems.length)
      const audio = known
        ? audioOfBlocks(sumBlocks([known], known.frames), { ...known, sampleRateHz }, allocateOwn)
        : await decodeStem(order, file, sampleRateHz, signal, onStem)
      longest = Math.max(longest, audio.frames)
      // A set is described once, when its stems are added up.
      if (!mix) waveforms[place] = waveformOf(audio)
      if (!plainFile) plain?.add(audio)
      else if (!known) keep(plainFile, blocksOf(audio), work)
      const made = isOther ? treatStem(audio, settings, file.facts.isLossy) : []
      if (made.length > 0) repairs.push({ stem: place + 1, repairs: made })
      if (heardFile && isOther) keep(heardFile, blocksOf(audio), work)
      if (!heardFile && gains) sum.add(audio, gains)
      audio.channels.forEach(giveBack)
    }
    if (!plainFile) continue
    onDisk.push({ sum, stem: keptStem(heardFile!, gains)! })
    if (plain) onDisk.push({ sum: plain, stem: keptStem(plainFile, [1, 1])! })
  }
  longest = Math.max(longest, ...onDisk.map(({ stem }) => stem.frames))
  for (const [sum, added] of Map.groupBy(onDisk, ({ sum }) => sum))
    sum.addBlocks(
      sumBlocks(
        added.map(({ stem }) => stem),
        longest,
      ),
    )
  const silent = [...waveforms.keys()].filter(
    (place) => waveforms[place]!.length > 0 && Math.max(...waveforms[place]!) === 0,
  )
  return { longest, silent, repairs, waveforms }
}

/** Writes decoded sound into a file that is kept. */
function keep(file: string, blocks: Iterable<Float64Array>, { written }: Pick<Work, 'written'>): void {
  const part = `${file}.part`
  written.push(part)
  writeDecodedStem(part, blocks)
  // Kept files are always complete.
  renameSync(part, file)
}

/**
 * Adds what the stems lack as a stem if the mix restores it: the stereo mix, aligned in time and level, less their sum. Returns the frames of
 * all, of which the longest stem has `longest`.
 */
async function addMissing(order: StemMixOrder, work: Work, longest: number, signal: AbortSignal): Promise<number> {
  const { mix, original, kept } = order
  const { rest, plain, sampleRateHz } = work
  if (!original?.likeness || !isMissingRestored(order)) return longest
  // It counts as one more stem: soloing others mutes it.
  const gains = mix?.stems?.some(({ solo }) => solo) ? null : ([1, 1] as const)
  const file = kept && path.join(kept, missingName(order, sampleRateHz))
  let frames = longest
  if (plain) {
    const { gainDb, isInverted, offsetFrames, sampleRateHz: itsRateHz } = original.likeness
    const gain = (isInverted ? -1 : 1) * dbToGain(gainDb)
    const offset = Math.round((offsetFrames * sampleRateHz) / itsRateHz)
    const audio = await decodeStem(order, original.file, sampleRateHz, signal)
    frames = Math.max(longest, audio.frames - offset)
    const blocks = lackingBlocks(audio, plain.blocks(frames), { gain, offset })
    if (file) keep(file, blocks, work)
    else if (gains) rest.addBlocks(blocks)
    audio.channels.forEach(giveBack)
  }
  const stem = file && keptStem(file, gains)
  if (!stem) return frames
  rest.addBlocks(sumBlocks([stem], stem.frames))
  return Math.max(longest, stem.frames)
}

/** Yields a stereo mix, aligned in time and level with the sum of its stems, less that sum, over the sum's length, in float32. */
function* lackingBlocks(
  { channels: [left, right] }: Audio,
  sum: Iterable<Float64Array>,
  { gain, offset }: { readonly gain: number; readonly offset: number },
): Generator<Float64Array> {
  let at = offset
  for (const block of sum) {
    for (let i = 0; i < block.length; i += 2, at++) {
      block[i] = Math.fround((left![at] ?? 0) / gain - block[i]!)
      block[i + 1] = Math.fround((right![at] ?? 0) / gain - block[i + 1]!)
    }
    yield block
  }
}

/** Compares the stereo mix of a song with the sum of its stems; undefined if nothing can be compared. */
async function compare(
  order: StemMixOrder,
  original: StoredStem,
  { rest: sum, frames, sampleRateHz, written }: Pick<Work, 'rest' | 'sampleRateHz' | 'written'> & Pick<Audio, 'frames'>,
  signal: AbortSignal,
): Promise<MixLikeness | undefined> {
  const decoded = await decodeStem(order, original, sampleRateHz, signal)
  // Decoding takes more memory than its result, so the sum comes afterwards.
  const file = path.join(order.folder, 'original')
  written.push(file)
  writeDecodedStem(file, blocksOf(decoded))
  decoded.channels.forEach(giveBack)
  const one = audioOfBlocks(sum.blocks(frames), { frames, sampleRateHz }, allocateOwn)
  const stored = keptStem(file, [1, 1])!
  const other = audioOfBlocks(sumBlocks([stored], stored.frames), { ...stored, sampleRateHz }, allocateOwn)
  const likeness = mixLikeness(one, other)
  for (const { channels } of [one, other]) channels.forEach(giveBack)
  return likeness
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
