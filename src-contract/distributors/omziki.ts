import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'omziki, its own pages on audio files'

/** omziki recommends 24 bit at 48 or 96 kHz. */
export const omziki = {
  id: 'omziki',
  name: { en: 'omziki', ko: 'omziki' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], source: SOURCE, confidence: 'published' },
    { rule: 'least_sample_rate', leastHz: 44_100, source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16, 24], source: SOURCE, confidence: 'published' },
    { rule: 'silence_start', mostSeconds: 10, source: SOURCE, confidence: 'published' },
    { rule: 'silence_end', mostSeconds: 10, source: SOURCE, confidence: 'published' },
    { rule: 'length', leastSeconds: 30, isMore: true, onlySingles: true, source: SOURCE, confidence: 'published' },
    { rule: 'name_of_title', source: SOURCE, confidence: 'published' },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
