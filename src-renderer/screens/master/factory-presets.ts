/** Presets shipped with the program: published sound values, each for one purpose. Our recommendation. */
import { REPAIR_KINDS } from '../../../src-contract/repair-kinds.ts'
import { type MasterSettings, NEUTRAL_SOUND } from '../../../src-contract/settings.ts'

export const FACTORY_PRESETS = {
  voice: { ...NEUTRAL_SOUND, style: 'clean', bass_db: -0.5, presence_db: 1.4, air_db: 0.5 },
  club: { ...NEUTRAL_SOUND, style: 'clean', bass_db: 1.8, punch: 30, width_percent: 110 },
  soft: { ...NEUTRAL_SOUND, style: 'clean', tilt_db: -1, air_db: -1.5, punch: -20, warmth: 35 },
  natural: { ...NEUTRAL_SOUND, style: 'clean', tone_amount: 40, dynamics_amount: 30, image_amount: 40 },
  loudness: {
    ...NEUTRAL_SOUND,
    style: 'clean',
    tone_amount: 0,
    dynamics_amount: 0,
    image_amount: 0,
    skip_repairs: [...REPAIR_KINDS],
  },
} as const satisfies Readonly<Record<string, Partial<MasterSettings>>>

export type FactoryPreset = keyof typeof FACTORY_PRESETS
export const FACTORY_NAMES = Object.keys(FACTORY_PRESETS) as FactoryPreset[]
