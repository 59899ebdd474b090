import { withAdvice } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

/** TuneCore: of its pages only that on titles and names could be read. */
export const tuneCore = {
  id: 'tunecore',
  name: { en: 'TuneCore', ko: 'TuneCore' },
  rules: withAdvice([]),
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
