/** File functions that Node lacks: folders that are made or refused at once, and writes that survive a loss of power. */
import { chmodSync, closeSync, copyFileSync, fsyncSync, openSync, statSync } from 'node:fs'
import { chmod, type FileHandle, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Clock, type RetryPolicy, tryAgain } from './system.ts'

/** The user's umask, which other programs apply to their files; undefined while this process has it too. */
let usersUmask: number | undefined

/** Makes all files that this process and its engine processes write from now on private to this user. */
export function keepPrivate(): void {
  usersUmask ??= process.umask(0o077)
}

/**
 * Gives a file or folder that is meant for the user the access rights that the user's other programs apply: others may have access to a music
 * folder. Does nothing where the disk has no access rights.
 */
export async function giveToUser(target: string | FileHandle, kind: 'file' | 'folder'): Promise<void> {
  if (usersUmask === undefined) return
  const mode = (kind === 'folder' ? 0o777 : 0o666) & ~usersUmask
  // FAT and some network file systems have none.
  await (typeof target === 'string' ? chmod(target, mode) : target.chmod(mode)).catch(() => {})
}

/** Errors of a disk that keeps no access rights, such as FAT, or keeps them for another user, as a network disk may. */
const NO_RIGHTS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EINVAL']

/** Lets this user alone read and write a file of ours, where the disk can keep that. Throws the system's error for anything else. */
export function makePrivate(file: string): void {
  try {
    chmodSync(file, 0o600)
  } catch (cause) {
    if (!NO_RIGHTS.includes(String((cause as NodeJS.ErrnoException).code))) throw cause
  }
}

/** Returns whether the disk has kept what {@link makePrivate} asked for; true on Windows, whose rights are not told this way. */
export function hasAccessRights(file: string): boolean {
  return process.platform === 'win32' || (statSync(file).mode & 0o077) === 0
}

/**
 * Makes a folder and those above it that are missing; an existing one stays as it is. Rejects with the system's error. Node's own
 * recursive mkdir never returns where a parent exists and yet nothing can be made in it (ENOENT in /proc), so each step is
 * made alone.
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

/** Returns where a folder really lies, behind links and with the disk's own capitals, also one that is yet to be made. Never rejects. */
export async function realPath(folder: string): Promise<string> {
  const parent = path.dirname(folder)
  return realpath(folder).catch(async () =>
    parent === folder ? folder : path.join(await realPath(parent), path.basename(folder)),
  )
}

/** Returns whether a path is a folder or lies below it. Both are real paths. */
export function isWithin(folder: string, file: string): boolean {
  // The disks of a Mac take either form of a letter with an accent for the other; elsewhere these are two names.
  const nameOf = (real: string) => (process.platform === 'darwin' ? real.normalize('NFC') : real)
  const way = path.relative(nameOf(folder), nameOf(file))
  // Only the first step decides: a folder may be called `..x`. Another drive of Windows is reached by an absolute way.
  return way.split(path.sep)[0] !== '..' && !path.isAbsolute(way)
}

/**
 * Removes a folder with all that is in it, within a second. What the system holds back so long (an open file on Windows) stays;
 * never rejects, so that it can follow any outcome without taking its place.
 */
export async function discardFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {})
}

/** Returns whether an error of the system says that the disk, or this user's share of it, is full. Never throws. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(String((error as { code?: unknown } | null | undefined)?.code))
}

/** Returns whether an error says that this user, or anybody, may not write there. */
export function isRefused(error: unknown): boolean {
  return ['EACCES', 'EPERM', 'EROFS'].includes(String((error as { code?: unknown } | null | undefined)?.code))
}

/** Windows says so where another program, mostly one that looks for viruses, holds a file or a folder for a moment. */
const held: RetryPolicy = {
  tries: 10,
  pauseMs: 300,
  mayPass: (error) => ['EPERM', 'EACCES', 'EBUSY'].includes(String((error as NodeJS.ErrnoException).code)),
}

/**
 * Runs what moves or removes a finished file or folder, again while another program holds it, and returns what it returns. Throws
 * what `run` throws, a hold after about three seconds.
 */
export function whenReleased<Result>(
  clock: Pick<Clock, 'sleep'>,
  run: () => Result | Promise<Result>,
): Promise<Result> {
  return tryAgain(clock, held, run)
}

/** Resolves when the bytes of a file would survive a loss of power. Rejects with the system's error. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  try {
    await handle.datasync()
  } finally {
    await handle.close()
  }
}

/** Copies a file so that its bytes survive a loss of power. Throws the system's error. */
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
 * Makes the names in a folder survive a loss of power: the database must never promise a file whose name is lost. Does nothing where
 * folders cannot be opened (Windows).
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
    // Some network file systems cannot; their server decides.
  } finally {
    closeSync(handle)
  }
}
