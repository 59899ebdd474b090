import { spotify } from '../platforms/spotify.ts'
import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const PACKAGE = published(
  'Spotify, provider support, "Building a Package"',
  'https://providersupport.spotify.com/article/building-a-package',
  '2026-11-29',
)
const FORMATS = published(
  'Spotify, artists support, "Audio file formats"',
  'https://support.spotify.com/at/artists/article/audio-file-formats',
  '2026-11-29',
)
const LOUDNESS = published(
  'Spotify, artists support, "Loudness normalization"',
  'https://support.spotify.com/us/artists/article/loudness-normalization',
  '2026-11-29',
)

const AI_CREDITS = published(
  'Spotify, artists support, "AI credits on Spotify"',
  'https://support.spotify.com/sn-en/artists/article/ai-credits/',
  '2026-11-29',
)

/** Spotify itself, through any distributor: FLAC is preferred to WAV, and neither rate nor depth may be reduced before delivery. */
export const spotifyDelivery = {
  id: 'spotify_delivery',
  name: { en: 'Spotify', ko: 'Spotify' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...PACKAGE },
    { rule: 'least_sample_rate', leastHz: 44_100, ...PACKAGE },
    { rule: 'bit_depth', depths: [16, 24, 32], ...FORMATS },
    { rule: 'channels', count: 2, ...PACKAGE },
    { rule: 'format_code', ...PACKAGE },
    { rule: 'chunk_order', ...PACKAGE },
    {
      rule: 'true_peak',
      mostDbtp: spotify.ceilingDbtp,
      loud: { above: spotify.loudCeiling.above, mostDbtp: spotify.loudCeiling.ceilingDbtp },
      ...LOUDNESS,
    },
    { rule: 'cover', leastPx: 640, ...PACKAGE },
    { rule: 'cover_type', types: ['image/jpeg', 'image/png'], ...PACKAGE },
    { rule: 'cover_color', ...PACKAGE },
  ],
  asks: {
    disclosure: { need: 'asked', ...AI_CREDITS },
  },
} as const satisfies DistributorProfile
