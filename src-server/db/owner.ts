/**
 * Ownership of a data directory: a lock of the operating system, held through a small SQLite file, that ends with the process in any case.
 * The owner file beside it only contains the owner's address; no process id is ever checked.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { makePrivate } from '../../src-system/disk.ts'

/** Address of the process that owns a data directory. */
export interface Owner {
  readonly pid: number
  readonly port: number
  /** Bearer credential that lets the command line act as the owner; the page never holds it. */
  readonly controlToken: string
}

/** Another process owns the data directory. */
export class DirectoryOwnedError extends Error {
  /** Undefined while that process is still starting. */
  readonly owner: Owner | undefined

  constructor(dataDir: string, owner: Owner | undefined) {
    super(`${dataDir} has an owner: ${owner ? `process ${owner.pid} on port ${owner.port}` : 'just starting'}`)
    this.name = 'DirectoryOwnedError'
    this.owner = owner
  }
}

/** Ownership of a data directory. */
export interface Ownership {
  /** Records the owner's address, mode 0600. */
  announce(owner: Owner): void
  /** Releases the directory. */
  release(): void
}

/** SQLite file whose lock is the ownership. */
export const LOCK_FILE = 'owner.lock'
/** JSON file with the owner's address and control credential. */
const OWNER_FILE = 'owner.json'
/** Longest wait of a start, ms: a check by {@link liveOwner} holds the lock for a moment. */
const WAIT_MS = 500

/** Takes an existing directory; throws a {@link DirectoryOwnedError} while another process holds it. */
export function ownDirectory(dataDir: string, waitMs = WAIT_MS): Ownership {
  const lock = tryLock(dataDir, waitMs)
  if (!lock) throw new DirectoryOwnedError(dataDir, readOwner(dataDir))
  const file = path.join(dataDir, OWNER_FILE)
  // Its writer has ended: the lock is ours.
  rmSync(file, { force: true })
  return {
    announce(owner) {
      // The mode counts for a new file only.
      rmSync(`${file}.new`, { force: true })
      writeFileSync(`${file}.new`, JSON.stringify(owner), { mode: 0o600, flag: 'wx' })
      renameSync(`${file}.new`, file)
    },
    release() {
      rmSync(file, { force: true })
      lock.close()
    },
  }
}

/** Returns the living owner of a data directory; undefined without one, and until it listens. Never throws. */
export function liveOwner(dataDir: string): Owner | undefined {
  const owner = readOwner(dataDir)
  if (!owner) return undefined
  try {
    const lock = tryLock(dataDir, 0)
    lock?.close()
    return lock ? undefined : owner
  } catch {
    // A start on this folder reports why it cannot be used.
    return undefined
  }
}

function tryLock(dataDir: string, waitMs: number): Database.Database | undefined {
  const file = path.join(dataDir, LOCK_FILE)
  const lock = new Database(file, { timeout: waitMs })
  try {
    makePrivate(file)
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (/^SQLITE_BUSY/.test(String((error as { code?: unknown }).code))) return undefined
    throw error
  }
}

function readOwner(dataDir: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(path.join(dataDir, OWNER_FILE), 'utf8')) as Owner
  } catch {
    return undefined
  }
}
