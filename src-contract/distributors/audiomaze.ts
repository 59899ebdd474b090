import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const AUDIO = published(
  'audiomaze, help, "Audio file format"',
  'https://support.audiomaze.com/release-upload/audio-file-format',
  '2026-11-29',
)

/** audiomaze accepts no ID3 or other embedded tags. */
export const audiomaze = {
  id: 'audiomaze',
  name: { en: 'audiomaze', ko: 'audiomaze' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac'], ...AUDIO },
    { rule: 'sample_rate', ratesHz: [44_100], ...AUDIO },
    { rule: 'bit_depth', depths: [16, 24], ...AUDIO },
    { rule: 'channels', count: 2, ...AUDIO },
    { rule: 'silence_start', mostSeconds: 10, ...AUDIO },
    { rule: 'silence_end', mostSeconds: 10, ...AUDIO },
    { rule: 'no_tags', ...AUDIO },
  ],
} as const satisfies DistributorProfile
