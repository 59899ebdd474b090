import type { Log } from '../../src-system/log.ts'
import type { RenderedAlone, RenderOrder } from '../../src-worker/mastering/work-order.ts'
import { AppError } from '../http/app-error.ts'
import { engineFailure } from './engine-failure.ts'
import type { WorkerPool } from './worker-pool.ts'

/**
 * Renders one master as a job does, in a separate engine process. Rejects with the client's error for a failure, or the reason of `signal`.
 */
export type RenderAlone = (order: Omit<RenderOrder, 'threads'>, signal: AbortSignal) => Promise<RenderedAlone>

/** Creates the rendering of masters outside jobs. It is free of charge and ends when the server stops. */
export function createRenderAlone(deps: {
  readonly pool: Pick<WorkerPool, 'run'>
  readonly log: Log
  /** Render threads of one engine process. */
  readonly threads: () => number
  readonly timeLimitMs: number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}): RenderAlone {
  return async (order, signal) => {
    const end = await deps.pool.run({
      command: { type: 'render', order: { ...order, threads: deps.threads() } },
      timeLimitMs: deps.timeLimitMs,
      signal: AbortSignal.any([signal, deps.stopping]),
    })
    signal.throwIfAborted()
    if (end.kind !== 'answered') throw new AppError('UNAVAILABLE', {}, { cause: end })
    const { message } = end
    if (message.type === 'rendered') return message.master
    if (message.type !== 'failed') throw new AppError('INTERNAL_ERROR', {}, { cause: message.type })
    deps.log.warn('a master could not be rendered', {
      failureCode: message.failureCode,
      detail: message.message,
      stack: message.stack,
    })
    throw engineFailure(message)
  }
}
