/** The long-lived engine process: it holds a song and answers calls until it is idle for too long, is ended or dies. */
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type {
  AuditionAnswer,
  AuditionCall,
  AuditionTask,
  AuditionTasks,
  WorkerMessage,
} from '../../src-worker/mastering/work-order.ts'
import { AppError } from '../http/app-error.ts'
import { engineFailure } from '../jobs/engine-failure.ts'
import type { EngineProcess, ForkEngine } from '../jobs/worker-pool.ts'

export interface AuditionProcessDeps {
  readonly fork: ForkEngine
  readonly clock: Pick<Clock, 'after'>
  readonly log: Log
  /** Time without a call after which the process ends and frees its memory. */
  readonly idleMs: number
  /** Called when it has ended by that. */
  readonly onIdle?: () => void
}

interface Pending {
  readonly resolve: (result: AuditionTasks[AuditionTask]['result']) => void
  readonly reject: (error: unknown) => void
}

/** One living process and the calls that it has not answered. */
interface Living {
  readonly engine: EngineProcess
  readonly pending: Map<number, Pending>
}

export class AuditionProcess {
  readonly #deps: AuditionProcessDeps
  #living: Living | undefined
  #starts = 0
  #lastCall = 0
  #cancelIdle: (() => void) | undefined

  constructor(deps: AuditionProcessDeps) {
    this.#deps = deps
  }

  /** Number of the process that answers the next call. */
  get generation(): number {
    return this.#living ? this.#starts : this.#starts + 1
  }

  /**
   * Sends a request to the process, starting it if necessary. Rejects with the client's error for the failure, AUDITION_ENDED when the
   * process ends before its answer, or the reason of an aborted `signal`.
   */
  async ask<Task extends AuditionTask>(
    task: Task,
    order: AuditionTasks[Task]['order'],
    signal: AbortSignal,
  ): Promise<AuditionTasks[Task]['result']> {
    signal.throwIfAborted()
    const living = this.#living ?? this.#start()
    const call = ++this.#lastCall
    this.#cancelIdle?.()
    const onAbort = () => living.engine.send({ type: 'stop', call })
    signal.addEventListener('abort', onAbort)
    try {
      return await new Promise<AuditionTasks[Task]['result']>((resolve, reject) => {
        // The result type matches the task: the process answers a call under its number.
        living.pending.set(call, { resolve: resolve as Pending['resolve'], reject })
        living.engine.send({ type: 'audition', call, task, order } as AuditionCall)
      })
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      living.pending.delete(call)
      this.#waitForIdle(living)
    }
  }

  /** Ends the process at once; its calls are rejected with AUDITION_ENDED. */
  end(): void {
    this.#cancelIdle?.()
    this.#living?.engine.kill()
    // The next call does not wait for the end of this one.
    this.#living = undefined
  }

  #start(): Living {
    const pending = new Map<number, Pending>()
    const ended = (detail: string) => {
      if (this.#living === living) this.#living = undefined
      if (pending.size > 0) this.#deps.log.warn('the process of auditions ended', { detail })
      for (const { reject } of pending.values()) reject(new AppError('AUDITION_ENDED', {}, { cause: detail }))
    }
    const onMessage = (message: WorkerMessage) => {
      if (message.type === 'audition') settle(pending.get(message.call), message)
    }
    const engine = this.#deps.fork({ onMessage, onExit: ended }, { isListenedTo: true })
    const living = { engine, pending }
    this.#living = living
    this.#starts++
    return living
  }

  #waitForIdle(living: Living): void {
    if (living.pending.size > 0 || this.#living !== living) return
    this.#cancelIdle?.()
    this.#cancelIdle = this.#deps.clock.after(this.#deps.idleMs, () => {
      // A dead process may already have a successor.
      if (this.#living !== living || living.pending.size > 0) return
      this.end()
      this.#deps.onIdle?.()
    })
  }
}

function settle(pending: Pending | undefined, { answer }: AuditionAnswer): void {
  if ('failure' in answer) pending?.reject(engineFailure(answer.failure))
  else pending?.resolve(answer.result)
}
