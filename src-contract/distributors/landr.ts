import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const COVERS = published(
  'LANDR, help centre, article 115009568447',
  'https://support.landr.com/hc/en-us/articles/115009568447-What-are-LANDR-s-cover-art-requirements',
  '2026-11-29',
)

const CODES = published(
  'LANDR, help centre, "Distribution 101"',
  'https://support.landr.com/hc/en-us/articles/115009567827-Distribution-101',
  '2026-11-29',
)

/** LANDR: its pages on covers and codes could be read, but none on audio files. */
export const landr = {
  id: 'landr',
  name: { en: 'LANDR', ko: 'LANDR' },
  rules: [
    { rule: 'cover', leastPx: 1500, mostPx: 6000, ...COVERS },
    { rule: 'cover_type', types: ['image/jpeg', 'image/png'], ...COVERS },
  ],
  asks: {
    explicit: { need: 'asked', ...CODES },
    isrc: { need: 'assigned', ...CODES },
    upc: { need: 'assigned', ...CODES },
  },
} as const satisfies DistributorProfile
