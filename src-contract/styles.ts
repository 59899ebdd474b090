/** Styles: published starting values of the settings of the sound. Pure. */
import {
  DEFAULT_SETTINGS,
  FURTHER_NAMES,
  type JobSettings,
  NEUTRAL_SOUND,
  SETTING_NAMES,
  type SettingName,
  type SoundSettings,
  type Style,
} from './settings.ts'

/** Values of a style. */
export type StyleValues = Omit<SoundSettings, 'skip_repairs'>

const { skip_repairs: _, ...NEUTRAL } = NEUTRAL_SOUND

/** Every value of every style. Our recommendation. */
export const STYLES: Readonly<Record<Style, StyleValues>> = {
  clean: NEUTRAL,
  warm: { ...NEUTRAL, tilt_db: -0.8, bass_db: 1, punch: -10, warmth: 45 },
  punchy: { ...NEUTRAL, bass_db: 0.8, presence_db: 0.8, punch: 45, warmth: 10, dynamics_amount: 60 },
  bright: { ...NEUTRAL, tilt_db: 0.8, presence_db: 0.7, air_db: 1.5 },
  open: { ...NEUTRAL, air_db: 1, width_percent: 120, punch: 10, dynamics_amount: 50 },
}

/** Returns `named` settings completed by the values of their style, if they name one; named settings take precedence. */
export function withStyle<Named extends Partial<JobSettings>>(named: Named): Named & Partial<StyleValues> {
  return named.style === undefined ? named : { ...STYLES[named.style], ...named }
}

/**
 * Returns the names of the settings that determine all others: all of the first version, and of the further ones those that are neither
 * neutral nor given by the style. A request that names only these has the same meaning.
 */
export function tellingNames(settings: Pick<JobSettings, SettingName>): SettingName[] {
  const given: Readonly<Record<string, unknown>> = { ...DEFAULT_SETTINGS, ...STYLES[settings.style] }
  return SETTING_NAMES.filter(
    (name) =>
      !FURTHER_NAMES.some((further) => further === name) ||
      JSON.stringify(settings[name]) !== JSON.stringify(given[name]),
  )
}
