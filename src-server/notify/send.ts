/** One attempt to hand over a callback: resolve the name once, check every address, connect to a checked one, read the status. */
import { lookup as systemLookup } from 'node:dns/promises'
import http from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Clock } from '../../src-system/system.ts'
import { checkAddress, literalAddress, portOf, refusalText } from './target-policy.ts'

/** Time until the connection is established, TLS included. */
const CONNECT_LIMIT_MS = 5000
/** Time for the whole attempt, from the name to the last byte of the answer. */
const TOTAL_LIMIT_MS = 15_000

/** Finds the addresses of a host name; rejects without any. */
export type ResolveName = (name: string) => Promise<readonly { address: string; family: number }[]>

/** The system's resolver: the hosts file and the name service, as every program on this machine sees them. */
export const resolveBySystem: ResolveName = (name) => systemLookup(name, { all: true })

export interface Sending {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly ownPort: number
  readonly resolveName: ResolveName
  readonly clock: Clock
  readonly signal: AbortSignal
}

/** The receiver's status and requested pause, or the reason for a missing answer. */
export interface Answer {
  readonly status?: number
  readonly retryAfter?: string
  readonly error?: string
}

/**
 * Posts `body` once and returns the receiver's answer. Redirects are answers like any other. The status counts as soon as it arrives: the
 * rest of the answer is read and discarded. Never rejects: an aborted, refused, failed or late attempt is an answer with `error`.
 */
export async function sendOnce(sending: Sending): Promise<Answer> {
  const { clock, signal } = sending
  const limit = new AbortController()
  const stopLimit = clock.after(TOTAL_LIMIT_MS, () => limit.abort(new Error('no answer within 15 s')))
  const stop = AbortSignal.any([signal, limit.signal])
  try {
    const addresses = await orAborted(checkedAddresses(sending), stop)
    return await post(sending, addresses, stop, stopLimit)
  } catch (cause) {
    stopLimit()
    return { error: reasonOf(stop.aborted ? stop.reason : cause) }
  }
}

class Refused extends Error {}

async function checkedAddresses({ url, ownPort, resolveName }: Sending) {
  const literal = literalAddress(url.hostname)
  const found =
    literal === undefined
      ? await resolveName(url.hostname)
      : [{ address: literal, family: literal.includes(':') ? 6 : 4 }]
  for (const { address } of found) {
    const refusal = checkAddress(address, portOf(url), ownPort)
    if (refusal) throw new Refused(`refused: ${refusalText(refusal)}`)
  }
  if (found.length === 0) throw new Refused('the name has no address')
  return found
}

function post(
  { url, headers, body, clock }: Sending,
  addresses: readonly { address: string; family: number }[],
  signal: AbortSignal,
  stopLimit: () => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const lookup: LookupFunction = (_name, options, done) => {
      const [first] = addresses
      if (options.all) done(null, [...addresses])
      else done(null, first?.address ?? '', first?.family)
    }
    const isTls = url.protocol === 'https:'
    const request = (isTls ? https : http).request(url, {
      method: 'POST',
      // A new socket: one opened for an earlier attempt may have been resolved differently.
      agent: false,
      lookup,
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Loudsmith',
      },
    })
    const stopConnect = clock.after(CONNECT_LIMIT_MS, () => request.destroy(new Error('no connection within 5 s')))
    request.on('socket', (socket) => socket.once(isTls ? 'secureConnect' : 'connect', stopConnect))
    request.on('error', (cause) => {
      stopConnect()
      reject(cause)
    })
    request.on('close', stopLimit)
    const answered = (response: http.IncomingMessage) => {
      const retryAfter = response.headers['retry-after']
      response.on('error', () => undefined)
      response.resume()
      resolve({ status: response.statusCode ?? 0, ...(retryAfter === undefined ? {} : { retryAfter }) })
    }
    request.on('response', answered)
    // Node reports a 101 here and nowhere else.
    request.on('upgrade', (response, socket) => {
      socket.destroy()
      answered(response)
    })
    request.end(body)
  })
}

function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    // A combined signal with a listener is kept as long as the longest-lived of its parts: here, the service.
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

const SENTENCES: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the receiver closed the connection',
  ENOTFOUND: 'the name is not known',
  EAI_AGAIN: 'the name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'no connection within 5 s',
}

/** Returns a clause for the delivery log that describes a network failure without paths or stacks. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'broken off'
  // Several addresses were tried: the first failure represents all.
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause
  const code = first instanceof Error && 'code' in first ? String(first.code) : undefined
  if (code === undefined) return first instanceof Error ? first.message : 'broken off'
  return SENTENCES[code] ?? `the connection failed (${code})`
}
