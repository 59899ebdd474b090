/** Connection to Redis or Valkey between machines, and the checks that a server must pass. */
import type { RedisOptions } from 'bullmq'
import { Redis } from 'ioredis'
import { FarmError, type FarmFault } from './farm-error.ts'
import { isLoopback } from './places.ts'

/** Oldest release with the commands that the queue uses. Valkey reports a newer one. */
const OLDEST: readonly [number, number] = [6, 2]

/** Time for the first connection, ms. */
const CONNECT_LIMIT_MS = 5000

/** Longest pause before the next attempt to connect again, ms. */
const LONGEST_PAUSE_MS = 2000

/** Address of a queue, parsed. */
export interface QueuePlace {
  readonly options: RedisOptions
  /** Host and port, for sentences and the log. */
  readonly shown: string
  readonly isLoopback: boolean
  /** False if others on the network can read song names and the password. */
  readonly isEncrypted: boolean
}

/** Parses an address. The password may be part of it or given separately. Throws a {@link FarmError} for any other text. */
export function queuePlace(address: string, password?: string): QueuePlace {
  const url = URL.parse(address)
  const isEncrypted = url?.protocol === 'rediss:'
  if (!url || !(isEncrypted || url.protocol === 'redis:') || url.hostname === '') throw new FarmError('queue_address')
  const port = Number(url.port || 6379)
  const db = Number(url.pathname.slice(1) || 0)
  if (!Number.isSafeInteger(db)) throw new FarmError('queue_address')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const secret = decodeURIComponent(url.password) || password
  return {
    options: {
      ...{ host, port, db },
      ...(url.username ? { username: decodeURIComponent(url.username) } : {}),
      ...(secret ? { password: secret } : {}),
      ...(isEncrypted ? { tls: { servername: host } } : {}),
      // Commands sent while it is away wait until it is back.
      maxRetriesPerRequest: null,
      retryStrategy: (times: number) => Math.min(times * 100, LONGEST_PAUSE_MS),
    },
    shown: `${url.hostname}:${port}`,
    isLoopback: isLoopback(url.hostname),
    isEncrypted,
  }
}

/** Connects and checks the server. Rejects with a {@link FarmError} and leaves nothing open. */
export async function openRedis({ options, shown }: QueuePlace): Promise<Redis> {
  const first = { retryStrategy: () => null, connectTimeout: CONNECT_LIMIT_MS, lazyConnect: true }
  const trial = new Redis({ ...options, ...first })
  let said: Error | undefined
  trial.on('error', (error) => {
    said = error
  })
  try {
    await trial.connect()
    checkInfo(await trial.info(), shown)
  } catch (cause) {
    if (cause instanceof FarmError) throw cause
    // The rejection only says that the connection is closed.
    throw new FarmError(connectionFault(said ?? (cause as Error)), shown, said ?? cause)
  } finally {
    trial.disconnect()
  }
  return new Redis(options)
}

/** Certificates that Node does not trust (its documentation, `tls`: X509 certificate error codes). */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_|^CERT_|ALTNAME_INVALID/

/** Returns why a connection failed, from its error. Pure. */
export function connectionFault({ message, code = '' }: Error & { readonly code?: string }): FarmFault {
  if (/^(WRONGPASS|NOAUTH|NOPERM)/.test(message)) return 'queue_password'
  return UNTRUSTED.test(code) ? 'queue_certificate' : 'queue_unreachable'
}

/** Throws a {@link FarmError} if a server's INFO shows that it could lose data. */
function checkInfo(info: string, shown: string): void {
  const fields = new Map(
    info.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1)] as const
    }),
  )
  const [major = 0, minor = 0] = (fields.get('redis_version') ?? '').split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) throw new FarmError('queue_too_old', shown)
  if (fields.get('maxmemory_policy') !== 'noeviction') throw new FarmError('queue_evicts', shown)
  if (fields.get('aof_enabled') !== '1') throw new FarmError('queue_forgets', shown)
}
