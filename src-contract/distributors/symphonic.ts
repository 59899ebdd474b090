import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'Symphonic, help centre, article 213074303 (closed since)'

/** Symphonic refuses higher rates and depths, and all embedded metadata. */
export const symphonic = {
  id: 'symphonic',
  name: { en: 'Symphonic', ko: 'Symphonic' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav'], source: SOURCE, confidence: 'published' },
    { rule: 'sample_rate', ratesHz: [44_100], source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16], source: SOURCE, confidence: 'published' },
    { rule: 'file_size', mostBytes: 250_000_000, source: SOURCE, confidence: 'published' },
    { rule: 'no_tags', source: SOURCE, confidence: 'published' },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
