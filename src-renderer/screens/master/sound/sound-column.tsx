/** The Sound column, for all songs or the selected ones. */
import { Redo2, Undo2, X } from 'lucide-react'
import { useMemo } from 'react'
import type { Audition } from '../../../../src-contract/auditions.ts'
import { Button } from '../../../components/button.tsx'
import { DifferenceButton } from '../../../components/difference-button.tsx'
import { type Band, tiltedBands } from '../../../drawing/spectrum.ts'
import { useApp, usePlayback, useSelect } from '../../../state/app-state.ts'
import { NO_SELECTION } from '../../../state/selection.ts'
import { type SongRow, withOwnSettings } from '../../../state/song-rows.ts'
import { useWords } from '../../../text/context.tsx'
import { DetailsSection } from '../details/details-section.tsx'
import { ReferenceSlot } from '../reference-slot.tsx'
import { auditionOf, loadedSong } from '../transport-song.ts'
import { useScope } from '../use-batch.ts'
import { ColumnEdge, useColumnWidth } from './column-edge.tsx'
import { EdgesSection, type EdgesSong } from './edges-section.tsx'
import { Plan } from './plan.tsx'
import { Presets } from './presets.tsx'
import { ResponseCurve } from './response-curve.tsx'
import {
  DeliverySection,
  FilesSection,
  LoudnessSection,
  PlannedSection,
  StartingPoint,
  StyleSection,
} from './sections.tsx'
import { SlotSwitch } from './slot-switch.tsx'
import { SoundKnobs } from './sound-knobs.tsx'

export function SoundColumn({ rows }: { rows: readonly SongRow[] }) {
  const { t } = useWords()
  const width = useColumnWidth()
  return (
    <aside className="side sound" aria-label={t.settings.label} tabIndex={-1}>
      <ColumnEdge width={width} />
      <SoundFields rows={rows} />
    </aside>
  )
}

/** Undoes or redoes the last change. */
function UndoButtons() {
  const { notices } = useApp()
  const { t } = useWords()
  const canUndo = useSelect(notices.edits.store, ({ past }) => past.length > 0)
  const canRedo = useSelect(notices.edits.store, ({ future }) => future.length > 0)
  const glyph = { className: 'i s', 'aria-hidden': true } as const
  return (
    <>
      <Button
        look="quiet"
        small
        label={t.edits.undo}
        icon={<Undo2 {...glyph} />}
        whyNot={!canUndo && t.edits.nothing}
        onClick={() => notices.edits.undo() && notices.announce(t.edits.undone)}
      />
      <Button
        look="quiet"
        small
        label={t.edits.redo}
        icon={<Redo2 {...glyph} />}
        whyNot={!canRedo && t.edits.nothing}
        onClick={() => notices.edits.redo() && notices.announce(t.edits.redone)}
      />
    </>
  )
}

/** Plays only the change made by the sound. */
function HeldDifference() {
  const { playback } = useApp()
  const { t } = useWords()
  const isOn = usePlayback((state) => state.isDifference)
  const canHear = usePlayback((state) => auditionOf(state) !== undefined && state.isPlaying)
  return (
    <DifferenceButton
      isOn={isOn}
      hold={playback.holdDifference}
      whyNot={!canHear && t.sound.differenceWhyNot}
      help={t.sound.help.difference}
    />
  )
}

/** Names the songs in scope, and offers to reset their own settings. */
function ScopeLine({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { t } = useWords()
  const { rowIds, title, ownIds } = useScope()
  const isAll = rowIds.length === 0
  const apart = isAll ? withOwnSettings(rows).map((row) => row.rowId) : ownIds
  return (
    <div className="row scope">
      <b className="grow clip" role="status">
        {isAll ? t.settings.allSongs(rows.length) : title ? <bdi>{title}</bdi> : t.settings.someSongs(rowIds.length)}
      </b>
      {apart.length > 0 && (
        <Button look="quiet" small onClick={() => batch.clearOwnSettings(apart, t.settings.madeLikeAll(apart.length))}>
          {isAll ? t.settings.include(apart.length) : t.settings.likeAll}
        </Button>
      )}
      {!isAll && (
        <Button
          look="quiet"
          small
          label={t.sound.toAll}
          icon={<X className="i s" aria-hidden="true" />}
          onClick={() => batch.select(NO_SELECTION)}
        />
      )}
    </div>
  )
}

/** Returns the song whose spectrum is behind the curve: the selected one chosen last, else the playing one. */
function useCurveSong(rows: readonly SongRow[]) {
  const { rowIds } = useScope()
  const loadedId = usePlayback(loadedSong)
  const id = rowIds.at(-1) ?? loadedId ?? (rows.length === 1 ? rows[0]?.rowId : undefined)
  return rows.find(({ rowId }) => rowId === id)?.song
}

/** Returns the single song in scope; undefined for several, or before it is stored. */
function edgesSongOf(rows: readonly SongRow[], chosen: readonly string[]): EdgesSong | undefined {
  const meant = chosen.length === 0 ? rows : rows.filter(({ rowId }) => chosen.includes(rowId))
  const [row] = meant
  if (meant.length !== 1 || !row?.song) return undefined
  const { source, analysis } = row.song
  return { durationSeconds: source.duration_seconds, proposed: analysis?.proposed_edges }
}

/** Returns the tone planned by an audition, and its target spectrum. Pure. */
function shapesOf(audition: Audition | null): { readonly planned: readonly Band[]; readonly aim: readonly Band[] } {
  const { planned, target_spectrum: target } = audition ?? {}
  return {
    planned: planned ? planned.frequency_hz.map((hz, i) => ({ hz, db: planned.planned_mid_db[i] ?? 0 })) : [],
    aim: target ? tiltedBands(target.band_hz, target.mid_db) : [],
  }
}

/** The fields alone: in the column, or in the sheet of a narrow window. */
export function SoundFields({ rows }: { rows: readonly SongRow[] }) {
  const { batch, auditions } = useApp()
  const { t, say } = useWords()
  const { settings, rowIds, ownIds, mixed, change } = useScope()
  const song = useCurveSong(rows)
  const isHeard = usePlayback((state) => song !== undefined && loadedSong(state) === song.source.source_id)
  const audition = useSelect(auditions.store, (state) => (isHeard ? state.audition : null))
  const failure = useSelect(auditions.store, (state) => (isHeard ? state.failure : null))
  const shapes = useMemo(() => shapesOf(audition), [audition])
  const reference = useSelect(batch.references.store, ({ known }) => known[settings?.reference_source_id ?? ''])
  if (!settings) return null
  const props = { settings, mixed, change }
  const rowId = rowIds.at(-1) ?? null
  return (
    <>
      <div className="row sound-head">
        <h2 className="grow">{t.settings.title}</h2>
        <UndoButtons />
        <SlotSwitch />
      </div>
      <ScopeLine rows={rows} />
      <ResponseCurve
        settings={settings}
        toneDb={song?.analysis?.tone_db}
        planned={shapes.planned}
        aim={shapes.aim}
        onChange={change}
      />
      {failure && (
        <p className="problem" role="alert">
          {say(failure)}
        </p>
      )}
      <SoundKnobs {...props}>
        <HeldDifference />
      </SoundKnobs>
      <StyleSection {...props} presets={<Presets />} />
      <LoudnessSection {...props} cost={isHeard && <Plan change={change} />} />
      <StartingPoint
        {...props}
        reference={{
          name: reference?.filename,
          slot: (
            <ReferenceSlot
              key={rowId ?? 'all'}
              settings={settings}
              rowId={rowId}
              isOwn={ownIds.length > 0}
              onChange={change}
            />
          ),
        }}
      />
      <PlannedSection {...props} />
      <EdgesSection {...props} song={edgesSongOf(rows, rowIds)} />
      <DetailsSection rows={rows} chosen={rowIds} />
      <DeliverySection {...props} />
      <FilesSection {...props} />
    </>
  )
}
