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
/** Each costs a render and the copies of the new master. */
const MAX_LOWERINGS = 2
/** Less than any excess that a meter of 32-bit floats can read, dB. */
const LEAST_EXCESS_DB = 1e-7

/** A version of a master and the measurements of its copies. */
interface Proofed<Master> {
  readonly master: Master
  /** Total lowering of its peak, dB. */
  readonly loweredDb: number
  /** True peaks of the copies that were made, dBTP. */
  readonly peaksDbtp: Map<LossyCodec, number>
}

/**
 * Measures the true peak of a master's copy in every codec. As soon as one exceeds full scale by an amount that lowering can cure, the
 * master is made again with its peak lowered by the excess, by 1.5 dB in all and twice at most, and the new version is first tried on that
 * codec. A codec that would need more is ignored. Returns the version whose copies hold for most of the codecs that asked, among equals the
 * least lowered, so a lowering that cures nothing is dropped; and its copies' measurements in the order of `codecs`. Put the strictest
 * codec first: copies of a discarded master are wasted work, so a lowered version that leaves the codec that asked beyond cure is tried
 * only on codecs whose copies of the first master fail too. Throws as the steps do.
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
  const versions: Proofed<Master>[] = [{ master: first, loweredDb: 0, peaksDbtp: new Map() }]
  const asked = new Set<LossyCodec>()
  while (versions.length <= MAX_LOWERINGS) {
    const wish = await firstCurable({ versions, asked, codecs }, readPeak)
    if (wish === undefined) break
    asked.add(wish.codec)
    const master = await again(wish.loweredDb)
    if (master === null) break
    versions.push({ master, loweredDb: wish.loweredDb, peaksDbtp: new Map() })
  }
  const chosen = await leastLoweredCure(versions, [...asked], readPeak)
  const codecChecks: CodecCheck[] = []
  for (const codec of codecs) {
    const true_peak_dbtp = await readPeak(chosen, codec)
    codecChecks.push({ codec: codec.name, true_peak_dbtp, ceiling_lowered_db: chosen.loweredDb })
  }
  return { master: chosen.master, codecChecks }
}

type ReadPeak<Master> = (version: Proofed<Master>, codec: LossyCodec) => Promise<number>

/** A search for the version to deliver: the versions so far, and the codecs that asked for them. */
interface Search<Master> {
  readonly versions: readonly Proofed<Master>[]
  readonly asked: ReadonlySet<LossyCodec>
  readonly codecs: readonly LossyCodec[]
}

/**
 * Returns the first codec whose copy of the newest version exceeds full scale by an amount that may still be lowered, and the total
 * lowering; later codecs are not read, nor codecs that cannot change the choice.
 */
async function firstCurable<Master>(
  { versions, asked, codecs }: Search<Master>,
  readPeak: ReadPeak<Master>,
): Promise<{ readonly codec: LossyCodec; readonly loweredDb: number } | undefined> {
  const [first, newest] = [versions[0]!, versions.at(-1)!]
  if (cureDb(newest, COPY_CEILING_DBTP + LEAST_EXCESS_DB) === undefined) return undefined
  let isLost = false
  for (const codec of [...asked, ...codecs.filter((one) => !asked.has(one))]) {
    // The first version would be chosen before this one.
    if (isLost && (await readPeak(first, codec)) <= COPY_CEILING_DBTP) continue
    const peakDbtp = await readPeak(newest, codec)
    const loweredDb = cureDb(newest, peakDbtp)
    if (loweredDb !== undefined) return { codec, loweredDb }
    isLost ||= asked.has(codec) && peakDbtp > COPY_CEILING_DBTP
  }
  return undefined
}

/** Returns the total lowering of a version that cures a copy; undefined if the copy holds, or if that would be too much. */
function cureDb({ loweredDb }: Pick<Proofed<unknown>, 'loweredDb'>, peakDbtp: number): number | undefined {
  const excessDb = peakDbtp - COPY_CEILING_DBTP
  const curedDb = loweredDb + LOWERING_STEP_DB * Math.ceil((excessDb + LOWERING_DOUBT_DB) / LOWERING_STEP_DB)
  return excessDb > 0 && curedDb < MOST_LOWERED_DB + LOWERING_STEP_DB / 2 ? curedDb : undefined
}

/** Returns the version whose copies exceed full scale least often in the codecs that asked for lowering, among equals the first. */
async function leastLoweredCure<Master>(
  versions: readonly Proofed<Master>[],
  asked: readonly LossyCodec[],
  readPeak: ReadPeak<Master>,
): Promise<Proofed<Master>> {
  const failures = async (version: Proofed<Master>): Promise<number> => {
    const peaksDbtp: number[] = []
    for (const codec of asked) peaksDbtp.push(await readPeak(version, codec))
    return peaksDbtp.filter((peakDbtp) => peakDbtp > COPY_CEILING_DBTP).length
  }
  let chosen = versions.at(-1)!
  let fewest = await failures(chosen)
  // Every version but the last has failed for a codec that asked.
  if (fewest === 0) return chosen
  for (const version of versions.slice(0, -1).reverse()) {
    const count = await failures(version)
    if (count <= fewest) [chosen, fewest] = [version, count]
  }
  return chosen
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
