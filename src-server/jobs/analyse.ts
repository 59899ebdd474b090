import type { JobSettings } from '../../src-contract/settings.ts'
import type { Log } from '../../src-system/log.ts'
import type { AnalysisDone, AnalysisOrder, WorkFailed, WorkProgress } from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import { type FfmpegLack, FfmpegMissingError } from '../../src-worker/media/locate.ts'
import { AppError } from '../http/app-error.ts'
import { engineFailure } from './engine-failure.ts'
import type { WorkerPool } from './worker-pool.ts'

/** Findings of a free analysis, the warnings without their texts. */
export type AnalysisFacts = AnalysisDone['analysis']

/**
 * Analyses a stored song in an engine process, which reports its progress; throws UNSUPPORTED_FORMAT, UNAVAILABLE, or the reason of
 * an aborted signal.
 */
export type Analyse = (
  song: AnalysisOrder['song'],
  settings: JobSettings,
  options: {
    readonly signal: AbortSignal
    readonly onProgress?: (progress: WorkProgress) => void
    /** Reference of a planned job; the warnings are then the job's. */
    readonly reference?: AnalysisOrder['reference']
    readonly price?: AnalysisOrder['price']
  },
) => Promise<AnalysisFacts>

/** Time limit of one analysis, ms. */
const TIME_LIMIT_MS = 180_000

/** Creates the free analysis. It takes no job slot, writes nothing, and ends when the server stops. */
export function createAnalyse(deps: {
  pool: WorkerPool
  log: Log
  ffmpeg: () => Promise<Ffmpeg>
  /** Aborted when the server stops. */
  stopping: AbortSignal
}): Analyse {
  const unavailable = (cause: unknown, reason: { readonly reason?: FfmpegLack | 'ffmpeg_broken' } = {}) =>
    new AppError('UNAVAILABLE', reason, { cause })
  const failureOf = (failed: WorkFailed) => {
    const { failureCode, message, stack } = failed
    deps.log.warn('an analysis failed', { failureCode, detail: message, stack })
    return engineFailure(failed)
  }
  return async (song, settings, { signal, onProgress = () => {}, reference, price }) => {
    const ffmpeg = await deps.ffmpeg().catch((cause: unknown) => {
      throw cause instanceof FfmpegMissingError ? unavailable(cause, { reason: cause.lack }) : cause
    })
    const end = await deps.pool.run({
      command: {
        type: 'analyse',
        order: {
          song: {
            ...{ path: song.path, sha256: song.sha256, facts: song.facts },
            ...(song.filename === undefined ? {} : { filename: song.filename }),
          },
          settings,
          ffmpeg,
          ...(reference ? { reference } : {}),
          ...(price ? { price } : {}),
        },
      },
      timeLimitMs: TIME_LIMIT_MS,
      signal: AbortSignal.any([signal, deps.stopping]),
      onProgress,
    })
    signal.throwIfAborted()
    if (end.kind !== 'answered') throw unavailable(end)
    if (end.message.type === 'failed') throw failureOf(end.message)
    if (end.message.type !== 'analysed') throw new AppError('INTERNAL_ERROR', {}, { cause: end.message.type })
    return end.message.analysis
  }
}
