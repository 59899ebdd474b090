/** The sound of a record, or of one track that differs: the controls of the Master screen. */
import { PLATFORMS, type Platform } from '../../../src-contract/platforms/index.ts'
import type { ReleaseSettings } from '../../../src-contract/release-mastering.ts'
import type { Release, Track } from '../../../src-contract/releases.ts'
import { type MasterSettings, masterSettings } from '../../../src-contract/settings.ts'
import { withStyle } from '../../../src-contract/styles.ts'
import { Button } from '../../components/button.tsx'
import { Fold } from '../../components/fold.tsx'
import { useApp } from '../../state/app-state.ts'
import { FACTS } from '../../state/release-drafts.ts'
import { useWords } from '../../text/context.tsx'
import {
  LoudnessSection,
  PlannedSection,
  QualitySection,
  type SectionProps,
  StartingPoint,
  StyleSection,
} from '../master/sound/sections.tsx'
import { SoundKnobs } from '../master/sound/sound-knobs.tsx'

type Named = Readonly<Partial<MasterSettings>>

const NOT_MIXED: ReadonlySet<string> = new Set()

/**
 * Returns the effective settings of a record, or of a track: its own over those of the record over the defaults. Pure.
 */
export function countingSettings(record: ReleaseSettings = {}, own: Track['settings'] = {}): MasterSettings {
  const named: Named = { ...withStyle(record as Named), ...withStyle(own as Named) }
  return masterSettings({ ...named, platforms: [...(named.platforms ?? PLATFORMS)] })
}

/** Returns the settings to store after a change: those set before, with the change. Pure. */
export function changedSettings(named: Named | undefined, change: Named): Named {
  return { ...named, ...change }
}

export function RecordSound({ release }: { release: Release }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const { settings: named } = release
  const settings = countingSettings(named)
  const change = (next: Named) => editor.change(FACTS, { settings: changedSettings(named as Named, next) })
  return (
    <Fold title={t.release.sound.ofRecord} summary={named ? t.settings.styles[settings.style] : t.release.sound.usual}>
      <p className="me">{t.release.sound.recordText}</p>
      <Sounds settings={settings} mixed={NOT_MIXED} change={change} />
      <LoudnessSection settings={settings} mixed={NOT_MIXED} change={change} hasReference={false} cost={null} />
      <Platforms chosen={settings.platforms} onChange={(platforms) => change({ platforms })} />
      <QualitySection settings={settings} mixed={NOT_MIXED} change={change} />
      {named && (
        <Button small look="quiet" onClick={() => editor.change(FACTS, { settings: null })}>
          {t.release.sound.toUsual}
        </Button>
      )}
    </Fold>
  )
}

export function TrackSound({ release, track }: { release: Release; track: Track }) {
  const { editor } = useApp().releases
  const { t } = useWords()
  const { settings: own, track_id } = track
  const settings = countingSettings(release.settings, own)
  const count = Object.keys(own ?? {}).length
  const change = (next: Named) => editor.change(track_id, { settings: changedSettings(own as Named, next) })
  return (
    <Fold title={t.release.sound.ofTrack} summary={count === 0 ? t.release.sound.asRecord : t.release.changed(count)}>
      <p className="me">{t.release.sound.trackText}</p>
      <Sounds settings={settings} mixed={NOT_MIXED} change={change} />
      {count > 0 && (
        <Button small look="quiet" onClick={() => editor.change(track_id, { settings: null })}>
          {t.release.sound.toRecord}
        </Button>
      )}
    </Fold>
  )
}

function Sounds(props: SectionProps) {
  return (
    <>
      <SoundKnobs {...props}>{null}</SoundKnobs>
      <StyleSection {...props} />
      <StartingPoint {...props} />
      <PlannedSection {...props} />
    </>
  )
}

/** Platforms that get their own masters of the record besides the master for all services; at least one. */
function Platforms(props: { chosen: readonly Platform[]; onChange: (platforms: Platform[]) => void }) {
  const { chosen, onChange } = props
  const { t } = useWords()
  const toggle = (platform: Platform) => {
    const next = PLATFORMS.filter((one) => (one === platform ? !chosen.includes(one) : chosen.includes(one)))
    if (next.length > 0) onChange(next)
  }
  return (
    <fieldset className="field repairs-made">
      <legend className="label">{t.release.sound.platforms}</legend>
      {PLATFORMS.map((platform) => (
        <label key={platform}>
          <input type="checkbox" checked={chosen.includes(platform)} onChange={() => toggle(platform)} />
          {t.platforms[platform]}
        </label>
      ))}
    </fieldset>
  )
}
