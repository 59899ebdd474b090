/** Actions on jobs of the history. */
import { useMemo } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Platform } from '../../../src-contract/platforms/index.ts'
import { go } from '../../router.ts'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { sampleOfJob, useCopyCurl } from '../automate/use-copy-curl.ts'

/** Focuses the row after the removed jobs, else the row before. Nothing scrolls. */
function focusBeside(jobIds: readonly string[]): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.hist [data-job]')]
  const isGone = ({ dataset }: HTMLElement) => jobIds.includes(dataset.job ?? '')
  const beside = rows[rows.findLastIndex(isGone) + 1] ?? rows.findLast((row) => !isGone(row))
  // Removal re-renders the rows, so the element is looked up by its job.
  const selector = `.hist [data-job="${beside?.dataset.job}"]`
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true }))
}

export function useJobActions() {
  const { history, jobs, notices, saver, batch } = useApp()
  const { t } = useWords()
  const copyCurl = useCopyCurl()
  return useMemo(() => {
    return {
      async saveZips(list: readonly Job[]) {
        batch.clearFailure()
        notices.announce(t.row.savingZip)
        for (const job of list) await saver.saveZip(job.job_id).catch(batch.fail)
      },
      saveMaster: (job: Job, platform: Platform) => void saver.saveMaster(job.job_id, platform).catch(batch.fail),
      reveal: (job: Job) => void saver.reveal(job.job_id).catch(batch.fail),
      /** Compares the newest version of a song with the next older one. */
      compare(versions: readonly Job[]) {
        const [newest, older] = versions.toSorted((a, b) => b.created_at.localeCompare(a.created_at))
        if (newest && older) go('listen', `${newest.job_id}/${older.job_id}`)
      },
      cancel: (job: Job) => void jobs.cancel(job.job_id).catch(batch.fail),
      copyCurl: (job: Job) => void copyCurl(sampleOfJob(job)),
      remove(list: readonly Job[]) {
        const first = list[0]
        if (!first) return
        const jobIds = list.map((job) => job.job_id)
        focusBeside(jobIds)
        history.remove(jobIds, t.history.deleted(first.title, list.length - 1))
      },
    }
  }, [history, jobs, notices, saver, batch, copyCurl, t])
}
