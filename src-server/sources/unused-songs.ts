/** Selection of stored songs that are no longer needed. Pure. */
import type { MasterSettings } from '../../src-contract/settings.ts'

/** Candidates among the stored songs, and every setting that may still refer to one of them. */
export interface StoredSongsUse {
  /** Songs removed from the batch so long ago that the removal can no longer be undone. */
  readonly removed: readonly string[]
  /** Songs of watched folders whose masters have all expired. */
  readonly expired: readonly string[]
  /** Sets of stems that came by the API and are no longer used. */
  readonly stemSets: readonly string[]
  /** Uploaded references old enough to be deleted unless they are in use. */
  readonly references: readonly string[]
  /** Songs of releases: they stay until the owner deletes the release. */
  readonly released: readonly string[]
  readonly songs: readonly {
    readonly sourceId: string
    readonly settings: MasterSettings | null
    readonly startedSettings: MasterSettings | null
  }[]
  /** Settings apart from those of songs: the common ones, the presets and those of watched folders. */
  readonly otherSettings: readonly (MasterSettings | null)[]
}

/**
 * Returns the identifiers of the songs that can be deleted: not those of releases, nor those that the settings of a remaining song, or
 * other settings, refer to.
 */
export function unusedSongs(use: StoredSongsUse): string[] {
  const { removed, expired, stemSets, references, released, songs, otherSettings } = use
  const kept = new Set(released)
  const gone = new Set([...removed, ...expired, ...stemSets].filter((sourceId) => !kept.has(sourceId)))
  const remaining = songs.filter(({ sourceId }) => !gone.has(sourceId))
  const settings = [...otherSettings, ...remaining.flatMap((song) => [song.settings, song.startedSettings])]
  const used = new Set(settings.map((one) => one?.reference_source_id))
  return [...gone, ...references].filter((sourceId) => !used.has(sourceId) && !kept.has(sourceId))
}
