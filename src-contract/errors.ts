/** Catalogue of all error and failure codes of the service. */
import Type, { type Static } from 'typebox'
import { exactly, oneOf } from './common.ts'

interface ErrorKind {
  readonly status: number
  /** True if the same request may succeed later. */
  readonly retryable: boolean
  /** Value of `Retry-After`, unless the failure has a different one. */
  readonly retryAfterSeconds?: number
  /** Origin of the code: one of the specification's eight (section 7) or an extension. */
  readonly origin: 'specification' | 'extension'
}

interface FailureKind {
  /** True if the same song may succeed later, with other settings or more memory or disk space. */
  readonly retryable: boolean
}

/** `retry` is true if the request may succeed later, or the seconds to wait if they are known. */
const kind = (origin: ErrorKind['origin'], status: number, retry: boolean | number): ErrorKind =>
  typeof retry === 'number'
    ? { status, retryable: true, retryAfterSeconds: retry, origin }
    : { status, retryable: retry, origin }
const specified = (status: number, retry: boolean | number = false) => kind('specification', status, retry)
const extension = (status: number, retry: boolean | number = false) => kind('extension', status, retry)

export const ERRORS = {
  FILE_TOO_LARGE: specified(400),
  UNSUPPORTED_FORMAT: specified(400),
  FILE_TOO_LONG: specified(400),
  INVALID_PLATFORM: specified(400),
  INVALID_API_KEY: specified(401),
  INSUFFICIENT_CREDITS: specified(402),
  CONCURRENT_LIMIT: specified(429, 5),
  RATE_LIMIT: specified(429, 60),
  INVALID_REQUEST: extension(400),
  INVALID_WEBHOOK_URL: extension(400),
  TRIMMED_AWAY: extension(400),
  FADES_OVERLAP: extension(400),
  UNUSABLE_STEMS: extension(400),
  FORBIDDEN: extension(403),
  OWNER_REQUIRED: extension(403),
  PATH_NOT_ALLOWED: extension(403),
  NOT_FOUND: extension(404),
  JOB_NOT_FOUND: extension(404),
  RELEASE_NOT_FOUND: extension(404),
  BATCH_NOT_FOUND: extension(404),
  LINK_NOT_FOUND: extension(404),
  METHOD_NOT_ALLOWED: extension(405),
  REQUEST_TIMEOUT: extension(408, true),
  JOB_NOT_READY: extension(409, 2),
  JOB_FAILED: extension(409),
  AUDITION_NOT_READY: extension(409, 1),
  CEILING_NOT_HELD: extension(409),
  IDEMPOTENCY_IN_PROGRESS: extension(409, 1),
  KEY_LIMIT: extension(409),
  WEBHOOK_LIMIT: extension(409),
  STEM_SET_LIMIT: extension(409),
  PRESET_NAME_TAKEN: extension(409),
  TRACK_LIMIT: extension(409),
  RELEASE_NOT_READY: extension(409),
  TRACKS_NOT_CONTINUOUS: extension(409),
  RELEASE_BUSY: extension(409, 5),
  FOLDER_TAKEN: extension(409),
  RESULT_EXPIRED: extension(410),
  FILE_GONE: extension(410),
  TICKET_SPENT: extension(410),
  PRECONDITION_FAILED: extension(412),
  UNSUPPORTED_MEDIA_TYPE: extension(415),
  RANGE_NOT_SATISFIABLE: extension(416),
  IDEMPOTENCY_MISMATCH: extension(422),
  INTERNAL_ERROR: extension(500, true),
  UNAVAILABLE: extension(503, 5),
  AUDITION_ENDED: extension(503, 1),
  INSUFFICIENT_STORAGE: extension(507, true),
} as const satisfies Record<string, ErrorKind>

export type ErrorCode = keyof typeof ERRORS
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[]

/** Failures of an accepted job; the job then carries `failure_code` and an `error_message` and is refunded. */
export const FAILURES = {
  CANCELLED: { retryable: true },
  DIGITAL_SILENCE: { retryable: false },
  TOO_SHORT: { retryable: false },
  UNREADABLE_AUDIO: { retryable: false },
  INVALID_SAMPLES: { retryable: false },
  CEILING_BROKEN: { retryable: true },
  ENGINE_CRASHED: { retryable: true },
  OUT_OF_MEMORY: { retryable: true },
  MACHINES_LOST: { retryable: true },
  ENGINE_TIMEOUT: { retryable: true },
  SOURCE_LOST: { retryable: false },
  REFERENCE_LOST: { retryable: true },
  REFERENCE_UNREADABLE: { retryable: true },
  DISK_FULL: { retryable: true },
  FFMPEG_MISSING: { retryable: true },
  FFMPEG_BROKEN: { retryable: true },
  ENCODER_MISSING: { retryable: true },
  ENGINE_FAILED: { retryable: true },
} as const satisfies Record<string, FailureKind>

export type FailureCode = keyof typeof FAILURES
export const FAILURE_CODES = Object.keys(FAILURES) as FailureCode[]

/** Values that a message may mention. */
export type ErrorParams = Readonly<Record<string, string | number>>

/** The envelope of every unsuccessful answer (specification section 7, with extension members). */
export const ErrorEnvelope = exactly({
  error: exactly({
    code: oneOf(ERROR_CODES),
    message: Type.String({ description: 'Human-readable; language and wording are not part of the contract.' }),
    param: Type.Optional(Type.String({ description: 'Extension: the field or parameter at fault.' })),
    details: Type.Optional(
      Type.Array(Type.String(), { description: 'Extension: what the value may be, in the language of `message`.' }),
    ),
    values: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description:
          'Only for the page of the application: values that `message` mentions, so that the page can word it in its own language.',
      }),
    ),
    request_id: Type.Optional(Type.String({ description: 'Extension: quote it when asking about this answer.' })),
  }),
})
export type ErrorEnvelope = Static<typeof ErrorEnvelope>
