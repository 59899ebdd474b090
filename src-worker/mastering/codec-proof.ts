/** Codec-proofing of premium masters: the copies that services stream must stay below full scale too. */
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
  /** Makes the master again with its peak lowered by that much in all, dB; null where that is not worth its price. */
  readonly again: (loweredDb: number) => Promise<Master | null>
  /** True peak of the master's copy by that codec, dBTP. */
  readonly copyPeakDbtp: (master: Master, codec: LossyCodec) => Promise<number>
}

const MOST_LOWERED_DB = 1.5
/** A copy is proofed when its true peak is at most this. */
const COPY_CEILING_DBTP = 0
/**
 * The peak comes down in whole steps of this size, the excess rounded up: encoders differ in their last bits from machine to
 * machine, the masters must not.
 */
const LOWERING_STEP_DB = 0.1
/** Margin above the estimate, since the lowered master is another signal to the encoder. Makes a second lowering rare. */
const LOWERING_DOUBT_DB = 0.1
/** Each costs a render and the copies of the new master. */
const MAX_LOWERINGS = 2

/** A version of a master and what is known of its copies. */
interface Proofed<Master> {
  readonly master: Master
  /** Total lowering of its peak, dB. */
  readonly loweredDb: number
  /** True peaks of the copies that were made, dBTP. */
  readonly peaksDbtp: Map<LossyCodec, number>
}

/**
 * Reads the true peak of a master's copy by every codec; as soon as one exceeds full scale the master is made again with its peak
 * lowered by the excess, by 1.5 dB in all and two times at most, and the codec that failed is the first to see the new one. Returns
 * the first master that holds, or else the one whose copy by the codec that failed last is lowest, and what its copies measure, in
 * the order of `codecs`: the strictest should be first, since copies of a master that is not delivered serve nobody. Throws as
 * the steps do.
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
  let failed: LossyCodec | undefined
  for (;;) {
    const newest = versions.at(-1)!
    const order = failed ? [failed, ...codecs.filter((codec) => codec !== failed)] : codecs
    failed = await firstAbove(order, (codec) => readPeak(newest, codec))
    if (!failed || versions.length > MAX_LOWERINGS || newest.loweredDb >= MOST_LOWERED_DB) break
    const excessDb = (await readPeak(newest, failed)) - COPY_CEILING_DBTP + LOWERING_DOUBT_DB
    const steps = Math.ceil(excessDb / LOWERING_STEP_DB)
    const loweredDb = Math.min(MOST_LOWERED_DB, newest.loweredDb + LOWERING_STEP_DB * steps)
    const master = await again(loweredDb)
    if (master === null) break
    versions.push({ master, loweredDb, peaksDbtp: new Map() })
  }
  let chosen = versions.at(-1)!
  if (failed) {
    // If lowering did not help, the version with the least limiting is preferred.
    for (const version of versions.toReversed()) {
      if ((await readPeak(version, failed)) <= (await readPeak(chosen, failed))) chosen = version
    }
  }
  const codecChecks: CodecCheck[] = []
  for (const codec of codecs) {
    const true_peak_dbtp = await readPeak(chosen, codec)
    codecChecks.push({ codec: codec.name, true_peak_dbtp, ceiling_lowered_db: chosen.loweredDb })
  }
  return { master: chosen.master, codecChecks }
}

/** Returns the first codec whose copy exceeds full scale; what comes after it is not read. */
async function firstAbove(
  codecs: readonly LossyCodec[],
  readPeak: (codec: LossyCodec) => Promise<number>,
): Promise<LossyCodec | undefined> {
  for (const codec of codecs) if ((await readPeak(codec)) > COPY_CEILING_DBTP) return codec
  return undefined
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
