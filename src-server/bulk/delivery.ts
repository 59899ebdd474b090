/** Delivery of the masters of a job into the folder of its manifest, one job after another; our copy is removed afterwards. */
import { createReadStream } from 'node:fs'
import path from 'node:path'
import type { Log } from '../../src-system/log.ts'
import { sha256OfStream } from '../../src-system/sha256.ts'
import type { Clock } from '../../src-system/system.ts'
import { filesIn } from '../../src-worker/result/result-zip.ts'
import type { JobFiles, KeptResult } from '../artifacts/job-files.ts'
import { copyMasters } from '../batch/output-folder.ts'
import type { JobRecord } from '../jobs/store.ts'

export interface DeliveryDeps {
  readonly clock: Clock
  readonly log: Log
  /** Resolves with the real path of a writable folder. Rejects with PATH_NOT_ALLOWED. */
  readonly allowedFolder: (name: string) => Promise<string>
  readonly filesOf: (jobId: string) => JobFiles | undefined
  /** Records in one transaction, with `alongside`, the new location of a job's result, with the SHA-256 of its files other than masters. */
  readonly moveOut: (
    jobId: string,
    folder: string,
    sums: Readonly<Record<string, string>>,
    alongside: () => void,
  ) => Promise<void>
}

export interface OrderedDelivery {
  readonly job: JobRecord
  readonly folder: string
  readonly subfolder?: string
}

export interface DeliveryEnds {
  /** Called in the transaction that records the delivery. */
  readonly alongside: (folder: string) => void
  readonly onDelivered: () => void
  /** The masters stay here. */
  readonly onFailed: () => void
}

/** The delivery: after a crash it is repeated, and files already delivered are recognised. */
export class ManifestDelivery {
  readonly #deps: DeliveryDeps
  readonly #stopping = new AbortController()
  readonly #queued = new Set<string>()
  #queue = Promise.resolve()

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /** Delivers a job after those before it; one already in the queue is not added again. Never throws. */
  add(order: OrderedDelivery, { alongside, onDelivered, onFailed }: DeliveryEnds): void {
    const { jobId } = order.job
    const { log, moveOut } = this.#deps
    if (this.#queued.has(jobId) || this.#stopping.signal.aborted) return
    this.#queued.add(jobId)
    this.#queue = this.#queue
      .then(async () => {
        const { folder, sums } = await this.#deliver(order)
        await moveOut(jobId, folder, sums, () => alongside(folder))
        onDelivered()
      })
      .catch((cause: unknown) => {
        if (this.#stopping.signal.aborted) return
        log.warn('masters could not be delivered to the folder of their batch', { jobId, cause })
        onFailed()
      })
      .catch((cause: unknown) => log.error('a delivery could not be noted', { jobId, cause }))
      .finally(() => this.#queued.delete(jobId))
  }

  async close(): Promise<void> {
    this.#stopping.abort(new Error('the server stops'))
    await this.#queue
  }

  async #deliver({ job, folder, subfolder = '' }: OrderedDelivery) {
    const { clock, allowedFolder, filesOf } = this.#deps
    this.#stopping.signal.throwIfAborted()
    const parent = await allowedFolder(path.join(folder, ...subfolder.split('/')))
    const result = filesOf(job.jobId)?.result
    if (!result) throw new Error('there is no result')
    // All files of the ZIP, including the report: our copies are removed.
    const { signal } = this.#stopping
    return {
      sums: await sumsOf(result, signal),
      folder: await copyMasters(parent, { ...result, files: filesIn(result.zip), isMove: true }, clock, signal),
    }
  }
}

/** Returns the SHA-256 of the files of a result that are no masters. */
async function sumsOf({ folder, zip, masters }: KeptResult, signal: AbortSignal): Promise<Record<string, string>> {
  const known = new Set(masters.flatMap(({ file, files = [] }) => [file, ...files.map((one) => one.file)]))
  const sums: Record<string, string> = {}
  for (const [i, file] of filesIn(zip).entries()) {
    if (known.has(file)) continue
    const { kept, offset: start, sizeBytes } = zip.entries[i]!
    const stored = () => createReadStream(path.join(folder, zip.fileName), { start, end: start + sizeBytes - 1 })
    sums[file] = kept?.sha256 ?? (await sha256OfStream(stored(), signal))
  }
  return sums
}
