/** Kinds of repair, in the order of the chain. */
export const REPAIR_KINDS = [
  'dc_offset',
  'rumble',
  'clipping',
  'clicks',
  'whistle',
  'flutter',
  'mud',
  'resonance',
  'sibilance',
  'mono_bass',
] as const
export type RepairKind = (typeof REPAIR_KINDS)[number]
