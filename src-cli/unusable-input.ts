import { type ApiError, errorOf } from '../src-contract/client.ts'

/** Returns the refusal of an argument that cannot be used, in the form of a refusal of the service. */
export function unusable(message: string): ApiError {
  return errorOf({ error: { code: 'INVALID_REQUEST', message } })
}
