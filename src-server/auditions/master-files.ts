/** Rendered masters of auditions, in temporary files: the newest up to a size in all. */
import { rm } from 'node:fs/promises'
import path from 'node:path'

/** Size of all masters together, bytes. */
export const MOST_BYTES = 1_073_741_824

interface MasterFile {
  readonly folder: string
  readonly sizeBytes: number
}

export class MasterFiles {
  /** Parent folder of all masters; it is created with the first of them. */
  readonly folder: string
  readonly #mostBytes: number
  readonly #files = new Map<string, MasterFile>()
  #made = 0

  /** `folder` need not exist; it is reserved for these files. */
  constructor(folder: string, mostBytes = MOST_BYTES) {
    this.folder = folder
    this.#mostBytes = mostBytes
  }

  /** Returns the path of a new folder for one master; it is not made yet. */
  newFolder(): string {
    return path.join(this.folder, String(++this.#made))
  }

  /**
   * Keeps the master of an audition in place of an older one. Returns the auditions whose masters were evicted for it, the oldest first.
   */
  keep(auditionId: string, file: MasterFile): string[] {
    this.remove(auditionId)
    this.#files.set(auditionId, file)
    const gone: string[] = []
    for (const oldest of this.#files.keys()) {
      if (oldest === auditionId || this.#totalBytes() <= this.#mostBytes) break
      this.remove(oldest)
      gone.push(oldest)
    }
    return gone
  }

  /** Counts a master as the newest: it was listened to. */
  touch(auditionId: string): void {
    const file = this.#files.get(auditionId)
    if (!file) return
    this.#files.delete(auditionId)
    this.#files.set(auditionId, file)
  }

  remove(auditionId: string): void {
    const file = this.#files.get(auditionId)
    this.#files.delete(auditionId)
    if (file) void this.discard(file.folder)
  }

  /** Removes the folder of a discarded master. Never rejects: locked files are removed with the temporary folder. */
  async discard(folder: string): Promise<void> {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
  }

  /** Removes all of them. */
  async clear(): Promise<void> {
    this.#files.clear()
    await this.discard(this.folder)
  }

  #totalBytes(): number {
    return [...this.#files.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  }
}
