/** Limits of sets of stems. */

/** Fewest and most stems of a set. */
export const MIN_STEMS = 2
export const MAX_STEMS = 32
/** Largest set, bytes: 4 GB together, packed or not. */
export const MAX_STEM_SET_BYTES = 4_294_967_296
/** Most sets that came by the API and have no job. */
export const MAX_UNUSED_STEM_SETS = 2
/** Largest size of all sets that came by the API, bytes: 8 GB. */
export const MAX_ACCOUNT_STEM_BYTES = 8_589_934_592
/** Lifetime of a set without a job, hours. */
export const STEM_SET_HOURS = 24
