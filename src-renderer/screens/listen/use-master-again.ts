/** Mastering the song once more: back to the desk with its settings, or a plain retry where the song was never on the desk. */
import { useState } from 'react'
import type { MasterSettings } from '../../../src-server/contract/app.ts'
import type { Job } from '../../../src-server/contract/jobs.ts'
import { ApiError } from '../../api/client.ts'
import { go } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { isRepeatable, isWorthAgain } from '../../state/jobs.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { useListenWords } from './context.tsx'

/** Returns the settings with which a job was made; its reference track is chosen anew. */
function settingsOf(job: Job): MasterSettings {
  const { platforms, genre, ai_service, tier, intensity, loudness, reference_amount } = job
  return { platforms, genre, ai_service, tier, intensity, loudness, reference_amount, reference_source_id: null }
}

/** What the button for it needs. `onError` is told why it did not work. */
export function useMasterAgain(job: Job, onError: (error: Refusal) => void) {
  const { client, desk, jobs, notices } = useApp()
  const { l } = useListenWords()
  const [isBusy, setBusy] = useState(false)

  async function toDesk(sourceId: string) {
    await client.call('restoreSongs', { body: { source_ids: [sourceId] } })
    await client.call('changeDeskSong', { params: { source_id: sourceId }, body: { settings: settingsOf(job) } })
    await desk.read()
    desk.select(sourceId)
    desk.scope(false)
    notices.show({ text: l.again })
    go('master')
  }

  async function masterAgain() {
    try {
      if (job.source_id) return await toDesk(job.source_id)
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
