import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'Symphonic, help centre, "Audio File Specifications for Distribution"',
  'https://support.symdistro.com/hc/en-us/articles/213074303-Audio-File-Specifications-for-Distribution',
  '2026-11-29',
)

/** Symphonic refuses all embedded metadata; higher rates and depths than 44.1 / 16, which an older page of the same number refused, are taken. */
export const symphonic = {
  id: 'symphonic',
  name: { en: 'Symphonic', ko: 'Symphonic' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...AUDIO },
    { rule: 'least_sample_rate', leastHz: 44_100, ...AUDIO },
    { rule: 'bit_depth', depths: [16, 24], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
    { rule: 'no_tags', ...AUDIO },
  ],
} as const satisfies DistributorProfile
