import { withAdvice } from './advice.ts'
import { type DistributorProfile, published } from './rules.ts'

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
const QUOTED = {
  ...published(
    'Studio Live Today, "DistroKid FAQ", which quotes its help',
    'https://studiolivetoday.wordpress.com/links/distrokid/',
    '2026-11-29',
    '2020-11-30',
  ),
  confidence: 'common_practice',
} as const

/** DistroKid shows no list of formats in the pages that we could read: formats and rates are as a user quotes its help. */
export const distroKid = {
  id: 'distrokid',
  name: { en: 'DistroKid', ko: 'DistroKid' },
  rules: withAdvice([
    { rule: 'file_type', types: ['wav', 'flac', 'mp3', 'm4a'], ...QUOTED },
    { rule: 'bit_depth', depths: [16, 24], ...QUOTED },
    { rule: 'least_sample_rate', leastHz: 44_100, ...QUOTED },
    { rule: 'cover', leastPx: 1000, ...QUOTED },
    { rule: 'cover_type', types: ['image/jpeg'], ...UPLOADING },
    { rule: 'cover_color', ...ARTWORK },
  ]),
  unpublished: ['channels', 'no_tags', 'silence_start', 'silence_end', 'length', 'true_peak'],
} as const satisfies DistributorProfile
