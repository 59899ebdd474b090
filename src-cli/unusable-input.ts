import { type ApiError, errorOf } from '../src-contract/client.ts'

/** Returns the refusal of an unusable argument, in the form of a refusal by the service. */
export function unusable(message: string): ApiError {
  return errorOf({ error: { code: 'INVALID_REQUEST', message } })
}
