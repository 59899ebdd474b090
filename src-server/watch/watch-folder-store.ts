/** Rows of the watched folders and of the files handled in them. SQL only, no rules. */
import path from 'node:path'
import type { ErrorCode, ErrorParams } from '../../src-contract/errors.ts'
import { type MasterSettings, masterSettings } from '../../src-contract/settings.ts'
import type { Accept } from '../../src-contract/song-files.ts'
import type { Db } from '../db/open.ts'
import type { FileStat } from './postponed-files.ts'
import type { FileVersion } from './stable-files.ts'

export interface FolderRow {
  readonly folderId: string
  readonly path: string
  /** Folder for the masters of its songs; null for the common output folder. */
  readonly outputFolder: string | null
  /** Mastering settings of its songs; null for the common settings of the batch. */
  readonly settings: MasterSettings | null
  /** Files that are accepted besides MP3, WAV and FLAC. */
  readonly accept?: Accept
  readonly isActive: boolean
  readonly createdAtMs: number
}

/** A file that was refused. */
export interface Refusal {
  readonly filename: string
  readonly code: ErrorCode
  readonly values: ErrorParams
}

/** Most refusals shown for one folder. */
export const MAX_REFUSALS = 20

/** Outcome for one version of a file: taken as a song, known by its content, refused, or present before the watch began. */
export interface HandledAs {
  readonly sourceId?: string
  /** SHA-256 of taken or known content, lower-case hexadecimal. */
  readonly sha256?: string
  readonly error?: { readonly code: ErrorCode; readonly values: ErrorParams }
}

interface RawFolder {
  folder_id: string
  path: string
  output_folder: string | null
  settings: string | null
  accept: 'any' | null
  is_active: 0 | 1
  created_at_ms: number
}

interface RawVersion {
  filename: string
  size_bytes: number
  modified_ms: number
  inode: string | null
}

/** Versions read at once, before other work gets its turn. */
const PAGE_SIZE = 500

const fromRaw = (raw: RawFolder): FolderRow => ({
  folderId: raw.folder_id,
  path: raw.path,
  outputFolder: raw.output_folder,
  settings: raw.settings === null ? null : masterSettings(JSON.parse(raw.settings)),
  accept: raw.accept ?? undefined,
  isActive: raw.is_active === 1,
  createdAtMs: raw.created_at_ms,
})

function prepareStatements(db: Db) {
  return { ...prepareFolders(db), ...prepareVersions(db), ...prepareOutcomes(db) }
}

/** Statements about the folders. */
function prepareFolders(db: Db) {
  return {
    selectAll: db.prepare<[], RawFolder>('SELECT * FROM watch_folders ORDER BY created_at_ms, folder_id'),
    selectOne: db.prepare<[string], RawFolder>('SELECT * FROM watch_folders WHERE folder_id = ?'),
    upsert: db.prepare(
      `INSERT INTO watch_folders (folder_id, path, output_folder, settings, accept, is_active, created_at_ms)
       VALUES (@folderId, @path, @outputFolder, @settings, @accept, @isActive, @createdAtMs)
       ON CONFLICT (folder_id) DO UPDATE SET output_folder = excluded.output_folder, settings = excluded.settings,
         accept = excluded.accept, is_active = excluded.is_active`,
    ),
    deleteOne: db.prepare<[string]>('DELETE FROM watch_folders WHERE folder_id = ?'),
  }
}

/** Statements about the file versions that were handled. */
function prepareVersions(db: Db) {
  return {
    selectHandled: db
      .prepare<[string, string, number, number], number>(
        'SELECT 1 FROM watched_files WHERE folder_id = ? AND filename = ? AND size_bytes = ? AND modified_ms = ?',
      )
      .pluck(),
    insertHandled: db.prepare(
      `INSERT INTO watched_files (folder_id, filename, size_bytes, modified_ms, inode, sha256, source_id, error_code, error_values, seen_at_ms)
       VALUES (@folderId, @filename, @sizeBytes, @modifiedMs, @inode, @sha256, @sourceId, @code, @values, @nowMs)`,
    ),
    selectInode: db
      .prepare<FileStat & { folderId: string; filename: string }, number>(
        `SELECT 1 FROM watched_files WHERE folder_id = @folderId AND filename = @filename AND size_bytes = @sizeBytes
         AND modified_ms = @modifiedMs AND inode = @inode`,
      )
      .pluck(),
    selectVersions: db.prepare<RawVersion & { folder_id: string; limit: number }, RawVersion>(
      `SELECT filename, size_bytes, modified_ms, inode FROM watched_files
       WHERE folder_id = @folder_id AND (filename, size_bytes, modified_ms) > (@filename, @size_bytes, @modified_ms)
       ORDER BY filename, size_bytes, modified_ms LIMIT @limit`,
    ),
    updateName: db.prepare(
      `UPDATE watched_files SET filename = @filename
       WHERE folder_id = @folderId AND filename = @before AND size_bytes = @sizeBytes AND modified_ms = @modifiedMs`,
    ),
  }
}

/** Statements about the outcome of handled files: their content, the songs they became, and their refusals. */
function prepareOutcomes(db: Db) {
  return {
    selectContent: db
      .prepare<[string, string], string>('SELECT filename FROM watched_files WHERE folder_id = ? AND sha256 = ?')
      .pluck(),
    clearContent: db.prepare<[string, string, string]>(
      'UPDATE watched_files SET sha256 = NULL WHERE folder_id = ? AND filename = ? AND sha256 = ?',
    ),
    countTaken: db
      .prepare<[string], number>('SELECT count(*) FROM watched_files WHERE folder_id = ? AND source_id IS NOT NULL')
      .pluck(),
    selectOriginals: db.prepare<[string], { path: string; filename: string; size_bytes: number; modified_ms: number }>(
      `SELECT path, filename, size_bytes, modified_ms FROM watched_files JOIN watch_folders USING (folder_id)
       WHERE source_id = ?`,
    ),
    selectTaken: db.prepare<[string], number>('SELECT 1 FROM watched_files WHERE source_id = ?').pluck(),
    selectRefused: db.prepare<[string], { filename: string; error_code: ErrorCode; error_values: string }>(
      `SELECT filename, error_code, error_values FROM watched_files AS one
       WHERE folder_id = ? AND error_code IS NOT NULL AND NOT EXISTS (SELECT 1 FROM watched_files AS later
         WHERE later.folder_id = one.folder_id AND later.filename = one.filename AND later.seen_at_ms > one.seen_at_ms)
       ORDER BY seen_at_ms DESC LIMIT ${MAX_REFUSALS}`,
    ),
    selectOutput: db
      .prepare<[string], string>(
        `SELECT f.output_folder FROM watched_files w JOIN watch_folders f ON f.folder_id = w.folder_id
         WHERE w.source_id = ? AND f.output_folder IS NOT NULL`,
      )
      .pluck(),
  }
}

/** The watched folders of an open database. */
export class WatchFolderStore {
  readonly #statements: ReturnType<typeof prepareStatements>

  constructor(db: Db) {
    this.#statements = prepareStatements(db)
  }

  all(): FolderRow[] {
    return this.#statements.selectAll.all().map(fromRaw)
  }

  find(folderId: string): FolderRow | undefined {
    const raw = this.#statements.selectOne.get(folderId)
    return raw && fromRaw(raw)
  }

  /** Inserts a folder, or changes one, except its path. Throws SQLite's unique error for a path that is watched already. */
  save(row: FolderRow): void {
    const settings = row.settings && JSON.stringify(row.settings)
    this.#statements.upsert.run({ ...row, settings, accept: row.accept ?? null, isActive: row.isActive ? 1 : 0 })
  }

  remove(folderId: string): boolean {
    return this.#statements.deleteOne.run(folderId).changes > 0
  }

  /** Returns whether this version of a file was handled. */
  isHandled(folderId: string, filename: string, { sizeBytes, modifiedMs }: FileVersion): boolean {
    return this.#statements.selectHandled.get(folderId, filename, sizeBytes, modifiedMs) !== undefined
  }

  /** Returns whether this very file, by its inode number, was handled under a name. */
  isHandledUnder(folderId: string, filename: string, stat: FileStat): boolean {
    return this.#statements.selectInode.get({ ...stat, folderId, filename }) !== undefined
  }

  /** Yields every handled version, in pages. */
  *handledVersions(folderId: string): Generator<readonly { filename: string; stat: Omit<FileStat, 'changedMs'> }[]> {
    let last: RawVersion = { filename: '', size_bytes: -1, modified_ms: 0, inode: null }
    for (;;) {
      const page = this.#statements.selectVersions.all({ ...last, folder_id: folderId, limit: PAGE_SIZE })
      yield page.map(({ filename, size_bytes: sizeBytes, modified_ms: modifiedMs, inode }) => ({
        filename,
        stat: { sizeBytes, modifiedMs, inode },
      }))
      if (page.length < PAGE_SIZE) return
      last = page.at(-1)!
    }
  }

  /** Renames a version. */
  rename(folderId: string, before: string, filename: string, version: FileVersion): void {
    this.#statements.updateName.run({ ...version, folderId, before, filename })
  }

  /** Records a version; throws when it is recorded already. */
  addHandled(folderId: string, filename: string, stat: FileStat, as: HandledAs, nowMs: number): void {
    this.#statements.insertHandled.run({
      folderId,
      filename,
      ...stat,
      sha256: as.sha256 ?? null,
      sourceId: as.sourceId ?? null,
      code: as.error?.code ?? null,
      values: as.error ? JSON.stringify(as.error.values) : null,
      nowMs,
    })
  }

  /** Returns the names under which this content was handled. */
  namesOfContent(folderId: string, sha256: string): string[] {
    return this.#statements.selectContent.all(folderId, sha256)
  }

  /** Removes the link between a name and a content. */
  forgetContent(folderId: string, filename: string, sha256: string): void {
    this.#statements.clearContent.run(folderId, filename, sha256)
  }

  /** Returns whether a stored song came from a folder that is still watched. */
  hasTaken(sourceId: string): boolean {
    return this.#statements.selectTaken.get(sourceId) !== undefined
  }

  /** Returns the source files of a stored song in watched folders, as they were at that time. */
  originalsOf(sourceId: string): { readonly path: string; readonly sizeBytes: number; readonly modifiedMs: number }[] {
    return this.#statements.selectOriginals
      .all(sourceId)
      .map(({ path: folder, filename, size_bytes: sizeBytes, modified_ms: modifiedMs }) => ({
        path: path.join(folder, filename),
        sizeBytes,
        modifiedMs,
      }))
  }

  countTaken(folderId: string): number {
    return this.#statements.countTaken.get(folderId) ?? 0
  }

  /** Returns the latest refusals, newest first; without files that were handled again since. */
  refusals(folderId: string): Refusal[] {
    return this.#statements.selectRefused.all(folderId).map(({ filename, error_code, error_values }) => ({
      filename,
      code: error_code,
      values: JSON.parse(error_values) as ErrorParams,
    }))
  }

  /** Returns the output folder of the watched folder that a stored song came from; undefined without one. */
  outputFolderOf(sourceId: string): string | undefined {
    return this.#statements.selectOutput.get(sourceId)
  }
}
