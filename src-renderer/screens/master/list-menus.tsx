/** Menus of the list of songs: its order, and actions on all songs. */
import { ArrowUpDown, Ellipsis } from 'lucide-react'
import { MAX_RELEASE_TRACKS } from '../../../src-contract/limits.ts'
import { Button } from '../../components/button.tsx'
import { Menu, type MenuItem } from '../../components/dialogs.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { SORTS } from '../../state/batch-state.ts'
import { type SongRow, titleOf } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import { useReleaseOfSongs } from '../use-release-of.ts'
import { isStarted, useRowActions } from './use-row-actions.ts'

export function OrderMenu({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { t, language } = useWords()
  const chosen = useSelect(batch.store, (state) => state.sort)
  const added = (row: SongRow) => row.song?.source.created_at ?? '9'
  const length = (row: SongRow) => row.song?.source.duration_seconds ?? 0
  const orders = {
    added: (a: SongRow, b: SongRow) => added(a).localeCompare(added(b)),
    title: (a: SongRow, b: SongRow) => titleOf(a).localeCompare(titleOf(b), language, { numeric: true }),
    length: (a: SongRow, b: SongRow) => length(a) - length(b),
  }
  const texts = { added: t.list.order, title: t.list.orderTitle, length: t.list.orderLength }
  const items = SORTS.map((sort) => ({
    text: texts[sort],
    isChosen: sort === chosen,
    onChoose: () =>
      batch.arrange(
        [...rows].sort(orders[sort]).map((row) => row.rowId),
        sort,
      ),
  }))
  return (
    <Menu
      label={t.list.orderMenu}
      items={items}
      trigger={
        <Button
          look="quiet"
          small
          icon={<ArrowUpDown className="i s" aria-hidden="true" />}
          aria-label={[t.list.orderMenu, chosen && texts[chosen]].filter(Boolean).join(': ')}
        >
          <span className="lg">{chosen ? texts[chosen] : t.list.orderMenu}</span>
        </Button>
      }
    />
  )
}

/** Actions on several songs at once. */
export function BatchMenu({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { saveZips, canRetry, retry } = useRowActions()
  const { t } = useWords()
  const of = (...kinds: SongRow['kind'][]) => rows.filter((row) => kinds.includes(row.kind))
  const ids = (list: readonly SongRow[]) => list.map((row) => row.rowId)
  const ended = of('done', 'below', 'failed', 'cancelled', 'refused')
  const repeatable = of('failed', 'cancelled', 'refused').filter(canRetry)
  const made = of('done', 'below').filter((row) => !row.job?.expired)
  const makeRelease = useReleaseOfSongs()
  const selectedIds = useSelect(batch.store, (state) => state.selection.ids)
  const meant = selectedIds.length > 1 ? rows.filter((row) => selectedIds.includes(row.rowId)) : rows
  const songs = meant.flatMap((row) => row.song ?? []).slice(0, MAX_RELEASE_TRACKS)
  const warned = ids(of('warning'))
  const repeated = ids(of('repeated'))
  const refused = ids(of('refused'))
  const remove = (text: string, gone: readonly string[]) => ({
    text,
    onChoose: () => batch.remove(gone, t.list.removedMany(gone.length)),
  })
  const some: MenuItem[] = [
    ...(repeated.length > 1 ? [remove(t.list.removeRepeated(repeated.length), repeated)] : []),
    ...(refused.length > 0 ? [remove(t.list.removeRefused(refused.length), refused)] : []),
    ...(warned.length > 1
      ? [{ text: t.list.acceptAll(warned.length), onChoose: () => batch.marks.accept(warned) }]
      : []),
    ...(songs.length > 0
      ? [{ text: t.release.makeOfCount(songs.length), onChoose: () => void makeRelease(songs) }]
      : []),
    ...(repeatable.length > 0
      ? [
          {
            text: t.list.retry(repeatable.length, repeatable.filter(isStarted).length),
            onChoose: () => retry(repeatable),
          },
        ]
      : []),
    ...(made.length > 0
      ? [
          {
            text: t.list.saveAll,
            onChoose: () => void saveZips(made),
          },
        ]
      : []),
    ...(ended.length > 0
      ? [{ text: t.list.clearEnded, onChoose: () => batch.remove(ids(ended), t.list.removedMany(ended.length)) }]
      : []),
  ]
  const items: (MenuItem | null)[] = [
    ...some,
    ...(some.length > 0 ? [null] : []),
    {
      text: t.list.removeAll,
      isDanger: true,
      onChoose: () => batch.remove(ids(rows), t.list.removedMany(rows.length)),
    },
  ]
  return (
    <Menu
      label={t.list.batchActions}
      items={items}
      trigger={
        <Button look="quiet" small label={t.list.batchActions} icon={<Ellipsis className="i s" aria-hidden="true" />} />
      }
    />
  )
}
