/** State machine of a job, without a database: the events that each state accepts, and the next state. */
import type { FailureCode } from '../../src-contract/errors.ts'
import type { JobStatus } from '../../src-contract/jobs.ts'

export const JOB_STATES = ['waiting', 'running', 'done', 'failed'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Crashes of the engine process after which a job is given up. */
export const MAX_STARTS = 3

/** Kills of the whole service during a job after which it is given up: the job may be the cause. */
export const MAX_INTERRUPTIONS = 10

/** Attempts lost with their machines after which a job is given up. */
export const MAX_LOSSES = 10

/** Event in the life of a job. */
export type JobEvent =
  /** An engine process starts working on it. */
  | { readonly kind: 'claim' }
  /** The masters are verified and stored. */
  | { readonly kind: 'succeed' }
  /** The engine process reported a failure, or took too long. */
  | { readonly kind: 'fail'; readonly failureCode: FailureCode }
  /** The engine process, or one of its ffmpegs, ended without an answer while the service kept running. */
  | { readonly kind: 'crash'; readonly isOutOfMemory?: boolean }
  /** The whole service was killed while it ran: the start does not count. */
  | { readonly kind: 'interrupt' }
  /** The machine that worked on it is lost or could not work: the start does not count. */
  | { readonly kind: 'lose' }
  /** The server stops in order: the start does not count. */
  | { readonly kind: 'release' }
  | { readonly kind: 'cancel' }

/** State of a job, as far as it determines the next one. */
export interface JobPosition {
  readonly state: JobState
  /** Engine processes started for it, except those stopped in order, interrupted or lost. */
  readonly starts: number
  /** Attempts that were lost with their machines. */
  readonly losses: number
  /** Starts that a kill of the whole service ended. */
  readonly interruptions: number
}

/** Position after an event; `failureCode` when the job has failed by it. */
export type NextPosition = JobPosition & { readonly failureCode?: FailureCode }

/** Returns the position after `event`, or undefined if nothing changes: an ended job stays as it is. Pure; never throws. */
export function nextPosition(position: JobPosition, event: JobEvent): NextPosition | undefined {
  const { state, starts, losses, interruptions } = position
  const failed = (failureCode: FailureCode): NextPosition => ({ ...position, state: 'failed', failureCode })
  const waiting: JobPosition = { ...position, state: 'waiting' }
  if (state === 'done' || state === 'failed') return undefined
  if (event.kind === 'cancel') return failed('CANCELLED')
  if (state === 'waiting')
    return event.kind === 'claim' ? { ...position, state: 'running', starts: starts + 1 } : undefined
  switch (event.kind) {
    case 'claim':
      return undefined
    case 'succeed':
      return { ...position, state: 'done' }
    case 'fail':
      return failed(event.failureCode)
    case 'crash':
      return starts >= MAX_STARTS ? failed(event.isOutOfMemory ? 'OUT_OF_MEMORY' : 'ENGINE_CRASHED') : waiting
    case 'interrupt':
      return interruptions + 1 >= MAX_INTERRUPTIONS
        ? { ...failed('ENGINE_CRASHED'), interruptions: interruptions + 1 }
        : { ...waiting, starts: starts - 1, interruptions: interruptions + 1 }
    case 'lose':
      return losses + 1 >= MAX_LOSSES
        ? { ...failed('MACHINES_LOST'), losses: losses + 1 }
        : { ...waiting, starts: starts - 1, losses: losses + 1 }
    case 'release':
      return { ...waiting, starts: starts - 1 }
  }
}

/** Returns the number of the attempt at a running job: a lost or interrupted one never shares it with a later one. Pure. */
export function attemptNumber({ starts, losses, interruptions }: Omit<JobPosition, 'state'>): number {
  return starts + losses + interruptions
}

/** Returns the public status of a state: a running job is still `queued` (specification section 3). */
export function statusOf(state: JobState): JobStatus {
  return state === 'waiting' || state === 'running' ? 'queued' : state
}

/**
 * Returns whether the result and the songs of a job have expired at `nowMs`, milliseconds since 1970: from that very moment, whether or not
 * the sweep has run. A batch's deliveries belong to the user and never expire. Pure.
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
