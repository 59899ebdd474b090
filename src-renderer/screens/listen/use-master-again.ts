/** Mastering the song once more: ready on the desk with its settings, or a plain retry where the song was never on the desk. */
import { useState } from 'react'
import type { Job } from '../../../src-server/contract/jobs.ts'
import { ApiError } from '../../api/client.ts'
import { go } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { isRepeatable, isWorthAgain } from '../../state/jobs.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { useListenWords } from './context.tsx'

/** What the button for it needs. `onError` is told why it did not work. */
export function useMasterAgain(job: Job, onError: (error: Refusal) => void) {
  const { desk, jobs } = useApp()
  const { t } = useListenWords()
  const [isBusy, setBusy] = useState(false)

  async function masterAgain() {
    try {
      if (job.source_id) {
        await desk.masterAgain(job, t.list.again(job.title))
        return go('master')
      }
    } catch (cause) {
      // A song that was taken off the desk is forgotten after a day; the job has kept its own.
      if (!(cause instanceof ApiError) || cause.code !== 'NOT_FOUND') throw cause
    }
    await jobs.retry(job.job_id)
    go('history')
  }

  return {
    // A song of the desk goes back there, whatever its job has kept.
    canMasterAgain: job.status !== 'queued' && (job.source_id ? isWorthAgain(job) : isRepeatable(job)),
    isBusy,
    masterAgain() {
      setBusy(true)
      masterAgain()
        .catch((cause: unknown) => onError(refusalOf(cause)))
        .finally(() => setBusy(false))
    },
  }
}
