/** Copying a curl command that masters a song again. */

import { useMemo } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import { jobSettings } from '../../../src-contract/settings.ts'
import { useApp } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'
import { curlOf, type Sample } from './snippets.ts'

/** Returns the song and settings of a job. */
export const sampleOfJob = (job: Job): Sample => ({
  filename: job.filename,
  reference: job.reference_filename,
  settings: jobSettings(job),
})

/** Returns the function that copies the command and announces the result; it stays the same while language and stores do. It never rejects. */
export function useCopyCurl(): (sample: Sample) => Promise<void> {
  const { notices, service } = useApp()
  const { t } = useWords()
  return useMemo(
    () => async (sample) => {
      const baseUrl = service.store.getState().system?.base_url ?? location.origin
      const text = await navigator.clipboard.writeText(curlOf(baseUrl, sample)).then(
        () => t.row.curlCopied,
        () => t.row.curlNotCopied,
      )
      notices.show({ text })
    },
    [notices, service, t],
  )
}
