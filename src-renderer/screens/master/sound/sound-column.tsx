/** The Sound column, for all songs or the selected ones. */
import { BookmarkPlus, Redo2, Undo2 } from 'lucide-react'
import { memo, useMemo } from 'react'
import type { Audition } from '../../../../src-contract/auditions.ts'
import type { MasterSettings } from '../../../../src-contract/settings.ts'
import { Button } from '../../../components/button.tsx'
import { Segmented } from '../../../components/choices.tsx'
import { DifferenceButton } from '../../../components/difference-button.tsx'
import { useOneTabStop } from '../../../components/use-one-tab-stop.ts'
import { TONE_POINTS } from '../../../drawing/response.ts'
import { type Band, tiltedBands } from '../../../drawing/spectrum.ts'
import { differenceOf, heardDifference } from '../../../playback/state.ts'
import { useApp, usePlayback, useSelect } from '../../../state/app-state.ts'
import { openSettings, suggestionOf } from '../../../state/proposals.ts'
import type { ScopeChoice, SettingsPart } from '../../../state/scope.ts'
import type { SongRow } from '../../../state/song-rows.ts'
import { isInSlot, SLOTS, slotOf } from '../../../state/sound-slots.ts'
import { useWords } from '../../../text/context.tsx'
import { StemOrMaster, VoiceForward } from '../../stage/stems/stem-sound.tsx'
import { DetailsSection } from '../details/details-section.tsx'
import { ReferenceSlot } from '../reference-slot.tsx'
import { loadedSong } from '../song-item.ts'
import { useScope, useShownIds } from '../use-batch.ts'
import { ColumnEdge, useColumnWidth } from './column-edge.tsx'
import { EdgesSection, type EdgesSong } from './edges-section.tsx'
import { Presets } from './presets.tsx'
import { Price } from './price.tsx'
import { RecipeSection } from './recipe.tsx'
import { ResponseCurve } from './response-curve.tsx'
import {
  FilesSection,
  LoudnessSection,
  PlannedSection,
  QualitySection,
  StartingPoint,
  StyleSection,
} from './sections.tsx'
import { SoundKnobs } from './sound-knobs.tsx'
import './sound.css'
import { SuggestionCard } from './suggestion-card.tsx'
import { WordsBox } from './words-box.tsx'

export function SoundColumn({ rows }: { rows: readonly SongRow[] }) {
  const { t } = useWords()
  const width = useColumnWidth()
  return (
    <aside className="side sound inset" aria-label={t.settings.label} tabIndex={-1}>
      <ColumnEdge width={width} />
      <SoundFields rows={rows} />
    </aside>
  )
}

/** Undoes or redoes the last change. */
const UndoButtons = memo(function UndoButtons() {
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
})

/** Plays only the change made by the sound. */
const HeldDifference = memo(function HeldDifference() {
  const { playback } = useApp()
  const { t } = useWords()
  const isOn = usePlayback((state) => heardDifference(state) !== null)
  const canHear = usePlayback((state) => differenceOf(state) !== null)
  return (
    <DifferenceButton
      isOn={isOn}
      hold={playback.holdDifference}
      whyNot={!canHear && t.sound.differenceWhyNot}
      help={t.sound.help.difference}
    />
  )
})

interface ScopeProps {
  part: SettingsPart
  rows: readonly SongRow[]
}

/** The songs that the controls of one part change, always said; own values stay until they are given up here. */
function ScopeLine({ part, rows }: ScopeProps) {
  const { batch } = useApp()
  const { t } = useWords()
  const shownIds = useShownIds()
  const choice = useSelect(batch.store, (state) => state.scope[part])
  const { rowIds, ownIds } = useScope(part)
  const isAll = rowIds.length === 0
  const [shownId] = shownIds.length === 1 ? shownIds : []
  const hasOwn = isAll && part === 'delivery' && shownId !== undefined && ownIds.includes(shownId)
  const some = shownIds.length === 1 ? t.scope.one : t.scope.some(shownIds.length)
  return (
    <div className="row scope">
      {rows.length > 1 && shownIds.length > 0 ? (
        <Segmented<ScopeChoice>
          label={t.scope.of[part]}
          className="fit"
          value={choice}
          options={[
            { value: 'selected', text: some },
            { value: 'all', text: t.scope.all(rows.length) },
          ]}
          onChoose={(next) => batch.setScope(part, next)}
        />
      ) : (
        <span className="label clip" role="status">
          {isAll ? t.scope.all(rows.length) : t.scope.one}
        </span>
      )}
      {hasOwn ? (
        <OwnDelivery rowId={shownId} />
      ) : (
        rows.length > 1 &&
        ownIds.length > 0 && (
          <Button
            look="quiet"
            small
            className="clip"
            onClick={() => batch.clearOwnSettings(ownIds, part, t.settings.madeLikeAll(ownIds.length))}
          >
            {isAll ? t.settings.include(ownIds.length) : t.settings.likeAll}
          </Button>
        )
      )}
    </div>
  )
}

/** Says that the song on the stage has a delivery of its own, and gives it up. */
function OwnDelivery({ rowId }: { rowId: string }) {
  const { batch } = useApp()
  const { t, format } = useWords()
  const targetLufs = useSelect(
    batch.store,
    ({ batch }) => batch?.songs.find(({ source }) => source.source_id === rowId)?.settings?.target_lufs ?? null,
  )
  return (
    <>
      <span className="tag">{t.scope.ownDelivery(targetLufs === null ? null : format.level(targetLufs))}</span>
      <Button
        look="quiet"
        small
        className="clip"
        onClick={() => batch.clearOwnSettings([rowId], 'delivery', t.settings.madeLikeAll(1))}
      >
        {t.settings.likeAll}
      </Button>
    </>
  )
}

/** Keeps the sound of the song on the stage as a version that is not mastered yet. */
function KeepButton() {
  const { slots, notices } = useApp()
  const { t } = useWords()
  const { settings } = useScope('sound')
  const id = useShownIds().at(-1)
  const kept = useSelect(slots.store, (state) => (id ? state.bySong[id] : undefined))
  if (!id || !settings) return null
  // The last one is replaced once all are filled.
  const free = SLOTS.find((slot) => !kept?.[slot]) ?? 'D'
  const keep = () => {
    const next = slotOf(settings)
    const before = slots.put(id, free, next)
    notices.edits.push({
      undo: () => void slots.put(id, free, before),
      redo: () => void slots.put(id, free, next),
    })
    notices.announce(t.sound.kept(free))
  }
  return (
    <Button
      look="quiet"
      small
      label={t.sound.keep}
      icon={<BookmarkPlus className="i s" aria-hidden="true" />}
      whyNot={SLOTS.some((slot) => isInSlot(kept?.[slot], settings)) && t.sound.isKept}
      onClick={keep}
    />
  )
}

/** Returns the song whose spectrum is behind the curve: that on the stage, else the playing one. */
function useCurveSong(rows: readonly SongRow[]) {
  const shownId = useShownIds().at(-1)
  const loadedId = usePlayback(loadedSong)
  const id = shownId ?? loadedId
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

const hasReference = (settings: MasterSettings | null | undefined) =>
  !!settings && (settings.reference_source_id !== null || settings.targets !== null)

/** Returns the first reference and the number of the others. */
function referenceNames(filename: string | undefined, { targets }: MasterSettings): string | undefined {
  const [first, ...others] = [filename, ...(targets ?? []).map(({ name }) => name)].filter((name) => name !== undefined)
  return others.length > 0 ? `${first} +${others.length}` : first
}

/** Returns the tone planned by an audition, and its target spectrum. Pure. */
function shapesOf(audition: Audition | null): { readonly planned: readonly Band[]; readonly aim: readonly Band[] } {
  const { planned, target_spectrum: target } = audition ?? {}
  return {
    planned: planned ? planned.frequency_hz.map((hz, i) => ({ hz, db: planned.planned_mid_db[i] ?? 0 })) : [],
    aim: target ? tiltedBands(target.band_hz, target.mid_db) : [],
  }
}

/** The headings of folded parts. */
const FOLDS = '.fold > button'

/** The fields alone: in the column, or in the sheet of a narrow window. */
export function SoundFields({ rows }: { rows: readonly SongRow[] }) {
  const { batch, auditions, proposals } = useApp()
  const { t } = useWords()
  const sound = useScope('sound')
  const delivery = useScope('delivery')
  const shownIds = useShownIds()
  const song = useCurveSong(rows)
  const audition = useSelect(auditions.store, (state) =>
    state.audition?.source_id === song?.source.source_id ? state.audition : null,
  )
  const shapes = useMemo(() => shapesOf(audition), [audition])
  const tools = useOneTabStop('button', 'row')
  const foldsOfSound = useOneTabStop<HTMLElement>(FOLDS, 'column')
  const foldsOfDelivery = useOneTabStop<HTMLElement>(FOLDS, 'column')
  const suggestion = useSelect(proposals.store, (state) =>
    shownIds.length === 1 ? suggestionOf(rows.find((row) => row.rowId === shownIds[0])?.song, state) : undefined,
  )
  const { settings } = sound
  const common = useSelect(batch.store, (state) => state.batch?.settings)
  const reference = useSelect(batch.references.store, ({ known }) => known[settings?.reference_source_id ?? ''])
  if (!settings || !delivery.settings) return null
  const props = { settings, mixed: sound.mixed, change: sound.change }
  const ofDelivery = { settings: delivery.settings, mixed: delivery.mixed, change: delivery.change }
  const rowId = sound.rowIds.at(-1) ?? null
  const [shownId] = shownIds.length === 1 ? shownIds : []
  const shown = rows.find((row) => row.rowId === shownId)
  const own = shown?.song?.settings ?? common
  const open = suggestion && own ? openSettings(suggestion.settings, own) : {}
  // A recipe has targets of its own.
  const hasTargets = !!delivery.settings.recipe || (rows.length === 1 && !!own?.recipe)
  const suggestsTone = TONE_POINTS.some(({ name }) => open[name] !== undefined)
  return (
    <>
      <StemOrMaster sourceId={shownIds.at(-1)}>
        <section className="sound-part" aria-label={t.settings.title} {...foldsOfSound}>
          <div className="row sound-head">
            <h2 className="grow">{t.settings.title}</h2>
            <div className="row tight" role="toolbar" aria-label={t.sound.actions} {...tools}>
              <Presets />
              <KeepButton />
              <UndoButtons />
            </div>
          </div>
          <ScopeLine part="sound" rows={rows} />
          <Elsewhere shownId={shownIds.at(-1)} />
          {settings.recipe ? (
            <RecipeSection recipe={settings.recipe} change={sound.change}>
              <HeldDifference />
            </RecipeSection>
          ) : (
            <>
              {shown && own && <SuggestionCard row={shown} own={own} />}
              <WordsBox row={shown} settings={settings} rowIds={sound.rowIds} />
              <ResponseCurve
                settings={settings}
                suggested={suggestsTone ? { ...settings, ...open } : undefined}
                toneDb={song?.analysis?.tone_db}
                planned={shapes.planned}
                aim={shapes.aim}
                onChange={sound.change}
              />
              <VoiceForward sourceId={shownIds.at(-1)} />
              <SoundKnobs {...props}>
                <HeldDifference />
              </SoundKnobs>
              <StyleSection {...props} />
              <StartingPoint
                {...props}
                reference={{
                  name: referenceNames(reference?.filename, settings),
                  slot: (
                    <ReferenceSlot
                      key={rowId ?? 'all'}
                      settings={settings}
                      mixed={sound.mixed}
                      rowId={rowId}
                      isOwn={sound.ownIds.length > 0}
                      onChange={sound.change}
                    />
                  ),
                }}
              />
              <PlannedSection {...props} />
            </>
          )}
          <EdgesSection {...props} song={edgesSongOf(rows, sound.rowIds)} />
          <DetailsSection rows={rows} chosen={sound.rowIds} />
        </section>
      </StemOrMaster>
      <section className="delivery-part" aria-label={t.sound.delivery} {...foldsOfDelivery}>
        <div className="row sound-head">
          <h2 className="grow">{t.sound.delivery}</h2>
        </div>
        <ScopeLine part="delivery" rows={rows} />
        {!hasTargets && (
          <LoudnessSection
            {...ofDelivery}
            hasReference={[common, ...rows.map(({ song }) => song?.settings)].some(hasReference)}
            cost={shownIds.length > 0 && <Price change={delivery.change} />}
          />
        )}
        <FilesSection {...ofDelivery} />
        <QualitySection {...ofDelivery} />
      </section>
    </>
  )
}

/** Names the playing song if it is not the one on the stage: its sound does not follow the faders. */
function Elsewhere({ shownId }: { shownId: string | undefined }) {
  const { t } = useWords()
  const item = usePlayback((state) => (state.isPlaying && state.item?.songId !== shownId ? state.item : null))
  return (
    <p className="tick elsewhere" role="status">
      {item && shownId ? t.scope.playing(item.title) : '\u00a0'}
    </p>
  )
}
