/**
 * Files of jobs, wherever they are: in the folder of the job, or where a batch found its song and put its masters. The latter belong to the
 * user: each is opened by its recorded path, and read only while its bytes match the record.
 */
import { createHash } from 'node:crypto'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { MasterName } from '../../src-contract/delivery-target.ts'
import { CONTAINER_TYPES, type Format, formatFacts } from '../../src-contract/formats.ts'
import type { JobStatus } from '../../src-contract/jobs.ts'
import type { FilePart } from '../../src-system/copy-part.ts'
import { discardFolder } from '../../src-system/disk.ts'
import type { OpenFolder } from '../../src-system/open-folder.ts'
import type { RegularFile } from '../../src-system/regular-file.ts'
import type { Random } from '../../src-system/system.ts'
import { type AudioFormat, MEDIA_TYPES } from '../../src-worker/media/audio-facts.ts'
import { createFileSums } from '../../src-worker/media/written-file.ts'
import {
  composeZip,
  contentOf,
  filesIn,
  keptFiles,
  type PackedFile,
  placeOf,
  type ResultBytes,
  type ResultZip,
  unpackedZip,
} from '../../src-worker/result/result-zip.ts'
import { AppError } from '../http/app-error.ts'
import { bytesAnswer, type FileAnswer, type FileRequest, type OpenBytes, openBytes } from './send-file.ts'
import { SharedFiles } from './shared-files.ts'

/** A song of a job. */
export interface KeptSong {
  /** Place in the folder of the job. */
  readonly path: string
  readonly filename: string
  readonly sha256: string
  readonly format: AudioFormat
  /** The user's own file that it was copied from. */
  readonly recordedPath?: string
}

/** A file of a result; `file` is its name inside the ZIP's folder. */
interface KeptFile {
  readonly file: string
  readonly sha256: string
}

/** The WAV of a platform, and its files of further formats. */
interface KeptMaster extends KeptFile {
  readonly platform: MasterName
  readonly files?: readonly (KeptFile & { readonly format: Format })[]
}

/** Files of a finished job. */
export interface KeptResult {
  /** Folder of its files. */
  readonly folder: string
  readonly zip: ResultZip
  readonly masters: readonly KeptMaster[]
  /** Names of the reports in the folder. */
  readonly reportJsonFile: string
  readonly reportHtmlFile: string
  /** Folder of the coded copies; it may not exist yet. */
  readonly copiesFolder: string
}

/** The files of one job. */
export interface JobFiles {
  readonly status: JobStatus
  readonly isExpired: boolean
  readonly source: KeptSong
  readonly reference?: KeptSong
  /** While the job is done. */
  readonly result?: KeptResult
  /** Folder of a batch's delivery, and the SHA-256 of its files other than masters; absent while the result is kept here. */
  readonly delivered?: { readonly folder: string; readonly sums: Readonly<Record<string, string>> }
}

export interface StoredFilesDeps {
  /** Opens a file by a path of the user's, in a folder that the owner allows. Rejects with PATH_NOT_ALLOWED. */
  readonly openAllowed: (name: string) => Promise<RegularFile>
  /** Throws INSUFFICIENT_STORAGE unless this many bytes can be written. */
  readonly requireDisk: (bytes: number) => void
  readonly random: Pick<Random, 'newUuid'>
  /** Folder for copies in progress, on the disk of the jobs. */
  readonly tmp: string
}

/** Checked files that are remembered: a player asks for the ranges of one again and again. */
const MAX_REMEMBERED = 10_000

export const expired = () => new AppError('RESULT_EXPIRED')
const gone = (file: string, cause?: unknown) => new AppError('FILE_GONE', { file }, { cause })

/** Returns the result of a job. Throws JOB_NOT_READY, JOB_FAILED and RESULT_EXPIRED. */
export function resultOf({ status, result, isExpired }: JobFiles): KeptResult {
  if (status === 'queued') throw new AppError('JOB_NOT_READY')
  if (status === 'failed') throw new AppError('JOB_FAILED')
  if (!result || isExpired) throw expired()
  return result
}

/** Returns a file of the result of a job that is for a platform. Throws NOT_FOUND, and as `resultOf` does. */
export function masterOf(files: JobFiles, platform: MasterName, format?: Format): KeptFile {
  const master = resultOf(files).masters.find((one) => one.platform === platform)
  const kept = format === undefined ? master : master?.files?.find((one) => one.format === format)
  if (!kept) throw new AppError('NOT_FOUND')
  return kept
}

/** The files of all jobs. */
export class StoredFiles {
  readonly #deps: StoredFilesDeps
  readonly #shared = new SharedFiles()
  /** SHA-256 of files already read, by their identity on disk. */
  readonly #checked = new Set<string>()
  /** ZIPs composed of files that an earlier version delivered, by the identity of the files. */
  readonly #zips = new Map<string, ResultZip>()

  constructor(deps: StoredFilesDeps) {
    this.#deps = deps
  }

  /** Answers with the ZIP of a result. Throws as `resultOf` does, FILE_GONE, and as `fileAnswer` does. */
  async sendZip(files: JobFiles, request: FileRequest): Promise<FileAnswer> {
    const { opened, zip } = await this.#openZip(files)
    const about = { filename: zip.fileName, mediaType: 'application/zip', isDownload: true }
    return bytesAnswer(opened, { ...about, sha256: zip.sha256, sizeBytes: zip.sizeBytes }, request, expired())
  }

  /** Answers with a master. Throws as `masterOf` does, FILE_GONE, and as `fileAnswer` does. */
  async sendMaster(files: JobFiles, master: MasterName, format: Format | undefined, request: FileRequest) {
    const { file, sha256 } = masterOf(files, master, format)
    const mediaType = CONTAINER_TYPES[format === undefined ? 'wav' : formatFacts(format).container]
    const { opened, ...place } = await this.#openFile(files, file)
    return bytesAnswer(opened, { ...place, sha256, filename: file, mediaType }, request, expired())
  }

  /** Answers with a song of a job. Throws RESULT_EXPIRED, FILE_GONE, and as `fileAnswer` does. */
  async sendSong(files: JobFiles, song: KeptSong, request: FileRequest): Promise<FileAnswer> {
    const opened = await this.#openSong(files, song)
    return bytesAnswer(opened, { ...song, mediaType: MEDIA_TYPES[song.format] }, request, expired())
  }

  /** Returns the bytes of a report of the result. Throws as `resultOf` does, and FILE_GONE. */
  async readReport(files: JobFiles, file: string): Promise<Buffer> {
    resultOf(files)
    return allOf(await this.#open(files, file))
  }

  /** Returns whether the song of a job can be read now. Never rejects. */
  async hasSong(files: JobFiles): Promise<boolean> {
    try {
      await (await this.#openSong(files, files.source)).close()
      return true
    } catch {
      return false
    }
  }

  /**
   * Runs `use` with the path of a job's song; a user's own file is copied first and the copy removed afterwards. Throws RESULT_EXPIRED,
   * FILE_GONE, INSUFFICIENT_STORAGE.
   */
  async withSong<Outcome>(files: JobFiles, use: (path: string) => Outcome | Promise<Outcome>): Promise<Outcome> {
    const { source } = files
    if (!files.isExpired && existsSync(source.path)) return use(source.path)
    const opened = await this.#openSong(files, source)
    return this.#withCopy(opened, gone(source.filename), source.sha256, use)
  }

  /**
   * Runs `use` with the place of a file of a result; a file delivered by a batch is copied first and the copy removed afterwards. Throws as
   * `resultOf` does, FILE_GONE, INSUFFICIENT_STORAGE.
   */
  async withFile<Outcome>(
    files: JobFiles,
    { file, sha256 }: KeptFile,
    use: (place: FilePart) => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    const result = resultOf(files)
    const { sizeBytes, ...place } = placeIn(result, file)
    if (!files.delivered) return use({ path: path.join(result.folder, place.file), offset: place.offset, sizeBytes })
    const { opened } = await this.#openFile(files, file)
    return this.#withCopy(opened, gone(file), sha256, (copy) => use({ path: copy, offset: 0, sizeBytes }))
  }

  /**
   * Copies every file of a result as new files into a folder and returns their names, in the order of the ZIP. They are not flushed to the
   * disk. Throws as `resultOf` and `OpenFolder.copy` do, FILE_GONE, FOLDER_TAKEN, INSUFFICIENT_STORAGE.
   */
  async copyAll(files: JobFiles, folder: OpenFolder, signal: AbortSignal): Promise<string[]> {
    const result = resultOf(files)
    const names = filesIn(result.zip)
    const { opened } = await this.#openZip(files)
    try {
      for (const file of names) {
        const kept = { file, sha256: sumOf(files, result, file) ?? '' }
        await this.withFile(files, kept, (place) => folder.copy(file, place, { signal, isFlushed: false }))
      }
      return names
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      if (code === 'EEXIST') throw new AppError('FOLDER_TAKEN', { folder: path.basename(folder.path) })
      throw code === 'ENOENT' ? expired() : cause
    } finally {
      await opened.close()
    }
  }

  async #withCopy<Outcome>(
    opened: OpenBytes,
    changed: AppError,
    sha256: string,
    use: (path: string) => Outcome | Promise<Outcome>,
  ): Promise<Outcome> {
    const { tmp, random, requireDisk } = this.#deps
    const folder = path.join(tmp, random.newUuid())
    const copy = path.join(folder, 'file')
    try {
      requireDisk(opened.sizeBytes)
      await mkdir(folder, { mode: 0o700 })
      // Uses exactly the bytes that were checked.
      if ((await copyTo(copy, whole(opened))) !== sha256) throw changed
      return await use(copy)
    } finally {
      await opened.close()
      await discardFolder(folder)
    }
  }

  async #openSong(files: JobFiles, song: KeptSong): Promise<OpenBytes> {
    if (!files.isExpired && existsSync(song.path)) return openBytes(song.path, expired())
    if (!files.delivered || song.recordedPath === undefined) throw expired()
    return this.#openRecorded(song.recordedPath, { file: song.filename, sha256: song.sha256 })
  }

  /** Opens a file of a result and returns it with the position of its bytes. */
  async #openFile(files: JobFiles, name: string) {
    const { zip, ...result } = resultOf(files)
    const { file, offset, sizeBytes } = placeIn({ ...result, zip: files.delivered ? unpackedZip(zip) : zip }, name)
    return { opened: await this.#open(files, file, sizeBytes), offset, sizeBytes }
  }

  /** Opens a file of the folder that has the result now. Throws RESULT_EXPIRED, and FILE_GONE for a delivered one. */
  #open(files: JobFiles, file: string, sizeBytes?: number): Promise<OpenBytes> {
    const result = resultOf(files)
    if (!files.delivered) return this.#shared.open(path.join(result.folder, file), expired())
    const recorded = { file, sha256: sumOf(files, result, file), sizeBytes }
    return this.#openRecorded(path.join(files.delivered.folder, file), recorded)
  }

  /** Opens a user's file if it still matches its record. Throws FILE_GONE. */
  async #openRecorded(
    name: string,
    {
      file,
      sha256,
      sizeBytes,
    }: { readonly file: string; readonly sha256: string | undefined; readonly sizeBytes?: number | undefined },
  ): Promise<RegularFile> {
    const opened = await this.#deps.openAllowed(name).catch((cause: unknown) => {
      throw cause instanceof AppError && cause.code !== 'PATH_NOT_ALLOWED' ? cause : gone(file, cause)
    })
    try {
      if (sizeBytes !== undefined && opened.sizeBytes !== sizeBytes) throw gone(file)
      if (sha256 !== undefined && !(await this.#is(opened, sha256))) throw gone(file)
      return opened
    } catch (cause) {
      await opened.close()
      throw cause
    }
  }

  async #is(opened: RegularFile, sha256: string): Promise<boolean> {
    const identity = `${sha256} ${identityOf(opened)}`
    if (this.#checked.has(identity)) return true
    if ((await opened.sha256()) !== sha256) return false
    if (this.#checked.size >= MAX_REMEMBERED) this.#checked.clear()
    this.#checked.add(identity)
    return true
  }

  /**
   * Opens every file that the ZIP of a result consists of, and checks its size, before an answer promises a byte of it. Throws as
   * `resultOf` does, and FILE_GONE.
   */
  async #openZip(files: JobFiles): Promise<{ readonly opened: OpenBytes; readonly zip: ResultZip }> {
    const result = resultOf(files)
    const placed = files.delivered ? unpackedZip(result.zip) : result.zip
    const opened = new Map<string, OpenBytes>()
    const close = async () => {
      await Promise.all([...opened.values()].map((one) => one.close()))
    }
    try {
      for (const { file, sizeBytes } of keptFiles(placed)) {
        const one = await this.#open(files, file, sizeBytes)
        opened.set(file, one)
        if (one.sizeBytes < sizeBytes) throw expired()
      }
      const zip = files.delivered && placed.headers === undefined ? await this.#composed(placed, opened) : placed
      const stream: OpenBytes['stream'] = ({ start, sizeBytes }) =>
        Readable.from(readZip(zip, opened, start, start + sizeBytes), { objectMode: false })
      return { zip, opened: { sizeBytes: zip.sizeBytes, stream, close } }
    } catch (cause) {
      await close()
      throw cause
    }
  }

  /** Returns the ZIP of files that an earlier version delivered: it stored none of the headers. */
  async #composed(placed: ResultZip, opened: ReadonlyMap<string, OpenBytes>): Promise<ResultZip> {
    const identity = `${placed.sha256} ${[...opened.values()].map((one) => identityOf(one as RegularFile)).join(' ')}`
    const known = this.#zips.get(identity)
    if (known) return known
    const files: PackedFile[] = []
    for (const file of filesIn(placed)) {
      const sums = createFileSums()
      for await (const chunk of whole(opened.get(file)!)) sums.add(chunk)
      files.push({ file, kept: file, ...sums.finish() })
    }
    const zip = composeZip(placed.folderName, files)
    if (this.#zips.size >= MAX_REMEMBERED) this.#zips.clear()
    this.#zips.set(identity, zip)
    return zip
  }
}

/** Reads the bytes of a ZIP from its open files. Throws if one of them has been cut short meanwhile. */
async function* readZip(
  zip: ResultZip,
  opened: ReadonlyMap<string, OpenBytes>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  for (const part of contentOf(zip, start, end)) {
    if (part instanceof Uint8Array) {
      yield part
      continue
    }
    let left = part.sizeBytes
    for await (const chunk of opened.get(part.file)!.stream({ start: part.offset, sizeBytes: part.sizeBytes })) {
      left -= chunk.length
      yield chunk
    }
    if (left > 0) throw new Error(`${part.file} has been cut short`)
  }
}

const whole = (opened: OpenBytes) => opened.stream({ start: 0, sizeBytes: opened.sizeBytes })

/** Identity of a file on disk and, as far as the file system can show, of its content. */
const identityOf = ({ facts: { dev, ino, size, mtimeNs, ctimeNs } }: RegularFile) =>
  `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`

/** Returns the recorded SHA-256 of a file of a result; undefined for a report that was never delivered. */
function sumOf({ delivered }: JobFiles, { masters }: KeptResult, file: string): string | undefined {
  const sounds = masters.flatMap(({ files = [], ...master }) => [master, ...files])
  return sounds.find((one) => one.file === file)?.sha256 ?? delivered?.sums[file]
}

/** Returns the place of a file of a result in its folder. Throws NOT_FOUND. */
export function placeIn({ zip }: Pick<KeptResult, 'zip'>, file: string): ResultBytes {
  const place = placeOf(zip, file)
  if (!place) throw new AppError('NOT_FOUND')
  return place
}

/** Writes bytes into a new file and returns their SHA-256. */
async function copyTo(target: string, bytes: Readable): Promise<string> {
  const hash = createHash('sha256')
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      yield chunk
    }
  }
  await pipeline(bytes, hashed, createWriteStream(target, { flags: 'wx', mode: 0o600 }))
  return hash.digest('hex')
}

async function allOf(opened: OpenBytes): Promise<Buffer> {
  try {
    return await buffer(whole(opened))
  } finally {
    await opened.close()
  }
}
