/** File functions missing in Node: folders made or refused immediately, and writes that survive a power loss. */
import { chmodSync, closeSync, copyFileSync, fsyncSync, openSync, statSync } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { type Clock, type RetryPolicy, tryAgain } from './system.ts'

/** The user's umask, as other programs apply it; undefined while this process still has it. */
let usersUmask: number | undefined

/** Makes all files that this process and its engine processes write from now on private to this user. */
export function keepPrivate(): void {
  usersUmask ??= process.umask(0o077)
}

/**
 * Gives a file or folder made for the user the access rights of the user's other programs: others may have access to a music folder. Does
 * nothing on a disk without access rights.
 */
export async function giveToUser(target: string | FileHandle, kind: 'file' | 'folder'): Promise<void> {
  if (usersUmask === undefined) return
  const mode = (kind === 'folder' ? 0o777 : 0o666) & ~usersUmask
  // FAT and some network file systems have no access rights.
  await (typeof target === 'string' ? chmod(target, mode) : target.chmod(mode)).catch(() => {})
}

/** Errors of a disk without access rights, such as FAT, or with rights of another user, as on a network disk. */
const NO_RIGHTS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

/**
 * Errors of a disk on which a file cannot have another name: FAT and some network file systems, or another disk. Windows reports
 * ERROR_INVALID_FUNCTION, which Node maps to EISDIR.
 */
export const NO_LINKS = ['EPERM', 'ENOTSUP', 'EXDEV', 'ENOSYS', 'EMLINK', 'EISDIR']

/** Restricts one of our files to this user, if the disk supports it. Throws the system's error for anything else. */
export function makePrivate(file: string): void {
  try {
    chmodSync(file, 0o600)
  } catch (cause) {
    if (!NO_RIGHTS.includes(String((cause as NodeJS.ErrnoException).code))) throw cause
  }
}

/** Returns whether the disk applied {@link makePrivate}; true on Windows, which has no such mode bits. */
export function hasAccessRights(file: string): boolean {
  return process.platform === 'win32' || (statSync(file).mode & 0o077) === 0
}

/**
 * Makes a folder and its missing parents; an existing one stays as it is. Rejects with the system's error. Node's own recursive mkdir never
 * returns if a parent exists but nothing can be made in it (ENOENT in /proc), so each level is made separately.
 */
export async function makeFolder(folder: string, isForUser = false): Promise<void> {
  if (await isFolder(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) await makeFolder(parent, isForUser)
  try {
    await mkdir(folder)
    if (isForUser) await giveToUser(folder, 'folder')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST' || !(await isFolder(folder))) throw cause
  }
}

async function isFolder(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isDirectory()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    return false
  }
}

/** Returns a path with a leading `~` replaced by the home folder of the account that runs this process. Never throws. */
export const inHome = (given: string): string => given.replace(/^~(?=[/\\]|$)/, homedir())

/** Returns the real path of a folder, with links resolved and the disk's own case; the folder need not exist yet. Never rejects. */
export async function realPath(folder: string): Promise<string> {
  const parent = path.dirname(folder)
  return realpath(folder).catch(async () =>
    parent === folder ? folder : path.join(await realPath(parent), path.basename(folder)),
  )
}

/** Returns whether a path is a folder or lies below it. Both are real paths. */
export function isWithin(folder: string, file: string): boolean {
  // macOS file systems treat composed and decomposed accents as equal; others do not.
  const nameOf = (real: string) => (process.platform === 'darwin' ? real.normalize('NFC') : real)
  const way = path.relative(nameOf(folder), nameOf(file))
  // Only the first segment decides: a folder may be called `..x`. The path to another Windows drive is absolute.
  return way.split(path.sep)[0] !== '..' && !path.isAbsolute(way)
}

/**
 * Removes a folder with its content, within a second. Entries that the system still holds (an open file on Windows) stay. Never rejects, so
 * it cannot mask another outcome.
 */
export async function discardFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}

/** Returns whether a system error means that the disk, or this user's quota, is full. Never throws. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | null | undefined)?.code))
}

/** Returns whether an error denies write access. */
export function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(String((error as { code?: unknown } | null | undefined)?.code))
}

/** Windows returns these errors while another program, mostly a virus scanner, briefly holds a file or folder. */
const held: RetryPolicy = {
  tries: 10,
  pauseMs: 300,
  mayPass: (error) => ['EPERM', 'EACCES', 'EBUSY'].includes(String((error as NodeJS.ErrnoException).code)),
}

/**
 * Runs a move or removal of a finished file or folder, retrying for about three seconds while another program holds it, and returns its
 * result. Passes on errors of `run`.
 */
export function whenReleased<Result>(
  clock: Pick<Clock, 'sleep'>,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  return tryAgain(clock, held, run)
}

/** Flushes a file's bytes so that they survive a power loss. Rejects with the system's error. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

/** Copies a file durably: its bytes survive a power loss. Throws the system's error. */
export function copyLasting(from: string, to: string): void {
  copyFileSync(from, to)
  const handle = openSync(to, 'r+')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/**
 * Makes the names in a folder survive a power loss: the database must never promise a file whose name is lost. Does nothing on Windows,
 * where folders cannot be opened.
 */
export function syncFolder(folder: string): void {
  let handle: number
  try {
    handle = openSync(folder, 'r')
  } catch {
    return
  }
  try {
    fsyncSync(handle)
  } catch {
    // Some network file systems cannot sync folders; their server decides.
  } finally {
    closeSync(handle)
  }
}
