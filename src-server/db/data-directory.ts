/**
 * The data directory: recognition of Loudsmith's own folders, and the marker file in them. Every entry point (the desktop's, the
 * terminal's, each command's) goes through here before it makes, changes or removes anything. Files are removed only below a marker.
 */
import {
  closeSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { hasAccessRights, makeFolder, makePrivate, syncFolder } from '../../src-system/disk.ts'
import { DataDirectoryError, startFailure } from './fault.ts'
import type { Db } from './open.ts'
import { LOCK_FILE, liveOwner, type Owner, type Ownership, ownDirectory } from './owner.ts'

export const DATABASE_FILE = 'loudsmith.db'
/** Makes a folder a data directory: JSON whose `database_id` is the UUID of the database. */
export const MARKER_FILE = 'loudsmith-data.json'
const MARKER_DRAFT = `${MARKER_FILE}.new`
/** Name of the data directory made inside a folder with other files. */
const ADOPTED_NAME = 'Loudsmith'

/** Names that operating systems put into folders; a folder with only these counts as empty. */
const JUNK = /^(\.DS_Store|desktop\.ini|Thumbs\.db|lost\+found|\.Trash-.*)$/i
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Size above which a file cannot be a marker, bytes. */
const MAX_MARKER_BYTES = 4096

/** A data directory held by this process. */
export interface DataDirectory {
  readonly path: string
  /** The id in the marker file. */
  readonly markerId: string
  /** False if the disk has no access rights, such as FAT: others on this machine may read the files. */
  readonly isPrivate: boolean
  readonly ownership: Ownership
  /** Writes the marker of another database. */
  mark(databaseId: string): void
}

export interface FindOptions {
  /** True if a data directory `Loudsmith` may be made inside a folder with other files. */
  readonly adopts?: boolean
}

/**
 * Returns the path of the data directory for `folder`: the folder itself if it is ours, empty or missing; with `adopts`, the folder
 * `Loudsmith` inside one with other files. Changes nothing. Throws a {@link DataDirectoryError} for a folder with other files, a
 * {@link DatabaseError} for an unreadable one.
 */
export function findDataDirectory(folder: string, { adopts = false }: FindOptions = {}): string {
  return asStartFailure(() => {
    if (kindOf(folder) !== 'foreign') return folder
    const inside = path.join(folder, ADOPTED_NAME)
    if (adopts && kindOf(inside) !== 'foreign') return inside
    throw new DataDirectoryError(adopts ? inside : folder, adopts)
  })
}

/** Returns the living owner of the data directory at a path that {@link findDataDirectory} returned; undefined without one. */
export function ownerOf(dataDir: string): Owner | undefined {
  return asStartFailure(() => (kindOf(dataDir) === 'ours' ? liveOwner(dataDir) : undefined))
}

/**
 * Finds or creates a data directory and takes it. Gives a database of a version without markers its marker. The permissions of an existing
 * folder stay as they are. Throws a {@link DataDirectoryError}, a {@link DirectoryOwnedError} while another process holds it, and a
 * {@link DatabaseError} if it is not writable; a refused folder is left as it was.
 */
export async function takeDataDirectory(
  folder: string,
  { newUuid, ...options }: FindOptions & { readonly newUuid: () => string },
): Promise<DataDirectory> {
  const dataDir = findDataDirectory(folder, options)
  try {
    await makeFolder(dataDir)
    const ownership = ownDirectory(dataDir)
    try {
      const markerId = readMarker(dataDir) ?? writeMarker(dataDir, newUuid())
      return {
        path: dataDir,
        markerId,
        isPrivate: hasAccessRights(path.join(dataDir, MARKER_FILE)),
        ownership,
        mark: (databaseId) => void writeMarker(dataDir, databaseId),
      }
    } catch (error) {
      ownership.release()
      throw error
    }
  } catch (error) {
    throw startFailure(error)
  }
}

/**
 * Gives an open database the id in its directory's marker or, if the database already has one, updates the marker to match. Returns whether
 * the marker named this database before, or the database had no id.
 */
export function identifyDatabase(db: Db, directory: Pick<DataDirectory, 'markerId' | 'mark'>): boolean {
  const id = db.prepare<[], string>('SELECT database_id FROM database_identity').pluck().get()
  if (id === undefined) {
    db.prepare('INSERT INTO database_identity (only_row, database_id) VALUES (1, ?)').run(directory.markerId)
    return true
  }
  if (id !== directory.markerId) directory.mark(id)
  return id === directory.markerId
}

/** A folder is ours by its marker or, from versions without one, by its database; free when it is missing or empty. */
function kindOf(folder: string): 'ours' | 'free' | 'foreign' {
  if (!statSync(folder, { throwIfNoEntry: false })) return 'free'
  const entries = opendirSync(folder)
  try {
    if (readMarker(folder) !== undefined || isOurDatabase(path.join(folder, DATABASE_FILE))) return 'ours'
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
      const isOurs = isOwnLock(folder, entry.name) || isOwnDraft(folder, entry.name)
      if (!isOurs && !JUNK.test(entry.name)) return 'foreign'
    }
    return 'free'
  } finally {
    entries.closeSync()
  }
}

/** Largest header of a rollback journal, and the position of its length field (SQLite file format, section 3). */
const MAX_JOURNAL_HEADER_BYTES = 65_536
const JOURNAL_LENGTH_OFFSET = 20
const JOURNAL_FIELDS_BYTES = 28

/**
 * Returns whether a file is the lock of a first start, running or crashed: SQLite writes nothing into a file that it only locks, and only a
 * header into the journal beside it.
 */
function isOwnLock(folder: string, name: string): boolean {
  const isJournal = name === `${LOCK_FILE}-journal`
  if ((name !== LOCK_FILE && !isJournal) || readHead(path.join(folder, LOCK_FILE), 1)?.length !== 0) return false
  if (!isJournal) return true
  const header = readHead(path.join(folder, name), MAX_JOURNAL_HEADER_BYTES + 1)
  if (header?.length === 0) return true
  return (
    header !== undefined &&
    header.length > JOURNAL_FIELDS_BYTES &&
    header.readUInt32BE(JOURNAL_LENGTH_OFFSET) === header.length &&
    header.subarray(JOURNAL_FIELDS_BYTES).every((byte) => byte === 0)
  )
}

/** Returns the id of the database that a folder's marker names; undefined without a marker. */
function readMarker(folder: string): string | undefined {
  const file = path.join(folder, MARKER_FILE)
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size > MAX_MARKER_BYTES) return undefined
  try {
    const { database_id: id } = JSON.parse(readFileSync(file, 'utf8')) as { database_id?: unknown }
    return typeof id === 'string' && UUID.test(id) ? id : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined
    throw error
  }
}

/** First words of a marker, for a reader who finds it. */
const MARKER_HEAD =
  '{\n  "about": "Loudsmith keeps its songs, masters and database in this folder.",\n  "database_id": "'

function writeMarker(folder: string, databaseId: string): string {
  const file = path.join(folder, MARKER_FILE)
  const draft = path.join(folder, MARKER_DRAFT)
  try {
    writeFileSync(draft, `${MARKER_HEAD}${databaseId}"\n}\n`, { mode: 0o600, flush: true })
    makePrivate(draft)
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
  syncFolder(folder)
  return databaseId
}

/** Returns whether a file is the unfinished marker of a first start that held the lock beside it. */
function isOwnDraft(folder: string, name: string): boolean {
  if (name !== MARKER_DRAFT || !isOwnLock(folder, LOCK_FILE)) return false
  const text = readHead(path.join(folder, name), MAX_MARKER_BYTES)?.toString('latin1')
  return text !== undefined && (MARKER_HEAD.startsWith(text) || text.startsWith(MARKER_HEAD))
}

/** Size of the beginning of our database that contains the row of its first migration: the table's only page is the file's second. */
const DATABASE_HEAD_BYTES = 1_048_576
/** The same for the write-ahead log, in case a crash kept that page out of the database. */
const LOG_HEAD_BYTES = 16_777_216
const SQLITE_HEADER = 'SQLite format 3\0'
/** Name and checksum are adjacent in the row. */
const FIRST_MIGRATION = /0001-core\.sql[0-9a-f]{64}/

/** Returns whether a file is our database, by its bytes: SQLite would create files beside a database even when opening it read-only. */
function isOurDatabase(file: string): boolean {
  const head = readHead(file, DATABASE_HEAD_BYTES)?.toString('latin1')
  if (!head?.startsWith(SQLITE_HEADER)) return false
  const logHead = () => readHead(`${file}-wal`, LOG_HEAD_BYTES)?.toString('latin1') ?? ''
  return FIRST_MIGRATION.test(head) || FIRST_MIGRATION.test(logHead())
}

/** Returns the first bytes of a regular file; undefined for a missing or other one. */
function readHead(file: string, maxBytes: number): Buffer | undefined {
  const found = lstatSync(file, { throwIfNoEntry: false })
  if (!found?.isFile()) return undefined
  const bytes = Buffer.alloc(Math.min(found.size, maxBytes))
  const handle = openSync(file, 'r')
  try {
    return bytes.subarray(0, readSync(handle, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(handle)
  }
}

function asStartFailure<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    throw startFailure(error)
  }
}
