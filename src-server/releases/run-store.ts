/** The mastering of releases over an open database: SQL only, no rules. Its methods may be called inside a transaction. */
import type { Spectrum } from '../../src-contract/report.ts'
import type { Db } from '../db/open.ts'
import { jobsOf, type ReleaseRun } from './mastering-run.ts'

/** Measurements of a song for the plan of a record. */
export interface SongMeasure {
  /** As `encodeSteps` writes it. */
  readonly loudnessSteps: string
  readonly spectrum: Spectrum
  readonly sideToMidDb: number | null
  readonly truePeakDbtp: number | null
}

/** A release's job for the song of a track. */
export interface ReleaseJob {
  readonly jobId: string
  readonly releaseId: string
  readonly trackId: string
  readonly sourceSha256: string
  readonly isCharge: boolean
}

type OfTrack = Pick<ReleaseJob, 'releaseId' | 'trackId' | 'sourceSha256'>

function prepareStatements(db: Db) {
  return {
    selectRun: db.prepare<[string], string>('SELECT run FROM release_runs WHERE release_id = ?').pluck(),
    selectRuns: db.prepare<[], string>('SELECT run FROM release_runs').pluck(),
    selectActive: db
      .prepare<[], string>("SELECT release_id FROM release_runs WHERE state = 'mastering' ORDER BY rowid")
      .pluck(),
    upsertRun: db.prepare<[string, string, string]>(
      `INSERT INTO release_runs (release_id, state, run) VALUES (?, ?, ?)
       ON CONFLICT (release_id) DO UPDATE SET state = excluded.state, run = excluded.run`,
    ),
    insertJob: db.prepare(
      `INSERT INTO release_jobs (job_id, release_id, track_id, source_sha256, is_charge)
       VALUES (@jobId, @releaseId, @trackId, @sourceSha256, @charge)`,
    ),
    selectJobs: db.prepare<OfTrack, { job_id: string; is_charge: 0 | 1 }>(
      `SELECT job_id, is_charge FROM release_jobs
       WHERE release_id = @releaseId AND track_id = @trackId AND source_sha256 = @sourceSha256 ORDER BY rowid DESC`,
    ),
    selectIsJob: db.prepare<[string], 1>('SELECT 1 FROM release_jobs WHERE job_id = ?').pluck(),
    selectMeasure: db.prepare<[string], string>('SELECT measure FROM song_measures WHERE source_sha256 = ?').pluck(),
    upsertMeasure: db.prepare<[string, string]>(
      'INSERT OR REPLACE INTO song_measures (source_sha256, measure) VALUES (?, ?)',
    ),
  }
}

export class RunStore {
  readonly #statements: ReturnType<typeof prepareStatements>
  /** Runs as they were last read: a release is shown track by track. */
  readonly #read = new Map<string, { readonly text: string; readonly run: ReleaseRun }>()

  constructor(db: Db) {
    this.#statements = prepareStatements(db)
  }

  /** Returns the run of a release; undefined if it was never mastered. */
  find(releaseId: string): ReleaseRun | undefined {
    const text = this.#statements.selectRun.get(releaseId)
    if (text === undefined) return undefined
    const known = this.#read.get(releaseId)
    if (known?.text === text) return known.run
    const run = JSON.parse(text) as ReleaseRun
    this.#read.set(releaseId, { text, run })
    return run
  }

  /** Returns the releases that are being mastered, the first begun first. */
  active(): string[] {
    return this.#statements.selectActive.all()
  }

  save(releaseId: string, run: ReleaseRun): void {
    this.#statements.upsertRun.run(releaseId, run.state, JSON.stringify(run))
  }

  /** Returns the jobs whose files the releases need. */
  jobIds(): string[] {
    return this.#statements.selectRuns.all().flatMap((text) => jobsOf(JSON.parse(text) as ReleaseRun))
  }

  addJob({ isCharge, ...job }: ReleaseJob): void {
    this.#statements.insertJob.run({ ...job, charge: isCharge ? 1 : 0 })
  }

  /** Returns the jobs of a track's song, the newest first. */
  jobsOf(track: OfTrack): { readonly jobId: string; readonly isCharge: boolean }[] {
    return this.#statements.selectJobs
      .all(track)
      .map(({ job_id: jobId, is_charge }) => ({ jobId, isCharge: is_charge === 1 }))
  }

  /** Returns whether a release made a job. */
  isJob(jobId: string): boolean {
    return this.#statements.selectIsJob.get(jobId) !== undefined
  }

  measure(sourceSha256: string): SongMeasure | undefined {
    const text = this.#statements.selectMeasure.get(sourceSha256)
    return text === undefined ? undefined : (JSON.parse(text) as SongMeasure)
  }

  saveMeasure(sourceSha256: string, measure: SongMeasure): void {
    this.#statements.upsertMeasure.run(sourceSha256, JSON.stringify(measure))
  }
}
