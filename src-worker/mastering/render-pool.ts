import { Worker } from 'node:worker_threads'
import { compiledKernels } from '../../src-engine/dsp/kernels/kernels.ts'
import type { FinalisePlan } from '../../src-engine/finalise/finalise.ts'
import {
  CeilingBrokenError,
  type FloatTask,
  type RenderedMaster,
  type RenderStep,
  type RenderTask,
} from './render-master.ts'
import type { PlanTask, RenderReply, TaskResult, ThreadTask } from './render-thread.ts'

/** Renders masters side by side on threads. */
export interface RenderPool {
  /** Renders one master as soon as a thread is free. Rejects with the render's error, or when the pool is closed. */
  render(task: RenderTask, onStep?: (step: RenderStep) => void): Promise<RenderedMaster>
  /** Plans a master without making it. Rejects as {@link render} does. */
  plan(task: PlanTask): Promise<FinalisePlan>
  /** Writes a master before dither. Rejects as {@link render} does. */
  writeFloat(task: FloatTask): Promise<void>
  /** Terminates all threads at once, even busy ones; later renders are refused. */
  close(): Promise<void>
}

/** Runs as source in development and as bundled JavaScript beside the worker in a build. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './render-thread.ts' : './render-thread.js', import.meta.url)

interface Waiting {
  readonly task: ThreadTask
  readonly onStep: (step: RenderStep) => void
  readonly resolve: (result: TaskResult) => void
  readonly reject: (error: Error) => void
}

/**
 * Returns a pool of at most `threads` threads, each started on demand and ended when the queue is empty: an idle thread would cost 40 MB
 * while copies are proofed. The results do not depend on the number of threads.
 */
export function createRenderPool(threads: number): RenderPool {
  const queue: Waiting[] = []
  const busy = new Map<Worker, Waiting>()
  let isClosed = false

  const start = (): Worker => {
    const worker = new Worker(entry, { workerData: compiledKernels() })
    const settle = (finish: (waiting: Waiting) => void) => {
      const waiting = busy.get(worker)
      busy.delete(worker)
      if (waiting) finish(waiting)
    }
    const fail = (error: Error) => settle(({ reject }) => reject(error))
    worker.on('message', (reply: RenderReply) => {
      if (reply.type === 'step') return busy.get(worker)?.onStep(reply.step)
      settle(({ resolve, reject }) => (reply.type === 'failed' ? reject(rebuild(reply)) : resolve(reply.result)))
      const next = queue.shift()
      if (next) give(worker, next)
      else void worker.terminate()
    })
    worker.on('error', fail)
    worker.on('exit', () => fail(new Error('a render thread ended before its reply')))
    return worker
  }

  const give = (worker: Worker, waiting: Waiting) => {
    busy.set(worker, waiting)
    worker.postMessage(waiting.task)
  }

  const enqueue = <Result>(task: Waiting['task'], onStep: Waiting['onStep']) =>
    new Promise<Result>((resolve, reject) => {
      if (isClosed) return reject(new Error('the render pool is closed'))
      // The result type follows from the task type.
      const waiting = { task, onStep, resolve: resolve as Waiting['resolve'], reject }
      if (busy.size < threads) give(start(), waiting)
      else queue.push(waiting)
    })

  return {
    render: (task, onStep = () => {}) => enqueue<RenderedMaster>(task, onStep),
    plan: (task) => enqueue<FinalisePlan>(task, () => {}),
    writeFloat: (task) => enqueue<undefined>(task, () => {}),
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(new Error('the render pool was closed'))
      await Promise.all([...busy.keys()].map((worker) => worker.terminate()))
    },
  }
}

/**
 * Runs `work` with a pool of at most `threads` threads and a signal that is aborted when `work` ends or `cancelled` is aborted; leaves
 * nothing running. Rejects with the reason of an aborted `cancelled`, or with the error of `work`.
 */
export async function withRenderPool<Result>(
  threads: number,
  cancelled: AbortSignal,
  work: (pool: RenderPool, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const pool = createRenderPool(threads)
  const end = new AbortController()
  const signal = AbortSignal.any([cancelled, end.signal])
  signal.addEventListener('abort', () => void pool.close())
  try {
    return await work(pool, signal)
  } catch (error) {
    // Errors of ended threads are meaningless; the abort is the reason.
    cancelled.throwIfAborted()
    throw error
  } finally {
    // If one of two copies failed, the other is still being made: its ffmpeg would outlive this process.
    end.abort()
    await pool.close()
  }
}

function rebuild(reply: Extract<RenderReply, { type: 'failed' }>): Error {
  const Kind = reply.isCeilingBroken ? CeilingBrokenError : Error
  const error: NodeJS.ErrnoException = new Kind(reply.message)
  if (reply.code) error.code = reply.code
  if (reply.stack) error.stack = reply.stack
  return error
}
