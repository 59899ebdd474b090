/** The column of one track: all of its fields, its ends, and its transitions to its neighbours. */
import { useState } from 'react'
import { FADE_SHAPES } from '../../../src-contract/edges.ts'
import { MAX_GAP_SECONDS, MAX_TITLE_LENGTH } from '../../../src-contract/limits.ts'
import type { Release, Track, TrackChange } from '../../../src-contract/releases.ts'
import { Segmented } from '../../components/choices.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { songIn } from '../../state/batch-state.ts'
import { fieldOf } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'
import { Proposal } from '../master/sound/edges-section.tsx'
import { CheckBox } from './check-box.tsx'
import { Offer } from './details-part.tsx'
import { DisclosureSection } from './disclosure-section.tsx'
import { EdgePlot, edgeOf, type Side } from './edge-plot.tsx'
import { TrackSound } from './record-sound.tsx'
import { factText, type NamesMember, type TextMember, trackChangeOf } from './track-columns.tsx'
import { useEdgeSound } from './use-edge-sound.ts'

/** Members of a track for the values of its ends. */
const MEMBERS = {
  start: { trim: 'trim_start_seconds', fade: 'fade_in_seconds', shape: 'fade_in_shape' },
  end: { trim: 'trim_end_seconds', fade: 'fade_out_seconds', shape: 'fade_out_shape' },
} as const

/** Least remaining length of a song, s. */
const LEAST_SECONDS = 1

export function TrackSide({ release, track }: { release: Release; track: Track }) {
  const { batch } = useApp()
  const { t } = useWords()
  const stemCount = useSelect(batch.store, (state) => songIn(state, track.source_id ?? '')?.stem_count)
  const isLast = track.position === release.tracks.length
  return (
    <>
      <h2 className="clip" title={track.title}>
        {track.position} · {track.title}
      </h2>
      {stemCount !== undefined && <p className="faint">{t.stems.from(stemCount)}</p>}
      <TrackFacts release={release} track={track} />
      <DisclosureSection release={release} track={track} />
      {track.position > 1 && <Rest track={track} previous={release.tracks[track.position - 2]} />}
      {track.duration_seconds === undefined ? (
        <p className="faint">{t.release.edges.noSong}</p>
      ) : (
        <Ends track={track} durationSeconds={track.duration_seconds} />
      )}
      {!isLast && <Continuous track={track} />}
      <TrackSound release={release} track={track} />
    </>
  )
}

/** All names and codes of a track; those that often repeat the artist are offered while they are blank. */
function TrackFacts({ release, track }: { release: Release; track: Track }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.table
  const offered = (track.artists.length > 0 ? track.artists : [release.artist]).join('; ')
  const fact = (member: TextMember | NamesMember, isOffered = false) => (
    <TrackFact track={track} member={member} {...(isOffered ? { offered } : {})} />
  )
  return (
    <>
      <div className="pair">
        {fact('title')}
        {fact('version')}
      </div>
      <div className="pair">
        {fact('artists')}
        {fact('featured_artists')}
      </div>
      {fact('composers', true)}
      {fact('lyricists', true)}
      <div className="pair">
        {fact('isrc')}
        <div className="field" data-field={fieldOf(track.track_id, 'explicit')}>
          <span className="label">{texts.explicit}</span>
          <Segmented
            label={texts.explicit}
            value={track.explicit ? 'yes' : 'no'}
            onChoose={(is) => editor.change(track.track_id, { explicit: is === 'yes' })}
            options={[
              { value: 'no', text: texts.no },
              { value: 'yes', text: texts.yes },
            ]}
          />
        </div>
      </div>
    </>
  )
}

interface TrackFactProps {
  track: Track
  member: TextMember | NamesMember
  /** Text that one press gives to the blank field. */
  offered?: string
}

function TrackFact({ track, member, offered }: TrackFactProps) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const field = fieldOf(track.track_id, member)
  const problem = useSelect(editor.store, (state) => state.refused[field])
  const [typed, setTyped] = useState<string | null>(null)
  const stored = factText(track, member)
  const change = (text: string) => editor.change(track.track_id, trackChangeOf(member, text) ?? {})
  return (
    <div data-field={field}>
      <TextField
        label={t.release.table[member]}
        isOptional={member !== 'title'}
        spellCheck={false}
        maxLength={MAX_TITLE_LENGTH}
        value={typed ?? stored}
        problem={problem ?? false}
        onChange={(text) => {
          // A trailing blank stays while a name is typed, and goes when the field is left.
          setTyped(text)
          change(text)
        }}
        onBlur={() => {
          setTyped(null)
          editor.flush()
        }}
      />
      {offered && stored === '' && <Offer text={offered} onTake={() => change(offered)} />}
    </div>
  )
}

function Ends({ track, durationSeconds }: { track: Track; durationSeconds: number }) {
  const sound = useEdgeSound(track)
  return (
    <>
      <ProposedTrims track={track} />
      <End side="start" track={track} sound={sound} durationSeconds={durationSeconds} />
      <End side="end" track={track} sound={sound} durationSeconds={durationSeconds} />
    </>
  )
}

/** Trims proposed by the song's analysis, applied by one press. */
function ProposedTrims({ track }: { track: Track }) {
  const { batch, releases } = useApp()
  const proposed = useSelect(
    batch.store,
    (state) => songIn(state, track.source_id ?? '')?.analysis?.proposed_edges ?? null,
  )
  if (!proposed) return null
  return (
    <Proposal
      proposed={proposed}
      settings={track}
      change={(trims) => releases.editor.changeAll([[track.track_id, trims]])}
    />
  )
}

interface EndProps {
  side: Side
  track: Track
  sound: ReturnType<typeof useEdgeSound>
  durationSeconds: number
}

function End({ side, track, sound, durationSeconds }: EndProps) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.edges
  const edge = edgeOf(track, side)
  const other = edgeOf(track, side === 'start' ? 'end' : 'start')
  const free = Math.max(0, durationSeconds - other.trim - other.fade - LEAST_SECONDS)
  const members = MEMBERS[side]
  const change = (next: TrackChange) => editor.change(track.track_id, next)
  return (
    <section className="field track-end" aria-label={texts.of[side]}>
      <h3 className="label">{texts.of[side]}</h3>
      <EdgePlot
        side={side}
        edge={edge}
        sound={sound}
        mostTrim={Math.max(0, free - edge.fade)}
        mostFade={Math.min(MAX_GAP_SECONDS, Math.max(0, free - edge.trim))}
        onChange={({ trim, fade }) =>
          change({
            ...(trim === undefined ? {} : { [members.trim]: trim }),
            ...(fade === undefined ? {} : { [members.fade]: fade }),
          })
        }
      />
      <div className="pair">
        <Seconds track={track} member={members.trim} label={texts[side].trim} />
        <Seconds track={track} member={members.fade} label={texts[side].fade} />
      </div>
      {edge.fade > 0 && (
        <Segmented
          label={texts.shape}
          value={edge.shape}
          onChoose={(shape) => change({ [members.shape]: shape })}
          options={FADE_SHAPES.map((value) => ({ value, text: texts.shapes[value] }))}
        />
      )}
    </section>
  )
}

type SecondsMember =
  | 'gap_before_seconds'
  | 'trim_start_seconds'
  | 'trim_end_seconds'
  | 'fade_in_seconds'
  | 'fade_out_seconds'

/** A length in seconds; an invalid number stays in the field and is not saved. */
function Seconds({ track, member, label }: { track: Track; member: SecondsMember; label: string }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const [text, setText] = useState<string | null>(null)
  const problem = useSelect(editor.store, (state) => state.refused[fieldOf(track.track_id, member)])
  const value = text === null ? Number.NaN : Number(text.replace(',', '.'))
  const isWrong = text !== null && (text.trim() === '' || !(value >= 0))
  return (
    <div data-field={fieldOf(track.track_id, member)}>
      <TextField
        label={`${label}, s`}
        isOptional
        help={t.release.help[member]}
        inputMode="decimal"
        value={text ?? String(track[member])}
        problem={(isWrong && t.release.edges.notSeconds) || problem || false}
        onChange={(next) => {
          setText(next)
          const seconds = Number(next.replace(',', '.'))
          if (next.trim() !== '' && seconds >= 0) editor.change(track.track_id, { [member]: seconds })
        }}
        onBlur={() => {
          if (!isWrong) setText(null)
          editor.flush()
        }}
      />
    </div>
  )
}

/** The pause before a track. */
function Rest({ track, previous }: { track: Track; previous: Track | undefined }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.edges
  if (previous?.continuous_with_next) return <p className="faint">{texts.isContinuous}</p>
  return (
    <div className="field">
      <Seconds track={track} member="gap_before_seconds" label={texts.rest} />
      {track.gap_before_seconds > 0 && (
        <CheckBox
          label={texts.restInFile}
          hint={track.gap_in_file ? texts.restInFileText : texts.restBetweenText}
          isOn={track.gap_in_file}
          onChange={(isOn) => editor.change(track.track_id, { gap_in_file: isOn })}
        />
      )}
    </div>
  )
}

function Continuous({ track }: { track: Track }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  return (
    <CheckBox
      label={t.release.edges.continuous}
      hint={t.release.edges.continuousText}
      isOn={track.continuous_with_next}
      onChange={(isOn) => editor.change(track.track_id, { continuous_with_next: isOn })}
    />
  )
}
