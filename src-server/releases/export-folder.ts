/** Files of an exported folder: each appears under its name when it is whole, and what is there already is not written again. */
import { createHash } from 'node:crypto'
import { lstat, readdir, rename, rm, rmdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExportedFile } from '../../src-contract/release-exports.ts'
import { syncFolder, whenReleased } from '../../src-system/disk.ts'
import { MAX_FOREIGN_JSON_BYTES, parseForeignJson } from '../../src-system/foreign-json.ts'
import { type OpenFolder, withFolder } from '../../src-system/open-folder.ts'
import { FileRefusedError, type OpenOptions, readRegularFile, withRegularFile } from '../../src-system/regular-file.ts'
import type { Clock } from '../../src-system/system.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'

/** A file to be written. */
export interface FolderFile {
  /** Name in the folder, safe on every file system, with `/` behind the name of a folder in it. */
  readonly name: string
  readonly open: () => Readable
  readonly sizeBytes: number
  readonly sha256: string
}

/** Name of the mark of a folder whose export has not ended. */
const MARK = '.loudsmith-export'
/** Ending of a file that is being written; the name is ours by the mark beside it. */
const UNFINISHED = '.part'
/** Files that file managers put anywhere. */
const PASSED_OVER: readonly string[] = ['.DS_Store', 'Thumbs.db', 'desktop.ini']
/** Deepest folder in which files are looked for: ours have one below that of the release. */
const MAX_DEPTH = 8

/** Returns a text as a file. */
export function textFile(name: string, text: string | Buffer): FolderFile {
  const bytes = Buffer.from(text)
  return { name, open: () => Readable.from([bytes]), sizeBytes: bytes.length, sha256: sha256Of(bytes) }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Returns the names in a folder and in those below it that count, sorted; empty where there is none. A link is a name, whatever it leads to.
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
 * Returns the way to a file by its name in a folder; undefined for a name that leads out of it, and where a folder on the way is a link or
 * something else. Throws the system's error.
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

/** Returns the SHA-256 of a file; undefined where there is none, or a link or something else. Throws the system's error. */
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

/** Mark of a folder whose export has not ended: the release, and every file that an export of it wrote or was to write. */
interface Mark {
  readonly releaseId: string
  readonly files: readonly ExportedFile[]
}

/** A folder that is being filled. Nothing is written behind a link, whenever one comes into its place. */
export class ExportFolder {
  /** Real path. */
  readonly path: string
  readonly #clock: Pick<Clock, 'sleep'>
  #releaseId = ''
  /** Files that an export wrote or was to write, by name; of one name each version that may be there. */
  #ours: ExportedFile[] = []

  constructor(folder: string, clock: Pick<Clock, 'sleep'>) {
    this.path = folder
    this.#clock = clock
  }

  /**
   * Makes the folder, or takes one of an earlier export of the same release, whose files `earlier` are where it was finished. Returns the
   * files that an export wrote, as far as they are known. Throws FOLDER_TAKEN for a folder of others, and as `write` does.
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

  /** Notes files that are about to be written, so that one that a crash leaves is known. Throws as `write` does. */
  async plan(files: readonly ExportedFile[]): Promise<void> {
    const known = new Map([...this.#ours, ...files].map((file) => [`${file.name} ${file.sha256}`, file]))
    this.#ours = [...known.values()]
    const mark: Mark = { releaseId: this.#releaseId, files: this.#ours }
    await this.#put(textFile(MARK, JSON.stringify(mark)), { replaces: () => true })
  }

  /**
   * Returns which of these names have a file, with its SHA-256. Throws FOLDER_TAKEN, naming the file, where one is there that no export
   * wrote, and as `write` does.
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
   * Writes a file unless it is there with the same bytes. Throws FOLDER_TAKEN, naming the file, where one is there that no export wrote;
   * INVALID_REQUEST where the folder takes nothing; the system's error on a full disk; and the reason of `signal`. What was written
   * before stays.
   */
  async write(file: FolderFile, signal?: AbortSignal): Promise<void> {
    await this.#put(file, { replaces: (found) => this.#isOurs(file.name, found), ...(signal ? { signal } : {}) })
  }

  /** Removes files of earlier exports that are as they wrote them and are not `kept`. Never throws for one that stays. */
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
    // One that still holds something is not removed.
    for (const folder of folders) await rmdir(folder).catch(() => {})
  }

  /** Takes the mark away: the folder is complete. Throws as `write` does. */
  async finish(): Promise<void> {
    try {
      await withFolder(this.path, (folder) => rm(folder.at(MARK), { force: true }))
      syncFolder(this.path)
    } catch (cause) {
      throw refusalOf(cause)
    }
  }

  async #put(
    { name, open, sha256 }: FolderFile,
    { replaces, signal }: { readonly replaces: (found: string) => boolean; readonly signal?: AbortSignal },
  ): Promise<void> {
    try {
      const found = await this.#found(name, signal)
      if (found === sha256) return
      if (found !== undefined && !replaces(found)) throw this.#taken(name)
      const put = (folder: OpenFolder) => this.#putInto(folder, { name: path.basename(name), open, sha256 }, signal)
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
    { name, open, sha256 }: Pick<FolderFile, 'name' | 'open' | 'sha256'>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const unfinished = folder.at(`.${name}${UNFINISHED}`)
    await rm(unfinished, { force: true })
    try {
      const written = (await folder.create(path.basename(unfinished))).createWriteStream({ flush: true })
      await pipeline(open(), written, signal ? { signal } : {})
      // A drive may go, or write badly, without a word to the program that writes.
      if ((await sha256OfFile(unfinished, signal ? { signal } : {})) !== sha256)
        throw Object.assign(new Error(`${name} is not there as it was written`), { code: 'EIO' })
      await whenReleased(this.#clock, () => rename(unfinished, folder.at(name)))
    } catch (cause) {
      await rm(unfinished, { force: true }).catch(() => {})
      throw cause
    }
  }

  /** Returns the SHA-256 of what is there under a name; undefined for nothing. Throws FOLDER_TAKEN where something else is in the way. */
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

/** Codes of the system for a folder that takes nothing: closed, gone, or on a drive that was unplugged. So does one in whose place a link came. */
const CLOSED: readonly string[] = [
  ...['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EBUSY', 'ENAMETOOLONG'],
  ...['EIO', 'ENODEV', 'ENXIO', 'ESTALE', 'ENOTCONN', 'EHOSTDOWN', 'EUNKNOWN', 'UNKNOWN'],
]

/** Beginning of the code of a failure for which libuv has no name, such as a file system that is damaged (EUCLEAN, EBADMSG). */
const NAMELESS = 'Unknown system error'

/** Returns what a failure to write means for the owner of the folder; a full disk has its answer wherever it is met. */
export function refusalOf(cause: unknown): unknown {
  const code = String(((cause ?? {}) as NodeJS.ErrnoException).code)
  const isClosed = CLOSED.includes(code) || code.startsWith(NAMELESS) || cause instanceof FileRefusedError
  return isClosed ? invalidRequest('folder_not_complete', { param: 'folder', cause }) : cause
}
