import type { DistributorProfile } from './rules.ts'

const AUDIO = { source: 'omziki, its pages on audio files', read: '2026-11-26', confidence: 'published' } as const

/** omziki recommends 24 bit at 48 or 96 kHz. Its pages were read, but their addresses were not kept. */
export const omziki = {
  id: 'omziki',
  name: { en: 'omziki', ko: 'omziki' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...AUDIO },
    { rule: 'least_sample_rate', leastHz: 44_100, ...AUDIO },
    { rule: 'bit_depth', depths: [16, 24, 32], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
    { rule: 'silence_start', mostSeconds: 10, ...AUDIO },
    { rule: 'silence_end', mostSeconds: 10, ...AUDIO },
    { rule: 'length', leastSeconds: 30, isMore: true, onlySingles: true, ...AUDIO },
    { rule: 'name_of_title', ...AUDIO },
  ],
} as const satisfies DistributorProfile
