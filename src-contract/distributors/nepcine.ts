import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'nepcine, style guide, "Audio files requirements"',
  'https://music.nepcine.com/nepcine-content-style-guide/audio-files-requirements/',
  '2026-11-29',
)
const EARLIER = { source: 'nepcine, its pages on audio files', read: '2026-11-26', confidence: 'published' } as const

/** nepcine recommends 24 bit at 48 or 96 kHz. */
export const nepcine = {
  id: 'nepcine',
  name: { en: 'nepcine', ko: 'nepcine' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...AUDIO },
    { rule: 'least_sample_rate', leastHz: 44_100, ...AUDIO },
    { rule: 'bit_depth', depths: [16, 24, 32], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
    { rule: 'silence_end', mostSeconds: 10, ...AUDIO },
    { rule: 'length', leastSeconds: 30, isMore: true, onlySingles: true, ...EARLIER },
    { rule: 'name_of_title', ...EARLIER },
  ],
} as const satisfies DistributorProfile
