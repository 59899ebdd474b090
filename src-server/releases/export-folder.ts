/** Files of an exported folder: each appears under its name when it is whole, and what is there already is not written again. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ExportedFile } from '../../src-contract/release-exports.ts'
import { giveToUser, makeFolder, syncFolder, whenReleased } from '../../src-system/disk.ts'
import type { Clock } from '../../src-system/system.ts'
import { AppError, invalidRequest } from '../http/app-error.ts'

/** A file to be written. */
export interface FolderFile {
  /** Name in the folder, safe on every file system. */
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

/** Returns a text as a file. */
export function textFile(name: string, text: string | Buffer): FolderFile {
  const bytes = Buffer.from(text)
  return { name, open: () => Readable.from([bytes]), sizeBytes: bytes.length, sha256: sha256Of(bytes) }
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Returns the names in a folder that count, sorted; empty where there is none. Throws the system's error. */
export async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause
    return []
  })
  return names.filter((name) => !PASSED_OVER.includes(name)).sort()
}

/** Returns the SHA-256 of a file; undefined where there is none, or something that is no file. Throws the system's error. */
export async function sha256OfFile(file: string, signal?: AbortSignal): Promise<string | undefined> {
  const facts = await lstat(file).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT') throw cause
    return undefined
  })
  if (!facts?.isFile()) return undefined
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash, signal ? { signal } : {})
  return hash.digest('hex')
}

/** Mark of a folder whose export has not ended: the release, and every file that an export of it wrote or was to write. */
interface Mark {
  readonly releaseId: string
  readonly files: readonly Pick<ExportedFile, 'name' | 'sha256'>[]
}

/** A folder that is being filled. */
export class ExportFolder {
  readonly path: string
  readonly #clock: Pick<Clock, 'sleep'>
  /** Files that may be replaced, as `name sha256`. */
  readonly #ours = new Set<string>()

  constructor(folder: string, clock: Pick<Clock, 'sleep'>) {
    this.path = folder
    this.#clock = clock
  }

  /**
   * Makes the folder, or takes one of an earlier export of the same release. `earlier` are the files of a finished one. Throws FOLDER_TAKEN
   * for a folder of others, and as `write` does.
   */
  async take(
    releaseId: string,
    planned: readonly FolderFile[],
    earlier: readonly ExportedFile[] | undefined,
  ): Promise<void> {
    const names = await namesIn(this.path).catch((cause: unknown) => {
      throw (cause as NodeJS.ErrnoException).code === 'ENOTDIR' ? this.#taken() : refusalOf(cause)
    })
    const mark = await this.#readMark()
    const isOurs = mark?.releaseId === releaseId || earlier !== undefined
    if (names.length > 0 && !isOurs) throw this.#taken()
    try {
      await makeFolder(path.dirname(this.path), true)
      await mkdir(this.path).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'EEXIST') throw cause
      })
      await giveToUser(this.path, 'folder')
    } catch (cause) {
      throw refusalOf(cause)
    }
    const files = [...(mark?.files ?? []), ...(earlier ?? []), ...planned].map(({ name, sha256 }) => ({ name, sha256 }))
    for (const { name, sha256 } of files) this.#ours.add(`${name} ${sha256}`)
    await this.write(textFile(MARK, JSON.stringify({ releaseId, files } satisfies Mark)), { replaces: true })
  }

  /**
   * Writes a file unless it is there with the same bytes. Throws FOLDER_TAKEN, naming the file, where one is there that no export wrote,
   * unless `replaces` is set; INVALID_REQUEST where the folder takes nothing; the system's error on a full disk; and
   * the reason of `signal`. What was written before stays.
   */
  async write(
    { name, open, sha256 }: FolderFile,
    { signal, replaces = false }: { readonly signal?: AbortSignal; readonly replaces?: boolean } = {},
  ): Promise<void> {
    const target = path.join(this.path, name)
    const unfinished = path.join(this.path, `.${name}${UNFINISHED}`)
    try {
      const found = await sha256OfFile(target, signal)
      if (found === sha256) return
      if (found !== undefined && !replaces && !this.#ours.has(`${name} ${found}`)) throw this.#taken(name)
      await rm(unfinished, { force: true })
      await pipeline(open(), createWriteStream(unfinished, { flags: 'wx', flush: true }), signal ? { signal } : {})
      if ((await sha256OfFile(unfinished, signal)) !== sha256) throw new Error(`${name} is not what was to be written`)
      await giveToUser(unfinished, 'file')
      await whenReleased(this.#clock, () => rename(unfinished, target))
    } catch (cause) {
      await rm(unfinished, { force: true }).catch(() => {})
      signal?.throwIfAborted()
      throw refusalOf(cause)
    }
  }

  /** Removes files of an earlier export that are as it wrote them and are not `kept`. Never throws for one that stays. */
  async removeStale(earlier: readonly ExportedFile[], kept: ReadonlySet<string>): Promise<void> {
    for (const { name, sha256 } of earlier) {
      if (kept.has(name) || name !== path.basename(name)) continue
      const file = path.join(this.path, name)
      if ((await sha256OfFile(file).catch(() => undefined)) === sha256) await rm(file).catch(() => {})
    }
  }

  /** Takes the mark away: the folder is complete. */
  async finish(): Promise<void> {
    await rm(path.join(this.path, MARK), { force: true })
    syncFolder(this.path)
  }

  async #readMark(): Promise<Mark | undefined> {
    const text = await readFile(path.join(this.path, MARK), 'utf8').catch(() => 'null')
    try {
      return (JSON.parse(text) as Mark | null) ?? undefined
    } catch {
      return undefined
    }
  }

  #taken(file?: string): AppError {
    return new AppError('FOLDER_TAKEN', { folder: path.basename(this.path), ...(file === undefined ? {} : { file }) })
  }
}

/** Returns what a failure to write means for the owner of the folder; a full disk has its answer wherever it is met. */
function refusalOf(cause: unknown): unknown {
  const { code } = (cause ?? {}) as NodeJS.ErrnoException
  const isClosed = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'ENOENT', 'EBUSY', 'ENAMETOOLONG'].includes(String(code))
  return isClosed ? invalidRequest('folder_not_complete', { param: 'folder', cause }) : cause
}
