/** The Master screen: drop, choose, see, start. */
import { FolderOpen, Upload } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import { deliveryTarget } from '../../../src-contract/delivery-target.ts'
import { PLATFORMS, type Platform } from '../../../src-contract/platforms/index.ts'
import { unbroken } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { BatchFailure } from '../../components/failure-strip.tsx'
import { pickFiles } from '../../components/pick-files.ts'
import { PlatformCell } from '../../components/platform-cell.tsx'
import { SampleNote } from '../../components/sample-note.tsx'
import { isSampleName } from '../../sample-song/sample-song.ts'
import { useApp, useSelect } from '../../state/app-state.ts'
import { failureOf } from '../../state/refusal.ts'
import { refusalOfRow, type SongRow, tallyOf, titleOf } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import { ActionBar } from './action-bar.tsx'
import { FirstRun } from './first-run.tsx'
import { SongList } from './song-list.tsx'
import { useSlots } from './sound/slot-switch.tsx'
import { SoundColumn } from './sound/sound-column.tsx'
import { useTransportSong } from './transport-song.ts'
import { useForecast, useRows, useScope } from './use-batch.ts'
import type { DropState } from './use-drop.ts'
import { useMasterKeys } from './use-master-keys.ts'
import { useStart } from './use-start.ts'

interface MasterScreenProps {
  /** Files dragged over the window, and the result of the drop. */
  drop: DropState
  onFiles: (files: readonly File[]) => void
}

export function MasterScreen({ drop, onFiles }: MasterScreenProps) {
  const { batch } = useApp()
  const { t } = useWords()
  const rows = useRows()
  const hasRead = useSelect(batch.store, (state) => state.batch !== null)
  const choose = useCallback(() => void pickFiles(true).then(onFiles), [onFiles])
  const start = useStart(rows)
  const { press } = start
  const forecast = useForecast(rows)
  const song = useTransportSong(rows)
  const { recall, store } = useSlots()
  useMasterKeys({
    ...{ rows, song: song?.item ?? null, onChoose: choose, onStart: press },
    onSlot: (slot, isToKeep) => (isToKeep ? store(slot) : recall(slot)),
  })
  useSilenceBeyond()
  useSpokenProgress(rows)
  useEffect(() => window.loudsmith?.onMenuCommand((command) => command === 'start' && press()), [press])

  if (hasRead && rows.length === 0)
    return <FirstRun isOver={drop.over !== null} note={noteOf(drop, t.drop)} onChoose={choose} onFiles={onFiles} />
  return (
    <>
      <main id="content" className="work split master" tabIndex={-1}>
        <div className="pane">
          <h1 className="vh">{t.screens.master}</h1>
          <DropStrip drop={drop} onChoose={choose} />
          <PlatformCells />
          <BatchFailure />
          {rows.some((row) => isSampleName(row.song?.source.filename ?? row.upload?.filename)) && <SampleNote />}
          {hasRead && <SongList rows={rows} forecast={forecast} />}
        </div>
        <SoundColumn rows={rows} />
      </main>
      <ActionBar rows={rows} song={song} start={start} forecast={forecast} />
    </>
  )
}

type DropText = ReturnType<typeof useWords>['t']['drop']

/** Returns the message that replaces the limits in the drop area; null without one. */
function noteOf(drop: DropState, t: DropText): string | null {
  if (drop.found !== null) return t.readingFolders(drop.found)
  if (drop.over && drop.over.readable < drop.over.all)
    return drop.over.readable === 0 ? t.overNone : t.overSome(drop.over.readable, drop.over.all)
  if (drop.over) return t.over(drop.over.all)
  return drop.wasEmpty ? t.nothingFound : null
}

function DropStrip({ drop, onChoose }: { drop: DropState; onChoose: () => void }) {
  const { t } = useWords()
  const { notices } = useApp()
  const note = noteOf(drop, t.drop)
  return (
    <fieldset className={`drop ${drop.over ? 'is-over' : ''}`} aria-label={t.drop.label}>
      <Upload className="i" aria-hidden="true" />
      <p className="grow clip">
        <b>{note ?? t.drop.anywhere}</b> {!note && <span className="faint">{unbroken(t.drop.limits)}</span>}
      </p>
      <Button look="quiet" className="lg" onClick={() => notices.show({ text: t.drop.pasteHint })}>
        {t.drop.paste}
      </Button>
      <Button icon={<FolderOpen className="i" aria-hidden="true" />} onClick={onChoose}>
        {t.drop.choose}
      </Button>
    </fieldset>
  )
}

function PlatformCells() {
  const { t, format } = useWords()
  const { notices } = useApp()
  const { settings, change } = useScope()
  if (!settings) return <div className="plats" />
  const toggle = (platform: Platform) => {
    const isOn = settings.platforms.includes(platform)
    const next = PLATFORMS.filter((one) => (one === platform ? !isOn : settings.platforms.includes(one)))
    if (next.length > 0) change({ platforms: next })
    else notices.show({ text: t.settings.onePlatform })
  }
  return (
    <fieldset className="plats" aria-label={t.platformsLabel}>
      {PLATFORMS.map((platform) => {
        const target = deliveryTarget(platform, settings.genre, settings.loudness, settings.target_lufs)
        const lufs = format.target(target.targetLufs)
        const dbtp = format.target(target.ceilingDbtp)
        const source = t.confidence[target.targetConfidence]
        return (
          <PlatformCell
            key={platform}
            name={t.platforms[platform]}
            label={t.platformLabel(t.platforms[platform], lufs, dbtp, source)}
            isOn={settings.platforms.includes(platform)}
            target={lufs}
            ceiling={dbtp}
            targetLufs={target.targetLufs}
            source={source}
            onToggle={() => toggle(platform)}
          />
        )
      })}
    </fieldset>
  )
}

/** Pauses the playback when the user leaves the screen. */
function useSilenceBeyond(): void {
  const { playback } = useApp()
  useEffect(() => playback.pause, [playback])
}

/** Announces finished songs, and every quarter of the batch, to screen readers. */
function useSpokenProgress(rows: readonly SongRow[]) {
  const { notices } = useApp()
  const { t, say } = useWords()
  const before = useRef(new Map<string, SongRow['kind']>())
  const quarter = useRef(0)
  useEffect(() => {
    const isFirst = before.current.size === 0
    const said: string[] = []
    for (const row of rows) {
      const was = before.current.get(row.rowId)
      if (isFirst || was === row.kind || was === undefined || was === 'reading') continue
      if (row.kind === 'done' || row.kind === 'below') said.push(t.live.done(titleOf(row)))
      if (row.kind === 'failed' && row.job) said.push(t.live.failed(titleOf(row), say(failureOf(row.job))))
      const refusal = row.kind === 'refused' && refusalOfRow(row)
      if (refusal) said.push(t.live.failed(titleOf(row), say(refusal)))
    }
    before.current = new Map(rows.map((row) => [row.rowId, row.kind]))
    const tally = tallyOf(rows)
    const ended = tally.done + tally.failed + tally.cancelled
    const started = ended + tally.rendering + tally.queued
    const now = started > 0 ? Math.floor((4 * ended) / started) : 0
    if (now > quarter.current && tally.rendering + tally.queued > 0) said.push(t.live.progress(now * 25))
    quarter.current = now
    if (said.length > 0) notices.announce(...said)
  }, [rows, notices, t, say])
}
