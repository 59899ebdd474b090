/** Releases over an open database: SQL only, no rules. Its methods are synchronous and may be called inside a transaction. */

import type { Db } from '../db/open.ts'
import { type CoverRow, type JoinedCover, joinedCover } from '../uploads/cover-row.ts'
import {
  NEW_RELEASE,
  NEW_TRACK,
  type ReleaseFacts,
  type ReleaseRecord,
  type TrackFacts,
  type TrackRecord,
} from './release.ts'

/** Page of a list. */
export interface ReleaseFilter {
  readonly words: readonly string[]
  readonly limit: number
  /** Place of the last release of the page before. */
  readonly beforeSerial?: number
}

/** A release of a list, without its tracks. */
export type ListedRelease = Omit<ReleaseRecord, 'tracks'> & { readonly serial: number; readonly trackCount: number }

interface ReleaseRow extends JoinedCover {
  serial: number
  release_id: string
  key_id: string | null
  facts: string
  created_at_ms: number
  changed_at_ms: number
}

interface TrackRow {
  track_id: string
  source_id: string | null
  job_id: string | null
  facts: string
}

const WITH_COVER = `SELECT releases.*, media_type, sha256, width_px, height_px, color_model, changes, length(bytes) AS cover_bytes
  FROM releases LEFT JOIN release_covers USING (release_id)`

function prepareStatements(db: Db) {
  return {
    selectOne: db.prepare<[string], ReleaseRow>(`${WITH_COVER} WHERE release_id = ?`),
    selectTracks: db.prepare<[string], TrackRow>('SELECT * FROM release_tracks WHERE release_id = ? ORDER BY place'),
    countTracks: db.prepare<[string], number>('SELECT count(*) FROM release_tracks WHERE release_id = ?').pluck(),
    upsert: db.prepare(
      `INSERT INTO releases (release_id, key_id, facts, search_text, created_at_ms, changed_at_ms)
       VALUES (@releaseId, @keyId, @facts, @searchText, @createdAtMs, @changedAtMs)
       ON CONFLICT (release_id) DO UPDATE SET facts = excluded.facts, search_text = excluded.search_text,
         changed_at_ms = excluded.changed_at_ms`,
    ),
    deleteOne: db.prepare<[string]>('DELETE FROM releases WHERE release_id = ?'),
    deleteTracks: db.prepare<[string]>('DELETE FROM release_tracks WHERE release_id = ?'),
    insertTrack: db.prepare(
      `INSERT INTO release_tracks (track_id, release_id, place, source_id, job_id, facts)
       VALUES (@trackId, @releaseId, @place, @sourceId, @jobId, @facts)`,
    ),
    selectSources: db
      .prepare<[], string>('SELECT DISTINCT source_id FROM release_tracks WHERE source_id IS NOT NULL')
      .pluck(),
    selectJobs: db.prepare<[], string>('SELECT DISTINCT job_id FROM release_tracks WHERE job_id IS NOT NULL').pluck(),
    selectCover: db.prepare<[string], CoverRow>(
      'SELECT media_type, sha256, width_px, height_px, color_model, changes, bytes FROM release_covers WHERE release_id = ?',
    ),
    upsertCover: db.prepare(
      `INSERT OR REPLACE INTO release_covers (release_id, media_type, sha256, width_px, height_px, color_model, changes, bytes)
       VALUES (@releaseId, @media_type, @sha256, @width_px, @height_px, @color_model, @changes, @bytes)`,
    ),
    deleteCover: db.prepare<[string]>('DELETE FROM release_covers WHERE release_id = ?'),
  }
}

export class ReleaseStore {
  readonly #db: Db
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db) {
    this.#db = db
    this.#statements = prepareStatements(db)
  }

  /** Returns a release with its tracks, or undefined for an unknown identifier. */
  find(releaseId: string): ReleaseRecord | undefined {
    const row = this.#statements.selectOne.get(releaseId)
    return row && { ...fromRow(row), tracks: this.#statements.selectTracks.all(releaseId).map(trackFromRow) }
  }

  /** Stores a release and its tracks in place of the earlier version; the cover stays. */
  save(release: ReleaseRecord): void {
    const { releaseId, keyId = null, facts, tracks, createdAtMs, changedAtMs } = release
    const { upsert, deleteTracks, insertTrack } = this.#statements
    const searchText = searchable([facts.title, facts.artist, facts.upc ?? ''].join('\n'))
    upsert.run({ releaseId, keyId, facts: JSON.stringify(facts), searchText, createdAtMs, changedAtMs })
    deleteTracks.run(releaseId)
    for (const [place, { trackId, sourceId = null, jobId = null, facts: own }] of tracks.entries())
      insertTrack.run({ trackId, releaseId, place, sourceId, jobId, facts: JSON.stringify(own) })
  }

  /** Removes a release with its tracks and its cover. */
  remove(releaseId: string): void {
    this.#statements.deleteOne.run(releaseId)
  }

  /** Returns the releases of one page, newest first, and the number on all pages. */
  list({ words, limit, beforeSerial }: ReleaseFilter): { releases: ListedRelease[]; total: number } {
    const values = Object.fromEntries(words.map((word, index) => [`word${index}`, searchable(word)]))
    const where = ['1', ...words.map((_, index) => `instr(search_text, :word${index}) > 0`)].join(' AND ')
    const total = this.#db.prepare<[object], number>(`SELECT count(*) FROM releases WHERE ${where}`).pluck().get(values)
    const rows = this.#db
      .prepare<[object], ReleaseRow>(
        `${WITH_COVER} WHERE ${where} AND serial < :before ORDER BY serial DESC LIMIT :limit`,
      )
      .all({ ...values, limit, before: beforeSerial ?? Number.MAX_SAFE_INTEGER })
    const releases = rows.map((row) => ({
      ...fromRow(row),
      serial: row.serial,
      trackCount: this.#statements.countTracks.get(row.release_id) ?? 0,
    }))
    return { releases, total: total ?? 0 }
  }

  /** Returns the stored songs that are songs of tracks. */
  sourceIds(): string[] {
    return this.#statements.selectSources.all()
  }

  /** Returns the jobs that are songs of tracks. */
  jobIds(): string[] {
    return this.#statements.selectJobs.all()
  }

  /** Returns the cover of a release, or undefined without one. */
  cover(releaseId: string): CoverRow | undefined {
    return this.#statements.selectCover.get(releaseId)
  }

  /** Sets the cover of a release; undefined removes it. */
  setCover(releaseId: string, cover: CoverRow | undefined): void {
    if (cover) this.#statements.upsertCover.run({ releaseId, ...cover })
    else this.#statements.deleteCover.run(releaseId)
  }
}

/** Normalises a text for searching: NFC, lower case. */
function searchable(text: string): string {
  return text.normalize('NFC').toLowerCase()
}

function fromRow(row: ReleaseRow): Omit<ReleaseRecord, 'tracks'> {
  return {
    releaseId: row.release_id,
    ...(row.key_id === null ? {} : { keyId: row.key_id }),
    facts: { ...NEW_RELEASE, ...(JSON.parse(row.facts) as ReleaseFacts) },
    ...joinedCover(row),
    createdAtMs: row.created_at_ms,
    changedAtMs: row.changed_at_ms,
  }
}

function trackFromRow({ track_id: trackId, source_id: sourceId, job_id: jobId, facts }: TrackRow): TrackRecord {
  return {
    trackId,
    ...(sourceId === null ? {} : { sourceId }),
    ...(jobId === null ? {} : { jobId }),
    facts: { ...NEW_TRACK, ...(JSON.parse(facts) as TrackFacts) },
  }
}
