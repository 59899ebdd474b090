/**
 * The batch: songs wait here, in the order the user gave them, until an engine process and a slot of the plan are free; then each
 * becomes an ordinary job. What waits can still be reordered, paused and taken back without a charge; what was handed over is
 * finished. It is rows in the database, so pages can be reloaded and the machine restarted in the middle of a batch.
 */
import { DEFAULT_SETTINGS, jobSettings, type MasterSettings } from '../../src-contract/settings.ts'
import type { Language } from '../../src-contract/text/text.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { createBatchContents } from './batch-contents.ts'
import type { BatchCore, BatchDeps, BatchJob } from './batch-core.ts'
import { createBatchFeed } from './batch-feed.ts'
import { batchToJson, songToJson } from './batch-json.ts'
import { createBatchRuns } from './batch-runs.ts'
import { type BatchRow, createBatchStore } from './batch-store.ts'
import type { Sources } from './sources.ts'
import { createWatchFolderStore } from './watch-folder-store.ts'

/** Creates the batch over an open database. `feed` submits the songs for which there is room; call it when some may have become free. */
export function createBatch(deps: BatchDeps) {
  const { db, clock, random, sources, jobs, jobStore, spareRoom, notify } = deps
  const store = createBatchStore(db)
  const watchFolders = createWatchFolderStore(db)
  const common = () => store.common() ?? { isPaused: false, settings: DEFAULT_SETTINGS, presets: [] }

  /** Runs a change in one transaction together with the event that reports it. */
  function change(run: () => void): void {
    db.transaction(() => {
      run()
      notify.record({ event: 'desk.changed' })
    })()
    notify.committed()
  }

  /** As {@link change}, for a change that frees room: it goes through on a full disk too. */
  const changeFreeing = (run: () => void) => spareRoom.use(() => change(run))

  const feed = createBatchFeed({
    db,
    clock,
    log: deps.log,
    store,
    change,
    isPaused: () => common().isPaused,
    hasFreeSlot: () => jobs.freeSlots() > 0 && jobStore.countUnfinishedOfSources() < deps.workers(),
    submit(song) {
      // A crash may have fallen between the job and the row that records it.
      if (song.batchId !== null && jobStore.isInBatch(song.sourceId, song.batchId)) return
      jobs.submit(jobOf(song, common().settings, sources))
    },
    isWatched: watchFolders.hasTaken,
  })

  function requireSong(sourceId: string): BatchRow & { isRemoved: boolean } {
    const song = store.song(sourceId)
    if (!song) throw new AppError('NOT_FOUND')
    return song
  }

  const trustedNow = deps.trustedNow ?? clock.now
  const core: BatchCore = {
    ...{ clock, trustedNow, random, sources, jobs, jobStore, store, watchFolders },
    ...{ common, change, changeFreeing, feed, requireSong },
  }
  return {
    ...createBatchContents(core),
    ...createBatchRuns(core),

    /** Returns the batch as JSON (schema `Batch`) with texts in `language`. */
    json: (language: Language): string =>
      batchToJson(
        common(),
        store.songs().map((song) => songToJson(deps, song, language)),
      ),

    /** Returns one song as JSON (schema `BatchSong`). Throws NOT_FOUND. */
    songJson: (sourceId: string, language: Language): string => songToJson(deps, requireSong(sourceId), language),
  }
}

export type BatchQueue = ReturnType<typeof createBatch>

/** Returns the job of a song that is started. Throws NOT_FOUND for a song, and INVALID_REQUEST for a reference, that is gone. */
function jobOf({ sourceId, batchId, startedSettings }: BatchRow, common: MasterSettings, sources: Sources): BatchJob {
  const settings = startedSettings ?? common
  const song = sources.take(sourceId, 'source_id')
  if (!song || batchId === null) throw new AppError('NOT_FOUND')
  const referenceId = settings.reference_source_id
  const reference = referenceId === null ? undefined : sources.take(referenceId, 'reference_source_id')
  if (referenceId !== null && !reference) {
    throw invalidRequest('reference_gone', { param: 'reference_source_id' })
  }
  const request = { settings: jobSettings(settings) }
  return { caller: { via: 'session' }, request, song, ...(reference ? { reference } : {}), batchId, sourceId }
}
