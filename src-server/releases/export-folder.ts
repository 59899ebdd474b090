/** Files of an exported folder: each appears under its name once it is complete, and existing ones are not rewritten. */
import { createHash } from 'node:crypto'
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { ExportedFile } from '../../src-contract/release-exports.ts'
import { syncFolder, whenReleased } from '../../src-system/disk.ts'
import { MAX_FOREIGN_JSON_BYTES, parseForeignJson } from '../../src-system/foreign-json.ts'
import { type OpenFolder, withFolder } from '../../src-system/open-folder.ts'
import { FileRefusedError, type OpenOptions, readRegularFile, withRegularFile } from '../../src-system/regular-file.ts'
import type { Clock } from '../../src-system/system.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'

/** A file to write. */
export interface FolderFile {
  /** Name in the folder, safe on every file system, with `/` behind the name of a folder in it. */
  readonly name: string
  /** Its bytes, or the path of one of our files with them. */
  readonly content: Buffer | string
  readonly sizeBytes: number
  readonly sha256: string
}

/** Name of the mark of a folder with an unfinished export. */
const MARK = '.loudsmith-export'
/** Extension of a file being written; a marker next to it shows that it is ours. */
const UNFINISHED = '.part'
/** Files that file managers create anywhere. */
const PASSED_OVER: readonly string[] = ['.DS_Store', 'Thumbs.db', 'desktop.ini']
/** Deepest folder level that is searched for files: ours have one level below the release's. */
const MAX_DEPTH = 8

/** Returns a text as a file. */
export function textFile(name: string, text: string | Buffer): FolderFile {
  const content = Buffer.from(text)
  return { name, content, sizeBytes: content.length, sha256: sha256Of(content) }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Returns the relevant names in a folder and its subfolders, sorted; empty if it is missing. A link is listed as a name, wherever it leads.
 * Throws the system's error, and the reason of `signal`.
 */
export async function namesIn(folder: string, signal?: AbortSignal, depth = 0): Promise<string[]> {
  signal?.throwIfAborted()
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause
    return []
  })
  const names: string[] = []
  for (const entry of entries) {
    if (PASSED_OVER.includes(entry.name)) continue
    if (!entry.isDirectory() || depth === MAX_DEPTH) names.push(entry.name)
    else
      for (const name of await namesIn(path.join(folder, entry.name), signal, depth + 1))
        names.push(`${entry.name}/${name}`)
  }
  return names.sort()
}

/**
 * Returns the path of a file by its name in a folder; undefined for a name that leads out of it, and if part of the path is a link or not a
 * folder. Throws the system's error.
 */
export async function wayTo(folder: string, name: string): Promise<string | undefined> {
  const steps = name.split('/')
  const isInside = steps.every((step) => step !== '' && step !== '.' && step !== '..' && !/[\\:]/.test(step))
  if (!isInside) return undefined
  let way = folder
  for (const step of steps.slice(0, -1)) {
    way = path.join(way, step)
    const facts = await factsOf(way)
    if (facts && !facts.isDirectory()) return undefined
  }
  return path.join(way, steps.at(-1)!)
}

/** Returns the SHA-256 of a regular file; undefined if it is missing, a link or something else. Throws the system's error. */
export async function sha256OfFile(
  file: string,
  { signal, ...options }: OpenOptions & { readonly signal?: AbortSignal } = {},
): Promise<string | undefined> {
  try {
    return await withRegularFile(file, { ...options, followsLink: false }, (opened) => opened.sha256(signal))
  } catch (cause) {
    if (cause instanceof FileRefusedError || isMissing(cause)) return undefined
    throw cause
  }
}

function factsOf(name: string) {
  return lstat(name).catch((cause: NodeJS.ErrnoException) => {
    if (!isMissing(cause)) throw cause
    return undefined
  })
}

const isMissing = (cause: unknown) => ['ENOENT', 'ENOTDIR'].includes(String((cause as NodeJS.ErrnoException).code))

/** Mark of a folder with an unfinished export: the release, and every file that an export of it wrote or planned. */
interface Mark {
  readonly releaseId: string
  readonly files: readonly ExportedFile[]
}

/** A folder being filled. It never writes through a link, even one created meanwhile. */
export class ExportFolder {
  /** Real path. */
  readonly path: string
  readonly #clock: Pick<Clock, 'sleep'>
  #releaseId = ''
  /** Files that exports wrote or planned, by name, in each version that may exist. */
  #ours: ExportedFile[] = []

  constructor(folder: string, clock: Pick<Clock, 'sleep'>) {
    this.path = folder
    this.#clock = clock
  }

  /**
   * Creates the folder, or takes over that of an earlier export of the same release; `earlier` are the files of a finished one. Returns the
   * known files from exports. Throws FOLDER_TAKEN for a folder with other files, and as `write` does.
   */
  async take(releaseId: string, earlier: readonly ExportedFile[] | undefined): Promise<readonly ExportedFile[]> {
    const facts = await factsOf(this.path)
    if (facts && !facts.isDirectory()) throw this.#taken()
    const names = await namesIn(this.path).catch((cause: unknown) => {
      throw refusalOf(cause)
    })
    const mark = await this.#readMark()
    const isOurs = mark?.releaseId === releaseId || earlier !== undefined
    if (names.length > 0 && !isOurs) throw this.#taken()
    await withFolder(this.path, () => {}, { makesMissing: true }).catch((cause: unknown) => {
      throw refusalOf(cause)
    })
    this.#releaseId = releaseId
    await this.plan([...(mark?.releaseId === releaseId ? mark.files : []), ...(earlier ?? [])])
    return this.#ours
  }

  /** Records files about to be written, which identifies them after a crash. Throws as `write` does. */
  async plan(files: readonly ExportedFile[]): Promise<void> {
    const known = new Map([...this.#ours, ...files].map((file) => [`${file.name} ${file.sha256}`, file]))
    this.#ours = [...known.values()]
    const mark: Mark = { releaseId: this.#releaseId, files: this.#ours }
    await this.#put(textFile(MARK, JSON.stringify(mark)), { replaces: () => true })
  }

  /**
   * Returns the SHA-256 of each of these names with an existing file. Throws FOLDER_TAKEN, naming the file, for one that no export wrote,
   * and as `write` does.
   */
  async present(names: readonly string[], signal?: AbortSignal): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const name of names) {
      const sha256 = await this.#found(name, signal).catch((cause: unknown) => {
        signal?.throwIfAborted()
        throw refusalOf(cause)
      })
      if (sha256 !== undefined && !this.#isOurs(name, sha256)) throw this.#taken(name)
      if (sha256 !== undefined) found.set(name, sha256)
    }
    return found
  }

  /**
   * Writes a file unless it exists with the same bytes. Throws FOLDER_TAKEN, naming the file, for an existing one that no export wrote;
   * INVALID_REQUEST if the folder is not writable; the system's error on a full disk; and the reason of `signal`. Files written before
   * stay.
   */
  async write(file: FolderFile, signal?: AbortSignal): Promise<void> {
    await this.#put(file, { replaces: (found) => this.#isOurs(file.name, found), ...(signal ? { signal } : {}) })
  }

  /** Removes unmodified files of earlier exports except `kept`. Never throws if a file cannot be removed. */
  async removeStale(kept: ReadonlySet<string>): Promise<void> {
    const folders = new Set<string>()
    for (const { name, sha256 } of this.#ours) {
      if (kept.has(name)) continue
      const file = await wayTo(this.path, name).catch(() => undefined)
      if (file === undefined || (await sha256OfFile(file).catch(() => undefined)) !== sha256) continue
      await withFolder(path.dirname(file), (folder) => rm(folder.at(path.basename(file)))).catch(() => {})
      folders.add(path.dirname(file))
    }
    folders.delete(this.path)
    // A folder that is not empty stays.
    for (const folder of folders) await rmdir(folder).catch(() => {})
  }

  /** Removes the mark: the folder is complete. Throws as `write` does. */
  async finish(): Promise<void> {
    try {
      await withFolder(this.path, (folder) => rm(folder.at(MARK), { force: true }))
      syncFolder(this.path)
    } catch (cause) {
      throw refusalOf(cause)
    }
  }

  async #put(
    file: FolderFile,
    { replaces, signal }: { readonly replaces: (found: string) => boolean; readonly signal?: AbortSignal },
  ): Promise<void> {
    try {
      const { name, sha256 } = file
      const found = await this.#found(name, signal)
      if (found === sha256) return
      if (found !== undefined && !replaces(found)) throw this.#taken(name)
      const put = (folder: OpenFolder) => this.#putInto(folder, { ...file, name: path.basename(name) }, signal)
      const below = path.dirname(name)
      await withFolder(this.path, async (own) => {
        if (below === '.') return put(own)
        const folder = await own.openFolder(below)
        await put(folder).finally(() => folder.close())
      })
    } catch (cause) {
      signal?.throwIfAborted()
      throw refusalOf(cause)
    }
  }

  async #putInto(
    folder: OpenFolder,
    { name, content, sizeBytes, sha256 }: FolderFile,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const unfinished = folder.at(`.${name}${UNFINISHED}`)
    await rm(unfinished, { force: true })
    try {
      if (typeof content === 'string') {
        await folder.copy(path.basename(unfinished), { path: content, offset: 0, sizeBytes }, { signal })
      } else {
        const target = await folder.create(path.basename(unfinished))
        try {
          await target.writeFile(content)
          await target.sync()
        } finally {
          await target.close()
        }
      }
      // A drive may go, or write badly, without a word to the program that writes.
      if ((await sha256OfFile(unfinished, signal ? { signal } : {})) !== sha256)
        throw Object.assign(new Error(`${name} is not there as it was written`), { code: 'EIO' })
      await whenReleased(this.#clock, () => rename(unfinished, folder.at(name)))
    } catch (cause) {
      await rm(unfinished, { force: true }).catch(() => {})
      throw cause
    }
  }

  /** Returns the SHA-256 of the file under a name; undefined if it is missing. Throws FOLDER_TAKEN if something else is in the way. */
  async #found(name: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const target = await wayTo(this.path, name)
    if (target === undefined) throw this.#taken(name)
    const found = await sha256OfFile(target, signal ? { signal } : {})
    if (found === undefined && (await factsOf(target))) throw this.#taken(name)
    return found
  }

  #isOurs(name: string, sha256: string): boolean {
    return this.#ours.some((file) => file.name === name && file.sha256 === sha256)
  }

  async #readMark(): Promise<Mark | undefined> {
    try {
      const options = { followsLink: false, maxBytes: MAX_FOREIGN_JSON_BYTES }
      const mark = parseForeignJson(await readRegularFile(path.join(this.path, MARK), options)) as Partial<Mark> | null
      const hasFiles = Array.isArray(mark?.files) && mark.files.every((file) => typeof file?.name === 'string')
      return mark && hasFiles && typeof mark.releaseId === 'string' ? (mark as Mark) : undefined
    } catch {
      return undefined
    }
  }

  #taken(file?: string): AppError {
    return new AppError('FOLDER_TAKEN', { folder: path.basename(this.path), ...(file === undefined ? {} : { file }) })
  }
}

/** System error codes of an unwritable folder: closed, gone, on an unplugged drive, or replaced by a link. */
const CLOSED: readonly string[] = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EBUSY', 'ENAMETOOLONG'],
  ...['EIO', 'ENODEV', 'ENXIO', 'ESTALE', 'ENOTCONN', 'EHOSTDOWN', 'EUNKNOWN', 'UNKNOWN'],
]

/** Prefix of the code of a failure that libuv has no name for, such as a damaged file system (EUCLEAN, EBADMSG). */
const NAMELESS = 'Unknown system error'

/** Returns the user's error for a failed write; a full disk is handled by its general error. */
export function refusalOf(cause: unknown): unknown {
  const code = String(((cause ?? {}) as NodeJS.ErrnoException).code)
  const isClosed = CLOSED.includes(code) || code.startsWith(NAMELESS) || cause instanceof FileRefusedError
  return isClosed ? invalidRequest('folder_not_complete', { param: 'folder', cause }) : cause
}
