import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'CD Baby, help centre, article 204498645',
  'https://support.cdbaby.com/hc/en-us/articles/204498645-How-do-I-upload-my-audio',
  '2026-11-29',
)

/** CD Baby takes WAV or FLAC of CD quality, and MP3 without recommending it. */
export const cdBaby = {
  id: 'cd_baby',
  name: { en: 'CD Baby', ko: 'CD Baby' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac', 'mp3'], ...AUDIO },
    { rule: 'sample_rate', ratesHz: [44_100], ...AUDIO },
    { rule: 'bit_depth', depths: [16], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
    { rule: 'name_characters', ...AUDIO },
  ],
} as const satisfies DistributorProfile
