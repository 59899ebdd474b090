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

const MOST_LOWERED_DB = 1.5
/** A copy is proofed when its true peak is at most this. */
const COPY_CEILING_DBTP = 0
/**
 * The peak comes down in whole steps of this size, the excess rounded up: encoders differ in their last bits from machine to
 * machine, the masters must not. What rounding adds makes a second try rare.
 */
const LOWERING_STEP_DB = 0.1
/** Each try costs a render and an encode per codec. */
const MAX_TRIES = 3

/**
 * Encodes a whole master with each codec, decodes the copies and reads their true peak; while one exceeds full scale the master is
 * made again with its peak lowered by the excess, by 1.5 dB in all at most. Returns the last master and what its copies measure.
 * Whole songs, because on short excerpts encoders err more than they do in the song (by up to 1 dB at 128 kbit/s). Throws as
 * ffmpeg and `again` do.
 */
export async function proofMaster(
  first: RenderedMaster,
  codecs: readonly LossyCodec[],
  again: (loweredDb: number) => Promise<RenderedMaster>,
  place: ProofPlace,
): Promise<{ master: RenderedMaster; codecChecks: CodecCheck[] }> {
  let master = first
  let loweredDb = 0
  for (let tries = 1; ; tries++) {
    const codecChecks: CodecCheck[] = []
    for (const codec of codecs) {
      const peakDbtp = await copyPeakDbtp(master, codec, place)
      codecChecks.push({ codec: codec.name, true_peak_dbtp: peakDbtp, ceiling_lowered_db: loweredDb })
    }
    const excessDb = Math.max(...codecChecks.map((check) => check.true_peak_dbtp)) - COPY_CEILING_DBTP
    if (!(excessDb > 0) || loweredDb >= MOST_LOWERED_DB || tries === MAX_TRIES) return { master, codecChecks }
    loweredDb = Math.min(MOST_LOWERED_DB, loweredDb + LOWERING_STEP_DB * Math.ceil(excessDb / LOWERING_STEP_DB + 0.5))
    master = await again(loweredDb)
  }
}

async function copyPeakDbtp(
  master: RenderedMaster,
  codec: LossyCodec,
  { ffmpeg, folder, signal }: ProofPlace,
): Promise<number> {
  const meter = createTruePeakVerifier()
  const receive = (samples: Float32Array) => {
    const frames = samples.length / 2
    const left = new Float32Array(frames)
    const right = new Float32Array(frames)
    for (let i = 0; i < frames; i++) {
      left[i] = samples[2 * i]!
      right[i] = samples[2 * i + 1]!
    }
    meter.push({ channels: [left, right], frames })
  }
  await decodeThroughCodec(ffmpeg, codec, { path: master.path, folder }, receive, signal)
  return meter.read().truePeakDbtp
}
