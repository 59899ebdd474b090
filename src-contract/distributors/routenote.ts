import { published } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const FORMATS = published(
  'RouteNote, blog, "What\'s the difference between FLAC and MP3?"',
  'https://routenote.com/blog/whats-the-difference-between-flac-and-mp3/',
  '2026-11-29',
)

const STYLE = published(
  'RouteNote, support, "RouteNote Style Guide"',
  'https://support.routenote.com/kb-article/routenote-style-guide/',
  '2026-11-29',
)

/** RouteNote itself delivers FLAC, and takes WAV and MP3 as well. */
export const routeNote = {
  id: 'routenote',
  name: { en: 'RouteNote', ko: 'RouteNote' },
  rules: [{ rule: 'file_type', types: ['wav', 'flac', 'mp3'], ...FORMATS }],
  guests: 'in_title',
  asks: {
    artist: { need: 'required', ...STYLE },
  },
} as const satisfies DistributorProfile
