import type { ErrorParams } from '../../src-contract/errors.ts'
import type { Clock } from '../../src-system/system.ts'
import type { WarningFact, WorkResult } from '../../src-worker/mastering/work-order.ts'
import type { Ledger } from '../credits/ledger.ts'
import type { Db } from '../db/open.ts'
import type { Notify } from '../notify/notify.ts'
import { hasEnded, type JobEvent, nextPosition } from './job.ts'
import { callbackBody } from './payload.ts'
import type { JobRecord, JobStore } from './store.ts'

/** Event with its data: the result of a success, the values for the sentence of a failure. */
export type Ending =
  | Exclude<JobEvent, { kind: 'succeed' } | { kind: 'fail' } | { kind: 'lose' }>
  | { readonly kind: 'succeed'; readonly result: WorkResult }
  | (Extract<JobEvent, { kind: 'fail' } | { kind: 'lose' }> & { readonly values?: ErrorParams })

/**
 * Applies one event to a job, in one transaction with its consequences: a failure's refund, the event and its deliveries. Returns the
 * updated job, or undefined when the event came too late to change anything.
 */
export type Settle = (jobId: string, ending: Ending) => JobRecord | undefined

/** Returns the one function that changes the state of jobs. `onEnded` is called after the commit of an end. */
export function createSettle(deps: {
  db: Db
  clock: Clock
  store: JobStore
  ledger: Ledger
  notify: Pick<Notify, 'record' | 'committed'>
  baseUrl: string
  /** When a job that ends at a moment loses its result; null never. Milliseconds since 1970. */
  expiryOf: (completedAtMs: number) => { readonly expiresAtMs: number | null; readonly isDoubtful: boolean }
  onEnded: (job: JobRecord) => void
}): Settle {
  const { db, clock, store, ledger, notify } = deps

  const move = (jobId: string, ending: Ending): JobRecord | undefined => {
    const job = store.find(jobId)
    const next = job && nextPosition(job, ending)
    if (!job || !next) return undefined
    if (!hasEnded(next.state)) {
      store.move(jobId, next, next.state === 'running' ? clock.now() : null)
      return store.find(jobId)
    }
    const now = clock.now()
    const { expiresAtMs, isDoubtful } = deps.expiryOf(now)
    const result = ending.kind === 'succeed' ? ending.result : undefined
    store.finish(jobId, next, {
      ...(result ? { result } : {}),
      ...(next.failureCode
        ? { failure: { code: next.failureCode, values: ('values' in ending && ending.values) || {} } }
        : {}),
      warnings: result ? merged(result.warnings, job.warnings) : job.warnings,
      creditsRefunded: next.state === 'failed' ? ledger.refund(jobId) : 0,
      storedBytes: job.storedBytes + (result?.zip.keptBytes ?? result?.zip.sizeBytes ?? 0),
      completedAtMs: now,
      ...(expiresAtMs === null ? {} : { expiresAtMs }),
      hasDoubtfulTime: isDoubtful,
    })
    const ended = store.find(jobId)
    if (!ended) throw new Error('an ended job is not there')
    const body = callbackBody(ended, deps.baseUrl)
    const { webhookUrl } = ended.request
    notify.record({ event: body.event, jobId, body, ...(webhookUrl === undefined ? {} : { webhookUrl }) })
    return ended
  }

  return (jobId, ending) => {
    const job = db.transaction(() => move(jobId, ending)).immediate()
    if (job && hasEnded(job.state)) {
      notify.committed()
      deps.onEnded(job)
    }
    return job
  }
}

/** Merges the engine's findings with those from the creation that it does not repeat. */
function merged(found: readonly WarningFact[], before: readonly WarningFact[]): WarningFact[] {
  const codes = new Set(found.map(({ code }) => code))
  return [...before.filter(({ code }) => !codes.has(code)), ...found]
}
