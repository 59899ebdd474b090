/**
 * Verification of callbacks by Standard Webhooks 1.0 (github.com/standard-webhooks/standard-webhooks, symmetric
 * signatures, v1).
 */
import type { JobCompleted, JobFailed, WebhookTest } from '../../../src-contract/events.ts'

/** Headers of the request: those of fetch, or those of Node. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Greatest deviation of a callback's timestamp in either direction, s; 300 when absent, as in the standard. */
  readonly toleranceSeconds?: number
  /** Current time, ms since 1970; the machine's clock when absent. */
  readonly nowMs?: number
}

/** A callback signed by the service. */
export interface VerifiedWebhook {
  /** Identifier of the event, the same on every attempt: handle each only once. */
  readonly id: string
  readonly event: JobCompleted | JobFailed | WebhookTest
}

/** An invalid callback. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
  readonly reason: 'headers' | 'secret' | 'time' | 'signature'

  constructor(reason: WebhookError['reason']) {
    super(SENTENCES[reason])
    this.reason = reason
  }
}

const SENTENCES = {
  headers: 'The callback is not signed: a header webhook-id, webhook-timestamp or webhook-signature is missing.',
  secret: 'The secret is none: it begins with whsec_.',
  time: 'The callback is too old, or from the future.',
  signature: 'The signature of the callback is not that of the secret.',
} as const

const SECRET_PREFIX = 'whsec_'
const TOLERANCE_SECONDS = 300

/**
 * Verifies a callback and returns its event. `body` is the raw body before parsing, and `secret` that of the account
 * webhook or of the job callbacks. Throws WebhookError if it is invalid, and SyntaxError if the signed body is not
 * JSON.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string,
  { toleranceSeconds = TOLERANCE_SECONDS, nowMs = Date.now() }: VerifyOptions = {},
): Promise<VerifiedWebhook> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!id || !timestamp || !signatures) throw new WebhookError('headers')
  const ageSeconds = nowMs / 1000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN)
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) throw new WebhookError('time')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const key = await keyOf(secret)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const entry of signatures.split(' ')) {
    const given = entry.startsWith('v1,') ? bytesOf(entry.slice(3)) : undefined
    // Compares in constant time.
    if (given && (await crypto.subtle.verify('HMAC', key, given, signed))) return { id, event: JSON.parse(text) }
  }
  throw new WebhookError('signature')
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const bytes = secret.startsWith(SECRET_PREFIX) ? bytesOf(secret.slice(SECRET_PREFIX.length)) : undefined
  if (!bytes || bytes.length === 0) throw new WebhookError('secret')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Returns the bytes of base64; undefined if it is invalid. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof found === 'string' ? found : found?.[0]
}
