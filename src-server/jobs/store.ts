import type { MasterTargets } from '../../src-contract/delivery-target.ts'
import type { ErrorParams, FailureCode } from '../../src-contract/errors.ts'
import type { JOB_SORTS, JobStatus } from '../../src-contract/jobs.ts'
import type { SongMetadata } from '../../src-contract/metadata.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import { jobSettings } from '../../src-contract/settings.ts'
import type { WarningFact, WorkResult } from '../../src-worker/mastering/work-order.ts'
import type { AudioFacts } from '../../src-worker/media/audio-facts.ts'
import type { StoredCover } from '../../src-worker/media/cover.ts'
import { chooseTitle, listed, titleFile } from '../../src-worker/result/names.ts'
import type { Db } from '../db/open.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { JobPosition, JobState } from './job.ts'
import { UNFINISHED } from './unfinished.ts'

/** A song of a job without its place on disk, which follows from the job's identifier. */
export interface JobSong {
  readonly filename: string
  readonly sha256: string
  readonly facts: AudioFacts
}

/** A cover of a job without its place on disk. */
export type KeptCover = Omit<StoredCover, 'path'>

/** A stored job. Absent members have no value. Times are milliseconds since 1970. */
export interface JobRecord extends JobPosition {
  /** Order of creation. */
  readonly serial: number
  readonly jobId: string
  readonly state: JobState
  /** The creating key; absent for the app itself. */
  readonly keyId?: string
  readonly request: MasterRequest
  readonly batchId?: string
  readonly sourceId?: string
  readonly retryOf?: string
  /** True for the song of a manifest: it waits behind single ones, and no plan bounds how many there are. */
  readonly isBulk: boolean
  readonly song: JobSong
  readonly reference?: JobSong
  /** The cover that came with the request. */
  readonly cover?: KeptCover
  /** The first of the request's title, the song's tag and its file name. */
  readonly shownTitle: string
  readonly shownArtist?: string
  readonly creditsUsed: number
  readonly creditsRemaining: number
  readonly creditsRefunded: number
  /** Findings at creation; after success, the engine's. */
  readonly warnings: readonly WarningFact[]
  /** Exactly when done. */
  readonly result?: WorkResult
  /** Exactly when failed. */
  readonly failure?: { readonly code: FailureCode; readonly values: ErrorParams }
  readonly storedBytes: number
  readonly outputFolder?: string
  /** The user's own file that the song was copied from. */
  readonly sourcePath?: string
  /** SHA-256 of the delivered files other than masters, by name; only if a batch has moved the result into `outputFolder`. */
  readonly deliveredSums?: Readonly<Record<string, string>>
  readonly createdAtMs: number
  readonly startedAtMs?: number
  readonly completedAtMs?: number
  /** Absent also while a release keeps the job. */
  readonly expiresAtMs?: number
  /** True if result and source have been removed; `hasExpired` in job.ts decides whether they may still be downloaded. */
  readonly isSwept: boolean
}

/** A job about to be stored. */
export type NewJob = Pick<
  JobRecord,
  | 'jobId'
  | 'keyId'
  | 'request'
  | 'batchId'
  | 'sourceId'
  | 'retryOf'
  | 'song'
  | 'reference'
  | 'cover'
  | 'creditsUsed'
  | 'creditsRemaining'
  | 'warnings'
  | 'storedBytes'
  | 'createdAtMs'
> &
  Partial<Pick<JobRecord, 'isBulk' | 'sourcePath'>>

/** End of a job. */
export interface JobEnd {
  readonly result?: WorkResult
  readonly failure?: JobRecord['failure']
  readonly warnings: readonly WarningFact[]
  readonly creditsRefunded: number
  readonly storedBytes: number
  readonly completedAtMs: number
  readonly expiresAtMs?: number
  /** True if it ended while the clock was behind; its retention then starts when the clock is right. */
  readonly hasDoubtfulTime?: boolean
}

/** Filter, order and page of a list of jobs. */
export interface JobFilter {
  readonly words: readonly string[]
  readonly status?: JobStatus
  readonly platform?: Platform
  readonly batchId?: string
  readonly sort: (typeof JOB_SORTS)[number]
  readonly limit: number
  readonly after?: Pick<JobRecord, 'serial' | 'shownTitle'>
}

type Row = Record<string, string | number | null>

function prepareStatements(db: Db) {
  return { ...prepareQueries(db), ...prepareUpdates(db) }
}

function prepareQueries(db: Db) {
  return {
    selectOne: db.prepare<[string], Row>('SELECT * FROM jobs WHERE job_id = ?'),
    selectHasFiles: db.prepare<[string], 0 | 1>('SELECT is_expired = 0 FROM jobs WHERE job_id = ?').pluck(),
    selectOldestWaiting: db.prepare<[0 | 1], Row>(
      `SELECT * FROM jobs WHERE ${UNFINISHED} AND state = 'waiting' AND is_bulk = ? ORDER BY serial LIMIT 1`,
    ),
    selectRunning: db.prepare<[], Row>(`SELECT * FROM jobs WHERE ${UNFINISHED} AND state = 'running' ORDER BY serial`),
    selectUnfinished: db.prepare<[], Row>(`SELECT * FROM jobs WHERE ${UNFINISHED}`),
    countUnfinished: db
      .prepare<[0 | 1], number>(`SELECT count(*) FROM jobs WHERE ${UNFINISHED} AND is_bulk = ?`)
      .pluck(),
    countWaitingUpTo: db
      .prepare<[number, 0 | 1], number>(
        `SELECT count(*) FROM jobs WHERE ${UNFINISHED} AND state = 'waiting' AND serial <= ? AND is_bulk = ?`,
      )
      .pluck(),
    selectNewest: db
      .prepare<[], number | null>(
        `SELECT max(coalesce(completed_at_ms, created_at_ms)) FROM
           (SELECT completed_at_ms, created_at_ms FROM jobs ORDER BY serial DESC LIMIT 100)`,
      )
      .pluck(),
    sumStored: db.prepare<[], number>('SELECT coalesce(sum(stored_bytes), 0) FROM jobs').pluck(),
  }
}

function prepareUpdates(db: Db) {
  return {
    insert: db.prepare<[Row]>(
      `INSERT INTO jobs (job_id, state, key_id, settings, master_targets, joined, stems, title, artist, metadata, cover, webhook_url,
         client_reference, client_metadata, batch_id, source_id, source_path, retry_of, is_bulk, filename, source_sha256, source_facts,
         reference_filename, reference_sha256, reference_facts, shown_title, shown_artist, search_text, credits_used,
         credits_remaining, warnings, stored_bytes, created_at_ms)
       VALUES (:job_id, 'waiting', :key_id, :settings, :master_targets, :joined, :stems, :title, :artist, :metadata, :cover, :webhook_url,
         :client_reference, :client_metadata, :batch_id, :source_id, :source_path, :retry_of, :is_bulk, :filename, :source_sha256,
         :source_facts, :reference_filename, :reference_sha256, :reference_facts, :shown_title, :shown_artist, :search_text,
         :credits_used, :credits_remaining, :warnings, :stored_bytes, :created_at_ms)`,
    ),
    move: db.prepare<[JobState, number, number, number, number | null, string]>(
      'UPDATE jobs SET state = ?, starts = ?, losses = ?, interruptions = ?, started_at_ms = ? WHERE job_id = ?',
    ),
    finish: db.prepare<[Row]>(
      `UPDATE jobs SET state = :state, starts = :starts, losses = :losses, interruptions = :interruptions, result = :result, failure_code = :failure_code,
         failure_values = :failure_values, warnings = :warnings, credits_refunded = :credits_refunded,
         stored_bytes = :stored_bytes, completed_at_ms = :completed_at_ms, expires_at_ms = :expires_at_ms,
         has_doubtful_time = :has_doubtful_time
       WHERE job_id = :job_id`,
    ),
    remove: db.prepare<[string]>('DELETE FROM jobs WHERE job_id = ?'),
  }
}

/** The store over an open database: SQL only, no rules. Its methods are synchronous and may be called inside a transaction. */
export class JobStore {
  readonly #db: Db
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db) {
    this.#db = db
    this.#statements = prepareStatements(db)
  }

  add(job: NewJob): void {
    this.#statements.insert.run(toRow(job))
  }

  find(jobId: string): JobRecord | undefined {
    const row = this.#statements.selectOne.get(jobId)
    return row && fromRow(row)
  }

  /** Returns whether the files of a job are still needed; undefined for an unknown job. */
  keepsFiles(jobId: string): boolean | undefined {
    const kept = this.#statements.selectHasFiles.get(jobId)
    return kept === undefined ? undefined : kept === 1
  }

  /** Returns the waiting job of single songs, or of manifests, that was made first. */
  oldestWaiting({ isBulk }: Pick<JobRecord, 'isBulk'>): JobRecord | undefined {
    const row = this.#statements.selectOldestWaiting.get(isBulk ? 1 : 0)
    return row && fromRow(row)
  }

  running(): JobRecord[] {
    return this.#statements.selectRunning.all().map(fromRow)
  }

  /** Returns the unfinished jobs, in no order. */
  unfinished(): JobRecord[] {
    return this.#statements.selectUnfinished.all().map(fromRow)
  }

  /** Returns the number of unfinished jobs of single songs, or of manifests. */
  countUnfinished({ isBulk }: Pick<JobRecord, 'isBulk'> = { isBulk: false }): number {
    return this.#statements.countUnfinished.get(isBulk ? 1 : 0) ?? 0
  }

  /** Returns the position of a waiting job in the queue; 1 is next. Single songs and those of manifests take turns. */
  queuePosition({ serial, isBulk }: Pick<JobRecord, 'serial' | 'isBulk'>): number {
    const { countWaitingUpTo } = this.#statements
    const before = countWaitingUpTo.get(serial, isBulk ? 1 : 0) ?? 0
    const others = countWaitingUpTo.get(Number.MAX_SAFE_INTEGER, isBulk ? 0 : 1) ?? 0
    return before + Math.min(others, isBulk ? before : before - 1)
  }

  /** Moves an unfinished job; `startedAtMs` is null for a waiting one. */
  move(jobId: string, { state, starts, losses, interruptions }: JobPosition, startedAtMs: number | null): void {
    this.#statements.move.run(state, starts, losses, interruptions, startedAtMs, jobId)
  }

  finish(jobId: string, { state, starts, losses, interruptions }: JobPosition, end: JobEnd): void {
    this.#statements.finish.run({ job_id: jobId, state, starts, losses, interruptions, ...endToRow(end) })
  }

  remove(jobId: string): void {
    this.#statements.remove.run(jobId)
  }

  /** Returns the newest time of the latest jobs, milliseconds since 1970; undefined without jobs. */
  newestMs(): number | undefined {
    return this.#statements.selectNewest.get() ?? undefined
  }

  /** Returns the bytes that sources and results of all jobs take. */
  storedBytes(): number {
    return this.#statements.sumStored.get() ?? 0
  }

  /** Returns one page of the matching jobs, and the number on all pages. */
  list(filter: JobFilter): { jobs: JobRecord[]; total: number } {
    const { where, values } = conditions(filter)
    const total = this.#db
      .prepare<[Record<string, string>], number>(`SELECT count(*) FROM jobs WHERE ${where}`)
      .pluck()
      .get(values)
    const { order, from, place } = pageOf(filter)
    const rows = this.#db
      .prepare<[Row], Row>(`SELECT * FROM jobs WHERE ${where} AND ${from} ORDER BY ${order} LIMIT :limit`)
      .all({ ...values, ...place, limit: filter.limit })
    return { jobs: rows.map(fromRow), total: total ?? 0 }
  }
}

function conditions(filter: JobFilter): { where: string; values: Record<string, string> } {
  const parts = ['1']
  const values: Record<string, string> = {}
  if (filter.status === 'queued') parts.push(UNFINISHED)
  else if (filter.status) parts.push(`state = '${filter.status}'`)
  if (filter.platform) parts.push(`instr(settings ->> '$.platforms', '"${filter.platform}"') > 0`)
  if (filter.batchId !== undefined) {
    parts.push('batch_id = :batch_id')
    values.batch_id = filter.batchId
  }
  for (const [index, word] of filter.words.entries()) {
    parts.push(`instr(search_text, :word${index}) > 0`)
    values[`word${index}`] = searchable(word)
  }
  return { where: parts.join(' AND '), values }
}

function pageOf({ sort, after }: JobFilter) {
  const place = after ? { serial: after.serial, ...(sort === 'title' ? { title: after.shownTitle } : {}) } : {}
  switch (sort) {
    case 'newest':
      return { order: 'serial DESC', from: after ? 'serial < :serial' : '1', place }
    case 'oldest':
      return { order: 'serial', from: after ? 'serial > :serial' : '1', place }
    case 'title':
      return {
        order: 'shown_title COLLATE NOCASE, serial',
        from: after ? '(shown_title COLLATE NOCASE, serial) > (:title COLLATE NOCASE, :serial)' : '1',
        place,
      }
  }
}

/** Normalises a text for searching: NFC, lower case. */
function searchable(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

function toRow(job: NewJob): Row {
  const { request, song, reference } = job
  const title = chooseTitle(request.title, song.facts.tags.title, titleFile(song))
  const artist = request.artist ?? song.facts.tags.artist
  const clientMetadata = request.clientMetadata ? JSON.stringify(request.clientMetadata) : null
  const searched = [title, artist ?? '', song.filename, request.clientReference ?? '', clientMetadata ?? '']
  return {
    job_id: job.jobId,
    key_id: job.keyId ?? null,
    settings: JSON.stringify(request.settings),
    master_targets: request.masterTargets ? JSON.stringify(request.masterTargets) : null,
    joined: request.joined ? JSON.stringify(request.joined) : null,
    stems: request.stems ? JSON.stringify(request.stems) : null,
    title: request.title ?? null,
    artist: request.artist ?? null,
    metadata: request.metadata ? JSON.stringify(request.metadata) : null,
    cover: job.cover ? JSON.stringify(job.cover) : null,
    webhook_url: request.webhookUrl ?? null,
    client_reference: request.clientReference ?? null,
    client_metadata: clientMetadata,
    batch_id: job.batchId ?? null,
    source_id: job.sourceId ?? null,
    source_path: job.sourcePath ?? null,
    retry_of: job.retryOf ?? null,
    is_bulk: job.isBulk ? 1 : 0,
    filename: song.filename,
    source_sha256: song.sha256,
    source_facts: JSON.stringify(song.facts),
    reference_filename: reference?.filename ?? null,
    reference_sha256: reference?.sha256 ?? null,
    reference_facts: reference ? JSON.stringify(reference.facts) : null,
    shown_title: listed(title),
    shown_artist: artist === undefined ? null : listed(artist),
    search_text: searchable(searched.join('\n')),
    credits_used: job.creditsUsed,
    credits_remaining: job.creditsRemaining,
    warnings: JSON.stringify(job.warnings),
    stored_bytes: job.storedBytes,
    created_at_ms: job.createdAtMs,
  }
}

function endToRow(end: JobEnd): Row {
  return {
    result: end.result ? JSON.stringify(end.result) : null,
    failure_code: end.failure?.code ?? null,
    failure_values: end.failure ? JSON.stringify(end.failure.values) : null,
    warnings: JSON.stringify(end.warnings),
    credits_refunded: end.creditsRefunded,
    stored_bytes: end.storedBytes,
    completed_at_ms: end.completedAtMs,
    expires_at_ms: end.expiresAtMs ?? null,
    has_doubtful_time: end.hasDoubtfulTime ? 1 : 0,
  }
}

function fromRow(row: Row): JobRecord {
  const text = (column: string) => row[column] as string
  const number = (column: string) => row[column] as number
  const parsed = <T>(column: string) => JSON.parse(text(column)) as T
  const optional = <Name extends string, T>(name: Name, column: string, read: (column: string) => T) =>
    (row[column] === null ? {} : { [name]: read(column) }) as { [key in Name]?: T }
  return {
    serial: number('serial'),
    jobId: text('job_id'),
    state: text('state') as JobState,
    starts: number('starts'),
    losses: number('losses'),
    interruptions: number('interruptions'),
    ...optional('keyId', 'key_id', text),
    request: {
      settings: jobSettings(parsed('settings')),
      ...optional('title', 'title', text),
      ...optional('artist', 'artist', text),
      ...optional('metadata', 'metadata', (column) => parsed<SongMetadata>(column)),
      ...optional('webhookUrl', 'webhook_url', text),
      ...optional('clientReference', 'client_reference', text),
      ...optional('clientMetadata', 'client_metadata', (column) => parsed<Record<string, unknown>>(column)),
      ...optional('masterTargets', 'master_targets', (column) => parsed<MasterTargets>(column)),
      ...optional('joined', 'joined', (column) => parsed<NonNullable<MasterRequest['joined']>>(column)),
      ...optional('stems', 'stems', (column) => parsed<NonNullable<MasterRequest['stems']>>(column)),
    },
    ...optional('batchId', 'batch_id', text),
    ...optional('sourceId', 'source_id', text),
    ...optional('retryOf', 'retry_of', text),
    isBulk: number('is_bulk') === 1,
    song: { filename: text('filename'), sha256: text('source_sha256'), facts: parsed('source_facts') },
    ...optional('reference', 'reference_facts', (column) => ({
      filename: text('reference_filename'),
      sha256: text('reference_sha256'),
      facts: parsed<AudioFacts>(column),
    })),
    ...optional('cover', 'cover', (column) => parsed<KeptCover>(column)),
    shownTitle: text('shown_title'),
    ...optional('shownArtist', 'shown_artist', text),
    creditsUsed: number('credits_used'),
    creditsRemaining: number('credits_remaining'),
    creditsRefunded: number('credits_refunded'),
    warnings: parsed('warnings'),
    ...optional('result', 'result', (column) => parsed<WorkResult>(column)),
    ...optional('failure', 'failure_code', (column) => ({
      code: text(column) as FailureCode,
      values: parsed<ErrorParams>('failure_values'),
    })),
    storedBytes: number('stored_bytes'),
    ...optional('outputFolder', 'output_folder', text),
    ...optional('sourcePath', 'source_path', text),
    ...optional('deliveredSums', 'delivered_sums', (column) => parsed<Record<string, string>>(column)),
    createdAtMs: number('created_at_ms'),
    ...optional('startedAtMs', 'started_at_ms', number),
    ...optional('completedAtMs', 'completed_at_ms', number),
    ...(row.is_kept === 1 ? {} : optional('expiresAtMs', 'expires_at_ms', number)),
    isSwept: number('is_expired') === 1,
  }
}
