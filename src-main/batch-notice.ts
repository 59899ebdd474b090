/** Notification of an ended batch, and the screen that it opens. */
import type { EndedBatch } from './activity.ts'
import type { Place } from './bridge.ts'
import type { Words } from './text.ts'

/** Returns the two lines of the notification of an ended batch. Pure. */
export function batchNotice({ done, failed }: EndedBatch, words: Words): { title: string; body: string } {
  const title =
    failed.length === 0
      ? words.batchDone(done.length)
      : done.length === 0
        ? words.batchFailed(failed.length)
        : words.batchMixed(done.length, failed.length)
  const [first = '', ...others] = [...failed, ...done]
  return { title, body: others.length === 0 ? first : words.batchMore(first, others.length) }
}

/** Returns the screen for an ended batch: the masters of a single song, or the history row of several. Pure. */
export function placeOfBatch(batch: EndedBatch): Place {
  return batch.onlyJobId && batch.failed.length === 0
    ? { screen: 'listen', jobId: batch.onlyJobId }
    : { screen: 'batch', batchId: batch.batchId }
}
