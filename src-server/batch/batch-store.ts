/** Rows of the batch: songs in their order, each with its state and settings. SQL only, no rules. */
import type { BATCH_SONG_STATES, Preset } from '../../src-contract/app.ts'
import type { StoredCover as CoverFacts } from '../../src-contract/covers.ts'
import type { ErrorCode, ErrorParams } from '../../src-contract/errors.ts'
import type { OwnMetadata } from '../../src-contract/metadata.ts'
import { type MasterSettings, masterSettings } from '../../src-contract/settings.ts'
import type { Db } from '../db/open.ts'
import { type CoverRow, type JoinedCover, joinedCover } from '../uploads/cover-row.ts'

export type BatchState = (typeof BATCH_SONG_STATES)[number]

/** One song in the batch. */
export interface BatchRow {
  readonly sourceId: string
  readonly state: BatchState
  /** Settings of its own. */
  readonly settings: MasterSettings | null
  /** Settings it was started with, while it waits and afterwards. */
  readonly startedSettings: MasterSettings | null
  readonly batchId: string | null
  /** Details entered for it; they override the tags of its file. */
  readonly metadata: OwnMetadata
  /** Facts of the cover that its masters get instead of that of its file. */
  readonly cover?: CoverFacts
  /** Reason for its refusal, or for still waiting when its turn has come. */
  readonly error: { readonly code: ErrorCode; readonly values: ErrorParams } | null
}

/** The batch apart from its songs. */
export interface BatchCommon {
  readonly isPaused: boolean
  readonly settings: MasterSettings
  readonly presets: readonly Preset[]
}

interface RawRow extends JoinedCover {
  source_id: string
  state: BatchState
  settings: string | null
  started_settings: string | null
  batch_id: string | null
  error_code: ErrorCode | null
  error_values: string | null
  metadata: string | null
}

const SONGS = `SELECT desk_songs.*, media_type, sha256, width_px, height_px, color_model, changes, length(bytes) AS cover_bytes
  FROM desk_songs LEFT JOIN desk_covers USING (source_id)`

function prepareStatements(db: Db) {
  return { ...prepareQueries(db), ...prepareUpdates(db) }
}

function prepareQueries(db: Db) {
  return {
    selectSongs: db.prepare<[], RawRow>(`${SONGS} WHERE removed_at_ms IS NULL ORDER BY place`),
    selectEvery: db.prepare<[], RawRow>(SONGS),
    selectSong: db.prepare<[string], RawRow & { removed_at_ms: number | null }>(`${SONGS} WHERE source_id = ?`),
    selectFirstWaiting: db.prepare<[0 | 1], RawRow>(
      `${SONGS} WHERE state = 'waiting' AND removed_at_ms IS NULL
         AND NOT (? AND EXISTS (SELECT 1 FROM watched_files WHERE watched_files.source_id = desk_songs.source_id))
       ORDER BY place LIMIT 1`,
    ),
    selectCover: db.prepare<[string], CoverRow>(
      'SELECT media_type, sha256, width_px, height_px, color_model, changes, bytes FROM desk_covers WHERE source_id = ?',
    ),
    selectPlaces: db.prepare<[], string>('SELECT source_id FROM desk_songs ORDER BY place').pluck(),
    selectRemoved: db.prepare<[number], string>('SELECT source_id FROM desk_songs WHERE removed_at_ms <= ?').pluck(),
    selectCommon: db.prepare<[], { is_paused: 0 | 1; settings: string; presets: string }>('SELECT * FROM desk'),
  }
}

function prepareUpdates(db: Db) {
  return {
    insertSong: db.prepare<[string]>(
      "INSERT INTO desk_songs (source_id, place, state) VALUES (?, (SELECT coalesce(max(place), 0) + 1 FROM desk_songs), 'ready')",
    ),
    updatePlace: db.prepare<[number, string]>('UPDATE desk_songs SET place = ? WHERE source_id = ?'),
    updateSettings: db.prepare(
      `UPDATE desk_songs SET settings = @settings,
         started_settings = iif(state = 'waiting', coalesce(@settings, @common), started_settings) WHERE source_id = @sourceId`,
    ),
    updateMetadata: db.prepare<[string | null, string]>('UPDATE desk_songs SET metadata = ? WHERE source_id = ?'),
    upsertCover: db.prepare(
      `INSERT OR REPLACE INTO desk_covers (source_id, media_type, sha256, width_px, height_px, color_model, changes, bytes)
       VALUES (@sourceId, @media_type, @sha256, @width_px, @height_px, @color_model, @changes, @bytes)`,
    ),
    deleteCover: db.prepare<[string]>('DELETE FROM desk_covers WHERE source_id = ?'),
    updateState: db.prepare(
      `UPDATE desk_songs SET state = @state, started_settings = coalesce(@settings, started_settings),
         batch_id = coalesce(@batchId, batch_id), error_code = @code, error_values = @values WHERE source_id = @sourceId`,
    ),
    updateRemoved: db.prepare<[number | null, string]>('UPDATE desk_songs SET removed_at_ms = ? WHERE source_id = ?'),
    upsertCommon: db.prepare<[number, string, string]>(
      `INSERT INTO desk (only_row, is_paused, settings, presets) VALUES (1, ?, ?, ?)
       ON CONFLICT (only_row) DO UPDATE SET is_paused = excluded.is_paused, settings = excluded.settings, presets = excluded.presets`,
    ),
  }
}

/** The rows of the batch in an open database. */
export class BatchStore {
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db) {
    this.#statements = prepareStatements(db)
  }

  /** Returns the songs in the batch in their order; removed ones are not. */
  songs(): BatchRow[] {
    return this.#statements.selectSongs.all().map(fromRaw)
  }

  /** Returns all songs, removed ones too, in no order. */
  everySong(): BatchRow[] {
    return this.#statements.selectEvery.all().map(fromRaw)
  }

  /** Returns one song, removed or not. */
  song(sourceId: string): (BatchRow & { isRemoved: boolean }) | undefined {
    const raw = this.#statements.selectSong.get(sourceId)
    return raw && { ...fromRaw(raw), isRemoved: raw.removed_at_ms !== null }
  }

  /** Returns the next song to be handed over; with `passesWatched`, skipping songs of watched folders. */
  firstWaiting({ passesWatched }: { readonly passesWatched: boolean }): BatchRow | undefined {
    const raw = this.#statements.selectFirstWaiting.get(passesWatched ? 1 : 0)
    return raw && fromRaw(raw)
  }

  /** Puts a song at the end. */
  add(sourceId: string): void {
    this.#statements.insertSong.run(sourceId)
  }

  /** Puts the named songs first, in this order; the others follow as they were. Unknown names are passed over. */
  reorder(sourceIds: readonly string[]): void {
    const before = this.#statements.selectPlaces.all()
    const known = new Set(before)
    const order = [...new Set([...sourceIds.filter((id) => known.has(id)), ...before])]
    for (const [index, id] of order.entries()) this.#statements.updatePlace.run(index + 1, id)
  }

  /** Gives a song settings of its own; one that waits is mastered with them, or with `common` when it has none. */
  setSettings(sourceId: string, settings: MasterSettings | null, common: MasterSettings): void {
    this.#statements.updateSettings.run({
      sourceId,
      settings: settings && JSON.stringify(settings),
      common: JSON.stringify(common),
    })
  }

  /** Sets what is written about a song. */
  setMetadata(sourceId: string, metadata: OwnMetadata): void {
    const isEmpty = Object.keys(metadata).length === 0
    this.#statements.updateMetadata.run(isEmpty ? null : JSON.stringify(metadata), sourceId)
  }

  /** Returns the cover that was set for a song, or undefined without one. */
  cover(sourceId: string): CoverRow | undefined {
    return this.#statements.selectCover.get(sourceId)
  }

  /** Sets the cover of a song; undefined removes it. */
  setCover(sourceId: string, cover: CoverRow | undefined): void {
    if (cover) this.#statements.upsertCover.run({ sourceId, ...cover })
    else this.#statements.deleteCover.run(sourceId)
  }

  /** Moves a song; absent settings and batch stay as they are, an absent error is cleared. */
  move(
    sourceId: string,
    state: BatchState,
    more: Partial<Pick<BatchRow, 'startedSettings' | 'batchId' | 'error'>> = {},
  ): void {
    this.#statements.updateState.run({
      sourceId,
      state,
      settings: more.startedSettings ? JSON.stringify(more.startedSettings) : null,
      batchId: more.batchId ?? null,
      code: more.error?.code ?? null,
      values: more.error ? JSON.stringify(more.error.values) : null,
    })
  }

  setRemoved(sourceId: string, atMs: number | null): void {
    this.#statements.updateRemoved.run(atMs, sourceId)
  }

  /** Returns the songs removed at or before a moment, epoch ms. */
  removedBefore(atMs: number): string[] {
    return this.#statements.selectRemoved.all(atMs)
  }

  /** Returns the pause, settings and presets of all songs, if they were ever set. */
  common(): BatchCommon | undefined {
    const row = this.#statements.selectCommon.get()
    if (!row) return undefined
    const presets = JSON.parse(row.presets) as Preset[]
    return {
      isPaused: row.is_paused === 1,
      settings: masterSettings(JSON.parse(row.settings)),
      presets: presets.map(({ name, settings }) => ({ name, settings: masterSettings(settings) })),
    }
  }

  setCommon({ isPaused, settings, presets }: BatchCommon): void {
    this.#statements.upsertCommon.run(isPaused ? 1 : 0, JSON.stringify(settings), JSON.stringify(presets))
  }
}

function fromRaw(raw: RawRow): BatchRow {
  const parsed = (text: string | null) => (text === null ? null : masterSettings(JSON.parse(text)))
  return {
    sourceId: raw.source_id,
    state: raw.state,
    settings: parsed(raw.settings),
    startedSettings: parsed(raw.started_settings),
    batchId: raw.batch_id,
    metadata: raw.metadata === null ? {} : (JSON.parse(raw.metadata) as OwnMetadata),
    ...joinedCover(raw),
    error:
      raw.error_code === null
        ? null
        : { code: raw.error_code, values: JSON.parse(raw.error_values ?? '{}') as ErrorParams },
  }
}
