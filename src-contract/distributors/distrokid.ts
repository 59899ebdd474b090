import { published, quoted } from './foundation.ts'
import type { DistributorProfile } from './rules.ts'

const UPLOADING = published(
  'DistroKid, help centre, "Uploading"',
  'https://support.distrokid.com/hc/en-us/categories/360001857214-Uploading',
  '2026-11-29',
)
const ARTWORK = published(
  'DistroKid, help centre, article 360013534334',
  'https://support.distrokid.com/hc/id/articles/360013534334',
  '2026-11-29',
)
const QUOTED = quoted(
  'Studio Live Today, "DistroKid FAQ", which quotes its help',
  'https://studiolivetoday.wordpress.com/links/distrokid/',
  '2026-11-29',
  '2020-11-30',
)

const CODES = quoted(
  'audiobyray, "Does DistroKid provide ISRC codes?", which quotes its help',
  'https://audiobyray.com/faq/does-distrokid-provide-isrc-codes/',
  '2026-11-29',
)
const SUPPLIED = quoted(
  'Single Music, help centre, "Why Are UPC & ISRC Required?"',
  'https://artists.singlemusic.com/hc/en-us/articles/360059838794-Why-Are-UPC-ISRC-Required-',
  '2026-11-29',
)
const AI_QUESTION = quoted(
  'JG BeatsLab, "The Quiet Message in DistroKid\'s New AI Disclosure", which quotes the form',
  'https://www.jgbeatslab.com/ai-music-lab-blog/distrokid-ai-disclosure-quiet-message',
  '2026-11-29',
)

/** DistroKid lists no formats on the pages that could be read: formats and rates are as a user quotes its help. */
export const distroKid = {
  id: 'distrokid',
  name: { en: 'DistroKid', ko: 'DistroKid' },
  rules: [
    { rule: 'file_type', types: ['wav', 'flac', 'mp3', 'm4a'], ...QUOTED },
    { rule: 'bit_depth', depths: [16, 24], ...QUOTED },
    { rule: 'least_sample_rate', leastHz: 44_100, ...QUOTED },
    { rule: 'cover', leastPx: 1000, ...QUOTED },
    { rule: 'cover_type', types: ['image/jpeg'], ...UPLOADING },
    { rule: 'cover_color', ...ARTWORK },
  ],
  guests: 'own_field',
  asks: {
    title: { need: 'required', ...UPLOADING },
    artist: { need: 'required', ...UPLOADING },
    release_date: { need: 'asked', ...UPLOADING },
    genre: { need: 'required', ...UPLOADING },
    composers: { need: 'required', ...UPLOADING },
    explicit: { need: 'asked', ...UPLOADING },
    isrc: { need: 'assigned', ...CODES },
    upc: { need: 'assigned', ...SUPPLIED },
    disclosure: { need: 'required', ...AI_QUESTION },
  },
} as const satisfies DistributorProfile
