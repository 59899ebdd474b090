/** Mixing of stems into one song: each stem is decoded, brought to one rate and kept on disk, and all are added. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { isTreated } from '../../src-contract/stem-mix.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import { type Audio, samplePeak } from '../../src-engine/dsp/block.ts'
import { checkStoredSong, readingSong, SOURCE_CODES } from '../mastering/stored-song.ts'
import type { StemMixDone, StemMixOrder, StemRepairs } from '../mastering/work-order.ts'
import { decodedRateHz, decodeSong, engineRateHz } from '../media/decode.ts'
import { lowerRate, raiseRate } from '../media/resample.ts'
import { allocateOwn, giveBack } from '../media/samples.ts'
import type { StoredStem } from '../media/stored-stem.ts'
import { type DecodedStem, sumBlocks, writeDecodedStem, writeMix } from './sum.ts'
import { stemGains, treatStem } from './treat-stem.ts'
import { planVoice, voicedBlocks } from './voice-forward.ts'

/** Highest rate of a mix, Hz. */
const HIGHEST_RATE_HZ = 96_000

/** Share of the work that is behind when all stems are decoded. */
const DECODED_PART = 0.8

/** Returns whether a mix treats any stem beyond level and place. */
const hasTreatment = (mix: StemMix | undefined): boolean => mix?.stems?.some(isTreated) ?? false

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
  const { folder, tags, mix } = order
  const stems = inOrderOfSum(order.stems)
  // The engine treats stems at its own rates alone.
  const rateHz = hasTreatment(mix) ? engineRateHz(mixRateHz(stems)) : mixRateHz(stems)
  const hasSolo = mix?.stems?.some(({ solo }) => solo) ?? false
  const decoded: DecodedStem[] = []
  const silent: number[] = []
  const repairs: StemRepairs[] = []
  try {
    for (const [index, stem] of stems.entries()) {
      const file = path.join(folder, `stem-${index}`)
      const onStem = (part: number) => onProgress?.((DECODED_PART * (index + part)) / stems.length)
      const audio = await decodeStem(order, stem, rateHz, signal, onStem)
      const place = order.stems.indexOf(stem)
      if (samplePeak(audio) === 0) silent.push(place)
      const settings = mix?.stems?.find((one) => one.stem === place + 1) ?? { stem: place + 1 }
      const isHeard = hasSolo ? settings.solo === true : !settings.mute
      const made = isHeard ? treatStem(audio, settings, stem.facts.isLossy) : []
      if (made.length > 0) repairs.push({ stem: place + 1, repairs: made })
      decoded.push(writeDecodedStem(file, audio, isHeard ? stemGains(settings) : null))
      audio.channels.forEach(giveBack)
    }
    const file = path.join(folder, 'mix.wav')
    const onSum = (part: number) => onProgress?.(DECODED_PART + (1 - DECODED_PART) * part)
    const frames = Math.max(...decoded.map((stem) => stem.frames))
    const blocks = mixedBlocks(order, stems, decoded, { sampleRateHz: rateHz, frames })
    const sum = await writeMix(file, blocks, { sampleRateHz: rateHz, frames }, { tags }, { signal, onProgress: onSum })
    return {
      path: file,
      sampleRateHz: rateHz,
      silent: silent.sort((one, other) => one - other),
      repairs,
      frames,
      ...sum,
    }
  } finally {
    for (const { path: file } of decoded) rmSync(file, { force: true })
  }
}

/** Returns the blocks of the mix: the sum, or with the voice brought forward where voice and rest sound. */
function mixedBlocks(
  { stems: numbered, mix }: StemMixOrder,
  stems: readonly StoredStem[],
  decoded: readonly DecodedStem[],
  { sampleRateHz, frames }: { readonly sampleRateHz: number; readonly frames: number },
): Iterable<Float64Array> {
  const { voice_forward_db: forwardDb = 0 } = mix ?? {}
  if (forwardDb === 0) return sumBlocks(decoded, frames)
  const isVoice = (_: DecodedStem, index: number) => {
    const place = numbered.indexOf(stems[index]!)
    const role = mix?.stems?.find(({ stem }) => stem === place + 1)?.role ?? numbered[place]!.role
    return role === 'voice' || role === 'backing'
  }
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
