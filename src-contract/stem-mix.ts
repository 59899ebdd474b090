/** The mix of a song that is sent as stems. With no settings it is the sum of the stems. */
import { REPAIR_KINDS, type RepairKind } from './repair-kinds.ts'
import { SETTINGS } from './settings.ts'
import type { StemMix, StemSettings } from './stem-mix-schemas.ts'

/** Settings of the sound of a song that each stem has too, under the same names and bounds. */
export const STEM_SOUND_NAMES = [
  ...(['tilt_db', 'bass_db', 'presence_db', 'air_db', 'width_percent', 'punch', 'warmth'] as const),
] as const
export type StemSoundName = (typeof STEM_SOUND_NAMES)[number]

/** Returns whether a stem is treated beyond its level and place. Pure. */
export const isTreated = ({ low_cut_hz, repairs = [], ...settings }: StemSettings): boolean =>
  low_cut_hz !== undefined ||
  repairs.length > 0 ||
  STEM_SOUND_NAMES.some((name) => (settings[name] ?? SETTINGS[name].standard) !== SETTINGS[name].standard)

/** Returns a mix without neutral settings; undefined if nothing is left, so that the mix is the sum. Pure. */
export function chosenMix({ voice_forward_db: forwardDb = 0, stems = [] }: StemMix): StemMix | undefined {
  const chosen = stems.map(chosenSettings)
  const isChanged = (settings: StemSettings) => Object.keys(settings).some((name) => name !== 'stem' && name !== 'role')
  if (forwardDb === 0 && !chosen.some(isChanged)) return undefined
  const kept = chosen.filter((settings) => isChanged(settings) || (forwardDb !== 0 && settings.role !== undefined))
  return {
    ...(forwardDb === 0 ? {} : { voice_forward_db: forwardDb }),
    ...(kept.length === 0 ? {} : { stems: kept }),
  }
}

/** Returns the repairs that a song from stems is not given as a whole: the skipped ones, and those made in its stems. Pure. */
export function skippedWith(skipped: readonly RepairKind[], mix: StemMix | null | undefined): RepairKind[] {
  const made = mix?.stems?.flatMap(({ repairs = [] }) => repairs) ?? []
  return REPAIR_KINDS.filter((kind) => skipped.includes(kind) || made.includes(kind))
}

const NEUTRAL: Readonly<Record<string, unknown>> = {
  ...{ mute: false, solo: false, gain_db: 0, pan_percent: 0 },
  ...Object.fromEntries(STEM_SOUND_NAMES.map((name) => [name, SETTINGS[name].standard])),
}

function chosenSettings(settings: StemSettings): StemSettings {
  const isNeutral = ([name, value]: [string, unknown]) =>
    value === NEUTRAL[name] || (Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(settings).filter((entry) => !isNeutral(entry))) as StemSettings
}
