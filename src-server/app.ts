import fastify, { type FastifyInstance } from 'fastify'
import type { Log } from '../src-system/log.ts'
import type { Clock, Random } from '../src-system/system.ts'
import type { Admission } from './access/caller.ts'
import { AppError } from './http/app-error.ts'
import { installEnvelope, sendFailure, toAppError } from './http/envelope.ts'
import { ABSOLUTE_FORM, isAllowed } from './http/guard.ts'
import { installAdmission } from './http/route.ts'

export interface AppDeps {
  readonly log: Log
  readonly clock: Clock
  readonly random: Pick<Random, 'newUuid'>
  readonly admission: Admission
  /** The port that a Host header must name. */
  readonly port: number
  /** Returns whether the server is stopping: every request is then answered UNAVAILABLE. */
  readonly isStopping: () => boolean
  /** Adds the routes of every feature. */
  readonly routes: (app: FastifyInstance) => void
}

/** Headers of every answer. No referrer is sent to other sites: our address may be a link that works without a key. */
const EVERYWHERE = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
} as const

/** Longer than any request line: an overlong identifier is simply unknown. */
const MAX_PARAMETER_LENGTH = 16_384

/**
 * Returns the application: guard, admission, envelope and routes. It opens no socket. Every request passes, in this order: its identifier,
 * the stop check, the guard, the route, admission.
 */
export function buildApp({ log, clock, random, admission, port, isStopping, routes }: AppDeps): FastifyInstance {
  const app = fastify({
    genReqId: () => random.newUuid(),
    routerOptions: { maxParamLength: MAX_PARAMETER_LENGTH },
    rewriteUrl: ({ url = '' }) => readableAddress(url),
    frameworkErrors: (error, request, reply) => {
      reply.header('x-request-id', request.id)
      // The router gives up on these before any hook has run.
      const failure = isAllowed(request, port) ? toAppError(error) : forbidden()
      sendFailure(request, reply, failure)
    },
  })
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers({ 'x-request-id': request.id, ...EVERYWHERE })
    if (isStopping()) {
      reply.header('connection', 'close')
      throw new AppError('UNAVAILABLE')
    }
    if (!isAllowed(request, port)) throw forbidden()
    done()
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    admission.settle(request, reply)
    done(null, payload)
  })
  installEnvelope(app, log, clock)
  installAdmission(app, admission.admit, clock)
  routes(app)
  return app
}

const forbidden = () => new AppError('FORBIDDEN')

/**
 * Returns the address in a form that the router can read: a malformed path becomes an unknown one, and invalid escapes are taken literally.
 */
function readableAddress(url: string): string {
  const [path = '', ...query] = url.split('?')
  if (!path.startsWith('/') && !ABSOLUTE_FORM.test(path)) return `/${url}`
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}
