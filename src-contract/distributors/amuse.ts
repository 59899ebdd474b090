import type { DistributorProfile } from './rules.ts'

/** Amuse: none of its pages on files and covers could be read. */
export const amuse = {
  id: 'amuse',
  name: { en: 'Amuse', ko: 'Amuse' },
  rules: [],
} as const satisfies DistributorProfile
