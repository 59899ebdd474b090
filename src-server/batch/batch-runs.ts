/** Commands that start songs of the batch and stop them. */
import type { MasterSettings } from '../../src-contract/settings.ts'
import { AppError } from '../http/app-error.ts'
import type { BatchCore } from './batch-core.ts'

/** Creates the commands. */
export function createBatchRuns({ store, common, change, changeFreeing, feed, requireSong, ...core }: BatchCore) {
  const { random, jobs, jobStore } = core
  return {
    /** Submits waiting songs while there are free processes and slots. Never throws. */
    feed,

    /**
     * Puts a song at the end as {@link createBatchContents} does, and starts it with a batch identifier of its own; without `settings`
     * it is mastered with the common ones.
     */
    addStarted(storeSong: () => string, settings: MasterSettings | null): void {
      change(() => {
        const sourceId = storeSong()
        const { settings: shared } = common()
        store.add(sourceId)
        if (settings) store.setSettings(sourceId, settings, shared)
        store.move(sourceId, 'waiting', { startedSettings: settings ?? shared, batchId: random.newUuid() })
      })
      feed()
    },

    /**
     * Starts songs under one new batch identifier: each waits for its slot with the settings of this moment. Songs that already wait
     * or have an unfinished job are left alone. Throws NOT_FOUND for a song that is not in the batch.
     */
    start(sourceIds: readonly string[]): void {
      const songs = sourceIds.map(requireSong)
      if (songs.some(({ isRemoved }) => isRemoved)) throw new AppError('NOT_FOUND')
      const batchId = random.newUuid()
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
  }
}
