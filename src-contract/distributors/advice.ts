/** Our own rules in addition to every receiver's. */
import type { DeliveryRule } from './rules.ts'

/** Highest true peak on playback, dBTP: above it a converter clips. */
const FULL_SCALE_DBTP = 0

export const ADVICE: readonly DeliveryRule[] = [
  {
    rule: 'loudness',
    leastLufs: -24,
    mostLufs: -6,
    source: 'our advice: a master outside of this range is mostly a mistake of the export',
    confidence: 'our_recommendation',
  },
  {
    rule: 'true_peak_after_rate',
    mostDbtp: FULL_SCALE_DBTP,
    source: 'our advice: services lower the rate to 44.1 kHz, and peaks between samples may rise',
    confidence: 'our_recommendation',
  },
  {
    rule: 'true_peak_after_codec',
    mostDbtp: FULL_SCALE_DBTP,
    source: 'our advice: a lossy copy above full scale clips in the player',
    confidence: 'our_recommendation',
  },
  {
    rule: 'cover',
    leastPx: 1400,
    source: 'common practice of distributors: square, 1400 pixels or more',
    confidence: 'common_practice',
  },
  {
    rule: 'cover_color',
    source: 'common practice of distributors: RGB; DistroKid, help centre, article 360013534334, refuses CMYK and grey',
    confidence: 'common_practice',
  },
]
