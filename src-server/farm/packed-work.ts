/** Orders and results sent between machines: files are stored under their SHA-256, and a WorkOrder names them by their addresses. */
import path from 'node:path'
import { MAX_SOURCE_BYTES } from '../../src-contract/limits.ts'
import type { WorkOrder, WorkResult } from '../../src-worker/mastering/work-order.ts'
import { type Blobs, type FileToStore, keyOf } from './blobs.ts'
import { MessageFault, type PackedOrder } from './messages.ts'

/** Stores the songs of an order. Rejects with a {@link BlobFault}. */
export async function packOrder(blobs: Blobs, attemptId: string, order: WorkOrder): Promise<PackedOrder> {
  const { analysisPath: _analysis, attemptFolder: _folder, ffmpeg: _ffmpeg, threads: _threads, ...packed } = order
  return withFiles(packed, (file) => blobs.put(attemptId, file))
}

/**
 * Fetches the songs of an order into a folder; songs of another attempt, or not as described, are refused. Rejects with a {@link BlobFault}
 * or a {@link MessageFault}.
 */
export async function unpackOrder(
  blobs: Blobs,
  attemptId: string,
  order: PackedOrder,
  folder: string,
): Promise<PackedOrder> {
  const brought = new Map<string, Promise<string>>()
  return withFiles(order, ({ path: key, sha256 }) => {
    if (key !== keyOf(attemptId, sha256)) throw new MessageFault('a file of it is that of another attempt')
    const bring = async () => {
      const file = path.join(folder, sha256)
      await blobs.get(key, file, MAX_SOURCE_BYTES)
      return file
    }
    const known = brought.get(key) ?? bring()
    brought.set(key, known)
    return known
  })
}

/** Stores the files of a result, each once. Rejects with a {@link BlobFault}. */
export async function packResult(blobs: Blobs, attemptId: string, { zip }: WorkResult, folder: string): Promise<void> {
  const kept = new Map(zip.entries.flatMap((entry) => (entry.kept ? [[entry.kept.sha256, entry.kept.file]] : [])))
  for (const [sha256, file] of kept) await blobs.put(attemptId, { path: path.join(folder, file), sha256 })
}

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
