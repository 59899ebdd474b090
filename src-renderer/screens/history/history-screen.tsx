/** History: every mastered song, with search, groups and selection. */
import { useEffect, useMemo, useRef } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import { Button } from '../../components/button.tsx'
import { BatchFailure, FailureStrip } from '../../components/failure-strip.tsx'
import { go } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { groupsOf, isNarrowed } from '../../state/history.ts'
import { useWords } from '../../text/context.tsx'
import { ExpiringStrip } from './expiring-strip.tsx'
import { HistoryActionBar } from './history-action-bar.tsx'
import { HistoryTable, type Line } from './history-table.tsx'
import { HistoryTools } from './history-tools.tsx'
import './history.css'

export default function HistoryScreen({ isSearching }: { isSearching: boolean }) {
  const { history } = useApp()
  const { t } = useWords()
  const { hasRead, failure, refusal } = useSelect(history.store, (state) => state)
  useEffect(() => void history.read(), [history])
  const shown = useShownJobs()
  const lines = useLines(shown)
  useSpokenCount()
  const isEmpty = (hasRead || failure) && shown.length === 0
  return (
    <>
      <main id="content" className="work history" tabIndex={-1}>
        <div className="pane stack">
          <div className="head">
            <h1 className="grow">{t.screens.history}</h1>
            <HistoryTools isSearching={isSearching} />
          </div>
          {refusal && (
            <FailureStrip
              head={t.history.notDeleted(refusal.count)}
              refusal={refusal}
              onClose={() => history.clearRefusal()}
            />
          )}
          <ExpiringStrip />
          <BatchFailure />
          {isEmpty ? <NoJobs /> : hasRead && <HistoryTable lines={lines} shown={shown} />}
        </div>
      </main>
      <HistoryActionBar />
    </>
  )
}

/** Returns the loaded jobs except those being deleted. */
function useShownJobs(): readonly Job[] {
  const { history, jobs } = useApp()
  const ids = useSelect(history.store, (state) => state.ids)
  const hidden = useSelect(history.store, (state) => state.hidden)
  const byId = useSelect(jobs.store, (state) => state.byId)
  return useMemo(() => ids.flatMap((id) => (hidden[id] ? [] : (byId[id] ?? []))), [ids, byId, hidden])
}

/** Returns the lines of the table: jobs, with a head before each group. A list by title has no groups. */
function useLines(shown: readonly Job[]): readonly Line[] {
  const { filter, isGrouped, nextCursor } = useSelect(useApp().history.store, (state) => state)
  return useMemo(() => {
    const lineOf = (job: Job) => ({ kind: 'job' as const, job })
    if (!isGrouped || filter.sort === 'title') return shown.map(lineOf)
    const dayOf = (iso: string) => new Date(iso).toDateString()
    const options = { dayOf, isFiltered: isNarrowed(filter), hasMore: nextCursor !== null }
    return groupsOf(shown, options).flatMap((group) => [{ kind: 'group' as const, group }, ...group.jobs.map(lineOf)])
  }, [shown, isGrouped, filter, nextCursor])
}

/** Tells screen readers the length of the list after its filter has changed. */
function useSpokenCount(): void {
  const { history, notices } = useApp()
  const { t } = useWords()
  const { filter, total, isReading, failure } = useSelect(history.store, (state) => state)
  const spoken = useRef(filter)
  useEffect(() => {
    if (isReading || failure || spoken.current === filter) return
    spoken.current = filter
    notices.announce(total > 0 ? t.history.shown(total) : t.history.noMatch)
  }, [filter, isReading, failure, total, notices, t])
}

/** The reason why the list is empty, and a button that helps. */
function NoJobs() {
  const { history } = useApp()
  const { t } = useWords()
  const { filter, failure } = useSelect(history.store, (state) => state)
  if (failure)
    return (
      <div className="empty">
        <p role="alert">{failure.code === 'UNREACHABLE' ? t.lost : t.history.unread}</p>
        <Button onClick={() => void history.read()}>{t.history.readAgain}</Button>
      </div>
    )
  if (isNarrowed(filter))
    return (
      <div className="empty">
        <p>{t.history.noMatch}</p>
        <Button onClick={() => history.filter({ q: '', status: undefined, platform: undefined })}>
          {t.history.clearSearch}
        </Button>
      </div>
    )
  return (
    <div className="empty">
      <p>{t.history.empty}</p>
      <Button onClick={() => go('master')}>{t.history.emptyAction}</Button>
    </div>
  )
}
