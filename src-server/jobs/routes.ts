import type { FastifyInstance } from 'fastify'
import { sharedInTurn } from '../../src-contract/at-most.ts'
import { targetsOf, withReferenceLoudness } from '../../src-contract/delivery-target.ts'
import { masterSeconds } from '../../src-contract/edges.ts'
import type { Form } from '../../src-contract/endpoint.ts'
import { type Analysis, type CreatedJob, jobEndpoints, REFERENCE_FILES } from '../../src-contract/jobs.ts'
import { MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import { CREDITS_PER_JOB } from '../../src-contract/plans.ts'
import { forecastOf } from '../../src-contract/playback-forecast.ts'
import type { Warning } from '../../src-contract/report.ts'
import { DEFAULT_SETTINGS } from '../../src-contract/settings.ts'
import type { LoudnessPrice } from '../../src-contract/suggestion.ts'
import { proposedEdgesIn } from '../../src-contract/text/edge-reasons.ts'
import { suggestionIn } from '../../src-contract/text/suggestion.ts'
import { changeSummary } from '../../src-contract/text/summary.ts'
import type { WorkStage } from '../../src-worker/mastering/work-order.ts'
import { coverWarnings } from '../../src-worker/media/cover-warnings.ts'
import { madeWith } from '../../src-worker/media/provenance.ts'
import { disposition } from '../artifacts/send-file.ts'
import { retryWhileLocked } from '../db/retry-locked.ts'
import { AppError, unusable } from '../http/app-error.ts'
import { type Call, type Caller, type Maker, requireScope, route } from '../http/route.ts'
import {
  changedRequest,
  ignoredFields,
  readAnalysisForm,
  readMasterForm,
  readPreviewForm,
  requireReferences,
} from '../uploads/form.ts'
import type { ReceivedForm } from '../uploads/receive.ts'
import type { AnalysisFacts } from './analyse.ts'
import { requireEdges } from './edges.ts'
import { engineFailure } from './engine-failure.ts'
import { fingerprintOf, type Idempotency, requestParts } from './idempotency.ts'
import type { Jobs } from './jobs.ts'
import { type PayloadView, warningPayloads } from './payload.ts'
import type { MakePreview, Preview } from './preview.ts'
import { namedTarget } from './reference-targets.ts'
import {
  formContext,
  inspectPart,
  RECIPE_PART,
  type SubmissionFormDeps,
  submissionOf,
  withMix,
  withUpload,
} from './submission-form.ts'
import type { Submission, Submissions } from './submit.ts'
import { type UntilEndedDeps, untilEnded } from './until-ended.ts'
import { wordsRoute } from './words.ts'

export interface JobRoutesDeps extends SubmissionFormDeps, Pick<UntilEndedDeps, 'events'> {
  readonly jobs: Jobs
  readonly idempotency: Idempotency
  readonly submissions: Pick<Submissions, 'check'>
  readonly makePreview: MakePreview
  /** Returns whether a stored song is a stem of a set. */
  readonly isStem: (sourceId: string) => boolean
  /** Called with the progress of the analysis of a stored song. */
  readonly onAnalysing: (sourceId: string, progress: { readonly stage: WorkStage; readonly fraction: number }) => void
  /** Called with the analysis of a stored song, and with the file that keeps the whole of it. */
  readonly onAnalysed: (sourceId: string, analysis: Analysis, kept: Uint8Array) => void
  /** Returns whether an admitted caller may go on: an upload can outlive the revocation of its key. */
  readonly isStillAllowed: (caller: Caller) => boolean
  readonly baseUrl: string
  /** Time for the expiry of jobs, milliseconds since 1970. */
  readonly trustedNow: () => number
}

/** Longest field name in a message; longer ones are cut. */
const MAX_SHOWN_NAME = 100

/** Most names in a header, which has less room than a body. */
const MAX_NAMED = 10

type CreateCall = Call<typeof jobEndpoints.createJob>

/** Serves the jobs: creation, reading, listing, cancelling, deleting, retrying, and the free analysis. */
export function jobRoutes(app: FastifyInstance, deps: JobRoutesDeps): void {
  const { jobs } = deps
  const analyseOnce = oneAtATime()
  createJobRoute(app, deps, analyseOnce)
  route(app, jobEndpoints.listJobs, (call) => ({ status: 200, body: jobs.list(call.query, viewOf(deps, call)) }))
  readJobRoute(app, deps)
  deleteJobRoute(app, deps)
  retryJobRoute(app, deps)
  analyzeRoute(app, deps, analyseOnce)
  previewRoute(app, deps)
  wordsRoute(app, (call) => jobs.list({ limit: 1 }, viewOf(deps, call)))
}

/** Serves one job, immediately or when it has ended. */
function readJobRoute(app: FastifyInstance, deps: JobRoutesDeps): void {
  route(app, jobEndpoints.readJob, async (call) => {
    const { caller, params, query, signal } = call
    const show = () => deps.jobs.show(params.job_id, viewOf(deps, call))
    if (query.wait) {
      await untilEnded(deps, () => show().status !== 'queued', { waitMs: query.wait * 1000, signal })
      if (!deps.isStillAllowed(caller)) throw new AppError('INVALID_API_KEY')
    }
    return { status: 200, body: show() } as const
  })
}

/** Serves the creation of a job, or only its checks and warnings for a dry run. */
function createJobRoute(app: FastifyInstance, deps: JobRoutesDeps, analyseOnce: OneAtATime): void {
  route(app, jobEndpoints.createJob, (call) =>
    withKey(deps, call, (key, check) =>
      withUpload(deps, call, ['file', ...REFERENCE_FILES, 'cover_file', RECIPE_PART], async (upload) => {
        const form = readMasterForm(upload.fields, formContext(deps, call.caller, upload))
        const submission = await submissionOf(deps, call, upload, form)
        const ignored = ignoredWarnings(upload, jobEndpoints.createJob.form, call.language)
        if (form.isDryRun)
          return withMix(deps, submission, call.signal, (mixed) => dryRun(deps, analyseOnce, call, mixed, ignored))
        check()
        const { answer, isReplay } = await retryWhileLocked(deps.clock, () => {
          if (!deps.isStillAllowed(call.caller)) throw new AppError('INVALID_API_KEY')
          return deps.jobs.submit(
            key === undefined ? submission : { ...submission, idempotency: idempotencyOf(submission, key) },
          )
        })
        const body = ignored.length === 0 ? answer : { ...answer, warnings: ignored }
        return { status: 201, body, headers: createdHeaders(deps, answer, isReplay) } as const
      }),
    ),
  )
}

/** Answers with the price and the warnings of a submission. */
async function dryRun(
  deps: JobRoutesDeps,
  analyseOnce: OneAtATime,
  { caller, language, signal }: CreateCall,
  submission: Submission,
  ignored: readonly Warning[],
) {
  const balance = deps.submissions.check(submission)
  requireSound(submission.song.facts.durationSeconds < MIN_DURATION_SECONDS ? 'TOO_SHORT' : undefined)
  const found = await analyseOnce(nameOf(caller), () => analyseAsJob(deps, submission, signal))
  requireSound(found.measurement.integrated_lufs === null ? 'DIGITAL_SILENCE' : undefined)
  const { warnings, proposed_edges } = found
  return {
    status: 200,
    body: {
      dry_run: true,
      would_charge: CREDITS_PER_JOB,
      credits_remaining: balance,
      platforms: [...submission.request.settings.platforms],
      ...(proposed_edges ? { proposed_edges: proposedEdgesIn(proposed_edges, language) } : {}),
      summary: planSummary(found, submission.request)[language],
      warnings: [
        ...warningPayloads([...warnings, ...coverWarnings(submission.cover, submission.song.facts)], language),
        ...ignored,
      ],
    },
  } as const
}

/** Throws UNSUPPORTED_FORMAT for a song whose job would fail. */
function requireSound(failureCode: 'TOO_SHORT' | 'DIGITAL_SILENCE' | undefined): void {
  if (failureCode) throw engineFailure({ failureCode, message: 'a dry run' })
}

/** Returns what a plan changes. Its levels are estimates: the way from the song's loudness to the targets of its masters. */
function planSummary(
  { decisions, measurement, reference }: AnalysisFacts,
  { settings, masterTargets }: Submission['request'],
) {
  const { integrated_lufs: lufs } = measurement
  const targets = lufs === null ? [] : targetsOf(withReferenceLoudness(settings, reference), masterTargets)
  const levels = targets.map(({ platform, targetLufs }) => ({
    ...{ platform, gain_db: targetLufs - lufs!, max_gain_reduction_db: 0 },
  }))
  return changeSummary(decisions, levels)
}

/** Serves the cancelling of an unfinished job and the removal of an ended one; only its maker cancels it without the scope `all`. */
function deleteJobRoute(app: FastifyInstance, deps: JobRoutesDeps): void {
  const { jobs } = deps
  route(app, jobEndpoints.deleteJob, (call) => {
    const { job_id } = call.params
    const isUnfinished = jobs.show(job_id, viewOf(deps, call)).status === 'queued'
    const isCancelled = isUnfinished || call.query.status === 'queued'
    const { caller } = call
    if (caller.via === 'key' && !(isCancelled && jobs.makerOf(job_id) === caller.keyId)) {
      requireScope(caller.scope, 'all')
    }
    if (isCancelled) {
      jobs.cancel(job_id)
      return { status: 200, body: jobs.show(job_id, viewOf(deps, call)) } as const
    }
    jobs.remove(job_id)
    return { status: 204 } as const
  })
}

/** Serves the retry of an ended job. */
function retryJobRoute(app: FastifyInstance, deps: JobRoutesDeps): void {
  const { jobs, idempotency, checkWebhookUrl } = deps
  route(app, jobEndpoints.retryJob, (call) =>
    withKey(deps, call, async (key, check) => {
      check()
      const { job_id } = call.params
      const { caller, body } = call
      const use =
        key === undefined ? undefined : { caller: nameOf(caller), key, fingerprint: fingerprintOf([job_id, body]) }
      // A repeated request gets the first answer, also when the first job has been deleted since.
      const earlier = use && idempotency.find(use)
      const { answer, isReplay } = earlier
        ? { answer: earlier, isReplay: true }
        : await jobs.retry(job_id, {
            caller,
            requestOf: (first, hasReference) => {
              const request = changedRequest(first, body, checkWebhookUrl)
              // Jobs of earlier versions may have more.
              if (body.targets || body.reference_loudness)
                requireReferences(body, request.settings, hasReference ? 1 : 0)
              return request
            },
            ...(use ? { idempotency: use } : {}),
          })
      return { status: 201, body: answer, headers: createdHeaders(deps, answer, isReplay) } as const
    }),
  )
}

/** Serves a passage of the master that a job would make, without the job. */
function previewRoute(app: FastifyInstance, deps: JobRoutesDeps): void {
  const previewOnce = oneAtATime()
  route(app, jobEndpoints.preview, (call) =>
    withUpload(deps, call, ['file', ...REFERENCE_FILES, RECIPE_PART], async (upload) => {
      const { cut, ...form } = readPreviewForm(upload.fields, formContext(deps, call.caller, upload))
      const submission = await submissionOf(deps, call, upload, form)
      const { settings } = submission.request
      requireEdges(settings, submission.song.facts)
      const durationSeconds = masterSeconds(settings, submission.song.facts.durationSeconds)
      if (cut.startSeconds !== undefined && cut.startSeconds >= durationSeconds) throw startsBehind(durationSeconds)
      const preview = await previewOnce(nameOf(call.caller), () =>
        withMix(deps, submission, call.signal, (mixed) => deps.makePreview(mixed, cut, call.signal)),
      )
      const ignored = ignoredFields(upload.fields, jobEndpoints.preview.form)
      return { status: 200, bytes: preview.bytes, headers: { ...previewHeaders(preview), ...ignoredHeader(ignored) } }
    }),
  )
}

/** Serves the analysis of an uploaded or stored song, which is free and makes no job. */
function analyzeRoute(app: FastifyInstance, deps: JobRoutesDeps, analyseOnce: OneAtATime): void {
  const ofStored = sharedInTurn<AnalysisFacts>()
  const prices = new Map<string, LoudnessPrice>()
  route(app, jobEndpoints.analyze, (call) =>
    withUpload(deps, call, ['file'], async (upload) => {
      const { aiService, sourceId, accept, wantsPrice, wantsTarget } = readAnalysisForm(upload.fields, {
        caller: call.caller,
        files: new Set(upload.files.keys()),
        // A stem is analysed for the repairs that it may be given.
        isStemSet: (sourceId) => deps.isStemSet(sourceId) || deps.isStem(sourceId),
      })
      const source = sourceId === undefined ? undefined : deps.takeSource(sourceId, 'source_id')
      if (sourceId !== undefined && !source) throw new AppError('NOT_FOUND')
      const song = source ?? (await inspectPart(deps, upload, 'file', { signal: call.signal, accept }))
      const settings = { ...DEFAULT_SETTINGS, ai_service: aiService }
      const priceKey = `${song.sha256} ${aiService}`
      const price = wantsPrice ? { price: prices.get(priceKey) ?? ('wanted' as const) } : {}
      const {
        warnings,
        proposed_edges,
        suggestion,
        decisions,
        reference: _reference,
        target,
        loudnessSteps: _steps,
        kept,
        ...found
      } = await (sourceId === undefined
        ? analyseOnce(nameOf(call.caller), () => deps.analyse(song, settings, { signal: call.signal, ...price }))
        : ofStored(`${sourceId} ${aiService} ${wantsPrice}`, () =>
            analyseOnce(nameOf(call.caller), () =>
              deps.analyse(song, settings, {
                signal: new AbortController().signal,
                ...price,
                onProgress: (progress) => deps.onAnalysing(sourceId, progress),
              }),
            ),
          ))
      if (suggestion?.price) keepPrice(prices, priceKey, suggestion.price)
      const service = madeWith(song.facts)
      const analysis = {
        ...found,
        ...(service ? { made_with: service } : {}),
        ...(proposed_edges ? { proposed_edges: proposedEdgesIn(proposed_edges, call.language) } : {}),
        ...(suggestion ? { suggestion: suggestionIn(suggestion, call.language) } : {}),
        ...songForecast(found.measurement),
        summary: changeSummary(decisions)[call.language],
        warnings: warningPayloads(warnings, call.language),
      }
      if (sourceId !== undefined) await retryWhileLocked(deps.clock, () => deps.onAnalysed(sourceId, analysis, kept))
      const ignored = ignoredWarnings(upload, jobEndpoints.analyze.form, call.language)
      return {
        status: 200,
        body: {
          ...analysis,
          ...(wantsTarget ? { target: namedTarget(song, target) } : {}),
          warnings: [...analysis.warnings, ...ignored],
        },
      }
    }),
  )
}

/** Returns what services would do to a song as it is; nothing for silence. */
function songForecast({ integrated_lufs: integratedLufs, true_peak_dbtp: truePeakDbtp }: Analysis['measurement']) {
  if (integratedLufs === null || truePeakDbtp === null) return {}
  return { forecast: forecastOf({ integratedLufs, truePeakDbtp }) }
}

/** Most prices of loudness that are kept, by the SHA-256 of their songs. */
const KEPT_PRICES = 1000

function keepPrice(prices: Map<string, LoudnessPrice>, key: string, price: LoudnessPrice): void {
  prices.set(key, price)
  if (prices.size > KEPT_PRICES) prices.delete(prices.keys().next().value!)
}

function viewOf(
  { baseUrl, trustedNow }: Pick<JobRoutesDeps, 'baseUrl' | 'trustedNow'>,
  { caller, language }: { readonly caller: Caller; readonly language: PayloadView['language'] },
): PayloadView {
  return { baseUrl, language, isSession: caller.via === 'session', nowMs: trustedNow() }
}

function createdHeaders({ baseUrl }: Pick<JobRoutesDeps, 'baseUrl'>, { job_id }: CreatedJob, isReplay: boolean) {
  return {
    location: `${baseUrl}/api/v1/jobs/${job_id}`,
    ...(isReplay ? { 'idempotent-replayed': 'true' } : {}),
  }
}

function previewHeaders({ bytes, startSeconds, integratedLufs, gainDb }: Preview): Record<string, string | number> {
  return {
    'content-type': 'audio/wav',
    'content-length': bytes.length,
    'content-disposition': disposition('preview.wav', false),
    'preview-start-seconds': startSeconds.toFixed(3),
    'preview-loudness-lufs': integratedLufs.toFixed(2),
    'preview-gain-db': gainDb.toFixed(2),
  }
}

/** Names the fields that a preview ignored: its answer is a sound, which has no room for warnings. */
function ignoredHeader(names: readonly string[]): Record<string, string> {
  if (names.length === 0) return {}
  const shown = names
    .slice(0, MAX_NAMED)
    .map((name) => encodeURIComponent(name.slice(0, MAX_SHOWN_NAME).toWellFormed()))
  return { 'preview-ignored-fields': shown.join(',') }
}

/** Returns the error for a passage that starts behind the end. */
function startsBehind(durationSeconds: number): AppError {
  return unusable('start_seconds', { rule: 'number_between', least: 0, most: Math.floor(durationSeconds) })
}

/** Runs one task at a time for each name; throws CONCURRENT_LIMIT while another is running. */
type OneAtATime = <Result>(name: string, work: () => Promise<Result>) => Promise<Result>

function oneAtATime(): OneAtATime {
  const busy = new Set<string>()
  return async (name, work) => {
    if (busy.has(name)) throw new AppError('CONCURRENT_LIMIT')
    busy.add(name)
    try {
      return await work()
    } finally {
      busy.delete(name)
    }
  }
}

/** Returns the warnings of a submission's job that are known before rendering. */
function analyseAsJob({ analyse }: Pick<JobRoutesDeps, 'analyse'>, submission: Submission, signal: AbortSignal) {
  const { song, reference, request } = submission
  return analyse(song, request.settings, {
    signal,
    ...(reference ? { reference: { path: reference.path, sha256: reference.sha256, facts: reference.facts } } : {}),
  })
}

/** Warns about ignored fields of a form, such as misspelt ones. */
function ignoredWarnings({ fields }: ReceivedForm, form: Form, language: PayloadView['language']): Warning[] {
  const facts = ignoredFields(fields, form).map((field) => ({
    code: 'IGNORED_FIELD' as const,
    values: { field: field.slice(0, MAX_SHOWN_NAME) },
  }))
  return warningPayloads(facts, language)
}

/**
 * Runs `work` with the request's Idempotency-Key, which is reserved from now on; `check`, called before anything is made, throws
 * IDEMPOTENCY_IN_PROGRESS while another request with that key runs.
 */
async function withKey<Result>(
  { idempotency }: Pick<JobRoutesDeps, 'idempotency'>,
  { headers, caller }: Pick<Call<typeof jobEndpoints.retryJob>, 'headers' | 'caller'>,
  work: (key: string | undefined, check: () => void) => Promise<Result>,
): Promise<Result> {
  const key = headers['idempotency-key']
  const claim = key === undefined ? undefined : idempotency.begin(nameOf(caller), key)
  try {
    return await work(key, () => claim?.check())
  } finally {
    claim?.release()
  }
}

function nameOf(caller: Maker): string {
  return caller.via === 'key' ? caller.keyId : 'session'
}

/** Fields and files decide whether a repeated request is the same; how they were written down does not. */
function idempotencyOf({ caller, request, song, reference, cover, batchId, stemMix }: Submission, key: string) {
  // Without a cover as it was before there were any.
  const files = [song.sha256, reference?.sha256 ?? null, ...(cover ? [cover.sha256] : [])]
  const mix = stemMix ? [stemMix] : []
  const fingerprint = fingerprintOf([requestParts(request), batchId ?? null, ...files, ...mix])
  return { caller: nameOf(caller), key, fingerprint }
}
