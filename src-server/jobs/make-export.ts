/** Engine processes that make the files of releases from those of jobs, free of charge. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { FilePart } from '../../src-system/copy-part.ts'
import { discardFolder } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import type { Random } from '../../src-system/system.ts'
import type { ExportedSound, ExportOrder, FinalMessage, RecordOrder } from '../../src-worker/mastering/work-order.ts'
import type { Ffmpeg } from '../../src-worker/media/ffmpeg.ts'
import type { PlayedLevel } from '../../src-worker/media/label-file.ts'
import { AppError } from '../http/app-error.ts'
import type { Storage } from '../uploads/storage.ts'
import { engineFailure } from './engine-failure.ts'
import type { EngineWork, WorkerPool } from './worker-pool.ts'

export interface MakeExportDeps {
  readonly pool: Pick<WorkerPool, 'run'>
  readonly log: Log
  readonly random: Pick<Random, 'newUuid'>
  readonly ffmpeg: () => Promise<Ffmpeg>
  readonly storage: Pick<Storage, 'requireDisk'>
  /** Folder for temporary files. */
  readonly tmp: string
  readonly timeLimitMs: number
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
}

/** Temporary space for the files of one track, as a multiple of its largest source: copies of it at two rates, and float. */
const WORKING_COPIES = 4

/**
 * Creates the functions that make a track's files and measure a record. Both reject with the client's error for a failure, or the reason of
 * a signal.
 */
export function createMakeExport(deps: MakeExportDeps) {
  const run = async (command: EngineWork['command'], signal: AbortSignal): Promise<FinalMessage> => {
    const { pool, log, timeLimitMs, stopping } = deps
    const end = await pool.run({ command, timeLimitMs, signal: AbortSignal.any([signal, stopping]) })
    signal.throwIfAborted()
    if (end.kind !== 'answered') throw new AppError('UNAVAILABLE', {}, { cause: end })
    const { message } = end
    if (message.type !== 'failed') return message
    const { failureCode, message: detail, stack } = message
    log.warn('the files of a release could not be made', { failureCode, detail, stack })
    throw engineFailure(message)
  }

  return {
    async makeFiles(
      order: Omit<ExportOrder, 'ffmpeg' | 'folder'>,
      use: (files: readonly ExportedSound[]) => Promise<void>,
      signal: AbortSignal,
    ): Promise<void> {
      const largest = Math.max(...order.sources.map(({ sizeBytes }) => sizeBytes))
      await inFolder(deps, largest * (WORKING_COPIES + order.files.length), async (folder) => {
        const message = await run({ type: 'export', order: { ...order, ffmpeg: await deps.ffmpeg(), folder } }, signal)
        if (message.type !== 'exported') throw new AppError('INTERNAL_ERROR', {}, { cause: message.type })
        await use(message.files)
      })
    },
    measureRecord(tracks: readonly FilePart[], signal: AbortSignal): Promise<PlayedLevel> {
      return inFolder(deps, Math.max(...tracks.map(({ sizeBytes }) => sizeBytes)), async (folder) => {
        const order: RecordOrder = { tracks, ffmpeg: await deps.ffmpeg(), folder }
        const message = await run({ type: 'measure_record', order }, signal)
        if (message.type !== 'record_measured') throw new AppError('INTERNAL_ERROR', {}, { cause: message.type })
        return message.level
      })
    },
  }
}

/** Runs `work` with a new, empty folder and removes it afterwards. Throws INSUFFICIENT_STORAGE without room for it. */
async function inFolder<Result>(
  { tmp, random, storage }: MakeExportDeps,
  bytes: number,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  storage.requireDisk(bytes)
  const folder = path.join(tmp, random.newUuid())
  await mkdir(folder, { mode: 0o700 })
  try {
    return await work(folder)
  } finally {
    await discardFolder(folder)
  }
}
