/** Mastering settings: of all songs, or of the selected one. */
import { SlidersHorizontal } from 'lucide-react'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Preset } from '../../../src-contract/app.ts'
import { REPAIR_KINDS } from '../../../src-contract/repair-kinds.ts'
import {
  AI_SERVICES,
  DEFAULT_SETTINGS,
  GENRES,
  type MasterSettings,
  SETTINGS,
  type SettingName,
  STYLE_NAMES,
} from '../../../src-contract/settings.ts'
import { STYLES } from '../../../src-contract/styles.ts'
import { decibels, change as signed } from '../../../src-contract/text/numbers.ts'
import { Button } from '../../components/button.tsx'
import { Cards, Fader, Segmented } from '../../components/choices.tsx'
import { Menu, Modal } from '../../components/dialogs.tsx'
import { TextField } from '../../components/text-field.tsx'
import { useApp, useSelect } from '../../state/app-state.ts'
import { type SongRow, withOwnSettings } from '../../state/song-rows.ts'
import { useWords } from '../../text/context.tsx'
import type { Text } from '../../text/en.ts'
import { ReferenceSlot } from './reference-slot.tsx'
import { useScope } from './use-batch.ts'

export function SettingsColumn({ rows }: { rows: readonly SongRow[] }) {
  const { t } = useWords()
  return (
    <aside className="side" aria-label={t.settings.label}>
      <div className="row">
        <h2 className="grow">{t.settings.title}</h2>
        <Presets />
      </div>
      <SettingsFields rows={rows} />
    </aside>
  )
}

interface ControlProps {
  readonly t: Text
  readonly settings: MasterSettings
  readonly change: (settings: Partial<MasterSettings>) => void
  /** The song that is changed alone, and whether it has settings of its own. */
  readonly rowId: string | null
  readonly isOwn: boolean
}

type Amount = 'width_percent' | 'warmth' | 'punch' | 'tone_amount' | 'dynamics_amount' | 'image_amount'

const amountFader = (name: Amount) =>
  function AmountFader({ t, settings, change }: ControlProps) {
    const { minimum, maximum, standard } = SETTINGS[name]
    return (
      <Fader
        label={t.settings.steering[name]}
        value={settings[name]}
        standard={standard}
        range={{ minimum, maximum, step: 1 }}
        onChange={(value) => change({ [name]: value })}
      />
    )
  }

const levelFader = (name: 'tilt_db' | 'bass_db' | 'presence_db' | 'air_db') =>
  function LevelFader({ t, settings, change }: ControlProps) {
    const { minimum, maximum, standard } = SETTINGS[name]
    return (
      <Fader
        label={t.settings.steering[name]}
        value={settings[name]}
        standard={standard}
        range={{ minimum, maximum, step: 0.1 }}
        valueText={`${signed(settings[name])} dB`}
        onChange={(value) => change({ [name]: value })}
      />
    )
  }

/** Level at which an own target starts, LUFS. */
const FIRST_TARGET_LUFS = -14

/** Controls of the settings in the order in which they stand. */
const CONTROLS: Record<SettingName, (props: ControlProps) => ReactNode> = {
  genre: ({ t, settings, change }) => (
    <div className="field">
      <span className="label">{t.settings.genre}</span>
      <Segmented
        label={t.settings.genre}
        columns={3}
        value={settings.genre}
        options={GENRES.map((genre) => ({ value: genre, text: t.genres[genre] }))}
        onChoose={(genre) => change({ genre })}
      />
    </div>
  ),
  ai_service: ({ t, settings, change }) => (
    <div className="field">
      <span className="label">{t.settings.madeWith}</span>
      <Segmented
        label={t.settings.madeWith}
        className="fit"
        value={settings.ai_service}
        options={AI_SERVICES.map((service) => ({ value: service, text: t.services[service] }))}
        onChoose={(ai_service) => change({ ai_service })}
      />
    </div>
  ),
  tier: ({ t, settings, change }) => (
    <div className="field">
      <span className="label">
        {t.settings.tier} <span className="faint">{t.settings.tierPrice}</span>
      </span>
      <Cards
        label={t.settings.tier}
        value={settings.tier}
        options={[
          { value: 'standard', text: t.tiers.standard, sentence: t.settings.standardText },
          { value: 'premium', text: t.tiers.premium, sentence: t.settings.premiumText },
        ]}
        onChoose={(tier) => change({ tier })}
      />
    </div>
  ),
  intensity: ({ t, settings, change }) => (
    <Fader
      label={t.settings.intensity}
      value={settings.intensity}
      standard={DEFAULT_SETTINGS.intensity}
      between={[t.settings.gentle, t.settings.firm]}
      onChange={(intensity) => change({ intensity })}
    />
  ),
  loudness: ({ t, settings, change }) => (
    <div className="field">
      <span className="label">{t.settings.loudness}</span>
      <Segmented
        label={t.settings.loudness}
        value={settings.loudness}
        options={[
          { value: 'platform', text: t.settings.platformTarget },
          { value: 'competitive', text: t.settings.competitive },
        ]}
        onChoose={(loudness) => change({ loudness })}
      />
    </div>
  ),
  reference_amount: ({ settings, change, rowId, isOwn }) => (
    <ReferenceSlot settings={settings} rowId={rowId} isOwn={isOwn} onChange={change} />
  ),
  style: ({ t, settings, change }) => (
    <div className="field">
      <span className="label">{t.settings.steering.style}</span>
      <Segmented
        label={t.settings.steering.style}
        columns={3}
        value={settings.style}
        options={STYLE_NAMES.map((style) => ({ value: style, text: t.settings.styles[style] }))}
        onChoose={(style) => change({ style, ...STYLES[style] })}
      />
    </div>
  ),
  tilt_db: levelFader('tilt_db'),
  bass_db: levelFader('bass_db'),
  presence_db: levelFader('presence_db'),
  air_db: levelFader('air_db'),
  width_percent: amountFader('width_percent'),
  punch: amountFader('punch'),
  warmth: amountFader('warmth'),
  tone_amount: amountFader('tone_amount'),
  dynamics_amount: amountFader('dynamics_amount'),
  image_amount: amountFader('image_amount'),
  skip_repairs: ({ t, settings, change }) => (
    <fieldset className="field">
      <legend className="label">{t.settings.steering.skip_repairs}</legend>
      {REPAIR_KINDS.map((kind) => (
        <label key={kind} className="row">
          <input
            type="checkbox"
            checked={settings.skip_repairs.includes(kind)}
            onChange={({ currentTarget: { checked } }) =>
              change({
                skip_repairs: REPAIR_KINDS.filter((one) =>
                  one === kind ? checked : settings.skip_repairs.includes(one),
                ),
              })
            }
          />
          {t.settings.repairs[kind]}
        </label>
      ))}
    </fieldset>
  ),
  target_lufs: ({ t, settings: { target_lufs }, change }) => {
    const { minimum, maximum } = SETTINGS.target_lufs
    const own = (
      <label className="row">
        <input
          type="checkbox"
          checked={target_lufs !== null}
          onChange={({ currentTarget }) => change({ target_lufs: currentTarget.checked ? FIRST_TARGET_LUFS : null })}
        />
        {t.settings.ownTarget}
      </label>
    )
    if (target_lufs === null) return <div className="field">{own}</div>
    return (
      <Fader
        label={t.settings.steering.target_lufs}
        value={target_lufs}
        standard={FIRST_TARGET_LUFS}
        range={{ minimum, maximum, step: 0.1 }}
        valueText={`${decibels(target_lufs, 1)} LUFS`}
        onChange={(value) => change({ target_lufs: value })}
      >
        {own}
      </Fader>
    )
  },
}

/** Says whose settings these are, and offers to put those that differ back. */
export function ScopeLine({ rows }: { rows: readonly SongRow[] }) {
  const { batch } = useApp()
  const { t } = useWords()
  const { rowIds, title, ownIds } = useScope()
  const isAll = rowIds.length === 0
  const apart = isAll ? withOwnSettings(rows).map((row) => row.rowId) : ownIds
  return (
    <div className="row scope">
      <span className="grow clip" role="status">
        {isAll ? t.settings.allSongs(rows.length) : title ? <bdi>{title}</bdi> : t.settings.someSongs(rowIds.length)}
      </span>
      {/* It has its place in any case: what is below never moves. */}
      {apart.length > 0 && (
        <Button look="quiet" small onClick={() => batch.clearOwnSettings(apart, t.settings.madeLikeAll(apart.length))}>
          {isAll ? t.settings.include(apart.length) : t.settings.likeAll}
        </Button>
      )}
    </div>
  )
}

/** The fields alone: in the column, or in the sheet of a narrow window. */
export function SettingsFields({ rows }: { rows: readonly SongRow[] }) {
  const { t } = useWords()
  const { settings, rowIds, ownIds, change } = useScope()
  if (!settings) return null
  return (
    <>
      <ScopeLine rows={rows} />
      {Object.entries(CONTROLS).map(([name, Control]) => (
        <Control key={name} {...{ t, settings, change }} rowId={rowIds.at(-1) ?? null} isOwn={ownIds.length > 0} />
      ))}
    </>
  )
}

/** Settings under a name, to be used again. */
export function Presets() {
  const { batch, notices } = useApp()
  const { t } = useWords()
  const { settings, change } = useScope()
  const presets = useSelect(batch.store, (state) => state.batch?.presets)
  const [isNaming, setNaming] = useState(false)
  const [name, setName] = useState('')
  const [isNameless, setNameless] = useState(false)
  /** The preset that has the name already, while it is asked whether it is to be replaced. */
  const [taken, setTaken] = useState<Preset | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  const replaceButton = useRef<HTMLButtonElement>(null)
  const known = presets ?? []
  const showNaming = (isShown: boolean) => {
    setNaming(isShown)
    setNameless(false)
    setTaken(null)
    setName('')
  }
  useEffect(() => {
    if (taken) replaceButton.current?.focus()
  }, [taken])
  const save = (event: FormEvent) => {
    event.preventDefault()
    const trimmed = name.trim()
    if (!trimmed) {
      setNameless(true)
      return field.current?.focus()
    }
    if (!settings) return
    const namesake = known.find((preset) => preset.name.normalize() === trimmed.normalize())
    // Another object each time, so that the focus goes to the answer again.
    if (namesake) return setTaken({ ...namesake })
    void batch.changePresets((all) => [...all, { name: trimmed, settings }])
    showNaming(false)
  }
  const replace = (old: Preset) => {
    if (!settings) return
    const put = (next: Preset) => (all: readonly Preset[]) =>
      all.map((preset) => (preset.name === old.name ? next : preset))
    void batch.changePresets(put({ ...old, settings }))
    showNaming(false)
    notices.show({ text: t.settings.presetReplaced(old.name), undo: () => void batch.changePresets(put(old)) })
  }
  const remove = (gone: Preset) => {
    const others = (all: readonly Preset[]) => all.filter((preset) => preset.name !== gone.name)
    void batch.changePresets(others)
    notices.show({
      text: t.settings.presetDeleted(gone.name),
      undo: () => void batch.changePresets((all) => others(all).toSpliced(known.indexOf(gone), 0, gone)),
    })
  }
  return (
    <>
      <Menu
        label={t.settings.presets}
        items={[
          ...known.map((preset) => ({ text: preset.name, onChoose: () => change(preset.settings) })),
          ...(known.length > 0 ? [null] : []),
          { text: t.settings.savePreset, onChoose: () => showNaming(true) },
          ...known.map((preset) => ({
            text: t.settings.deletePreset(preset.name),
            isDanger: true,
            onChoose: () => remove(preset),
          })),
        ]}
        trigger={
          <Button ref={trigger} look="quiet" small icon={<SlidersHorizontal className="i s" aria-hidden="true" />}>
            {t.settings.presets}
          </Button>
        }
      />
      <Modal title={t.settings.savePreset} isOpen={isNaming} onClose={() => showNaming(false)} returnTo={trigger}>
        <form className="form" onSubmit={save}>
          <TextField
            ref={field}
            label={t.settings.presetName}
            value={name}
            maxLength={60}
            problem={taken ? t.settings.presetTaken(taken.name) : isNameless && t.settings.presetNameless}
            onChange={(next) => {
              setName(next)
              setNameless(false)
              setTaken(null)
            }}
          />
          <div className="row end">
            <Button look="quiet" onClick={() => showNaming(false)}>
              {t.cancel}
            </Button>
            {taken ? (
              <Button key="replace" ref={replaceButton} onClick={() => replace(taken)}>
                {t.settings.replacePreset}
              </Button>
            ) : (
              <Button key="save" type="submit">
                {t.save}
              </Button>
            )}
          </div>
        </form>
      </Modal>
    </>
  )
}
