/** The tracks of a release in order, edited as in a spreadsheet. */
import { Ellipsis, PanelRightOpen, Plus } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Job } from '../../../src-contract/jobs.ts'
import { MAX_RELEASE_TRACKS } from '../../../src-contract/limits.ts'
import type { Release, TrackChange } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { Menu, MenuAt, type MenuItem } from '../../components/dialogs.tsx'
import { useSize } from '../../components/frames.ts'
import { pickFiles } from '../../components/pick-files.ts'
import { Sheet } from '../../components/sheet/sheet.tsx'
import type { CellText, PastedCells } from '../../components/sheet/sheet-cells.ts'
import { partFrom } from '../../playback/release-item.ts'
import { go } from '../../router.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { fieldOf } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'
import { chooseTrack, openTrack, useSide } from './side.ts'
import { hiddenColumns, type TrackRow, trackChangeOf, trackColumns } from './track-columns.tsx'
import { useReleaseFiles } from './use-release-files.ts'

interface OpenMenu {
  readonly row: TrackRow
  readonly anchor: HTMLElement
}

export function TrackTable({ release }: { release: Release }) {
  const { releases } = useApp()
  const { t, format } = useWords()
  const { editor, uploads } = releases
  const byTrack = useSelect(uploads.store, (state) => state.byTrack)
  const refused = useSelect(editor.store, (state) => state.refused)
  const byId = useRunningJobs(release)
  const host = useRef<HTMLElement>(null)
  const [width] = useSize(host, [720, 0])
  const { trackId, part } = useSide()
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const rows = useRows(release, byTrack)
  const actions = useTrackActions(release)
  const hasMasters = release.tracks.some(({ master }) => master?.integrated_lufs !== undefined)
  const columns = useMemo(() => {
    const all = trackColumns({ t, format, hasMasters, jobs: byId }, (row) => (
      <RowButtons row={row} onMenu={(anchor) => setMenu({ row, anchor })} />
    ))
    const hidden = hiddenColumns(
      width,
      all.map(({ id }) => id),
    )
    return all.map((column) => (hidden.includes(column.id) ? { ...column, isHidden: true } : column))
  }, [t, format, hasMasters, byId, width])
  const hiddenNames = columns.flatMap(({ isHidden, label }) => (isHidden ? label : []))
  return (
    <section className="tracks" ref={host} aria-label={t.release.table.label}>
      <header className="row">
        <h2 className="sec">{t.release.tracks(release.tracks.length)}</h2>
        <p className="label grow clip" title={t.release.table.hint}>
          {hiddenNames.length > 0 ? t.release.table.inRow(hiddenNames.join(', ')) : t.release.table.hint}
        </p>
        <AddTracks release={release} />
      </header>
      {rows.length === 0 ? (
        <p className="no-tracks">{t.release.noTracks}</p>
      ) : (
        <Sheet
          label={t.release.table.label}
          columns={columns}
          rows={rows}
          idOf={({ track }) => track.track_id}
          faultOf={({ track }, columnId) => refused[fieldOf(track.track_id, columnId)]}
          onWrite={actions.write}
          onFurther={actions.addRows}
          onMove={actions.move}
          onHold={(isHeld) => editor.hold(isHeld)}
          onRemove={actions.remove}
          onActive={chooseTrack}
          activeId={part === 'track' ? (trackId ?? rows[0]?.track.track_id ?? null) : trackId}
        />
      )}
      {menu && (
        <MenuAt
          anchor={menu.anchor}
          label={menu.row.track.title}
          items={actions.menuOf(menu.row)}
          onClose={() => setMenu(null)}
        />
      )}
    </section>
  )
}

/** The buttons for the fields of a track in the side column, and for its menu. */
function RowButtons({ row: { track }, onMenu }: { row: TrackRow; onMenu: (anchor: HTMLElement) => void }) {
  const { t } = useWords()
  const open = t.release.table.open(track.title)
  return (
    <>
      <button
        type="button"
        className="btn quiet icon sm"
        tabIndex={-1}
        aria-label={open}
        title={open}
        onClick={() => openTrack(track.track_id)}
      >
        <PanelRightOpen className="i s" aria-hidden="true" />
      </button>
      <MoreButton label={`${t.more}: ${track.title}`} onOpen={onMenu} />
    </>
  )
}

/** Returns the running jobs of the tracks, for their stages; the same object while none changes. */
function useRunningJobs({ tracks }: Release): Readonly<Record<string, Job>> {
  const { jobs } = useApp()
  const byId = useSelect(jobs.store, (state) => state.byId)
  const ids = tracks.flatMap(({ master, job_id }) => master?.job_id ?? job_id ?? [])
  const key = ids.join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same jobs are read once
  useEffect(() => void jobs.readMissing(ids).catch(() => undefined), [jobs, key])
  const running = ids.flatMap((id) => (byId[id]?.status === 'queued' ? byId[id] : []))
  const shown = running.map(({ job_id, stage, progress }) => `${job_id} ${stage} ${progress}`).join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the columns change with what is shown of the jobs alone
  return useMemo(() => Object.fromEntries(running.map((job) => [job.job_id, job])), [shown])
}

function MoreButton({ label, onOpen }: { label: string; onOpen: (anchor: HTMLElement) => void }) {
  return (
    <button
      type="button"
      className="btn quiet icon sm"
      tabIndex={-1}
      aria-label={label}
      aria-haspopup="menu"
      onClick={(event) => onOpen(event.currentTarget)}
    >
      <Ellipsis className="i s" aria-hidden="true" />
    </button>
  )
}

/** Returns the rows; a row with the same track and upload stays the same object. */
function useRows(release: Release, byTrack: Readonly<Record<string, TrackRow['upload']>>): readonly TrackRow[] {
  const known = useRef(new Map<string, TrackRow>())
  return useMemo(() => {
    const rows = release.tracks.map((track): TrackRow => {
      const upload = byTrack[track.track_id]
      const before = known.current.get(track.track_id)
      return before?.track === track && before.upload === upload ? before : { track, upload }
    })
    known.current = new Map(rows.map((row) => [row.track.track_id, row]))
    return rows
  }, [release.tracks, byTrack])
}

function useTrackActions(release: Release) {
  const { releases, notices, playback } = useApp()
  const { t } = useWords()
  const { editor, uploads } = releases
  const { tracks } = release
  const titleOf = (trackId: string) => tracks.find(({ track_id }) => track_id === trackId)?.title ?? ''
  const remove = (trackIds: readonly string[]) => {
    const text =
      trackIds.length === 1 ? t.release.removed(titleOf(trackIds[0]!)) : t.release.removedMany(trackIds.length)
    for (const trackId of trackIds) uploads.drop(trackId)
    const step = editor.remove(trackIds)
    if (step) notices.show({ text, undo: () => editor.edits.undoOne(step) })
  }
  return {
    remove,
    write(cells: readonly CellText[]) {
      const changes = cells.flatMap(({ rowId, columnId, text }) => {
        const change = trackChangeOf(columnId, text)
        return change ? [[rowId, change] as const] : []
      })
      editor.changeAll(changes)
    },
    move(trackId: string, by: number) {
      editor.move(trackId, by)
      const place = editor.store.getState().shown?.tracks.findIndex(({ track_id }) => track_id === trackId) ?? 0
      notices.announce(t.release.table.moved(titleOf(trackId), place + 1))
    },
    addRows(rows: PastedCells['further']) {
      const free = Math.max(0, MAX_RELEASE_TRACKS - tracks.length)
      const changes = rows.slice(0, free).map((texts, at): TrackChange => {
        const members = Object.entries(texts).map(([columnId, text]) => trackChangeOf(columnId, text))
        const change: TrackChange = Object.assign({}, ...members)
        return { ...change, title: change.title || t.release.newTrack(tracks.length + at + 1) }
      })
      if (changes.length > 0) void editor.add(changes)
      if (rows.length > free) notices.show({ text: t.release.table.limit(MAX_RELEASE_TRACKS) })
    },
    menuOf({ track, upload }: TrackRow): (MenuItem | null)[] {
      const trackId = track.track_id
      const hasSong = track.state !== 'no_song' && track.state !== 'gone'
      const jobId = track.job_id
      return [
        ...(upload?.state === 'refused' ? [{ text: t.retry, onChoose: () => uploads.again(trackId) }] : []),
        ...(hasSong
          ? [{ text: t.release.transport.playFrom, onChoose: () => void playback.playPart(partFrom(trackId)) }]
          : []),
        ...(jobId && track.state === 'done' ? [{ text: t.release.listen, onChoose: () => go('listen', jobId) }] : []),
        {
          text: hasSong ? t.release.replaceSong : t.release.chooseSong,
          onChoose: () =>
            void pickFiles(false).then(([file]) => file && uploads.add(release.release_id, trackId, { file })),
        },
        null,
        { text: t.release.removeTrack, isDanger: true, onChoose: () => remove([trackId]) },
      ]
    },
  }
}

function AddTracks({ release }: { release: Release }) {
  const { releases } = useApp()
  const { t } = useWords()
  const add = useReleaseFiles()
  const items: MenuItem[] = [
    { text: t.release.addSongs, onChoose: () => void pickFiles(true).then((files) => add(files, '')) },
    {
      text: t.release.addEmpty,
      onChoose: () => void releases.editor.add([{ title: t.release.newTrack(release.tracks.length + 1) }]),
    },
  ]
  return (
    <Menu
      label={t.release.add}
      items={items}
      trigger={
        <Button small icon={<Plus className="i s" aria-hidden="true" />}>
          {t.release.add}
        </Button>
      }
    />
  )
}
