/** Changes of the batch, sent to the server one after another. Only answers that include all of them are shown. */
import type { Batch } from '../../src-contract/app.ts'
import type { Client } from '../../src-contract/client.ts'
import type { JobsStore } from './jobs.ts'
import { createSerialQueue } from './serial-queue.ts'

export interface CommandsOptions {
  readonly client: Client
  readonly jobs: Pick<JobsStore, 'readMissing'>
  /** Shows the batch as the server has it. The newest job of each of its songs is known by then. */
  readonly show: (batch: Batch) => void
  /** Told why the server did not do what was asked; the batch without it has been shown, where it could be read. */
  readonly onRefused: (error: unknown) => void
}

/** Makes the conversation with the server about its batch. */
export function createCommands({ client, jobs, show, onRefused }: CommandsOptions) {
  const inTurn = createSerialQueue()
  const inReadingTurn = createSerialQueue()
  /** Counts what was done to the batch here: an answer that was asked for before knows nothing of it and is not shown. */
  let deeds = 0
  /** The reading that has not begun yet. */
  let nextReading: Promise<void> | undefined

  const withJobs = async (batch: Batch) => {
    await jobs.readMissing(batch.songs.flatMap((song) => song.job_ids.slice(0, 1)))
    return batch
  }
  const readBatch = () => client.call('readDesk', {}).then(withJobs)

  const read = (): Promise<void> => {
    nextReading ??= inReadingTurn(async () => {
      const before = deeds
      await inTurn(async () => undefined)
      nextReading = undefined
      const batch = await readBatch()
      if (before !== deeds) return false
      show(batch)
      return true
    }).then((isShown) => (isShown ? undefined : read()))
    return nextReading
  }

  return {
    /** Reads the batch once the server has heard of all that was done here, and again when more was done meanwhile. Throws ApiError. */
    read,
    /**
     * Tells the server in turn what was done here. The answer to the last of it shows the batch with all of it; what the server
     * refuses is taken back. Throws ApiError.
     */
    tell(run: () => Promise<Batch>): Promise<void> {
      deeds += 1
      const mine = deeds
      const showLast = (batch: Batch) => {
        if (mine === deeds) show(batch)
        else void read().catch(() => undefined)
      }
      return inTurn(async () => {
        try {
          showLast(await run().then(withJobs))
        } catch (error) {
          await readBatch().then(showLast, () => undefined)
          onRefused(error)
          throw error
        }
      })
    },
    /** Asks the server in turn for what it may refuse without anybody being told, and reads the batch. Throws ApiError. */
    async ask(run: () => Promise<Batch>): Promise<void> {
      await inTurn(run)
      await read()
    },
    /** Call when something was done to the batch here that the server has done by itself. */
    outdate() {
      deeds += 1
    },
  }
}
