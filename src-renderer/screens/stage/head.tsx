/** The head of the stage: the song, its versions, its state and its actions. */
import { Ellipsis, GitCompareArrows, RotateCcw, Shuffle } from 'lucide-react'
import { type ReactNode, type Ref, useCallback, useState } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import type { Report } from '../../../src-contract/report.ts'
import { dbToGain } from '../../../src-engine/dsp/units.ts'
import { Button } from '../../components/button.tsx'
import { Cover } from '../../components/cover.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { addressOf } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { versionNumber } from '../../state/listen-versions.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { isChangedSince, type SongRow, titleOf } from '../../state/song-rows.ts'
import { codecName } from '../../text/format.ts'
import { sampleOfJob, useCopyCurl } from '../automate/use-copy-curl.ts'
import { RowButtons } from '../master/row-buttons.tsx'
import { RowStatus } from '../master/row-status.tsx'
import { formatOf } from '../master/song-row.tsx'
import { useRowActions } from '../master/use-row-actions.ts'
import { useMasterAgain } from '../use-master-again.ts'
import { useListenWords } from './context.tsx'
import { CopyMenu } from './copy-menu.tsx'
import { Drafts } from './drafts.tsx'
import { Versions } from './versions.tsx'

export interface HeadProps {
  /** The song's row of the list; null for a song outside it. */
  row: SongRow | null
  /** The job whose masters are shown, with the jobs of the same song; `report` is null where nothing can be heard. */
  made: { readonly job: Job; readonly report: Report | null; readonly siblings: readonly Job[] } | null
  onCompare?: () => void
  blindTest?: { readonly ref: Ref<HTMLButtonElement>; readonly isOpen: boolean; readonly toggle: () => void }
}

export function Head({ row, made, onCompare, blindTest }: HeadProps) {
  const { t, l, say } = useListenWords()
  const [error, setError] = useState<Refusal | null>(null)
  const common = useSelect(useApp().batch.store, (state) => state.batch?.settings ?? null)
  const isChanged = row !== null && isChangedSince(row, common)
  const glyph = { className: 'i', 'aria-hidden': true } as const
  const title = made?.job.title ?? (row ? titleOf(row) : '')
  return (
    <header className="head">
      <StageCover row={row} report={made?.report ?? null} />
      <div className="grow">
        <h1 className="clip" title={title}>
          <bdi>{title}</bdi>
        </h1>
        {error ? (
          <p className="label clip c-bad" role="alert">
            {say(error)}
            {error.requestId && ` ${t.requestId(error.requestId)}`}
          </p>
        ) : (
          <Facts row={row} made={made} />
        )}
      </div>
      {row && <Drafts row={row} />}
      {row?.song && <Versions row={row} shownId={made?.job.job_id} isChanged={isChanged} />}
      {made?.report && (
        <>
          <CopyMenu />
          {onCompare && (
            <Button look="quiet" label={l.compare} icon={<GitCompareArrows {...glyph} />} onClick={onCompare} />
          )}
          {blindTest && (
            <Button
              ref={blindTest.ref}
              look="quiet"
              label={l.transport.blindTest}
              icon={<Shuffle {...glyph} />}
              aria-pressed={blindTest.isOpen}
              onClick={blindTest.toggle}
            />
          )}
        </>
      )}
      {made ? (
        <>
          {!row && <MasterAgain job={made.job} onError={setError} />}
          <More job={made.job} row={row} onError={setError} />
        </>
      ) : (
        row && <StateOfRow row={row} />
      )}
    </header>
  )
}

/** State of a song that is not mastered, with the buttons for that state. */
function StateOfRow({ row }: { row: SongRow }) {
  const actions = useRowActions()
  const isPaused = useSelect(useApp().batch.store, (state) => state.batch?.is_paused ?? false)
  const isSaid = !['ready', 'done', 'below'].includes(row.kind)
  return (
    <>
      {isSaid && (
        <div className="head-state">
          <RowStatus row={row} place={undefined} startsInSeconds={null} leftSeconds={null} isPaused={isPaused} />
        </div>
      )}
      <RowButtons row={row} actions={actions} title={titleOf(row)} />
    </>
  )
}

function StageCover({ row, report }: { row: SongRow | null; report: Report | null }) {
  const { client } = useApp()
  const song = row?.song
  const sourceId = song?.source.source_id
  const ownCover = song?.cover?.sha256
  const read = useCallback(async () => {
    const answer = await client.open(ownCover ? 'readDeskCover' : 'readSourceCover', {
      params: { source_id: sourceId ?? '' },
    })
    return answer.blob()
  }, [client, sourceId, ownCover])
  const slices =
    report?.source.curves.peak_dbfs.map((peak) => (peak === null ? 0 : dbToGain(peak))) ??
    song?.analysis?.waveform_percent.map((percent) => percent / 100) ??
    null
  return <Cover read={song && (ownCover || song.source.has_cover) ? read : undefined} slices={slices} />
}

/** Artist, length, format and service of the song; of a job outside the list also what it was mastered with. */
function Facts({ row, made }: Pick<HeadProps, 'row' | 'made'>) {
  const { t, l, format } = useListenWords()
  const common = useSelect(useApp().batch.store, (state) => state.batch?.settings ?? null)
  const source = row?.song?.source
  const job = made?.job
  const known = source ?? (made?.report && { ...made.report.source, codec: made.job.codec })
  const artist = row?.song?.metadata.artist ?? source?.artist ?? job?.artist
  const seconds = source?.duration_seconds ?? job?.duration_seconds
  const service = job?.ai_service ?? (row?.song?.settings ?? common)?.ai_service
  const { number, of } = job && made ? versionNumber(job, made.siblings) : { number: 1, of: 1 }
  const stemCount = row?.song?.stem_count ?? job?.stem_count
  const facts = [
    stemCount ? t.stems.from(stemCount) : null,
    seconds === undefined ? null : format.duration(seconds),
    known ? formatOf(known, t) : job && codecName(job.codec, t.codecs),
    job && !row ? [t.genres[job.genre], t.tiers[job.tier].toLowerCase(), l.intensity(job.intensity)].join(', ') : null,
  ].flatMap((fact) => fact || [])
  const parts: ReactNode[] = [
    ...(artist ? [<bdi key="artist">{artist}</bdi>] : []),
    ...facts.map((fact) => <span key={fact}>{fact}</span>),
  ]
  return (
    <p className="label clip">
      {parts.map((part, at) => [at > 0 && ' · ', part])}
      {service && service !== 'other' && (
        <>
          {' '}
          <span className="tag" title={source?.made_with === service ? l.byTheFile : undefined}>
            {t.services[service]}
            {source?.made_with === service && <span className="vh"> {l.byTheFile}</span>}
          </span>
        </>
      )}
      {of > 1 && <span className="faint"> · {l.versionOf(number, of)}</span>}
      {row?.song?.mastered_before && <MasteredBefore row={row} />}
    </p>
  )
}

/** Link to earlier masters of the same file. */
function MasteredBefore({ row }: { row: SongRow }) {
  const { l, format } = useListenWords()
  const before = row.song?.mastered_before
  if (!before || (row.song?.job_ids.length ?? 0) > 0) return null
  const when = `${format.day(before.finished_at, new Date())} ${format.time(before.finished_at)}`
  return (
    <>
      {' '}
      <a className="link-text" href={addressOf('listen', before.job_id)}>
        {l.masteredBefore(when)}
      </a>
    </>
  )
}

interface JobButtonProps {
  job: Job
  onError: (error: Refusal | null) => void
}

function MasterAgain({ job, onError }: JobButtonProps) {
  const { t, l } = useListenWords()
  const { canMasterAgain, masterAgain, isBusy } = useMasterAgain((cause) => onError(refusalOf(cause)))
  if (!canMasterAgain(job)) return null
  return (
    <Button
      look="quiet"
      icon={<RotateCcw className="i" aria-hidden="true" />}
      busyText={isBusy && t.loading}
      onClick={() => masterAgain([job])}
    >
      {l.masterAgain}
    </Button>
  )
}

function More({ job, row, onError }: JobButtonProps & { row: SongRow | null }) {
  const { t, l, format } = useListenWords()
  const { saver } = useApp()
  const copyCurl = useCopyCurl()
  const { canMasterAgain, masterAgain } = useMasterAgain((cause) => onError(refusalOf(cause)))
  const guarded = (work: () => Promise<void>) => () => {
    onError(null)
    work().catch((cause: unknown) => onError(refusalOf(cause)))
  }
  const isThere = job.status === 'done' && !job.expired
  const size = job.download_size_bytes === undefined ? '' : ` · ${format.bytes(job.download_size_bytes)}`
  return (
    <Menu
      label={l.moreActions}
      trigger={
        <button type="button" className="btn icon quiet" aria-label={l.moreActions}>
          <Ellipsis className="i" aria-hidden="true" />
        </button>
      }
      items={[
        ...(isThere
          ? [
              ...(job.release ? [{ text: t.row.saveRelease, onChoose: guarded(() => saver.saveRelease(job)) }] : []),
              { text: `${l.saveZip}${size}`, onChoose: guarded(() => saver.saveZip(job.job_id)) },
            ]
          : []),
        ...(window.loudsmith && job.status === 'done'
          ? [{ text: l.reveal, onChoose: guarded(() => saver.reveal(job.job_id)) }]
          : []),
        ...(row && canMasterAgain(job) ? [{ text: l.masterAgain, onChoose: () => masterAgain([job]) }] : []),
        { text: l.copyCurl, onChoose: () => void copyCurl(sampleOfJob(job)) },
        ...(job.status === 'done'
          ? [{ text: l.openReport, onChoose: guarded(() => saver.saveReport(job.job_id)) }]
          : []),
      ]}
    />
  )
}
