/** The head of the Listen screen: the song, its settings and its actions. */
import { ArrowLeft, Copy, Download, Ellipsis, FileText, FolderOpen, GitCompareArrows, RotateCcw } from 'lucide-react'
import { useCallback, useState } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import { Button } from '../../components/button.tsx'
import { Cover } from '../../components/cover.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { addressOf, originOfListen } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { versionNumber } from '../../state/listen-versions.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { codecName } from '../../text/format.ts'
import { sampleOfJob, useCopyCurl } from '../automate/use-copy-curl.ts'
import { formatOf } from '../master/song-row.tsx'
import { useMasterAgain } from '../use-master-again.ts'
import { useListenWords } from './context.tsx'

export interface HeadProps {
  job: Job
  report: Report | null
  siblings: readonly Job[]
  onCompare?: () => void
}

export function Head({ job, report, siblings, onCompare }: HeadProps) {
  const { t, l, format, say } = useListenWords()
  const { client, saver, batch } = useApp()
  const { number, of } = versionNumber(job, siblings)
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<Refusal | null>(null)
  const { canMasterAgain, masterAgain, isBusy } = useMasterAgain((cause) => setError(refusalOf(cause)))
  const { download_size_bytes: size = 0 } = job
  const isThere = job.status === 'done' && !job.expired
  const sourceId = job.source_id
  const source = useSelect(
    batch.store,
    (state) => state.batch?.songs.find((song) => song.source.source_id === sourceId)?.source,
  )
  const readCover = useCallback(async () => {
    const answer = await client.open('readSourceCover', { params: { source_id: sourceId ?? '' } })
    return answer.blob()
  }, [client, sourceId])
  const attempt = (work: Promise<unknown>) => {
    setError(null)
    return work.catch((cause: unknown) => setError(refusalOf(cause)))
  }
  const saveZip = () => {
    setSaving(true)
    void attempt(saver.saveZip(job.job_id)).finally(() => setSaving(false))
  }
  const known = source ?? (report && { ...report.source, codec: job.codec })
  const facts = [
    format.duration(job.duration_seconds),
    known ? formatOf(known, t) : codecName(job.codec, t.codecs),
    job.ai_service === 'other' ? null : t.services[job.ai_service],
    [t.genres[job.genre], t.tiers[job.tier].toLowerCase(), l.intensity(job.intensity)].join(', '),
  ]
  const slices = report?.source.curves.peak_dbfs.map((peak) => (peak === null ? 0 : 10 ** (peak / 20))) ?? null
  return (
    <div className="head">
      <a className="btn icon quiet" href={addressOf(originOfListen())} aria-label={l.back[originOfListen()]}>
        <ArrowLeft className="i" aria-hidden="true" />
      </a>
      <Cover read={source?.has_cover ? readCover : undefined} slices={slices} />
      <div className="grow">
        <h1 className="clip">
          <bdi>{job.title}</bdi>
        </h1>
        {error ? (
          <p className="label clip c-bad" role="alert">
            {say(error)}
            {error.requestId && ` ${t.requestId(error.requestId)}`}
          </p>
        ) : (
          <p className="label clip">
            {job.artist && (
              <>
                <bdi>{job.artist}</bdi> ·{' '}
              </>
            )}
            {facts.filter(Boolean).join(' · ')}
            {of > 1 && <span className="faint"> · {l.versionOf(number, of)}</span>}
          </p>
        )}
      </div>
      {onCompare && (
        <Button look="quiet" icon={<GitCompareArrows className="i" aria-hidden="true" />} onClick={onCompare}>
          {l.compare}
        </Button>
      )}
      {canMasterAgain(job) && (
        <Button
          look="quiet"
          icon={<RotateCcw className="i" aria-hidden="true" />}
          busyText={isBusy && t.loading}
          onClick={() => masterAgain([job])}
        >
          {l.masterAgain}
        </Button>
      )}
      <More job={job} onError={setError} />
      {isThere && (
        <Button
          look="primary"
          icon={<Download className="i" aria-hidden="true" />}
          busyText={isSaving && l.saving}
          onClick={saveZip}
        >
          {l.saveZip} <span className="size">{format.bytes(size)}</span>
        </Button>
      )}
    </div>
  )
}

function More({ job, onError }: { job: Job; onError: (error: Refusal | null) => void }) {
  const { l } = useListenWords()
  const { saver } = useApp()
  const copyCurl = useCopyCurl()
  const guarded = (work: () => Promise<void>) => () => {
    onError(null)
    work().catch((cause: unknown) => onError(refusalOf(cause)))
  }
  return (
    <Menu
      label={l.moreActions}
      trigger={
        <button type="button" className="btn icon quiet" aria-label={l.moreActions}>
          <Ellipsis className="i" aria-hidden="true" />
        </button>
      }
      items={[
        ...(window.loudsmith && job.status === 'done'
          ? [
              {
                text: l.reveal,
                icon: <FolderOpen className="i s" aria-hidden="true" />,
                onChoose: guarded(() => saver.reveal(job.job_id)),
              },
            ]
          : []),
        {
          text: l.copyCurl,
          icon: <Copy className="i s" aria-hidden="true" />,
          onChoose: () => void copyCurl(sampleOfJob(job)),
        },
        ...(job.status === 'done'
          ? [
              {
                text: l.openReport,
                icon: <FileText className="i s" aria-hidden="true" />,
                onChoose: guarded(() => saver.saveReport(job.job_id)),
              },
            ]
          : []),
      ]}
    />
  )
}
