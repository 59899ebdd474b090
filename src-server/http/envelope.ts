/** Every failure is sent as `{"error":{"code","message"}}` (specification section 7), from any part of the process. */
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { codesOf, type Endpoint } from '../../src-contract/endpoint.ts'
import { ERRORS, type ErrorEnvelope } from '../../src-contract/errors.ts'
import { detailText } from '../../src-contract/text/details.ts'
import { type Language, preferredLanguage } from '../../src-contract/text/language.ts'
import { errorText } from '../../src-contract/text/text.ts'
import { toWireValues } from '../../src-contract/wire-values.ts'
import { isDiskFull } from '../../src-system/disk.ts'
import type { Log } from '../../src-system/log.ts'
import { isExhausted } from '../../src-system/process-group.ts'
import type { Clock } from '../../src-system/system.ts'
import { AppError, invalidRequest } from './app-error.ts'
import { drain } from './drain.ts'
import { callerOf, endpointOf } from './route.ts'

/** Returns the body of a failed answer: cause and remedy in `language`, no path and no stack. Never throws. */
export function envelopeOf(failure: AppError, language: Language, requestId: string): ErrorEnvelope {
  const details = failure.details?.map((detail) => detailText(detail, language))
  return {
    error: {
      code: failure.code,
      message: errorText(
        failure.code,
        details ? { ...failure.values, cause: details.join(' ') } : failure.values,
        language,
      ),
      ...(failure.param === undefined ? {} : { param: failure.param }),
      ...(details ? { details } : {}),
      request_id: requestId,
    },
  }
}

/** As {@link envelopeOf}; the app's own page, which words failures itself, also gets the values of the message. */
function envelopeFor(request: FastifyRequest, failure: AppError): ErrorEnvelope {
  const { error } = envelopeOf(failure, preferredLanguage(request.headers['accept-language']), request.id)
  const isPage = callerOf(request)?.via === 'session'
  return {
    error:
      isPage && Object.keys(failure.values).length > 0 ? { ...error, values: toWireValues(failure.values) } : error,
  }
}

/** Returns the headers of a failure: those of its code and values, and its own. */
function headersOf(failure: AppError): Record<string, string> {
  const { allow, retryAfterSeconds = ERRORS[failure.code].retryAfterSeconds } = failure.values
  return {
    ...(failure.status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(allow === undefined ? {} : { allow: String(allow) }),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...failure.headers,
  }
}

/**
 * Returns the client's error for a thrown value: itself if it is an expected failure; a full disk, a busy or read-only database, a system
 * without file descriptors or memory, and a request that could not be parsed have codes; INTERNAL_ERROR with the value as cause for
 * everything else. Never throws.
 */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown
  const { code = '', statusCode } = (thrown ?? {}) as { code?: unknown; statusCode?: unknown }
  const name = typeof code === 'string' ? code : ''
  if (isDiskFull(thrown) || name === 'SQLITE_FULL') return new AppError('INSUFFICIENT_STORAGE', {}, { cause: thrown })
  if (/^SQLITE_(BUSY|READONLY|LOCKED)|^EROFS$/.test(name) || isExhausted(thrown)) {
    return new AppError('UNAVAILABLE', {}, { cause: thrown })
  }
  if (name === 'FST_ERR_BAD_URL') return new AppError('NOT_FOUND')
  if (name.startsWith('FST_') && typeof statusCode === 'number' && statusCode < 500) {
    return invalidRequest('unreadable', { cause: thrown })
  }
  return new AppError('INTERNAL_ERROR', {}, { cause: thrown })
}

/** Answers a request with a failure, once the client is ready to read it. */
async function refuse(request: FastifyRequest, reply: FastifyReply, failure: AppError, clock: Clock): Promise<void> {
  // A client that sends nothing would never end the wait.
  const isDrained = failure.code !== 'REQUEST_TIMEOUT' && (await drain(request.raw, clock))
  if (!isDrained) reply.header('connection', 'close')
  sendFailure(request, reply, failure)
}

/** Answers a request with a failure. */
export function sendFailure(request: FastifyRequest, reply: FastifyReply, failure: AppError): FastifyReply {
  return reply
    .code(failure.status)
    .headers(headersOf(failure))
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(envelopeFor(request, failure)))
}

/**
 * Turns every failure of `app` into an envelope: thrown errors, unknown addresses and known addresses with another method. Add the routes
 * afterwards.
 */
export function installEnvelope(app: FastifyInstance, log: Log, clock: Clock): void {
  app.setErrorHandler(async (thrown, request, reply) => {
    const failure = toAppError(thrown)
    const facts = { requestId: request.id, method: request.method, route: request.routeOptions.url ?? '' }
    const endpoint = lacksPart(request) ? undefined : endpointOf(request)
    if (failure.code === 'INTERNAL_ERROR') log.error(failure.code, { ...facts, cause: failure.cause ?? thrown })
    else if (failure.status >= 500 && failure.cause) log.warn(failure.code, { ...facts, cause: failure.cause })
    else if (endpoint && !codesOf(endpoint).includes(failure.code))
      log.error('undeclared error code', { ...facts, code: failure.code })
    await refuse(request, reply, failure, clock)
    return reply
  })
  const methodsOf = collectMethods(app)
  // Before the body is read: a method may have body rules that do not matter here.
  app.addHook('onRequest', (request, _reply, done) => {
    if (!request.is404 && !lacksPart(request)) return done()
    const [path = ''] = request.url.split('?')
    const allow = methodsOf(path)
    if (allow.length > 0) throw new AppError('METHOD_NOT_ALLOWED', { allow: allow.join(', ') })
    const isSlashTooMany = path.endsWith('/') && methodsOf(path.replace(/\/+$/, '')).length > 0
    throw new AppError('NOT_FOUND', isSlashTooMany ? { reason: 'trailing_slash' } : {})
  })
  // Without our own handler, the framework's would not run that hook.
  app.setNotFoundHandler(() => {
    throw new AppError('NOT_FOUND')
  })
}

/** Returns whether an identifier in the address is empty, which the router would accept. */
function lacksPart(request: FastifyRequest): boolean {
  const endpoint = endpointOf(request)
  return endpoint !== undefined && endpoint.access !== 'open' && Object.values(request.params as object).includes('')
}

/** Records the routes added to `app`; returns a function that gives the methods of a path, empty for an unknown one. */
function collectMethods(app: FastifyInstance): (path: string) => string[] {
  const served: { readonly methods: readonly string[]; readonly pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url, config }) => {
    // As in `/docs/`: an open address may end without an identifier.
    const part = (config as { endpoint?: Endpoint } | undefined)?.endpoint?.access === 'open' ? '[^/]*' : '[^/]+'
    const pattern = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, part)
    served.push({ methods: [method].flat(), pattern: new RegExp(`^${pattern}$`) })
  })
  return (path) =>
    [...new Set(served.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))].sort()
}

/**
 * Answers a connection whose request could not be read (malformed, header overflow, timed out) and closes it; `cause` is the parser's
 * error.
 */
export function refuseConnection(socket: Socket, requestId: string, cause: NodeJS.ErrnoException | undefined): void {
  const failure =
    cause?.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? new AppError('REQUEST_TIMEOUT') : invalidRequest('not_http')
  const body = JSON.stringify(envelopeOf(failure, 'en', requestId))
  const { status } = failure
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}
