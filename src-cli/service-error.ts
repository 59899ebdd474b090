import type { ErrorEnvelope } from '../src-contract/errors.ts'

/** A refusal, of the service or before it is asked: what its envelope says. */
export class ServiceError extends Error {
  readonly envelope: ErrorEnvelope
  constructor(envelope: ErrorEnvelope) {
    super(envelope.error.message)
    this.envelope = envelope
  }
}

/** Returns the refusal of what a command was given, which no second try mends. */
export function unusable(message: string): ServiceError {
  return new ServiceError({ error: { code: 'INVALID_REQUEST', message } })
}
