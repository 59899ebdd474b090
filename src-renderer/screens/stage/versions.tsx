/** The versions of a song as chips. Choosing one brings its settings back, so that it is what is shown, heard and saved. */
import { useEffect, useMemo } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import { addressOf } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { settingsOf } from '../../state/jobs.ts'
import type { SongRow } from '../../state/song-rows.ts'
import { useListenWords } from './context.tsx'

interface VersionsProps {
  row: SongRow
  /** The job on the stage. */
  shownId: string | undefined
  /** The settings have changed since the newest job. */
  isChanged: boolean
}

export function Versions({ row, shownId, isChanged }: VersionsProps) {
  const { t, l, format } = useListenWords()
  const { jobs, batch } = useApp()
  const common = useSelect(batch.store, (state) => state.batch?.settings ?? null)
  const byId = useSelect(jobs.store, (state) => state.byId)
  const ids = row.song?.job_ids
  useEffect(() => void jobs.readMissing(ids ?? []), [jobs, ids])
  const made = useMemo(
    () =>
      (ids ?? [])
        .flatMap((id) => byId[id] ?? [])
        .filter(({ status }) => status === 'done')
        .toReversed(),
    [ids, byId],
  )
  if (made.length === 0 || (made.length === 1 && !isChanged)) return null
  const now = row.song?.settings ?? common
  const choose = (job: Job) => {
    const reference = job.reference_filename === undefined ? null : (now?.reference_source_id ?? null)
    // A job knows only the name of its reference: where the song has none now, the version is heard only.
    if (row.job === job || (job.reference_filename !== undefined && reference === null)) return
    batch.changeSettings({ ...settingsOf(job), reference_source_id: reference }, [row.rowId])
  }
  const what = (job: Job) =>
    [t.settings.styles[job.style], job.target_lufs && format.target(job.target_lufs)].filter(Boolean).join(' ')
  return (
    <ul className="chips" aria-label={l.chips.label}>
      {made.map((job, at) => {
        const name = l.chips.name(at + 1, what(job))
        return (
          <li key={job.job_id}>
            {job.expired ? (
              <span className="chip gone" title={l.chips.gone}>
                {l.chips.short(at + 1)}
                <span className="vh"> {l.chips.gone}</span>
              </span>
            ) : (
              <a
                className="chip"
                href={addressOf('listen', job.job_id)}
                title={name}
                aria-label={name}
                aria-current={job.job_id === shownId ? 'true' : undefined}
                onClick={() => choose(job)}
              >
                {l.chips.short(at + 1)}
              </a>
            )}
          </li>
        )
      })}
      {isChanged && (
        <li>
          <a className="chip draft" href={addressOf('master')} aria-current={shownId ? undefined : 'true'}>
            {l.chips.changed}
          </a>
        </li>
      )}
    </ul>
  )
}
