import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'CD Baby, help centre, article 204498645'

/** CD Baby accepts one WAV of CD quality for each track. */
export const cdBaby = {
  id: 'cd_baby',
  name: { en: 'CD Baby', ko: 'CD Baby' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav'], source: SOURCE, confidence: 'published' },
    { rule: 'sample_rate', ratesHz: [44_100], source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16], source: SOURCE, confidence: 'published' },
    { rule: 'name_characters', source: SOURCE, confidence: 'published' },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
