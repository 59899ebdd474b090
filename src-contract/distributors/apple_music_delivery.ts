import { ADVICE } from './advice.ts'
import type { DistributorProfile } from './rules.ts'

const SOURCE = 'Apple Digital Masters, technology brief'

/** Apple Music itself, through any distributor: 24 bit at the native rate is preferred, and headroom of 1 dB advised. */
export const appleMusicDelivery = {
  id: 'apple_music_delivery',
  name: { en: 'Apple Music', ko: 'Apple Music' },
  edition: '2026-11-26',
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], source: SOURCE, confidence: 'published' },
    { rule: 'least_sample_rate', leastHz: 44_100, source: SOURCE, confidence: 'published' },
    { rule: 'bit_depth', depths: [16, 24], source: SOURCE, confidence: 'published' },
    { rule: 'channels', count: 2, source: SOURCE, confidence: 'published' },
    { rule: 'true_peak', mostDbtp: -1, source: SOURCE, confidence: 'published' },
    ...ADVICE,
  ],
} as const satisfies DistributorProfile
