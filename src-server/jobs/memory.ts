/** Memory use of an engine process with its ffmpeg, and whether another one fits. Pure. */
import type { Stage } from '../../src-contract/jobs.ts'
import { engineRateHz } from '../../src-worker/media/decode.ts'
import type { JobRecord } from './store.ts'

/** Process, threads and ffmpeg before any sound, bytes: 120 MB measured (docs/engine/measured.md), and a third more. */
const PROCESS_BYTES = 160_000_000
/**
 * Memory per frame of the song, bytes: 14 measured over lengths of one to ten minutes, and two thirds more for clipped songs and proofs.
 */
const FRAME_BYTES = 24

/** Estimated peak memory of a job, bytes, by length and rate of its songs. */
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

/** Memory use of a running job. */
export interface MemoryUse {
  readonly stage: Stage
  readonly memoryBytes: number
}

/**
 * Returns whether a job with this estimate may start while others run. Jobs that are still decoding have not taken their memory yet, so it
 * is reserved for them; the free memory already excludes the others'. A job without others may always start: otherwise it never could.
 */
export function fitsMemory(memoryBytes: number, freeBytes: number, running: readonly MemoryUse[]): boolean {
  const promised = running.filter(({ stage }) => stage === 'decoding').reduce((sum, one) => sum + one.memoryBytes, 0)
  return running.length === 0 || promised + memoryBytes <= freeBytes
}
