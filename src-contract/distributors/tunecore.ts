import { quoted } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const SUPPLIED = quoted(
  'Single Music, help centre, "Why Are UPC & ISRC Required?"',
  'https://artists.singlemusic.com/hc/en-us/articles/360059838794-Why-Are-UPC-ISRC-Required-',
  '2026-11-29',
)

/** TuneCore: only its page on titles and names could be read. */
export const tuneCore = {
  id: 'tunecore',
  name: { en: 'TuneCore', ko: 'TuneCore' },
  rules: [],
  asks: {
    isrc: { need: 'assigned', ...SUPPLIED },
    upc: { need: 'assigned', ...SUPPLIED },
  },
} as const satisfies DistributorProfile
