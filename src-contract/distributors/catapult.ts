import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'Catapult, help centre, article 360057012192'

/** Catapult accepts WAV, but no MP3 and no mono. */
export const catapult = {
  id: 'catapult',
  name: { en: 'Catapult', ko: 'Catapult' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav'], source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16, 24], source: SOURCE, confidence: 'published' },
    { rule: 'channels', count: 2, source: SOURCE, confidence: 'published' },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
