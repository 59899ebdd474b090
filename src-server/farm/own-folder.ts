/**
 * Folder of a running machine for the files of its attempts, under a new name in the system's temporary folder. Its lock ends with the
 * program, so that machines on this host can find the folders of killed ones.
 */
import { type Stats, writeFileSync } from 'node:fs'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { discardFolder } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import { readRegularFile } from '../../src-system/regular-file.ts'
import type { Clock } from '../../src-system/system.ts'
import { DirectoryOwnedError, LOCK_FILE, type Ownership, ownDirectory } from '../db/owner.ts'

const PREFIX = 'loudsmith-machine-'

/** Marker file of our folders, and its content. Written under the lock. */
const MARKER_FILE = 'loudsmith-machine.json'
const MARKER = '{ "about": "A machine that masters for Loudsmith keeps its songs here while it works on them." }\n'

export interface OwnFolder {
  readonly path: string
  /** Removes the folder with all that is in it. Never rejects. */
  close(): Promise<void>
}

export interface OwnFolderDeps {
  readonly clock: Clock
  readonly log: Log
  /** Time between two searches for the folders of machines that were killed, ms. */
  readonly sweepMs: number
}

/** Creates the folder, and removes those of killed machines repeatedly. Rejects with the system's error. */
export async function openOwnFolder(deps: OwnFolderDeps): Promise<OwnFolder> {
  const folder = await mkdtemp(path.join(tmpdir(), PREFIX))
  const ownership = await marked(folder)
  const closing = new AbortController()
  const sweeps = sweepAgain(deps, closing.signal)
  return {
    path: folder,
    async close() {
      closing.abort()
      await sweeps
      await remove(folder, ownership)
    },
  }
}

/** Locks a new folder and writes its marker. */
async function marked(folder: string): Promise<Ownership> {
  try {
    const ownership = ownDirectory(folder)
    writeFileSync(path.join(folder, MARKER_FILE), MARKER, { flag: 'wx' })
    return ownership
  } catch (cause) {
    await discardFolder(folder)
    throw cause
  }
}

async function sweepAgain({ clock, log, sweepMs }: OwnFolderDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sweep(log).catch((cause: unknown) => log.warn('the temporary folder cannot be read', { cause }))
    await clock.sleep(sweepMs, signal).catch(() => {})
  }
}

/** Removes the folders of machines that were killed. */
async function sweep(log: Log): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue
    const folder = path.join(tmpdir(), name)
    try {
      if (await isMarked(folder)) await remove(folder, ownDirectory(folder, 0))
    } catch (cause) {
      if (!(cause instanceof DirectoryOwnedError)) log.debug('a folder cannot be looked at', { folder, cause })
    }
  }
}

/** Returns whether a machine of this user made a folder. Links are not followed: others may write to the same place. */
async function isMarked(folder: string): Promise<boolean> {
  const found = await lstat(folder)
  if (!found.isDirectory() || !isOfThisUser(found)) return false
  // SQLite would follow it.
  const lock = await lstat(path.join(folder, LOCK_FILE)).catch(() => undefined)
  if (lock && !lock.isFile()) return false
  const marker = path.join(folder, MARKER_FILE)
  const text = await readRegularFile(marker, { followsLink: false, maxBytes: MARKER.length }).catch(() => '')
  return text.toString() === MARKER
}

/** Windows reports no owner; its temporary folder is the user's own. */
const isOfThisUser = ({ uid }: Stats) => process.getuid === undefined || uid === process.getuid()

/** Removes the folder of a program that has ended, its marker last, so that the next sweep finds the remains. Never rejects. */
async function remove(folder: string, ownership: Ownership): Promise<void> {
  ownership.release()
  try {
    for (const name of await readdir(folder))
      if (name !== MARKER_FILE) await rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 })
    await rm(folder, { recursive: true, force: true })
  } catch {
    // The next sweep tries again.
  }
}
