/**
 * Bulk batches: many songs in one request. They wait as rows; a few at a time become ordinary jobs, which bounds the cost of thousands, and
 * waiting ones can be paused and cancelled. The page's batch is separate (batch/batch.ts).
 */
import type {
  ManifestHead,
  ManifestLine,
  Manifest as ManifestPayload,
  ManifestSong,
  PauseReason,
} from '../../src-contract/batches.ts'
import { CREDITS_PER_JOB } from '../../src-contract/plans.ts'
import type { Language } from '../../src-contract/text/language.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import { AppError } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import type { Caller } from '../http/route.ts'
import { fingerprintOf } from '../jobs/idempotency.ts'
import type { JobRecord } from '../jobs/store.ts'
import { type DeliveryDeps, ManifestDelivery } from './delivery.ts'
import { BulkFeed, type HandOverDeps } from './feed.ts'
import { type ReadManifest, requestOf } from './manifest.ts'
import { manifestPayload, songPayload } from './payload.ts'
import { bytesNeeded } from './song-source.ts'
import type { BulkBatchRecord, BulkStore, NewSong, SongError, SongOutcome, SongRecord } from './store.ts'

export interface BulkBatchesDeps
  extends Omit<HandOverDeps, 'store' | 'onRefused' | 'onPause'>,
    Omit<DeliveryDeps, 'store'> {
  readonly store: BulkStore
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly balance: () => number
  readonly freeBytes: () => number
  /** Resolves with the real path of a writable folder. Rejects with PATH_NOT_ALLOWED. */
  readonly allowedFolder: (name: string) => Promise<string>
  readonly jobOf: (jobId: string) => JobRecord | undefined
  readonly cancelJob: (jobId: string) => void
}

/** Files inspected at the same time before a manifest is answered. */
const LOOKS_AT_ONCE = 32
/** Pause before the next attempt while another program holds a lock on the database, ms. */
const RETRY_MS = 1000
/** Interval between checks of the resources that paused batches lack, ms. */
const NEED_LOOK_MS = 2000
/** Most batches of a list. */
const MAX_LISTED = 100

/** The manifests of an open database, at rest until `start`. */
export class BulkBatches {
  readonly #deps: BulkBatchesDeps
  readonly #store: BulkStore
  readonly #feed: BulkFeed
  readonly #delivery: ManifestDelivery
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #closing = new AbortController()

  constructor(deps: BulkBatchesDeps) {
    this.#deps = deps
    this.#store = deps.store
    this.#delivery = new ManifestDelivery(deps)
    this.#feed = new BulkFeed({
      ...deps,
      onRefused: (song, error) => this.#end(song, 'failed', { error }),
      onPause: (batchId, reason) => this.pause(batchId, reason),
    })
  }

  /** Resumes the work of an earlier run. */
  start(): void {
    this.#feed.start()
    this.#reconcile()
    this.feed()
    void this.#watchNeeds()
  }

  /** Hands over as many songs as there is room for. Never throws. */
  feed(): void {
    this.#feed.feed()
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the server stops'))
    await this.#feed.close()
    await this.#delivery.close()
  }

  /**
   * Makes a batch from a manifest, or returns the existing one of the same manifest. Rejects with PATH_NOT_ALLOWED for its folder and with
   * IDEMPOTENCY_MISMATCH if its `batch_id` belongs to another manifest. A batch short of credits or disk space is paused.
   */
  async create(caller: Caller, { head, lines }: ReadManifest): Promise<{ batchId: string; isReplay: boolean }> {
    const { random, clock } = this.#deps
    const batchId = head.batch_id ?? random.newUuid()
    const fingerprint = fingerprintOf([head, lines])
    const isReplay = () => this.#isReplay(batchId, fingerprint)
    if (isReplay()) return { batchId, isReplay: true }
    if (head.folder !== undefined) await this.#deps.allowedFolder(head.folder)
    const songs = await this.#looked(head, lines)
    return this.#store.atOnce(() => {
      if (isReplay()) return { batchId, isReplay: true }
      const keyId = caller.via === 'key' ? caller.keyId : null
      const waiting = songs.filter(({ error }) => !error)
      const bytes = waiting.reduce((sum, song) => sum + song.bytesNeeded, 0)
      const reason = this.#shortage(waiting.length, bytes)
      const state = waiting.length === 0 ? 'ended' : reason ? 'paused' : 'running'
      const pauseReason = state === 'paused' ? (reason ?? null) : null
      this.#store.add({ batchId, keyId, fingerprint, head, state, pauseReason, createdAtMs: clock.now() }, songs)
      if (state === 'ended') this.#store.setState(batchId, 'ended', { endedAtMs: clock.now() })
      return { batchId, isReplay: false }
    })
  }

  /** Returns a batch in answer form. Throws BATCH_NOT_FOUND. */
  show(batchId: string): ManifestPayload {
    return this.#payload(this.#require(batchId))
  }

  list(): ManifestPayload[] {
    return this.#store.newest(MAX_LISTED).map((manifest) => this.#payload(manifest))
  }

  /** Returns rows of the result table, in the order of the manifest. Throws BATCH_NOT_FOUND. */
  table(batchId: string, page: Parameters<BulkStore['page']>[1], language: Language): ManifestSong[] {
    this.#require(batchId)
    return this.#store.page(batchId, page).map((song) => songPayload(song, language))
  }

  /** Pauses a running batch; songs already handed over are finished. Throws BATCH_NOT_FOUND. */
  pause(batchId: string, reason: PauseReason = 'caller'): void {
    if (this.#require(batchId).state === 'running') this.#store.setState(batchId, 'paused', { reason })
    this.#tell(batchId)
  }

  /** Resumes a paused batch as far as credits and disk space allow. Throws BATCH_NOT_FOUND. */
  resume(batchId: string): void {
    if (this.#require(batchId).state === 'paused') this.#store.setState(batchId, 'running')
    this.#reconcile()
    this.#endIfOver(batchId)
    this.feed()
  }

  /** Cancels all unfinished songs and refunds their jobs. Throws BATCH_NOT_FOUND. */
  cancel(batchId: string): void {
    const { cancelJob } = this.#deps
    this.#require(batchId)
    this.#store.atOnce(() => {
      for (const place of this.#store.waitingPlaces(batchId)) this.#store.end({ batchId, place }, 'cancelled')
    })
    for (const { jobId } of this.#store.queued().filter((song) => song.batchId === batchId))
      if (jobId !== null && this.#deps.jobOf(jobId)) cancelJob(jobId)
    // Masters that wait for their folder are still delivered.
    this.#reconcile()
    this.#endIfOver(batchId)
    this.#tell(batchId)
  }

  /** Cancels an unfinished batch, or removes the record of an ended one. Returns whether it is gone. Throws BATCH_NOT_FOUND. */
  delete(batchId: string): boolean {
    const isEnded = this.#require(batchId).state === 'ended'
    if (isEnded) this.#store.remove(batchId)
    else this.cancel(batchId)
    return isEnded
  }

  /** Queues failed songs again; cancelled ones stay cancelled. Throws BATCH_NOT_FOUND. */
  retry(batchId: string): void {
    const { state } = this.#require(batchId)
    this.#store.atOnce(() => {
      const count = this.#store.waitAgain(batchId)
      if (count > 0 && state === 'ended') this.#store.setState(batchId, 'running')
    })
    this.#tell(batchId)
    this.feed()
  }

  /** Ends the song of an ended job once its masters are delivered. Never throws. */
  jobEnded({ jobId }: Pick<JobRecord, 'jobId'>): void {
    const { log, clock } = this.#deps
    try {
      const song = this.#store.songOfJob(jobId)
      if (song) this.#settle(song)
    } catch (cause) {
      log.warn('the end of a song of a manifest waits for the database', { jobId, cause })
      clock.after(RETRY_MS, () => this.jobEnded({ jobId }))
    }
    this.feed()
  }

  /** Returns the songs that ended after a position in the order of endings, in answer form. */
  endedAfter(batchId: string, order: number, limit: number, language: Language) {
    return this.#store.endedAfter(batchId, order, limit).map((song) => ({
      order: song.endOrder ?? 0,
      song: songPayload(song, language),
    }))
  }

  isOver(batchId: string): boolean {
    return (this.#store.find(batchId)?.state ?? 'ended') === 'ended'
  }

  /** Calls `onNews` whenever a song of a batch has ended, until the returned function is called. */
  follow(batchId: string, onNews: () => void): () => void {
    const listeners = this.#listeners.get(batchId) ?? new Set()
    this.#listeners.set(batchId, listeners.add(onNews))
    return () => {
      listeners.delete(onNews)
      if (listeners.size === 0) this.#listeners.delete(batchId)
    }
  }

  /** Resumes batches that lacked credits or disk space once there is enough for all waiting songs. */
  async #watchNeeds(): Promise<void> {
    const { clock, log } = this.#deps
    const { signal } = this.#closing
    while (!signal.aborted) {
      try {
        for (const { batchId, pauseReason } of this.#store.inNeed()) {
          const { songs, waitingBytes } = this.#store.counts(batchId)
          if (this.#shortage(songs.waiting, waitingBytes) !== pauseReason) this.resume(batchId)
        }
      } catch (cause) {
        log.warn('paused batches could not be looked at', { cause })
      }
      await clock.sleep(NEED_LOOK_MS, signal).catch(() => {})
    }
  }

  #isReplay(batchId: string, fingerprint: string): boolean {
    const before = this.#store.find(batchId)
    if (before && before.fingerprint !== fingerprint)
      throw new AppError('IDEMPOTENCY_MISMATCH', { name: 'batch_id' }, { param: 'batch_id' })
    return before !== undefined
  }

  /** Inspects the files of all songs; an unreadable or forbidden one has failed. */
  async #looked(head: ManifestHead, lines: readonly ManifestLine[]): Promise<NewSong[]> {
    const look = async (line: ManifestLine): Promise<NewSong> => {
      try {
        const { settings } = requestOf(head, line, () => {})
        return { line, bytesNeeded: await bytesNeeded(this.#deps, line, settings) }
      } catch (cause) {
        const { code, values } = toAppError(cause)
        return { line, bytesNeeded: 0, error: { code, values } }
      }
    }
    const songs: NewSong[] = []
    for (let start = 0; start < lines.length; start += LOOKS_AT_ONCE)
      songs.push(...(await Promise.all(lines.slice(start, start + LOOKS_AT_ONCE).map(look))))
    return songs
  }

  /** Returns the missing resource for this many songs and bytes. */
  #shortage(songs: number, bytes: number): PauseReason | undefined {
    if (songs * CREDITS_PER_JOB > this.#deps.balance()) return 'credits'
    return bytes > this.#deps.freeBytes() ? 'disk' : undefined
  }

  #payload(manifest: BulkBatchRecord): ManifestPayload {
    const { balance, freeBytes } = this.#deps
    return manifestPayload(manifest, this.#store.counts(manifest.batchId), {
      balance: balance(),
      freeBytes: freeBytes(),
    })
  }

  #require(batchId: string): BulkBatchRecord {
    const manifest = this.#store.find(batchId)
    if (!manifest) throw new AppError('BATCH_NOT_FOUND')
    return manifest
  }

  /** Settles songs whose jobs ended unobserved: before a crash, or while their folder was unavailable. */
  #reconcile(): void {
    for (const song of this.#store.queued()) this.#settle(song)
  }

  /** Ends a song whose job has ended, once its masters are delivered. */
  #settle(song: SongRecord): void {
    const job = this.#deps.jobOf(song.jobId ?? '')
    if (!job) this.#end(song, 'failed', { error: { code: 'JOB_NOT_FOUND', values: {} } })
    else if (job.failure)
      this.#end(song, job.failure.code === 'CANCELLED' ? 'cancelled' : 'failed', { error: job.failure })
    else if (job.state === 'done') this.#deliver(song, job)
  }

  #deliver(song: SongRecord, job: JobRecord): void {
    const { subfolder } = song.line
    const outcome = outcomeOf(job)
    const folder = this.#store.find(song.batchId)?.head.folder
    if (folder === undefined) this.#end(song, 'done', { outcome })
    else
      this.#delivery.add(
        { job, folder, ...(subfolder === undefined ? {} : { subfolder }) },
        {
          alongside: (to) => this.#note(song, 'done', { outcome: { ...outcome, folder: to } }),
          onDelivered: () => this.#tellEnd(song),
          onFailed: () => this.pause(song.batchId, 'folder'),
        },
      )
  }

  #end(
    song: SongRecord,
    state: 'done' | 'failed' | 'cancelled',
    how: { error?: SongError; outcome?: SongOutcome },
  ): void {
    this.#note(song, state, how)
    this.#tellEnd(song)
  }

  #note(
    song: SongRecord,
    state: 'done' | 'failed' | 'cancelled',
    how: { error?: SongError; outcome?: SongOutcome },
  ): void {
    this.#store.end(song, state, how)
    this.#endIfOver(song.batchId)
  }

  #tellEnd({ batchId }: SongRecord): void {
    this.#tell(batchId)
    this.feed()
  }

  #endIfOver(batchId: string): void {
    const manifest = this.#store.find(batchId)
    if (!manifest || manifest.state === 'ended' || !this.#store.hasEnded(batchId)) return
    this.#store.setState(batchId, 'ended', { endedAtMs: this.#deps.clock.now() })
  }

  #tell(batchId: string): void {
    for (const onNews of [...(this.#listeners.get(batchId) ?? [])]) onNews()
  }
}

function outcomeOf({ shownTitle: title, result }: JobRecord): SongOutcome {
  const masters = (result?.masters ?? []).map(({ platform, integrated_lufs, true_peak_dbtp, verdict }) => ({
    ...{ platform, integrated_lufs, true_peak_dbtp, verdict },
  }))
  return { title, masters }
}
