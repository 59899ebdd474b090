import { type PlatformFacts, unpublishedPlayback } from './platform.ts'

/** Melon publishes nothing and is not known to normalise: its target is the usual release level of the genre, our recommendation. */
export const melon = {
  id: 'melon',
  name: { en: 'Melon', ko: 'Melon' },
  alsoCalled: ['멜론'],
  targetLufs: 'genre',
  targetConfidence: 'our_recommendation',
  ceilingDbtp: -1.5,
  loudCeiling: { above: -9, ceilingDbtp: -2 },
  ceilingConfidence: 'our_recommendation',
  playback: { referenceLufs: null, turnsUp: false },
  modes: unpublishedPlayback('Melon'),
  codecs: [{ codec: 'MP3', kilobits: 320 }],
  streams: ['mp3_320'],
} as const satisfies PlatformFacts
