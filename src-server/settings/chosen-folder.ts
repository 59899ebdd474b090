/** Checks of folders chosen by the owner for songs or masters: each must be usable, and outside of the data folder. */
import { access, constants, lstat, stat } from 'node:fs/promises'
import path from 'node:path'
import { isWithin, realPath } from '../../src-system/disk.ts'
import { type OpenFolder, withFolder } from '../../src-system/open-folder.ts'
import { isDeviceName } from '../../src-system/regular-file.ts'
import { invalidRequest } from '../http/app-error.ts'

/**
 * Creates a missing output folder. Rejects with INVALID_REQUEST, naming `param`, unless masters can be written to it, and if it is in the
 * data folder, where unknown files may be moved. `real` is its real path if that was resolved before: anything that replaced it since then
 * is refused.
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

/** Rejects with INVALID_REQUEST, naming `param`, unless the folder is readable and not Loudsmith's own. */
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

/** Extensions of folders that macOS shows and starts as one program. */
const PROGRAM_FOLDER =
  /\.(app|appex|action|bundle|component|framework|kext|mpkg|pkg|plugin|prefpane|qlgenerator|saver|service|workflow|xpc)$/i

/** Returns whether a path is, or is inside, a folder that macOS takes for a program. Pure. */
export function isProgramFolder(folder: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === 'darwin' && folder.split('/').some((step) => PROGRAM_FOLDER.test(step.trimEnd()))
}

/** Refuses names that are not valid UTF-8: they contain U+FFFD, and creating such a folder would make a different one beside it. */
async function requireReadableName(folder: string, param: string): Promise<void> {
  if (!folder.includes('\ufffd')) return
  await lstat(folder).catch((cause) => {
    throw invalidRequest('folder_name_not_utf8', { param, cause })
  })
}

async function requireOutside(folder: string, dataDir: string, param: string): Promise<void> {
  if (isDeviceName(folder)) throw invalidRequest('folder_not_absolute', { param })
  // On Windows a path from the root names no drive, and would refer to the working folder's.
  const rootOf = (name: string) => path.parse(name).root
  if (rootOf(path.normalize(folder)) !== rootOf(path.resolve(folder)))
    throw invalidRequest('folder_not_absolute', { param })
  if (isWithin(await realPath(dataDir), await realPath(folder))) throw invalidRequest('folder_own', { param })
}
