/** Settings of a mix of stems as values; their schemas are in `stem-mix-schemas.ts`. */
import type { RepairKind } from './repair-kinds.ts'
import type { StemRole } from './stem-roles.ts'

/** Settings of one stem; each is neutral when absent. */
export interface StemSettings {
  /** Number of the stem in its set, from 1. */
  stem: number
  role?: StemRole
  mute?: boolean
  solo?: boolean
  gain_db?: number
  pan_percent?: number
  low_cut_hz?: number
  tilt_db?: number
  bass_db?: number
  presence_db?: number
  air_db?: number
  width_percent?: number
  punch?: number
  warmth?: number
  repairs?: RepairKind[]
}

/** Settings of a mix. */
export interface StemMix {
  voice_forward_db?: number
  restore_missing?: boolean
  stems?: StemSettings[]
}
