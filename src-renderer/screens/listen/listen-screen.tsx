/** The place of the Listen screen. */
import { useEffect } from 'react'
import { useApp, useSelect } from '../../state/app-state.ts'
import { useWords } from '../../text/context.tsx'

export default function ListenScreen({ jobId }: { jobId: string }) {
  const { t } = useWords()
  const { jobs } = useApp()
  const job = useSelect(jobs.store, (state) => state.byId[jobId])
  useEffect(() => void jobs.readMissing([jobId]), [jobs, jobId])
  return (
    <main id="content" className="work" tabIndex={-1}>
      <div className="pane">
        <h1>
          <bdi>{job?.title ?? t.listenSoon.title}</bdi>
        </h1>
        <p className="dim">{t.listenSoon.text}</p>
      </div>
    </main>
  )
}
