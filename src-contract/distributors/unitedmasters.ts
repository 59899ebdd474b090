import { withAdvice } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

/** UnitedMasters: none of its pages on files and covers could be read. */
export const unitedMasters = {
  id: 'unitedmasters',
  name: { en: 'UnitedMasters', ko: 'UnitedMasters' },
  rules: withAdvice([]),
  asks: {},
  unpublished: [
    'file_type',
    'bit_depth',
    'sample_rate',
    'channels',
    'no_tags',
    'silence_start',
    'silence_end',
    'length',
    'true_peak',
    'cover',
    'cover_color',
  ],
} as const satisfies DistributorProfile
