/**
 * Watched folders: a song that appears in one is stored, put in the batch and started with the folder's settings, once, also across
 * restarts, under another name and with another time of change. Subfolders are left alone: they hold stems, earlier versions and the
 * masters themselves. Folders are scanned periodically rather than followed by notifications of the system, which network drives do
 * not send.
 */
import path from 'node:path'
import type { WatchFolder } from '../../src-contract/app.ts'
import type { MasterSettings } from '../../src-contract/settings.ts'
import { errorText, type Language } from '../../src-contract/text/text.ts'
import { realPath } from '../../src-system/disk.ts'
import { isoTime } from '../../src-system/system.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { requireOutputFolder, requireSongFolder } from './chosen-folder.ts'
import { createPostponedFiles, type PostponedFile } from './postponed-files.ts'
import { listSongs } from './song-files.ts'
import type { IntakeDeps } from './song-intake.ts'
import { createStableFiles } from './stable-files.ts'
import {
  createWatchFolderStore,
  type FolderRow,
  MAX_REFUSALS,
  type Refusal,
  type WatchFolderStore,
} from './watch-folder-store.ts'
import { openWatchedFolder, scanFolder, type WatchedFolder } from './watched-folder.ts'

export interface WatchFoldersDeps extends Omit<IntakeDeps, 'store' | 'stable' | 'postponed' | 'closing'> {
  /** Data directory, whose files are not songs of the user: a folder in it cannot be watched. */
  readonly dataDir: string
}

/** The owner's choices for a folder. */
export interface FolderChoice {
  readonly output_folder?: string | null
  readonly settings?: MasterSettings | null
  readonly is_active?: boolean
}

/** Pause between two scans, ms: a song is noticed soon, and a network drive is not kept busy. */
const SCAN_EVERY_MS = 2000
/** Time without a change after which a file counts as complete, ms: longer than the pauses of an ordinary export. */
const QUIET_MS = 4000

/** Creates the watch over an open database. It scans from `start` to `close`. */
export function createWatchFolders(deps: WatchFoldersDeps) {
  const { clock, log, dataDir } = deps
  const store = createWatchFolderStore(deps.db)
  const stable = createStableFiles(QUIET_MS)
  const postponed = createPostponedFiles()
  const unreachable = new Set<string>()
  const opened = new Map<string, WatchedFolder>()
  const closing = new AbortController()
  const intake: IntakeDeps = { ...deps, store, stable, postponed, closing: closing.signal }
  let scanning: Promise<void> | undefined
  let stopTimer: (() => void) | undefined

  async function scanOne(folder: FolderRow): Promise<void> {
    const watched = opened.get(folder.folderId) ?? (await openWatchedFolder(store, folder))
    opened.set(folder.folderId, watched)
    try {
      const isListed = await watched.refresh(clock.monotonicMs())
      unreachable.delete(folder.folderId)
      const isThere = (file: string) => path.dirname(file) !== folder.path || watched.has(path.basename(file))
      if (isListed) for (const files of [stable, postponed]) files.retain(isThere)
      await scanFolder(intake, folder, watched)
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause
      // A drive that is not connected comes back; its records are kept.
      unreachable.add(folder.folderId)
    }
  }

  async function scanAll(): Promise<void> {
    for (const folder of store.all()) if (folder.isActive && !closing.signal.aborted) await scanOne(folder)
  }

  function scanAndSchedule(): void {
    scanning = scanAll()
      .catch((cause) => log.error('the watched folders could not be scanned', { cause }))
      .finally(() => {
        scanning = undefined
        if (!closing.signal.aborted) stopTimer = clock.after(SCAN_EVERY_MS, scanAndSchedule)
      })
  }

  function requireFolder(folderId: string): FolderRow {
    const folder = store.find(folderId)
    if (!folder) throw new AppError('NOT_FOUND')
    return folder
  }

  const shown = (folder: FolderRow, language: Language): WatchFolder =>
    toWire(folder, {
      language,
      isReachable: !unreachable.has(folder.folderId),
      taken: store.countTaken(folder.folderId),
      refusals: store.refusals(folder.folderId),
      postponed: postponed.all().filter(({ file }) => path.dirname(file) === folder.path),
    })

  return {
    /** Returns the watched folders in the order of their adding, with texts in `language`. */
    list: (language: Language): WatchFolder[] => store.all().map((folder) => shown(folder, language)),

    /**
     * Watches a folder from now on; the songs in it are left alone unless `takesExisting`. Throws INVALID_REQUEST for one that
     * cannot be read, that belongs to Loudsmith or that is watched already, and for an output folder that cannot be used.
     */
    async add(
      folderPath: string,
      choice: FolderChoice & { readonly takesExisting?: boolean },
      language: Language,
    ): Promise<WatchFolder> {
      const folderId = await addFolder({ ...deps, store }, folderPath, choice)
      return shown(requireFolder(folderId), language)
    },

    /** Changes what is chosen for a folder. Throws NOT_FOUND, and INVALID_REQUEST for an output folder that cannot be used. */
    async change(folderId: string, choice: FolderChoice, language: Language): Promise<WatchFolder> {
      requireFolder(folderId)
      if (typeof choice.output_folder === 'string') await requireOutputFolder(choice.output_folder, dataDir)
      const before = requireFolder(folderId)
      store.save({
        ...before,
        outputFolder: choice.output_folder === undefined ? before.outputFolder : choice.output_folder,
        settings: choice.settings === undefined ? before.settings : choice.settings,
        isActive: choice.is_active ?? before.isActive,
      })
      return shown(requireFolder(folderId), language)
    },

    /** Watches a folder no longer; its songs and masters stay. Throws NOT_FOUND. */
    remove(folderId: string): void {
      const folder = requireFolder(folderId)
      store.remove(folderId)
      const isElsewhere = (file: string) => path.dirname(file) !== folder.path
      stable.retain(isElsewhere)
      postponed.retain(isElsewhere)
      unreachable.delete(folderId)
      opened.delete(folderId)
    },

    /** Returns where the masters of a stored song go when it came from a watched folder with a folder of its own for them. */
    outputFolderOf: store.outputFolderOf,

    start: scanAndSchedule,

    /** Stops scanning and resolves when a scan in progress has ended. */
    async close(): Promise<void> {
      closing.abort(new Error('Loudsmith is stopping'))
      stopTimer?.()
      await scanning
    },
  }
}

export type WatchFolders = ReturnType<typeof createWatchFolders>

/** Stores a folder and, unless `takesExisting`, the songs in it as handled. Returns its identifier. */
async function addFolder(
  { db, clock, random, dataDir, store }: WatchFoldersDeps & { readonly store: WatchFolderStore },
  folderPath: string,
  choice: FolderChoice & { readonly takesExisting?: boolean },
): Promise<string> {
  await requireSongFolder(folderPath, dataDir)
  const folder = path.resolve(folderPath)
  if (typeof choice.output_folder === 'string') await requireOutputFolder(choice.output_folder, dataDir)
  const songs = choice.takesExisting ? [] : await listSongs(folder)
  const place = await realPath(folder)
  const places = await Promise.all(store.all().map((known) => realPath(known.path)))
  // Asked last and without a pause: of two that are added at once, one is the first.
  if (places.includes(place) || store.all().some((known) => known.path === folder))
    throw invalidRequest('folder_watched', { param: 'path' })
  const folderId = random.newUuid()
  db.transaction(() => {
    store.save({
      folderId,
      path: folder,
      outputFolder: choice.output_folder ?? null,
      settings: choice.settings ?? null,
      isActive: choice.is_active ?? true,
      createdAtMs: clock.now(),
    })
    for (const { filename, stat } of songs) store.addHandled(folderId, filename, stat, {}, clock.now())
  })()
  return folderId
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
  // A stored refusal of a file that is postponed now was of another version of it.
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
