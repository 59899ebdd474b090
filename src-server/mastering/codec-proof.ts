/** Codec-proofing of premium masters: the copies that services stream must stay below full scale too. */
import { createTruePeakVerifier } from '../engine/meters/true-peak.ts'
import { decodeThroughCodec, type LossyCodec } from '../media/encode.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import type { RenderedMaster } from './render-master.ts'
import type { CodecCheck } from './report-facts.ts'

/** Where copies are made. */
export interface ProofPlace {
  readonly ffmpeg: Ffmpeg
  readonly folder: string
  readonly signal?: AbortSignal | undefined
}

/** How a master is proofed. */
export interface ProofWork<Master> {
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
/** What a copy of the lowered master may lie above the estimate: it is another signal to the encoder. Makes a second lowering rare. */
const LOWERING_DOUBT_DB = 0.1
/** Each costs a render and the copies of the new master. */
const MAX_LOWERINGS = 2

/**
 * Reads the true peak of a master's copy by every codec; as soon as one exceeds full scale the master is made again with its peak
 * lowered by the excess, by 1.5 dB in all and two times at most, and the codec that failed is the first to see the new one. Returns
 * the last master and what its copies measure, in the order of `codecs`: the strictest should be first, since copies of a master
 * that is not delivered serve nobody. Throws as `work` does.
 */
export async function proofMaster<Master>(
  first: Master,
  codecs: readonly LossyCodec[],
  { again, copyPeakDbtp }: ProofWork<Master>,
): Promise<{ master: Master; codecChecks: CodecCheck[] }> {
  let master = first
  let loweredDb = 0
  let order = codecs
  let peaksDbtp = new Map<LossyCodec, number>()
  let mayLower = true
  for (let lowerings = 0; ; lowerings++) {
    if (lowerings === MAX_LOWERINGS || loweredDb >= MOST_LOWERED_DB) mayLower = false
    let failed: LossyCodec | undefined
    for (const codec of order) {
      const peakDbtp = peaksDbtp.get(codec) ?? (await copyPeakDbtp(master, codec))
      peaksDbtp.set(codec, peakDbtp)
      if (!mayLower || peakDbtp <= COPY_CEILING_DBTP) continue
      failed = codec
      break
    }
    if (!failed) {
      const codecChecks = codecs.map((codec) => ({
        codec: codec.name,
        true_peak_dbtp: peaksDbtp.get(codec)!,
        ceiling_lowered_db: loweredDb,
      }))
      return { master, codecChecks }
    }
    const excessDb = peaksDbtp.get(failed)! - COPY_CEILING_DBTP + LOWERING_DOUBT_DB
    const nextDb = Math.min(MOST_LOWERED_DB, loweredDb + LOWERING_STEP_DB * Math.ceil(excessDb / LOWERING_STEP_DB))
    const lowered = await again(nextDb)
    if (lowered === null) {
      mayLower = false
      continue
    }
    master = lowered
    loweredDb = nextDb
    order = [failed, ...codecs.filter((codec) => codec !== failed)]
    peaksDbtp = new Map()
  }
}

/**
 * Encodes a whole master, decodes the copy and returns its true peak, dBTP. Whole songs, because on short excerpts encoders err more
 * than they do in the song (by up to 1 dB at 128 kbit/s). Throws as ffmpeg does.
 */
export async function readCopyPeakDbtp(
  master: Pick<RenderedMaster, 'path'>,
  codec: LossyCodec,
  { ffmpeg, folder, signal }: ProofPlace,
): Promise<number> {
  const meter = createTruePeakVerifier()
  let left = new Float32Array(0)
  let right = new Float32Array(0)
  const receive = (samples: Float32Array) => {
    const frames = samples.length / 2
    if (frames > left.length) {
      left = new Float32Array(frames)
      right = new Float32Array(frames)
    }
    for (let i = 0; i < frames; i++) {
      left[i] = samples[2 * i]!
      right[i] = samples[2 * i + 1]!
    }
    meter.push({ channels: [left, right], frames })
  }
  await decodeThroughCodec(ffmpeg, codec, { path: master.path, folder }, receive, signal)
  return meter.read().truePeakDbtp
}
