/** Files with paths from outside: each is opened once, as a regular file, and never looked up by its path again. */
import { type BigIntStats, constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath, statfs } from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { sha256OfStream } from './sha256.ts'

/** Bytes per read. */
const CHUNK_BYTES = 1 << 18

/** Bytes per read of a copy. */
const COPY_BYTES = 1 << 20

/** Pseudo file systems of the Linux kernel, by magic number (statfs(2)): reading their files may block or never end. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
])

/** Reason for refusing a file that the system would open or read. */
export type FileRefusal =
  /** A folder, an unfollowed link, a pipe, a socket, a device, or a file of the kernel. */
  | 'not_regular'
  /** More bytes than the caller accepts. */
  | 'too_large'
  /** The path now leads to another file than the opened one. */
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
   * Rejects for a real path that may not be read. Called before opening, and again with the opened file's path in case a link or folder was
   * exchanged in between.
   */
  readonly requireAllowed?: (realPath: string) => void | Promise<void>
  /** False refuses a link as the last element of the path. True by default. */
  readonly followsLink?: boolean
}

/** Part of a file to read, and a signal that ends the reading. */
export interface ReadOptions {
  /** First byte; 0 by default. */
  readonly start?: number
  /** Number of bytes from there on; to the end by default. */
  readonly sizeBytes?: number
  readonly signal?: AbortSignal
}

/** An open regular file. Reads no more bytes than its size at opening. */
export class RegularFile {
  /** Real path at opening, for messages and names. */
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

  /** Returns the bytes as a stream, which ends early if the file has been truncated. The file stays open. */
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

  /**
   * Reads all bytes in order into one buffer: a chunk is valid until the next is yielded. A large file thus leaves no garbage to collect.
   * Ends early if the file has been truncated. Throws the system's error, and the reason of an aborted signal
   * without waiting for a drive that hangs.
   */
  async *chunks(signal?: AbortSignal): AsyncGenerator<Buffer> {
    const memory = Buffer.allocUnsafe(Math.min(COPY_BYTES, this.sizeBytes))
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    aborted.catch(() => {})
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      for (let at = 0; at < this.sizeBytes; ) {
        signal?.throwIfAborted()
        const wanted = Math.min(memory.length, this.sizeBytes - at)
        const { bytesRead } = await Promise.race([this.#handle.read(memory, 0, wanted, at), aborted])
        if (bytesRead === 0) return
        at += bytesRead
        yield memory.subarray(0, bytesRead)
      }
    } finally {
      signal?.removeEventListener('abort', abort)
    }
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

  /** Returns whether the file's size and modification time are the same as at opening. */
  async isUnchanged(): Promise<boolean> {
    const now = await this.#handle.stat({ bigint: true })
    return now.size === this.facts.size && now.mtimeNs === this.facts.mtimeNs
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

/**
 * Opens a file for reading without ever blocking on a pipe's writer or a device. Throws a {@link FileRefusedError}, the system's error, or
 * the error of `requireAllowed`.
 */
export async function openRegularFile(name: string, options: OpenOptions = {}): Promise<RegularFile> {
  const { requireAllowed, followsLink = true } = options
  if (isDeviceName(name)) throw new FileRefusedError('not_regular', name)
  const real = followsLink ? await realpath(name) : path.join(await realpath(path.dirname(name)), path.basename(name))
  // Opening a device may already have an effect, such as winding a tape.
  if (!(await lstat(real)).isFile()) throw new FileRefusedError('not_regular', name)
  await requireAllowed?.(real)
  // Windows has neither flag. A pipe that replaces the file at this moment would block the call until a writer opens it.
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

/** Runs `use` with an open file and closes it. Throws like {@link openRegularFile} and `use`. */
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

/** Returns the bytes of a small file. Throws like {@link openRegularFile}, and for more than `maxBytes`. */
export function readRegularFile(
  name: string,
  { maxBytes, signal, ...options }: OpenOptions & { readonly maxBytes: number; readonly signal?: AbortSignal },
): Promise<Buffer> {
  return withRegularFile(name, options, (file) => file.bytes({ maxBytes, ...(signal ? { signal } : {}) }))
}

/** Returns the Linux kernel's name of an open file, which also leads into an open folder. */
export const kernelName = (handle: FileHandle) => `/proc/self/fd/${handle.fd}`

/**
 * Returns the real path of an open file. Linux reports it for the descriptor itself. Elsewhere the path is resolved again, which cannot
 * detect a folder exchanged several times within these calls.
 */
export async function placeOf(handle: FileHandle, real: string): Promise<string> {
  if (process.platform !== 'linux') return realpath(real)
  return readlink(kernelName(handle)).catch(() => realpath(real))
}

/** Returns whether two stat results are of the same file. Windows numbers volumes differently by name and by descriptor. */
export function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && (one.dev === other.dev || process.platform === 'win32')
}

async function isOfKernel(handle: FileHandle): Promise<boolean> {
  if (process.platform !== 'linux') return false
  const facts = await statfs(kernelName(handle)).catch(() => undefined)
  return facts !== undefined && KERNEL_FILE_SYSTEMS.has(facts.type)
}

/** Device names that Windows recognises in every folder, with any extension. */
const DEVICE_NAMES = /^(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])$/i

/**
 * Returns whether a path names a Windows device, bypasses its naming rules (`\\.\`, `\\?\`) or names an alternate stream. Such names are
 * ordinary on other systems. Pure.
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
