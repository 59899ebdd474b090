import { OBSERVED, type PlatformFacts } from './platform.ts'

/** YouTube publishes no numbers: these are common practice. Video sound is at 48 kHz. */
export const youtube = {
  id: 'youtube',
  name: { en: 'YouTube', ko: 'YouTube' },
  alsoCalled: ['유튜브', '유튭'],
  targetLufs: -14,
  targetConfidence: 'common_practice',
  ceilingDbtp: -1,
  ceilingConfidence: 'common_practice',
  playback: { referenceLufs: -14, turnsUp: false },
  modes: [{ mode: 'standard', referenceLufs: -14, up: 'never', ...OBSERVED }],
  codecs: [
    { codec: 'AAC', kilobits: 128 },
    { codec: 'Opus', kilobits: 160 },
  ],
  streams: ['opus_160', 'aac_128'],
} as const satisfies PlatformFacts
