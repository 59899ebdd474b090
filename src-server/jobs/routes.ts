import path from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Analysis, jobEndpoints } from '../contract/jobs.ts'
import { MAX_UPLOAD_BYTES } from '../contract/limits.ts'
import { CREDITS_PER_JOB } from '../contract/plans.ts'
import { whenUnlocked } from '../db/when-unlocked.ts'
import { AppError } from '../http/app-error.ts'
import { type Call, type Caller, route } from '../http/route.ts'
import type { StoredSong, WorkStage } from '../mastering/work-order.ts'
import type { Chance, Clock } from '../system.ts'
import { noFile, readAnalysisForm, readMasterForm } from '../uploads/form.ts'
import type { Inspect } from '../uploads/inspect.ts'
import { type ReceivedForm, receiveForm } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { Analyse } from './analyse.ts'
import { fingerprintOf, type Idempotency } from './idempotency.ts'
import type { Jobs } from './jobs.ts'
import { type PayloadView, warningPayloads } from './payload.ts'
import { type Submission, warningsOf } from './submit.ts'

export interface JobRoutesParts {
  readonly jobs: Jobs
  readonly idempotency: Idempotency
  /** The checks of a submission without the submission; returns the balance. */
  readonly admit: (submission: Pick<Submission, 'request' | 'song'>) => number
  readonly inspect: Inspect
  readonly analyse: Analyse
  /** Returns a stored song, undefined for an unknown one; throws INVALID_REQUEST, naming the field, when its file is gone. */
  readonly takeSource: (sourceId: string, param: SourceField) => StoredSong | undefined
  /** Called with how far the look at a stored song is. */
  readonly onAnalysing: (sourceId: string, progress: { readonly stage: WorkStage; readonly fraction: number }) => void
  /** Called with what was found in a stored song. */
  readonly onAnalysed: (sourceId: string, analysis: Analysis) => void
  /** Throws INVALID_WEBHOOK_URL. */
  readonly checkWebhookUrl: (url: string) => void
  /** Whether a caller that was let in may go on: an upload outlives the revocation of its key. */
  readonly isStillAllowed: (caller: Caller) => boolean
  readonly baseUrl: string
  readonly clock: Clock
  /** What decides whether a job is over, milliseconds since 1970. */
  readonly trustedNow: () => number
  readonly chance: Chance
  /** Folder of uploads on their way. */
  readonly tmpFolder: string
  readonly storage: Pick<Storage, 'requireDisk'>
}

/** Fields that name a stored song. */
type SourceField = 'source_id' | 'reference_source_id'

type Uploading = Pick<Call<typeof jobEndpoints.createJob>, 'request' | 'signal' | 'caller'>

/** Serves the jobs: creation, reading, listing, cancelling, deleting, retrying, and the free look. */
export function jobRoutes(app: FastifyInstance, parts: JobRoutesParts): void {
  const { jobs, baseUrl } = parts
  const view = ({ caller, language }: { caller: Caller; language: PayloadView['language'] }): PayloadView => ({
    baseUrl,
    language,
    isSession: caller.via === 'session',
    nowMs: parts.trustedNow(),
  })
  const created = (answer: { job_id: string }) => ({ location: `${baseUrl}/api/v1/jobs/${answer.job_id}` })

  route(app, jobEndpoints.createJob, async (call) => {
    const key = call.headers['idempotency-key']
    const claim = key === undefined ? undefined : parts.idempotency.begin(nameOf(call.caller), key)
    try {
      return await withUpload(parts, call, ['file', 'reference_file'], async (upload) => {
        const { submission, isDryRun } = await readSubmission(parts, call, upload)
        if (isDryRun) {
          const balance = parts.admit(submission)
          return {
            status: 200,
            body: {
              would_charge: CREDITS_PER_JOB,
              credits_remaining: balance,
              platforms: [...submission.request.platforms],
              warnings: warningPayloads(warningsOf(submission.song, submission.reference), call.language),
            },
          } as const
        }
        claim?.check()
        const { answer, isReplay } = await whenUnlocked(parts.clock, () => {
          if (!parts.isStillAllowed(call.caller)) throw new AppError('INVALID_API_KEY')
          return jobs.submit(
            key === undefined ? submission : { ...submission, idempotency: idempotencyOf(submission, key) },
          )
        })
        return {
          status: 201,
          body: answer,
          headers: { ...created(answer), ...(isReplay ? { 'idempotent-replayed': 'true' } : {}) },
        } as const
      })
    } finally {
      claim?.release()
    }
  })

  route(app, jobEndpoints.listJobs, (call) => ({ status: 200, body: jobs.list(call.query, view(call)) }))
  route(app, jobEndpoints.readJob, (call) => ({ status: 200, body: jobs.show(call.params.job_id, view(call)) }))
  route(app, jobEndpoints.deleteJob, (call) => {
    const { job_id } = call.params
    const isUnfinished = jobs.show(job_id, view(call)).status === 'queued'
    if (isUnfinished || call.query.status === 'queued') {
      jobs.cancel(job_id)
      return { status: 200, body: jobs.show(job_id, view(call)) } as const
    }
    jobs.remove(job_id)
    return { status: 204 } as const
  })
  route(app, jobEndpoints.retryJob, (call) => {
    const { answer } = jobs.retry(call.params.job_id, call.caller)
    return { status: 201, body: answer, headers: created(answer) }
  })

  const looking = new Set<string>()
  route(app, jobEndpoints.analyze, (call) =>
    withUpload(parts, call, ['file'], async (upload) => {
      const { aiService, sourceId } = readAnalysisForm(upload.fields, {
        caller: call.caller,
        files: new Set(upload.files.keys()),
      })
      const source = sourceId === undefined ? undefined : parts.takeSource(sourceId, 'source_id')
      if (sourceId !== undefined && !source) throw new AppError('NOT_FOUND')
      const song = source ?? (await inspectPart(parts, upload, 'file', call.signal))
      const name = nameOf(call.caller)
      if (looking.has(name)) throw new AppError('CONCURRENT_LIMIT')
      looking.add(name)
      try {
        const { warnings, ...found } = await parts.analyse(song, aiService, {
          signal: call.signal,
          onProgress: (progress) => sourceId !== undefined && parts.onAnalysing(sourceId, progress),
        })
        const analysis = { ...found, warnings: warningPayloads(warnings, call.language) }
        if (sourceId !== undefined) await whenUnlocked(parts.clock, () => parts.onAnalysed(sourceId, analysis))
        return { status: 200, body: analysis }
      } finally {
        looking.delete(name)
      }
    }),
  )
}

/** Receives the multipart request, hands it to `use` and removes what is left of it. */
async function withUpload<Outcome>(
  { chance, clock, tmpFolder, storage }: Pick<JobRoutesParts, 'chance' | 'clock' | 'tmpFolder' | 'storage'>,
  { request, signal }: { request: FastifyRequest; signal: AbortSignal },
  files: readonly string[],
  use: (upload: ReceivedForm) => Promise<Outcome>,
): Promise<Outcome> {
  const folder = path.join(tmpFolder, chance.newUuid())
  const { requireDisk } = storage
  const limits = { maxFileBytes: MAX_UPLOAD_BYTES, requireDisk }
  const upload = await receiveForm(request.raw, { folder, files, ...limits, clock, signal })
  try {
    return await use(upload)
  } finally {
    await upload.discard()
  }
}

async function readSubmission(parts: JobRoutesParts, { caller, signal }: Uploading, upload: ReceivedForm) {
  const form = readMasterForm(upload.fields, {
    caller,
    files: new Set(upload.files.keys()),
    checkWebhookUrl: parts.checkWebhookUrl,
  })
  const { request, isDryRun, batchId, sourceId, referenceSourceId } = form
  const song =
    sourceId === undefined ? await inspectPart(parts, upload, 'file', signal) : storedSong(parts, sourceId, 'source_id')
  const reference =
    referenceSourceId !== undefined
      ? storedSong(parts, referenceSourceId, 'reference_source_id')
      : upload.files.has('reference_file')
        ? await inspectPart(parts, upload, 'reference_file', signal)
        : undefined
  const submission: Submission = {
    caller,
    request,
    song,
    ...(reference ? { reference } : {}),
    ...(batchId === undefined ? {} : { batchId }),
    ...(sourceId === undefined ? {} : { sourceId }),
  }
  return { submission, isDryRun }
}

function inspectPart(
  parts: JobRoutesParts,
  upload: ReceivedForm,
  field: 'file' | 'reference_file',
  signal: AbortSignal,
) {
  const file = upload.files.get(field)
  if (!file) throw noFile(upload.fields)
  return parts.inspect(file, field, signal)
}

function storedSong(parts: JobRoutesParts, sourceId: string, param: SourceField): StoredSong {
  const song = parts.takeSource(sourceId, param)
  if (!song) throw new AppError('INVALID_REQUEST', {}, { param, details: [{ rule: 'unknown_song' }] })
  return song
}

function nameOf(caller: Caller): string {
  return caller.via === 'key' ? caller.keyId : 'session'
}

/** Fields and files decide whether a repeated request is the same; how they were written down does not. */
function idempotencyOf({ caller, request, song, reference, batchId }: Submission, key: string) {
  const fingerprint = fingerprintOf([request, batchId ?? null, song.sha256, reference?.sha256 ?? null])
  return { caller: nameOf(caller), key, fingerprint }
}
