/** Sections of the Sound column below the faders: style, starting point, planned processing, loudness and delivery. */
import type { ReactNode } from 'react'
import { FORMAT_NAMES, type Format, formatFacts } from '../../../../src-contract/formats.ts'
import { REPAIR_KINDS } from '../../../../src-contract/repair-kinds.ts'
import { AI_SERVICES, GENRES, type MasterSettings, STYLE_NAMES } from '../../../../src-contract/settings.ts'
import { STYLES, type StyleValues } from '../../../../src-contract/styles.ts'
import { decibels } from '../../../../src-contract/text/numbers.ts'
import { Hint } from '../../../components/button.tsx'
import { Cards, Segmented } from '../../../components/choices.tsx'
import { Fold } from '../../../components/fold.tsx'
import { Knob } from '../../../components/knob.tsx'
import { useWords } from '../../../text/context.tsx'
import { SettingKnob } from './sound-knobs.tsx'

export interface SectionProps {
  readonly settings: MasterSettings
  readonly mixed: ReadonlySet<string>
  readonly change: (change: Partial<MasterSettings>) => void
}

const isOfStyle = (settings: MasterSettings, style: StyleValues) =>
  (Object.keys(style) as (keyof StyleValues)[]).every((name) => settings[name] === style[name])

/** Five styles, each a starting point for the faders; a sentence describes the chosen one. */
export function StyleSection({ settings, mixed, change }: SectionProps) {
  const { t } = useWords()
  const { style } = settings
  const isChanged = !isOfStyle(settings, STYLES[style])
  return (
    <div className="field of-style">
      <span className="label">{t.settings.steering.style}</span>
      <Segmented
        label={t.settings.steering.style}
        value={mixed.has('style') ? null : style}
        options={STYLE_NAMES.map((one) => ({
          value: one,
          text: t.settings.styles[one],
          hint: t.sound.styles[one],
        }))}
        onChoose={(one) => change({ style: one, ...STYLES[one] })}
      />
      <p className="tick">
        {mixed.has('style') ? t.sound.mixed : t.sound.styles[style]}
        {isChanged && !mixed.has('style') && ` ${t.sound.changed}`}
      </p>
    </div>
  )
}

interface StartingPointProps extends SectionProps {
  /** Control of the reference with its name, where references are possible. */
  readonly reference?: { readonly name: string | undefined; readonly slot: ReactNode }
}

export function StartingPoint({ settings, mixed, change, reference }: StartingPointProps) {
  const { t } = useWords()
  const { genre, ai_service, intensity } = settings
  const services = ai_service === 'other' ? t.sound.anyService : t.services[ai_service]
  return (
    <Fold
      title={t.sound.start}
      summary={[
        ...[t.genres[genre], services, t.sound.intensityOf(intensity)],
        ...(reference ? [reference.name ?? t.sound.noReference] : []),
      ].join(' · ')}
    >
      <div className="field">
        <span className="label">{t.settings.genre}</span>
        <Segmented
          label={t.settings.genre}
          columns={3}
          value={mixed.has('genre') ? null : genre}
          options={GENRES.map((one) => ({ value: one, text: t.genres[one] }))}
          onChoose={(one) => change({ genre: one })}
        />
        <p className="tick">{t.sound.help.genre}</p>
      </div>
      <div className="field">
        <span className="label">{t.settings.madeWith}</span>
        <Segmented
          label={t.settings.madeWith}
          className="fit"
          value={mixed.has('ai_service') ? null : ai_service}
          options={AI_SERVICES.map((one) => ({ value: one, text: t.services[one] }))}
          onChoose={(one) => change({ ai_service: one })}
        />
      </div>
      <SettingKnob name="intensity" {...{ settings, mixed, change }} />
      {reference?.slot}
    </Fold>
  )
}

/** Shares of the planned processing to apply, processing that is off by default, and faults to leave alone. */
export function PlannedSection({ settings, mixed, change }: SectionProps) {
  const { t } = useWords()
  const { skip_repairs } = settings
  const summary = t.sound.plannedOf(settings)
  const toggle = (kind: (typeof REPAIR_KINDS)[number], isMade: boolean) =>
    change({ skip_repairs: REPAIR_KINDS.filter((one) => (one === kind ? !isMade : skip_repairs.includes(one))) })
  return (
    <Fold title={t.sound.planned} summary={summary}>
      {(['tone_amount', 'dynamics_amount', 'image_amount', 'density', 'highs_side_db'] as const).map((name) => (
        <SettingKnob key={name} name={name} {...{ settings, mixed, change }} />
      ))}
      <Hint text={t.sound.help.skip_repairs} side="left">
        <fieldset className="field repairs-made" aria-describedby="repairs-help">
          <legend className="label">{t.sound.repairs}</legend>
          {REPAIR_KINDS.map((kind) => (
            <label key={kind}>
              <input
                type="checkbox"
                checked={!skip_repairs.includes(kind)}
                onChange={(event) => toggle(kind, event.currentTarget.checked)}
              />
              {t.settings.repairs[kind]}
            </label>
          ))}
          <span id="repairs-help" className="vh">
            {t.sound.help.skip_repairs}
          </span>
        </fieldset>
      </Hint>
    </Fold>
  )
}

/** Initial value of a custom target, LUFS. */
const FIRST_TARGET_LUFS = -12
const TARGET_RANGE = { minimum: -24, maximum: -6, neutral: FIRST_TARGET_LUFS, fine: 0.1, coarse: 0.5 }

type Aim = 'platform' | 'competitive' | 'own' | 'reference'

interface LoudnessSectionProps extends SectionProps {
  /** True if any song has a reference. */
  readonly hasReference: boolean
  readonly cost: ReactNode
}

/** Loudness of the masters: by platform, by genre, a custom target, or that of the reference. */
export function LoudnessSection({ settings, mixed, change, hasReference, cost }: LoudnessSectionProps) {
  const { t } = useWords()
  const { loudness, target_lufs, reference_loudness } = settings
  const aim: Aim = target_lufs !== null ? 'own' : reference_loudness && hasReference ? 'reference' : loudness
  const isMixed = (['loudness', 'target_lufs', 'reference_loudness'] as const).some((name) => mixed.has(name))
  const choose = (one: Aim) => {
    if (one === 'own') return change({ target_lufs: FIRST_TARGET_LUFS })
    const isReference = one === 'reference'
    change({ ...(isReference ? {} : { loudness: one }), target_lufs: null, reference_loudness: isReference })
  }
  return (
    <div className="field">
      <span className="label">{t.settings.loudness}</span>
      <Segmented<Aim>
        label={t.settings.loudness}
        value={isMixed ? null : aim}
        options={[
          { value: 'platform', text: t.settings.platformTarget, hint: t.sound.aims.platform },
          { value: 'competitive', text: t.settings.competitive, hint: t.sound.aims.competitive },
          {
            value: 'own',
            text: target_lufs === null ? t.sound.own : `${t.sound.own} ${decibels(target_lufs, 1)}`,
            hint: t.sound.aims.own,
          },
          ...(hasReference
            ? [{ value: 'reference' as const, text: t.settings.referenceLevel, hint: t.sound.aims.reference }]
            : []),
        ]}
        onChoose={choose}
      />
      {target_lufs === null ? (
        <p className="tick">{isMixed ? t.sound.mixed : t.sound.aims[aim]}</p>
      ) : (
        <Knob
          label={t.settings.steering.target_lufs}
          value={target_lufs}
          range={TARGET_RANGE}
          valueText={`${decibels(target_lufs, 1)} LUFS`}
          help={t.sound.help.target_lufs}
          onChange={(value) => change({ target_lufs: value })}
        />
      )}
      {cost}
    </div>
  )
}

/** Output files: one for all services, and further formats of every master. */
export function FilesSection({ settings, mixed, change }: SectionProps) {
  const { t } = useWords()
  const { formats, release_master: isRelease } = settings
  const summary =
    mixed.has('formats') || mixed.has('release_master')
      ? t.sound.mixed
      : t.sound.filesOf(
          isRelease,
          formats.map((format) => formatFacts(format).name),
        )
  const toggle = (format: Format, isWritten: boolean) =>
    change({ formats: FORMAT_NAMES.filter((one) => (one === format ? isWritten : formats.includes(one))) })
  return (
    <Fold title={t.sound.files} summary={summary}>
      <div className="field repairs-made">
        <label className="whole">
          <input
            type="checkbox"
            checked={isRelease}
            aria-describedby="release-help"
            onChange={(event) => change({ release_master: event.currentTarget.checked })}
          />
          {t.sound.releaseMaster}
        </label>
        <p id="release-help" className="tick whole">
          {t.sound.releaseHelp}
        </p>
      </div>
      <fieldset className="field repairs-made" aria-describedby="formats-help">
        <legend className="label">{t.sound.formats}</legend>
        {FORMAT_NAMES.map((format) => (
          <label key={format}>
            <input
              type="checkbox"
              checked={formats.includes(format)}
              onChange={(event) => toggle(format, event.currentTarget.checked)}
            />
            {formatFacts(format).name}
          </label>
        ))}
        <p id="formats-help" className="tick whole">
          {t.sound.formatsHelp}
        </p>
      </fieldset>
    </Fold>
  )
}

export function QualitySection({ settings, mixed, change }: SectionProps) {
  const { t } = useWords()
  return (
    <Fold title={t.sound.quality} summary={`${t.tiers[settings.tier]} · ${t.sound.deliveryOf[settings.tier]}`}>
      <div className="field">
        <span className="label">
          {t.settings.tier} <span className="faint">{t.settings.tierPrice}</span>
        </span>
        <Cards
          label={t.settings.tier}
          value={mixed.has('tier') ? null : settings.tier}
          options={[
            { value: 'standard', text: t.tiers.standard, sentence: t.settings.standardText },
            { value: 'premium', text: t.tiers.premium, sentence: t.settings.premiumText },
          ]}
          onChoose={(tier) => change({ tier })}
        />
      </div>
    </Fold>
  )
}
