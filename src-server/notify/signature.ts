/** Standard Webhooks 1.0 signatures (github.com/standard-webhooks/standard-webhooks, "Signature scheme": symmetric, v1). */
import { createHmac } from 'node:crypto'

/** Prefix of secrets (Standard Webhooks 1.0). */
const SECRET_PREFIX = 'whsec_'

/** Returns a signing secret, `whsec_` and base64, from 32 random bytes (the standard asks for 24 to 64). */
export function newSecret(randomBytes: (count: number) => Buffer): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

/** The three headers of one attempt. */
export interface SignedHeaders {
  readonly 'webhook-id': string
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

/**
 * Returns the headers for one attempt to send `body`: HMAC-SHA256 over `id.timestamp.body` with the bytes behind `whsec_`. `eventId` stays
 * the same on every attempt and contains no dot; `timestampSeconds` is Unix time of this attempt. Never throws.
 */
export function signedHeaders(secret: string, eventId: string, timestampSeconds: number, body: string): SignedHeaders {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${eventId}.${timestampSeconds}.${body}`).digest('base64')
  return {
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': `v1,${signature}`,
  }
}
