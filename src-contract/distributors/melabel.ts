import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'melabel, its own pages on audio files'

/** melabel accepts CD quality and no very short tracks. */
export const melabel = {
  id: 'melabel',
  name: { en: 'melabel', ko: 'melabel' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav'], source: SOURCE, confidence: 'published' },
    { rule: 'sample_rate', ratesHz: [44_100], source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16], source: SOURCE, confidence: 'published' },
    { rule: 'length', leastSeconds: 30, source: SOURCE, confidence: 'published' },
    { rule: 'mean_length', leastSeconds: 60, source: SOURCE, confidence: 'published' },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
