/** Changes of the batch, sent to the server one after another. Only answers that include all of them are shown. */
import type { Batch } from '../../src-contract/app.ts'
import { atMost } from '../../src-contract/at-most.ts'
import type { Client } from '../../src-contract/client.ts'
import type { JobsStore } from './jobs.ts'

export interface CommandsDeps {
  readonly client: Client
  readonly jobs: Pick<JobsStore, 'readMissing'>
  /** Shows the batch as the server has it. The newest job of each of its songs is loaded by then. */
  readonly show: (batch: Batch) => void
  /** Called with the reason of a refusal; the batch without the change has been shown, if it could be read. */
  readonly onRefused: (error: unknown) => void
}

/** Requests about the batch, sent in turn: changes, questions and reads. */
export class Commands {
  readonly #deps: CommandsDeps
  readonly #inTurn = atMost(1)
  readonly #inReadingTurn = atMost(1)
  /** Number of changes made to the batch here: an answer requested before one does not contain it and is not shown. */
  #deeds = 0
  /** The reading that has not started yet. */
  #nextReading: Promise<void> | undefined

  constructor(deps: CommandsDeps) {
    this.#deps = deps
  }

  /**
   * Reloads the batch once the server has received all local changes, and again if more were made meanwhile. Throws
   * ApiError.
   */
  readonly read = (): Promise<void> => {
    this.#nextReading ??= this.#inReadingTurn(async () => {
      const before = this.#deeds
      await this.#inTurn(async () => undefined)
      this.#nextReading = undefined
      const batch = await this.#readBatch()
      if (before !== this.#deeds) return false
      this.#deps.show(batch)
      return true
    }).then((isShown) => (isShown ? undefined : this.read()))
    return this.#nextReading
  }

  /**
   * Sends a local change to the server, in turn. The answer to the last change shows the batch with all of them; a
   * refused change is reverted. Throws ApiError.
   */
  readonly tell = (run: () => Promise<Batch>): Promise<void> => {
    this.#deeds += 1
    const mine = this.#deeds
    const showLast = (batch: Batch) => {
      if (mine === this.#deeds) this.#deps.show(batch)
      else void this.read().catch(() => undefined)
    }
    return this.#inTurn(async () => {
      try {
        showLast(await run().then((batch) => this.#withJobs(batch)))
      } catch (error) {
        await this.#readBatch().then(showLast, () => undefined)
        this.#deps.onRefused(error)
        throw error
      }
    })
  }

  /** Sends a request in turn whose refusal shows no notice, and reloads the batch. Throws ApiError. */
  async ask(run: () => Promise<Batch>): Promise<void> {
    await this.#inTurn(run)
    await this.read()
  }

  /** Records a change to this page's batch that the server made by itself. */
  outdate(): void {
    this.#deeds += 1
  }

  async #readBatch(): Promise<Batch> {
    return this.#withJobs(await this.#deps.client.call('readDesk', {}))
  }

  async #withJobs(batch: Batch): Promise<Batch> {
    await this.#deps.jobs.readMissing(batch.songs.flatMap((song) => song.job_ids))
    return batch
  }
}
