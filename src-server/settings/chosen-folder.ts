/** Checks of folders chosen by the owner for songs or masters: each must be usable, and outside of the data folder. */
import { access, constants, lstat, stat } from 'node:fs/promises'
import path from 'node:path'
import { isWithin, realPath } from '../../src-system/disk.ts'
import { type OpenFolder, withFolder } from '../../src-system/open-folder.ts'
import { isDeviceName } from '../../src-system/regular-file.ts'
import { invalidRequest } from '../http/app-error.ts'

/**
 * Makes an output folder that is missing. Rejects with INVALID_REQUEST, naming `param`, unless masters can be written to it, and
 * when it lies in the data folder, where unknown files may be moved. `real` is its real path where that was resolved before: what has taken
 * its place since then is refused.
 */
export async function requireOutputFolder(
  folder: string,
  dataDir: string,
  { param = 'output_folder', real }: { readonly param?: string; readonly real?: string } = {},
): Promise<void> {
  if (isProgramFolder(folder)) throw invalidRequest('folder_is_program', { param })
  await requireOutside(folder, dataDir, param)
  await requireReadableName(folder, param)
  try {
    const isWritable = (opened: OpenFolder) => access(opened.at(), constants.W_OK)
    await withFolder(real ?? (await realPath(folder)), isWritable, { makesMissing: true })
  } catch (cause) {
    throw invalidRequest('folder_not_writable', { param, cause })
  }
}

/** Rejects with INVALID_REQUEST, naming `param`, unless songs can be read from a folder that is not Loudsmith's own. */
export async function requireSongFolder(folder: string, dataDir: string, param = 'path'): Promise<void> {
  await requireOutside(folder, dataDir, param)
  await requireReadableName(folder, param)
  try {
    await access(folder, constants.R_OK)
    if (!(await stat(folder)).isDirectory()) throw new Error('not a folder')
  } catch (cause) {
    throw invalidRequest('folder_not_readable', { param, cause })
  }
}

/** Endings of folders that macOS shows and starts as one program. */
const PROGRAM_FOLDER =
  /\.(app|appex|action|bundle|component|framework|kext|mpkg|pkg|plugin|prefpane|qlgenerator|saver|service|workflow|xpc)$/i

/** Returns whether a path is, or lies in, a folder that macOS takes for a program. Pure. */
export function isProgramFolder(folder: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'darwin' && folder.split('/').some((step) => PROGRAM_FOLDER.test(step.trimEnd()))
}

/** A name that is not UTF-8 arrives with U+FFFD in it: a folder made by that name would be another one beside it. */
async function requireReadableName(folder: string, param: string): Promise<void> {
  if (!folder.includes('\ufffd')) return
  await lstat(folder).catch((cause) => {
    throw invalidRequest('folder_name_not_utf8', { param, cause })
  })
}

async function requireOutside(folder: string, dataDir: string, param: string): Promise<void> {
  if (isDeviceName(folder)) throw invalidRequest('folder_not_absolute', { param })
  // On Windows a way from the root names no drive, and would mean the one from which this program was started.
  const rootOf = (name: string) => path.parse(name).root
  if (rootOf(path.normalize(folder)) !== rootOf(path.resolve(folder)))
    throw invalidRequest('folder_not_absolute', { param })
  if (isWithin(await realPath(dataDir), await realPath(folder))) throw invalidRequest('folder_own', { param })
}
