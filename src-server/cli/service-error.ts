import type { ErrorEnvelope } from '../contract/errors.ts'

/** An answer of the service that is not a success: what its envelope says. */
export class ServiceError extends Error {
  readonly envelope: ErrorEnvelope
  constructor(envelope: ErrorEnvelope) {
    super([envelope.error.message, ...(envelope.error.details ?? [])].join(' '))
    this.envelope = envelope
  }
}
