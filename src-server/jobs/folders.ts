/** Paths of the files of jobs. Names consist of our own identifiers, never of a client's file name. */
import { existsSync, linkSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { copyLasting, NO_LINKS, syncFolder } from '../../src-system/disk.ts'

/** Places below the data directory. */
export interface Folders {
  /** Uploads in progress, each in a separate folder. */
  readonly tmp: string
  job(jobId: string): string
  source(jobId: string): string
  reference(jobId: string): string
  /** Song joined with the job's, by its index, from 0. */
  joined(jobId: string, index: number): string
  /** Stem of the job's song that is mixed, by its index, from 0. */
  stem(jobId: string, index: number): string
  /** Cover that came with the request. */
  cover(jobId: string): string
  attempt(jobId: string, start: number): string
  /** The finished masters' folder: the attempt that succeeded, renamed. */
  result(jobId: string): string
  /** Coded copies of its masters; made at the first request. */
  copies(jobId: string): string
  /** Stores a song under `target`, without copying if the file system allows it; `target` must not exist. */
  keep(songPath: string, target: string): void
  /** Removes the files of a job at once: after a failed creation, or when a full disk keeps its row. Never throws. */
  takeBack(jobId: string): void
}

/** Returns the folders of a data directory and creates the mandatory ones, mode 0700. */
export function createFolders(dataDir: string): Folders {
  const jobs = path.join(dataDir, 'jobs')
  const tmp = path.join(dataDir, 'tmp')
  for (const folder of [jobs, tmp]) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const within = (jobId: string, name: string) => path.join(jobs, jobId, name)
  return {
    tmp,
    job: (jobId) => path.join(jobs, jobId),
    source: (jobId) => within(jobId, 'source'),
    reference: (jobId) => within(jobId, 'reference'),
    joined: (jobId, index) => within(jobId, `joined-${index}`),
    stem: (jobId, index) => within(jobId, `stem-${index}`),
    cover: (jobId) => within(jobId, 'cover'),
    attempt: (jobId, start) => within(jobId, `attempt-${start}`),
    result: (jobId) => within(jobId, 'result'),
    copies: (jobId) => within(jobId, 'copies'),
    keep(songPath, target) {
      // On a read-only disk Node's recursive mkdir reports a missing folder.
      if (!existsSync(path.dirname(target))) mkdirSync(path.dirname(target), { mode: 0o700 })
      try {
        linkSync(songPath, target)
      } catch (error) {
        if (!NO_LINKS.includes(String((error as NodeJS.ErrnoException).code))) throw error
        copyLasting(songPath, target)
      }
      syncFolder(path.dirname(target))
      syncFolder(jobs)
    },
    takeBack(jobId) {
      try {
        rmSync(path.join(jobs, jobId), { recursive: true, force: true })
      } catch {
        // A locked file is set aside as unknown by the next start.
      }
    },
  }
}
