/** Mixing of stems into one song: each stem is decoded, brought to one rate and kept on disk, and all are added. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { type Audio, samplePeak } from '../../src-engine/dsp/block.ts'
import { checkStoredSong, readingSong, SOURCE_CODES } from '../mastering/stored-song.ts'
import type { StemMixDone, StemMixOrder, StoredStem } from '../mastering/work-order.ts'
import { decodedRateHz, decodeSong, engineRateHz } from '../media/decode.ts'
import { lowerRate, raiseRate } from '../media/resample.ts'
import { allocateOwn, giveBack } from '../media/samples.ts'
import { type DecodedStem, writeDecodedStem, writeSum } from './sum.ts'

/** Highest rate of a mix, Hz. */
const HIGHEST_RATE_HZ = 96_000

/** Share of the work that is behind when all stems are decoded. */
const DECODED_PART = 0.8

/** Returns the rate of the mix of stems, Hz: the highest of theirs, up to 96 kHz. Pure. */
export function mixRateHz(stems: readonly { readonly facts: { readonly sampleRateHz: number } }[]): number {
  const highestHz = Math.max(...stems.map(({ facts }) => decodedRateHz(facts.sampleRateHz)))
  return highestHz > HIGHEST_RATE_HZ ? engineRateHz(highestHz) : highestHz
}

/** Returns stems in the order in which they are added: by their bytes, then by name, whatever the order of upload. Pure. */
export function inOrderOfSum<Stem extends Pick<StoredStem, 'sha256' | 'filename'>>(stems: readonly Stem[]): Stem[] {
  const keyOf = ({ sha256, filename }: Stem) => `${sha256} ${filename}`
  return [...stems].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

/**
 * Mixes stems into a WAV of 32 bit float. One stem at a time is in memory. Throws a WorkFailure for a stem that is missing, changed or
 * unreadable, a FfmpegError, the system's error, and the reason of an aborted `signal`; decoded files are then gone.
 */
export async function mixStems(
  order: StemMixOrder,
  signal: AbortSignal,
  onProgress?: (part: number) => void,
): Promise<StemMixDone['mix']> {
  const { folder, tags } = order
  const stems = inOrderOfSum(order.stems)
  const rateHz = mixRateHz(stems)
  const decoded: DecodedStem[] = []
  const silent: number[] = []
  try {
    for (const [index, stem] of stems.entries()) {
      const file = path.join(folder, `stem-${index}`)
      const onStem = (part: number) => onProgress?.((DECODED_PART * (index + part)) / stems.length)
      const audio = await decodeStem(order, stem, rateHz, signal, onStem)
      if (samplePeak(audio) === 0) silent.push(order.stems.indexOf(stem))
      decoded.push(writeDecodedStem(file, audio))
      audio.channels.forEach(giveBack)
    }
    const file = path.join(folder, 'mix.wav')
    const onSum = (part: number) => onProgress?.(DECODED_PART + (1 - DECODED_PART) * part)
    const sum = await writeSum(file, decoded, rateHz, { tags }, { signal, onProgress: onSum })
    return { path: file, sampleRateHz: rateHz, silent: silent.sort((one, other) => one - other), ...sum }
  } finally {
    for (const { path: file } of decoded) rmSync(file, { force: true })
  }
}

async function decodeStem(
  { ffmpeg, folder }: StemMixOrder,
  stem: StoredStem,
  rateHz: number,
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<Audio> {
  await checkStoredSong(stem, SOURCE_CODES, signal)
  const { audio } = await readingSong({ ffmpeg, folder, signal }, stem, SOURCE_CODES, () =>
    decodeSong(ffmpeg, stem.path, stem.facts, { signal, onProgress, allocate: allocateOwn }),
  )
  if (audio.sampleRateHz === rateHz) return audio
  return audio.sampleRateHz > rateHz
    ? lowerRate(ffmpeg, audio, rateHz, { signal })
    : raiseRate(ffmpeg, audio, rateHz, allocateOwn, { signal })
}
