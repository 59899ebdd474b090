/** Some routes of ours on a real socket, behind the real envelope; the bearer is `session` or the name of a key. */
import Fastify, { type FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { AppError } from '../../../src-server/http/app-error.ts'
import { installEnvelope } from '../../../src-server/http/envelope.ts'
import { installAdmission } from '../../../src-server/http/route.ts'
import { createLog } from '../../../src-system/log.ts'
import { systemClock } from '../../../src-system/system.ts'

/** Listens on a free loopback port and returns the base address; what the log was told is in `lines`. */
export async function listen(serve: (app: FastifyInstance) => void) {
  const lines: string[] = []
  const app = Fastify({ forceCloseConnections: true })
  installEnvelope(
    app,
    createLog('debug', systemClock, (line) => lines.push(line)),
    systemClock,
  )
  installAdmission(
    app,
    (request, _reply, access) => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
      if (token === undefined) throw new AppError('INVALID_API_KEY')
      if (token === 'session') return { via: 'session' }
      if (access === 'session') throw new AppError('FORBIDDEN')
      return { via: 'key', keyId: token, scope: 'all' }
    },
    systemClock,
  )
  serve(app)
  const baseUrl = await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return { app, baseUrl, lines }
}

export const asSession = { authorization: 'Bearer session' }
export const asKey = { authorization: 'Bearer key-1' }
export const json = { 'content-type': 'application/json' }
