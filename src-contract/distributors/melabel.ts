import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'melabel, knowledge base, "Audio File Requirements"',
  'https://melabel.io/knowledge-base/audio-file-requirements/',
  '2026-11-29',
)

/** melabel accepts CD quality, no short single and no album of very short tracks. */
export const melabel = {
  id: 'melabel',
  name: { en: 'melabel', ko: 'melabel' },
  rules: [
    { rule: 'file_type', types: ['wav'], ...AUDIO },
    { rule: 'sample_rate', ratesHz: [44_100], ...AUDIO },
    { rule: 'bit_depth', depths: [16], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
    { rule: 'length', leastSeconds: 30, onlySingles: true, ...AUDIO },
    { rule: 'mean_length', leastSeconds: 60, ...AUDIO },
  ],
} as const satisfies DistributorProfile
