/** Reads a song for the engine: its samples at the song's own rate, its sound at an engine rate. */
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import type { Recipe } from '../../src-contract/recipe.ts'
import type { Repair } from '../../src-contract/report.ts'
import { analyseSource, examineSamples, type SourceAnalysis } from '../../src-engine/analysis/analysis.ts'
import { applyRecipe } from '../../src-engine/chain.ts'
import type { Audio } from '../../src-engine/dsp/block.ts'
import { mix } from '../../src-engine/dsp/units.ts'
import { trimmed } from '../../src-engine/edges.ts'
import type { Gap } from '../media/damaged-samples.ts'
import {
  type Decoded,
  type DecodedAudio,
  type DecodeOptions,
  decodeSong,
  engineRateHz,
  joinDecoded,
} from '../media/decode.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import type { Joined, Trims } from '../media/joined.ts'
import { changeRate } from '../media/resample.ts'
import { analysisKey, readKeptAnalysis } from './kept-analysis.ts'
import { WorkFailure } from './work-failure.ts'
import type { StoredSong } from './work-order.ts'

/** A decoded song and its measurements. */
export interface ReadSong {
  /** The sound at the engine's rate; it can be taken once and is then released from memory. */
  readonly takeAudio: () => Audio
  readonly analysis: SourceAnalysis
  /** True if the engine's rate differs from the song's own; single samples are examined and edited at the latter. */
  readonly isConverted: boolean
  /** Damaged samples of the song's own file that were bridged, at the decoded rate. */
  readonly bridgedGaps: readonly Gap[]
  /** Place of the song in the sound, if it was joined with others. */
  readonly stretch?: Stretch
}

/** Part of a sound, in seconds from its start; `end` is absent if it extends to the end. */
export interface Stretch {
  readonly startSeconds: number
  readonly endSeconds?: number
}

/** Share of the conversion in the analysis of a song at another rate, measured on four minutes at 32 and at 192 kHz. */
const CONVERSION_PART = 0.5

/** Stored song, and the trims that are applied before anything else; untrimmed when absent. */
export interface SongFile extends Pick<StoredSong, 'path' | 'facts'> {
  readonly trims?: Trims
  /** Songs that are read with it as one. */
  readonly joined?: Pick<Joined, 'before' | 'after'> | undefined
}

/** Song to be measured, and the file that may keep its analysis. */
interface MeasuredFile extends SongFile, Pick<StoredSong, 'sha256'> {
  readonly analysisPath?: string | undefined
}

/**
 * Decodes a whole song and measures it; `report` receives the completed part of both. Faults and peaks of single samples are measured at
 * the song's own rate, everything else at the engine's. A kept analysis is not made again. Throws as decoding does.
 */
export async function readSong(
  ffmpeg: Ffmpeg,
  song: MeasuredFile,
  signal: AbortSignal,
  report?: (stage: 'decoding' | 'analysing', part: number) => void,
): Promise<ReadSong> {
  const onProgress = (part: number) => report?.('decoding', part)
  const { audio: own, bridgedGaps, stretch } = await decodeTrimmed(ffmpeg, song, { signal, onProgress })
  const isConverted = engineRateHz(own.sampleRateHz) !== own.sampleRateHz
  const conversion = isConverted ? CONVERSION_PART : 0
  let converted = 0
  let measured = 0
  const tell = () => report?.('analysing', mix(measured, converted, conversion))
  const onMeasured = (part: number) => {
    measured = part
    tell()
  }
  onMeasured(0)
  const kept = await keptAnalysis(ffmpeg, song)
  const samples = kept ? undefined : examineSamples(own, onMeasured)
  const audio = await atEngineRate(ffmpeg, own, signal, (part) => {
    converted = part
    tell()
  })
  converted = 1
  const lossy = songsOf(song).some(({ facts }) => facts.isLossy)
  const analysis = kept ?? analyseSource(audio, { lossy, ...(samples ? { samples } : {}) }, onMeasured)
  return { takeAudio: takenOnce(audio), analysis, isConverted, bridgedGaps, ...(stretch ? { stretch } : {}) }
}

async function keptAnalysis(ffmpeg: Ffmpeg, song: MeasuredFile): Promise<SourceAnalysis | undefined> {
  if (song.analysisPath === undefined || song.joined) return undefined
  return readKeptAnalysis(song.analysisPath, await analysisKey(ffmpeg, song))
}

/** Parts of the work on single samples that are behind once the song is decoded again, and once it is edited. */
const EDIT_BEHIND = { decoding: 0.3, editing: 0.7 }

/**
 * Returns a song whose rate was converted with its single samples edited before the conversion, and the measured repairs; takes its audio.
 * A song with edits is decoded again, since keeping both rates would take up to three times the memory; `onProgress` receives the completed
 * part of that work. Throws as decoding does.
 */
export async function editSong(
  ffmpeg: Ffmpeg,
  song: SongFile,
  { takeAudio }: Pick<ReadSong, 'takeAudio'>,
  edits: Recipe,
  signal: AbortSignal,
  onProgress?: (part: number) => void,
): Promise<{ readonly audio: Audio; readonly repairs: readonly Repair[] }> {
  if (edits.stages.length === 0) return { audio: takeAudio(), repairs: [] }
  // Dropped to free its memory for the second decoding.
  takeAudio()
  return decodeEdited(ffmpeg, song, edits, signal, onProgress)
}

/** Decodes a song, edits its single samples at its own rate and returns it at the engine's. Throws as decoding does. */
export async function decodeEdited(
  ffmpeg: Ffmpeg,
  song: SongFile,
  edits: Recipe,
  signal: AbortSignal,
  onProgress?: (part: number) => void,
): Promise<{ readonly audio: Audio; readonly repairs: readonly Repair[] }> {
  const onDecoded = (part: number) => onProgress?.(mix(0, EDIT_BEHIND.decoding, part))
  const { audio: own } = await decodeTrimmed(ffmpeg, song, { signal, onProgress: onDecoded })
  const onEdited = (part: number) => onProgress?.(mix(EDIT_BEHIND.decoding, EDIT_BEHIND.editing, part))
  const { repairs } = applyRecipe(own, edits, onEdited)
  const onConverted = (part: number) => onProgress?.(mix(EDIT_BEHIND.editing, 1, part))
  return { audio: await atEngineRate(ffmpeg, own, signal, onConverted), repairs }
}

/** Returns the songs that are read as one, in their order. */
function songsOf(song: SongFile): SongFile[] {
  return [...(song.joined?.before ?? []), song, ...(song.joined?.after ?? [])]
}

/** Decodes the trimmed song and the songs joined with it. Throws a WorkFailure if too little remains, else as decoding does. */
async function decodeTrimmed(
  ffmpeg: Ffmpeg,
  song: SongFile,
  { signal, onProgress }: DecodeOptions,
): Promise<Decoded & { readonly stretch?: Stretch }> {
  const songs = songsOf(song)
  const pieces: Decoded[] = []
  for (const [i, one] of songs.entries()) {
    const tell = (part: number) => onProgress?.((i + part) / songs.length)
    pieces.push(await decodePiece(ffmpeg, one, { signal, onProgress: tell }))
  }
  if (pieces.length === 1) return pieces[0]!
  const own = songs.indexOf(song)
  const secondsOf = (some: readonly Decoded[]) =>
    some.reduce((sum, { audio }) => sum + audio.frames, 0) / pieces[0]!.audio.sampleRateHz
  const stretch = {
    startSeconds: secondsOf(pieces.slice(0, own)),
    ...(own === songs.length - 1 ? {} : { endSeconds: secondsOf(pieces.slice(0, own + 1)) }),
  }
  const { bridgedGaps } = pieces[own]!
  return { audio: joinDecoded(pieces), bridgedGaps, stretch }
}

async function decodePiece(ffmpeg: Ffmpeg, { path, facts, trims }: SongFile, options: DecodeOptions): Promise<Decoded> {
  const decoded = await decodeSong(ffmpeg, path, facts, options)
  if (!trims || trims.trim_start_seconds + trims.trim_end_seconds === 0) return decoded
  const audio = trimmed(decoded.audio, trims)
  // A file may contain less than its header claims.
  if (audio.frames < MIN_DURATION_SECONDS * audio.sampleRateHz) throw new WorkFailure('TOO_SHORT')
  return { ...decoded, audio }
}

async function atEngineRate(
  ffmpeg: Ffmpeg,
  own: DecodedAudio,
  signal: AbortSignal,
  onProgress: (part: number) => void,
): Promise<Audio> {
  const rateHz = engineRateHz(own.sampleRateHz)
  return rateHz === own.sampleRateHz ? own : changeRate(ffmpeg, own, rateHz, { signal, onProgress })
}

/** Returns a function that hands over the audio once and keeps no reference to it. */
export function takenOnce(audio: Audio): () => Audio {
  let kept: Audio | undefined = audio
  return () => {
    const taken = kept!
    kept = undefined
    return taken
  }
}
