/** Mastering songs again: always through the batch, where the price is shown next to the start button. */
import { useMemo, useState } from 'react'
import type { Job } from '../../src-contract/jobs.ts'
import { go } from '../router.ts'
import { useApp, useSelect } from '../state/app-state.ts'
import { isRepeatable } from '../state/jobs.ts'
import { useWords } from '../text/context.tsx'

/** Returns the action and its state for the controls. `onError` receives the failure. */
export function useMasterAgain(onError: (error: unknown) => void) {
  const { batch, jobs } = useApp()
  const { t } = useWords()
  const [isBusy, setBusy] = useState(false)
  const songs = useSelect(batch.store, (state) => state.batch?.songs)
  const known = useSelect(jobs.store, (state) => state.byId)
  const inBatch = useMemo(() => new Map(songs?.map((song) => [song.source.source_id, song])), [songs])
  return {
    canMasterAgain(job: Job) {
      const song = inBatch.get(job.source_id ?? '')
      return isRepeatable(job, song ? { state: song.state, newest: known[song.job_ids[0] ?? ''] } : null)
    },
    isBusy,
    masterAgain(jobs: readonly Job[]) {
      setBusy(true)
      batch
        .masterAgain(jobs, t.list.again)
        .then(() => go('master'))
        .catch(onError)
        .finally(() => setBusy(false))
    },
  }
}
