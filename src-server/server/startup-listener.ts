import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { isAllowed } from '../http/guard.ts'

/** Request listener of a server that is still starting. */
export interface StartupListener {
  readonly answer: RequestListener
  /** Passes the requests received so far, and all later ones, to the finished application. */
  open(application: RequestListener): void
}

/**
 * Creates the listener. Loading everything takes longer than a health check may wait: `/healthz` is answered at once, every other request
 * waits for the application. `port` is the required port of the Host header.
 */
export function createStartupListener(deps: {
  version: string
  port: () => number
  newUuid: () => string
}): StartupListener {
  const waiting: [request: IncomingMessage, response: ServerResponse][] = []
  let application: RequestListener | undefined
  return {
    answer(request, response) {
      if (application) application(request, response)
      else if (isHealthCheck(request, deps.port())) answerHealth(response, deps)
      else waiting.push([request, response])
    },
    open(finished) {
      application = finished
      for (const [request, response] of waiting.splice(0)) finished(request, response)
    },
  }
}

function isHealthCheck(request: IncomingMessage, port: number): boolean {
  return request.method === 'GET' && request.url === '/healthz' && isAllowed(request, port)
}

function answerHealth(
  response: ServerResponse,
  { version, newUuid }: { version: string; newUuid: () => string },
): void {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': newUuid(),
  })
  response.end(JSON.stringify({ status: 'ok', version }))
}
