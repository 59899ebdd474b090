import { Worker } from 'node:worker_threads'
import { CeilingBrokenError, type RenderedMaster, type RenderStep, type RenderTask } from './render-master.ts'
import type { RenderReply } from './render-thread.ts'

/** Renders masters side by side on threads. */
export interface RenderPool {
  /** Renders all tasks and returns them in the same order. Rejects with the first failure; the rest is then dropped. */
  render(tasks: readonly RenderTask[], onStep: (task: number, step: RenderStep) => void): Promise<RenderedMaster[]>
  /** Ends all threads at once, whatever they do. */
  close(): Promise<void>
}

/** Runs as source in development and as bundled JavaScript beside the worker in a build. */
const entry = new URL(import.meta.url.endsWith('.ts') ? './render-thread.ts' : './render-thread.js', import.meta.url)

/** Returns a pool of at most `threads` threads, each started when it is first needed. The results do not depend on their number. */
export function createRenderPool(threads: number): RenderPool {
  const workers: Worker[] = []

  const run = (worker: Worker, task: RenderTask, onStep: (step: RenderStep) => void): Promise<RenderedMaster> =>
    new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        worker.off('message', receive)
        worker.off('error', fail)
        worker.off('exit', end)
        finish()
      }
      const receive = (reply: RenderReply) => {
        if (reply.type === 'step') onStep(reply.step)
        else if (reply.type === 'rendered') settle(() => resolve(reply.master))
        else settle(() => reject(rebuild(reply)))
      }
      const fail = (error: Error) => settle(() => reject(error))
      const end = () => settle(() => reject(new Error('a render thread ended before its reply')))
      worker.on('message', receive)
      worker.on('error', fail)
      worker.on('exit', end)
      worker.postMessage(task)
    })

  return {
    async render(tasks, onStep) {
      const results: RenderedMaster[] = new Array(tasks.length)
      let next = 0
      const count = Math.min(threads, tasks.length)
      while (workers.length < count) workers.push(new Worker(entry))
      const serve = async (worker: Worker) => {
        while (next < tasks.length) {
          const index = next++
          results[index] = await run(worker, tasks[index]!, (step) => onStep(index, step))
        }
      }
      try {
        await Promise.all(workers.slice(0, count).map(serve))
      } catch (error) {
        next = tasks.length
        throw error
      }
      return results
    },
    async close() {
      await Promise.all(workers.splice(0).map((worker) => worker.terminate()))
    },
  }
}

function rebuild(reply: Extract<RenderReply, { type: 'failed' }>): Error {
  if (reply.isCeilingBroken) {
    const broken = new CeilingBrokenError(Number.NaN)
    broken.message = reply.message
    return broken
  }
  const error: NodeJS.ErrnoException = new Error(reply.message)
  if (reply.code) error.code = reply.code
  if (reply.stack) error.stack = reply.stack
  return error
}
