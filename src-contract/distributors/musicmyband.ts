import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'musicmyband, help, "Audio files requirements"',
  'https://help.musicmyband.com/knowledge-base/audio-files-requirements/',
  '2026-11-29',
)
const EARLIER = {
  source: 'musicmyband, its pages on audio files',
  read: '2026-11-26',
  confidence: 'published',
} as const

/** musicmyband recommends 24 bit at 48 or 96 kHz. */
export const musicMyBand = {
  id: 'musicmyband',
  name: { en: 'musicmyband', ko: 'musicmyband' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...AUDIO },
    { rule: 'least_sample_rate', leastHz: 44_100, ...AUDIO },
    { rule: 'bit_depth', depths: [16, 24, 32], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
    { rule: 'silence_end', mostSeconds: 10, ...AUDIO },
    { rule: 'length', leastSeconds: 30, isMore: true, onlySingles: true, ...EARLIER },
    { rule: 'name_of_title', ...AUDIO },
  ],
} as const satisfies DistributorProfile
