/** Memory that an engine process takes with its ffmpeg, and whether another one fits. Pure. */
import type { Stage } from '../../src-contract/jobs.ts'
import { engineRateHz } from '../../src-worker/media/decode.ts'
import type { JobRecord } from './store.ts'

/** Process, threads and ffmpeg before any sound, bytes: 120 MB measured (docs/engine/measured.md), and a third more. */
const PROCESS_BYTES = 160_000_000
/** Each frame of the song, bytes: 14 measured over lengths of one to ten minutes, and two thirds more for what clipped songs and proofs add. */
const FRAME_BYTES = 24

/** Estimate of the most memory that a job takes, bytes, by length and rate of its songs. */
export function jobMemoryBytes({
  song,
  reference,
  request,
}: Pick<JobRecord, 'song' | 'reference'> & { readonly request?: Pick<JobRecord['request'], 'joined'> }): number {
  const { before = [], after = [] } = request?.joined ?? {}
  const frames = [song, reference, ...before, ...after].reduce(
    (sum, one) => sum + (one ? one.facts.durationSeconds * engineRateHz(one.facts.sampleRateHz) : 0),
    0,
  )
  return Math.ceil(PROCESS_BYTES + frames * FRAME_BYTES)
}

/** A job that runs, as far as its memory goes. */
export interface MemoryUse {
  readonly stage: Stage
  readonly memoryBytes: number
}

/**
 * Returns whether a job of an estimate may start beside those that run. One that is still decoding has not taken its memory yet, so that
 * is kept for it; the free memory already lacks that of the others. The only job always may: it could never start otherwise.
 */
export function fitsMemory(memoryBytes: number, freeBytes: number, running: readonly MemoryUse[]): boolean {
  const promised = running.filter(({ stage }) => stage === 'decoding').reduce((sum, one) => sum + one.memoryBytes, 0)
  return running.length === 0 || promised + memoryBytes <= freeBytes
}
