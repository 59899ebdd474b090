/** The action bar of History: the selection and its actions, and the use of the disk. */
import { CircleX, Disc3, Download, GitCompareArrows, RotateCcw, Trash2 } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import { Button } from '../../components/button.tsx'
import { Modal } from '../../components/dialogs.tsx'
import { isCovered, isDelete, isTyping } from '../../components/is-typing.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type Refusal, refusalOf } from '../../state/refusal.ts'
import { useWords } from '../../text/context.tsx'
import { useMasterAgain } from '../use-master-again.ts'
import { useReleaseOfJobs } from '../use-release-of.ts'
import { useJobActions } from './use-job-actions.ts'

const glyph = { className: 'i s', 'aria-hidden': true } as const

export function HistoryActionBar() {
  const { service } = useApp()
  const [isFreeing, setFreeing] = useState(false)
  useEffect(() => void service.readMachine().catch(() => undefined), [service])
  return (
    <footer className="action-bar">
      <SelectionActions />
      <span className="grow" />
      <DiskUse onFree={() => setFreeing(true)} />
      {isFreeing && <FreeDisk onClose={() => setFreeing(false)} />}
    </footer>
  )
}

/** The number of selected songs and their actions; renders nothing without a selection. */
function SelectionActions() {
  const { batch } = useApp()
  const { t } = useWords()
  const { canMasterAgain, masterAgain, isBusy } = useMasterAgain(batch.fail)
  const actions = useJobActions()
  const makeRelease = useReleaseOfJobs()
  const selected = useSelectedJobs()
  const saveable = selected.filter((job) => job.status === 'done' && !job.expired)
  const ended = selected.filter((job) => job.status !== 'queued')
  const repeatable = ended.filter(canMasterAgain)
  useSelectionKeys(selected, ended, actions.remove)
  /** Count in a button's label; null if it applies to the only selected song. */
  const countOf = (list: readonly Job[]) => (selected.length === 1 ? null : list.length)
  if (selected.length === 0) return null
  return (
    <>
      <b>{t.history.selected(selected.length)}</b>
      {saveable.length > 0 && (
        <Button icon={<Download {...glyph} />} onClick={() => void actions.saveZips(saveable)}>
          {t.history.saveSelected(countOf(saveable))}
        </Button>
      )}
      {saveable.length === 2 && (
        <Button
          look="quiet"
          icon={<GitCompareArrows {...glyph} />}
          whyNot={saveable[0]?.source_sha256 !== saveable[1]?.source_sha256 && t.history.notOneSong}
          onClick={() => actions.compare(saveable)}
        >
          {t.history.compare}
        </Button>
      )}
      {repeatable.length > 0 && (
        <Button
          look="quiet"
          icon={<RotateCcw {...glyph} />}
          busyText={isBusy && t.loading}
          onClick={() => masterAgain(repeatable)}
        >
          {t.history.masterAgainSelected(countOf(repeatable))}
        </Button>
      )}
      {saveable.length > 0 && (
        <Button look="quiet" icon={<Disc3 {...glyph} />} onClick={() => makeRelease(saveable)}>
          {t.release.makeOfCount(saveable.length)}
        </Button>
      )}
      {ended.length > 0 && (
        <Button look="danger" icon={<Trash2 {...glyph} />} onClick={() => actions.remove(ended)}>
          {t.history.deleteSelected(countOf(ended))}
        </Button>
      )}
    </>
  )
}

function useSelectedJobs(): readonly Job[] {
  const { history, jobs } = useApp()
  const selectedIds = useSelect(history.store, (state) => state.selected)
  const byId = useSelect(jobs.store, (state) => state.byId)
  return useMemo(() => Object.keys(selectedIds).flatMap((id) => byId[id] ?? []), [selectedIds, byId])
}

/** Keys of the selection: Delete removes its ended jobs, Escape clears it. */
function useSelectionKeys(
  selected: readonly Job[],
  ended: readonly Job[],
  remove: (jobs: readonly Job[]) => void,
): void {
  const { history } = useApp()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.defaultPrevented || isCovered()) return
      if (isDelete(event) && ended.length > 0) remove(ended)
      else if (event.key === 'Escape' && selected.length > 0)
        history.select(
          selected.map((job) => job.job_id),
          false,
        )
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [history, selected, ended, remove])
}

function DiskUse({ onFree }: { onFree: () => void }) {
  const { service } = useApp()
  const { t, format } = useWords()
  const system = useSelect(service.store, (state) => state.system)
  const quota = useSelect(service.store, (state) => state.settings?.disk_quota_bytes)
  if (!system) return null
  const all = quota ?? system.used_bytes + system.free_bytes
  const share = Math.min(100, (100 * system.used_bytes) / Math.max(1, all))
  return (
    <>
      <div
        className="disk lg"
        role="img"
        aria-label={t.history.diskLabel(format.bytes(system.used_bytes), format.bytes(system.free_bytes))}
      >
        <i style={{ width: `${share}%` }} />
        <i />
      </div>
      <span className="dim lg">{t.history.disk(format.bytes(system.used_bytes), format.bytes(all))}</span>
      <Button onClick={onFree}>{t.history.free}</Button>
    </>
  )
}

const AGES_DAYS = [30, 7, 0] as const
const DAY_MS = 86_400_000

/** A dialog that deletes finished songs by their age. It cannot be undone, so the button says how many songs it deletes. */
function FreeDisk({ onClose }: { onClose: () => void }) {
  const { history, service } = useApp()
  const { t, format, say } = useWords()
  const [found, setFound] = useState<readonly Job[] | null>(null)
  const [days, setDays] = useState<number>(30)
  const [deleted, setDeleted] = useState<number | null>(null)
  const [failure, setFailure] = useState<Refusal | null>(null)
  useEffect(() => {
    history.findEnded(new Date()).then(setFound, (error: unknown) => setFailure(refusalOf(error)))
  }, [history])
  const of = (age: number) => (found ?? []).filter((job) => Date.parse(job.created_at) < Date.now() - age * DAY_MS)
  const size = (list: readonly Job[]) =>
    format.bytes(list.reduce((sum, job) => sum + (job.download_size_bytes ?? 0), 0))
  const chosen = of(days)
  const run = async () => {
    setDeleted(0)
    await history.deleteAll(
      chosen.map((job) => job.job_id),
      setDeleted,
    )
    await service.readMachine().catch(() => undefined)
    onClose()
  }
  return (
    <Modal title={t.history.freeTitle} description={t.history.freeText} isOpen onClose={onClose}>
      <fieldset className="options">
        <legend className="vh">{t.history.freeTitle}</legend>
        {AGES_DAYS.map((age) => (
          <label key={age} className="row option">
            <input type="radio" name="age" checked={days === age} onChange={() => setDays(age)} />
            <span className="grow">{age > 0 ? t.history.freeOlder(age) : t.history.freeAll}</span>
            <span className="dim">
              {found ? t.history.freeCount(of(age).length, size(of(age))) : failure ? '–' : t.loading}
            </span>
          </label>
        ))}
      </fieldset>
      {failure && (
        <p className="problem" role="alert">
          <CircleX {...glyph} />
          <span>{say(failure)}</span>
        </p>
      )}
      <div className="row end">
        <Button look="quiet" onClick={onClose}>
          {t.cancel}
        </Button>
        <Button
          look="danger"
          whyNot={chosen.length === 0 && (failure ? say(failure) : t.history.noMatch)}
          busyText={deleted !== null && t.history.freeing(deleted, chosen.length)}
          onClick={() => void run()}
        >
          {t.history.freeDo(chosen.length)}
        </Button>
      </div>
    </Modal>
  )
}
