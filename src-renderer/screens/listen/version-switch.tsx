/** The switch: every version of the song in one row, the current one under the straw line. */

import { useEffect, useId, useRef } from 'react'
import { copyCodecName } from '../../../src-contract/codecs.ts'
import { DifferenceButton } from '../../components/difference-button.tsx'
import { useSize } from '../../components/frames.ts'
import { AS_UPLOADED } from '../../playback/forms.ts'
import type { PlaybackVersion } from '../../playback/state.ts'
import { differenceOf, heardDifference } from '../../playback/state.ts'
import { useApp, usePlayback } from '../../state/app-state.ts'
import { useListenWords, useVersionName } from './context.tsx'
import { CopyMenu, type Encoders, useEncoders } from './copy-menu.tsx'

export function VersionSwitch() {
  const { l } = useListenWords()
  const group = useId()
  const row = useRef<HTMLDivElement>(null)
  const versions = usePlayback((state) => state.versions)
  const chosen = usePlayback((state) => state.version)
  const encoders = useEncoders()
  const [width] = useSize(row, [0, 0])
  // In a small window the row scrolls, and keys can choose a version out of view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: version and width are signs, not ingredients
  useEffect(() => {
    const cell = row.current?.querySelector('input:checked')?.closest('.vers > *')
    if (!row.current || !cell) return
    const [whole, part] = [row.current.getBoundingClientRect(), cell.getBoundingClientRect()]
    row.current.scrollLeft += Math.min(0, part.left - whole.left) + Math.max(0, part.right - whole.right)
  }, [chosen, width])
  return (
    <div className="row versions">
      <div className="vers" ref={row} role="radiogroup" aria-label={l.versions}>
        {versions.map((version) => (
          <VersionCell key={version.id} version={version} group={group} encoders={encoders} />
        ))}
      </div>
      <HeldDifference />
    </div>
  )
}

interface VersionCellProps {
  readonly version: PlaybackVersion
  readonly group: string
  readonly encoders: Encoders
}

/** A version: its name and loudness, and for a master the menu of its forms. */
function VersionCell({ version, group, encoders }: VersionCellProps) {
  const { l } = useListenWords()
  const { playback } = useApp()
  const nameOf = useVersionName()
  const { id, kind, key, missing, platform } = version
  const isChosen = usePlayback((state) => state.version === id)
  const readiness = usePlayback((state) => state.readiness[id])
  const reason = missing ? l.missing[missing] : readiness === 'failed' ? l.versionFailed : undefined
  const isOpening = readiness === 'opening'
  const look = `${kind === 'reference' || kind === 'other' ? 'split' : ''} ${reason ? 'off' : ''} ${isOpening ? 'opening' : ''}`
  const hasMenu = platform !== undefined && !reason
  const label = (
    <label className={hasMenu ? undefined : look} title={reason ?? (isOpening ? l.versionOpening : undefined)}>
      <input
        type="radio"
        className="vh"
        name={group}
        value={id}
        checked={isChosen}
        disabled={reason !== undefined}
        onChange={() => playback.choose(id)}
      />
      <span className="clip">{nameOf(version)}</span>
      {reason ? <span className="vh">{reason}</span> : <FormNote version={version} />}
      <span aria-hidden="true">
        <kbd>{key}</kbd>
      </span>
    </label>
  )
  if (!hasMenu) return label
  return (
    <div className={`with-menu ${look}`}>
      {label}
      <CopyMenu version={version} platform={platform} encoders={encoders} />
    </div>
  )
}

/** The loudness of a version as uploaded, or its current form. */
function FormNote({ version: { id, level } }: { version: PlaybackVersion }) {
  const { l, format } = useListenWords()
  const { codec, making } = usePlayback(({ copies }) => copies[id]) ?? AS_UPLOADED
  const isDifference = usePlayback((state) => state.version === id && heardDifference(state) !== null)
  if (making) return <small className="form">{l.copies.encoding}</small>
  const form = codec && copyCodecName(codec).short
  if (isDifference) return <small className="form">{form ? `Δ ${form}` : l.difference.short}</small>
  if (form) return <small className="form">{form}</small>
  return (
    <small>
      {format.level(level.integratedLufs)}
      <span className="vh"> {l.lufs}</span>
    </small>
  )
}

/** Plays only the change made by the codec or the mastering. */
function HeldDifference() {
  const { l } = useListenWords()
  const { playback } = useApp()
  const isOn = usePlayback((state) => heardDifference(state) !== null)
  const canHear = usePlayback((state) => differenceOf(state) !== null)
  const codec = usePlayback(({ copies, version }) => copies[version]?.codec ?? null)
  return (
    <DifferenceButton
      isOn={isOn}
      hold={playback.holdDifference}
      whyNot={!canHear && l.difference.whyNot}
      help={codec ? l.difference.ofCodec(copyCodecName(codec).full) : l.difference.ofMastering}
    />
  )
}
