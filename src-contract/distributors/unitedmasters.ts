import type { DistributorProfile } from './rules.ts'

/** UnitedMasters: none of its pages on files and covers could be read. */
export const unitedMasters = {
  id: 'unitedmasters',
  name: { en: 'UnitedMasters', ko: 'UnitedMasters' },
  rules: [],
} as const satisfies DistributorProfile
