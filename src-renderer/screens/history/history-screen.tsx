/** History: every song that was mastered, searched, grouped, selected. */
import { ListFilter, Search } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { BatchFailure, FailureStrip } from '../../components/failure-strip.tsx'
import { isCovered, isTyping } from '../../components/is-typing.ts'
import { addressOf, go } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { groupsOf } from '../../state/history.ts'
import { useWords } from '../../text/context.tsx'
import { HistoryActionBar } from './history-action-bar.tsx'
import { HistoryTable, type Line } from './history-table.tsx'

const TYPING_MS = 160

export default function HistoryScreen({ isSearching }: { isSearching: boolean }) {
  const { history, jobs, notices } = useApp()
  const { t, format } = useWords()
  const { filter, ids, total, isGrouped, hidden, isReading, hasRead, failure, nextCursor } = useSelect(
    history.store,
    (state) => state,
  )
  const refusal = useSelect(history.store, (state) => state.refusal)
  const byId = useSelect(jobs.store, (state) => state.byId)
  useEffect(() => void history.read(), [history])

  const shown = useMemo(() => ids.flatMap((id) => (byId[id] && !hidden[id] ? [byId[id]] : [])), [ids, byId, hidden])
  const count = total - useMemo(() => ids.filter((id) => hidden[id]).length, [ids, hidden])
  const isFiltered = filter.q !== '' || filter.status !== undefined || filter.platform !== undefined
  const lines = useMemo((): Line[] => {
    const single = shown.map((job) => ({ kind: 'job' as const, job }))
    if (!isGrouped || filter.sort === 'title') return single
    const dayOf = (iso: string) => new Date(iso).toDateString()
    return groupsOf(shown, { dayOf, isFiltered, hasMore: nextCursor !== null }).flatMap((group) => [
      { kind: 'group' as const, group },
      ...group.jobs.map((job) => ({ kind: 'job' as const, job })),
    ])
  }, [shown, isGrouped, filter.sort, isFiltered, nextCursor])
  // Screen readers are told the length of the list once it has changed.
  const spoken = useRef(filter)
  useEffect(() => {
    if (isReading || failure || spoken.current === filter) return
    spoken.current = filter
    notices.announce(total > 0 ? t.history.shown(total) : t.history.noMatch)
  }, [filter, isReading, failure, total, notices, t])
  const isEmpty = (hasRead || failure) && shown.length === 0

  return (
    <>
      <main id="content" className="work history" tabIndex={-1}>
        <div className="pane">
          <div className="head">
            <h1 className="grow">{t.screens.history}</h1>
            <div className="tools">
              <SearchField isFocused={isSearching} />
              <Segmented
                label={t.history.show}
                className="fit"
                value={filter.status ?? 'all'}
                options={[
                  { value: 'all', text: t.history.all(isFiltered || !hasRead ? '' : format.count(count)) },
                  { value: 'done', text: t.history.done },
                  { value: 'failed', text: t.history.failed },
                  { value: 'queued', text: t.history.running },
                  { value: 'expired', text: t.history.expiredJobs },
                ]}
                onChoose={(value) => history.filter({ status: value === 'all' ? undefined : value })}
              />
              <Menu
                label={t.history.group}
                items={[
                  ...(['newest', 'oldest', 'title'] as const).map((sort) => ({
                    text: t.history.sorts[sort],
                    isChosen: filter.sort === sort,
                    onChoose: () => history.filter({ sort }),
                  })),
                  null,
                  { text: t.history.group, isChosen: isGrouped, onChoose: () => history.group(!isGrouped) },
                  null,
                  {
                    text: t.history.anyPlatform,
                    isChosen: filter.platform === undefined,
                    onChoose: () => history.filter({ platform: undefined }),
                  },
                  ...PLATFORMS.map((platform) => ({
                    text: t.platforms[platform],
                    isChosen: filter.platform === platform,
                    onChoose: () => history.filter({ platform }),
                  })),
                ]}
                trigger={
                  <Button icon={<ListFilter className="i s" aria-hidden="true" />}>
                    {filter.platform ? t.platforms[filter.platform] : t.history.sorts[filter.sort]}
                  </Button>
                }
              />
            </div>
          </div>
          {refusal && (
            <FailureStrip head={t.history.notDeleted(refusal.count)} refusal={refusal} onClose={history.clearRefusal} />
          )}
          <BatchFailure />
          {isEmpty ? (
            <div className="empty">
              <p role={failure ? 'alert' : undefined}>
                {failure
                  ? failure.code === 'UNREACHABLE'
                    ? t.lost
                    : t.history.unread
                  : isFiltered
                    ? t.history.noMatch
                    : t.history.empty}
              </p>
              {failure ? (
                <Button onClick={() => void history.read()}>{t.history.readAgain}</Button>
              ) : isFiltered ? (
                <Button onClick={() => history.filter({ q: '', status: undefined, platform: undefined })}>
                  {t.history.clearSearch}
                </Button>
              ) : (
                <Button onClick={() => go('master')}>{t.history.emptyAction}</Button>
              )}
            </div>
          ) : (
            hasRead && <HistoryTable lines={lines} shown={shown} />
          )}
        </div>
      </main>
      <HistoryActionBar />
    </>
  )
}

/** Searches as one types, not in the middle of a syllable. `/` comes here, Escape empties and leaves. */
function SearchField({ isFocused }: { isFocused: boolean }) {
  const { history } = useApp()
  const { t } = useWords()
  const q = useSelect(history.store, (state) => state.filter.q)
  const [text, setText] = useState(q)
  const [isComposing, setComposing] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => setText(q), [q])
  useEffect(() => {
    if (!isFocused) return
    field.current?.focus()
    // The address has done its work: asked for again, it is another one.
    location.replace(addressOf('history'))
  }, [isFocused])
  useEffect(() => {
    if (isComposing || text === q) return
    const timer = setTimeout(() => history.filter({ q: text }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, q, isComposing, history])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || isTyping(event) || isCovered() || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <label className="input search">
      <Search className="i s" aria-hidden="true" />
      <input
        ref={field}
        value={text}
        placeholder={t.history.search}
        aria-label={t.history.searchLabel}
        onChange={(event) => setText(event.target.value)}
        onCompositionStart={() => setComposing(true)}
        onCompositionEnd={() => setComposing(false)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return
          if (text) setText('')
          else event.currentTarget.blur()
        }}
      />
      <kbd>/</kbd>
    </label>
  )
}
