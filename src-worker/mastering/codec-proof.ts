/** Codec-proofing of premium masters: keeps the copies that services stream below full scale too. */
import { createTruePeakVerifier } from '../../src-engine/dsp/meters/true-peak.ts'
import { decodeThroughCodec, type LossyCodec } from '../media/encode.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import { createPlanes } from '../media/samples.ts'
import type { RenderedMaster } from './render-master.ts'
import type { CodecCheck } from './report-facts.ts'

export interface ProofDeps {
  readonly ffmpeg: Ffmpeg
  readonly folder: string
  readonly signal?: AbortSignal | undefined
}

/** The two costly steps of a proof. */
export interface ProofSteps<Master> {
  /** Makes the master again with this total lowering of its peak, dB; null if that costs too much. */
  readonly again: (loweredDb: number) => Promise<Master | null>
  /** True peak of the master's copy by that codec, dBTP. */
  readonly copyPeakDbtp: (master: Master, codec: LossyCodec) => Promise<number>
}

const MOST_LOWERED_DB = 1.5
/** A copy is proofed when its true peak is at most this. */
const COPY_CEILING_DBTP = 0
/**
 * The peak is lowered in whole steps of this size, the excess rounded up: the last bits of encoders differ between machines, and the
 * masters must not.
 */
const LOWERING_STEP_DB = 0.1
/** Margin above the estimate, since the encoder treats the lowered master differently. Makes a second lowering rare. */
const LOWERING_DOUBT_DB = 0.1
/** Largest number of lowerings for a set of codecs: each costs a render and the copies of the new master. */
const MAX_LOWERINGS = 2

/** A version of a master and the measurements of its copies. */
interface Proofed<Master> {
  readonly master: Master
  /** Total lowering of its peak, dB. */
  readonly loweredDb: number
  /** True peaks of the copies that were made, dBTP. */
  readonly peaksDbtp: Map<LossyCodec, number>
}

/**
 * Measures the true peak of a master's copy in every codec. As soon as one exceeds full scale, the master is made again with its peak lowered
 * by the excess, by 1.5 dB in all and twice at most, and the new version is first tried on that codec. A codec that would need more, also
 * after its lowering, is given up, and the others are cured from the first master. Returns the version whose copies hold for most of the
 * codecs that asked or were given up, among equals the least lowered; and its copies' measurements in the order of `codecs`. Put the strictest codec first: copies of a discarded master are wasted work. Throws as the steps do.
 */
export async function proofMaster<Master>(
  first: Master,
  codecs: readonly LossyCodec[],
  { again, copyPeakDbtp }: ProofSteps<Master>,
): Promise<{ master: Master; codecChecks: CodecCheck[] }> {
  const readPeak = async ({ master, peaksDbtp }: Proofed<Master>, codec: LossyCodec): Promise<number> => {
    const peakDbtp = peaksDbtp.get(codec) ?? (await copyPeakDbtp(master, codec))
    peaksDbtp.set(codec, peakDbtp)
    return peakDbtp
  }
  const original: Proofed<Master> = { master: first, loweredDb: 0, peaksDbtp: new Map() }
  const versions = new Map<number, Proofed<Master> | null>()
  const lower = async (loweredDb: number): Promise<Proofed<Master> | null> => {
    const known = versions.get(loweredDb)
    if (known !== undefined) return known
    const master = await again(loweredDb)
    const version = master === null ? null : { master, loweredDb, peaksDbtp: new Map() }
    versions.set(loweredDb, version)
    return version
  }
  const givenUp: LossyCodec[] = []
  let attempt: Attempt<Master>
  do {
    const others = codecs.filter((codec) => !givenUp.includes(codec))
    attempt = await cure(original, others, { lower, readPeak })
    if (attempt.beyondCure) givenUp.push(attempt.beyondCure)
  } while (attempt.beyondCure)
  const made = [original, ...[...versions.values()].filter((version) => version !== null)]
  const chosen =
    givenUp.length === 0 ? attempt.version : await leastFailing(made, [...givenUp, ...attempt.asked], readPeak)
  const codecChecks: CodecCheck[] = []
  for (const codec of codecs) {
    const true_peak_dbtp = await readPeak(chosen, codec)
    codecChecks.push({ codec: codec.name, true_peak_dbtp, ceiling_lowered_db: chosen.loweredDb })
  }
  return { master: chosen.master, codecChecks }
}

/** The version that a cure ended with. */
interface Attempt<Master> {
  readonly version: Proofed<Master>
  /** Codecs that asked for a lowering. */
  readonly asked: readonly LossyCodec[]
  /** The codec whose copy cannot be cured, which ended the attempt; absent if the copies of the version hold in all codecs. */
  readonly beyondCure?: LossyCodec
}

interface CureSteps<Master> {
  readonly lower: (loweredDb: number) => Promise<Proofed<Master> | null>
  readonly readPeak: (version: Proofed<Master>, codec: LossyCodec) => Promise<number>
}

/** Lowers a master until its copies hold in all codecs, or until one of them cannot be cured; later codecs are not read then. */
async function cure<Master>(
  original: Proofed<Master>,
  codecs: readonly LossyCodec[],
  { lower, readPeak }: CureSteps<Master>,
): Promise<Attempt<Master>> {
  const asked = new Set<LossyCodec>()
  let version = original
  for (let lowerings = 0; ; lowerings++) {
    const inTurn = [...asked, ...codecs.filter((codec) => !asked.has(codec))]
    const failing = await firstFailing(version, inTurn, readPeak)
    if (!failing) return { version, asked: [...asked] }
    const loweredDb = lowerings < MAX_LOWERINGS ? cureDb(version, await readPeak(version, failing)) : undefined
    const next = loweredDb === undefined ? null : await lower(loweredDb)
    if (next === null) return { version, asked: [...asked], beyondCure: failing }
    asked.add(failing)
    version = next
  }
}

async function firstFailing<Master>(
  version: Proofed<Master>,
  codecs: readonly LossyCodec[],
  readPeak: CureSteps<Master>['readPeak'],
): Promise<LossyCodec | undefined> {
  for (const codec of codecs) if ((await readPeak(version, codec)) > COPY_CEILING_DBTP) return codec
  return undefined
}

/** Returns the version whose copies exceed full scale in the fewest of the codecs, among equals the least lowered. */
async function leastFailing<Master>(
  versions: readonly Proofed<Master>[],
  codecs: readonly LossyCodec[],
  readPeak: CureSteps<Master>['readPeak'],
): Promise<Proofed<Master>> {
  let [chosen, fewest] = [versions[0]!, Infinity]
  for (const version of versions.toSorted((a, b) => a.loweredDb - b.loweredDb)) {
    let count = 0
    for (const codec of codecs) {
      // No copy is made for a version that cannot be chosen any more.
      if (count < fewest && (await readPeak(version, codec)) > COPY_CEILING_DBTP) count++
    }
    if (count < fewest) [chosen, fewest] = [version, count]
  }
  return chosen
}

/** Returns the total lowering of a version that cures a copy above full scale; undefined if that would be too much. */
function cureDb({ loweredDb }: Pick<Proofed<unknown>, 'loweredDb'>, peakDbtp: number): number | undefined {
  const excessDb = peakDbtp - COPY_CEILING_DBTP
  const curedDb = loweredDb + LOWERING_STEP_DB * Math.ceil((excessDb + LOWERING_DOUBT_DB) / LOWERING_STEP_DB)
  return curedDb < MOST_LOWERED_DB + LOWERING_STEP_DB / 2 ? curedDb : undefined
}

/**
 * Encodes a whole master, decodes the copy and returns its true peak, dBTP. Whole songs, because on short excerpts encoders err more
 * than they do in the song (by up to 1 dB at 128 kbit/s). Throws as ffmpeg does.
 */
export async function readCopyPeakDbtp(
  { path, durationSeconds, demuxer }: Pick<RenderedMaster, 'path' | 'durationSeconds'> & { readonly demuxer?: string },
  codec: LossyCodec,
  { ffmpeg, folder, signal }: ProofDeps,
): Promise<number> {
  const meter = createTruePeakVerifier()
  const planesOf = createPlanes()
  const receive = (samples: Float32Array) => meter.push(planesOf(samples))
  const lossless = { path, folder, durationSeconds, ...(demuxer === undefined ? {} : { demuxer }) }
  await decodeThroughCodec(ffmpeg, codec, lossless, receive, signal)
  return meter.read().truePeakDbtp
}
