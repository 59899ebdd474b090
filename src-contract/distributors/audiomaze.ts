import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'audiomaze, its own pages on audio files'

/** audiomaze accepts no ID3 or other embedded tags. */
export const audiomaze = {
  id: 'audiomaze',
  name: { en: 'audiomaze', ko: 'audiomaze' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], source: SOURCE, confidence: 'published' },
    { rule: 'sample_rate', ratesHz: [44_100], source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16, 24], source: SOURCE, confidence: 'published' },
    { rule: 'silence_start', mostSeconds: 10, source: SOURCE, confidence: 'published' },
    { rule: 'silence_end', mostSeconds: 10, source: SOURCE, confidence: 'published' },
    { rule: 'no_tags', source: SOURCE, confidence: 'published' },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
