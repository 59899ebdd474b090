import { statSync } from 'node:fs'
import { type Edges, masterSeconds } from '../../src-contract/edges.ts'
import { type Format, formatFacts } from '../../src-contract/formats.ts'
import type { CreatedJob } from '../../src-contract/jobs.ts'
import { CREDITS_PER_JOB, PLAN_LIMITS, type Plan } from '../../src-contract/plans.ts'
import { type JobSettings, WHOLE_SONG } from '../../src-contract/settings.ts'
import { restOf } from '../../src-contract/stem-likeness.ts'
import { skippedWith } from '../../src-contract/stem-mix.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { StoredSong, WarningFact } from '../../src-worker/mastering/work-order.ts'
import type { StoredCover } from '../../src-worker/media/cover.ts'
import { coverWarnings } from '../../src-worker/media/cover-warnings.ts'
import { engineRateHz } from '../../src-worker/media/decode.ts'
import { lengthWarnings } from '../../src-worker/media/length-warnings.ts'
import type { StemParts, StoredStem } from '../../src-worker/media/stored-stem.ts'
import type { Ledger } from '../credits/ledger.ts'
import type { Db } from '../db/open.ts'
import { AppError } from '../http/app-error.ts'
import type { Maker } from '../http/route.ts'
import type { Notify } from '../notify/notify.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { Storage } from '../uploads/storage.ts'
import { requireEdges } from './edges.ts'
import type { Folders } from './folders.ts'
import type { Idempotency, IdempotencyUse } from './idempotency.ts'
import { createdPayload } from './payload.ts'
import type { JobStore, KeptCover } from './store.ts'

/** A validated request for one job. The job keeps the songs; the files named here stay the caller's. */
export interface Submission {
  readonly caller: Maker
  readonly request: MasterRequest
  readonly song: StoredSong
  readonly reference?: StoredSong
  /** Files of the songs that the request joins with it, in their order. */
  readonly joinedPaths?: readonly string[]
  /** Mix of the stems of the song; absent for their sum. */
  readonly stemMix?: StemMix | undefined
  /** Files of the stems that the request mixes, in their order, and of the song's stereo mix if that is needed. */
  readonly stemPaths?: readonly string[]
  readonly cover?: StoredCover
  readonly batchId?: string
  readonly sourceId?: string
  /** The user's own file that the song was copied from. */
  readonly sourcePath?: string
  readonly retryOf?: string
  readonly idempotency?: IdempotencyUse
  /** True for the song of a manifest, which no plan bounds. False when absent. */
  readonly isBulk?: boolean
  /** True if the song was charged before, for another job. False when absent. */
  readonly isFree?: boolean
  /** Called in the transaction that makes the job, to write related rows atomically. */
  readonly alongside?: (jobId: string) => void
}

/** The answer of a submission: a new job's, or the earlier one of the same Idempotency-Key. */
export interface Submitted {
  readonly answer: CreatedJob
  readonly isReplay: boolean
}

export interface SubmissionsDeps {
  readonly db: Db
  readonly clock: Clock
  readonly random: Random
  readonly store: JobStore
  readonly ledger: Ledger
  readonly idempotency: Idempotency
  readonly storage: Storage
  readonly folders: Folders
  readonly notify: Pick<Notify, 'record' | 'committed'>
  /** Returns the stems of a set; none for any other stored song. */
  readonly stemPartsOf: (sourceId: string) => StemParts
  readonly plan: () => Plan
}

/** The way of a submission to a job. */
export class Submissions {
  readonly #deps: SubmissionsDeps

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps
  }

  /**
   * Makes the checks after the request itself, in their order: edges that the song can have (TRIMMED_AWAY, FADES_OVERLAP), balance
   * (INSUFFICIENT_CREDITS), slot (CONCURRENT_LIMIT), room (INSUFFICIENT_STORAGE). A dry run makes only these. Returns the balance.
   */
  check({
    request,
    song,
    isFree = false,
    isBulk = false,
  }: Pick<Submission, 'request' | 'song' | 'isFree' | 'isBulk'>): number {
    const { store, ledger, storage, plan } = this.#deps
    requireEdges(request.settings, song.facts)
    const balance = ledger.balance()
    if (!isFree && balance < CREDITS_PER_JOB)
      throw new AppError('INSUFFICIENT_CREDITS', { cost: CREDITS_PER_JOB, balance })
    const limit = PLAN_LIMITS[plan()].concurrentJobs
    if (!isBulk && store.countUnfinished() >= limit) throw new AppError('CONCURRENT_LIMIT', { limit })
    storage.require(jobBytes(song, request))
    return balance
  }

  /**
   * Makes a job. In one transaction and in this order: idempotency replay, the checks, charge, row and event. If it throws, nothing is left
   * behind.
   */
  submit(submission: Submission): Submitted {
    const submitted = this.#commit(submission)
    this.#deps.notify.committed()
    return submitted
  }

  #commit(submission: Submission): Submitted {
    const { db, random, idempotency, folders } = this.#deps
    const { idempotency: use } = submission
    const jobId = random.newUuid()
    try {
      return db
        .transaction((): Submitted => {
          const earlier = use && idempotency.find(use)
          if (earlier) return { answer: earlier, isReplay: true }
          const answer = this.#create(submission, jobId)
          if (use) idempotency.remember(use, answer)
          return { answer, isReplay: false }
        })
        .immediate()
    } catch (error) {
      folders.takeBack(jobId)
      throw error
    }
  }

  #create(submitted: Submission, jobId: string): CreatedJob {
    const { clock, store, ledger, folders, notify } = this.#deps
    const submission = this.#withStems(submitted)
    const { song, reference, cover, request, isFree = false, isBulk = false } = submission
    const stemPaths = request.stems?.mix ? (submission.stemPaths ?? []) : []
    const joinedPaths = request.joined ? (submission.joinedPaths ?? []) : []
    const balance = this.check(submission)
    folders.keep(song.path, folders.source(jobId))
    if (reference) folders.keep(reference.path, folders.reference(jobId))
    for (const [index, file] of joinedPaths.entries()) folders.keep(file, folders.joined(jobId, index))
    for (const [index, file] of stemPaths.entries()) folders.keep(file, folders.stem(jobId, index))
    if (cover) folders.keep(cover.path, folders.cover(jobId))
    store.add({
      ...newJobOf(submission),
      jobId,
      isBulk,
      creditsUsed: isFree ? 0 : CREDITS_PER_JOB,
      creditsRemaining: isFree ? balance : ledger.charge(jobId),
      storedBytes: [song.path, reference?.path, ...joinedPaths, ...stemPaths, cover?.path].reduce(
        (sum, file) => sum + (file === undefined ? 0 : statSync(file).size),
        0,
      ),
      createdAtMs: clock.now(),
    })
    notify.record({ event: 'job.created', jobId })
    submission.alongside?.(jobId)
    const job = store.find(jobId)
    if (!job) throw new Error('the new job is not there')
    return createdPayload(job)
  }

  /** Returns a submission whose request names the stems of its song; the files of the mixed stems come with it. */
  #withStems(submission: Submission): Submission {
    const { request, sourceId, stemMix: settings } = submission
    // A retry has the first job's.
    if (request.stems || sourceId === undefined) return submission
    const { stems, original } = this.#deps.stemPartsOf(sourceId)
    if (stems.length === 0) return submission
    const used = { count: stems.length, ...(original?.likeness ? { rest: restOf(original.likeness) } : {}) }
    if (!settings) return { ...submission, request: { ...request, stems: used } }
    const files = stems.map(withoutPath)
    const restored = settings.restore_missing ? original : undefined
    const skip_repairs = skippedWith(request.settings.skip_repairs, settings)
    return {
      ...submission,
      request: {
        ...request,
        settings: { ...request.settings, skip_repairs },
        stems: {
          ...used,
          mix: {
            ...{ settings, files },
            ...(restored ? { original: { file: withoutPath(restored.file), likeness: restored.likeness! } } : {}),
          },
        },
      },
      stemPaths: [...stems, ...(restored ? [restored.file] : [])].map((stem) => stem.path),
    }
  }
}

const withoutPath = ({ path: _path, ...stem }: StoredStem) => stem

/** Returns the new job's fields from a submission. */
function newJobOf({ caller, request, song, reference, cover, batchId, sourceId, sourcePath, retryOf }: Submission) {
  return {
    request,
    song,
    warnings: [...warningsOf(song, reference), ...coverWarnings(cover, song.facts)],
    ...(caller.via === 'key' ? { keyId: caller.keyId } : {}),
    ...(reference ? { reference } : {}),
    ...(cover ? { cover: keptCover(cover) } : {}),
    ...(batchId === undefined ? {} : { batchId }),
    ...(sourceId === undefined ? {} : { sourceId }),
    ...(sourcePath === undefined ? {} : { sourcePath }),
    ...(retryOf === undefined ? {} : { retryOf }),
  }
}

function keptCover({ path: _, ...cover }: StoredCover): KeptCover {
  return cover
}

/** Returns the warnings about a song and its reference that need no measurement. */
function warningsOf(song: StoredSong, reference: StoredSong | undefined): WarningFact[] {
  return [
    ...(song.facts.isLossy
      ? [{ code: 'INPUT_LOSSY' as const, values: { codec: song.facts.codec.toUpperCase() } }]
      : []),
    ...lengthWarnings(song.facts),
    ...(song.facts.channels === 1 ? [{ code: 'INPUT_MONO' as const }] : []),
    ...(reference?.facts.isLossy ? [{ code: 'REFERENCE_LOSSY' as const }] : []),
    ...(reference && reference.sha256 === song.sha256 ? [{ code: 'REFERENCE_IS_TARGET' as const }] : []),
  ]
}

/** Bytes of a sample of each channel before they are coded: 24 bit, and 32 bit float. */
const MASTER_BYTES = 3
const FLOAT_BYTES = 4

/** Returns the most bytes that the masters of a request take while they are made: those of all songs mastered as one. Pure. */
export function jobBytes({ facts }: Pick<StoredSong, 'facts'>, { settings, joined }: MasterRequest): number {
  const others = [...(joined?.before ?? []), ...(joined?.after ?? [])]
  const durationSeconds = others.reduce((sum, one) => sum + one.facts.durationSeconds, facts.durationSeconds)
  return resultBytes({ facts: { ...facts, durationSeconds } }, settings)
}

/**
 * Returns the most bytes that the masters of a song take, without tags and cover: stereo, 24 bit, at the engine's rate. Further formats are
 * made from a 24-bit and a float master, and each exists twice until it is tagged. Pure.
 */
export function resultBytes(
  { facts }: Pick<StoredSong, 'facts'>,
  {
    platforms,
    formats = [],
    release_master: hasRelease = false,
    ...edges
  }: Pick<JobSettings, 'platforms'> & Partial<Pick<JobSettings, 'formats' | 'release_master'> & Edges>,
): number {
  const seconds = masterSeconds({ ...WHOLE_SONG, ...edges }, facts.durationSeconds)
  const frames = seconds * engineRateHz(facts.sampleRateHz)
  const ofFormats =
    formats.length === 0 ? 0 : MASTER_BYTES + 2 * FLOAT_BYTES + formats.reduce((sum, one) => sum + bytesOf(one), 0)
  return Math.ceil(frames * 2 * (MASTER_BYTES + ofFormats) * (platforms.length + (hasRelease ? 1 : 0)))
}

/** Lossy files are far smaller than any other. */
function bytesOf(format: Format): number {
  return 2 * ((formatFacts(format).bitDepth ?? 8) / 8)
}
