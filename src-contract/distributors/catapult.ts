import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'Catapult, help centre, article 360057012192',
  'https://catapultsupport.zendesk.com/hc/en-us/articles/360057012192-Audio-File-Requirements',
  '2026-11-29',
)

/** Catapult accepts WAV, but no MP3 and no mono. */
export const catapult = {
  id: 'catapult',
  name: { en: 'Catapult', ko: 'Catapult' },
  rules: [
    { rule: 'file_type', types: ['wav'], ...AUDIO },
    { rule: 'sample_rate', ratesHz: [44_100, 48_000, 96_000, 192_000], ...AUDIO },
    { rule: 'bit_depth', depths: [16, 24], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
  ],
} as const satisfies DistributorProfile
