import { spotify } from '../platforms/spotify.ts'
import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'support.spotify.com, artists, "Audio file formats"'

/** Spotify itself, through any distributor: FLAC is preferred to WAV, and neither rate nor depth may be reduced before delivery. */
export const spotifyDelivery = {
  id: 'spotify_delivery',
  name: { en: 'Spotify', ko: 'Spotify' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], source: SOURCE, confidence: 'published' },
    { rule: 'least_sample_rate', leastHz: 44_100, source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16, 24, 32], source: SOURCE, confidence: 'published' },
    { rule: 'channels', count: 2, source: SOURCE, confidence: 'published' },
    { rule: 'format_code', source: SOURCE, confidence: 'published' },
    { rule: 'chunk_order', source: SOURCE, confidence: 'published' },
    {
      rule: 'true_peak',
      mostDbtp: spotify.ceilingDbtp,
      loud: { above: spotify.loudCeiling.above, mostDbtp: spotify.loudCeiling.ceilingDbtp },
      source: 'support.spotify.com, "Loudness normalization"',
      confidence: 'published',
    },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
