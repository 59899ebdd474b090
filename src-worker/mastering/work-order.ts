/**
 * Messages between the server and one engine process: plain data only, in both directions.
 * The server sends one {@link WorkOrder}, the process answers with progress and exactly one {@link WorkDone} or {@link WorkFailed}.
 */

import type { ErrorParams, FailureCode } from '../../src-contract/errors.ts'
import type { Analysis } from '../../src-contract/jobs.ts'
import type { MasterResult, Repair, Warning } from '../../src-contract/report.ts'
import type { JobSettings } from '../../src-contract/settings.ts'
import type { AudioFacts } from '../media/audio-facts.ts'
import type { Ffmpeg } from '../media/ffmpeg.ts'
import type { ResultZip } from '../result/package.ts'

/** Stored song: its file, facts and the name that the client gave it. */
export interface StoredSong {
  /** Absolute path. */
  readonly path: string
  /** The client's file name: display text only. */
  readonly filename: string
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly sha256: string
  readonly facts: AudioFacts
}

/** All that an engine process needs to master one song. */
export interface WorkOrder {
  readonly jobId: string
  /** Creation time of the job, ISO 8601: the only time in the report. */
  readonly createdAt: string
  readonly source: StoredSong
  readonly reference?: StoredSong
  /** Existing, empty folder of this attempt: everything is written below it. */
  readonly attemptFolder: string
  readonly ffmpeg: Ffmpeg
  readonly settings: JobSettings
  /** The request's title and artist; the source's tags and file name stand in when absent. */
  readonly title?: string
  readonly artist?: string
  /** Seed of the dither: the same for every attempt of a job; 0 reproduces the bytes of every other job with seed 0. */
  readonly seed: number
  /** Number of render threads, 1 or more; the result does not depend on it. */
  readonly threads: number
}

/** Stages of a running job as they appear on the wire, in order. */
export const WORK_STAGES = ['decoding', 'analysing', 'rendering', 'verifying', 'packaging'] as const
export type WorkStage = (typeof WORK_STAGES)[number]

/** Progress of a job: the stage never goes back and the fraction never falls. */
export interface WorkProgress {
  readonly type: 'progress'
  readonly stage: WorkStage
  /** Part of the whole job that is done, 0 to 1. */
  readonly fraction: number
}

/** A warning without its text, which depends on the reader's language. */
export type WarningFact = Omit<Warning, 'message'>

/** Files that a finished job left in the attempt folder, and their measurements. */
export interface WorkResult {
  /** One per platform, in the order of the request; measured on the written files. */
  readonly masters: readonly MasterResult[]
  readonly warnings: readonly WarningFact[]
  readonly repairs: readonly Repair[]
  readonly zip: ResultZip
  /** Names of the files in the attempt folder that hold the reports; both are in the ZIP too. */
  readonly reportJsonFile: string
  readonly reportHtmlFile: string
}

export interface WorkDone {
  readonly type: 'done'
  readonly result: WorkResult
}

/** Failure of a job or an analysis: the code is for the user, message and stack are for the log. */
export interface WorkFailed {
  readonly type: 'failed'
  readonly failureCode: FailureCode
  readonly params: ErrorParams
  readonly message: string
  readonly stack?: string
}

/** Order for the free analysis of one song: nothing is written. */
export interface AnalysisOrder {
  readonly song: Pick<StoredSong, 'path' | 'facts'>
  /** Settings of a planned job; an analysis alone has the defaults but for the AI service. */
  readonly settings: JobSettings
  readonly reference?: Pick<StoredSong, 'path' | 'facts'>
  readonly ffmpeg: Ffmpeg
}

/** Result of an analysis; the server adds the texts of the warnings. */
export interface AnalysisDone {
  readonly type: 'analysed'
  readonly analysis: Omit<Analysis, 'warnings'> & { readonly warnings: readonly WarningFact[] }
}

/** Message of an engine process. It exits after `done`, `analysed` or `failed`. */
export type WorkerMessage = WorkProgress | WorkDone | AnalysisDone | WorkFailed

/** Message to an engine process: one piece of work, and `abort`, which makes it answer `failed` with the code CANCELLED. */
export type WorkerCommand =
  | { readonly type: 'work'; readonly order: WorkOrder }
  | { readonly type: 'analyse'; readonly order: AnalysisOrder }
  | { readonly type: 'abort' }
