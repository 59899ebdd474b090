/** Mastering songs once more: everywhere they are put on the desk, where what it costs stands beside the start. */
import { useMemo, useState } from 'react'
import type { Job } from '../../src-contract/jobs.ts'
import { go } from '../router.ts'
import { useApp, useSelect } from '../state/app-state.ts'
import { isRepeatable } from '../state/jobs.ts'
import { useWords } from '../text/context.tsx'

/** What the controls for it need. `onError` is told why it did not work. */
export function useMasterAgain(onError: (error: unknown) => void) {
  const { desk, jobs } = useApp()
  const { t } = useWords()
  const [isBusy, setBusy] = useState(false)
  const songs = useSelect(desk.store, (state) => state.desk?.songs)
  const known = useSelect(jobs.store, (state) => state.byId)
  const onDesk = useMemo(() => new Map(songs?.map((song) => [song.source.source_id, song])), [songs])
  return {
    canMasterAgain(job: Job) {
      const song = onDesk.get(job.source_id ?? '')
      return isRepeatable(job, song ? { state: song.state, newest: known[song.job_ids[0] ?? ''] } : null)
    },
    isBusy,
    masterAgain(jobs: readonly Job[]) {
      setBusy(true)
      desk
        .masterAgain(jobs, t.list.again)
        .then(() => go('master'))
        .catch(onError)
        .finally(() => setBusy(false))
    },
  }
}
