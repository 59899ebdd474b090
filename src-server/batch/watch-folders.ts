/**
 * Watched folders: a song that appears in one is stored, put in the batch and started with the folder's settings, once, also over
 * restarts, under another name and with another time of change. Folders in it are left alone: stems, earlier versions and its own
 * masters lie there. Folders are looked at in turn rather than followed by notifications of the system, which network drives do not send.
 */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { MasterSettings, WatchFolder } from '../../src-contract/app.ts'
import { ERRORS } from '../../src-contract/errors.ts'
import { MAX_SOURCE_BYTES, MIN_DURATION_SECONDS } from '../../src-contract/limits.ts'
import { errorText, type Language } from '../../src-contract/text/text.ts'
import { discardFolder, realPath } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import { type Chance, type Clock, isoTime } from '../../src-system/system.ts'
import type { Db } from '../db/open.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'
import { toAppError } from '../http/envelope.ts'
import type { Inspect } from '../uploads/inspect.ts'
import { type ReceivedFile, tooLarge } from '../uploads/receive.ts'
import type { Storage } from '../uploads/storage.ts'
import type { BatchQueue } from './batch.ts'
import { requireOutputFolder, requireSongFolder } from './chosen-folder.ts'
import { createFolderLook, type FolderLook } from './folder-scan.ts'
import { createHeldBack, type FileState, type HeldBack } from './held-back.ts'
import { createSettledFiles } from './settled-files.ts'
import type { CoverOf } from './song-cover.ts'
import type { NewSource, Sources } from './sources.ts'
import { createWatchFolderStore, type Dealt, type FolderRow, MAX_REFUSALS, type Refusal } from './watch-folder-store.ts'
import { copyWhole, type SeenSong, seenAs, songsIn, UnreadableError } from './watched-songs.ts'

export interface WatchFoldersArguments {
  readonly db: Db
  readonly clock: Clock
  readonly chance: Chance
  readonly log: Log
  /** Folder for copies on their way, on the disk of the stored songs. */
  readonly tmp: string
  /** Its own files are not songs of the user: a folder in it cannot be watched. */
  readonly dataDir: string
  readonly sources: Pick<Sources, 'add'>
  readonly batch: Pick<BatchQueue, 'addStarted'>
  readonly inspect: Inspect
  readonly coverOf: CoverOf
  readonly storage: Pick<Storage, 'require' | 'requireDisk'>
}

/** What the owner chooses for a folder. */
export interface FolderChoice {
  readonly output_folder?: string | null
  readonly settings?: MasterSettings | null
  readonly is_active?: boolean
}

const LOOK_EVERY_MS = 2000
/** A file that did not change for this long is complete. */
const QUIET_MS = 4000
/** One that holds less than it says is mostly still on its way, and its copying or its download rests: it is given more time. */
const CUT_SHORT_QUIET_MS = 60_000

/** A look at a folder with what was dealt with there. */
interface WatchedLook extends FolderLook {
  /** The names under which this very file was dealt with. */
  namesOf(file: FileState): string[]
}

/** Which version of which file it is, whatever its name. */
const identityOf = ({ inode, sizeBytes, modifiedMs }: Omit<FileState, 'changedMs'>) =>
  `${inode} ${sizeBytes} ${modifiedMs}`

/** Stands for a file that cannot be asked about. */
const NAMELESS: FileState = { sizeBytes: 0, modifiedMs: 0, changedMs: 0, inode: null }

/** Makes the watch over an open database. It looks from `start` to `close`. */
export function createWatchFolders(given: WatchFoldersArguments) {
  const { db, clock, chance, log, sources, batch } = given
  const store = createWatchFolderStore(db)
  const settled = createSettledFiles(QUIET_MS)
  const heldBack = createHeldBack()
  const unreachable = new Set<string>()
  const looks = new Map<string, WatchedLook>()
  const closing = new AbortController()
  let looking: Promise<void> | undefined
  let stopTimer: (() => void) | undefined

  async function lookInto(folder: FolderRow): Promise<void> {
    const look = looks.get(folder.folderId) ?? (await openLook(folder))
    try {
      const isListed = await look.refresh(clock.monotonicMs())
      unreachable.delete(folder.folderId)
      const isThere = (file: string) => path.dirname(file) !== folder.path || look.has(path.basename(file))
      if (isListed) for (const memory of [settled, heldBack]) memory.forget(isThere)
      for await (const { songs, misnamed } of look.slices()) {
        for (const filename of misnamed) refuseName(folder, filename)
        for (const seen of songs) if (!(await lookAt(folder, look, seen))) return
      }
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause
      // A drive that is not connected comes back; nothing is forgotten meanwhile.
      unreachable.add(folder.folderId)
    }
  }

  /** Makes the memory of a folder: what was dealt with in it before. */
  async function openLook({ folderId, path: folder }: FolderRow): Promise<WatchedLook> {
    const names = new Map<string, Set<string>>()
    const add = (filename: string, file: Omit<FileState, 'changedMs'>) => {
      if (file.inode === null) return
      const known = names.get(identityOf(file)) ?? new Set()
      names.set(identityOf(file), known.add(filename))
    }
    for (const page of store.versions(folderId)) {
      for (const { filename, look } of page) add(filename, look)
      await setImmediate()
    }
    const look = createFolderLook(folder)
    const watched: WatchedLook = {
      ...look,
      rest(seen) {
        add(seen.filename, seen.look)
        look.rest(seen)
      },
      // It may name more than the database, which is asked, and never less.
      namesOf: (file) =>
        [...(names.get(identityOf(file)) ?? [])].filter((name) => store.isKnownAs(folderId, name, file)),
    }
    looks.set(folderId, watched)
    return watched
  }

  /** Deals with one file. Resolves with whether the folder is to be looked at further. */
  async function lookAt(folder: FolderRow, look: WatchedLook, seen: SeenSong): Promise<boolean> {
    const { filename, look: state } = seen
    const isDealtWith = () => store.isDealtWith(folder.folderId, filename, state)
    if (!isDealtWith()) {
      // Asked again for each: taking the one before it may have lasted.
      if (closing.signal.aborted || !store.find(folder.folderId)?.isActive) return false
      const file = path.join(folder.path, filename)
      const nameBefore = await nameBeforeOf(folder, look, state)
      if (nameBefore !== undefined) {
        store.rename(folder.folderId, nameBefore, filename, state)
        look.wake(nameBefore)
      } else if (
        settled.isSettled(file, state, clock.monotonicMs()) &&
        !heldBack.isHeld(file, state, clock.monotonicMs())
      )
        await take(folder, seen, look.has)
      if (!isDealtWith()) return true
    }
    look.rest(seen)
    return true
  }

  /** Resolves with the name that a file had when it was dealt with, if it has another now. */
  async function nameBeforeOf(folder: FolderRow, look: WatchedLook, state: FileState): Promise<string | undefined> {
    for (const name of look.namesOf(state)) {
      const other = look.has(name) ? await seenAs(folder.path, name) : undefined
      if (other?.look.inode !== state.inode) return name
    }
    return undefined
  }

  /** Shows a file whose name cannot be read, and says so once in the log. */
  function refuseName({ path: folder }: FolderRow, filename: string): void {
    const file = path.join(folder, filename)
    if (heldBack.reasonOf(file)) return
    log.warn('a watched file has a name that cannot be read', { folder, filename })
    heldBack.untilChanged(file, NAMELESS, invalidRequest('name_not_utf8', { param: 'file' }))
  }

  /** `isThere` tells the names in the folder. */
  async function take(
    { folderId, path: folder }: FolderRow,
    seen: SeenSong,
    isThere: (name: string) => boolean,
  ): Promise<void> {
    const own = path.join(given.tmp, chance.newUuid())
    const file = path.join(folder, seen.filename)
    try {
      const copy = await copyOf(folder, seen, own)
      if (!copy) return
      const { sha256 } = copy
      // Touched, restored from a backup, renamed on another machine, or on a disk that keeps the local time: the song is no other.
      const isOfThis = (name: string) => name === seen.filename || !isThere(name)
      const namesBefore = store.namesOfContent(folderId, sha256).filter(isOfThis)
      if (namesBefore.length > 0) knowAgain(folderId, seen, namesBefore, sha256)
      else {
        const song = await songOf(copy)
        if (isStillComing(file, seen, song)) return
        startSong(folderId, seen, song)
      }
      heldBack.forget((held) => held !== file)
    } catch (cause) {
      if (closing.signal.aborted) return
      if (cause instanceof AppError && !ERRORS[cause.code].retryable) {
        deal(folderId, seen, { error: cause })
        heldBack.forget((held) => held !== file)
        return
      }
      const reason = cause instanceof UnreadableError ? cause.reason : toAppError(cause)
      // A folder of songs that waits for room is tried every minute, and the log may lie on the very disk that is full.
      if (heldBack.reasonOf(file)?.code !== reason.code)
        log.warn('a watched song could not be taken yet', { folder, filename: seen.filename, cause })
      if (cause instanceof UnreadableError && cause.isDenied) heldBack.untilChanged(file, seen.look, reason)
      else heldBack.forAWhile(file, seen.look, reason, clock.monotonicMs())
    } finally {
      await discardFolder(own)
    }
  }

  /** Copies a song into a folder made for it; undefined when it changed meanwhile. */
  async function copyOf(folder: string, seen: SeenSong, own: string): Promise<ReceivedFile | undefined> {
    const { sizeBytes } = seen.look
    if (sizeBytes > MAX_SOURCE_BYTES) throw tooLarge(MAX_SOURCE_BYTES, 'file')
    given.storage.require(sizeBytes)
    await mkdir(own, { recursive: true, mode: 0o700 })
    return copyWhole(folder, seen, path.join(own, 'file'), {
      requireDisk: given.storage.requireDisk,
      signal: closing.signal,
    })
  }

  /** Whether a song that holds less than it says is given more time; it is then held back. */
  function isStillComing(file: string, { look }: SeenSong, { facts }: Pick<NewSource, 'facts'>): boolean {
    const nowMs = clock.monotonicMs()
    if (facts.claimedSeconds === undefined || settled.isSettled(file, look, nowMs, CUT_SHORT_QUIET_MS)) return false
    heldBack.until(file, look, invalidRequest('file_cut_short', { param: 'file' }), nowMs + CUT_SHORT_QUIET_MS)
    return true
  }

  /** Rejects with an AppError for what is no song, and for one too short to be mastered. */
  async function songOf(copy: ReceivedFile): Promise<Omit<NewSource, 'purpose'>> {
    const song = await given.inspect(copy, 'file', closing.signal)
    if (song.facts.durationSeconds < MIN_DURATION_SECONDS)
      throw new AppError('UNSUPPORTED_FORMAT', { reason: 'short' }, { param: 'file' })
    const cover = await given.coverOf(song, closing.signal)
    return { ...song, ...(cover ? { cover } : {}) }
  }

  /** Remembered, stored and started all together, or not at all; not at all where the folder was paused or removed meanwhile. */
  function startSong(folderId: string, { filename, look }: SeenSong, song: Omit<NewSource, 'purpose'>): void {
    const folder = store.find(folderId)
    if (!folder?.isActive) return
    batch.addStarted(() => {
      const sourceId = sources.add({ ...song, purpose: 'song' })
      store.deal(folderId, filename, look, { sourceId, sha256: song.sha256 }, clock.now())
      return sourceId
    }, folder.settings)
  }

  /** The content goes with the song to its name of now: a copy under a name that it had is another song. */
  function knowAgain(folderId: string, seen: SeenSong, namesBefore: readonly string[], sha256: string): void {
    db.transaction(() => {
      for (const name of namesBefore) store.forgetContent(folderId, name, sha256)
      deal(folderId, seen, { sha256 })
    })()
  }

  /** Remembered unless the folder was removed meanwhile. */
  function deal(folderId: string, { filename, look }: SeenSong, dealt: Dealt): void {
    if (store.find(folderId)) store.deal(folderId, filename, look, dealt, clock.now())
  }

  async function lookAround(): Promise<void> {
    for (const folder of store.all()) if (folder.isActive && !closing.signal.aborted) await lookInto(folder)
  }

  function lookAndPlan(): void {
    looking = lookAround()
      .catch((cause) => log.error('the watched folders could not be looked at', { cause }))
      .finally(() => {
        looking = undefined
        if (!closing.signal.aborted) stopTimer = clock.after(LOOK_EVERY_MS, lookAndPlan)
      })
  }

  function required(folderId: string): FolderRow {
    const folder = store.find(folderId)
    if (!folder) throw new AppError('NOT_FOUND')
    return folder
  }

  function shown(folder: FolderRow, language: Language): WatchFolder {
    const held = heldBack.all().filter(({ file }) => path.dirname(file) === folder.path)
    // What was refused of a file that is held back was another version of it.
    const isHeld = new Set(held.map(({ file }) => path.basename(file)))
    const earlier = store.refusals(folder.folderId).filter(({ filename }) => !isHeld.has(filename))
    const toWire = ({ filename, code, values }: Refusal) => ({
      filename,
      code,
      message: errorText(code, values, language),
    })
    return {
      folder_id: folder.folderId,
      path: folder.path,
      output_folder: folder.outputFolder,
      settings: folder.settings,
      is_active: folder.isActive,
      is_reachable: !unreachable.has(folder.folderId),
      taken: store.countTaken(folder.folderId),
      refused: [...refusalsOf(held, false), ...earlier].slice(0, MAX_REFUSALS).map(toWire),
      waiting: refusalsOf(held, true).map(toWire),
      created_at: isoTime(folder.createdAtMs),
    }
  }

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
      await requireSongFolder(folderPath, given.dataDir)
      const folder = path.resolve(folderPath)
      if (typeof choice.output_folder === 'string') await requireOutputFolder(choice.output_folder, given.dataDir)
      const songs = choice.takesExisting ? [] : await songsIn(folder)
      const place = await realPath(folder)
      const places = await Promise.all(store.all().map((known) => realPath(known.path)))
      // Asked last and without a pause: of two that are added at once, one is the first.
      if (places.includes(place) || store.all().some((known) => known.path === folder))
        throw invalidRequest('folder_watched', { param: 'path' })
      const folderId = chance.newUuid()
      db.transaction(() => {
        store.save({
          folderId,
          path: folder,
          outputFolder: choice.output_folder ?? null,
          settings: choice.settings ?? null,
          isActive: choice.is_active ?? true,
          createdAtMs: clock.now(),
        })
        for (const { filename, look } of songs) store.deal(folderId, filename, look, {}, clock.now())
      })()
      return shown(required(folderId), language)
    },

    /** Changes what is chosen for a folder. Throws NOT_FOUND, and INVALID_REQUEST for an output folder that cannot be used. */
    async change(folderId: string, choice: FolderChoice, language: Language): Promise<WatchFolder> {
      required(folderId)
      if (typeof choice.output_folder === 'string') await requireOutputFolder(choice.output_folder, given.dataDir)
      const before = required(folderId)
      store.save({
        ...before,
        outputFolder: choice.output_folder === undefined ? before.outputFolder : choice.output_folder,
        settings: choice.settings === undefined ? before.settings : choice.settings,
        isActive: choice.is_active ?? before.isActive,
      })
      return shown(required(folderId), language)
    },

    /** Watches a folder no longer; its songs and masters stay. Throws NOT_FOUND. */
    remove(folderId: string): void {
      const folder = required(folderId)
      store.remove(folderId)
      const isElsewhere = (file: string) => path.dirname(file) !== folder.path
      settled.forget(isElsewhere)
      heldBack.forget(isElsewhere)
      unreachable.delete(folderId)
      looks.delete(folderId)
    },

    /** Returns where the masters of a stored song go when it came from a watched folder with a folder of its own for them. */
    outputFolderOf: store.outputFolderOf,

    start: lookAndPlan,

    /** Looks no more and resolves when a look under way has ended. */
    async close(): Promise<void> {
      closing.abort(new Error('Loudsmith is stopping'))
      stopTimer?.()
      await looking
    },
  }
}

export type WatchFolders = ReturnType<typeof createWatchFolders>

function refusalsOf(held: readonly HeldBack[], isWaiting: boolean): Refusal[] {
  return held
    .filter((one) => one.isWaiting === isWaiting)
    .map(({ file, reason: { code, values } }) => ({ filename: path.basename(file), code, values }))
    .reverse()
}
