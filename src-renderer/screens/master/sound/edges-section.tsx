/** Edges of a song: trims, fades, and the silence around it. */
import { useId, useState } from 'react'
import type { ProposedEdges } from '../../../../src-contract/edge-proposals.ts'
import { edgeFault, FADE_SHAPES, type FadeShape } from '../../../../src-contract/edges.ts'
import {
  EDGE_NAMES,
  type EdgeName,
  type MasterSettings,
  SETTINGS,
  WHOLE_SONG,
} from '../../../../src-contract/settings.ts'
import { Button } from '../../../components/button.tsx'
import { Segmented } from '../../../components/choices.tsx'
import { Fold } from '../../../components/fold.tsx'
import { useWords } from '../../../text/context.tsx'
import type { SectionProps } from './sections.tsx'

/** The single song in scope, as far as known. */
export interface EdgesSong {
  readonly durationSeconds: number
  readonly proposed: ProposedEdges | undefined
}

type SecondsName = Exclude<EdgeName, `${string}_shape`>

const STEP_SECONDS = 0.1

interface SecondsFieldProps extends SectionProps {
  name: SecondsName
}

/** A field for a time. Invalid or out-of-range input changes nothing and reverts on blur. */
function SecondsField({ name, settings, mixed, change }: SecondsFieldProps) {
  const { t } = useWords()
  const id = useId()
  const [typed, setTyped] = useState<string | null>(null)
  const { minimum, maximum } = SETTINGS[name]
  const enter = (text: string) => {
    setTyped(text)
    const seconds = text.trim() === '' ? 0 : Number(text.replace(',', '.'))
    if (seconds >= minimum && seconds <= maximum) change({ [name]: seconds })
  }
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        {t.settings.steering[name]}
      </label>
      <span className="input">
        <input
          id={id}
          type="number"
          min={minimum}
          max={maximum}
          step={STEP_SECONDS}
          value={typed ?? (mixed.has(name) ? '' : settings[name])}
          placeholder={mixed.has(name) ? t.sound.mixed : '0'}
          onChange={(event) => enter(event.target.value)}
          onBlur={() => setTyped(null)}
        />
        <span className="unit">{t.sound.seconds}</span>
      </span>
    </div>
  )
}

const FADES = [
  ['fade_in_seconds', 'fade_in_shape'],
  ['fade_out_seconds', 'fade_out_shape'],
] as const

function FadeFields({ names, ...props }: SectionProps & { names: (typeof FADES)[number] }) {
  const { t } = useWords()
  const { settings, mixed, change } = props
  const [seconds, shape] = names
  return (
    <>
      <SecondsField name={seconds} {...props} />
      {settings[seconds] > 0 && (
        <Segmented<FadeShape>
          label={t.settings.steering[shape]}
          value={mixed.has(shape) ? null : settings[shape]}
          options={FADE_SHAPES.map((one) => ({ value: one, text: t.settings.fadeShapes[one] }))}
          onChoose={(one) => change({ [shape]: one })}
        />
      )}
    </>
  )
}

type Trims = Pick<MasterSettings, 'trim_start_seconds' | 'trim_end_seconds'>

/** Gives the reason for the proposed trims, and applies them. */
export function Proposal({
  proposed,
  settings,
  change,
}: {
  proposed: ProposedEdges
  settings: Trims
  change: (trims: Trims) => void
}) {
  const { t } = useWords()
  const { trim_start_seconds = settings.trim_start_seconds, trim_end_seconds = settings.trim_end_seconds } = proposed
  const isTaken = settings.trim_start_seconds === trim_start_seconds && settings.trim_end_seconds === trim_end_seconds
  return (
    <div className="field">
      {proposed.reasons.map(({ code, message }) => (
        <p key={code} className="tick">
          {message}
        </p>
      ))}
      <Button
        small
        whyNot={isTaken && t.sound.trimmedAsProposed}
        onClick={() => change({ trim_start_seconds, trim_end_seconds })}
      >
        {t.sound.trimAsProposed}
      </Button>
    </div>
  )
}

export function EdgesSection({ song, ...props }: SectionProps & { song: EdgesSong | undefined }) {
  const { t, say } = useWords()
  const { settings, mixed, change } = props
  const isChanged = EDGE_NAMES.some((name) => settings[name] !== WHOLE_SONG[name])
  const summary = EDGE_NAMES.some((name) => mixed.has(name))
    ? t.sound.mixed
    : isChanged
      ? t.sound.edgesOf(settings)
      : song?.proposed
        ? t.sound.edgesProposed
        : t.sound.edgesWhole
  const fault = song && edgeFault(settings, song.durationSeconds)
  return (
    <Fold title={t.sound.edges} summary={summary}>
      {song?.proposed && <Proposal proposed={song.proposed} settings={settings} change={change} />}
      <div className="edge-pair">
        <SecondsField name="trim_start_seconds" {...props} />
        <SecondsField name="trim_end_seconds" {...props} />
      </div>
      {FADES.map((names) => (
        <FadeFields key={names[0]} names={names} {...props} />
      ))}
      <div className="edge-pair">
        <SecondsField name="pad_start_seconds" {...props} />
        <SecondsField name="pad_end_seconds" {...props} />
      </div>
      {fault && (
        <p className="problem" role="alert">
          {say(fault)}
        </p>
      )}
    </Fold>
  )
}
