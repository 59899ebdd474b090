import type { PlatformFacts } from './platform.ts'

const NORMALISATION = {
  confidence: 'published',
  source: 'Spotify, artists support, "Loudness normalization"',
  url: 'https://support.spotify.com/us/artists/article/loudness-normalization',
  read: '2026-11-29',
} as const

/**
 * Spotify publishes its loudness and ceilings: support.spotify.com, "Loudness normalization"; and its bit rates: "Audio quality". Normal, High
 * and Very high, 96, 160 and 320 kbit/s, are Vorbis of qualities 2, 5 and 9; the web player has AAC.
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
  modes: [
    { mode: 'standard', referenceLufs: -14, up: 'to_peak', ...NORMALISATION },
    { mode: 'loud', referenceLufs: -11, up: 'limited', ...NORMALISATION },
    { mode: 'quiet', referenceLufs: -19, up: 'to_peak', ...NORMALISATION },
    { mode: 'web_player', referenceLufs: null, up: 'never', ...NORMALISATION },
  ],
  codecs: [
    { codec: 'Vorbis', quality: 2 },
    { codec: 'Vorbis', quality: 5 },
    { codec: 'AAC', kilobits: 256 },
    { codec: 'Vorbis', quality: 9 },
  ],
  streams: ['vorbis_160', 'aac_256'],
} as const satisfies PlatformFacts
