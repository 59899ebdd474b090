/** One watched folder: scans it, follows renamed files, and hands complete new files to the intake. */
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { invalidRequest } from '../http/app-error.ts'
import { createFolderScanner, type FolderScanner } from './folder-scanner.ts'
import type { FileStat } from './postponed-files.ts'
import { type SongFile, statSong } from './song-files.ts'
import { type IntakeDeps, takeSong } from './song-intake.ts'
import type { FolderRow, WatchFolderStore } from './watch-folder-store.ts'

/** Scanner of a folder together with the names under which its files were handled. */
export interface WatchedFolder extends FolderScanner {
  /** Returns the names under which this very file was handled, in this version. */
  namesOf(file: FileStat): string[]
}

/** Attributes that stay the same when a file is renamed. */
type FileIdentity = Omit<FileStat, 'changedMs'>

const identityKey = ({ inode, sizeBytes, modifiedMs }: FileIdentity) => `${inode} ${sizeBytes} ${modifiedMs}`

/** Attributes recorded for a name under which no file can be read. */
const NO_STAT: FileStat = { sizeBytes: 0, modifiedMs: 0, changedMs: 0, inode: null }

/** Opens a folder with the record of the files that were handled in it before. */
export async function openWatchedFolder(
  store: WatchFolderStore,
  { folderId, path: folder }: Pick<FolderRow, 'folderId' | 'path'>,
): Promise<WatchedFolder> {
  const names = new Map<string, Set<string>>()
  const add = (filename: string, file: FileIdentity) => {
    if (file.inode === null) return
    const known = names.get(identityKey(file)) ?? new Set()
    names.set(identityKey(file), known.add(filename))
  }
  for (const page of store.handledVersions(folderId)) {
    for (const { filename, stat } of page) add(filename, stat)
    await setImmediate()
  }
  const scanner = createFolderScanner(folder)
  return {
    ...scanner,
    markHandled(song) {
      add(song.filename, song.stat)
      scanner.markHandled(song)
    },
    // The map may hold names that the database has given up, never fewer; the database decides.
    namesOf: (file) =>
      [...(names.get(identityKey(file)) ?? [])].filter((name) => store.isHandledUnder(folderId, name, file)),
  }
}

/** Deals with the files of a folder that may have changed, until the folder is paused or removed. */
export async function scanFolder(deps: IntakeDeps, folder: FolderRow, watched: WatchedFolder): Promise<void> {
  for await (const { songs, unreadableNames } of watched.scan()) {
    for (const filename of unreadableNames) refuseName(deps, folder, filename)
    for (const song of songs) {
      const isHandled = () => deps.store.isHandled(folder.folderId, song.filename, song.stat)
      if (!isHandled()) {
        // Asked again for each song: taking the previous one may have lasted.
        if (deps.closing.aborted || !deps.store.find(folder.folderId)?.isActive) return
        await handle(deps, folder, watched, song)
      }
      if (isHandled()) watched.markHandled(song)
    }
  }
}

/** Follows a renamed file, and takes a new one once it is complete and due. */
async function handle(deps: IntakeDeps, folder: FolderRow, watched: WatchedFolder, song: SongFile): Promise<void> {
  const { store, stable, postponed, clock } = deps
  const { filename, stat } = song
  const nameBefore = await nameBeforeOf(folder, watched, stat)
  if (nameBefore !== undefined) {
    store.rename(folder.folderId, nameBefore, filename, stat)
    watched.recheck(nameBefore)
    return
  }
  const file = path.join(folder.path, filename)
  if (!stable.isStable(file, stat, clock.monotonicMs())) return
  if (postponed.isPostponed(file, stat, clock.monotonicMs())) return
  await takeSong(deps, folder, song, watched.has)
}

/** Resolves with the name under which a file was handled, if it has another now. */
async function nameBeforeOf(folder: FolderRow, watched: WatchedFolder, stat: FileStat): Promise<string | undefined> {
  for (const name of watched.namesOf(stat)) {
    const other = watched.has(name) ? await statSong(folder.path, name) : undefined
    if (other?.stat.inode !== stat.inode) return name
  }
  return undefined
}

/** Shows a file whose name cannot be read as refused, and logs it once. */
function refuseName({ postponed, log }: IntakeDeps, { path: folder }: FolderRow, filename: string): void {
  const file = path.join(folder, filename)
  if (postponed.reasonOf(file)) return
  log.warn('a watched file has a name that cannot be read', { folder, filename })
  postponed.untilChanged(file, NO_STAT, invalidRequest('name_not_utf8', { param: 'file' }))
}
