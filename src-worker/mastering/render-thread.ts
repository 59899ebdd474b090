/** Entry of a render thread: runs one render after another, over shared memory, with the kernels compiled by its parent. */
import { parentPort, workerData } from 'node:worker_threads'
import { adoptKernels } from '../../src-engine/dsp/kernels/kernels.ts'
import { type FinalisePlan, type FinaliseTarget, planFinalise } from '../../src-engine/finalise/finalise.ts'
import type { FinaliseSource } from '../../src-engine/finalise/material.ts'
import {
  CeilingBrokenError,
  type FloatTask,
  type RenderedMaster,
  type RenderStep,
  type RenderTask,
  renderMaster,
  writeFloatMaster,
} from './render-master.ts'

/** A master to plan without rendering it: plain values and shared memory. */
export interface PlanTask {
  readonly source: FinaliseSource
  readonly plans: FinaliseTarget
}

/** Tasks of a render thread and their results; a float master has no result but its file. */
export type ThreadTask = RenderTask | PlanTask | FloatTask
export type TaskResult = RenderedMaster | FinalisePlan | undefined

/** Message of a render thread to its pool. */
export type RenderReply =
  | { readonly type: 'step'; readonly step: RenderStep }
  | { readonly type: 'done'; readonly result: TaskResult }
  | {
      readonly type: 'failed'
      readonly isCeilingBroken: boolean
      readonly code?: string
      readonly message: string
      readonly stack?: string
    }

adoptKernels(workerData as WebAssembly.Module)
parentPort?.on('message', (task: ThreadTask) => {
  const reply = (message: RenderReply) => parentPort?.postMessage(message)
  try {
    reply({ type: 'done', result: workOn(task, (step) => reply({ type: 'step', step })) })
  } catch (error) {
    reply(describe(error))
  }
})

function workOn(task: ThreadTask, onStep: (step: RenderStep) => void): TaskResult {
  if ('plans' in task) return planFinalise(task.source, task.plans)
  if (!('floatPath' in task)) return renderMaster(task, onStep)
  writeFloatMaster(task)
  return undefined
}

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
