import type { PlatformFacts } from './platform.ts'

/**
 * Spotify publishes its loudness and ceilings: support.spotify.com, "Loudness normalization"; and its bit rates, 160 kbit/s being "High":
 * "Audio quality".
 */
export const spotify = {
  id: 'spotify',
  name: { en: 'Spotify', ko: 'Spotify' },
  alsoCalled: ['스포티파이'],
  targetLufs: -14,
  targetConfidence: 'published',
  ceilingDbtp: -1,
  loudCeiling: { above: -14, ceilingDbtp: -2 },
  ceilingConfidence: 'published',
  playback: { referenceLufs: -14, turnsUp: true },
  codecs: [
    { codec: 'AAC', kilobits: 256 },
    { codec: 'Vorbis', quality: 9 },
  ],
  streams: ['vorbis_160', 'aac_256'],
} as const satisfies PlatformFacts
