/** Orders and results on their way between machines: the files of a WorkOrder and of a WorkResult stand in them by their addresses. */
import path from 'node:path'
import type { WorkOrder, WorkResult } from '../../src-worker/mastering/work-order.ts'
import type { AttemptEnd } from '../jobs/queue.ts'
import { BlobFault, type BlobKey, type Blobs, type FileToStore, partsOf } from './blobs.ts'

/** Order whose paths are addresses of stored files, without what belongs to one machine. */
export type PackedOrder = Omit<WorkOrder, 'attemptFolder' | 'ffmpeg' | 'threads'>

/** Attempt in the queue: no secret, no address of a webhook and no path of the user. */
export interface PackedAttempt {
  readonly order: PackedOrder
  readonly timeLimitMs: number
  readonly memoryBytes: number
  /** Name of the machine that made the same before, where another is to make it: no file of the result is then brought. */
  readonly notOn?: string
}

/** End of an attempt on its way to the owner, with the files of a result by their names. */
export interface PackedEnd {
  readonly end: Exclude<AttemptEnd, { kind: 'left' }>
  readonly files: Readonly<Record<string, BlobKey>>
  /** Name of the machine. */
  readonly machine: string
}

/** Stores the songs of an order. Rejects with a {@link BlobFault}. */
export async function packOrder(blobs: Blobs, attemptId: string, order: WorkOrder): Promise<PackedOrder> {
  const { attemptFolder: _folder, ffmpeg: _ffmpeg, threads: _threads, ...packed } = order
  return withFiles(packed, (file) => blobs.put(attemptId, file))
}

/** Brings the songs of an order into a folder. Rejects with a {@link BlobFault}. */
export async function unpackOrder(blobs: Blobs, order: PackedOrder, folder: string): Promise<PackedOrder> {
  const brought = new Map<string, Promise<string>>()
  return withFiles(order, ({ path: key }) => {
    const bring = async () => {
      const file = path.join(folder, partsOf(key).sha256)
      await blobs.get(key, file)
      return file
    }
    const known = brought.get(key) ?? bring()
    brought.set(key, known)
    return known
  })
}

/** Stores the files of a result. Rejects with a {@link BlobFault}. */
export async function packResult(
  blobs: Blobs,
  attemptId: string,
  result: WorkResult,
  folder: string,
): Promise<Record<string, BlobKey>> {
  const files: Record<string, BlobKey> = {}
  for (const name of fileNames(result)) {
    const file = { path: path.join(folder, name) }
    const known = name === result.zip.fileName ? { sha256: result.zip.sha256 } : {}
    files[name] = await blobs.put(attemptId, { ...file, ...known })
  }
  return files
}

/** Brings the files of a result into a folder, its ZIP with the checksum that the engine found. Rejects with a {@link BlobFault}. */
export async function unpackResult(
  blobs: Blobs,
  result: WorkResult,
  files: PackedEnd['files'],
  folder: string,
): Promise<void> {
  for (const name of fileNames(result)) {
    const key = files[name] ?? ''
    if (name !== path.basename(name)) throw new BlobFault('damaged', `no name of a file: ${name}`)
    if (name === result.zip.fileName && partsOf(key).sha256 !== result.zip.sha256)
      throw new BlobFault('damaged', `${name} is not the ZIP that was made`)
    await blobs.get(key, path.join(folder, name))
  }
}

const fileNames = ({ zip, reportJsonFile, reportHtmlFile }: WorkResult) => [
  zip.fileName,
  reportJsonFile,
  reportHtmlFile,
]

/** Returns an order with each of its paths replaced. */
async function withFiles(
  order: PackedOrder,
  replace: (file: Required<FileToStore>) => Promise<string>,
): Promise<PackedOrder> {
  const moved = async <File extends Required<FileToStore>>(file: File) => ({ ...file, path: await replace(file) })
  const { source, reference, cover, joined } = order
  return {
    ...order,
    source: await moved(source),
    ...(reference ? { reference: await moved(reference) } : {}),
    ...(cover ? { cover: await moved(cover) } : {}),
    ...(joined
      ? {
          joined: {
            ...joined,
            before: await Promise.all(joined.before.map(moved)),
            after: await Promise.all(joined.after.map(moved)),
          },
        }
      : {}),
  }
}
