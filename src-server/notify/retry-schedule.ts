/** Retry schedule of failed callbacks. Pure. */
import { httpDateMs } from '../../src-system/system.ts'

/** Waits between the attempts, ms: from attempts at 0, 5 s, 30 s, 2 min, 10 min, 1 h, 6 h and 24 h after the event. */
const WAITS_MS = [5, 25, 90, 480, 3000, 18_000, 64_800].map((seconds) => seconds * 1000)

/** Attempts in all. */
export const MAX_ATTEMPTS = WAITS_MS.length + 1

/** Largest relative extension of a wait, which spreads the retries to receivers that come back. */
const JITTER = 0.1
/** A receiver may ask for a longer wait than ours, up to this. */
const MAX_RETRY_AFTER_MS = 24 * 3600 * 1000

/**
 * Returns the wait after failed attempt number `attempts` (1 is the first), ms, or undefined after the last. `random` is from 0 to 1
 * exclusive; `retryAfterMs` is the receiver's request. Never throws.
 */
export function waitAfter(attempts: number, random: number, retryAfterMs: number | undefined): number | undefined {
  const wait = WAITS_MS[attempts - 1]
  if (wait === undefined) return undefined
  const asked = Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS)
  return Math.max(Math.round(wait * (1 + JITTER * random)), asked)
}

/**
 * Returns the wait requested by a `Retry-After` header, ms (RFC 9110 section 10.2.3: seconds or a date), or undefined if it is absent or
 * malformed. `nowMs` is epoch ms.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = /[a-z]/i.test(text) ? httpDateMs(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs)
}
