/**
 * Mastering of releases: ordinary jobs, one for each track, whose masters are measured as one record and remade if they miss it. The
 * pending work is a row, which survives a crash or a restart.
 */

import { RELEASE } from '../../src-contract/delivery-target.ts'
import { type ErrorCode, FAILURES, type FailureCode } from '../../src-contract/errors.ts'
import { CREDITS_PER_JOB } from '../../src-contract/plans.ts'
import type { Mastering, ReleasePlan, TrackMaster } from '../../src-contract/release-mastering.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { errorText, failureText } from '../../src-contract/text/text.ts'
import { rounded } from '../../src-engine/dsp/units.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import type { Ledger } from '../credits/ledger.ts'
import { databaseFault } from '../db/fault.ts'
import { AppError } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import type { Caller, Maker } from '../http/route.ts'
import type { MasterRequest } from '../uploads/form.ts'
import { requireContinuous } from './continuous.ts'
import { fullTitle } from './export-plan.ts'
import { incompletePlan, measuredUnits, newRun, type PlanFacts, planOf, type RunSong } from './mastering-plan.ts'
import {
  advanced,
  type JobOutcome,
  type ReleaseRun,
  type RunFailure,
  type RunPart,
  type RunTrack,
  requestOf,
  unitsIn,
  withMeasures,
  withPart,
} from './mastering-run.ts'
import type { ReleaseRecord, TrackRecord, TrackSong } from './release.ts'
import type { RunStore, SongMeasure } from './run-store.ts'
import type { ReleaseStore } from './store.ts'

/** A job as a release sees it. */
export interface SeenJob extends JobOutcome {
  readonly request: MasterRequest
  readonly progress: number
  readonly integratedLufs?: number
  /** True if its files exist. */
  readonly hasFiles: boolean
}

export interface ReleaseMasteringDeps {
  readonly store: Pick<ReleaseStore, 'find'>
  readonly runs: RunStore
  readonly clock: Pick<Clock, 'after' | 'sleep'>
  readonly log: Log
  readonly ledger: Pick<Ledger, 'balance' | 'isRefunded'>
  readonly jobs: {
    /** Makes a job. Throws an AppError. */
    submit(job: {
      readonly caller: Maker
      readonly request: MasterRequest
      readonly song: StoredSong
      readonly joinedPaths: readonly string[]
      readonly batchId: string
      readonly isFree: boolean
      readonly alongside: (jobId: string) => void
    }): unknown
    cancel(jobId: string): void
    freeSlots(): number
  }
  readonly jobOf: (jobId: string) => SeenJob | undefined
  /** Returns the song of a track; undefined without one, or if its file is gone. */
  readonly songOf: (song: TrackSong) => StoredSong | undefined
  /** Brings back the song of a job that a batch has delivered. Rejects with RESULT_EXPIRED, FILE_GONE, INSUFFICIENT_STORAGE. */
  readonly bringBackSong: (jobId: string) => Promise<unknown>
  /** Measures a song in an engine process. Throws an AppError, or the reason of the signal. */
  readonly measure: (song: StoredSong, signal: AbortSignal) => Promise<SongMeasure>
  /** Current limit of concurrent engine processes. */
  readonly workers: () => number
  /** Keeps only the files of the releases' jobs. */
  readonly keepJobs: () => void
  /** Called when the mastering of a release has moved. */
  readonly onChanged: (releaseId: string) => void
}

/** Pause before the next attempt while another program holds a lock on the database, ms. */
const LOCKED_RETRY_MS = 1000
/** Pause before the next attempt after any other fault, ms. */
const FAULT_RETRY_MS = 30_000

/** Time until a plan returns partial results, ms: shorter than any client's timeout. */
const PLAN_WAIT_MS = 10_000

/** The mastering of all releases, at rest until the first `feed`. */
export class ReleaseMastering {
  readonly #deps: ReleaseMasteringDeps
  readonly #stopping = new AbortController()
  /** Releases whose run is waiting for measurements of its songs. */
  readonly #planning = new Set<string>()
  /** Measurements under way, by the content of the song. */
  readonly #looks = new Map<string, Promise<SongMeasure>>()
  #lastLook: Promise<unknown> = Promise.resolve()
  #isFeeding = false

  constructor(deps: ReleaseMasteringDeps) {
    this.#deps = deps
  }

  /**
   * Returns the mastering plan of a release. New songs are measured; after some seconds the facts known by then are returned. Throws
   * RELEASE_NOT_FOUND, RELEASE_NOT_READY, TRACKS_NOT_CONTINUOUS, or the error of a measurement.
   */
  async plan(releaseId: string, signal: AbortSignal): Promise<ReleasePlan> {
    const { ledger, clock, onChanged } = this.#deps
    const gone = await this.bringBackSongs(releaseId)
    if (gone) throw gone
    const release = this.#require(releaseId)
    const run = newRun(release, this.#songs(release), {})
    const all = this.#measures(run)
    // The result is discarded once the request is answered or given up.
    all.catch(() => {})
    const isAtHand = run.parts.every((part) => this.#known(part) !== undefined)
    const limit = new AbortController()
    const late = clock.sleep(PLAN_WAIT_MS, AbortSignal.any([signal, this.#stopping.signal, limit.signal]))
    const measures = await Promise.race([all, late.then(() => undefined)]).finally(() => limit.abort())
    const facts: PlanFacts = {
      titles: release.tracks.map(({ facts: own }) => fullTitle(own)),
      needsCredit: run.parts.map(({ tracks }) => this.#needCredits(releaseId, tracks).length > 0),
      balance: ledger.balance(),
    }
    if (measures) {
      if (!isAtHand) onChanged(releaseId)
      return planOf(withMeasures(run, measuredUnits(run, measures)), measures, facts)
    }
    // Callers are notified when the rest is ready.
    all.then(
      () => onChanged(releaseId),
      () => onChanged(releaseId),
    )
    return incompletePlan(
      run,
      run.parts.map((part) => this.#known(part)),
      facts,
    )
  }

  /**
   * Copies the songs of a release back from batches' delivery folders. Returns the error of the first missing one. Throws
   * RELEASE_NOT_FOUND.
   */
  async bringBackSongs(releaseId: string): Promise<AppError | undefined> {
    for (const { jobId } of this.#require(releaseId).tracks)
      try {
        if (jobId !== undefined) await this.#deps.bringBackSong(jobId)
      } catch (cause) {
        // A deleted or expired job leaves the track without a song, which is reported with the track.
        if (!(cause instanceof AppError)) throw cause
        if (cause.code === 'FILE_GONE' || cause.code === 'INSUFFICIENT_STORAGE') return cause
      }
    return undefined
  }

  /**
   * Starts mastering a release. Throws RELEASE_NOT_FOUND; RELEASE_NOT_READY for a track without a song; TRACKS_NOT_CONTINUOUS;
   * RELEASE_BUSY; and INSUFFICIENT_CREDITS, before anything starts, if the balance does not cover all of it.
   */
  master(releaseId: string, caller: Caller): void {
    const { runs, ledger } = this.#deps
    const release = this.#require(releaseId)
    const earlier = runs.find(releaseId)
    if (earlier?.state === 'mastering') throw new AppError('RELEASE_BUSY')
    const songs = this.#songs(release)
    const tracks = songs.map(({ track }) => track)
    const cost = CREDITS_PER_JOB * this.#needCredits(releaseId, tracks).length
    const balance = ledger.balance()
    if (balance < cost) throw new AppError('INSUFFICIENT_CREDITS', { cost, balance })
    const { keyId: _, ...unkeyed } = release
    const by = caller.via === 'key' ? { ...unkeyed, keyId: caller.keyId } : unkeyed
    this.#save(releaseId, newRun(by, songs, earlier?.masters ?? {}))
  }

  /** Stops a release's mastering; its jobs are refunded by their usual rule. Throws RELEASE_NOT_FOUND. */
  cancel(releaseId: string): void {
    const { runs, jobs, jobOf } = this.#deps
    this.#require(releaseId)
    const run = runs.find(releaseId)
    if (run?.state !== 'mastering') return
    this.#save(releaseId, { ...run, state: 'failed', failure: { code: 'CANCELLED', values: {} } })
    for (const { jobId } of run.parts) if (jobId !== undefined && jobOf(jobId)?.state === 'queued') jobs.cancel(jobId)
  }

  /** Resolves when no song is being measured. */
  async close(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    await this.#lastLook
  }

  /** Advances every release: call it when a job has ended, or a slot or an engine process may be free. Never throws. */
  feed(): void {
    const { runs, clock, log } = this.#deps
    if (this.#isFeeding || this.#stopping.signal.aborted) return
    this.#isFeeding = true
    try {
      for (const releaseId of runs.active()) this.#advance(releaseId)
    } catch (cause) {
      const isLocked = databaseFault(cause) === 'busy'
      log[isLocked ? 'warn' : 'error']('the mastering of a release could not go on', { cause })
      clock.after(isLocked ? LOCKED_RETRY_MS : FAULT_RETRY_MS, () => this.feed())
    } finally {
      this.#isFeeding = false
    }
  }

  /** Returns the state of a release's mastering in answer form. */
  show(releaseId: string, language: Language): Mastering {
    const run = this.#deps.runs.find(releaseId)
    if (!run) return { state: 'idle', progress: 0 }
    const target = run.mode === 'album' ? run.targets[RELEASE] : undefined
    const { record, failure } = run
    return {
      state: run.state,
      progress: run.state === 'done' ? 100 : this.#progress(run),
      round: run.round,
      ...(target === undefined ? {} : { target_lufs: target }),
      ...(record
        ? { record_lufs: rounded(record.recordLufs, 2), largest_relation_error_lu: rounded(record.relationErrorLu, 2) }
        : {}),
      ...(record?.heldBack
        ? { held_back: { track_id: record.heldBack.trackId, down_lu: rounded(record.heldBack.downLu, 2) } }
        : {}),
      ...(failure ? { failure: shownFailure(failure, language) } : {}),
    }
  }

  /** Returns the master that the newest run makes of the present song of a track; undefined without one. */
  showMaster(releaseId: string, { trackId, ...song }: TrackRecord): TrackMaster | undefined {
    const { runs, jobOf } = this.#deps
    const run = runs.find(releaseId)
    const part = run?.parts.find(({ tracks }) => tracks.some((one) => one.trackId === trackId))
    if (!run || !part || !isSameSong(part, trackId, song)) return undefined
    const job = part.jobId === undefined ? undefined : jobOf(part.jobId)
    const target = part.targets[RELEASE]
    const recordTarget = run.targets[RELEASE]
    return {
      ...(part.jobId === undefined ? {} : { job_id: part.jobId }),
      state: part.state === 'done' && !job?.hasFiles ? 'gone' : part.state,
      ...(job?.integratedLufs === undefined ? {} : { integrated_lufs: job.integratedLufs }),
      ...(target === undefined ? {} : { target_lufs: target }),
      ...(target === undefined || recordTarget === undefined ? {} : { offset_lu: rounded(target - recordTarget, 3) }),
      ...(Object.keys(part.corrections).length > 0 ? { corrections: part.corrections } : {}),
    }
  }

  /** Returns the job whose masters in the last finished record were made from the track's current song. */
  masterJobOf(releaseId: string, { trackId, ...song }: TrackRecord): string | undefined {
    const master = this.#deps.runs.find(releaseId)?.masters[trackId]
    const sha256 = master && this.#deps.songOf(song)?.sha256
    return sha256 !== undefined && sha256 === master?.sourceSha256 ? master.jobId : undefined
  }

  #require(releaseId: string): ReleaseRecord {
    const release = this.#deps.store.find(releaseId)
    if (!release) throw new AppError('RELEASE_NOT_FOUND')
    return release
  }

  /** Returns the songs of all tracks. Throws RELEASE_NOT_READY or TRACKS_NOT_CONTINUOUS. */
  #songs({ tracks }: ReleaseRecord): RunSong[] {
    if (tracks.length === 0) throw new AppError('RELEASE_NOT_READY')
    const songs = tracks.map(({ trackId, sourceId, jobId, facts }, index) => {
      const song = { ...(sourceId === undefined ? {} : { sourceId }), ...(jobId === undefined ? {} : { jobId }) }
      const stored = this.#deps.songOf(song)
      if (!stored)
        throw new AppError('RELEASE_NOT_READY', { track: index + 1, title: fullTitle(facts), reason: 'no_song' })
      return { track: { trackId, ...song, sourceSha256: stored.sha256 }, song: stored }
    })
    requireContinuous(
      songs.map(({ song }, i) => ({ song, facts: tracks[i]!.facts, title: fullTitle(tracks[i]!.facts) })),
    )
    return songs
  }

  /** Returns the tracks with uncharged songs. */
  #needCredits(releaseId: string, tracks: readonly RunTrack[]): RunTrack[] {
    const { runs, ledger } = this.#deps
    const isPaid = ({ trackId, sourceSha256 }: RunTrack) =>
      runs
        .jobsOf({ releaseId, trackId, sourceSha256 })
        .some(({ jobId, isCharge }) => isCharge && !ledger.isRefunded(jobId))
    return tracks.filter((track) => !isPaid(track))
  }

  #save(releaseId: string, run: ReleaseRun): void {
    const { runs, keepJobs, onChanged } = this.#deps
    runs.save(releaseId, run)
    keepJobs()
    onChanged(releaseId)
  }

  /** Advances a release as far as its jobs, the slots and the processes allow. */
  #advance(releaseId: string): void {
    const { runs, jobOf } = this.#deps
    for (;;) {
      const run = runs.find(releaseId)
      if (run?.state !== 'mastering') return
      if (run.phase === 'measuring') {
        this.#beginMeasuring(releaseId, run)
        return
      }
      const next = advanced(run, jobOf)
      if (next !== run) this.#save(releaseId, next)
      if (next.state !== 'mastering') return
      const waiting = next.parts.findIndex(({ state }) => state === 'waiting')
      if (waiting < 0 || !this.#takePart(releaseId, next, waiting)) return
    }
  }

  /** Gives a part its job, an earlier equal one or a new one; returns false if there is no room for one now. */
  #takePart(releaseId: string, run: ReleaseRun, index: number): boolean {
    const part = run.parts[index]!
    const known = this.#equalJob(releaseId, part)
    if (known !== undefined) {
      this.#save(releaseId, withPart(run, index, { state: 'queued', jobId: known }))
      return true
    }
    if (this.#countQueued() >= this.#deps.workers() || this.#deps.jobs.freeSlots() === 0) return false
    try {
      this.#submit(releaseId, run, index)
      return true
    } catch (cause) {
      if (databaseFault(cause) === 'busy') throw cause
      const { code, values } = toAppError(cause)
      if (code === 'CONCURRENT_LIMIT') return false
      if (code === 'INTERNAL_ERROR')
        this.#deps.log.error('a track of a release could not be handed over', { releaseId, cause })
      const failure = run.failure ?? { code, values, trackId: part.tracks[0]!.trackId }
      this.#save(releaseId, { ...withPart(run, index, { state: 'failed' }), failure })
      return true
    }
  }

  #submit(releaseId: string, run: ReleaseRun, index: number): void {
    const { runs, jobs, songOf } = this.#deps
    const part = run.parts[index]!
    const songAt = (place: number) => {
      const [track] = run.parts[place]!.tracks
      const song = songOf(track!)
      if (song?.sha256 !== track!.sourceSha256)
        throw new AppError('RELEASE_NOT_READY', { reason: 'no_song', track: place + 1 })
      return song
    }
    const { places, of } = unitsIn(run.parts)
    const others = places[of[index]!]!.filter((place) => place !== index)
    const unpaid = this.#needCredits(releaseId, part.tracks)
    jobs.submit({
      caller: run.keyId === undefined ? { via: 'session' } : { via: 'key', keyId: run.keyId },
      request: requestOf(part),
      song: songAt(index),
      joinedPaths: others.map((place) => songAt(place).path),
      batchId: releaseId,
      isFree: unpaid.length === 0,
      alongside: (jobId) => {
        for (const { trackId, sourceSha256 } of part.tracks) {
          const isCharge = unpaid.some((one) => one.trackId === trackId)
          runs.addJob({ jobId, releaseId, trackId, sourceSha256, isCharge })
        }
        runs.save(releaseId, withPart(run, index, { state: 'queued', jobId }))
      },
    })
    this.#deps.keepJobs()
    this.#deps.onChanged(releaseId)
  }

  /** Returns a job of before that made, or makes, just this. */
  #equalJob(releaseId: string, part: RunPart): string | undefined {
    const { runs, jobOf } = this.#deps
    const [track] = part.tracks
    const wanted = JSON.stringify(requestOf(part))
    return runs
      .jobsOf({ releaseId, ...track! })
      .map(({ jobId }) => jobId)
      .find((jobId) => {
        const job = jobOf(jobId)
        return job?.state === 'done' && job.hasFiles && JSON.stringify(job.request) === wanted
      })
  }

  #countQueued(): number {
    const { runs, jobOf } = this.#deps
    const parts = runs.active().flatMap((releaseId) => runs.find(releaseId)?.parts ?? [])
    return parts.filter(({ jobId, state }) => state === 'queued' && jobId && jobOf(jobId)?.state === 'queued').length
  }

  #progress({ parts }: ReleaseRun): number {
    const { jobOf } = this.#deps
    const percent = ({ state, jobId }: RunPart) =>
      state === 'done' ? 100 : state === 'queued' && jobId !== undefined ? (jobOf(jobId)?.progress ?? 0) : 0
    return Math.min(99, Math.floor(parts.reduce((sum, part) => sum + percent(part), 0) / parts.length))
  }

  #beginMeasuring(releaseId: string, run: ReleaseRun): void {
    if (this.#planning.has(releaseId)) return
    this.#planning.add(releaseId)
    this.#measures(run)
      .then(
        () => this.#planned(releaseId),
        (cause: unknown) => {
          if (!this.#stopping.signal.aborted) this.#unmeasurable(releaseId, cause)
        },
      )
      .catch((cause: unknown) => this.#deps.log.error('a release could not be planned', { releaseId, cause }))
      .finally(() => {
        this.#planning.delete(releaseId)
        this.feed()
      })
  }

  /** Sets the targets of a run with measured songs; a new run may have started meanwhile and then measures its own. */
  #planned(releaseId: string): void {
    const run = this.#deps.runs.find(releaseId)
    const measures = run?.parts.map((part) => this.#known(part)).filter((known) => known !== undefined)
    if (run?.state !== 'mastering' || measures?.length !== run.parts.length) return
    this.#save(releaseId, withMeasures(run, measuredUnits(run, measures)))
  }

  #unmeasurable(releaseId: string, cause: unknown): void {
    const run = this.#deps.runs.find(releaseId)
    if (run?.state !== 'mastering') return
    const { code, values } = toAppError(cause)
    if (code === 'INTERNAL_ERROR')
      this.#deps.log.error('a song of a release could not be measured', { releaseId, cause })
    this.#save(releaseId, { ...run, state: 'failed', failure: { code, values } })
  }

  /** Returns the measurements of a run's songs when all are done, each measured once. */
  #measures({ parts }: ReleaseRun): Promise<SongMeasure[]> {
    return Promise.all(parts.map((part, index) => this.#known(part) ?? this.#measure(part, index)))
  }

  #known({ tracks }: RunPart): SongMeasure | undefined {
    return this.#deps.runs.measure(tracks[0]!.sourceSha256)
  }

  /** Measures a song after those before it; the result is shared by all callers, so only the end of the program aborts it. */
  #measure({ tracks }: RunPart, index: number): Promise<SongMeasure> {
    const { runs, songOf, measure } = this.#deps
    const { sourceSha256, ...track } = tracks[0]!
    const begun = this.#looks.get(sourceSha256)
    if (begun) return begun
    const look = this.#lastLook
      .then(() => {
        this.#stopping.signal.throwIfAborted()
        const song = songOf(track)
        if (!song) throw new AppError('RELEASE_NOT_READY', { reason: 'no_song', track: index + 1 })
        return measure(song, this.#stopping.signal)
      })
      .then((found) => {
        runs.saveMeasure(sourceSha256, found)
        return found
      })
      .finally(() => this.#looks.delete(sourceSha256))
    this.#looks.set(sourceSha256, look)
    this.#lastLook = look.catch(() => {})
    return look
  }
}

function isSameSong({ tracks }: RunPart, trackId: string, { sourceId, jobId }: TrackSong): boolean {
  const track = tracks.find((one) => one.trackId === trackId)
  return track?.sourceId === sourceId && track?.jobId === jobId
}

function shownFailure({ code, values, trackId }: RunFailure, language: Language): NonNullable<Mastering['failure']> {
  const message =
    code in FAILURES
      ? failureText(code as FailureCode, values, language)
      : errorText(code as ErrorCode, values, language)
  return { code, message, ...(trackId === undefined ? {} : { track_id: trackId }) }
}
