/** One watched folder: scans it, follows renamed files, and hands complete new files to the intake. */
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { invalidRequest } from '../http/app-error.ts'
import { type SongFile, statSong } from '../sources/song-files.ts'
import { FolderScanner } from './folder-scanner.ts'
import type { FileStat } from './postponed-files.ts'
import { type IntakeDeps, takeSong } from './song-intake.ts'
import type { FolderRow, WatchFolderStore } from './watch-folder-store.ts'

/** Attributes that stay the same when a file is renamed. */
type FileIdentity = Omit<FileStat, 'changedMs'>

const identityKey = ({ inode, sizeBytes, modifiedMs }: FileIdentity) => `${inode} ${sizeBytes} ${modifiedMs}`

/** Attributes recorded for a name without a readable file. */
const NO_STAT: FileStat = { sizeBytes: 0, modifiedMs: 0, changedMs: 0, inode: null }

type OpenedRow = Pick<FolderRow, 'folderId' | 'path' | 'accept'>

/** Scanner of a folder with the names that its files were handled under. */
export class WatchedFolder extends FolderScanner {
  readonly #store: WatchFolderStore
  readonly #folderId: string
  /** May contain names that the database no longer has, never fewer. */
  readonly #names = new Map<string, Set<string>>()

  constructor(store: WatchFolderStore, { folderId, path: folder, accept }: OpenedRow) {
    super(folder, accept)
    this.#store = store
    this.#folderId = folderId
  }

  /** Opens a folder with the record of its handled files. */
  static async open(store: WatchFolderStore, folder: OpenedRow): Promise<WatchedFolder> {
    const watched = new WatchedFolder(store, folder)
    for (const page of store.handledVersions(folder.folderId)) {
      for (const { filename, stat } of page) watched.#addName(filename, stat)
      await setImmediate()
    }
    return watched
  }

  override markHandled(song: SongFile): void {
    this.#addName(song.filename, song.stat)
    super.markHandled(song)
  }

  /** Returns the names that this version of the file was handled under. */
  namesOf(file: FileStat): string[] {
    const names = [...(this.#names.get(identityKey(file)) ?? [])]
    return names.filter((name) => this.#store.isHandledUnder(this.#folderId, name, file))
  }

  #addName(filename: string, file: FileIdentity): void {
    if (file.inode === null) return
    const known = this.#names.get(identityKey(file)) ?? new Set()
    this.#names.set(identityKey(file), known.add(filename))
  }
}

/** Handles the possibly changed files of a folder, until the folder is paused or removed. */
export async function scanFolder(deps: IntakeDeps, folder: FolderRow, watched: WatchedFolder): Promise<void> {
  for await (const { songs, unreadableNames } of watched.scan()) {
    for (const filename of unreadableNames) refuseName(deps, folder, filename)
    for (const song of songs) {
      const isHandled = () => deps.store.isHandled(folder.folderId, song.filename, song.stat)
      if (!isHandled()) {
        // Checked again for each song: taking the previous one may have taken long.
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
  await takeSong(deps, folder, song, (name) => watched.has(name))
}

/** Resolves with the earlier name of a renamed file that was handled. */
async function nameBeforeOf(folder: FolderRow, watched: WatchedFolder, stat: FileStat): Promise<string | undefined> {
  for (const name of watched.namesOf(stat)) {
    const other = watched.has(name) ? await statSong(folder.path, name) : undefined
    if (other?.stat.inode !== stat.inode) return name
  }
  return undefined
}

/** Reports a file with an unreadable name as refused, and logs it once. */
function refuseName({ postponed, log }: IntakeDeps, { path: folder }: FolderRow, filename: string): void {
  const file = path.join(folder, filename)
  if (postponed.reasonOf(file)) return
  log.warn('a watched file has a name that cannot be read', { folder, filename })
  postponed.untilChanged(file, NO_STAT, invalidRequest('name_not_utf8', { param: 'file' }))
}
