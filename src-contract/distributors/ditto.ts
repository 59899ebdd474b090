import { published, quoted } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const STARTED = published(
  'Ditto Music, help, "What do I need to get started?"',
  'http://support.dittomusic.com/support/solutions/folders/11000012750',
  '2026-11-29',
  '2019-03-28',
)
const ARTWORK = published(
  'Ditto Music, help, article 11000070628',
  'http://support.dittomusic.com/en/support/solutions/articles/11000070628-what-format-does-my-artwork-need-to-be-in-',
  '2026-11-29',
)

const BARCODES = published(
  'Ditto Music, blog, "Do I Need A Barcode To Sell My Music?"',
  'https://dittomusic.com/en/blog/do-i-need-a-barcode-to-sell-my-music/',
  '2026-11-29',
)
const SUPPLIED = quoted(
  'Single Music, help centre, "Why Are UPC & ISRC Required?"',
  'https://artists.singlemusic.com/hc/en-us/articles/360059838794-Why-Are-UPC-ISRC-Required-',
  '2026-11-29',
)

/** Ditto: its artwork page is undated, and its page on audio files could only be read as of 2019. */
export const ditto = {
  id: 'ditto',
  name: { en: 'Ditto', ko: 'Ditto' },
  rules: [
    { rule: 'file_type', types: ['wav', 'mp3'], ...STARTED },
    { rule: 'cover', leastPx: 3000, ...ARTWORK },
    { rule: 'cover_type', types: ['image/jpeg', 'image/png'], ...ARTWORK },
  ],
  asks: {
    isrc: { need: 'assigned', ...SUPPLIED },
    upc: { need: 'assigned', ...BARCODES },
  },
} as const satisfies DistributorProfile
