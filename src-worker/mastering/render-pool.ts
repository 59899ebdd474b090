import { Worker } from 'node:worker_threads'
import { compiledKernels } from '../../src-engine/dsp/kernels/kernels.ts'
import { CeilingBrokenError, type RenderedMaster, type RenderStep, type RenderTask } from './render-master.ts'
import type { RenderReply } from './render-thread.ts'

/** Renders masters side by side on threads. */
export interface RenderPool {
  /** Renders one master as soon as a thread is free. Rejects with what the render throws, or when the pool is closed meanwhile. */
  render(task: RenderTask, onStep?: (step: RenderStep) => void): Promise<RenderedMaster>
  /** Ends all threads at once, whatever they do; later renders are refused. */
  close(): Promise<void>
}

/** Runs as source in development and as bundled JavaScript beside the worker in a build. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './render-thread.ts' : './render-thread.js', import.meta.url)

interface Waiting {
  readonly task: RenderTask
  readonly onStep: (step: RenderStep) => void
  readonly resolve: (master: RenderedMaster) => void
  readonly reject: (error: Error) => void
}

/**
 * Returns a pool of at most `threads` threads, each started when it is needed and ended when nothing waits for it: while copies are
 * proofed, threads that stand by would cost 40 MB each. The results do not depend on their number.
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
      settle(({ resolve, reject }) => (reply.type === 'rendered' ? resolve(reply.master) : reject(rebuild(reply))))
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

  return {
    render: (task, onStep = () => {}) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('the render pool is closed'))
        const waiting = { task, onStep, resolve, reject }
        if (busy.size < threads) give(start(), waiting)
        else queue.push(waiting)
      }),
    async close() {
      isClosed = true
      for (const { reject } of queue.splice(0)) reject(new Error('the render pool was closed'))
      await Promise.all([...busy.keys()].map((worker) => worker.terminate()))
    },
  }
}

function rebuild(reply: Extract<RenderReply, { type: 'failed' }>): Error {
  const Kind = reply.isCeilingBroken ? CeilingBrokenError : Error
  const error: NodeJS.ErrnoException = new Kind(reply.message)
  if (reply.code) error.code = reply.code
  if (reply.stack) error.stack = reply.stack
  return error
}
