/** All songs as a table: what was measured, what was found, and the state of each. */
import { useMemo } from 'react'
import type { MasterSettings } from '../../../src-contract/settings.ts'
import { BatchFailure } from '../../components/failure-strip.tsx'
import { SampleNote } from '../../components/sample-note.tsx'
import { useOneTabStop } from '../../components/use-one-tab-stop.ts'
import { isSampleName } from '../../sample-song/sample-song.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { isChangedSince, queuePlaces, type SongRow, titleOf } from '../../state/song-rows.ts'
import type { Forecast } from '../../state/time-left.ts'
import { useWords } from '../../text/context.tsx'
import { PlatformSwitch } from '../stage/version-switch.tsx'
import { BatchMenu, OrderMenu } from './list-menus.tsx'
import { PlaySong } from './play-song.tsx'
import { RowButtons } from './row-buttons.tsx'
import { RowStatus } from './row-status.tsx'
import { useTags } from './song-row.tsx'
import { useRowActions } from './use-row-actions.ts'

interface AllSongsProps {
  rows: readonly SongRow[]
  settings: MasterSettings
  forecast: Forecast
}

export function AllSongs({ rows, settings, forecast }: AllSongsProps) {
  const { batch } = useApp()
  const { t } = useWords()
  const actions = useRowActions()
  const isPaused = useSelect(batch.store, (state) => state.batch?.is_paused ?? false)
  const places = useMemo(() => queuePlaces(rows), [rows])
  const titles = useOneTabStop('.to-song', 'column')
  return (
    <section className="pane stagepane inset" aria-label={t.list.all} {...titles}>
      <header className="head">
        <h1 className="grow clip">{t.list.all}</h1>
        <span className="row narrow-menus">
          <OrderMenu rows={rows} />
          <BatchMenu rows={rows} />
        </span>
      </header>
      <PlatformSwitch settings={settings} />
      <BatchFailure />
      {rows.some((row) => isSampleName(row.song?.source.filename ?? row.upload?.filename)) && <SampleNote />}
      <table className="all-table">
        <thead>
          <tr>
            <th scope="col">
              <span className="vh">{t.transport.play}</span>
            </th>
            <th scope="col">{t.history.columns.song}</th>
            <th scope="col" className="r">
              LUFS
            </th>
            <th scope="col" className="r">
              dBTP
            </th>
            <th scope="col">{t.list.state}</th>
            <th scope="col">
              <span className="vh">{t.history.columns.actions}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line
              key={row.rowId}
              row={row}
              settings={settings}
              actions={actions}
              isPaused={isPaused}
              place={places[row.rowId]}
              startsInSeconds={forecast.starts[row.rowId] ?? null}
              leftSeconds={forecast.left[row.rowId] ?? null}
            />
          ))}
        </tbody>
      </table>
    </section>
  )
}

interface LineProps {
  row: SongRow
  settings: MasterSettings
  actions: ReturnType<typeof useRowActions>
  isPaused: boolean
  place: number | undefined
  startsInSeconds: number | null
  leftSeconds: number | null
}

function Line({ row, settings, actions, ...status }: LineProps) {
  const { batch } = useApp()
  const { t, format } = useWords()
  const title = titleOf(row)
  const found = row.song?.analysis
  const isChanged = isChangedSince(row, settings)
  const tags = useTags(row, false)
  return (
    <tr className={`song-line ${row.kind}`}>
      <td>
        <PlaySong look="play-line" row={row} title={title} />
      </td>
      <th scope="row">
        <button
          type="button"
          className="to-song clip"
          title={row.song?.source.filename ?? title}
          onClick={() => batch.select({ ids: [row.rowId], anchorId: row.rowId })}
        >
          <bdi>{title}</bdi>
        </button>
      </th>
      <td className="r">{found ? format.level(found.integrated_lufs) : ''}</td>
      <td className="r">{found ? format.level(found.true_peak_dbtp) : ''}</td>
      <td className="said">
        {isChanged ? (
          <b>{t.row.changedSince}</b>
        ) : row.kind === 'ready' ? (
          <div className="st">
            <b>{t.row.ready}</b>
            <span>{tags.join(' · ')}</span>
          </div>
        ) : (
          <RowStatus row={row} {...status} />
        )}
      </td>
      <td className="buttons">
        <RowButtons row={row} actions={actions} title={title} />
      </td>
    </tr>
  )
}
