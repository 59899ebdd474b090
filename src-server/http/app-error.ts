import { ERRORS, type ErrorCode, type ErrorParams } from '../../src-contract/errors.ts'
import type { Detail } from '../../src-contract/text/details.ts'
import type { RequestReason } from '../../src-contract/text/reasons.ts'

/** Details of a failure besides its code. */
export interface AppErrorOptions {
  /** The field or parameter at fault: the member `param` of the envelope. */
  readonly param?: string
  /** Rules that the value breaks: the member `details`, in the language of the message. */
  readonly details?: readonly Detail[]
  /** Extra response headers. `Retry-After`, `Allow` and `WWW-Authenticate` are derived from the code and its values. */
  readonly headers?: Readonly<Record<string, string>>
  /** For the log only; a caller never sees it. */
  readonly cause?: unknown
}

/** An expected failure: a code of the catalogue, the values of its sentence and, for the log, the cause. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly values: ErrorParams
  readonly param: string | undefined
  readonly details: readonly Detail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ErrorCode, values: ErrorParams = {}, options: AppErrorOptions = {}) {
    super(code, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.values = options.param === undefined ? values : { param: options.param, field: options.param, ...values }
    this.param = options.param
    this.details = options.details
    this.headers = options.headers ?? {}
  }

  /** The HTTP status of this code in the specification or the catalogue. */
  get status(): number {
    return ERRORS[this.code].status
  }
}

/** Returns INVALID_REQUEST with the sentence of `reason`, in the reader's language. */
export function invalidRequest(reason: RequestReason, options: AppErrorOptions = {}): AppError {
  return new AppError('INVALID_REQUEST', { reason }, options)
}

/** Returns INVALID_REQUEST with the rule that the value of `param` breaks. */
export function unusable(param: string, rule: Detail): AppError {
  return new AppError('INVALID_REQUEST', {}, { param, details: [rule] })
}

/** Runs a check of the value at `place`, such as `settings` or `tracks[1]`: a field that it refuses is named as a member of that. */
export function checkedAt<Result>(place: string, check: () => Result): Result {
  try {
    return check()
  } catch (error) {
    if (!(error instanceof AppError) || error.param === undefined) throw error
    const { code, details, headers, cause } = error
    const param = `${place}.${error.param}`
    const values = { ...error.values, param, field: param }
    throw new AppError(code, values, { param, ...(details ? { details } : {}), headers, cause })
  }
}
