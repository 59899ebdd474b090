/** Delivery of the masters of a job into the folder of its manifest, one job after the other; the ZIP then goes. */
import path from 'node:path'
import type { Log } from '../../src-system/log.ts'
import type { Clock } from '../../src-system/system.ts'
import type { JobFiles } from '../artifacts/routes.ts'
import { copyMasters } from '../batch/output-folder.ts'
import type { JobRecord } from '../jobs/store.ts'

export interface DeliveryDeps {
  readonly clock: Clock
  readonly log: Log
  /** Resolves with the real path of a folder in which may be written. Rejects with PATH_NOT_ALLOWED. */
  readonly allowedFolder: (name: string) => Promise<string>
  readonly filesOf: (jobId: string) => JobFiles | undefined
  /** Records where the masters of a job lie. */
  readonly noteDelivered: (jobId: string, folder: string) => void
  /** Gives up the files of a job. */
  readonly forgetFiles: (jobId: string) => void
}

export interface OrderedDelivery {
  readonly job: JobRecord
  readonly folder: string
  readonly subfolder?: string
}

export interface DeliveryEnds {
  readonly onDelivered: (folder: string) => void
  /** The masters stay in their ZIP. */
  readonly onFailed: () => void
}

/** The delivery: what a crash interrupts is delivered again, and found where it lies already. */
export class ManifestDelivery {
  readonly #deps: DeliveryDeps
  readonly #stopping = new AbortController()
  readonly #queued = new Set<string>()
  #queue = Promise.resolve()

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /** Delivers a job after those before it; one that is on its way already is delivered once. Never throws. */
  add(order: OrderedDelivery, { onDelivered, onFailed }: DeliveryEnds): void {
    const { jobId } = order.job
    const { log, noteDelivered, forgetFiles } = this.#deps
    if (this.#queued.has(jobId) || this.#stopping.signal.aborted) return
    this.#queued.add(jobId)
    this.#queue = this.#queue
      .then(async () => {
        const folder = await this.#deliver(order)
        noteDelivered(jobId, folder)
        onDelivered(folder)
        forgetFiles(jobId)
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

  async #deliver({ job, folder, subfolder = '' }: OrderedDelivery): Promise<string> {
    const { clock, allowedFolder, filesOf } = this.#deps
    this.#stopping.signal.throwIfAborted()
    const parent = await allowedFolder(path.join(folder, ...subfolder.split('/')))
    const result = filesOf(job.jobId)?.result
    if (!result) throw new Error('there is no result')
    // All that the ZIP holds, its report too: nothing of it is kept here.
    const { zipPath, zip } = result
    const files = zip.entries.map(({ name }) => name.slice(zip.folderName.length + 1))
    return copyMasters(parent, { zipPath, zip, files }, clock, this.#stopping.signal)
  }
}
