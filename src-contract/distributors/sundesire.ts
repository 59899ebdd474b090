import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'Sundesire, its own pages on audio files'

/** Sundesire publishes only how much silence may follow a fade. */
export const sundesire = {
  id: 'sundesire',
  name: { en: 'Sundesire', ko: 'Sundesire' },
  edition: '2026-11-26',
  rules: [{ rule: 'silence_end', mostSeconds: 5, source: SOURCE, confidence: 'published' }, ...ADVICE],
} as const satisfies DistributorProfile
