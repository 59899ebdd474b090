import { OBSERVED, type PlatformFacts } from './platform.ts'

/** Apple publishes its ceiling ("Apple Digital Masters" brief); −16 LUFS is the observed target of Sound Check. */
export const appleMusic = {
  id: 'apple_music',
  name: { en: 'Apple Music', ko: 'Apple Music' },
  alsoCalled: ['apple', '애플 뮤직', '애플뮤직', '애플'],
  targetLufs: -16,
  targetConfidence: 'common_practice',
  ceilingDbtp: -1,
  ceilingConfidence: 'published',
  playback: { referenceLufs: -16, turnsUp: true },
  modes: [
    { mode: 'standard', referenceLufs: -16, up: 'to_peak', ...OBSERVED },
    { mode: 'off', referenceLufs: null, up: 'never', ...OBSERVED },
  ],
  codecs: [{ codec: 'AAC', kilobits: 256 }],
  streams: ['aac_256'],
} as const satisfies PlatformFacts
