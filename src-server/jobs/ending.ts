/** Outcome of an attempt: the job's next step after its engine process has ended, or after an error. Pure. */
import { isDiskFull } from '../../src-system/disk.ts'
import { isExhausted } from '../../src-system/process-group.ts'
import { FfmpegError } from '../../src-worker/media/ffmpeg.ts'
import { FfmpegMissingError } from '../../src-worker/media/locate.ts'
import { AppError } from '../http/app-error.ts'
import type { AttemptEnd } from './queue.ts'
import type { Ending } from './settle.ts'
import type { EngineEnd } from './worker-pool.ts'

/** Outcome of an attempt, with the log line that explains a failure; the level defaults to error. */
export interface AttemptOutcome {
  readonly ending: Ending
  readonly problem?: {
    readonly level?: 'warn'
    readonly message: string
    readonly fields: Readonly<Record<string, unknown>>
  }
}

/** Returns the outcome of an ended attempt. */
export function outcomeOf(end: Exclude<AttemptEnd, { kind: 'left' }>): AttemptOutcome {
  switch (end.kind) {
    case 'stopped':
      return { ending: { kind: 'release' } }
    case 'lost': {
      const problem = {
        level: 'warn' as const,
        message: 'an attempt was lost',
        fields: { reason: end.reason, detail: end.detail },
      }
      return { ending: { kind: 'lose', values: { reason: end.reason } }, problem }
    }
    case 'timed_out':
      return { ending: { kind: 'fail', failureCode: 'ENGINE_TIMEOUT' } }
    case 'crashed': {
      const problem = { message: 'an engine process died', fields: { detail: end.detail } }
      // The system could start no process, so the job has not been tried.
      if (end.fault === 'not_started') return { ending: { kind: 'release' }, problem }
      return { ending: { kind: 'crash', isOutOfMemory: end.fault === 'out_of_memory' }, problem }
    }
    case 'answered':
      return outcomeOfAnswer(end.message)
  }
}

function outcomeOfAnswer(message: Extract<EngineEnd, { kind: 'answered' }>['message']): AttemptOutcome {
  if (message.type === 'done') return { ending: { kind: 'succeed', result: message.result } }
  if (message.type !== 'failed') return { ending: { kind: 'fail', failureCode: 'ENGINE_FAILED' } }
  const { failureCode, message: detail, stack, params: values } = message
  // The system may kill the engine process or one of its ffmpegs: both are crashes.
  if (failureCode === 'ENGINE_CRASHED' || failureCode === 'OUT_OF_MEMORY') {
    const problem = { message: 'an engine process died', fields: { detail } }
    return { ending: { kind: 'crash', isOutOfMemory: failureCode === 'OUT_OF_MEMORY' }, problem }
  }
  const problem = { message: 'a job failed', fields: { code: failureCode, detail, stack } }
  return { ending: { kind: 'fail', failureCode, values }, problem }
}

/** Returns the ending of a job whose attempt threw `cause`. */
export function endingOfError(cause: unknown): Ending {
  if (cause instanceof FfmpegMissingError) return { kind: 'fail', failureCode: 'FFMPEG_MISSING' }
  if (isExhausted(cause) || (cause instanceof FfmpegError && cause.fault === 'not_started')) return { kind: 'release' }
  const isFull = isDiskFull(cause) || (cause instanceof AppError && cause.code === 'INSUFFICIENT_STORAGE')
  return { kind: 'fail', failureCode: isFull ? 'DISK_FULL' : 'ENGINE_FAILED' }
}

/** Returns whether the machine lacked memory or processes, so that an immediate retry would fail too. */
export function isExhaustion(ending: Ending): boolean {
  return ending.kind === 'release' || (ending.kind === 'crash' && ending.isOutOfMemory === true)
}
