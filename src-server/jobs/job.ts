/** State machine of a job, without a database: the events that each state accepts, and the next state. */
import type { FailureCode } from '../../src-contract/errors.ts'
import type { JobStatus } from '../../src-contract/jobs.ts'

export const JOB_STATES = ['waiting', 'running', 'done', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Starts after which a job whose engine process keeps dying is given up. */
export const MAX_STARTS = 3

/** Attempts lost with their machines after which a job is given up. */
export const MAX_LOSSES = 10

/** Event in the life of a job. */
export type JobEvent =
  /** An engine process begins to work on it. */
  | { readonly kind: 'claim' }
  /** The masters are verified and stored. */
  | { readonly kind: 'succeed' }
  /** The engine process reported a failure, or took too long. */
  | { readonly kind: 'fail'; readonly failureCode: FailureCode }
  /** The engine process, an ffmpeg of it, or the whole server with it, was killed. */
  | { readonly kind: 'crash'; readonly isOutOfMemory?: boolean }
  /** The machine that worked on it is lost or could not work: the start does not count. */
  | { readonly kind: 'lose' }
  /** The server stops in order: the start does not count. */
  | { readonly kind: 'release' }
  | { readonly kind: 'cancel' }

/** State of a job as far as it decides the next one. */
export interface JobPosition {
  readonly state: JobState
  /** Engine processes started for it, without those that were stopped in order or lost. */
  readonly starts: number
  /** Attempts that were lost with their machines. */
  readonly losses: number
}

/** Position after an event; `failureCode` when the job has failed by it. */
export type NextPosition = JobPosition & { readonly failureCode?: FailureCode }

/** Returns the position after `event`, or undefined when it changes nothing: an ended job stays as it is. Pure; never throws. */
export function nextPosition({ state, starts, losses }: JobPosition, event: JobEvent): NextPosition | undefined {
  if (state === 'done' || state === 'failed') return undefined
  if (event.kind === 'cancel') return { state: 'failed', starts, losses, failureCode: 'CANCELLED' }
  if (state === 'waiting') return event.kind === 'claim' ? { state: 'running', starts: starts + 1, losses } : undefined
  switch (event.kind) {
    case 'claim':
      return undefined
    case 'succeed':
      return { state: 'done', starts, losses }
    case 'fail':
      return { state: 'failed', starts, losses, failureCode: event.failureCode }
    case 'crash':
      return starts >= MAX_STARTS
        ? { state: 'failed', starts, losses, failureCode: event.isOutOfMemory ? 'OUT_OF_MEMORY' : 'ENGINE_CRASHED' }
        : { state: 'waiting', starts, losses }
    case 'lose':
      return losses + 1 >= MAX_LOSSES
        ? { state: 'failed', starts, losses: losses + 1, failureCode: 'MACHINES_LOST' }
        : { state: 'waiting', starts: starts - 1, losses: losses + 1 }
    case 'release':
      return { state: 'waiting', starts: starts - 1, losses }
  }
}

/** Returns the number of the attempt at a running job: a lost one never shares it with a later one. Pure. */
export function attemptNumber({ starts, losses }: Pick<JobPosition, 'starts' | 'losses'>): number {
  return starts + losses
}

/** Returns the public status of a state: a running job is still `queued` (specification section 3). */
export function statusOf(state: JobState): JobStatus {
  return state === 'waiting' || state === 'running' ? 'queued' : state
}

/**
 * Returns whether the result and the songs of a job are over at `nowMs`, milliseconds since 1970: from the very moment on, whether or not
 * the sweep has come round. What a batch has delivered is the user's and has no end. Pure.
 */
export function hasExpired(
  {
    isSwept,
    expiresAtMs,
    deliveredSums,
  }: { readonly isSwept: boolean; readonly expiresAtMs?: number; readonly deliveredSums?: object },
  nowMs: number,
): boolean {
  if (deliveredSums) return false
  return isSwept || (expiresAtMs !== undefined && expiresAtMs <= nowMs)
}

/** Returns whether a job in this state will not change any more. */
export function hasEnded(state: JobState): boolean {
  return state === 'done' || state === 'failed'
}
