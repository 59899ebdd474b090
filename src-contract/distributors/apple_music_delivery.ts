import { quoted } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const BRIEF = {
  source: 'Apple Digital Masters, technology brief',
  read: '2026-11-26',
  confidence: 'published',
} as const

const AI_TAGS = quoted(
  'The Decoder, "Apple puts AI disclosure responsibility on labels and distributors"',
  'https://the-decoder.com/apple-puts-ai-disclosure-responsibility-on-labels-and-distributors/',
  '2026-11-29',
  '2026-03-05',
)

/** Apple Music itself, through any distributor: 24 bit at the native rate is preferred, and headroom of 1 dB advised. */
export const appleMusicDelivery = {
  id: 'apple_music_delivery',
  name: { en: 'Apple Music', ko: 'Apple Music' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...BRIEF },
    { rule: 'least_sample_rate', leastHz: 44_100, ...BRIEF },
    { rule: 'bit_depth', depths: [16, 24], ...BRIEF },
    { rule: 'channels', count: 2, ...BRIEF },
    { rule: 'true_peak', mostDbtp: -1, ...BRIEF },
  ],
  asks: {
    disclosure: { need: 'asked', ...AI_TAGS },
  },
  unsearched: ['cover', 'cover_color'],
} as const satisfies DistributorProfile
