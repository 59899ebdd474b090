import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'Sundesire, "Audio file requirements"',
  'https://dmb.sundesiremedia.com/en/specifications/audiofile',
  '2026-11-29',
)
const ARTWORK = published(
  'Sundesire, FAQ, "Artwork Requirements for Digital Music Distribution"',
  'https://sundesiremedia.com/en/faq/publishmusic/artworks',
  '2026-11-29',
)

/** Sundesire limits peaks, and silence after a fade. */
export const sundesire = {
  id: 'sundesire',
  name: { en: 'Sundesire', ko: 'Sundesire' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...AUDIO },
    { rule: 'least_sample_rate', leastHz: 44_100, ...AUDIO },
    { rule: 'bit_depth', depths: [16, 24, 32], ...AUDIO },
    { rule: 'true_peak', mostDbtp: -0.3, ...AUDIO },
    { rule: 'silence_end', mostSeconds: 5, ...AUDIO },
    { rule: 'length', leastSeconds: 30, ...AUDIO },
    { rule: 'name_without', characters: '!*@&#^$%', ...AUDIO },
    { rule: 'cover', leastPx: 3000, ...ARTWORK },
    { rule: 'cover_type', types: ['image/jpeg'], ...ARTWORK },
    { rule: 'cover_color', ...ARTWORK },
  ],
} as const satisfies DistributorProfile
