/** The life of a job, as rules without a database: what may happen in which state, and what it leads to. */
import type { FailureCode } from '../../src-contract/errors.ts'
import type { JobStatus } from '../../src-contract/jobs.ts'

export const JOB_STATES = ['waiting', 'running', 'done', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Starts after which a job whose engine process keeps dying is given up. */
export const MAX_STARTS = 3

/** What can happen to a job. */
export type Happening =
  /** An engine process begins to work on it. */
  | { readonly kind: 'claim' }
  /** The masters are verified and stored. */
  | { readonly kind: 'succeed' }
  /** The engine process says why there can be no result, or took too long. */
  | { readonly kind: 'fail'; readonly failureCode: FailureCode }
  /** The engine process, an ffmpeg of it, or the whole server with it, was killed. */
  | { readonly kind: 'crash'; readonly isOutOfMemory?: boolean }
  /** The server stops in order: the start does not count. */
  | { readonly kind: 'release' }
  | { readonly kind: 'cancel' }

/** What of a job decides about its next step. */
export interface JobPosition {
  readonly state: JobState
  /** Engine processes started for it, without those that were stopped in order. */
  readonly starts: number
}

/** The position after a happening; `failureCode` when the job has failed by it. */
export type NextPosition = JobPosition & { readonly failureCode?: FailureCode }

/** Returns where `happening` leads, or undefined when it changes nothing: an ended job stays as it is. Pure; never throws. */
export function nextPosition({ state, starts }: JobPosition, happening: Happening): NextPosition | undefined {
  if (state === 'done' || state === 'failed') return undefined
  if (happening.kind === 'cancel') return { state: 'failed', starts, failureCode: 'CANCELLED' }
  if (state === 'waiting') return happening.kind === 'claim' ? { state: 'running', starts: starts + 1 } : undefined
  switch (happening.kind) {
    case 'claim':
      return undefined
    case 'succeed':
      return { state: 'done', starts }
    case 'fail':
      return { state: 'failed', starts, failureCode: happening.failureCode }
    case 'crash':
      return starts >= MAX_STARTS
        ? { state: 'failed', starts, failureCode: happening.isOutOfMemory ? 'OUT_OF_MEMORY' : 'ENGINE_CRASHED' }
        : { state: 'waiting', starts }
    case 'release':
      return { state: 'waiting', starts: starts - 1 }
  }
}

/** Returns the public status of a state: a running job is still `queued` (specification section 3). */
export function statusOf(state: JobState): JobStatus {
  return state === 'waiting' || state === 'running' ? 'queued' : state
}

/**
 * Returns whether the result and the songs of a job are over at `nowMs`, milliseconds since 1970: from the very moment on, whether or not
 * the sweep has come round. Pure.
 */
export function hasExpired(
  { isSwept, expiresAtMs }: { readonly isSwept: boolean; readonly expiresAtMs?: number },
  nowMs: number,
): boolean {
  return isSwept || (expiresAtMs !== undefined && expiresAtMs <= nowMs)
}

/** Returns whether a job in this state will not change any more. */
export function hasEnded(state: JobState): boolean {
  return state === 'done' || state === 'failed'
}
