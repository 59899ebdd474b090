import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { holdBody } from './expect-continue.ts'

/** Error for a port in use, or reserved by the system: Windows reserves whole ranges. */
export class PortTakenError extends Error {
  readonly code: 'EADDRINUSE' | 'EACCES'
  readonly port: number

  constructor(port: number, code: PortTakenError['code']) {
    super(`port ${port}: ${code}`)
    this.name = 'PortTakenError'
    this.port = port
    this.code = code
  }
}

/** The open sockets of the service. */
export interface Listening {
  readonly port: number
  /** Sets the answer to a connection whose request cannot be read and has no answer yet; until then it is just closed. */
  onUnreadable(refuse: (socket: Socket, cause: ParserFault) => void): void
  /** Accepts no new connections, lets requests under way end, and closes the remaining ones after `graceMs`. */
  close(graceMs: number, sleep: (ms: number) => Promise<void>): Promise<void>
}

/** Cause of a refused connection: an error of Node's parser, or undefined for a readable but unaccepted request. */
type ParserFault = NodeJS.ErrnoException | undefined

/** Listening addresses. */
const LOOPBACK = ['127.0.0.1', '::1'] as const
/** Attempts to find a port that is free on both addresses. */
const FREE_PORT_TRIES = 20
/** Largest request head, bytes; Node's own limit. */
const HEADER_BYTES = 16_384
/** A whole request may take this long; 1 GiB over loopback takes seconds. */
const REQUEST_TIMEOUT_MS = 600_000
/** A script that asks every few seconds finds its connection still there: with Node's 5 s it is often closed under the next request. */
const IDLE_CONNECTION_MS = 75_000
/** Interval of the check whether a client that has closed its side still reads, while its answer is being made, ms. */
const STILL_THERE_MS = 1000

/**
 * Serves `answer` on 127.0.0.1 and, if the machine has IPv6, on ::1, on the same port; 0 picks one that is free on both. Throws a
 * {@link PortTakenError} and then leaves nothing open.
 */
export async function listen(answer: RequestListener, port: number): Promise<Listening> {
  let refuse = (socket: Socket, _cause: ParserFault): void => void socket.destroy()
  let isClosing = false
  const begun = new WeakMap<Socket, ServerResponse>()
  const unreadable = (socket: Socket, cause: ParserFault) => {
    if (socket.writable && !begun.get(socket)?.headersSent) refuse(socket, cause)
    else socket.destroy()
  }
  const onHalfClosed = (socket: Socket) => {
    const timer = setInterval(() => {
      const response = begun.get(socket)
      if (!response || response.headersSent || socket.destroyed) clearInterval(timer)
      // Only a write shows whether the other side is closed too; an informational response is harmless (RFC 9110 section 15.2).
      else if (response.req.httpVersion === '1.1') response.writeProcessing()
    }, STILL_THERE_MS).unref()
  }
  const answerAndNote: RequestListener = (request, response) => {
    const { socket } = request
    begun.set(socket, response)
    // Later bytes on the same connection belong to another request, which has no answer yet.
    response.once('finish', () => begun.get(socket) === response && begun.delete(socket))
    // A connection that becomes idle only now, such as after an ended stream, would hold up the close until the grace period ends.
    response.once('close', () => isClosing && socket.destroySoon())
    answer(request, response)
  }
  for (let tries = 1; ; tries++) {
    const servers: Server[] = []
    try {
      let chosen = port
      for (const host of LOOPBACK) {
        const server = await listenOn({ answer: answerAndNote, unreadable, onHalfClosed }, host, chosen)
        if (!server) continue
        servers.push(server)
        chosen = (server.address() as AddressInfo).port
      }
      return {
        port: chosen,
        onUnreadable(chosenRefusal) {
          refuse = chosenRefusal
        },
        close(graceMs, sleep) {
          isClosing = true
          return closeAll(servers, graceMs, sleep)
        },
      }
    } catch (error) {
      for (const server of servers) server.close()
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
      if (port !== 0 || tries === FREE_PORT_TRIES) throw new PortTakenError(port, code)
    }
  }
}

interface Listeners {
  readonly answer: RequestListener
  readonly unreadable: (socket: Socket, cause: ParserFault) => void
  /** Called when a client has ended its side: it may be gone, or wait for its answer. */
  readonly onHalfClosed: (socket: Socket) => void
}

/** Resolves to undefined if the machine has no such address. */
function listenOn(
  { answer, unreadable, onHalfClosed }: Listeners,
  host: string,
  port: number,
): Promise<Server | undefined> {
  const server = createServer(
    {
      // The guard refuses a request without a Host in our words; and one with two, since Node would show only the first.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      maxHeaderSize: HEADER_BYTES,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: IDLE_CONNECTION_MS,
    },
    answer,
  )
  // A client that closes its side after its request gets its answer; Node would close the other one first.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.on('connection', (socket) => socket.once('end', () => onHalfClosed(socket)))
  server.on('clientError', (error, socket) => unreadable(socket as Socket, error))
  server.on('checkContinue', (request, response) => {
    holdBody(request, response)
    answer(request, response)
  })
  // Node would answer these two itself, without our envelope.
  server.on('checkExpectation', answer)
  server.on('connect', (_request, socket) => unreadable(socket as Socket, undefined))
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT'
      if (isMissing && host !== LOOPBACK[0]) resolve(undefined)
      else reject(error)
    })
    server.listen({ host, port, ipv6Only: host === '::1' }, () => resolve(server))
  })
}

async function closeAll(
  servers: readonly Server[],
  graceMs: number,
  sleep: (ms: number) => Promise<void>,
): Promise<void> {
  const closed = Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
  await Promise.race([closed, sleep(graceMs)])
  for (const server of servers) server.closeAllConnections()
  await closed
}
