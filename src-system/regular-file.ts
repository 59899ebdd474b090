/** Files whose paths come from outside: each is opened once, as a regular file, and never looked up by its path again. */
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, statfs } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { sha256OfStream } from './sha256.ts'

/** Bytes that are read at once. */
const CHUNK_BYTES = 1 << 18

/** File systems of the Linux kernel whose files are calls of it, by their magic number (statfs(2)): some never end, some wait. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
])

/** Reason why a file is not opened or read though the system would do so. */
export type FileRefusal =
  /** A folder, a link where links are not followed, a pipe, a socket, a device, or a file of the kernel. */
  | 'not_regular'
  /** More bytes than the caller takes. */
  | 'too_large'
  /** Another file lies at the path than the one that was opened. */
  | 'moved'

/** A file was refused. */
export class FileRefusedError extends Error {
  readonly reason: FileRefusal

  constructor(reason: FileRefusal, file: string, cause?: unknown) {
    super(`${file}: ${reason}`, { cause })
    this.name = 'FileRefusedError'
    this.reason = reason
  }
}

export interface OpenOptions {
  /**
   * Rejects for a real path that may not be read. Asked before the file is opened, and again for the place of what was opened, so
   * that a link or folder exchanged in between leads nowhere else.
   */
  readonly requireAllowed?: (realPath: string) => void | Promise<void>
  /** False refuses a link under the last name of the path. True by default. */
  readonly followsLink?: boolean
}

/** Part of a file, and what ends reading it. */
export interface ReadOptions {
  /** First byte; 0 by default. */
  readonly start?: number
  /** Number of bytes from there on; to the end by default. */
  readonly sizeBytes?: number
  readonly signal?: AbortSignal
}

/** An open regular file. Reads no more bytes than it had when it was opened. */
export class RegularFile {
  /** Real path at which it was opened, for messages and names. */
  readonly path: string
  readonly sizeBytes: number
  readonly facts: BigIntStats
  readonly #handle: FileHandle

  constructor(place: string, facts: BigIntStats, handle: FileHandle) {
    this.path = place
    this.facts = facts
    this.sizeBytes = Number(facts.size)
    this.#handle = handle
  }

  /** Returns the bytes as a stream, which ends early where the file was cut short meanwhile. The file stays open. */
  stream({ start = 0, sizeBytes = this.sizeBytes - start, signal }: ReadOptions = {}): Readable {
    const handle = this.#handle
    const end = Math.min(start + sizeBytes, this.sizeBytes)
    let at = start
    return new Readable({
      highWaterMark: CHUNK_BYTES,
      ...(signal ? { signal } : {}),
      read() {
        if (at >= end) {
          this.push(null)
          return
        }
        const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at))
        handle.read(chunk, 0, chunk.length, at).then(
          ({ bytesRead }) => {
            at += bytesRead
            this.push(bytesRead === 0 ? null : chunk.subarray(0, bytesRead))
          },
          (error: Error) => this.destroy(error),
        )
      },
    })
  }

  /** Returns all bytes. Throws a {@link FileRefusedError} for more than `maxBytes`, before anything is read. */
  async bytes({ maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal }): Promise<Buffer> {
    if (this.sizeBytes > maxBytes) throw new FileRefusedError('too_large', this.path)
    return buffer(this.stream(signal ? { signal } : {}))
  }

  /** Returns the SHA-256 of all bytes, in hexadecimal. */
  sha256(signal?: AbortSignal): Promise<string> {
    return sha256OfStream(this.stream(), signal)
  }

  /** Returns whether the file has the size and the time of its last change that it had when it was opened. */
  async isUnchanged(): Promise<boolean> {
    const now = await this.#handle.stat({ bigint: true })
    return now.size === this.facts.size && now.mtimeNs === this.facts.mtimeNs
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

/**
 * Opens a file for reading. Nothing of this waits: not for the writer of a pipe, nor for a device. Throws a {@link FileRefusedError}, the
 * system's error, and what `requireAllowed` throws.
 */
export async function openRegularFile(name: string, options: OpenOptions = {}): Promise<RegularFile> {
  const { requireAllowed, followsLink = true } = options
  if (isDeviceName(name)) throw new FileRefusedError('not_regular', name)
  const real = followsLink ? await realpath(name) : path.join(await realpath(path.dirname(name)), path.basename(name))
  // Opening a device may already do something, such as winding a tape.
  if (!(await lstat(real)).isFile()) throw new FileRefusedError('not_regular', name)
  await requireAllowed?.(real)
  // Windows has neither flag. A pipe that takes the file's place at this moment would hold the call up until a writer comes.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  const handle = await open(real, flags).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ELOOP' ? new FileRefusedError('moved', name, cause) : cause
  })
  try {
    const facts = await handle.stat({ bigint: true })
    if (!facts.isFile() || (await isOfKernel(handle))) throw new FileRefusedError('not_regular', name)
    const place = await placeOf(handle, real)
    await requireAllowed?.(place)
    const there = await lstat(place, { bigint: true })
    if (!isSameFile(there, facts)) throw new FileRefusedError('moved', name)
    return new RegularFile(place, facts, handle)
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Runs `use` with an open file and closes it. Throws as {@link openRegularFile} does, and what `use` throws. */
export async function withRegularFile<Result>(
  name: string,
  options: OpenOptions,
  use: (file: RegularFile) => Result | Promise<Result>,
): Promise<Result> {
  const file = await openRegularFile(name, options)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

/** Returns the bytes of a small file. Throws as {@link openRegularFile} does, and for more than `maxBytes`. */
export function readRegularFile(
  name: string,
  { maxBytes, signal, ...options }: OpenOptions & { readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<Buffer> {
  return withRegularFile(name, options, (file) => file.bytes({ maxBytes, ...(signal ? { signal } : {}) }))
}

/** Returns the name by which the Linux kernel tells of an open file, and leads into an open folder. */
export const kernelName = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`

/**
 * Returns where an open file lies, behind links. Linux says so of the descriptor itself. Elsewhere the path is resolved again, which tells
 * nothing of a folder that is exchanged several times within these calls.
 */
export async function placeOf(handle: FileHandle, real: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(real)
  return readlink(kernelName(handle)).catch(() => realpath(real))
}

/** Returns whether two looks were at one file. Windows numbers volumes in another way by name than by descriptor. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && (one.dev === other.dev || process.platform === 'win32')
}

async function isOfKernel(handle: FileHandle): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const facts = await statfs(kernelName(handle)).catch(() => undefined)
  return facts !== undefined && KERNEL_FILE_SYSTEMS.has(facts.type)
}

/** Names of devices that Windows knows in every folder, with any extension. */
const DEVICE_NAMES = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])$/i

/**
 * Returns whether a path names a device of Windows, passes by its rules of names (`\\.\`, `\\?\`) or names a stream beside a file. On
 * other systems such names are as good as others. Pure.
 */
export function isDeviceName(name: string, platform: NodeJS.Platform = process.platform): boolean {
  if (platform !== 'win32') return false
  if (/^[\\/]{2}[.?]([\\/]|$)|^[\\/]\?\?[\\/]/.test(name)) return true
  const { root } = path.win32.parse(name)
  return name
    .slice(root.length)
    .split(/[\\/]/)
    .some((step) => step.includes(':') || DEVICE_NAMES.test(step.split('.', 1)[0]!.trim()))
}
