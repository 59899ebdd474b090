/** The Tasks extension of the protocol of 2026-07-28: a job that has not ended is a task of the same identifier. */
import { CLIENT_CAPABILITIES_META_KEY, type ClientCapabilities, type ServerContext } from '@modelcontextprotocol/server'
import Type from 'typebox'
import type { Job } from '../../src-contract/jobs.ts'

const EXTENSION = 'io.modelcontextprotocol/tasks'

/** Capability of a server whose calls may be answered with a task. */
export const TASK_CAPABILITY = { extensions: { [EXTENSION]: {} } }

/** Methods of the extension whose names the core protocol of 2025 has too. */
export const TASK_METHODS = ['tasks/get', 'tasks/cancel'] as const

export const TaskId = Type.Object({ taskId: Type.String() })

/** Time between two looks at a task, ms: several tasks at once stay within a plan's requests per minute. */
const POLL_MS = 5000

/** Returns whether the sender of a request follows tasks. */
export function followsTasks({ envelope }: ServerContext['mcpReq']): boolean {
  const sent = envelope as { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } | undefined
  return sent?.[CLIENT_CAPABILITIES_META_KEY]?.extensions?.[EXTENSION] !== undefined
}

/** Returns a job as a task. Its record has no end: nothing removes it but its owner. */
export function taskOf({ job_id, status, stage, progress, failure_code, ...times }: Job) {
  const { created_at, started_at = created_at, completed_at = started_at } = times
  const states = { queued: 'working', done: 'completed', failed: 'completed' } as const
  return {
    taskId: job_id,
    // A master that failed is an answer as without tasks: the job with its reason.
    status: failure_code === 'CANCELLED' ? ('cancelled' as const) : states[status],
    ...(status === 'queued' ? { statusMessage: `${stage} ${progress} %` } : {}),
    ...{ createdAt: created_at, lastUpdatedAt: completed_at, ttlMs: null, pollIntervalMs: POLL_MS },
  }
}

/** Returns the state of a job as a task: with the result of its call if that is complete. */
export function taskState(job: Job, result: object) {
  const task = taskOf(job)
  return task.status === 'completed' ? { ...task, result: { resultType: 'complete', ...result } } : task
}
