/**
 * The batch: songs wait here, in the order the user gave them, until an engine process and a slot of the plan are free; then each
 * becomes an ordinary job. What waits can still be reordered, paused and taken back without a charge; what was handed over is
 * finished. It is rows in the database, so pages can be reloaded and the machine restarted in the middle of a batch.
 */
import type { Batch, BatchSong, MasterSettings, Preset } from '../../src-contract/app.ts'
import type { ErrorCode } from '../../src-contract/errors.ts'
import { DEFAULT_INTENSITY, DEFAULT_REFERENCE_AMOUNT } from '../../src-contract/limits.ts'
import {
  DEFAULT_AI_SERVICE,
  DEFAULT_GENRE,
  DEFAULT_LOUDNESS,
  DEFAULT_TIER,
  PLATFORMS,
} from '../../src-contract/platforms.ts'
import { errorText, type Language } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import type { Log } from '../../src-system/log.ts'
import type { Chance, Clock } from '../../src-system/system.ts'
import type { StoredSong } from '../../src-worker/mastering/work-order.ts'
import { databaseFault } from '../db/fault.ts'
import type { Db } from '../db/open.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import type { Caller } from '../http/route.ts'
import type { JobStore } from '../jobs/store.ts'
import type { MasterRequest } from '../uploads/form.ts'
import type { SpareRoom } from '../uploads/spare-room.ts'
import { type BatchRow, createBatchStore } from './batch-store.ts'
import type { Sources } from './sources.ts'
import { createWatchFolderStore } from './watch-folder-store.ts'

/** One song handed over. */
export interface BatchJob {
  readonly caller: Caller
  readonly request: MasterRequest
  readonly song: StoredSong
  readonly reference?: StoredSong
  readonly batchId: string
  readonly sourceId: string
}

/** What the batch needs of the jobs. */
export interface BatchJobs {
  /** Makes the job and charges it, or throws an AppError. */
  submit(job: BatchJob): unknown
  cancel(jobId: string): unknown
  /** Jobs that the plan lets start now. */
  freeSlots(): number
}

export interface BatchArguments {
  readonly db: Db
  readonly clock: Clock
  /** What decides when something is forgotten, milliseconds since 1970; the clock's own time when absent. */
  readonly trustedNow?: () => number
  readonly chance: Chance
  readonly log: Log
  readonly sources: Sources
  readonly jobs: BatchJobs
  readonly jobStore: Pick<
    JobStore,
    'countUnfinishedOfSources' | 'isInBatch' | 'listOfSource' | 'listSweptSources' | 'listUnfinishedOfSource'
  >
  /** Engine processes that may run at once, at this moment. */
  readonly workers: () => number
  readonly spareRoom: Pick<SpareRoom, 'use'>
  /** Writes and tells that the batch has changed. */
  readonly notify: { record(event: { event: 'desk.changed' }): unknown; committed(): void }
}

/** What a change of the batch may hold. */
export interface BatchChange {
  readonly is_paused?: boolean
  readonly settings?: MasterSettings
  readonly presets?: Preset[]
  readonly order?: string[]
}

const DEFAULT_SETTINGS: MasterSettings = {
  platforms: [...PLATFORMS],
  genre: DEFAULT_GENRE,
  ai_service: DEFAULT_AI_SERVICE,
  tier: DEFAULT_TIER,
  intensity: DEFAULT_INTENSITY,
  loudness: DEFAULT_LOUDNESS,
  reference_source_id: null,
  reference_amount: DEFAULT_REFERENCE_AMOUNT,
}

/** A removed song can be put back for this long. */
const UNDO_MS = 86_400_000
/** Another program's lock on the database is over soon, or somebody looks into it. */
const LOCKED_RETRY_MS = 1000
/** A full disk has room again when somebody has made some. */
const FAULT_RETRY_MS = 30_000
/** Refusals that pass by themselves, or with what somebody does elsewhere. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['INSUFFICIENT_CREDITS', 'INSUFFICIENT_STORAGE', 'UNAVAILABLE'])

/** Makes the batch over an open database. `feed` hands over what has room; call it whenever a slot may have become free. */
export function createBatch(given: BatchArguments) {
  const { db, clock, chance, log, sources, jobs, jobStore, workers, spareRoom, notify } = given
  const { trustedNow = clock.now } = given
  const store = createBatchStore(db)
  const watchFolders = createWatchFolderStore(db)
  const common = () => store.common() ?? { isPaused: false, settings: DEFAULT_SETTINGS, presets: [] }
  let isFeeding = false
  let stopRetry: (() => void) | undefined

  /** Runs a change in one transaction together with the event that tells of it. */
  function change(run: () => void): void {
    db.transaction(() => {
      run()
      notify.record({ event: 'desk.changed' })
    })()
    notify.committed()
  }

  /** As {@link change}, for what frees room: it goes through on a full disk too. */
  const changeFreeing = (run: () => void) => spareRoom.use(() => change(run))

  function requireSong(sourceId: string): BatchRow & { isRemoved: boolean } {
    const song = store.song(sourceId)
    if (!song) throw new AppError('NOT_FOUND')
    return song
  }

  /** Never throws: what made room, or was asked for, has been done by then, and the songs wait for the next occasion. */
  function feed(): void {
    if (isFeeding || !db.open) return
    isFeeding = true
    let isWatchedHeld = false
    try {
      while (!common().isPaused && jobs.freeSlots() > 0 && jobStore.countUnfinishedOfSources() < workers()) {
        const song = store.firstWaiting({ passesWatched: isWatchedHeld })
        if (!song) return
        const refusal = handOver(song)
        if (refusal?.code === 'CONCURRENT_LIMIT') return
        if (!refusal) {
          change(() => store.move(song.sourceId, 'submitted'))
          continue
        }
        // Nobody is there to start what a watched folder brought once more: it keeps its turn, and those after it theirs.
        const isHeld = PASSING.has(refusal.code) && watchFolders.hasTaken(song.sourceId)
        if (isHeld) {
          isWatchedHeld = true
          feedIn(FAULT_RETRY_MS)
          if (song.error?.code === refusal.code) continue
        }
        const error = { code: refusal.code, values: refusal.values }
        change(() => store.move(song.sourceId, isHeld ? 'waiting' : 'refused', { error }))
      }
    } catch (cause) {
      const isLocked = databaseFault(cause) === 'busy'
      if (isLocked) log.warn('the batch waits for the database', { cause })
      else log.error('the batch could not be worked off', { cause })
      // Nobody may come to ask again.
      feedIn(isLocked ? LOCKED_RETRY_MS : FAULT_RETRY_MS)
    } finally {
      isFeeding = false
    }
  }

  function feedIn(waitMs: number): void {
    stopRetry?.()
    stopRetry = clock.after(waitMs, feed)
  }

  /** Makes the job of a song; the batch says whether a crash fell between the job and the row that remembers it. */
  function handOver(song: BatchRow): AppError | undefined {
    const { sourceId, batchId } = song
    if (batchId !== null && jobStore.isInBatch(sourceId, batchId)) return undefined
    try {
      jobs.submit(jobOf(song))
      return undefined
    } catch (cause) {
      if (databaseFault(cause) === 'busy') throw cause
      const refusal = toAppError(cause)
      if (refusal.code === 'INTERNAL_ERROR')
        log.error('a song of the batch could not be handed over', { sourceId, cause })
      return refusal
    }
  }

  function jobOf({ sourceId, batchId, startedSettings }: BatchRow): BatchJob {
    const settings = startedSettings ?? common().settings
    const song = sources.take(sourceId, 'source_id')
    if (!song || batchId === null) throw new AppError('NOT_FOUND')
    const referenceId = settings.reference_source_id
    const reference = referenceId === null ? undefined : sources.take(referenceId, 'reference_source_id')
    if (referenceId !== null && !reference) {
      throw invalidRequest('reference_gone', { param: 'reference_source_id' })
    }
    const request = requestOf(settings)
    return { caller: { via: 'session' }, request, song, ...(reference ? { reference } : {}), batchId, sourceId }
  }

  /** A song that was refused for its reference can be started again once it would be mastered with another, or with none. */
  function readmit(): void {
    const { settings } = common()
    for (const song of store.songs()) {
      const isForReference = song.state === 'refused' && song.error?.values.param === 'reference_source_id'
      const { reference_source_id: referenceId } = song.settings ?? settings
      if (isForReference && referenceId !== song.startedSettings?.reference_source_id)
        store.move(song.sourceId, 'ready')
    }
  }

  /** One song as JSON; what was found in it is spliced in as the text it is kept as. */
  function songJson(song: BatchRow, language: Language): string {
    const source = sources.show(song.sourceId)
    if (!source) throw new AppError('NOT_FOUND')
    const { batchId, error, settings, state } = song
    const shown: Omit<BatchSong, 'analysis'> = {
      source,
      state,
      settings,
      job_ids: jobStore.listOfSource(song.sourceId),
      ...(batchId === null ? {} : { batch_id: batchId }),
      ...(error ? { error: errorToWire(error, language) } : {}),
    }
    return withMember(shown, 'analysis', sources.summaryJson(song.sourceId, language))
  }

  return {
    /** Returns the batch as JSON (schema `Batch`) with texts in `language`. */
    json(language: Language): string {
      const { isPaused, settings, presets } = common()
      const songs = store.songs().map((song) => songJson(song, language))
      const shown: Omit<Batch, 'songs'> = { is_paused: isPaused, settings, presets: [...presets] }
      return withMember(shown, 'songs', `[${songs.join(',')}]`)
    },

    /** Returns one song as JSON (schema `BatchSong`). Throws NOT_FOUND. */
    songJson: (sourceId: string, language: Language): string => songJson(requireSong(sourceId), language),

    /** Puts a song at the end, in one transaction with `storeSong`, which stores it and returns its identifier. Returns that. */
    add(storeSong: () => string): string {
      let sourceId = ''
      change(() => {
        sourceId = storeSong()
        store.add(sourceId)
      })
      return sourceId
    },

    /** As {@link add}, and starts the song under a batch of its own; without `settings` it is mastered with the common ones. */
    addStarted(storeSong: () => string, settings: MasterSettings | null): void {
      change(() => {
        const sourceId = storeSong()
        const { settings: shared } = common()
        store.add(sourceId)
        if (settings) store.setSettings(sourceId, settings, shared)
        store.move(sourceId, 'waiting', { startedSettings: settings ?? shared, batchId: chance.newUuid() })
      })
      feed()
    },

    /** Writes something that is shown in the batch, such as an analysis, together with the event that tells of it. */
    note: change,

    /** Holds what waits or goes on, sets what is common, or reorders. Throws PRESET_NAME_TAKEN. */
    change({ is_paused, settings, presets, order }: BatchChange): void {
      change(() => {
        const before = common()
        if (presets) requireOwnNames(presets, before.presets)
        store.setCommon({
          isPaused: is_paused ?? before.isPaused,
          settings: settings ?? before.settings,
          presets: presets ?? before.presets,
        })
        readmit()
        if (order) store.reorder(order)
      })
      feed()
    },

    /** Gives one song settings of its own, or null for the common ones. Throws NOT_FOUND. */
    changeSong(sourceId: string, settings: MasterSettings | null): void {
      requireSong(sourceId)
      change(() => {
        store.setSettings(sourceId, settings, common().settings)
        readmit()
      })
    },

    /**
     * Starts songs under one new batch: each waits for its slot with the settings of this moment. Those that wait already or have
     * an unfinished job are left alone. Throws NOT_FOUND for a song that is not in the batch.
     */
    start(sourceIds: readonly string[]): void {
      const songs = sourceIds.map(requireSong)
      if (songs.some(({ isRemoved }) => isRemoved)) throw new AppError('NOT_FOUND')
      const batchId = chance.newUuid()
      const { settings } = common()
      change(() => {
        for (const song of songs) {
          if (song.state === 'waiting' || jobStore.listUnfinishedOfSource(song.sourceId).length > 0) continue
          store.move(song.sourceId, 'waiting', { startedSettings: song.settings ?? settings, batchId })
        }
      })
      feed()
    },

    /** Takes waiting songs back and cancels unfinished jobs. Throws NOT_FOUND. */
    stop(sourceIds: readonly string[]): void {
      const songs = sourceIds.map(requireSong)
      changeFreeing(() => {
        for (const { sourceId, state } of songs) if (state === 'waiting') store.move(sourceId, 'ready')
      })
      for (const { sourceId } of songs)
        for (const jobId of jobStore.listUnfinishedOfSource(sourceId)) jobs.cancel(jobId)
    },

    /** Takes songs off; waiting ones will not be mastered. Throws NOT_FOUND. */
    remove(sourceIds: readonly string[]): void {
      const songs = sourceIds.map(requireSong)
      changeFreeing(() => {
        for (const { sourceId, state } of songs) {
          if (state === 'waiting') store.move(sourceId, 'ready')
          store.setRemoved(sourceId, clock.now())
        }
      })
    },

    /** Puts removed songs back where they were. Throws NOT_FOUND when it is too late. */
    restore(sourceIds: readonly string[]): void {
      sourceIds.forEach(requireSong)
      change(() => {
        for (const sourceId of sourceIds) store.setRemoved(sourceId, null)
      })
    },

    /** Hands over waiting songs while there are free processes and slots. */
    feed,

    /**
     * Forgets what nobody wants any more: songs removed and references stored a day ago, and songs of a watched folder whose masters
     * were kept as long as they were to be, for nobody takes those off. Not what some settings name. Returns their identifiers.
     */
    forgetUnused(): string[] {
      const before = trustedNow() - UNDO_MS
      const removed = store.removedBefore(before)
      const isOver = (sourceId: string) =>
        store.song(sourceId)?.state === 'submitted' && watchFolders.hasTaken(sourceId)
      const over = jobStore.listSweptSources().filter(isOver)
      const gone = new Set([...removed, ...over])
      const used = referencesInUse(gone)
      const unused = [...gone, ...sources.referencesBefore(before)].filter((sourceId) => !used.has(sourceId))
      if (unused.length > 0) changeFreeing(() => sources.remove(unused))
      return unused
    },
  }

  /** The songs that some settings name as their reference, without the settings of the songs `gone`. */
  function referencesInUse(gone: ReadonlySet<string>): Set<string> {
    const { settings, presets } = common()
    const songs = store.everySong().filter(({ sourceId }) => !gone.has(sourceId))
    const all = [
      settings,
      ...presets.map((preset) => preset.settings),
      ...songs.flatMap((song) => [song.settings, song.startedSettings]),
      ...watchFolders.all().map((folder) => folder.settings),
    ]
    return new Set(all.map((one) => one?.reference_source_id).filter((id) => typeof id === 'string'))
  }
}

export type BatchQueue = ReturnType<typeof createBatch>

/** Returns the JSON of a non-empty object with one more member, whose value is JSON already. */
function withMember(object: object, name: string, json: string): string {
  return `${JSON.stringify(object).slice(0, -1)},"${name}":${json}}`
}

/** Throws PRESET_NAME_TAKEN for a name given twice. Namesakes that are stored, from when they were taken, may stay. */
function requireOwnNames(presets: readonly Preset[], stored: readonly Preset[]): void {
  const count = (all: readonly Preset[], name: string) => all.filter((preset) => preset.name === name).length
  const taken = presets.find(({ name }) => count(presets, name) > Math.max(1, count(stored, name)))
  if (taken) throw new AppError('PRESET_NAME_TAKEN', { name: taken.name }, { param: 'presets' })
}

function requestOf(settings: MasterSettings): MasterRequest {
  return {
    platforms: settings.platforms,
    genre: settings.genre,
    aiService: settings.ai_service,
    tier: settings.tier,
    intensity: settings.intensity,
    loudness: settings.loudness,
    referenceAmount: settings.reference_amount,
  }
}

function errorToWire(
  { code, values }: NonNullable<BatchRow['error']>,
  language: Language,
): NonNullable<BatchSong['error']> {
  return { code, message: errorText(code, values, language), values: toWireValues(values) }
}
