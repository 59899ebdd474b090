/** Payloads of a job: converts the stored record to the snake_case JSON of the API and of callbacks. Pure. */

import type { JobCompleted, JobFailed } from '../../src-contract/events.ts'
import type { CreatedJob, Job, Stage } from '../../src-contract/jobs.ts'
import { resultForecast } from '../../src-contract/playback-forecast.ts'
import type { Warning } from '../../src-contract/report.ts'
import { recipeId, shownSettings } from '../../src-contract/settings.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { failureText, warningText } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import { isoTime } from '../../src-system/system.ts'
import type { WarningFact } from '../../src-worker/mastering/work-order.ts'
import { hasExpired, statusOf } from './job.ts'
import type { JobRecord, KeptCover } from './store.ts'

/** Progress of an unfinished job at this moment; known only in the memory of the server. */
export interface LiveState {
  readonly stage: Stage
  /** 0 to 99. */
  readonly progress: number
  readonly queuePosition?: number
}

/** Context of a payload besides the job. */
export interface PayloadView {
  readonly baseUrl: string
  readonly language: Language
  /** True for requests of the application itself, whose payload includes the folder on this machine. */
  readonly isSession: boolean
  /** Current time, milliseconds since 1970. */
  readonly nowMs: number
}

/** Returns the address of a job's result. It never depends on how a client reached the server. */
function downloadUrl(baseUrl: string, jobId: string): string {
  return `${baseUrl}/api/v1/jobs/${jobId}/download`
}

/** Returns the 201 of a new job. */
export function createdPayload(job: JobRecord): CreatedJob {
  return { ...specifiedPart(job), created_at: isoTime(job.createdAtMs) }
}

function specifiedPart(job: JobRecord) {
  return {
    job_id: job.jobId,
    status: statusOf(job.state),
    platforms: [...job.request.settings.platforms],
    credits_used: job.creditsUsed,
    credits_remaining: job.creditsRemaining,
  }
}

/** Returns one job in the form of `GET /api/v1/jobs/{job_id}`; `live` is set while it is unfinished. */
export function jobPayload(job: JobRecord, live: LiveState | undefined, view: PayloadView): Job {
  const { song } = job
  const { recipe } = job.request.settings
  const { platforms: _, ...settings } = shownSettings(job.request.settings)
  return {
    ...specifiedPart(job),
    ...(job.state === 'done' ? { download_url: downloadUrl(view.baseUrl, job.jobId) } : {}),
    ...present('download_size_bytes', hasExpired(job, view.nowMs) ? undefined : job.result?.zip.sizeBytes),
    ...(job.failure
      ? {
          error_message: failureText(job.failure.code, job.failure.values, view.language),
          failure_code: job.failure.code,
        }
      : {}),
    progress: job.state === 'done' ? 100 : (live?.progress ?? 0),
    ...(live ? { stage: live.stage } : {}),
    ...present('queue_position', live?.queuePosition),
    ...present('batch_id', job.batchId),
    ...present('source_id', view.isSession || job.request.stems ? job.sourceId : undefined),
    ...present('stem_count', job.request.stems?.count),
    ...present('stem_mix', job.request.stems?.mix?.settings),
    source_sha256: song.sha256,
    ...present('retry_of', job.retryOf),
    ...present('client_reference', job.request.clientReference),
    ...present('metadata', job.request.clientMetadata && { ...job.request.clientMetadata }),
    created_at: isoTime(job.createdAtMs),
    ...present('started_at', job.startedAtMs === undefined ? undefined : isoTime(job.startedAtMs)),
    ...present('completed_at', job.completedAtMs === undefined ? undefined : isoTime(job.completedAtMs)),
    ...present('expires_at', job.expiresAtMs === undefined ? undefined : isoTime(job.expiresAtMs)),
    ...(hasExpired(job, view.nowMs) ? { expired: true as const } : {}),
    title: job.shownTitle,
    ...present('artist', job.shownArtist),
    ...job.request.metadata,
    ...present('cover', job.cover && shownCover(job.cover)),
    filename: song.filename,
    ...present('reference_filename', job.reference?.filename),
    duration_seconds: song.facts.durationSeconds,
    codec: song.facts.codec,
    ...settings,
    ...present('recipe_id', recipe ? recipeId(recipe) : undefined),
    warnings: warningPayloads(job.warnings, view.language),
    results: [...(job.result?.masters ?? [])],
    ...present('forecast', job.result && resultForecast(job.result.masters, job.result.release)),
    ...present('summary', job.result?.summary?.[view.language]),
    ...present('release', job.result?.release),
    credits_refunded: job.creditsRefunded,
    ...present('output_folder', view.isSession ? job.outputFolder : undefined),
  }
}

/** Returns warnings with their texts. */
export function warningPayloads(warnings: readonly WarningFact[], language: Language): Warning[] {
  return warnings.map(({ code, platform, file, values }) => ({
    code,
    message: warningText(code, values, language),
    ...present('platform', platform),
    ...present('file', file),
    ...present('values', values && toWireValues(values)),
  }))
}

/** Returns the body of the callback of an ended job: exactly the specification's members. */
export function callbackBody(job: JobRecord, baseUrl: string): JobCompleted | JobFailed {
  return job.failure
    ? {
        event: 'job.failed',
        job_id: job.jobId,
        status: 'failed',
        error_message: failureText(job.failure.code, job.failure.values),
      }
    : { event: 'job.completed', job_id: job.jobId, status: 'done', download_url: downloadUrl(baseUrl, job.jobId) }
}

function present<Name extends string, Value>(name: Name, value: Value | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Exclude<Value, undefined> }
}

function shownCover({ widthPx, heightPx, colorModel, changes }: KeptCover) {
  return {
    ...{ width_px: widthPx, height_px: heightPx },
    ...present('color_model', colorModel),
    ...present('changes', changes && [...changes]),
  }
}
