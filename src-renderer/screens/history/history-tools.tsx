/** Tools above the list of History: search, status, order, grouping and platform. */
import { ListFilter, Search } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { PLATFORMS } from '../../../src-contract/platforms/index.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { isCovered, isTyping } from '../../components/is-typing.ts'
import { addressOf } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { isNarrowed } from '../../state/history.ts'
import { useWords } from '../../text/context.tsx'

/** Pause in typing before the search starts, ms. */
const TYPING_MS = 160

export function HistoryTools({ isSearching }: { isSearching: boolean }) {
  return (
    <div className="row tools">
      <SearchField isFocused={isSearching} />
      <StatusChoice />
      <ListMenu />
    </div>
  )
}

/** The choice of a status. The number of all jobs is shown while no filter is set. */
function StatusChoice() {
  const { history } = useApp()
  const { t, format } = useWords()
  const { filter, ids, total, hidden, hasRead } = useSelect(history.store, (state) => state)
  const count = total - useMemo(() => ids.filter((id) => hidden[id]).length, [ids, hidden])
  return (
    <Segmented
      label={t.history.show}
      className="fit"
      value={filter.status ?? 'all'}
      options={[
        { value: 'all', text: t.history.all(isNarrowed(filter) || !hasRead ? '' : format.count(count)) },
        { value: 'done', text: t.history.done },
        { value: 'failed', text: t.history.failed },
        { value: 'queued', text: t.history.running },
        { value: 'expired', text: t.history.expiredJobs },
      ]}
      onChoose={(value) => history.filter({ status: value === 'all' ? undefined : value })}
    />
  )
}

/** The menu of order, grouping and platform. */
function ListMenu() {
  const { history } = useApp()
  const { t } = useWords()
  const filter = useSelect(history.store, (state) => state.filter)
  const isGrouped = useSelect(history.store, (state) => state.isGrouped)
  const sorts = (['newest', 'oldest', 'title'] as const).map((sort) => ({
    text: t.history.sorts[sort],
    isChosen: filter.sort === sort,
    onChoose: () => history.filter({ sort }),
  }))
  const platforms = [undefined, ...PLATFORMS].map((platform) => ({
    text: platform ? t.platforms[platform] : t.history.anyPlatform,
    isChosen: filter.platform === platform,
    onChoose: () => history.filter({ platform }),
  }))
  const grouping = { text: t.history.group, isChosen: isGrouped, onChoose: () => history.group(!isGrouped) }
  return (
    <Menu
      label={t.history.group}
      items={[...sorts, null, grouping, null, ...platforms]}
      trigger={
        <Button icon={<ListFilter className="i s" aria-hidden="true" />}>
          {filter.platform ? t.platforms[filter.platform] : t.history.sorts[filter.sort]}
        </Button>
      }
    />
  )
}

/**
 * Searches while the user types, except within a syllable. The key `/` focuses it; Escape clears it, then leaves it.
 */
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
    // Removed from the address once applied, so that the same link works again.
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
