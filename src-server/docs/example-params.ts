/** Example values for the contract's sentences in the documentation. */
import type { ErrorCode, ErrorParams } from '../../src-contract/errors.ts'
import { MAX_RELEASE_TRACKS } from '../../src-contract/limits.ts'
import { PLATFORMS } from '../../src-contract/platforms/index.ts'
import { MAX_UNUSED_STEM_SETS } from '../../src-contract/stem-limits.ts'

const EXAMPLES: Partial<Record<ErrorCode, ErrorParams>> = {
  FILE_TOO_LONG: { duration: '12:04' },
  INVALID_PLATFORM: { platform: 'nowhere', allowed: PLATFORMS.join(', ') },
  CONCURRENT_LIMIT: { limit: 5 },
  RATE_LIMIT: { limit: 30, retryAfterSeconds: 12 },
  INVALID_REQUEST: { param: 'genre' },
  UNUSABLE_STEMS: { reason: 'name_twice', name: 'Drums.wav' },
  STEM_SET_LIMIT: { reason: 'unused', limit: MAX_UNUSED_STEM_SETS },
  TRIMMED_AWAY: { seconds: 1, leftSeconds: 0.4 },
  FADES_OVERLAP: { seconds: 12, leftSeconds: 9.5 },
  METHOD_NOT_ALLOWED: { allow: 'GET' },
  KEY_LIMIT: { plan: 'pro', limit: 5 },
  WEBHOOK_LIMIT: { plan: 'pro', limit: 3 },
  PRESET_NAME_TAKEN: { name: 'Night EP' },
  TRACKS_NOT_CONTINUOUS: { track: 2, title: 'Night Bus', reason: 'rate' },
  RELEASE_NOT_READY: { track: 2, title: 'Night Bus' },
  FOLDER_TAKEN: { folder: 'Band - Night EP' },
  TRACK_LIMIT: { limit: MAX_RELEASE_TRACKS },
  UNSUPPORTED_MEDIA_TYPE: { expected: 'multipart/form-data' },
}

/** Returns typical values for the sentence of `code`, which leaves no gaps; empty if it needs none. */
export function exampleParams(code: ErrorCode): ErrorParams {
  return EXAMPLES[code] ?? {}
}
