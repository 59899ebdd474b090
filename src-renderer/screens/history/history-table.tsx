/** The table of History. Only the lines in view and a few around them are drawn; the others are empty height. */
import { useVirtualizer } from '@tanstack/react-virtual'
import { Check, CircleX, Clock, Ellipsis, LoaderCircle, TriangleAlert } from 'lucide-react'
import { memo, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { expiryNoticeMs } from '../../../src-contract/account.ts'
import type { Job } from '../../../src-contract/jobs.ts'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { isWithoutCost } from '../../../src-contract/text/costs.ts'
import { change } from '../../../src-contract/text/numbers.ts'
import { MenuAt } from '../../components/dialogs.tsx'
import { addressOf, go } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import type { HistoryGroup } from '../../state/history.ts'
import { failureOf } from '../../state/refusal.ts'
import { useWords } from '../../text/context.tsx'
import { useMasterAgain } from '../use-master-again.ts'
import { useJobActions } from './use-job-actions.ts'

export type Line = { kind: 'group'; group: HistoryGroup } | { kind: 'job'; job: Job }

const ROW_PX = 47
const GROUP_PX = 39
/** Number of lines before the end that triggers loading of the next page. */
const READ_AHEAD = 30

interface OpenMenu {
  readonly job: Job
  readonly anchor: HTMLElement
}

interface HistoryTableProps {
  lines: readonly Line[]
  shown: readonly Job[]
}

export function HistoryTable({ lines, shown }: HistoryTableProps) {
  const { history } = useApp()
  const { t } = useWords()
  const scroller = useRef<HTMLElement>(null)
  const selected = useSelect(history.store, (state) => state.selected)
  const isReading = useSelect(history.store, (state) => state.isReading)
  const { items, beforePx, afterPx } = useLinesInView(lines, scroller)
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <section className="scroll inset" ref={scroller} tabIndex={0} aria-label={t.screens.history} aria-busy={isReading}>
      <table className="hist" aria-label={t.screens.history} aria-rowcount={lines.length}>
        <HistoryHead shown={shown} />
        <tbody>
          {beforePx > 0 && <Gap height={beforePx} />}
          {items.map((item) => {
            const line = lines[item.index]
            if (!line) return null
            return line.kind === 'group' ? (
              <GroupRow key={item.key} group={line.group} rowIndex={item.index + 1} />
            ) : (
              <JobRow
                key={item.key}
                job={line.job}
                rowIndex={item.index + 1}
                isSelected={selected[line.job.job_id] === true}
                onMenu={setMenu}
              />
            )
          })}
          {afterPx > 0 && <Gap height={afterPx} />}
        </tbody>
      </table>
      {menu && <JobMenu {...menu} onClose={() => setMenu(null)} />}
    </section>
  )
}

/** Lines in view and the height of those before and after them, px. The next page is loaded near their end. */
function useLinesInView(lines: readonly Line[], scroller: RefObject<HTMLElement | null>) {
  const { history } = useApp()
  const filter = useSelect(history.store, (state) => state.filter)
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (lines[index]?.kind === 'group' ? GROUP_PX : ROW_PX),
    overscan: 12,
    initialRect: { width: 1200, height: 640 },
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last > lines.length - READ_AHEAD) void history.readMore()
  }, [last, lines.length, history])
  // A new list starts at its top: at the old scroll position it would load page after page to get there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filter is the sign, not an ingredient
  useEffect(() => void scroller.current?.scrollTo(0, 0), [filter])
  const beforePx = items[0]?.start ?? 0
  const afterPx = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  return { items, beforePx, afterPx }
}

function HistoryHead({ shown }: Pick<HistoryTableProps, 'shown'>) {
  const { history } = useApp()
  const { t } = useWords()
  const { columns } = t.history
  const selected = useSelect(history.store, (state) => state.selected)
  const isByTitle = useSelect(history.store, (state) => state.filter.sort === 'title')
  const jobIds = shown.map((job) => job.job_id)
  return (
    <thead>
      <tr>
        <th className="pick">
          <Pick
            label={t.history.selectAll}
            isOn={jobIds.length > 0 && jobIds.every((id) => selected[id])}
            onChange={(isOn) => history.select(jobIds, isOn)}
          />
        </th>
        <th className="song-column" aria-sort={isByTitle ? 'ascending' : 'none'}>
          <button
            type="button"
            className="sorter"
            onClick={() => history.filter({ sort: isByTitle ? 'newest' : 'title' })}
          >
            {columns.song}
          </button>
        </th>
        <th className="r md">{columns.before}</th>
        <th className="r sm">{columns.loudest}</th>
        <th className="r lg">{columns.gain}</th>
        <th className="lg platforms-column">{columns.platforms}</th>
        <th className="verdict-column">{columns.verdict}</th>
        <th className="lg">{columns.kept}</th>
        <th className="r md">{columns.size}</th>
        <th className="menu-column">
          <span className="vh">{columns.actions}</span>
        </th>
      </tr>
    </thead>
  )
}

/** Number of columns in the narrowest window: a cell that spans more would add empty columns. */
const FEWEST_COLUMNS = 4

/** The height of the lines out of view. */
function Gap({ height }: { height: number }) {
  return (
    <tr className="gap">
      <td colSpan={FEWEST_COLUMNS} style={{ height }} />
    </tr>
  )
}

function Pick({ label, isOn, onChange }: { label: string; isOn: boolean; onChange: (isOn: boolean) => void }) {
  return (
    <label className="pick-box">
      <input
        type="checkbox"
        className="vh"
        aria-label={label}
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className="check">
        <Check aria-hidden="true" />
      </span>
    </label>
  )
}

function GroupRow({ group, rowIndex }: { group: HistoryGroup; rowIndex: number }) {
  const { t, format } = useWords()
  const { jobs, batchId, isWhole } = group
  const first = jobs.reduce<Job | undefined>(
    (early, job) => (!early || job.created_at < early.created_at ? job : early),
    undefined,
  )
  if (!first) return null
  const refunded = jobs.reduce((sum, job) => sum + job.credits_refunded, 0)
  const credits = jobs.reduce((sum, job) => sum + job.credits_used, 0)
  const named = isWhole ? t.history.batchNamed(first.title, jobs.length - 1) : t.history.group
  const day = format.day(first.created_at, new Date())
  // The start time of a batch is that of its first job, known once the group is complete.
  const when = batchId && isWhole ? `${day} ${format.time(first.created_at)}` : day
  return (
    <tr className="grp" aria-rowindex={rowIndex}>
      <td />
      <th colSpan={FEWEST_COLUMNS - 1} scope="rowgroup">
        <b>
          <bdi>{batchId ? named : t.history.single}</bdi>
        </b>{' '}
        {[when, isWhole && t.history.batch(jobs.length, credits, refunded)].filter(Boolean).join(' · ')}
      </th>
    </tr>
  )
}

interface JobRowProps {
  job: Job
  isSelected: boolean
  rowIndex: number
  onMenu: (open: OpenMenu) => void
}

/** Returns whether the masters of a job can be played and saved. */
const hasMasters = (job: Job) => job.status === 'done' && !job.expired

const JobRow = memo(function JobRow({ job, isSelected, rowIndex, onMenu }: JobRowProps) {
  const { history } = useApp()
  const { t, format } = useWords()
  const { results } = job
  const loudest = Math.max(...results.map((one) => one.integrated_lufs))
  const gain = Math.max(...results.map((one) => one.gain_db))
  const onPick = useCallback((isOn: boolean) => history.select([job.job_id], isOn), [history, job.job_id])
  const isAll = job.platforms.length === PLATFORMS.length
  const before = useLoudnessBefore(job)
  return (
    <tr
      className={isSelected ? 'sel' : undefined}
      data-job={job.job_id}
      tabIndex={-1}
      aria-rowindex={rowIndex}
      aria-selected={isSelected}
    >
      <td className="pick">
        <Pick label={t.history.selectOne(job.title)} isOn={isSelected} onChange={onPick} />
      </td>
      <SongCell job={job} />
      <td className="r dim md">{format.level(before)}</td>
      <td className="r sm">
        <b>{results.length > 0 ? format.level(loudest) : '–'}</b>
      </td>
      <td className="r dim lg">{results.length > 0 ? `${change(gain)} dB` : '–'}</td>
      <td className="dim lg">
        <div className="two-lines">
          {isAll ? t.history.allPlatforms : job.platforms.map((p) => t.platforms[p].replace(' ', '\u00a0')).join(', ')}
        </div>
      </td>
      <td>
        <Verdict job={job} />
      </td>
      <td className="dim lg">
        <KeptFor job={job} />
      </td>
      <td className="r dim md">
        {job.download_size_bytes === undefined ? '–' : format.bytes(job.download_size_bytes)}
      </td>
      <td className="r">
        <button
          type="button"
          className="btn quiet sm icon"
          aria-haspopup="menu"
          aria-label={`${t.more}: ${job.title}`}
          title={t.more}
          onClick={(event) => onMenu({ job, anchor: event.currentTarget })}
        >
          <Ellipsis className="i s" aria-hidden="true" />
        </button>
      </td>
    </tr>
  )
})

/** The title of a song, a link if it can be played, and a line about the song. */
function SongCell({ job }: { job: Job }) {
  const { t, format } = useWords()
  const service = job.ai_service === 'other' ? null : t.services[job.ai_service]
  const manner = `${t.genres[job.genre]}, ${t.tiers[job.tier].toLowerCase()}`
  return (
    <th scope="row" className="song-cell">
      <div className="clip">
        {hasMasters(job) ? (
          <a className="title" title={job.title} href={addressOf('listen', job.job_id)}>
            <bdi>{job.title}</bdi>
          </a>
        ) : (
          <b title={job.title}>
            <bdi>{job.title}</bdi>
          </b>
        )}
      </div>
      <div className="me clip">
        {[format.duration(job.duration_seconds), service, manner].filter(Boolean).join(' · ')}
      </div>
    </th>
  )
}

/** Remaining lifetime of the masters. */
function KeptFor({ job: { status, expired, expires_at } }: { job: Job }) {
  const { service } = useApp()
  const { t, format } = useWords()
  const noticeMs = useSelect(service.store, (state) => expiryNoticeMs(state.settings?.retention_days ?? null))
  if (status !== 'done') return '–'
  if (expired) return t.history.expired
  if (!expires_at) return t.history.forever
  const days = t.history.days(format.daysUntil(expires_at, new Date()))
  return Date.parse(expires_at) - Date.now() <= noticeMs ? <span className="c-warn">{days}</span> : days
}

/** Time a row must stay in view before its report is read, ms. */
const REST_MS = 250

/** Returns the loudness of the song before mastering, LUFS; undefined until it is read, null if unknown. */
function useLoudnessBefore(job: Job): number | null | undefined {
  const { history } = useApp()
  const lufs = useSelect(history.store, (state) => state.before[job.source_sha256])
  const isWanted = hasMasters(job) && lufs === undefined
  useEffect(() => {
    if (!isWanted) return
    const timer = setTimeout(() => void history.readBefore(job), REST_MS)
    return () => clearTimeout(timer)
  }, [history, isWanted, job])
  return lufs
}

function Verdict({ job }: { job: Job }) {
  const { t, say } = useWords()
  const small = { className: 'i s', 'aria-hidden': true } as const
  const below = job.results.filter((result) => result.verdict === 'below_target').length
  if (job.status === 'queued')
    return (
      <span className="row">
        <LoaderCircle {...small} />
        <span className="dim clip">
          {job.stage === 'waiting' ? t.row.queued : t.row.stages[job.stage ?? 'waiting']} {job.progress} %
        </span>
      </span>
    )
  if (job.status === 'failed') {
    const isCancelled = job.failure_code === 'CANCELLED'
    const text = isCancelled ? t.history.cancelled : t.history.failedFor(say(failureOf(job)), job.credits_refunded > 0)
    return (
      <span className={`row ${isCancelled ? 'faint' : 'c-bad'}`} title={text}>
        <CircleX {...small} />
        <span className="dim two-lines">{text}</span>
      </span>
    )
  }
  if (job.expired)
    return (
      <span className="row faint">
        <Clock {...small} />
        <span className="dim clip" title={t.history.expiredText}>
          {t.history.expiredText}
        </span>
      </span>
    )
  const made = job.results.length
  const costly = job.results.filter((result) => !isWithoutCost(result)).length
  const isClean = costly === 0
  const text =
    below > 0
      ? t.history.someBelow(made - below, below)
      : isClean
        ? t.history.onTarget(made)
        : t.history.someAtCost(made, costly)
  return (
    <span className={`row ${isClean ? 'c-ok' : 'c-warn'}`}>
      {isClean ? <Check {...small} /> : <TriangleAlert {...small} />}
      <span className="dim clip" title={text}>
        {text}
      </span>
    </span>
  )
}

/** The menu of one row, opened under its button. */
function JobMenu({ job, anchor, onClose }: { job: Job; anchor: HTMLElement; onClose: () => void }) {
  const { batch } = useApp()
  const { t } = useWords()
  const { canMasterAgain, masterAgain } = useMasterAgain(batch.fail)
  const actions = useJobActions()
  return (
    <MenuAt
      anchor={anchor}
      onClose={onClose}
      label={`${t.more}: ${job.title}`}
      items={[
        ...(hasMasters(job)
          ? [
              { text: t.row.listen, onChoose: () => go('listen', job.job_id) },
              { text: t.history.compareVersions, onChoose: () => go('listen', `${job.job_id}/compare`) },
              { text: t.row.saveZip, onChoose: () => actions.saveZips([job]) },
              ...job.platforms.map((platform) => ({
                text: t.row.saveMaster(t.platforms[platform]),
                onChoose: () => actions.saveMaster(job, platform),
              })),
              ...(window.loudsmith ? [{ text: t.row.reveal, onChoose: () => actions.reveal(job) }] : []),
              null,
            ]
          : []),
        ...(job.status === 'queued'
          ? [{ text: t.cancel, onChoose: () => actions.cancel(job) }]
          : [
              ...(canMasterAgain(job) ? [{ text: t.history.masterAgain, onChoose: () => masterAgain([job]) }] : []),
              { text: t.row.copyCurl, onChoose: () => actions.copyCurl(job) },
              null,
              { text: t.history.delete, isDanger: true, onChoose: () => actions.remove([job]) },
            ]),
      ]}
    />
  )
}
