/** Our own rules, which apply in addition to a receiver's unless it has one of the same kind. */
import type { DeliveryRule, DistributorProfile, RuleName } from './rules.ts'

/** Highest true peak on playback, dBTP: above it a converter clips. */
const FULL_SCALE_DBTP = 0

const OURS = { confidence: 'our_recommendation' } as const

const ADVICE: readonly DeliveryRule[] = [
  {
    rule: 'loudness',
    leastLufs: -24,
    mostLufs: -6,
    source: 'our advice: a master outside of this range is mostly a mistake of the export',
    ...OURS,
  },
  {
    rule: 'true_peak_after_rate',
    mostDbtp: FULL_SCALE_DBTP,
    source: 'our advice: services lower the rate to 44.1 kHz, and peaks between samples may rise',
    ...OURS,
  },
  {
    rule: 'true_peak_after_codec',
    mostDbtp: FULL_SCALE_DBTP,
    source: 'our advice: a lossy copy above full scale clips in the player',
    ...OURS,
  },
  {
    rule: 'cover',
    leastPx: 1400,
    source: 'common practice of distributors: square, 1400 pixels or more',
    confidence: 'common_practice',
  },
  {
    rule: 'cover_color',
    source: 'common practice of distributors: RGB with 8 bits for each channel',
    confidence: 'common_practice',
  },
]

/** Returns the rules of a receiver, completed by our advice. */
export function withAdvice(rules: readonly DeliveryRule[]): readonly DeliveryRule[] {
  const own = new Set(rules.map(({ rule }) => rule))
  return [...rules, ...ADVICE.filter(({ rule }) => !own.has(rule))]
}

/** Kinds of rules that were looked for at every receiver. */
const SEARCHED_RULES = [
  'file_type',
  'bit_depth',
  'sample_rate',
  'channels',
  'no_tags',
  'silence_start',
  'silence_end',
  'length',
  'true_peak',
  'cover',
  'cover_color',
] as const satisfies readonly RuleName[]

/** Returns the kinds of rules that were not found in `SEARCHED`: nothing is known of them, and no file is blamed. */
export function unpublishedRules({ rules, unsearched = [] }: DistributorProfile): RuleName[] {
  const found = rules.flatMap((rule) => (ADVICE.includes(rule) ? [] : rule.rule))
  const known = [...found, ...unsearched, ...(found.includes('least_sample_rate') ? ['sample_rate'] : [])]
  return SEARCHED_RULES.filter((rule) => !known.includes(rule))
}
