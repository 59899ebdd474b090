/** Contents of the batch: songs added, ordered, removed and put back, their settings, and the common settings and presets. */
import type { Preset } from '../../src-contract/app.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { AppError } from '../http/app-error.ts'
import type { BatchCore } from './batch-core.ts'
import { unusedSongs } from './unused-songs.ts'

/** A change of the batch as a whole; absent members stay as they are. */
export interface BatchChange {
  readonly is_paused?: boolean
  readonly settings?: MasterSettings
  readonly presets?: Preset[]
  readonly order?: string[]
}

/** Time for which a removed song can be put back, and an unused reference is kept, ms: one day. */
const UNDO_MS = 86_400_000

/** Creates the commands that change the contents. */
export function createBatchContents(core: BatchCore) {
  const { store, common, change, changeFreeing, feed, requireSong } = core
  return {
    /** Puts a song at the end, in one transaction with `storeSong`, which stores it and returns its identifier. Returns that. */
    add(storeSong: () => string): string {
      let sourceId = ''
      change(() => {
        sourceId = storeSong()
        store.add(sourceId)
      })
      return sourceId
    },

    /** Writes something that is shown in the batch, such as an analysis, together with the event that reports it. */
    note: change,

    /** Pauses or resumes the batch, sets the common settings or presets, or reorders the songs. Throws PRESET_NAME_TAKEN. */
    change({ is_paused, settings, presets, order }: BatchChange): void {
      change(() => {
        const before = common()
        if (presets) requireOwnNames(presets, before.presets)
        store.setCommon({
          isPaused: is_paused ?? before.isPaused,
          settings: settings ?? before.settings,
          presets: presets ?? before.presets,
        })
        readyChangedReferences(core)
        if (order) store.reorder(order)
      })
      feed()
    },

    /** Gives one song settings of its own, or null for the common ones. Throws NOT_FOUND. */
    changeSong(sourceId: string, settings: MasterSettings | null): void {
      requireSong(sourceId)
      change(() => {
        store.setSettings(sourceId, settings, common().settings)
        readyChangedReferences(core)
      })
    },

    /** Takes songs off; waiting ones will not be mastered. Throws NOT_FOUND. */
    remove(sourceIds: readonly string[]): void {
      const songs = sourceIds.map(requireSong)
      changeFreeing(() => {
        for (const { sourceId, state } of songs) {
          if (state === 'waiting') store.move(sourceId, 'ready')
          store.setRemoved(sourceId, core.clock.now())
        }
      })
    },

    /** Puts removed songs back in their places. Throws NOT_FOUND when it is too late. */
    restore(sourceIds: readonly string[]): void {
      sourceIds.forEach(requireSong)
      change(() => {
        for (const sourceId of sourceIds) store.setRemoved(sourceId, null)
      })
    },

    /**
     * Forgets songs removed and references stored a day ago, and songs of a watched folder whose masters have all expired, because
     * nobody removes those by hand; none that some settings name. Returns their identifiers.
     */
    forgetUnused(): string[] {
      const before = core.trustedNow() - UNDO_MS
      const isExpired = (sourceId: string) =>
        store.song(sourceId)?.state === 'submitted' && core.watchFolders.hasTaken(sourceId)
      const { settings, presets } = common()
      const unused = unusedSongs({
        removed: store.removedBefore(before),
        expired: core.jobStore.listSweptSources().filter(isExpired),
        references: core.sources.referencesBefore(before),
        songs: store.everySong(),
        otherSettings: [settings, ...[...presets, ...core.watchFolders.all()].map((one) => one.settings)],
      })
      if (unused.length > 0) changeFreeing(() => core.sources.remove(unused))
      return unused
    },
  }
}

/** Makes songs that were refused for their reference ready again where they would now be mastered with another, or with none. */
function readyChangedReferences({ store, common }: BatchCore): void {
  const { settings } = common()
  for (const song of store.songs()) {
    const isForReference = song.state === 'refused' && song.error?.values.param === 'reference_source_id'
    const { reference_source_id: referenceId } = song.settings ?? settings
    if (isForReference && referenceId !== song.startedSettings?.reference_source_id) store.move(song.sourceId, 'ready')
  }
}

/** Throws PRESET_NAME_TAKEN for a name given twice. Presets that were stored under one name by an earlier version may stay. */
function requireOwnNames(presets: readonly Preset[], stored: readonly Preset[]): void {
  const count = (all: readonly Preset[], name: string) => all.filter((preset) => preset.name === name).length
  const taken = presets.find(({ name }) => count(presets, name) > Math.max(1, count(stored, name)))
  if (taken) throw new AppError('PRESET_NAME_TAKEN', { name: taken.name }, { param: 'presets' })
}
