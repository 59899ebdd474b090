import type { PlatformFacts } from './platform.ts'

/**
 * SoundCloud publishes no loudness: its numbers are common practice. Its codecs are from developers.soundcloud.com on HLS; Opus, which peaks
 * highest, left that API in November 2025.
 */
export const soundcloud = {
  id: 'soundcloud',
  name: { en: 'SoundCloud', ko: 'SoundCloud' },
  alsoCalled: ['sound cloud', '사운드클라우드', '사운드 클라우드'],
  targetLufs: -14,
  targetConfidence: 'common_practice',
  ceilingDbtp: -1.5,
  ceilingConfidence: 'common_practice',
  playback: { referenceLufs: -14, turnsUp: false },
  modes: [
    {
      ...{ mode: 'standard', referenceLufs: -14, up: 'never', confidence: 'sources_disagree', read: '2026-11-28' },
      source: 'third parties: some measure −14 LUFS, others no normalisation',
    },
  ],
  codecs: [
    { codec: 'Opus', kilobits: 64 },
    { codec: 'AAC', kilobits: 160 },
  ],
  streams: ['aac_160'],
} as const satisfies PlatformFacts
