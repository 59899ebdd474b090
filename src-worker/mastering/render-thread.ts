/** Entry of a render thread: takes one render after the other, over shared memory, with the kernels that its parent has compiled. */
import { parentPort, workerData } from 'node:worker_threads'
import { adoptKernels } from '../../src-engine/dsp/kernels/kernels.ts'
import {
  CeilingBrokenError,
  type RenderedMaster,
  type RenderStep,
  type RenderTask,
  renderMaster,
} from './render-master.ts'

/** Message of a render thread to its pool. */
export type RenderReply =
  | { readonly type: 'step'; readonly step: RenderStep }
  | { readonly type: 'rendered'; readonly master: RenderedMaster }
  | {
      readonly type: 'failed'
      readonly isCeilingBroken: boolean
      readonly code?: string
      readonly message: string
      readonly stack?: string
    }

adoptKernels(workerData as WebAssembly.Module)
parentPort?.on('message', (task: RenderTask) => {
  const reply = (message: RenderReply) => parentPort?.postMessage(message)
  try {
    reply({ type: 'rendered', master: renderMaster(task, (step) => reply({ type: 'step', step })) })
  } catch (error) {
    reply(describe(error))
  }
})

function describe(error: unknown): RenderReply {
  if (!(error instanceof Error)) return { type: 'failed', isCeilingBroken: false, message: String(error) }
  const { code } = error as NodeJS.ErrnoException
  return {
    type: 'failed',
    isCeilingBroken: error instanceof CeilingBrokenError,
    message: error.message,
    ...(code ? { code } : {}),
    ...(error.stack ? { stack: error.stack } : {}),
  }
}
