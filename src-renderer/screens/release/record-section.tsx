/** The record made of the tracks: its loudness, its coherence, and its plan. */
import { ChevronDown } from 'lucide-react'
import type { Corrections, ReleasePlan } from '../../../src-contract/release-mastering.ts'
import type { Release } from '../../../src-contract/releases.ts'
import { Button } from '../../components/button.tsx'
import { Segmented } from '../../components/choices.tsx'
import { Menu } from '../../components/dialogs.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { FACTS, fieldOf } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'
import type { Format } from '../../text/format.ts'
import { CheckBox } from './check-box.tsx'

export function RecordSection({ release }: { release: Release }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.record
  const { loudness_mode, coherence } = release
  return (
    <section className="record" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <div className="field" data-field={fieldOf(FACTS, 'loudness_mode')}>
        <span className="label">{texts.mode}</span>
        <Segmented
          label={texts.mode}
          value={loudness_mode}
          onChoose={(mode) => editor.change(FACTS, { loudness_mode: mode })}
          options={[
            { value: 'album', text: texts.album },
            { value: 'track', text: texts.track },
          ]}
        />
        <p className="me">{loudness_mode === 'album' ? texts.albumText : texts.trackText}</p>
      </div>
      <Levelling release={release} />
      <Coherence isOn={coherence} />
      {coherence && <Anchor release={release} />}
      <PlanView release={release} />
    </section>
  )
}

/** The switch for levelling, for a record with generated songs. */
function Levelling({ release }: { release: Release }) {
  const { editor, plan: store } = useApp().releases
  const { t } = useWords()
  const { levelGenerated, levelGeneratedText } = t.release.record
  const { plan } = useSelect(store.store, (state) => state)
  const isOn = release.level_generated !== false
  const isFelt = plan?.tracks.some(({ levelled_lu }) => levelled_lu !== undefined) === true
  if (release.loudness_mode !== 'album' || (isOn && !isFelt)) return null
  return (
    <CheckBox
      label={levelGenerated}
      hint={levelGeneratedText}
      isOn={isOn}
      onChange={() => editor.change(FACTS, { level_generated: !isOn })}
    />
  )
}

function Coherence({ isOn }: { isOn: boolean }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const { coherence, coherenceText } = t.release.record
  return (
    <CheckBox
      label={coherence}
      hint={coherenceText}
      isOn={isOn}
      onChange={() => editor.change(FACTS, { coherence: !isOn })}
    />
  )
}

/** The track that coherence leaves unchanged. */
function Anchor({ release }: { release: Release }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const texts = t.release.record
  const anchor = release.tracks.find(({ track_id }) => track_id === release.anchor_track_id)
  const name = anchor ? `${anchor.position} · ${anchor.title}` : texts.noAnchor
  const choose = (trackId: string | null) => editor.change(FACTS, { anchor_track_id: trackId })
  return (
    <div className="field">
      <span className="label">{texts.anchor}</span>
      <Menu
        label={texts.anchor}
        items={[
          { text: texts.noAnchor, isChosen: !anchor, onChoose: () => choose(null) },
          ...release.tracks.map((track) => ({
            text: `${track.position} · ${track.title}`,
            isChosen: track === anchor,
            onChoose: () => choose(track.track_id),
          })),
        ]}
        trigger={
          <Button small className="anchor-choice" aria-label={`${texts.anchor}: ${name}`}>
            <span className="grow clip">{name}</span>
            <ChevronDown className="i s" aria-hidden="true" />
          </Button>
        }
      />
    </div>
  )
}

/** The plan, and after mastering its result. */
function PlanView({ release }: { release: Release }) {
  const { plan: store } = useApp().releases
  const { t, format } = useWords()
  const texts = t.release.record
  const { plan, failure, isAsking } = useSelect(store.store, (state) => state)
  const { mastering } = release
  const held = mastering.held_back ?? plan?.expected_held_back
  const heldTrack = held && release.tracks.find(({ track_id }) => track_id === held.track_id)
  return (
    <div className="plan" aria-busy={isAsking}>
      {mastering.record_lufs !== undefined && (
        <p>{texts.made(format.level(mastering.record_lufs), format.level(mastering.target_lufs))}</p>
      )}
      {mastering.record_lufs === undefined && plan?.planned_lufs !== undefined && (
        <p>{texts.planned(format.level(plan.planned_lufs))}</p>
      )}
      {held && heldTrack && (
        <p className="c-warn">{texts.held(format.level(held.down_lu), `${heldTrack.position} · ${heldTrack.title}`)}</p>
      )}
      {(plan ? !plan.is_complete : isAsking) && <p className="faint">{texts.planning}</p>}
      {!plan && !isAsking && failure?.code === 'RELEASE_NOT_READY' && <p className="faint">{texts.notReady}</p>}
      {plan?.is_complete && <Outliers plan={plan} />}
    </div>
  )
}

/** Tracks that deviate from the record, with the effect of coherence on them. */
function Outliers({ plan }: { plan: ReleasePlan }) {
  const { t, format } = useWords()
  const texts = t.release.record
  const outside = plan.tracks.filter(({ outliers, levelled_lu }) => outliers.length > 0 || levelled_lu !== undefined)
  if (outside.length === 0) return plan.tracks.length > 1 ? <p className="faint">{texts.noOutliers}</p> : null
  return (
    <ul className="outliers" aria-label={texts.outliers}>
      {outside.map((track) => (
        <li key={track.track_id}>
          <b>
            {track.position} · {track.title}
          </b>
          {track.levelled_lu !== undefined && <span>{texts.levelled(format.signed(track.levelled_lu))}</span>}
          {track.outliers.map(({ kind, distance_db }) => (
            <span key={kind}>{texts.outlier[kind](format.signed(distance_db))}</span>
          ))}
          {track.corrections && <span className="faint">{correctionText(track.corrections, texts, format)}</span>}
        </li>
      ))}
    </ul>
  )
}

/** Returns the corrections of a track as one line. Pure. */
function correctionText(
  corrections: Corrections,
  texts: { readonly corrected: string; readonly corrections: Readonly<Record<keyof Corrections, string>> },
  { signed }: Pick<Format, 'signed'>,
): string {
  const named = Object.entries(corrections).map(([name, value]) => {
    const unit = name === 'width_percent' ? '%' : 'dB'
    return `${texts.corrections[name as keyof Corrections]} ${signed(value)} ${unit}`
  })
  return `${texts.corrected} ${named.join(', ')}`
}
