/**
 * The batch: songs wait here, in the order the user gave them, until an engine process and a slot of the plan are free; then each
 * becomes an ordinary job. What waits can still be reordered, paused and taken back without a charge; what was handed over is
 * finished. It is rows in the database, so pages can be reloaded and the machine restarted in the middle of a batch.
 */
import { rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Preset } from '../../src-contract/app.ts'
import { cleanName } from '../../src-contract/clean-name.ts'
import type { CoverChange } from '../../src-contract/covers.ts'
import { BATCH_CHANGED } from '../../src-contract/events.ts'
import { MAX_PRESETS } from '../../src-contract/limits.ts'
import type { OwnMetadata } from '../../src-contract/metadata.ts'
import { FIRST_SETTINGS, jobSettings, type MasterSettings } from '../../src-contract/settings.ts'
import { chosenMix } from '../../src-contract/stem-mix.ts'
import type { StemMix } from '../../src-contract/stem-mix-schemas.ts'
import type { Language } from '../../src-contract/text/language.ts'
import type { Log } from '../../src-system/log.ts'
import type { Clock, Random } from '../../src-system/system.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import type { StoredCover } from '../../src-worker/media/cover.ts'
import type { Db } from '../db/open.ts'
import { AppError, invalidRequest, unusable } from '../http/app-error.ts'
import type { Caller } from '../http/route.ts'
import type { SourceJobs } from '../jobs/source-jobs.ts'
import type { Sources } from '../sources/sources.ts'
import { unusedSongs } from '../sources/unused-songs.ts'
import type { CoverRow } from '../uploads/cover-row.ts'
import type { MasterRequest } from '../uploads/form.ts'
import { changedOwnMetadata } from '../uploads/metadata.ts'
import type { SpareRoom } from '../uploads/spare-room.ts'
import { WatchFolderStore } from '../watch/watch-folder-store.ts'
import { BatchFeed } from './batch-feed.ts'
import { batchToJson, songsToJson } from './batch-json.ts'
import { type BatchCommon, type BatchRow, BatchStore } from './batch-store.ts'

/** Request for the job of one song. */
export interface BatchJob {
  readonly caller: Caller
  readonly request: MasterRequest
  readonly song: StoredSong
  readonly reference?: StoredSong
  /** Picture of its masters, in place of the song's own; the file exists until the call returns. */
  readonly cover?: StoredCover
  readonly batchId: string
  readonly sourceId: string
  /** Mix of the stems of the song; absent for their sum. */
  readonly stemMix?: StemMix
}

/** The jobs as the batch uses them. */
export interface BatchJobs {
  /** Creates a job and charges it. Throws an AppError. */
  submit(job: BatchJob): unknown
  cancel(jobId: string): unknown
  /** Jobs that the plan allows to start now. */
  freeSlots(): number
}

export interface BatchDeps {
  readonly db: Db
  readonly clock: Clock
  /** Time by which songs are forgotten, milliseconds since 1970; the clock's own when absent. */
  readonly trustedNow?: () => number
  readonly random: Random
  readonly log: Log
  /** Folder for files being moved to a job, on the disk of the jobs. */
  readonly tmp: string
  readonly sources: Sources
  readonly jobs: BatchJobs
  readonly sourceJobs: SourceJobs
  /** Returns the stored songs that are songs of releases. */
  readonly releasedSources: () => readonly string[]
  /** Engine processes that may run at once, at this moment. */
  readonly workers: () => number
  readonly spareRoom: Pick<SpareRoom, 'use'>
  /** Records the event that the batch has changed, and publishes it after the commit. */
  readonly notify: { record(event: { event: typeof BATCH_CHANGED }): unknown; committed(): void }
}

/** A change of the batch as a whole; absent members stay as they are. */
export interface BatchChange {
  readonly is_paused?: boolean
  readonly settings?: MasterSettings
  readonly presets?: Preset[]
  readonly order?: string[]
  readonly metadata?: readonly SongMetadataChange[]
}

/** Details of one song; absent members keep their value, an empty text restores the file's. */
export type SongMetadataChange = OwnMetadata & { readonly source_id: string }

/** Time for which a removed song can be put back, and an unused reference is kept, ms: one day. */
const UNDO_MS = 86_400_000

/** The batch over an open database. `feed` submits the songs for which there is room; call it when some may have become free. */
export class BatchQueue {
  readonly #deps: BatchDeps
  readonly #store: BatchStore
  readonly #watchFolders: WatchFolderStore
  readonly #feed: BatchFeed

  constructor(deps: BatchDeps) {
    this.#deps = deps
    this.#store = new BatchStore(deps.db)
    this.#watchFolders = new WatchFolderStore(deps.db)
    this.#feed = new BatchFeed({
      db: deps.db,
      clock: deps.clock,
      log: deps.log,
      store: this.#store,
      change: (run) => this.note(run),
      isPaused: () => this.#common().isPaused,
      hasFreeSlot: () => deps.jobs.freeSlots() > 0 && deps.sourceJobs.countUnfinished() < deps.workers(),
      submit: (song) => this.#submit(song),
      isWatched: (sourceId) => this.#watchFolders.hasTaken(sourceId),
    })
  }

  /** Returns the batch as JSON (schema `Batch`) with texts in `language`. */
  json(language: Language): string {
    const { sourceJobs, releasedSources } = this.#deps
    const released = new Set(releasedSources())
    const isOfRelease = ({ sourceId, state }: BatchRow) =>
      state !== 'waiting' && released.has(sourceId) && sourceJobs.listOf(sourceId).length === 0
    const songs = this.#store.songs()
    return batchToJson(
      this.#common(),
      this.#shown(
        songs.filter((song) => !isOfRelease(song)),
        language,
      ),
      this.#shown(songs.filter(isOfRelease), language),
    )
  }

  /** Returns one song as JSON (schema `BatchSong`). Throws NOT_FOUND. */
  songJson(sourceId: string, language: Language): string {
    return this.#shown([this.#require(sourceId)], language)[0]!
  }

  /** Submits waiting songs while there are free processes and slots. Never throws. */
  feed(): void {
    this.#feed.feed()
  }

  /** Writes something that is shown in the batch, such as an analysis, in one transaction with the event that reports it. */
  note(run: () => void): void {
    const { db, notify } = this.#deps
    db.transaction(() => {
      run()
      notify.record({ event: BATCH_CHANGED })
    })()
    notify.committed()
  }

  /** Puts a song at the end, in one transaction with `storeSong`, which stores it and returns its identifier. Returns that. */
  add(storeSong: () => string): string {
    let sourceId = ''
    this.note(() => {
      sourceId = storeSong()
      const { settings } = this.#common()
      this.#store.add(sourceId)
      this.#store.setSettings(sourceId, this.#ownOf(sourceId, settings), settings)
    })
    return sourceId
  }

  /**
   * Puts a song at the end as `add` does, and starts it with a batch identifier of its own; without `settings` it is mastered with the
   * common ones.
   */
  addStarted(storeSong: () => string, settings: MasterSettings | null): void {
    const store = this.#store
    this.note(() => {
      const sourceId = storeSong()
      const { settings: shared } = this.#common()
      const own = this.#ownOf(sourceId, settings ?? shared) ?? settings
      store.add(sourceId)
      if (own) store.setSettings(sourceId, own, shared)
      store.move(sourceId, 'waiting', {
        startedSettings: own ?? shared,
        batchId: this.#deps.random.newUuid(),
      })
    })
    this.feed()
  }

  /**
   * Pauses or resumes the batch, sets the common settings or presets, reorders the songs, or writes about some. Throws PRESET_NAME_TAKEN,
   * INVALID_REQUEST for metadata, and NOT_FOUND for an unknown song; nothing is changed then.
   */
  change({ is_paused, settings, presets, order, metadata = [] }: BatchChange): void {
    const written = metadata.map(
      ({ source_id, ...texts }) => [source_id, changedOwnMetadata(this.#require(source_id).metadata, texts)] as const,
    )
    this.note(() => {
      const before = this.#common()
      if (presets) requireOwnNames(presets, before.presets)
      this.#store.setCommon({
        isPaused: is_paused ?? before.isPaused,
        settings: settings ?? before.settings,
        presets: presets ?? before.presets,
      })
      this.#readyChangedReferences()
      if (order) this.#store.reorder(order)
      for (const [sourceId, texts] of written) this.#store.setMetadata(sourceId, texts)
    })
    this.feed()
  }

  /** Returns the presets, in the order in which they were made. */
  presets(): readonly Preset[] {
    return this.#common().presets
  }

  /** Adds a preset, or replaces that of the same name. Throws INVALID_REQUEST for one too many. */
  savePreset(preset: Preset): void {
    this.note(() => {
      const before = this.#common()
      const isKnown = before.presets.some(({ name }) => name === preset.name)
      const presets = isKnown
        ? before.presets.map((one) => (one.name === preset.name ? preset : one))
        : [...before.presets, preset]
      if (presets.length > MAX_PRESETS) throw unusable('name', { rule: 'items_at_most', limit: MAX_PRESETS })
      this.#store.setCommon({ ...before, presets })
    })
  }

  /** Removes a preset. Throws NOT_FOUND. */
  removePreset(name: string): void {
    this.note(() => {
      const before = this.#common()
      const presets = before.presets.filter((preset) => preset.name !== cleanName(name))
      if (presets.length === before.presets.length) throw new AppError('NOT_FOUND', { reason: 'preset' })
      this.#store.setCommon({ ...before, presets })
    })
  }

  /** Gives one song settings of its own, or null for the common ones. Throws NOT_FOUND. */
  changeSong(sourceId: string, settings: MasterSettings | null): void {
    this.#require(sourceId)
    this.note(() => {
      this.#store.setSettings(sourceId, settings, this.#common().settings)
      this.#readyChangedReferences()
    })
  }

  /** Returns the cover that was set for a song. Throws NOT_FOUND. */
  cover(sourceId: string): CoverRow {
    const cover = this.#store.cover(sourceId)
    if (!cover) throw new AppError('NOT_FOUND')
    return cover
  }

  /** Sets the cover of the masters of a song, undefined restores that of its file. Throws NOT_FOUND. */
  setCover(sourceId: string, cover: CoverRow | undefined): void {
    this.#require(sourceId)
    this.note(() => this.#store.setCover(sourceId, cover))
  }

  /**
   * Starts songs under one new batch identifier: each waits for its slot with the settings of this moment. Songs that already wait
   * or have an unfinished job are left alone. Throws NOT_FOUND for a song that is not in the batch.
   */
  start(sourceIds: readonly string[]): void {
    const { random, sourceJobs } = this.#deps
    const songs = sourceIds.map((sourceId) => this.#require(sourceId))
    if (songs.some(({ isRemoved }) => isRemoved)) throw new AppError('NOT_FOUND')
    const batchId = random.newUuid()
    const { settings } = this.#common()
    this.note(() => {
      for (const song of songs) {
        if (song.state === 'waiting' || sourceJobs.listUnfinishedOf(song.sourceId).length > 0) continue
        this.#store.move(song.sourceId, 'waiting', { startedSettings: song.settings ?? settings, batchId })
      }
    })
    this.feed()
  }

  /** Takes waiting songs back and cancels unfinished jobs. Throws NOT_FOUND. */
  stop(sourceIds: readonly string[]): void {
    const { jobs, sourceJobs } = this.#deps
    const songs = sourceIds.map((sourceId) => this.#require(sourceId))
    this.#noteFreeing(() => {
      for (const { sourceId, state } of songs) if (state === 'waiting') this.#store.move(sourceId, 'ready')
    })
    for (const { sourceId } of songs) for (const jobId of sourceJobs.listUnfinishedOf(sourceId)) jobs.cancel(jobId)
  }

  /** Removes songs; waiting ones will not be mastered. Throws NOT_FOUND. */
  remove(sourceIds: readonly string[]): void {
    const songs = sourceIds.map((sourceId) => this.#require(sourceId))
    this.#noteFreeing(() => {
      for (const { sourceId, state } of songs) {
        if (state === 'waiting') this.#store.move(sourceId, 'ready')
        this.#store.setRemoved(sourceId, this.#deps.clock.now())
      }
    })
  }

  /** Puts removed songs back in their places. Throws NOT_FOUND when it is too late. */
  restore(sourceIds: readonly string[]): void {
    for (const sourceId of sourceIds) this.#require(sourceId)
    this.note(() => {
      for (const sourceId of sourceIds) this.#store.setRemoved(sourceId, null)
    })
  }

  /**
   * Forgets songs removed and references stored a day ago. Songs of a watched folder, which users do not remove by hand, are forgotten
   * once all their masters have expired, if the folder still has them. Keeps songs that settings name or a release has. Returns the
   * identifiers of the forgotten songs.
   */
  forgetUnused(): string[] {
    const { sources, sourceJobs, releasedSources } = this.#deps
    const store = this.#store
    const before = this.#trustedNow() - UNDO_MS
    const isExpired = (sourceId: string) =>
      store.song(sourceId)?.state === 'submitted' && this.#watchFolders.originalsOf(sourceId).some(isUnchanged)
    const { settings, presets } = this.#common()
    const unused = unusedSongs({
      removed: store.removedBefore(before),
      expired: sourceJobs.listSweptSources().filter(isExpired),
      stemSets: sources.stems.listUnused(this.#trustedNow()),
      references: sources.referencesBefore(before),
      released: releasedSources(),
      songs: store.everySong(),
      otherSettings: [settings, ...[...presets, ...this.#watchFolders.all()].map((one) => one.settings)],
    })
    if (unused.length > 0) this.#noteFreeing(() => sources.remove(unused))
    return unused
  }

  /** Returns settings for a new song with the service that its file names, unless `settings` name one; else null. */
  #ownOf(sourceId: string, settings: MasterSettings): MasterSettings | null {
    const service = this.#deps.sources.show(sourceId)?.made_with
    return service && settings.ai_service === 'other' ? { ...settings, ai_service: service } : null
  }

  /** Returns songs as JSON (schema `BatchSong`). */
  #shown(songs: readonly BatchRow[], language: Language): string[] {
    const { sources, sourceJobs } = this.#deps
    return songsToJson({ sources, sourceJobs, nowMs: this.#trustedNow() }, songs, language)
  }

  #trustedNow(): number {
    const { clock, trustedNow = clock.now } = this.#deps
    return trustedNow()
  }

  /** As `note`, for a change that frees room: it goes through on a full disk too. */
  #noteFreeing(run: () => void): void {
    this.#deps.spareRoom.use(() => this.note(run))
  }

  /** Returns the settings, presets and pause that all songs share. */
  #common(): BatchCommon {
    return this.#store.common() ?? { isPaused: false, settings: FIRST_SETTINGS, presets: [] }
  }

  #require(sourceId: string): BatchRow & { isRemoved: boolean } {
    const song = this.#store.song(sourceId)
    if (!song) throw new AppError('NOT_FOUND')
    return song
  }

  #submit(song: BatchRow): void {
    const { jobs, sources, sourceJobs, tmp, random } = this.#deps
    // A crash may have come between the job and the row that records it.
    if (song.batchId !== null && sourceJobs.isInBatch(song.sourceId, song.batchId)) return
    const job = jobOf(song, this.#common().settings, sources)
    const cover = this.#store.cover(song.sourceId)
    if (!cover) return void jobs.submit(job)
    const file = path.join(tmp, random.newUuid())
    try {
      writeFileSync(file, cover.bytes, { mode: 0o600, flush: true })
      jobs.submit({ ...job, cover: storedCover(file, cover) })
    } finally {
      rmSync(file, { force: true })
    }
  }

  /** Makes songs that were refused for their reference ready again where they would now be mastered with another, or with none. */
  #readyChangedReferences(): void {
    const { settings } = this.#common()
    for (const song of this.#store.songs()) {
      const isForReference = song.state === 'refused' && song.error?.values.param === 'reference_source_id'
      const { reference_source_id: referenceId } = song.settings ?? settings
      if (isForReference && referenceId !== song.startedSettings?.reference_source_id)
        this.#store.move(song.sourceId, 'ready')
    }
  }
}

/** Returns the job of a song that is started. Throws NOT_FOUND for a song, and INVALID_REQUEST for a reference, that is gone. */
function jobOf(
  { sourceId, batchId, startedSettings, metadata: written }: BatchRow,
  common: MasterSettings,
  sources: Sources,
): BatchJob {
  const settings = startedSettings ?? common
  const song = sources.take(sourceId, 'source_id')
  if (!song || batchId === null) throw new AppError('NOT_FOUND')
  const referenceId = settings.reference_source_id
  const reference = referenceId === null ? undefined : sources.take(referenceId, 'reference_source_id')
  if (referenceId !== null && !reference) {
    throw invalidRequest('reference_gone', { param: 'reference_source_id' })
  }
  const { title, artist, ...metadata } = written
  const request = {
    settings: jobSettings(settings),
    ...(title ? { title } : {}),
    ...(artist ? { artist } : {}),
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  }
  const stemMix = chosenMix(settings.stem_mix ?? {})
  return {
    ...{ caller: { via: 'session' }, request, song, batchId, sourceId },
    ...(reference ? { reference } : {}),
    ...(stemMix ? { stemMix } : {}),
  }
}

function storedCover(file: string, { bytes, sha256, ...facts }: CoverRow): StoredCover {
  const { media_type: mimeType, width_px: widthPx, height_px: heightPx, color_model: colorModel } = facts
  const told = {
    ...(colorModel === null ? {} : { colorModel }),
    ...(facts.changes === null ? {} : { changes: facts.changes.split(' ') as CoverChange[] }),
  }
  return { path: file, sha256, sizeBytes: bytes.length, mimeType, widthPx, heightPx, ...told }
}

/** Throws PRESET_NAME_TAKEN for a name given twice. Presets that were stored under one name by an earlier version may stay. */
function requireOwnNames(presets: readonly Preset[], stored: readonly Preset[]): void {
  const count = (all: readonly Preset[], name: string) => all.filter((preset) => preset.name === name).length
  const taken = presets.find(({ name }) => count(presets, name) > Math.max(1, count(stored, name)))
  if (taken) throw new AppError('PRESET_NAME_TAKEN', { name: taken.name }, { param: 'presets' })
}

/** Returns whether a file is unchanged; false for an unreadable one. */
function isUnchanged(file: {
  readonly path: string
  readonly sizeBytes: number
  readonly modifiedMs: number
}): boolean {
  try {
    const { size, mtimeMs } = statSync(file.path)
    return size === file.sizeBytes && Math.trunc(mtimeMs) === Math.trunc(file.modifiedMs)
  } catch {
    return false
  }
}
