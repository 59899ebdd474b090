/** The mix of a song that is sent as stems. With no settings it is the sum of the stems. */
import { REPAIR_KINDS, type RepairKind } from './repair-kinds.ts'
import { SETTINGS } from './settings.ts'
import type { StemMix, StemSettings } from './stem-mix-schemas.ts'

/** Settings of the sound of a song that each stem has too, under the same names and bounds. */
export const STEM_SOUND_NAMES = [
  ...(['tilt_db', 'bass_db', 'presence_db', 'air_db', 'width_percent', 'punch', 'warmth'] as const),
] as const

/** Returns whether a stem is treated beyond its level and place. Pure. */
export const isTreated = ({ low_cut_hz, repairs = [], ...settings }: StemSettings): boolean =>
  low_cut_hz !== undefined ||
  repairs.length > 0 ||
  STEM_SOUND_NAMES.some((name) => (settings[name] ?? SETTINGS[name].standard) !== SETTINGS[name].standard)

/** Returns a mix without neutral settings; undefined if nothing is left, so that the mix is the sum. Pure. */
export function chosenMix(mix: StemMix): StemMix | undefined {
  const { voice_forward_db: forwardDb = 0, restore_missing: isRestored = false, stems = [] } = mix
  const chosen = stems.map(chosenSettings)
  const isChanged = (settings: StemSettings) => Object.keys(settings).some((name) => name !== 'stem' && name !== 'role')
  if (forwardDb === 0 && !isRestored && !chosen.some(isChanged)) return undefined
  const kept = chosen.filter((settings) => isChanged(settings) || (forwardDb !== 0 && settings.role !== undefined))
  return {
    ...(forwardDb === 0 ? {} : { voice_forward_db: forwardDb }),
    ...(isRestored ? { restore_missing: true } : {}),
    ...(kept.length === 0 ? {} : { stems: kept }),
  }
}

/** Settings of a stem to be changed; undefined for neutral. */
export type StemChange = { [Name in Exclude<keyof StemSettings, 'stem'>]?: StemSettings[Name] | undefined }

/** Returns a mix with other settings of one stem; its role stays where it is set. null if nothing is left. Pure. */
export function withStem(mix: StemMix | null, stem: number, change: StemChange): StemMix | null {
  const { stems = [], ...others } = mix ?? {}
  const own = chosenSettings({ ...stems.find((one) => one.stem === stem), ...change, stem })
  const rest = stems.filter((one) => one.stem !== stem)
  const all = (Object.keys(own).length > 1 ? [...rest, own] : rest).sort((one, other) => one.stem - other.stem)
  return unlessEmpty({ ...others, ...(all.length > 0 ? { stems: all } : {}) })
}

/** Returns a mix with another change of the voice, dB; null if nothing is left. Pure. */
export function withVoiceForward(mix: StemMix | null, forwardDb: number): StemMix | null {
  const { voice_forward_db: _, ...others } = mix ?? {}
  return unlessEmpty(forwardDb === 0 ? others : { voice_forward_db: forwardDb, ...others })
}

/** Returns a mix with or without what the stems lack; null if nothing is left. Pure. */
export function withMissing(mix: StemMix | null, isRestored: boolean): StemMix | null {
  const { restore_missing: _, ...others } = mix ?? {}
  return unlessEmpty(isRestored ? { ...others, restore_missing: true } : others)
}

const unlessEmpty = (mix: StemMix): StemMix | null => (Object.keys(mix).length > 0 ? mix : null)

/** Returns the repairs left out for the sum of stems: the skipped ones, and those made in its stems. Pure. */
export function skippedWith(skipped: readonly RepairKind[], mix: StemMix | null | undefined): RepairKind[] {
  const made = mix?.stems?.flatMap(({ repairs = [] }) => repairs) ?? []
  return REPAIR_KINDS.filter((kind) => skipped.includes(kind) || made.includes(kind))
}

const NEUTRAL: Readonly<Record<string, unknown>> = {
  ...{ mute: false, solo: false, gain_db: 0, pan_percent: 0 },
  ...Object.fromEntries(STEM_SOUND_NAMES.map((name) => [name, SETTINGS[name].standard])),
}

/** Settings in the order in which they are written. */
const NAMES = ['stem', 'role', 'mute', 'solo', 'gain_db', 'pan_percent', 'low_cut_hz', ...STEM_SOUND_NAMES, 'repairs']

function chosenSettings(settings: StemChange & Pick<StemSettings, 'stem'>): StemSettings {
  const values: Readonly<Record<string, unknown>> = { ...settings }
  const isNeutral = (value: unknown, name: string) =>
    value === undefined || value === NEUTRAL[name] || (Array.isArray(value) && value.length === 0)
  const chosen = NAMES.filter((name) => !isNeutral(values[name], name))
  return Object.fromEntries(chosen.map((name) => [name, values[name]])) as unknown as StemSettings
}
