/** Port to the machines that master songs: engine processes of this one, or further machines that take attempts from a queue. */
import type { WorkOrder } from '../../src-worker/mastering/work-order.ts'
import type { EngineEnd, EngineWork, WorkerPool } from './worker-pool.ts'

/** One attempt at a job. */
export interface Attempt {
  /** Identifier that no other attempt has: the job's, a hyphen and the number of the attempt. */
  readonly id: string
  /** Order with the paths of this machine. */
  readonly order: WorkOrder
  /** Only counts time while the machine is awake. */
  readonly timeLimitMs: number
  /** Estimated peak memory. */
  readonly memoryBytes: number
}

/**
 * Cause of a lost attempt: the machine is gone or was stopped, it lacked disk or ffmpeg, or files of the attempt could not be transferred.
 */
export type Loss = 'gone' | 'stopped' | 'disk_full' | 'ffmpeg' | 'files'

/** End of an attempt; there is exactly one. After an answer `done` the files of the result are in the attempt's folder. */
export type AttemptEnd =
  | EngineEnd
  /** The machine is gone or could not work, which says nothing about the song. */
  | { readonly kind: 'lost'; readonly reason: Loss; readonly detail?: string }
  /** It continues without this process, which is ending. */
  | { readonly kind: 'left' }

/** Observer of an attempt. Aborting the signal withdraws the attempt. */
export type AttemptWatch = Pick<EngineWork, 'signal' | 'onProgress'>

/** Queue of attempts as seen by the owner of the jobs. Only the owner decides about order and further attempts. */
export interface Queue {
  /** True if attempts continue after the owner's end: at its start it offers running ones again, under the same identifiers. */
  readonly outlivesOwner: boolean
  /** Number of attempts that may currently be offered. */
  slots(): number
  /** Memory for further attempts at this moment, bytes. */
  freeMemoryBytes(): number
  /** Offers an attempt, or resumes one that was offered before. Resolves with its end; never rejects. */
  offer(attempt: Attempt, watch: AttemptWatch): Promise<AttemptEnd>
  /** Stops the attempts, or detaches from them if they outlive the owner; offered attempts then end at once. */
  close(): Promise<void>
}

/** Returns the queue of this machine only: each attempt immediately becomes an engine process on the local files. */
export function createLocalQueue({
  pool,
  workers,
}: {
  readonly pool: Pick<WorkerPool, 'run'>
  /** Current limit of concurrent engine processes. */
  readonly workers: () => number
}): Queue {
  const closing = new AbortController()
  return {
    outlivesOwner: false,
    slots: workers,
    freeMemoryBytes: () => process.availableMemory(),
    offer: ({ order, timeLimitMs }, { signal, ...watch }) =>
      pool.run({
        command: { type: 'work', order },
        timeLimitMs,
        signal: AbortSignal.any([signal, closing.signal]),
        ...watch,
      }),
    async close() {
      closing.abort(new Error('the server stops'))
    },
  }
}
