import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { permits } from '../../src-contract/endpoint.ts'
import { KEY_PREFIX } from '../../src-contract/limits.ts'
import type { Plan } from '../../src-contract/plans.ts'
import { AppError } from '../http/app-error.ts'
import { type Admit, type Caller, requireScope } from '../http/route.ts'
import type { Keys, KnownKey } from './keys.ts'
import { RATE_WINDOW_SECONDS, type RateLimiter } from './rate-limit.ts'

/** Answers that are not counted against the plan's requests per minute. */
const UNCOUNTED: ReadonlySet<number> = new Set([403, 429])

/** The door behind the guard. */
export interface Admission {
  readonly admit: Admit
  /**
   * Returns the API key of a request and counts nothing. Throws INVALID_API_KEY where there is none, also for the credentials of the
   * application.
   */
  readonly keyOf: (request: FastifyRequest) => KnownKey & { readonly key: string }
  /** Called just before an answer leaves: a request answered 403 or 429 is not counted. */
  settle(request: FastifyRequest, reply: FastifyReply): void
}

/**
 * Returns the door: the bearer credential decides who calls, an API key is counted against the plan's requests per minute, and the app's
 * own session and the owner's control credential are not. A key anywhere in the query is refused even with a valid header, because
 * addresses end up in logs.
 */
export function createAdmission(deps: {
  keys: Keys
  limiter: RateLimiter
  plan: () => Plan
  sessionCredential: string
  controlCredential: string
}): Admission {
  const { keys, limiter, plan } = deps
  const session = digest(deps.sessionCredential)
  const control = digest(deps.controlCredential)
  const marks = new WeakMap<FastifyRequest, number>()

  const announce = (reply: FastifyReply) => {
    const { limit, remaining, resetSeconds } = limiter.state()
    reply.header('ratelimit-policy', `"${plan()}";q=${limit};w=${RATE_WINDOW_SECONDS}`)
    reply.header('ratelimit', `"${plan()}";r=${remaining};t=${resetSeconds}`)
  }
  const identifyKey = (token: string, request: FastifyRequest) => {
    const known = keys.identify(token, request.headers['user-agent'])
    if (!known) throw new AppError('INVALID_API_KEY')
    return known
  }
  const identify = (request: FastifyRequest): Caller => {
    const token = bearerOf(request)
    const given = digest(token)
    if (timingSafeEqual(given, session)) return { via: 'session' }
    if (timingSafeEqual(given, control)) return { via: 'session', isOwner: true }
    return { via: 'key', ...identifyKey(token, request) }
  }

  return {
    admit(request, reply, needed) {
      const caller = identify(request)
      if (caller.via === 'session') return caller
      const isPermitted = needed !== 'session' && permits(caller.scope, needed)
      const mark = isPermitted ? limiter.take() : undefined
      if (mark !== undefined) marks.set(request, mark)
      announce(reply)
      if (needed === 'session') throw new AppError('FORBIDDEN')
      requireScope(caller.scope, needed)
      if (mark === undefined) {
        const { limit, resetSeconds } = limiter.state()
        throw new AppError('RATE_LIMIT', { limit, retryAfterSeconds: Math.max(1, resetSeconds) })
      }
      return caller
    },
    keyOf(request) {
      const key = bearerOf(request)
      return { ...identifyKey(key, request), key }
    },
    settle(request, reply) {
      const mark = marks.get(request)
      if (mark === undefined || !UNCOUNTED.has(reply.statusCode)) return
      limiter.giveBack(mark)
      announce(reply)
    },
  }
}

/** Returns the bearer credential. Throws INVALID_API_KEY without one, and for a key in the query. */
function bearerOf({ headers, url }: FastifyRequest): string {
  const token = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1]
  if (token === undefined || hasKeyInQuery(url)) throw new AppError('INVALID_API_KEY')
  return token
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function hasKeyInQuery(url: string): boolean {
  const start = url.indexOf('?')
  return start >= 0 && decodeLoosely(url.slice(start)).includes(KEY_PREFIX)
}

function decodeLoosely(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
