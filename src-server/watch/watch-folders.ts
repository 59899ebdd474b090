/**
 * Watched folders: a new song in one is stored, added to the batch and started with the folder's settings, only once, also across restarts,
 * under another name and with another modification time. Subfolders are ignored: they contain stems, earlier versions and the masters
 * themselves. Folders are scanned periodically rather than followed by system notifications, which network drives do not send.
 */
import path from 'node:path'
import type { WatchFolder } from '../../src-contract/app.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { type Accept, isSongName } from '../../src-contract/song-files.ts'
import type { Language } from '../../src-contract/text/language.ts'
import { errorText } from '../../src-contract/text/text.ts'
import { realPath } from '../../src-system/disk.ts'
import { isoTime } from '../../src-system/system.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { requireOutputFolder, requireSongFolder } from '../settings/chosen-folder.ts'
import { listSongs, type SongFile } from '../sources/song-files.ts'
import { createPostponedFiles, type PostponedFile } from './postponed-files.ts'
import type { IntakeDeps } from './song-intake.ts'
import { createStableFiles } from './stable-files.ts'
import { type FolderRow, MAX_REFUSALS, type Refusal, WatchFolderStore } from './watch-folder-store.ts'
import { scanFolder, WatchedFolder } from './watched-folder.ts'

export interface WatchFoldersDeps extends Omit<IntakeDeps, 'store' | 'stable' | 'postponed' | 'closing'> {
  /** Data directory; its files are not songs of the user, so a folder in it cannot be watched. */
  readonly dataDir: string
}

/** The owner's choices for a folder. */
export interface FolderChoice {
  readonly output_folder?: string | null
  readonly settings?: MasterSettings | null
  readonly accept?: 'any' | null
  readonly is_active?: boolean
}

/** The owner's choices for a new folder. */
export interface NewFolderChoice extends FolderChoice {
  /** True to include the songs already in it. */
  readonly takesExisting?: boolean
}

/** Pause between two scans, ms: songs are noticed soon, and a network drive is not kept busy. */
const SCAN_EVERY_MS = 2000
/** Time without a change after which a file counts as complete, ms: longer than the pauses of an ordinary export. */
const QUIET_MS = 4000

/** The watch over an open database. It scans from `start` to `close`. */
export class WatchFolders {
  readonly #deps: WatchFoldersDeps
  readonly #store: WatchFolderStore
  readonly #stable = createStableFiles(QUIET_MS)
  readonly #postponed = createPostponedFiles()
  readonly #unreachable = new Set<string>()
  readonly #opened = new Map<string, WatchedFolder>()
  readonly #closing = new AbortController()
  readonly #intake: IntakeDeps
  #scanning: Promise<void> | undefined
  #stopTimer: (() => void) | undefined

  constructor(deps: WatchFoldersDeps) {
    this.#deps = deps
    this.#store = new WatchFolderStore(deps.db)
    this.#intake = {
      ...deps,
      store: this.#store,
      stable: this.#stable,
      postponed: this.#postponed,
      closing: this.#closing.signal,
    }
  }

  /** Returns the watched folders in the order of creation, with texts in `language`. */
  list(language: Language): WatchFolder[] {
    return this.#store.all().map((folder) => this.#show(folder, language))
  }

  /**
   * Watches a folder from now on; existing songs are ignored unless `takesExisting`. Throws INVALID_REQUEST for a folder that cannot be
   * read, belongs to Loudsmith or is watched already, and for an unusable output folder.
   */
  async add(folderPath: string, choice: NewFolderChoice, language: Language): Promise<WatchFolder> {
    const { dataDir } = this.#deps
    await requireSongFolder(folderPath, dataDir)
    const folder = path.resolve(folderPath)
    if (typeof choice.output_folder === 'string') await requireOutputFolder(choice.output_folder, dataDir)
    const songs = choice.takesExisting ? [] : await listSongs(folder, choice.accept ?? undefined)
    const place = await realPath(folder)
    const places = await Promise.all(this.#store.all().map((known) => realPath(known.path)))
    // Checked last and synchronously: if the same folder is added twice at once, one call is first.
    if (places.includes(place) || this.#store.all().some((known) => known.path === folder))
      throw invalidRequest('folder_watched', { param: 'path' })
    return this.#show(this.#require(this.#save(folder, choice, songs)), language)
  }

  /**
   * Changes the choices for a folder. Songs of containers that it takes from now on, and that are there already, count as handled. Throws
   * NOT_FOUND, and INVALID_REQUEST for an unusable output folder, and for a folder that takes more and cannot be read.
   */
  async change(folderId: string, choice: FolderChoice, language: Language): Promise<WatchFolder> {
    this.#require(folderId)
    if (typeof choice.output_folder === 'string') await requireOutputFolder(choice.output_folder, this.#deps.dataDir)
    const { path: folder } = this.#require(folderId)
    const present = choice.accept ? await this.#songsIn(folder, choice.accept) : []
    const before = this.#require(folderId)
    const accept = choice.accept === undefined ? before.accept : (choice.accept ?? undefined)
    if (accept !== before.accept) this.#opened.delete(folderId)
    const added = accept && !before.accept ? present.filter((song) => !isSongName(song.filename)) : []
    this.#change(added, {
      ...before,
      accept,
      outputFolder: choice.output_folder === undefined ? before.outputFolder : choice.output_folder,
      settings: choice.settings === undefined ? before.settings : choice.settings,
      isActive: choice.is_active ?? before.isActive,
    })
    return this.#show(this.#require(folderId), language)
  }

  /** Stops watching a folder; its songs and masters stay. Throws NOT_FOUND. */
  remove(folderId: string): void {
    const folder = this.#require(folderId)
    this.#store.remove(folderId)
    this.#retainFiles((file) => path.dirname(file) !== folder.path)
    this.#unreachable.delete(folderId)
    this.#opened.delete(folderId)
  }

  /** Returns the output folder for the masters of a stored song, if its watched folder has its own. */
  outputFolderOf(sourceId: string): string | undefined {
    return this.#store.outputFolderOf(sourceId)
  }

  start(): void {
    this.#scanAndSchedule()
  }

  /** Stops scanning and resolves when a scan in progress has ended. */
  async close(): Promise<void> {
    this.#closing.abort(new Error('Loudsmith is stopping'))
    this.#stopTimer?.()
    await this.#scanning
  }

  #scanAndSchedule(): void {
    const { clock, log } = this.#deps
    this.#scanning = this.#scanAll()
      .catch((cause) => log.error('the watched folders could not be scanned', { cause }))
      .finally(() => {
        this.#scanning = undefined
        if (!this.#closing.signal.aborted) this.#stopTimer = clock.after(SCAN_EVERY_MS, () => this.#scanAndSchedule())
      })
  }

  async #scanAll(): Promise<void> {
    for (const folder of this.#store.all())
      if (folder.isActive && !this.#closing.signal.aborted) await this.#scanOne(folder)
  }

  async #scanOne(folder: FolderRow): Promise<void> {
    const watched = this.#opened.get(folder.folderId) ?? (await WatchedFolder.open(this.#store, folder))
    this.#opened.set(folder.folderId, watched)
    try {
      const isListed = await watched.refresh(this.#deps.clock.monotonicMs())
      this.#unreachable.delete(folder.folderId)
      if (isListed) this.#retainFiles((file) => path.dirname(file) !== folder.path || watched.has(path.basename(file)))
      await scanFolder(this.#intake, folder, watched)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause
      // A disconnected drive may come back; its records are kept.
      this.#unreachable.add(folder.folderId)
    }
  }

  /** Keeps the state of the files that `keeps` accepts. */
  #retainFiles(keeps: (file: string) => boolean): void {
    this.#stable.retain(keeps)
    this.#postponed.retain(keeps)
  }

  #require(folderId: string): FolderRow {
    const folder = this.#store.find(folderId)
    if (!folder) throw new AppError('NOT_FOUND')
    return folder
  }

  /** Resolves with the songs of a folder that is there. Throws INVALID_REQUEST for one that cannot be read. */
  async #songsIn(folder: string, accept: Accept): Promise<SongFile[]> {
    await requireSongFolder(folder, this.#deps.dataDir)
    return listSongs(folder, accept)
  }

  /** Stores a changed folder, and the songs in it that count as handled. */
  #change(handled: readonly SongFile[], row: FolderRow): void {
    const { db, clock } = this.#deps
    db.transaction(() => {
      this.#store.save(row)
      for (const { filename, stat } of handled)
        if (!this.#store.isHandled(row.folderId, filename, stat))
          this.#store.addHandled(row.folderId, filename, stat, {}, clock.now())
    })()
  }

  /** Stores a folder with its initially handled songs, and returns its identifier. */
  #save(folder: string, choice: FolderChoice, handled: readonly SongFile[]): string {
    const { db, clock, random } = this.#deps
    const folderId = random.newUuid()
    db.transaction(() => {
      this.#store.save({
        folderId,
        path: folder,
        outputFolder: choice.output_folder ?? null,
        settings: choice.settings ?? null,
        accept: choice.accept ?? undefined,
        isActive: choice.is_active ?? true,
        createdAtMs: clock.now(),
      })
      for (const { filename, stat } of handled) this.#store.addHandled(folderId, filename, stat, {}, clock.now())
    })()
    return folderId
  }

  #show(folder: FolderRow, language: Language): WatchFolder {
    return toWire(folder, {
      language,
      isReachable: !this.#unreachable.has(folder.folderId),
      taken: this.#store.countTaken(folder.folderId),
      refusals: this.#store.refusals(folder.folderId),
      postponed: this.#postponed.all().filter(({ file }) => path.dirname(file) === folder.path),
    })
  }
}

function toWire(
  folder: FolderRow,
  state: {
    readonly language: Language
    readonly isReachable: boolean
    readonly taken: number
    readonly refusals: readonly Refusal[]
    readonly postponed: readonly PostponedFile[]
  },
): WatchFolder {
  const postponedNames = new Set(state.postponed.map(({ file }) => path.basename(file)))
  // A stored refusal of a now postponed file was of an earlier version.
  const earlier = state.refusals.filter(({ filename }) => !postponedNames.has(filename))
  const refusalToWire = ({ filename, code, values }: Refusal) => ({
    filename,
    code,
    message: errorText(code, values, state.language),
  })
  return {
    folder_id: folder.folderId,
    path: folder.path,
    output_folder: folder.outputFolder,
    settings: folder.settings,
    accept: folder.accept ?? null,
    is_active: folder.isActive,
    is_reachable: state.isReachable,
    taken: state.taken,
    refused: [...refusalsOf(state.postponed, false), ...earlier].slice(0, MAX_REFUSALS).map(refusalToWire),
    waiting: refusalsOf(state.postponed, true).map(refusalToWire),
    created_at: isoTime(folder.createdAtMs),
  }
}

/** Returns the postponed files of one kind as refusals, the latest first. */
function refusalsOf(postponed: readonly PostponedFile[], isTimed: boolean): Refusal[] {
  return postponed
    .filter((one) => one.isTimed === isTimed)
    .map(({ file, reason: { code, values } }) => ({ filename: path.basename(file), code, values }))
    .reverse()
}
