/** Rows of manifests and their songs: SQL only, no rules. Methods are synchronous and may be called inside a transaction. */
import type { ManifestHead, ManifestLine, ManifestSongStatus, PauseReason } from '../../src-contract/batches.ts'
import type { ErrorCode, ErrorParams, FailureCode } from '../../src-contract/errors.ts'
import type { Platform } from '../../src-contract/platforms/index.ts'
import type { Db } from '../db/open.ts'

export interface BulkBatchRecord {
  readonly serial: number
  readonly batchId: string
  readonly keyId: string | null
  readonly fingerprint: string
  readonly head: ManifestHead
  readonly state: 'running' | 'paused' | 'ended'
  readonly pauseReason: PauseReason | null
  readonly createdAtMs: number
  readonly endedAtMs: number | null
}

/** Facts kept about a finished song; the table does not depend on its job. */
export interface SongOutcome {
  readonly title: string
  readonly folder?: string
  readonly masters: readonly {
    readonly platform: Platform
    readonly integrated_lufs: number
    readonly true_peak_dbtp: number
    readonly verdict: string
  }[]
}

export interface SongError {
  readonly code: ErrorCode | FailureCode
  readonly values: ErrorParams
}

export interface SongRecord {
  readonly batchId: string
  readonly place: number
  readonly line: ManifestLine
  readonly state: ManifestSongStatus
  readonly jobId: string | null
  readonly error?: SongError
  readonly outcome?: SongOutcome
  readonly endOrder: number | null
}

/** A song about to be stored; with an error, it has failed already. */
export interface NewSong {
  readonly line: ManifestLine
  readonly bytesNeeded: number
  readonly error?: SongError
}

type Row = Record<string, string | number | null>

function prepareStatements(db: Db) {
  const endOrder =
    '(SELECT coalesce(max(end_order), 0) + 1 FROM manifest_songs WHERE batch_id = :batchId AND end_order IS NOT NULL)'
  return {
    insert: db.prepare<[Row]>(
      `INSERT INTO manifests (batch_id, key_id, fingerprint, head, state, pause_reason, created_at_ms)
       VALUES (:batchId, :keyId, :fingerprint, :head, :state, :pauseReason, :createdAtMs)`,
    ),
    insertSong: db.prepare<[Row]>(
      `INSERT INTO manifest_songs (batch_id, place, line, bytes_needed, state, error_code, error_values, end_order)
       VALUES (:batchId, :place, :line, :bytes, :state, :code, :values, :order)`,
    ),
    selectOne: db.prepare<[string], Row>('SELECT * FROM manifests WHERE batch_id = ?'),
    selectNewest: db.prepare<[number], Row>('SELECT * FROM manifests ORDER BY serial DESC LIMIT ?'),
    selectInNeed: db.prepare<[], Row>(
      "SELECT * FROM manifests WHERE state = 'paused' AND pause_reason IN ('credits', 'disk')",
    ),
    remove: db.prepare<[string]>('DELETE FROM manifests WHERE batch_id = ?'),
    setState: db.prepare<[Row]>(
      'UPDATE manifests SET state = :state, pause_reason = :reason, ended_at_ms = :endedAtMs WHERE batch_id = :batchId',
    ),
    selectCounts: db.prepare<[string], { state: ManifestSongStatus; songs: number; bytes: number }>(
      'SELECT state, count(*) AS songs, sum(bytes_needed) AS bytes FROM manifest_songs WHERE batch_id = ? GROUP BY state',
    ),
    selectUnended: db
      .prepare<[string], 1>(
        "SELECT 1 FROM manifest_songs WHERE batch_id = ? AND state IN ('waiting', 'queued') LIMIT 1",
      )
      .pluck(),
    selectCallers: db.prepare<[], { key_id: string | null }>(
      "SELECT DISTINCT key_id FROM manifests WHERE state = 'running'",
    ),
    selectNext: db.prepare<[Row], Row>(
      `SELECT song.* FROM manifests JOIN manifest_songs AS song USING (batch_id)
       WHERE manifests.state = 'running' AND manifests.key_id IS :keyId AND song.state = 'waiting'
       ORDER BY manifests.serial, song.place LIMIT :limit`,
    ),
    selectSong: db.prepare<[string, number], Row>('SELECT * FROM manifest_songs WHERE batch_id = ? AND place = ?'),
    selectByJob: db.prepare<[string], Row>("SELECT * FROM manifest_songs WHERE job_id = ? AND state = 'queued'"),
    selectHasFolder: db
      .prepare<[string], number>(
        "SELECT 1 FROM manifest_songs JOIN manifests USING (batch_id) WHERE job_id = ? AND head ->> '$.folder' IS NOT NULL",
      )
      .pluck(),
    selectQueued: db.prepare<[], Row>("SELECT * FROM manifest_songs WHERE state = 'queued' AND job_id IS NOT NULL"),
    selectPage: db.prepare<[Row], Row>(
      `SELECT * FROM manifest_songs WHERE batch_id = :batchId AND place > :after AND state = coalesce(:state, state)
       ORDER BY place LIMIT :limit`,
    ),
    selectEnded: db.prepare<[string, number, number], Row>(
      `SELECT * FROM manifest_songs WHERE batch_id = ? AND end_order > ? AND state NOT IN ('waiting', 'queued')
       ORDER BY end_order LIMIT ?`,
    ),
    queue: db.prepare<[string, string, number]>(
      "UPDATE manifest_songs SET state = 'queued', job_id = ? WHERE batch_id = ? AND place = ?",
    ),
    end: db.prepare<[Row]>(
      `UPDATE manifest_songs SET state = :state, error_code = :code, error_values = :values, outcome = :outcome,
         end_order = ${endOrder} WHERE batch_id = :batchId AND place = :place AND state IN ('waiting', 'queued')`,
    ),
    selectWaiting: db
      .prepare<[string], number>(
        "SELECT place FROM manifest_songs WHERE batch_id = ? AND state = 'waiting' ORDER BY place",
      )
      .pluck(),
    waitAgain: db.prepare<[string]>(
      `UPDATE manifest_songs SET state = 'waiting', job_id = NULL, error_code = NULL, error_values = NULL
       WHERE batch_id = ? AND state = 'failed'`,
    ),
  }
}

/** The store over an open database. */
export class BulkStore {
  readonly #db: Db
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db) {
    this.#db = db
    this.#statements = prepareStatements(db)
  }

  /** Runs several calls as one transaction. */
  atOnce<Result>(run: () => Result): Result {
    return this.#db.transaction(run).immediate()
  }

  add(manifest: Omit<BulkBatchRecord, 'serial' | 'endedAtMs'>, songs: readonly NewSong[]): void {
    const { insert, insertSong } = this.#statements
    insert.run({ ...manifest, head: JSON.stringify(manifest.head) })
    let order = 0
    for (const [index, { line, bytesNeeded, error }] of songs.entries())
      insertSong.run({
        ...{ batchId: manifest.batchId, place: index + 1, line: JSON.stringify(line), bytes: bytesNeeded },
        ...errorColumns(error),
        state: error ? 'failed' : 'waiting',
        order: error ? ++order : null,
      })
  }

  find(batchId: string): BulkBatchRecord | undefined {
    const row = this.#statements.selectOne.get(batchId)
    return row && toManifest(row)
  }

  /** Returns at most `limit` manifests, newest first. */
  newest(limit: number): BulkBatchRecord[] {
    return this.#statements.selectNewest.all(limit).map(toManifest)
  }

  /** Returns the manifests paused for lack of credits or disk space. */
  inNeed(): BulkBatchRecord[] {
    return this.#statements.selectInNeed.all().map(toManifest)
  }

  /** Removes a manifest with its songs; their jobs stay. */
  remove(batchId: string): void {
    this.#statements.remove.run(batchId)
  }

  setState(
    batchId: string,
    state: BulkBatchRecord['state'],
    { reason = null, endedAtMs = null }: { reason?: PauseReason | null; endedAtMs?: number | null } = {},
  ): void {
    this.#statements.setState.run({ batchId, state, reason, endedAtMs })
  }

  /** Returns the number of songs by their state, and the bytes that the waiting ones need. */
  counts(batchId: string): { readonly songs: Record<ManifestSongStatus, number>; readonly waitingBytes: number } {
    const songs = { waiting: 0, queued: 0, done: 0, failed: 0, cancelled: 0 }
    let waitingBytes = 0
    for (const row of this.#statements.selectCounts.all(batchId)) {
      songs[row.state] = row.songs
      if (row.state === 'waiting') waitingBytes = row.bytes
    }
    return { songs, waitingBytes }
  }

  /** Returns whether every song of a manifest has ended. */
  hasEnded(batchId: string): boolean {
    return this.#statements.selectUnended.get(batchId) === undefined
  }

  /** Returns the callers with a running manifest; null is the application. */
  runningCallers(): (string | null)[] {
    return this.#statements.selectCallers.all().map(({ key_id }) => key_id)
  }

  /** Returns the next waiting songs of a caller's running manifests, in the order of their manifests. */
  nextOf(keyId: string | null, limit: number): SongRecord[] {
    return this.#statements.selectNext.all({ keyId, limit }).map(toSong)
  }

  song(batchId: string, place: number): SongRecord | undefined {
    const row = this.#statements.selectSong.get(batchId, place)
    return row && toSong(row)
  }

  /** Returns the unfinished song of this job. */
  songOfJob(jobId: string): SongRecord | undefined {
    const row = this.#statements.selectByJob.get(jobId)
    return row && toSong(row)
  }

  /** Returns whether the masters of a job are delivered to the folder of a manifest. */
  isDelivered(jobId: string): boolean {
    return this.#statements.selectHasFolder.get(jobId) !== undefined
  }

  /** Returns the songs of all manifests that have a job and have not ended. */
  queued(): SongRecord[] {
    return this.#statements.selectQueued.all().map(toSong)
  }

  page(
    batchId: string,
    { after = 0, limit = -1, state = null }: { after?: number; limit?: number; state?: ManifestSongStatus | null },
  ): SongRecord[] {
    return this.#statements.selectPage.all({ batchId, after, limit, state }).map(toSong)
  }

  /** Returns the songs that ended after a place in the order of their ends. */
  endedAfter(batchId: string, order: number, limit: number): SongRecord[] {
    return this.#statements.selectEnded.all(batchId, order, limit).map(toSong)
  }

  queue(batchId: string, place: number, jobId: string): void {
    this.#statements.queue.run(jobId, batchId, place)
  }

  end(
    { batchId, place }: Pick<SongRecord, 'batchId' | 'place'>,
    state: 'done' | 'failed' | 'cancelled',
    { error, outcome }: { error?: SongError | undefined; outcome?: SongOutcome | undefined } = {},
  ): void {
    const row = { batchId, place, state, outcome: outcome ? JSON.stringify(outcome) : null }
    this.#statements.end.run({ ...row, ...errorColumns(error) })
  }

  waitingPlaces(batchId: string): number[] {
    return this.#statements.selectWaiting.all(batchId)
  }

  /** Lets failed songs wait again; returns how many. */
  waitAgain(batchId: string): number {
    return this.#statements.waitAgain.run(batchId).changes
  }
}

function errorColumns(error: SongError | undefined) {
  return { code: error?.code ?? null, values: error ? JSON.stringify(error.values) : null }
}

function toManifest(row: Row): BulkBatchRecord {
  return {
    serial: row.serial as number,
    batchId: row.batch_id as string,
    keyId: row.key_id as string | null,
    fingerprint: row.fingerprint as string,
    head: JSON.parse(row.head as string),
    state: row.state as BulkBatchRecord['state'],
    pauseReason: row.pause_reason as PauseReason | null,
    createdAtMs: row.created_at_ms as number,
    endedAtMs: row.ended_at_ms as number | null,
  }
}

function toSong(row: Row): SongRecord {
  return {
    batchId: row.batch_id as string,
    place: row.place as number,
    line: JSON.parse(row.line as string),
    state: row.state as ManifestSongStatus,
    jobId: row.job_id as string | null,
    ...(row.error_code === null
      ? {}
      : { error: { code: row.error_code as SongError['code'], values: JSON.parse(row.error_values as string) } }),
    ...(row.outcome === null ? {} : { outcome: JSON.parse(row.outcome as string) }),
    endOrder: row.end_order as number | null,
  }
}
